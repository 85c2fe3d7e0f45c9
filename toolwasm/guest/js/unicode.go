package js

import (
	"fmt"
	"strings"
	"unicode"
)

// categories are the long names of Unicode's general categories that scripts use, with Go's short ones.
var categories = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Number": "N", "Decimal_Number": "Nd", "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "Symbol": "S", "Mark": "M",
	"Separator": "Z", "Other": "C", "Control": "Cc", "Currency_Symbol": "Sc", "Math_Symbol": "Sm", "Space_Separator": "Zs",
	"Alphabetic": "L", "Alpha": "L", "Lowercase": "Ll", "Uppercase": "Lu", "punct": "P", "Emoji_Presentation": "Emoji", "Extended_Pictographic": "Emoji",
}

// emoji are the blocks that hold the characters with the properties about emoji; Go has no table of them.
var emoji = &unicode.RangeTable{
	R16: []unicode.Range16{{0x231a, 0x231b, 1}, {0x23e9, 0x23f3, 1}, {0x25fd, 0x25fe, 1}, {0x2600, 0x27bf, 1}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 5}},
	R32: []unicode.Range32{{0x1f1e6, 0x1f1ff, 1}, {0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1}},
}

// property finds the table of a property as it is written between braces.
func property(name string) *unicode.RangeTable {
	if key, value, ok := strings.Cut(name, "="); ok {
		switch key {
		case "Script", "sc", "Script_Extensions", "scx":
			return unicode.Scripts[value]
		}
		name = value
	}
	if short, ok := categories[name]; ok {
		name = short
	}
	if name == "Emoji" {
		return emoji
	}
	if t, ok := unicode.Categories[name]; ok {
		return t
	}
	return unicode.Properties[name]
}

// expandProperties replaces \p{…} by ranges. Properties that are not known stay as they are.
func expandProperties(pattern string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+2 < len(pattern) && (pattern[i+1] == 'p' || pattern[i+1] == 'P') && pattern[i+2] == '{':
			end := strings.IndexByte(pattern[i:], '}')
			if end < 0 {
				return b.String() + pattern[i:]
			}
			b.WriteString(ranges(pattern[i:i+end+1], class))
			i += end
		case c == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i++
		default:
			class = c == '[' || class && c != ']'
			b.WriteByte(c)
		}
	}
	return b.String()
}

// ranges writes one property escape as a class, or as what stands inside of one.
func ranges(escape string, class bool) string {
	table := property(escape[3 : len(escape)-1])
	if table == nil {
		return escape
	}
	negated := escape[1] == 'P'
	var b strings.Builder
	if negated {
		writeRanges(&b, complement(table))
	} else {
		writeRanges(&b, spans(table))
	}
	if class {
		return b.String()
	}
	return "[" + b.String() + "]"
}

type span struct{ lo, hi rune }

// spans lists the ranges of a table; those with gaps become single characters.
func spans(t *unicode.RangeTable) []span {
	var list []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			list = append(list, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			list = append(list, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return list
}

func complement(t *unicode.RangeTable) []span {
	var list []span
	next := rune(0)
	for _, s := range spans(t) {
		if s.lo > next {
			list = append(list, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	return append(list, span{next, unicode.MaxRune})
}

func writeRanges(b *strings.Builder, list []span) {
	for _, s := range list {
		fmt.Fprintf(b, `\u{%x}`, s.lo)
		if s.hi > s.lo {
			fmt.Fprintf(b, `-\u{%x}`, s.hi)
		}
	}
}

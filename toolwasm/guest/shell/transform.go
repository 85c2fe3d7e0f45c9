package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"openclaw/toolwasm/guest/shell/syntax"
)

// transform is ${x@Q} and its kin.
func (sh *Shell) transform(p *syntax.Param, v pvalue) pvalue {
	switch p.Mod {
	case 'A':
		return sh.asAssignment(p, v)
	case 'a':
		flags := ""
		if v.v != nil {
			flags = attrLetters(v.v)
		}
		if v.many {
			v.each(func(string) string { return flags })
		} else {
			v.str = flags
		}
		return v
	case 'K', 'k':
		return sh.keyValues(p, v)
	}
	if !v.set {
		return v
	}
	v.each(func(s string) string { return sh.transformOne(p.Mod, s) })
	return v
}

func (sh *Shell) transformOne(mod byte, s string) string {
	switch mod {
	case 'Q':
		return quote(s)
	case 'E':
		return syntax.UnescapeANSI(s)
	case 'P':
		return sh.prompt(s)
	case 'U':
		return strings.ToUpper(s)
	case 'L':
		return strings.ToLower(s)
	case 'u':
		r, n := utf8.DecodeRuneInString(s)
		if n == 0 {
			return s
		}
		return string(unicode.ToUpper(r)) + s[n:]
	}
	return s
}

// asAssignment is ${x@A}: a statement that makes the variable again.
func (sh *Shell) asAssignment(p *syntax.Param, v pvalue) pvalue {
	if p.Special {
		if v.many {
			words := make([]string, len(v.list))
			for i, s := range v.list {
				words[i] = quote(s)
			}
			return pvalue{str: "set -- " + strings.Join(words, " "), set: true}
		}
		return v
	}
	if v.v == nil {
		return v
	}
	name, _, _ := strings.Cut(v.name, "[")
	flags := attrLetters(v.v)
	if v.many && v.v.attrs&attrArray != 0 {
		return pvalue{many: true, set: true, list: []string{"declare", "-" + flags, name + "=" + declValue(v.v)}}
	}
	if !v.set {
		if flags == "" {
			return v
		}
		return pvalue{str: "declare -" + flags + " " + name, set: true}
	}
	if flags == "" {
		return pvalue{str: name + "=" + quote(v.str), set: true}
	}
	return pvalue{str: "declare -" + flags + " " + name + "=" + quote(v.str), set: true}
}

// keyValues is ${x[@]@K} and ${x[@]@k}.
func (sh *Shell) keyValues(p *syntax.Param, v pvalue) pvalue {
	if !v.many || p.Special || v.v == nil {
		if v.set {
			v.each(quote)
		}
		return v
	}
	keys := sh.keysOf(p.Name)
	var list []string
	for i, k := range keys {
		if p.Mod == 'k' {
			list = append(list, k, v.list[i])
			continue
		}
		if v.v.dict != nil {
			k = quoteKey(k)
		}
		list = append(list, k+" "+dquote(v.list[i]))
	}
	if p.Mod == 'K' {
		text := strings.Join(list, " ")
		if v.v.dict != nil && text != "" {
			text += " "
		}
		return pvalue{str: text, set: true}
	}
	v.list = list
	return v
}

// attrLetters lists the attributes of a variable as declare -p does.
func attrLetters(v *variable) string {
	var b strings.Builder
	for _, a := range [...]struct {
		attr   attr
		letter byte
	}{
		{attrIndexed, 'a'},
		{attrAssoc, 'A'},
		{attrInteger, 'i'},
		{attrNameref, 'n'},
		{attrReadonly, 'r'},
		{attrTrace, 't'},
		{attrExport, 'x'},
		{attrLower, 'l'},
		{attrUpper, 'u'},
		{attrCapital, 'c'},
	} {
		if v.attrs&a.attr != 0 {
			b.WriteByte(a.letter)
		}
	}
	return b.String()
}

// quote quotes a string as ${x@Q} does.
func quote(s string) string {
	if needsANSI(s) {
		return ansiQuote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// needsANSI reports whether a string has characters that cannot be shown.
func needsANSI(s string) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || r < 128 && (r < ' ' || r == 127) || r >= 128 && !unicode.IsPrint(r) {
			return true
		}
		i += n
	}
	return false
}

// ansiQuote quotes a string as $'…'.
func ansiQuote(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := s[i]
		switch {
		case n > 1 && unicode.IsPrint(r):
			b.WriteString(s[i : i+n])
		case n > 1 || c >= 0x80 || c < ' ' || c == 127:
			for k := 0; k < n; k++ {
				b.WriteString(ansiEscape(s[i+k]))
			}
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

func ansiEscape(c byte) string {
	const letters = "\a\b\t\n\v\f\r\x1b"
	if at := strings.IndexByte(letters, c); at >= 0 {
		return `\` + string("abtnvfrE"[at])
	}
	return `\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

// dquote quotes a string as declare -p does.
func dquote(s string) string {
	if needsANSI(s) {
		return ansiQuote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("\"\\$`", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// quoteKey quotes the key of an associative array when it needs to be.
func quoteKey(s string) string {
	if s != "" && isPlainWord(s) {
		return s
	}
	return dquote(s)
}

// isPlainWord reports whether a string is a word as it stands.
func isPlainWord(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if strings.IndexByte(" \t\n'\"\\|&;()<>!{}*[]?^$`#~", c) >= 0 || c < ' ' || c == 127 {
			return c == '#' && i > 0 && isPlainWord(s[i+1:]) || c == '~' && i > 0 && isPlainWord(s[i+1:])
		}
	}
	return true
}

// quoteWord quotes a string only when it needs to be, as set and xtrace do.
func quoteWord(s string) string {
	if s == "" {
		return "''"
	}
	if isPlainWord(s) && !needsANSI(s) {
		return s
	}
	return quote(s)
}

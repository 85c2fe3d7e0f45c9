package text

import (
	"io"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const trHelp = `Usage: tr [OPTION]... SET1 [SET2]
Copy standard input to standard output, replacing or deleting bytes.

  -c, -C, --complement   SET1 means all bytes that are not in it
  -d, --delete           delete the bytes of SET1
  -s, --squeeze-repeats  of a byte of the last SET, repeated, keep one
  -t, --truncate-set1    cut SET1 to the length of SET2

A SET is a string of characters. \NNN, \\, \a, \b, \f, \n, \r, \t and \v are single bytes, A-B a range, [C*] in SET2
as many C as SET1 is long, [C*N] N times C, [:alnum:] and the like the bytes of a class, [=C=] the byte C.
`

func trCommand(p *command.Proc) int {
	opts, sets := p.Options(1, getopt.Spec{
		Short: "+cCdst",
		Long: []getopt.Long{
			{Name: "complement", Short: 'c'},
			{Name: "delete", Short: 'd'},
			{Name: "squeeze-repeats", Short: 's'},
			{Name: "truncate-set1", Short: 't'},
		},
	})
	complement := hasOption(opts, "c") || hasOption(opts, "C")
	del, squeeze, truncate := hasOption(opts, "d"), hasOption(opts, "s"), hasOption(opts, "t")
	if status := trOperands(p, sets, del, squeeze); status != 0 {
		return status
	}
	t := translator{}
	if msg := t.prepare(sets, complement, del, squeeze, truncate); msg != "" {
		p.Errorf("%s", msg)
		return 1
	}
	return t.run(p)
}

func trOperands(p *command.Proc, sets []string, del, squeeze bool) int {
	least, most := 2, 2
	switch {
	case del && !squeeze:
		least, most = 1, 1
	case squeeze && !del:
		least = 1
	}
	if len(sets) >= least && len(sets) <= most {
		return 0
	}
	if len(sets) == 0 {
		return p.Usage(1, "missing operand")
	}
	hint := ""
	msg := "extra operand " + quote.Locale(sets[min(most, len(sets)-1)])
	if len(sets) < least {
		msg = "missing operand after " + quote.Locale(sets[len(sets)-1])
		hint = "Two strings must be given when translating.\n"
		if del {
			hint = "Two strings must be given when both deleting and squeezing repeats.\n"
		}
	} else if del && !squeeze && len(sets) == 2 {
		hint = "Only one string may be given when deleting without squeezing repeats.\n"
	}
	p.Errorf("%s", msg)
	_, _ = io.WriteString(p.Stderr, hint+"Try '"+p.Name+" --help' for more information.\n")
	return 1
}

// translator says what becomes of each byte.
type translator struct {
	to        [256]byte
	del       [256]bool
	squeeze   [256]bool
	deletes   bool
	squeezes  bool
	translate bool
}

// prepare fills the tables; it returns the mistake in the sets, if there is one.
func (t *translator) prepare(sets []string, complement, del, squeeze, truncate bool) string {
	for i := range t.to {
		t.to[i] = byte(i)
	}
	one, msg := parseSet(sets[0], false)
	if msg != "" {
		return msg
	}
	if one.hasFill {
		return "the [c*] repeat construct may not appear in string1"
	}
	first := one.expand(0)
	if complement {
		first = complementOf(first)
	}
	if del {
		t.deletes = true
		mark(&t.del, first)
	}
	if len(sets) == 1 {
		if squeeze {
			t.squeezes = true
			mark(&t.squeeze, first)
		}
		return ""
	}
	two, msg := parseSet(sets[1], true)
	if msg != "" {
		return msg
	}
	second := two.expand(len(first))
	if squeeze {
		t.squeezes = true
		mark(&t.squeeze, second)
	}
	if del {
		return ""
	}
	return t.translation(one, two, first, second, complement, truncate)
}

func (t *translator) translation(one, two trSet, first, second []byte, complement, truncate bool) string {
	t.translate = true
	switch {
	case two.equivalent:
		return "[=c=] expressions may not appear in string2 when translating"
	case two.class != "" && two.class != "upper" && two.class != "lower" || two.class != "" && complement:
		return "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'"
	case len(second) == 0 && !truncate && len(first) > 0:
		return "when not truncating set1, string2 must be non-empty"
	case complement && one.class != "" && len(second) > 1 && !allEqual(second) && !truncate:
		return "when translating with complemented character classes,\nstring2 must map all characters in the domain to one"
	}
	if !complement && two.class != "" && !alignedClasses(one, two) {
		return "misaligned [:upper:] and/or [:lower:] construct"
	}
	if truncate {
		first = first[:min(len(first), len(second))]
	}
	if len(first) > len(second) && two.lastIsClass {
		return "when translating with string1 longer than string2,\nthe latter string must not end with a character class"
	}
	for i, c := range first {
		t.to[c] = second[min(i, len(second)-1)]
	}
	return ""
}

func allEqual(b []byte) bool {
	for _, c := range b {
		if c != b[0] {
			return false
		}
	}
	return true
}

// alignedClasses reports whether every class of SET2 stands opposite one of SET1.
func alignedClasses(one, two trSet) bool {
	at := map[int]bool{}
	for _, c := range one.classStarts {
		at[c] = true
	}
	for _, c := range two.classStarts {
		if !at[c] {
			return false
		}
	}
	return true
}

func mark(table *[256]bool, set []byte) {
	for _, c := range set {
		table[c] = true
	}
}

func complementOf(set []byte) []byte {
	var in [256]bool
	mark(&in, set)
	out := make([]byte, 0, 256)
	for c := range 256 {
		if !in[c] {
			out = append(out, byte(c))
		}
	}
	return out
}

func (t *translator) run(p *command.Proc) int {
	buf := make([]byte, copyBuffer)
	last := -1
	for {
		p.Yield()
		n, err := p.Stdin.Read(buf)
		b := buf[:n]
		if t.deletes {
			b = t.remove(b)
		}
		if t.translate {
			to := &t.to
			for i, c := range b {
				b[i] = to[c]
			}
		}
		if t.squeezes {
			b, last = t.squash(b, last)
		}
		_, _ = p.Out().Write(b)
		if err == io.EOF {
			return 0
		}
		if err != nil {
			p.Errorf("read error: %s", sys.Strerror(err))
			return 1
		}
	}
}

func (t *translator) remove(b []byte) []byte {
	n := 0
	for _, c := range b {
		if !t.del[c] {
			b[n] = c
			n++
		}
	}
	return b[:n]
}

func (t *translator) squash(b []byte, last int) ([]byte, int) {
	n := 0
	for _, c := range b {
		if int(c) == last && t.squeeze[c] {
			continue
		}
		last = int(c)
		b[n] = c
		n++
	}
	return b[:n], last
}

// trSet is a parsed SET: bytes, with at most one [c*] to be filled up.
type trSet struct {
	bytes       []byte
	hasFill     bool
	fillAt      int
	fill        byte
	class       string // the last class that is not upper or lower, else upper or lower, else ""
	equivalent  bool
	lastIsClass bool
	classStarts []int
}

// expand gives the set's bytes, with [c*] filled so that there are n.
func (s trSet) expand(n int) []byte {
	if !s.hasFill {
		return s.bytes
	}
	out := append([]byte{}, s.bytes[:s.fillAt]...)
	for k := n - len(s.bytes); k > 0; k-- {
		out = append(out, s.fill)
	}
	return append(out, s.bytes[s.fillAt:]...)
}

// trChar is a byte of a set as written; one that was escaped has no special meaning.
type trChar struct {
	c       byte
	escaped bool
}

func parseSet(s string, second bool) (set trSet, msg string) {
	cs, msg := unescapeSet(s)
	if msg != "" {
		return set, msg
	}
	for i := 0; i < len(cs); {
		n, msg := set.bracket(cs[i:], second)
		if msg != "" {
			return set, msg
		}
		if n > 0 {
			i += n
			continue
		}
		set.lastIsClass = false
		if i+2 < len(cs) && cs[i+1] == (trChar{c: '-'}) {
			lo, hi := cs[i].c, cs[i+2].c
			if hi < lo {
				return set, "range-endpoints of '" + trShow(lo) + "-" + trShow(hi) + "' are in reverse collating sequence order"
			}
			for c := int(lo); c <= int(hi); c++ {
				set.bytes = append(set.bytes, byte(c))
			}
			i += 3
			continue
		}
		set.bytes = append(set.bytes, cs[i].c)
		i++
	}
	return set, ""
}

func trShow(c byte) string {
	if c > ' ' && c < 0x7f {
		return string([]byte{c})
	}
	return `\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

func unescapeSet(s string) ([]trChar, string) {
	out := make([]trChar, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, trChar{c: s[i]})
			continue
		}
		i++
		c := s[i]
		if at := strings.IndexByte("abfnrtv", c); at >= 0 {
			c = "\a\b\f\n\r\t\v"[at]
		} else if c >= '0' && c <= '7' {
			n, k := 0, 0
			for k < 3 && i+k < len(s) && s[i+k] >= '0' && s[i+k] <= '7' && n*8+int(s[i+k]-'0') < 256 {
				n = n*8 + int(s[i+k]-'0')
				k++
			}
			c = byte(n)
			i += k - 1
		}
		out = append(out, trChar{c: c, escaped: true})
	}
	return out, ""
}

// bracket reads [:class:], [=c=] or [c*n] at the start of cs and returns how long it is; 0 when it is none of these.
func (s *trSet) bracket(cs []trChar, second bool) (int, string) {
	if len(cs) < 4 || cs[0] != (trChar{c: '['}) {
		return 0, ""
	}
	for _, kind := range []byte{':', '='} {
		if cs[1] != (trChar{c: kind}) {
			continue
		}
		for i := 2; i+1 < len(cs); i++ {
			if cs[i] == (trChar{c: kind}) && cs[i+1] == (trChar{c: ']'}) && (kind == ':' || i > 2) {
				name := plainText(cs[2:i])
				if n, msg, ok := s.named(kind, name, i+2); ok {
					return n, msg
				}
				break
			}
		}
	}
	if cs[2] != (trChar{c: '*'}) {
		return 0, ""
	}
	return s.repeat(cs, second)
}

func plainText(cs []trChar) string {
	b := make([]byte, len(cs))
	for i, c := range cs {
		b[i] = c.c
	}
	return string(b)
}

func (s *trSet) named(kind byte, name string, length int) (int, string, bool) {
	if kind == '=' {
		if len(name) != 1 {
			return 0, name + ": equivalence class operand must be a single character", true
		}
		s.equivalent = true
		s.lastIsClass = false
		s.bytes = append(s.bytes, name[0])
		return length, "", true
	}
	member := classMember(name)
	if member == nil {
		return 0, "invalid character class " + quote.Locale(name), true
	}
	if name == "upper" || name == "lower" {
		s.classStarts = append(s.classStarts, len(s.bytes))
		if s.class == "" {
			s.class = name
		}
	} else {
		s.class = name
	}
	s.lastIsClass = true
	for c := range 256 {
		if member(byte(c)) {
			s.bytes = append(s.bytes, byte(c))
		}
	}
	return length, "", true
}

// classMember returns the test of a character class in the C locale, nil when there is no such class.
func classMember(name string) func(byte) bool {
	isUpper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	isLower := func(c byte) bool { return c >= 'a' && c <= 'z' }
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	isAlpha := func(c byte) bool { return isUpper(c) || isLower(c) }
	isGraph := func(c byte) bool { return c > ' ' && c < 0x7f }
	switch name {
	case "alnum":
		return func(c byte) bool { return isAlpha(c) || isDigit(c) }
	case "alpha":
		return isAlpha
	case "blank":
		return isBlank
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		return isDigit
	case "graph":
		return isGraph
	case "lower":
		return isLower
	case "print":
		return func(c byte) bool { return isGraph(c) || c == ' ' }
	case "punct":
		return func(c byte) bool { return isGraph(c) && !isAlpha(c) && !isDigit(c) }
	case "space":
		return func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
	case "upper":
		return isUpper
	case "xdigit":
		return func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
	}
	return nil
}

// repeat reads [c*] and [c*n]; n is octal when it begins with 0.
func (s *trSet) repeat(cs []trChar, second bool) (int, string) {
	n, i := 0, 3
	base := 10
	if cs[3].c == '0' {
		base = 8
	}
	const longest = 1 << 20
	for ; i < len(cs) && cs[i].c != ']'; i++ {
		c := cs[i].c
		if cs[i].escaped || c < '0' || c > '9' {
			return 0, ""
		}
		n = min(n*base+int(c-'0'), longest)
	}
	if i == len(cs) {
		return 0, ""
	}
	if !second {
		return 0, "the [c*] repeat construct may not appear in string1"
	}
	s.lastIsClass = false
	if n > 0 {
		for range n {
			s.bytes = append(s.bytes, cs[1].c)
		}
		return i + 1, ""
	}
	if s.hasFill {
		return 0, "only one [c*] repeat construct may appear in string2"
	}
	s.hasFill, s.fillAt, s.fill = true, len(s.bytes), cs[1].c
	return i + 1, ""
}

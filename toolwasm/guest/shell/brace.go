package shell

import (
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/shell/syntax"
)

// braceToken is a piece of a word that is subject to brace expansion: a character of the script, or a part that is not
// unquoted text.
type braceToken struct {
	c    byte
	part syntax.Part
}

// braces expands the braces of a word; ok is false when there are none that expand.
func (sh *Shell) braces(w *syntax.Word) (words []*syntax.Word, ok bool) {
	var toks []braceToken
	for _, p := range w.Parts {
		lit, isLit := p.(*syntax.Lit)
		if !isLit {
			toks = append(toks, braceToken{part: p})
			continue
		}
		for i := 0; i < len(lit.Text); i++ {
			toks = append(toks, braceToken{c: lit.Text[i]})
		}
	}
	b := bracer{sh: sh}
	lists := b.expand(toks, 0)
	if b.failed {
		return nil, true
	}
	if len(lists) == 1 && len(lists[0]) == len(toks) {
		return nil, false
	}
	words = make([]*syntax.Word, len(lists))
	for i, l := range lists {
		words[i] = l.word(w)
	}
	return words, true
}

// braceWord is one result of brace expansion.
type braceWord []braceToken

// word makes a word of the tokens.
func (l braceWord) word(from *syntax.Word) *syntax.Word {
	w := &syntax.Word{Src: from.Src, Line: from.Line}
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			w.Parts = append(w.Parts, &syntax.Lit{Text: string(lit)})
			lit = lit[:0]
		}
	}
	for i := 0; i < len(l); i++ {
		t := l[i]
		if t.part != nil {
			flush()
			part, n := longerName(l[i:])
			w.Parts = append(w.Parts, part)
			i += n
			continue
		}
		if i == 0 && t.c == '~' {
			if user, n, ok := leadingTilde(l); ok {
				w.Parts = append(w.Parts, &syntax.Tilde{User: user})
				rest := l[n:]
				tail := rest.word(from)
				w.Parts = append(w.Parts, tail.Parts...)
				syntax.Settle(w)
				return w
			}
		}
		lit = append(lit, t.c)
	}
	flush()
	syntax.Settle(w)
	w.Brace = false
	if len(w.Parts) == 0 {
		w.Plain = false // nothing, not an empty argument
	}
	return w
}

// longerName returns the part that tokens begin with. Braces expand before variables do: in {$a,x}b the name is ab; n is how
// many characters the name has taken.
func longerName(l braceWord) (part syntax.Part, n int) {
	p, ok := l[0].part.(*syntax.Param)
	if !ok || p.Special || !strings.HasPrefix(p.Src, "$") || strings.HasPrefix(p.Src, "${") {
		return l[0].part, 0
	}
	name := p.Name
	for n+1 < len(l) && l[n+1].part == nil && syntax.IsName("_"+string(l[n+1].c)) {
		n++
		name += string(l[n].c)
	}
	if n == 0 {
		return p, 0
	}
	return &syntax.Param{Name: name, Src: "$" + name, Line: p.Line}, n
}

func leadingTilde(l braceWord) (user string, n int, ok bool) {
	for n = 1; n < len(l); n++ {
		if l[n].part != nil {
			return "", 0, false
		}
		if l[n].c == '/' {
			break
		}
		user += string(l[n].c)
	}
	return user, n, true
}

// bracer expands braces with bounds on how much it makes.
type bracer struct {
	sh     *Shell
	words  int
	bytes  int
	failed bool
}

func (b *bracer) count(words, bytes int) bool {
	b.words += words
	b.bytes += bytes
	if b.words > maxBraceWords || b.bytes > maxBraceText {
		if !b.failed {
			b.sh.errorf("brace expansion: result exceeds %d words or %d characters", maxBraceWords, maxBraceText)
			b.sh.abort()
		}
		b.failed = true
	}
	return !b.failed
}

const maxBraceNesting = 200

// expand returns the words that tokens stand for.
func (b *bracer) expand(toks []braceToken, depth int) []braceWord {
	if b.failed || depth > maxBraceNesting {
		return []braceWord{toks}
	}
	open, parts, end := findBrace(toks)
	if open < 0 {
		return []braceWord{toks}
	}
	prefix := toks[:open]
	var middles []braceWord
	if len(parts) == 1 {
		middles = b.sequence(parts[0])
	} else {
		for _, p := range parts {
			middles = append(middles, b.expand(p, depth+1)...)
		}
	}
	tails := b.expand(toks[end:], depth+1)
	out := make([]braceWord, 0, min(len(middles)*len(tails), maxBraceWords))
	for _, m := range middles {
		for _, t := range tails {
			if !b.count(1, len(prefix)+len(m)+len(t)) {
				return nil
			}
			w := make(braceWord, 0, len(prefix)+len(m)+len(t))
			w = append(append(append(w, prefix...), m...), t...)
			out = append(out, w)
		}
	}
	return out
}

// findBrace finds the first brace expression: its position, its parts, and the position after it. One part means a
// sequence. The position is -1 when there is none.
func findBrace(toks []braceToken) (open int, parts [][]braceToken, end int) {
	for i, t := range toks {
		if t.part != nil || t.c != '{' {
			continue
		}
		if i > 0 && toks[i-1].part == nil && toks[i-1].c == '$' {
			continue
		}
		if parts, end := braceParts(toks, i); parts != nil {
			return i, parts, end
		}
	}
	return -1, nil, 0
}

// braceParts splits the expression that opens at a position; nil when it is none.
func braceParts(toks []braceToken, open int) ([][]braceToken, int) {
	depth, start := 0, open+1
	var parts [][]braceToken
	for i := open + 1; i < len(toks); i++ {
		if toks[i].part != nil {
			continue
		}
		switch toks[i].c {
		case '{':
			depth++
		case ',':
			if depth == 0 {
				parts = append(parts, toks[start:i])
				start = i + 1
			}
		case '}':
			if depth > 0 {
				depth--
				continue
			}
			parts = append(parts, toks[start:i])
			if len(parts) > 1 || isSequence(parts[0]) {
				return parts, i + 1
			}
			return nil, 0
		}
	}
	return nil, 0
}

func tokenText(toks []braceToken) (string, bool) {
	b := make([]byte, len(toks))
	for i, t := range toks {
		if t.part != nil {
			return "", false
		}
		b[i] = t.c
	}
	return string(b), true
}

func isSequence(toks []braceToken) bool {
	s, ok := tokenText(toks)
	if !ok {
		return false
	}
	_, ok = parseSequence(s)
	return ok
}

// sequence is {from..to..step}.
type sequence struct {
	from, to, step int64
	width          int
	letters        bool
}

func parseSequence(s string) (q sequence, ok bool) {
	f := strings.Split(s, "..")
	if len(f) != 2 && len(f) != 3 {
		return q, false
	}
	if len(f) == 3 {
		n, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return q, false
		}
		q.step = max(n, -n)
	}
	a, errA := strconv.ParseInt(f[0], 10, 64)
	b, errB := strconv.ParseInt(f[1], 10, 64)
	switch {
	case errA == nil && errB == nil:
		q.from, q.to = a, b
		if zeroPadded(f[0]) || zeroPadded(f[1]) {
			q.width = max(len(f[0]), len(f[1]))
		}
	case len(f[0]) == 1 && len(f[1]) == 1 && isLetter(f[0][0]) && isLetter(f[1][0]):
		q.from, q.to, q.letters = int64(f[0][0]), int64(f[1][0]), true
	default:
		return q, false
	}
	if q.step == 0 {
		q.step = 1
	}
	return q, true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func zeroPadded(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0'
}

func (b *bracer) sequence(toks []braceToken) []braceWord {
	s, _ := tokenText(toks)
	q, _ := parseSequence(s)
	up := q.from <= q.to
	span := uint64(q.to - q.from)
	if !up {
		span = uint64(q.from - q.to)
	}
	n := span/uint64(q.step) + 1
	if n > math.MaxInt32 {
		w := append(braceWord{{c: '{'}}, toks...)
		return []braceWord{append(w, braceToken{c: '}'})} // bash leaves it alone, too
	}
	if n > maxBraceWords || !b.count(0, int(n)) {
		b.count(maxBraceWords+1, 0)
		return nil
	}
	out := make([]braceWord, 0, n)
	for i, v := uint64(0), q.from; i < n; i++ {
		out = append(out, q.item(v))
		if up {
			v += q.step
		} else {
			v -= q.step
		}
	}
	return out
}

func (q *sequence) item(v int64) braceWord {
	if q.letters {
		if v == '\\' || v == '`' {
			return braceWord{{part: &syntax.Quoted{Text: string(rune(v))}}}
		}
		return braceWord{{c: byte(v)}}
	}
	s := strconv.FormatInt(v, 10)
	if q.width > len(s) {
		neg := ""
		if v < 0 {
			neg, s = "-", s[1:]
		}
		s = neg + strings.Repeat("0", q.width-len(neg)-len(s)) + s
	}
	w := make(braceWord, len(s))
	for i := range w {
		w[i].c = s[i]
	}
	return w
}

// plainSequence expands a word that is nothing but {from..to}, the usual subject of a loop, straight to strings.
func (sh *Shell) plainSequence(dst []string, w *syntax.Word) ([]string, bool) {
	if len(w.Parts) != 1 {
		return dst, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(lit.Text) < 6 || lit.Text[0] != '{' || lit.Text[len(lit.Text)-1] != '}' {
		return dst, false
	}
	q, ok := parseSequence(lit.Text[1 : len(lit.Text)-1])
	if !ok || q.letters || q.width > 0 {
		return dst, false
	}
	up := q.from <= q.to
	span := uint64(q.to - q.from)
	if !up {
		span = uint64(q.from - q.to)
	}
	n := span/uint64(q.step) + 1
	if n > math.MaxInt32 {
		return append(dst, lit.Text), true
	}
	if n > maxBraceWords {
		b := bracer{sh: sh}
		b.count(maxBraceWords+1, 0)
		return dst, true
	}
	for i, v := uint64(0), q.from; i < n; i++ {
		dst = append(dst, strconv.FormatInt(v, 10))
		if up {
			v += q.step
		} else {
			v -= q.step
		}
	}
	return dst, true
}

package regex

import (
	"unicode/utf8"
)

// text is what is being searched.
type text struct {
	b      []byte
	notBOL bool
	// raw holds the bytes that the pattern names by themselves: they are characters wherever they stand, even where they begin a
	// longer one. nil when there are none.
	raw *[256]bool
}

// isRaw reports whether c is a character by itself.
func (t text) isRaw(c byte) bool { return t.raw != nil && t.raw[c] }

// atSet returns the width of the character at i when it belongs to s, and 0 otherwise.
func (t text) atSet(s *set, i int) int {
	if i >= len(t.b) {
		return 0
	}
	if c := t.b[i]; c < utf8.RuneSelf {
		if s.hasASCII(c) {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRune(t.b[i:])
	if r == utf8.RuneError && n == 1 || t.isRaw(t.b[i]) || !s.has(r) {
		return 0
	}
	return n
}

// atByte reports whether the byte c, which the pattern names, stands at i.
func (t text) atByte(c byte, i int) bool { return i < len(t.b) && t.b[i] == c }

// width returns how many bytes the character at i takes.
func (t text) width(i int) int {
	if t.b[i] < utf8.RuneSelf || t.isRaw(t.b[i]) {
		return 1
	}
	_, n := utf8.DecodeRune(t.b[i:])
	return n
}

func (t text) wordBefore(i int) bool {
	if i == 0 {
		return false
	}
	if c := t.b[i-1]; c < utf8.RuneSelf {
		return isWord(c)
	}
	r, n := utf8.DecodeLastRune(t.b[:i])
	return n > 1 && isWordRune(r)
}

func (t text) wordAfter(i int) bool {
	if i >= len(t.b) {
		return false
	}
	if c := t.b[i]; c < utf8.RuneSelf {
		return isWord(c)
	}
	r, n := utf8.DecodeRune(t.b[i:])
	return n > 1 && isWordRune(r)
}

// before is what an assertion can know of the text to its left.
type before uint8

const (
	beforeText before = 1 << iota // nothing stands there
	beforeLine                    // a line begins here
	beforeWord                    // the character there belongs to a word
)

func (t text) before(i int, newline bool) before {
	var f before
	switch {
	case i == 0:
		f |= beforeText
		if !t.notBOL {
			f |= beforeLine
		}
	case newline && t.b[i-1] == '\n':
		f |= beforeLine
	}
	if t.wordBefore(i) {
		f |= beforeWord
	}
	return f
}

// after is what an assertion can know of the text to its right.
type after uint8

const (
	afterText after = 1 << iota // nothing stands there
	afterLine                   // a line ends here
	afterWord                   // the character there belongs to a word
)

func (t text) after(i int, newline bool) after {
	var f after
	switch {
	case i == len(t.b):
		f |= afterText | afterLine
	case newline && t.b[i] == '\n':
		f |= afterLine
	}
	if t.wordAfter(i) {
		f |= afterWord
	}
	return f
}

// holds reports whether the assertion is true between what is before and after.
func (a assertion) holds(l before, r after) bool {
	lw, rw := l&beforeWord != 0, r&afterWord != 0
	switch a {
	case assertLineStart:
		return l&beforeLine != 0
	case assertLineEnd:
		return r&afterLine != 0
	case assertTextStart:
		return l&beforeText != 0
	case assertTextEnd:
		return r&afterText != 0
	case assertBoundary:
		return lw != rw
	case assertNotBoundary:
		return lw == rw
	case assertWordStart:
		return !lw && rw
	case assertWordEnd:
		return lw && !rw
	case assertNoWordBefore:
		return !lw
	}
	return !rw
}

// assertAt evaluates an assertion at i.
func (t text) assertAt(a assertion, i int, newline bool) bool {
	return a.holds(t.before(i, newline), t.after(i, newline))
}

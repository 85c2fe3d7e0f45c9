package sqlite

import "strings"

// complete reports whether a text ends with a whole statement: with a semicolon that is not inside of a string, a
// comment or the body of a trigger.
func complete(text string) bool {
	sc := statement{}
	for i := 0; i < len(text); {
		i = sc.next(text, i)
	}
	return sc.ended
}

// blank reports whether a text holds comments and blanks only.
func blank(text string) bool {
	sc := statement{}
	for i := 0; i < len(text); {
		i = sc.next(text, i)
	}
	return sc.words == 0 && !sc.open
}

// statement follows the statements of a text.
type statement struct {
	ended   bool   // by a semicolon, with nothing but blanks after it
	words   int    // of the statement so far
	create  bool   // it begins with CREATE
	trigger bool   // it is CREATE TRIGGER: it ends with END
	last    string // the word before
	open    bool   // a string or comment that does not end
}

// next reads one token at i and returns the index behind it.
func (s *statement) next(text string, i int) int {
	c := text[i]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
		return i + 1
	case strings.HasPrefix(text[i:], "--"):
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	case strings.HasPrefix(text[i:], "/*"):
		n := strings.Index(text[i+2:], "*/")
		if n < 0 {
			s.ended, s.open = false, true
			return len(text)
		}
		return i + n + 4
	case c == ';':
		return s.semicolon(i)
	case c == '\'' || c == '"' || c == '`' || c == '[':
		return s.quoted(text, i)
	case isName(c):
		end := i + 1
		for end < len(text) && isName(text[end]) {
			end++
		}
		s.word(strings.ToUpper(text[i:end]))
		return end
	}
	s.word("")
	return i + 1
}

func (s *statement) semicolon(i int) int {
	if s.trigger && s.last != "END" {
		s.last = ";"
		return i + 1
	}
	*s = statement{ended: true}
	return i + 1
}

func (s *statement) quoted(text string, i int) int {
	end := text[i]
	if end == '[' {
		end = ']'
	}
	s.word("")
	n := strings.IndexByte(text[i+1:], end)
	if n < 0 {
		s.ended, s.open = false, true
		return len(text)
	}
	return i + n + 2
}

func (s *statement) word(w string) {
	s.ended = false
	s.words++
	switch {
	case s.words == 1 && w == "CREATE":
		s.create = true
	case s.create && s.words <= 3 && w == "TRIGGER":
		s.trigger = true
	case s.words == 1 && w == "EXPLAIN":
		s.words = 0
	}
	// The END of a trigger stands alone after a semicolon; that of a CASE does not.
	if w == "END" && s.last != ";" {
		w = ""
	}
	s.last = w
}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

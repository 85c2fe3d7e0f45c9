package directive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanHeartbeat is what of an answer is delivered that may hold HEARTBEAT_OK: the answer without the token at its beginning and its
// end. After a heartbeat nothing is left when it had one and no more than HeartbeatRest beside it. Blanks at the end go, too.
func CleanHeartbeat(answer string, heartbeat bool) string {
	rest := answer[okBegin(answer):]
	end, _ := okEnd(rest, ' ')
	found := len(rest) < len(answer) || end < len(rest)
	rest = strings.TrimRightFunc(rest[:end], unicode.IsSpace)
	if heartbeat && found && units(rest) <= HeartbeatRest {
		return ""
	}
	return rest
}

// maxTag is how long an HTML tag is, in bytes, that may lie around the token.
const maxTag = 100

// maxAfter is how many characters that are not part of a word may follow the token.
const maxAfter = 4

// okLead is the token at the beginning of an answer.
var okLead = regexp.MustCompile("^(?:\\s|&nbsp;|<[^<>]{0,98}>|[*_~`])*" + HeartbeatOK + "(?:</[^<>]{0,97}>|[*_~`])*[.!,:;…-]{0,4}")

// okBegin is how long the tokens at the beginning of an answer are.
func okBegin(answer string) int {
	n := 0
	for {
		found := okLead.FindStringIndex(answer[n:])
		if found == nil {
			return n
		}
		rest := answer[n+found[1]:]
		if next, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(next) || unicode.IsDigit(next) {
			return n
		}
		n = len(answer) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	}
}

// okMayBegin tells whether a text may still become a token at the beginning of an answer.
func okMayBegin(text string) bool {
	for before := -1; before != len(text); {
		before = len(text)
		text = strings.TrimLeftFunc(text, wraps)
		text = strings.TrimPrefix(text, space)
		if end := strings.IndexByte(text[:min(len(text), maxTag)], '>'); strings.HasPrefix(text, "<") && end > 0 && !strings.Contains(text[1:end], "<") {
			text = text[end+1:]
		}
	}
	return strings.HasPrefix(text, HeartbeatOK) || strings.HasPrefix(HeartbeatOK, text) || strings.HasPrefix(space, text) ||
		strings.HasPrefix(text, "<") && len(text) < maxTag && !strings.ContainsAny(text[1:], "<>")
}

// space is a blank of HTML.
const space = "&nbsp;"

func wraps(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_~`", r) }

// unwrapped is how long a text is without the blanks, marks and tags at its end.
func unwrapped(text string) int {
	for {
		n := len(text)
		text = strings.TrimRightFunc(text, wraps)
		text = strings.TrimSuffix(text, space)
		if strings.HasSuffix(text, ">") {
			if at := strings.LastIndexByte(text, '<'); at >= 0 && len(text)-at <= maxTag && !strings.Contains(text[at:len(text)-1], ">") {
				text = text[:at]
			}
		}
		if len(text) == n {
			return n
		}
	}
}

// okEnd is where the tokens at the end of a text begin, with what lies around them, and where what may still become one begins.
// before is the character in front of the text.
func okEnd(text string, before rune) (token, held int) {
	token = len(text)
	for {
		begin, ok := okLast(text[:token], before)
		if !ok {
			break
		}
		token = begin
	}
	if token < len(text) {
		return token, token
	}
	if half := okHalf(text); half < len(text) { // of a tag, or of a blank of HTML
		_, held = okEnd(text[:half], before)
		return token, held
	}
	for n := len(HeartbeatOK) - 1; n > 0; n-- {
		if begin := len(text) - n; begin >= 0 && text[begin:] == HeartbeatOK[:n] && apart(text[:begin], before) {
			_, held = okEnd(text[:begin], before)
			return token, held
		}
	}
	return token, unwrapped(text)
}

// okLast is where the token begins that a text ends in, with what lies around it.
func okLast(text string, before rune) (begin int, ok bool) {
	end := unwrapped(text)
	for range maxAfter + 1 {
		if begin := end - len(HeartbeatOK); begin >= 0 && text[begin:end] == HeartbeatOK {
			return unwrapped(text[:begin]), apart(text[:begin], before)
		}
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if size == 0 || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return 0, false
		}
		end = unwrapped(text[:end-size])
	}
	return 0, false
}

// okHalf is where an unfinished tag, or an unfinished blank of HTML, begins at the end of a text.
func okHalf(text string) int {
	if at := strings.LastIndexByte(text, '<'); at >= 0 && len(text)-at < maxTag && !strings.Contains(text[at:], ">") {
		return at
	}
	if at := strings.LastIndexByte(text, '&'); at >= 0 && strings.HasPrefix(space, text[at:]) && text[at:] != space {
		return at
	}
	return len(text)
}

package directive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens that models answer with.
const (
	NoReply      = "NO_REPLY"     // nothing is to be delivered
	HeartbeatOK  = "HEARTBEAT_OK" // there is nothing to tell after a heartbeat
	AnnounceSkip = "ANNOUNCE_SKIP"
	ReplySkip    = "REPLY_SKIP"
)

// HeartbeatRest is how much may stand beside HEARTBEAT_OK, in UTF-16 units, and still be nothing to tell.
const HeartbeatRest = 300

// Skips tells whether an answer between agents is one of the tokens that end it: AnnounceSkip or ReplySkip.
func Skips(answer, token string) bool { return strings.TrimSpace(answer) == token }

// Silent tells whether an answer is nothing but NO_REPLY: in any case, again and again, with punctuation around it, as a JSON string or
// as {"action":"NO_REPLY"}, and with reasoning in front.
func Silent(answer string) bool {
	_, silent := silence(answer)
	return silent
}

// Clean is what of an answer is delivered: nothing when it is silent, else the answer without a NO_REPLY at its end, and without one
// that is glued to its beginning. Blanks at the end go, too.
func Clean(answer string) string {
	if Silent(answer) {
		return ""
	}
	answer = unglued(answer)
	at, _ := silentEnd(answer, ' ')
	return strings.TrimRightFunc(answer[:at], unicode.IsSpace)
}

// silence tells whether a text may still become a silent answer, and whether it is one.
func silence(text string) (may, is bool) {
	rest, open := withoutReasoning(text)
	if open {
		return true, false
	}
	may, is = silentWords(rest)
	if is {
		return true, true
	}
	mayObject, object := silentObject(rest)
	return may || mayObject, object
}

// silentWords is NO_REPLY, once or more, with punctuation around it.
func silentWords(text string) (may, is bool) {
	for {
		text = strings.TrimLeftFunc(text, edge)
		switch {
		case text == "":
			return true, is
		case len(text) < len(NoReply):
			return strings.EqualFold(text, NoReply[:len(text)]), false
		case !strings.EqualFold(text[:len(NoReply)], NoReply):
			return false, false
		}
		text, is = text[len(NoReply):], true
	}
}

func edge(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || strings.ContainsRune("`~^$|<>+=", r)
}

// silentObject is {"action":"NO_REPLY"}.
func silentObject(text string) (may, is bool) {
	for _, part := range []string{"{", `"action"`, ":", `"` + NoReply + `"`, "}"} {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		n := min(len(part), len(text))
		if !strings.EqualFold(text[:n], part[:n]) {
			return false, false
		}
		if n < len(part) {
			return true, false
		}
		text = text[n:]
	}
	blank := strings.TrimSpace(text) == ""
	return blank, blank
}

// reasoningTags are the names of tags that models put around their reasoning.
var reasoningTags = []string{"think", "thinking", "thought", "reasoning"}

// reasoningLeads begin a paragraph of reasoning.
var reasoningLeads = []string{"reasoning:", "thinking:"}

// withoutReasoning is a text without the reasoning in front; open tells that more must come to know where that ends.
func withoutReasoning(text string) (rest string, open bool) {
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		length, incomplete := reasoningLength(text)
		if incomplete || length == 0 {
			return text, incomplete
		}
		text = text[length:]
	}
}

func reasoningLength(text string) (n int, open bool) {
	lower := strings.ToLower(text[:min(len(text), 32)])
	for _, tag := range reasoningTags {
		begin := "<" + tag + ">"
		switch {
		case strings.HasPrefix(lower, begin):
			end := indexFold(text, "</"+tag+">")
			if end < 0 {
				return 0, true
			}
			return end + len(begin) + 1, false
		case text != "" && strings.HasPrefix(begin, lower):
			return 0, true
		}
	}
	for _, lead := range reasoningLeads {
		switch {
		case strings.HasPrefix(lower, lead):
			end := paragraphEnd.FindStringIndex(text)
			if end == nil {
				return 0, true
			}
			return end[1], false
		case text != "" && strings.HasPrefix(lead, lower):
			return 0, true
		}
	}
	return 0, false
}

var paragraphEnd = regexp.MustCompile(`\n[ \t\r]*\n`)

// indexFold is strings.Index for ASCII in any case.
func indexFold(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i] == part[0] && strings.EqualFold(text[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// unglued is an answer without a NO_REPLY that the text is glued to.
func unglued(answer string) string {
	lead := strings.TrimLeftFunc(answer, unicode.IsSpace)
	for {
		rest, ok := strings.CutPrefix(lead, NoReply)
		if !ok {
			return answer
		}
		next, _ := utf8.DecodeRuneInString(rest)
		if strings.HasPrefix(rest, NoReply) || unicode.IsLetter(next) || unicode.IsDigit(next) {
			lead, answer = rest, rest
			continue
		}
		return answer
	}
}

// silentEnd is where the tokens at the end of a text begin, with what belongs to them, and where what may still become one begins.
// before is the character in front of the text.
func silentEnd(text string, before rune) (token, held int) {
	const around = " \t\r\n*_"
	token = len(text)
	for {
		end := len(strings.TrimRight(text[:token], around))
		begin := end - len(NoReply)
		if begin < 0 || text[begin:end] != NoReply || !apart(text[:begin], before) {
			held = end
			break
		}
		token = begin
	}
	if token < len(text) {
		token = len(strings.TrimRight(text[:token], around))
		return token, token
	}
	for n := len(NoReply) - 1; n > 0; n-- {
		if begin := len(text) - n; begin >= 0 && text[begin:] == NoReply[:n] && apart(text[:begin], before) {
			_, held = silentEnd(text[:begin], before)
			return token, held
		}
	}
	return token, held
}

// apart tells that a token may begin behind a text: not within a word.
func apart(text string, before rune) bool {
	text = strings.TrimRight(text, "_")
	r, size := utf8.DecodeLastRuneInString(text)
	if size == 0 {
		r = before
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

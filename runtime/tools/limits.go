package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"openclaw/runtime/model"
)

// Limits say how much of a model's window results may take.
type Limits struct {
	ContextTokens int64 // the model's window; zero means DefaultContextTokens
}

// DefaultContextTokens is the window of a model of which nothing is known.
const DefaultContextTokens = 200_000

const (
	charsPerToken = 4
	// minResult is how much of a result is kept at least.
	minResult = 2000
	// resultShare is the part of the window that one result may take, and totalShare what all of a conversation may, in
	// hundredths.
	resultShare, totalShare = 30, 50
	// totalResults is how many results of the largest size a conversation holds.
	totalResults = 4
	// maxImageBytes is the largest picture that providers take: 5 MiB in base64.
	maxImageBytes = 5 << 20 / 4 * 3
)

// resultSteps are the largest results of windows from a size on.
var resultSteps = []struct {
	tokens int64
	chars  int
}{{200_000, 64_000}, {100_000, 32_000}, {0, 16_000}}

func (l Limits) tokens() int64 {
	if l.ContextTokens > 0 {
		return l.ContextTokens
	}
	return DefaultContextTokens
}

// Result is how many characters one result may have.
func (l Limits) Result() int {
	tokens := l.tokens()
	share := int(tokens * charsPerToken * resultShare / 100)
	for _, step := range resultSteps {
		if tokens >= step.tokens {
			return max(minResult, min(step.chars, share))
		}
	}
	return minResult
}

// Total is how many characters the results of a conversation may have together.
func (l Limits) Total() int {
	return max(l.Result(), min(totalResults*l.Result(), int(l.tokens()*charsPerToken*totalShare/100)))
}

// The page of read grows with the window, between these bounds.
const (
	minPage   = 32 << 10
	maxPage   = 128 << 10
	pageShare = 10 // hundredths of the window
)

// page is how many bytes a tool that pages by itself shows at a time. Some room is left for what it says about the page.
func (l Limits) page() int {
	const notice = 1000
	adaptive := int(l.tokens() * charsPerToken * pageShare / 100)
	return min(max(minPage, min(adaptive, maxPage)), l.Result()-notice)
}

// clip keeps a result within the limit.
func (l Limits) clip(r *Result) {
	room := l.Result()
	var kept []model.Block
	for _, b := range r.Content {
		switch {
		case b.Type == model.BlockImage && len(b.Data) > maxImageBytes:
			b = model.Block{Type: model.BlockText, Text: fmt.Sprintf("[an image (%s) of %d bytes was left out: at most %d are shown]", b.MIMEType, len(b.Data), maxImageBytes)}
		case b.Type == model.BlockText:
			b.Text = Clip(b.Text, room)
			room = max(0, room-utf8.RuneCountInString(b.Text))
		}
		kept = append(kept, b)
	}
	r.Content = kept
}

// diagnosis is what the end of a text has in it that should not be cut off.
var diagnosis = regexp.MustCompile(`(?i)\b(error|exception|failed|failure|fatal|panic|traceback|denied|exit code|summary)\b|\(ended:`)

// diagnosisTail is how much of the end is looked at.
const diagnosisTail = 2000

// Clip cuts a text to a number of characters, or to 2000 if that is more, and says in it how many were left out. Where its
// end tells of an error, the end stays.
func Clip(text string, limit int) string {
	limit = max(limit, minResult)
	if len(text) <= limit { // it has no more characters than bytes
		return text
	}
	total := utf8.RuneCountInString(text)
	if total <= limit {
		return text
	}
	const notice = 80 // longer than any
	room := limit - notice
	tail := 0
	if diagnosis.MatchString(text[tailAt(text, diagnosisTail):]) {
		tail = room / 3
	}
	head := text[:lineEnd(text, headAt(text, room-tail))]
	end := ""
	if tail > 0 {
		end = text[lineStart(text, tailAt(text, tail)):]
	}
	omitted := total - utf8.RuneCountInString(head) - utf8.RuneCountInString(end)
	if end == "" {
		return fmt.Sprintf("%s\n[… %d more characters were left out]", strings.TrimSuffix(head, "\n"), omitted)
	}
	return fmt.Sprintf("%s\n[… %d characters were left out here …]\n%s", strings.TrimSuffix(head, "\n"), omitted, end)
}

// headAt is the byte behind the first n characters.
func headAt(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// tailAt is the byte where the last n characters begin.
func tailAt(s string, n int) int {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}

// lineSlack is how much shorter a piece may become so that it ends with a line.
const lineSlack = 200

// lineEnd moves a cut back to the end of a line, if one is near.
func lineEnd(s string, at int) int {
	if i := strings.LastIndexByte(s[max(0, at-lineSlack):at], '\n'); i >= 0 {
		return max(0, at-lineSlack) + i + 1
	}
	return at
}

// lineStart moves a cut on to the start of a line, if one is near.
func lineStart(s string, at int) int {
	if i := strings.IndexByte(s[at:min(len(s), at+lineSlack)], '\n'); i >= 0 {
		return at + i + 1
	}
	return at
}

package compaction

import (
	"unicode"

	"openclaw/runtime/model"
)

// Estimate counts tokens by characters.
type Estimate struct{}

// How many tokens the parts of a message have.
const (
	charsPerToken  = 4
	imageTokens    = 2000
	messageTokens  = 4 // around each message
	othersPerToken = 2 // characters beyond ASCII
)

// Text is about how many tokens a text has.
func (Estimate) Text(text string) int64 {
	var plain, wide, other int64
	for _, r := range text {
		switch {
		case r < unicode.MaxASCII:
			plain++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			wide++
		default:
			other++
		}
	}
	return wide + (plain+charsPerToken-1)/charsPerToken + (other+othersPerToken-1)/othersPerToken
}

// Message is about how many tokens a message has.
func (e Estimate) Message(m *model.Message) int64 {
	n := int64(messageTokens)
	for i := range m.Content {
		b := &m.Content[i]
		n += e.Text(b.Text) + e.Text(b.Thinking) + e.Text(b.Name) + e.Text(string(b.Arguments))
		if b.Type == model.BlockImage {
			n += imageTokens
		}
	}
	return n
}

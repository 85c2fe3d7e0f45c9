// Package tokens tells about how many tokens a text has, without a network and without a model's own tokenizer.
//
// A text is cut into pieces as byte-pair tokenizers do, and each piece into the longest tokens of a vocabulary that it begins with.
// The vocabulary is OpenAI's o200k_base; of it there are only fingerprints here, half a megabyte that needs no time to load. What
// is promised is the tokenizer's own count within 10 % for text of a few hundred tokens and more; the decision record on it says
// what was measured. Other tokenizers count otherwise: Scale says by how much, and learns it from what providers report.
package tokens

import (
	_ "embed"
	"math"

	"openclaw/runtime/model"
	"openclaw/runtime/tokens/internal/fingerprint"
)

//go:generate go run ./internal/vocabulary -o vocabulary.bin $OPENCLAW_VOCABULARY

//go:embed vocabulary.bin
var vocabularyFile string

var vocabulary = fingerprint.Open(vocabularyFile)

// What is counted for what is no text.
const (
	perMessage = 4
	perCall    = 8
	perImage   = 2000
)

// Count is about how many tokens a text has.
func Count(text string) int64 {
	n := int64(0)
	for i := 0; i < len(text); {
		end := i + piece(text, i)
		for i < end {
			i += vocabulary.Longest(text[i:end])
			n++
		}
	}
	return n
}

// Counter counts the tokens of texts and messages for a model. Its zero value counts as the vocabulary does.
type Counter struct{ Scale Scale }

// Text is about how many tokens a text has.
func (c Counter) Text(text string) int64 { return c.Scale.apply(Count(text)) }

// Message is about how many tokens a message has.
func (c Counter) Message(m *model.Message) int64 {
	text, fixed := int64(0), int64(perMessage)
	for i := range m.Content {
		b := &m.Content[i]
		text += Count(b.Text) + Count(b.Thinking)
		switch b.Type {
		case model.BlockToolCall:
			text += Count(b.Name) + Count(string(b.Arguments)) + Count(b.Malformed)
			fixed += perCall
		case model.BlockImage:
			fixed += perImage
		}
	}
	return c.Scale.apply(text) + fixed
}

// Request is about how many tokens a request has.
func (c Counter) Request(r *model.Request) int64 {
	n := c.Text(r.System) + c.Text(r.SystemVolatile)
	for i := range r.Messages {
		n += c.Message(&r.Messages[i])
	}
	for _, t := range r.Tools {
		n += c.Text(t.Name) + c.Text(t.Description) + c.Text(string(t.Parameters)) + perCall
	}
	return n
}

// Scale is how many tokens a model's tokenizer makes of a hundred of the vocabulary's. Its zero value is a hundred. Its JSON can be
// kept with a session.
type Scale struct {
	Ratio float64 `json:"ratio,omitempty"`
	Seen  int     `json:"seen,omitempty"` // answers that it was learned from, up to memory
}

// Bounds of what is learned.
const (
	leastRatio  = 0.5
	mostRatio   = 4
	memory      = 8   // answers that a ratio is the mean of, about
	leastToLeap = 200 // tokens: less says nothing
)

// claudeRatio is more than was measured with the one tokenizer of theirs that was ever published: too many tokens are better than
// too few, and the first answer corrects it.
const claudeRatio = 1.2

// ScaleOf is what is known of a model's tokenizer before it has answered.
func ScaleOf(api string) Scale {
	if api == "anthropic-messages" {
		return Scale{Ratio: claudeRatio}
	}
	return Scale{}
}

// Learn is the scale after a provider has said how many tokens a request had; counted is Request of it with the scale.
func (s Scale) Learn(counted, reported int64) Scale {
	if counted < leastToLeap || reported < leastToLeap {
		return s
	}
	seen := s.ratio() * float64(reported) / float64(counted)
	s.Seen = min(s.Seen+1, memory)
	ratio := s.ratio() + (seen-s.ratio())/float64(s.Seen)
	s.Ratio = min(max(ratio, leastRatio), mostRatio)
	return s
}

func (s Scale) ratio() float64 {
	if s.Ratio <= 0 {
		return 1
	}
	return s.Ratio
}

func (s Scale) apply(n int64) int64 { return int64(math.Ceil(float64(n) * s.ratio())) }

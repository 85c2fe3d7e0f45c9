package tools

import (
	"fmt"
	"unicode/utf8"

	"openclaw/runtime/model"
)

// elidedAfter is what is left of the budget when results are elided, in hundredths: several go at once, so that what a provider
// keeps of the conversation is not thrown away with each new result.
const elidedAfter = 60

// elided stands for a result that was taken out.
const elided = "[the result of this call, %d characters, was left out: newer results need the room. Call again if it is needed.]"

// Elide takes older results out of a conversation when all of them together are more than the limit. What it does to a message
// depends only on the messages up to the one after which the budget did not hold any more: a longer conversation with the same
// beginning is elided in the same places, byte for byte. The messages themselves are not changed.
func (l Limits) Elide(messages []model.Message) []model.Message {
	sizes := make([]int, len(messages))
	total, oldest, budget := 0, 0, l.Total()
	for i := range messages {
		if messages[i].Role != model.RoleToolResult {
			continue
		}
		sizes[i] = resultSize(&messages[i])
		total += sizes[i]
		if total <= budget {
			continue
		}
		for ; oldest < i && total > budget/100*elidedAfter; oldest++ { // the newest always stays
			total -= sizes[oldest]
		}
	}
	if oldest == 0 {
		return messages
	}
	out := make([]model.Message, len(messages))
	copy(out, messages)
	for i := range out[:oldest] {
		if marker := fmt.Sprintf(elided, sizes[i]); out[i].Role == model.RoleToolResult && sizes[i] > len(marker) {
			out[i].Content = []model.Block{{Type: model.BlockText, Text: marker}}
		}
	}
	return out
}

// imageSize is what an image counts for.
const imageSize = 2000 * charsPerToken

func resultSize(m *model.Message) int {
	n := 0
	for _, b := range m.Content {
		switch b.Type {
		case model.BlockText:
			n += utf8.RuneCountInString(b.Text)
		case model.BlockImage:
			n += imageSize
		}
	}
	return n
}

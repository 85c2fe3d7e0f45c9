package agent

import (
	"fmt"

	"openclaw/runtime/model"
	"openclaw/runtime/session"
	"openclaw/runtime/tools"
)

// maxKeptText is how many characters of an answer are kept that is too large for the transcript. As JSON they take six times as many
// bytes at most, which fits into an entry.
const maxKeptText = 512 << 10

const oversizeText = "Your last answer was too large to be kept (%d bytes, the most is %d), and none of its tool calls ran. " +
	"Do the same in several smaller steps."

// shorten makes an answer that is too large for the transcript small enough: its calls and its thinking go, and the end of its text. It
// tells how many bytes the answer had, 0 when nothing had to be done.
func shorten(answer *model.Message) (size int, err error) {
	e, err := messageEntry(*answer)
	if err != nil || len(e.Body) <= session.MaxEntryBytes {
		return 0, err
	}
	room := maxKeptText
	var kept []model.Block
	for _, b := range answer.Content {
		if b.Type != model.BlockText || b.Text == "" || room <= 0 {
			continue
		}
		text := tools.Clip(b.Text, room)
		room -= len(text)
		kept = append(kept, model.Block{Type: model.BlockText, Text: text})
	}
	answer.Content = kept
	return len(e.Body), nil
}

// oversize is what the model is told of an answer that had so many bytes.
func oversize(size int) string { return fmt.Sprintf(oversizeText, size, session.MaxEntryBytes) }

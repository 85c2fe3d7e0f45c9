package queue

import (
	"fmt"
	"strings"
)

// maxLine is how many characters are left of a message that was dropped.
const maxLine = 160

// collectTitle stands over messages that were gathered.
const collectTitle = "[Queued messages while agent was busy]"

// Prompt is what a model is told of messages that waited.
type Prompt struct {
	// IDs are the messages that are in it, with those of which a line is left.
	IDs  []string
	Text string
}

// compose puts messages behind what is left of those that were dropped.
func compose(waiting, items []Item) Prompt {
	var p Prompt
	var blocks []string
	for _, i := range waiting {
		if i.Dropped > 0 {
			p.IDs = append(p.IDs, i.ID)
		}
	}
	if s := summary(waiting); s != "" {
		blocks = append(blocks, s)
	}
	for _, i := range items {
		p.IDs = append(p.IDs, i.ID)
		blocks = append(blocks, i.Text)
	}
	p.Text = strings.Join(blocks, "\n\n")
	return p
}

// summary tells of the messages that were dropped.
func summary(waiting []Item) string {
	total := 0
	var lines strings.Builder
	for _, i := range waiting {
		if i.Dropped > 0 {
			total += i.Dropped
			lines.WriteString("\n- " + i.Text)
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("[Queue overflow: %s dropped]\nSummary:%s", count(total, "message"), lines.String())
}

// collected is the text of messages that were gathered.
func collected(waiting, items []Item) string {
	blocks := []string{collectTitle}
	if s := summary(waiting); s != "" {
		blocks = append(blocks, s)
	}
	for n, i := range items {
		head := fmt.Sprintf("---\nQueued #%d", n+1)
		if i.Sender != "" {
			head += " (from " + line(i.Sender) + ")"
		}
		blocks = append(blocks, head+"\n"+i.Text)
	}
	return strings.Join(blocks, "\n\n")
}

// line is a text in one line that is not too long.
func line(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxLine {
		return strings.TrimRight(string(r[:maxLine-1]), " ") + "…"
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

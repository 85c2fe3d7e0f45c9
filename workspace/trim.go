package workspace

import (
	"fmt"
	"strings"
)

// Shares of a limit when a file is cut, in percent. Only AGENTS.md has a digest: what it demands must not get lost in the middle.
const (
	headPercent = 75
	tailPercent = 25

	agentsHeadPercent   = 45
	agentsTailPercent   = 15
	agentsDigestPercent = 35
)

const (
	minContent = 16 // what a marker must leave of a limit, or else it is the short one
	rounds     = 3  // the length of a marker depends on the numbers in it, which depend on its length
)

// trim shortens a text that has no white space at its end to a limit: its beginning, a marker, its end.
func trim(name, text string, limit int, readable bool) string {
	total := Chars(text)
	if total <= limit {
		return text
	}
	m := marker{name: name, total: total, readable: readable}
	if name == FileAgents {
		if cut, ok := trimAgents(m, text, limit); ok {
			return cut
		}
	}
	m.short = limit-Chars(m.text(total, 0))-separators < minContent
	head, tail := 0, 0
	for range rounds {
		budget := max(0, limit-Chars(m.text(head, tail))-separators)
		h, t := budget*headPercent/100, budget*tailPercent/100
		if h == head && t == tail {
			break
		}
		head, tail = h, t
	}
	head = max(head, 1)
	for over := m.over(text, head, tail, limit); over > 0; over = m.over(text, head, tail, limit) {
		switch {
		case tail > 0:
			tail = max(0, tail-over)
		case head > 1:
			head = max(1, head-over)
		default:
			return cut(cut(text, head)+m.text(1, 0), limit) // the marker alone is more than the limit
		}
	}
	return m.join(text, head, tail)
}

// marker says in the text that something of it was left out.
type marker struct {
	name     string
	total    int
	readable bool
	short    bool
}

// separators are the line breaks that stand around a marker.
const separators = 2

func (m marker) text(head, tail int) string {
	if m.short {
		return fmt.Sprintf("[…truncated %d+%d/%d]", head, tail, m.total)
	}
	return fmt.Sprintf("\n[…truncated: %s]\n(%s: kept %d+%d of %d characters)\n", m.advice(), m.name, head, tail, m.total)
}

func (m marker) advice() string {
	if m.readable {
		return "read " + m.name + " for all of it"
	}
	return "the rest of " + m.name + " is not available here"
}

// join is the shortened text. A character that would be split is left out, so it may be a unit shorter than asked for.
func (m marker) join(text string, head, tail int) string {
	h, t := cut(text, head), cutLeft(text, tail)
	middle := m.text(Chars(h), Chars(t))
	if t == "" {
		return h + "\n" + strings.TrimRight(middle, "\n")
	}
	return h + "\n" + middle + "\n" + t
}

// over is how much the shortened text is too long.
func (m marker) over(text string, head, tail, limit int) int {
	return Chars(m.join(text, head, tail)) - limit
}

// trimAgents shortens AGENTS.md to its beginning, a digest of what its middle demands, and its end. It is not ok when the limit
// is too small for that.
func trimAgents(m marker, text string, limit int) (string, bool) {
	head, tail, room := limit*agentsHeadPercent/100, limit*agentsTailPercent/100, limit*agentsDigestPercent/100
	if limit-Chars(m.text(m.total, m.total))-separators-Chars(digestHead)-room < minContent {
		return "", false
	}
	d := newDigest(middle(text, head, tail))
	for {
		out := m.joinDigest(text, head, tail, d.text(room))
		over := Chars(out) - limit
		switch {
		case over <= 0:
			return out, true
		case tail > 0:
			tail = max(0, tail-over)
		case head > 1:
			head = max(1, head-over)
		case room > 0:
			room = max(0, room-over)
		default:
			return "", false
		}
	}
}

func (m marker) joinDigest(text string, head, tail int, digest string) string {
	h, t := cut(text, head), cutLeft(text, tail)
	return strings.TrimRight(h+"\n"+m.text(Chars(h), Chars(t))+digest+"\n"+t, "\n")
}

// middle is what lies between the beginning and the end of a text, in whole lines: one that is cut belongs to it.
func middle(text string, head, tail int) string {
	from, to := len(cut(text, head)), len(text)-len(cutLeft(text, tail))
	from = strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		to += end
	} else {
		to = len(text)
	}
	return text[from:to]
}

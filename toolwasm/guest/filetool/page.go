package filetool

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
)

// pageVariable is how the host tells how many bytes a page has.
const pageVariable = "OPENCLAW_PAGE"

// Bounds of a page.
const (
	defaultPage = 50 << 10
	leastPage   = 1 << 10
	mostPage    = 256 << 10
)

// pageBytes is how many bytes a tool shows in one answer.
func pageBytes(p *command.Proc) int {
	text, ok := p.Env.Get(pageVariable)
	if !ok {
		return defaultPage
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return defaultPage
	}
	return min(max(n, leastPage), mostPage)
}

// lister gathers lines until there are as many as are wanted, or a page is full.
type lister struct {
	text  strings.Builder
	limit int64 // lines
	bytes int
	lines int64
	full  bool // there was one more that had no room
	cut   bool // and it was the bytes that were too many
}

func newLister(p *command.Proc, limit int64) *lister {
	return &lister{limit: limit, bytes: pageBytes(p)}
}

// add reports whether the line had room.
func (l *lister) add(line string) bool {
	if l.lines == l.limit || l.text.Len()+len(line)+1 > l.bytes {
		l.full, l.cut = true, l.lines < l.limit
		return false
	}
	l.text.WriteString(line)
	l.text.WriteByte('\n')
	l.lines++
	return true
}

// troubles are what a search could not read. Only the first ones are told.
type troubles struct {
	first []string
	more  int
}

const maxTroubles = 5

func (t *troubles) add(name string, err error) {
	if len(t.first) == maxTroubles {
		t.more++
		return
	}
	t.first = append(t.first, fmt.Sprintf("[%s: %s]", name, reason(err)))
}

func (t *troubles) String() string {
	text := strings.Join(t.first, "\n")
	if t.more > 0 {
		text += fmt.Sprintf("\n[and %s that could not be read]", count(t.more, "other"))
	}
	return text
}

// maxLine is how many characters of a line a search shows.
const maxLine = 500

// shownLine is a line as a search shows it: valid, and not longer than maxLine.
func shownLine(b []byte) string {
	s := strings.ToValidUTF8(strings.TrimSuffix(string(b[:min(len(b), (maxLine+1)*utf8.UTFMax)]), "\r"), "\uFFFD")
	n := 0
	for i := range s {
		if n++; n > maxLine {
			return s[:i] + "…"
		}
	}
	return s
}

package tools

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"openclaw/toolwasm"
)

// A command's output that is too much for a result is cut in the middle, and all of it put into a file that read opens.
const (
	outputDir      = "/tmp/openclaw"
	maxOutputFiles = 20 // the oldest goes
	saveTimeout    = 30 * time.Second
	// maxOutputLines is how many lines of output are shown; a quarter of them from its beginning.
	maxOutputLines = 2000
	headShare      = 4
)

// outputFiles are the files with whole outputs in a session's /tmp.
type outputFiles struct {
	mu   sync.Mutex
	last int // the number of the newest
}

// foreground is the output of a command that has ended, as far as it fits.
func (s *Set) foreground(ctx context.Context, p *process, d *execDetails, note int) string {
	head, rest, gap := p.out.whole()
	text := strings.ToValidUTF8(string(head)+string(rest), "\uFFFD")
	if p.run != nil && p.run.Truncated {
		text += "\n(output truncated: it was more than is read of a command)"
	}
	room := s.room() - note
	lines := countLines(text)
	if lines <= maxOutputLines && (len(text) <= room || utf8.RuneCountInString(text) <= room) && gap == 0 {
		return text
	}
	d.Truncated = true
	where := ""
	if gap > 0 {
		head = fmt.Appendf(head, "\n[… %d bytes were not kept …]\n", gap)
	}
	name, err := s.save(ctx, bytes.Join([][]byte{head, rest}, nil))
	switch {
	case err != nil:
		where = fmt.Sprintf("the whole output could not be kept: %s", err)
	case gap > 0:
		d.OutputFile, where = name, fmt.Sprintf("the first and the last %d MiB of the output are in %s", maxWhole>>20, name)
	default:
		d.OutputFile, where = name, fmt.Sprintf("the whole output is in %s: read it, or search it with grep", name)
	}
	return cutMiddle(text, room, lines, gap, where)
}

// cutMiddle keeps the beginning and the end of a text.
func cutMiddle(text string, room, lines int, gap int64, where string) string {
	begin := text[:headAt(text, room/headShare)]
	begin = begin[:firstLines(begin, maxOutputLines/headShare)]
	begin = begin[:lineEnd(begin, len(begin))]
	end := text[max(len(begin), tailAt(text, room-room/headShare)):]
	end = end[lastLines(end, maxOutputLines-maxOutputLines/headShare):]
	if at := len(text) - len(end); at > 0 && text[at-1] != '\n' {
		end = end[lineStart(end, 0):]
	}
	left := fmt.Sprintf("%d of %d lines", lines-countLines(begin)-countLines(end), lines)
	if countLines(begin)+countLines(end) >= lines || gap > 0 {
		left = fmt.Sprintf("%d of %d bytes", int64(len(text)-len(begin)-len(end))+gap, int64(len(text))+gap)
	}
	if begin != "" && !strings.HasSuffix(begin, "\n") {
		begin += "\n"
	}
	return fmt.Sprintf("%s[… %s left out here; %s …]\n%s", begin, left, where, end)
}

// countLines counts lines; what is behind the last newline is one, too.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// firstLines is the length of the first n lines.
func firstLines(s string, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return len(s)
		}
		at += i + 1
	}
	return at
}

// lastLines is where the last n lines begin.
func lastLines(s string, n int) int {
	at := len(strings.TrimSuffix(s, "\n"))
	for ; n > 0; n-- {
		i := strings.LastIndexByte(s[:at], '\n')
		if i < 0 {
			return 0
		}
		at = i
	}
	return at + 1
}

// save writes an output into a file of the session's /tmp. It is the guest that does so, within what it was granted.
func (s *Set) save(ctx context.Context, output []byte) (name string, err error) {
	s.outputs.mu.Lock()
	s.outputs.last++
	n := s.outputs.last
	s.outputs.mu.Unlock()
	name = path.Join(outputDir, fmt.Sprintf("exec-%d.txt", n))
	old := path.Join(outputDir, fmt.Sprintf("exec-%d.txt", n-maxOutputFiles))
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	var complaint bytes.Buffer
	run, err := s.options.Toolbox.Exec(ctx, s.session.Session, toolwasm.Script{
		Text: `rm -f -- "$2"; mkdir -p "${1%/*}" && cat >"$1"`, Args: []string{name, old}, Dir: "/",
		Stdin: bytes.NewReader(output), Stderr: &complaint,
	})
	switch {
	case err != nil:
		return "", err
	case run.ExitCode != 0:
		return "", fmt.Errorf("%s", strings.TrimSpace(complaint.String()))
	}
	return name, nil
}

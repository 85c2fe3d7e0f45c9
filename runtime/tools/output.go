package tools

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// How much of a command's output is kept.
const (
	// maxAggregate is how many characters of the end of its output a command in the background keeps.
	maxAggregate = 200_000
	// maxPending is how many characters of each stream wait until they are asked for.
	maxPending = 30_000
	// maxWhole is how many bytes of the beginning, and of the end, a command in the foreground keeps.
	maxWhole = 1 << 20
)

// stream is one of the two that a command writes to.
type stream int

const (
	stdout stream = iota
	stderr
	streams
)

// output is what a command has written. It is safe for concurrent use.
type output struct {
	now func() time.Time

	mu    sync.Mutex
	more  chan struct{} // closed, and replaced, when something is written
	last  time.Time     // when something was written
	total int64         // bytes
	// What nobody has been shown yet, in the order in which it was written.
	pending []piece
	size    [streams]int // bytes of pending
	dropped int64        // bytes that pending had no room for
	// What there is of all the output.
	head []byte // the first maxWhole bytes, in the foreground
	tail []byte // the end
	lost int64  // bytes before the tail
	keep int    // bytes of the end that are kept
}

// piece is what one stream wrote in a row.
type piece struct {
	s stream
	b []byte
}

func newOutput(now func() time.Time) *output {
	return &output{now: now, last: now(), keep: maxWhole, more: make(chan struct{})}
}

// to is the writer of a stream. It never fails: what there is no room for is dropped from the beginning.
func (o *output) to(s stream) io.Writer { return streamWriter{o, s} }

type streamWriter struct {
	o *output
	s stream
}

// Write implements io.Writer.
func (w streamWriter) Write(b []byte) (int, error) {
	w.o.write(w.s, b)
	return len(b), nil
}

func (o *output) write(s stream, b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = o.now()
	if o.keep == maxWhole && len(o.head) < maxWhole {
		o.head = append(o.head, b[:min(len(b), maxWhole-len(o.head))]...)
	}
	o.total += int64(len(b))
	o.tail = append(o.tail, b...)
	if len(o.tail) > 2*o.keep { // now and then, so that it costs little
		o.cutTail(o.keep)
	}
	if last := len(o.pending) - 1; last >= 0 && o.pending[last].s == s {
		o.pending[last].b = append(o.pending[last].b, b...)
	} else {
		o.pending = append(o.pending, piece{s, bytes.Clone(b)})
	}
	if o.size[s] += len(b); o.size[s] > 2*maxPending*utf8.UTFMax {
		o.cutPending(s)
	}
	close(o.more)
	o.more = make(chan struct{})
}

// changed is closed when something is written after the call.
func (o *output) changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.more
}

func (o *output) cutTail(n int) {
	if over := len(o.tail) - n; over > 0 {
		o.lost += int64(over)
		o.tail = bytes.Clone(o.tail[over:])
	}
}

// cutPending drops the oldest of a stream that has too many characters.
func (o *output) cutPending(s stream) {
	if o.size[s] <= maxPending {
		return
	}
	over := -maxPending
	for _, p := range o.pending {
		if p.s == s {
			over += utf8.RuneCount(p.b)
		}
	}
	kept := o.pending[:0]
	for _, p := range o.pending {
		if p.s == s && over > 0 {
			chars, n := utf8.RuneCount(p.b), len(p.b)
			if chars > over {
				n = headAt(string(p.b), over)
			}
			over -= chars
			o.size[s] -= n
			o.dropped += int64(n)
			p.b = p.b[n:]
		}
		if len(p.b) > 0 {
			kept = append(kept, p)
		}
	}
	o.pending = kept
}

// background gives up what only a command in the foreground keeps.
func (o *output) background() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.head, o.keep = nil, maxAggregate*utf8.UTFMax
}

// shown is what was taken from the pending output.
type shown struct {
	text    string
	dropped int64 // bytes before it that there was no room for
	waiting int   // bytes that are still pending
}

// drain takes what is pending, the oldest first, up to a number of characters. ended tells that nothing more will be written;
// until then half a character at the end stays.
func (o *output) drain(limit int, ended bool) shown {
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range streams {
		o.cutPending(s)
	}
	out := shown{dropped: o.dropped}
	o.dropped = 0
	var text strings.Builder
	for limit > 0 && len(o.pending) > 0 {
		p := &o.pending[0]
		n := headAt(string(p.b), limit)
		if n == len(p.b) && len(o.pending) == 1 && !ended {
			n = wholeRunes(p.b)
		}
		if n == 0 {
			break
		}
		limit -= utf8.RuneCount(p.b[:n])
		text.Write(p.b[:n])
		o.size[p.s] -= n
		if p.b = p.b[n:]; len(p.b) == 0 {
			o.pending = o.pending[1:]
		}
	}
	out.text = strings.ToValidUTF8(text.String(), "\uFFFD")
	out.waiting = o.size[stdout] + o.size[stderr]
	return out
}

// wholeRunes is the length of b without the beginning of a character at its end.
func wholeRunes(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if at := len(b) - n; utf8.RuneStart(b[at]) {
			if utf8.FullRune(b[at:]) {
				break
			}
			return at
		}
	}
	return len(b)
}

// delivered tells whether everything has been shown to somebody.
func (o *output) delivered() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size[stdout]+o.size[stderr] == 0
}

// whole is all of the output. When it was too much, gap bytes are missing between the two parts.
func (o *output) whole() (head, rest []byte, gap int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost == 0 {
		return nil, bytes.Clone(o.tail), 0
	}
	return bytes.Clone(o.head), bytes.Clone(o.tail), o.lost - int64(len(o.head))
}

// log is the end of the output, as much as is kept of it, and how many bytes there were before.
func (o *output) log() (text string, lost int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := tailAt(string(o.tail), maxAggregate)
	return strings.ToValidUTF8(string(o.tail[at:]), "\uFFFD"), o.lost + int64(at)
}

// settle gives up what is more than a command that has ended keeps.
func (o *output) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cutTail(len(o.tail) - tailAt(string(o.tail), maxAggregate))
}

// since is what was written after the first at bytes, as far as it is kept, and how many bytes there are now.
func (o *output) since(at int64) (text string, total int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	from := max(0, at-o.lost)
	return strings.ToValidUTF8(string(o.tail[from:]), "\uFFFD"), o.total
}

// retained is how many bytes are kept.
func (o *output) retained() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.tail) + o.size[stdout] + o.size[stderr]
}

// idle is how long nothing has been written.
func (o *output) idle() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now().Sub(o.last)
}

// touch counts as output for idle: somebody gave the command something to do.
func (o *output) touch() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = o.now()
}

package directive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Filter takes the tokens out of an answer that comes in pieces. Each answer needs one of its own.
type Filter struct {
	silent silentFilter
	ok     okFilter
}

// NewFilter returns a filter for an answer. After a heartbeat an answer that has little beside HEARTBEAT_OK is not shown at all.
func NewFilter(heartbeat bool) *Filter { return &Filter{ok: okFilter{heartbeat: heartbeat}} }

// Write takes a piece of the answer, which ends with a whole character, and returns what can be shown now.
func (f *Filter) Write(piece string) string {
	if piece = f.silent.write(piece); piece == "" {
		return ""
	}
	return f.ok.write(piece)
}

// Close ends the answer and returns what was held back and is to be shown.
func (f *Filter) Close() string {
	shown := ""
	if rest := f.silent.close(); rest != "" {
		shown = f.ok.write(rest)
	}
	return shown + f.ok.close()
}

// pending is what a filter holds back.
type pending struct {
	held  string
	begun bool // something was let through
	last  rune // the last character of it
}

// release lets a part of what is held through.
func (p *pending) release(n int) string {
	shown := p.held[:n]
	p.held = p.held[n:]
	if shown != "" {
		p.last, _ = utf8.DecodeLastRuneInString(shown)
	}
	return shown
}

// rest is what is let through at the end, of what is held up to a place.
func (p *pending) rest(n int) string {
	shown := strings.TrimRightFunc(p.held[:n], unicode.IsSpace)
	p.held = ""
	return shown
}

type silentFilter struct{ pending }

func (f *silentFilter) write(piece string) string {
	f.held += piece
	if !f.begun {
		if may, _ := silence(f.held); may {
			return ""
		}
		f.begin()
	}
	_, n := silentEnd(f.held, f.last)
	return f.release(n)
}

func (f *silentFilter) begin() {
	f.begun, f.last = true, ' '
	f.held = unglued(f.held)
}

func (f *silentFilter) close() string {
	if !f.begun {
		if Silent(f.held) {
			return ""
		}
		f.begin()
	}
	n, _ := silentEnd(f.held, f.last)
	return f.rest(n)
}

type okFilter struct {
	pending
	heartbeat bool
}

func (f *okFilter) write(piece string) string {
	f.held += piece
	if f.begun {
		_, n := okEnd(f.held, f.last)
		return f.release(n)
	}
	begin := okBegin(f.held)
	if rest := f.held[begin:]; rest == "" || okMayBegin(rest) {
		return ""
	}
	_, n := okEnd(f.held[begin:], ' ')
	if f.heartbeat && units(f.held[begin:begin+n]) <= HeartbeatRest {
		return ""
	}
	f.begun, f.last = true, ' '
	f.held = f.held[begin:]
	return f.release(n)
}

func (f *okFilter) close() string {
	if !f.begun {
		shown := CleanHeartbeat(f.held, f.heartbeat)
		f.held = ""
		return shown
	}
	n, _ := okEnd(f.held, f.last)
	return f.rest(n)
}

// units is the length of a text in UTF-16 units.
func units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

package sed

import (
	"bytes"
	"fmt"
	"io"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// inputBuffer is how much is read at once.
const inputBuffer = 64 << 10

// lineReader splits a stream into lines.
type lineReader struct {
	r          io.Reader
	buf        []byte
	start, end int
	eof        bool
	delim      byte
	err        error
}

func newLineReader(r io.Reader, delim byte) *lineReader {
	return &lineReader{r: r, delim: delim}
}

// fill reads more. It reports false at the end.
func (l *lineReader) fill() bool {
	if l.eof {
		return false
	}
	if l.buf == nil {
		l.buf = make([]byte, inputBuffer)
	}
	if l.start == l.end {
		l.start, l.end = 0, 0
	}
	if l.end == len(l.buf) {
		if l.start > 0 {
			copy(l.buf, l.buf[l.start:l.end])
		} else {
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		l.end -= l.start
		l.start = 0
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
	return n > 0 || !l.eof
}

// more reports whether another line follows.
func (l *lineReader) more() bool {
	for l.start == l.end {
		if !l.fill() {
			return false
		}
	}
	return true
}

// next returns the next line, valid until the next call, and whether it had its terminator.
func (l *lineReader) next() (line []byte, terminated, ok bool) {
	scanned := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+scanned:l.end], l.delim); i >= 0 {
			line = l.buf[l.start : l.start+scanned+i]
			l.start += scanned + i + 1
			return line, true, true
		}
		scanned = l.end - l.start
		if l.fill() {
			continue
		}
		if l.start == l.end {
			return nil, false, false
		}
		line = l.buf[l.start:l.end]
		l.start = l.end
		return line, false, true
	}
}

// block returns the lines that have been read, at least one, valid until the next call. Only the last line of a file may be
// without its terminator; then it comes alone.
func (l *lineReader) block() (lines []byte, terminated, ok bool) {
	scanned := 0
	for {
		if i := bytes.LastIndexByte(l.buf[l.start+scanned:l.end], l.delim); i >= 0 {
			lines = l.buf[l.start : l.start+scanned+i]
			l.start += scanned + i + 1
			return lines, true, true
		}
		scanned = l.end - l.start
		if !l.fill() {
			break
		}
	}
	lines, l.start = l.buf[l.start:l.end], l.end
	return lines, false, len(lines) > 0
}

// input is the sequence of files that are edited.
type input struct {
	m      *machine
	files  []string
	at     int // next file
	cur    *lineReader
	name   string
	file   command.File
	line   int  // number of the last line that was read
	failed bool // a file could not be read
	place  *inPlace
}

// open goes on to the next file that can be read. It reports false when there is none.
func (in *input) open() bool {
	for in.at < len(in.files) {
		name := in.files[in.at]
		in.at++
		if in.openFile(name) {
			return true
		}
	}
	return false
}

func (in *input) openFile(name string) bool {
	m := in.m
	var f command.File
	var err error
	if name == "-" && m.opts.inPlace {
		m.p.Errorf("couldn't edit -: not a regular file")
		in.failed = true
		return false
	}
	f, err = m.p.OpenArg(name)
	if err != nil {
		m.p.Errorf("can't read %s: %s", name, sys.Strerror(err))
		in.failed = true
		return false
	}
	if m.opts.inPlace {
		in.place, err = m.beginInPlace(name)
		if err != nil {
			f.Close()
			m.fatal(err)
		}
	}
	in.file, in.name = f, name
	in.cur = newLineReader(f, m.delim)
	if m.opts.separate {
		in.line = 0
		m.resetRanges()
	}
	return true
}

// finish closes the current file; an edited one takes its place.
func (in *input) finish() {
	if in.cur == nil {
		return
	}
	if err := in.cur.err; err != nil {
		name := in.name
		in.file.Close()
		in.m.fatal(fmt.Errorf("read error on %s: %s", name, sys.Strerror(err)))
	}
	in.file.Close()
	in.cur = nil
	if in.place != nil {
		pl := in.place
		in.place = nil
		if err := pl.commit(); err != nil {
			in.m.fatal(err)
		}
	}
}

// last reports whether no line follows: in this file when files are separate, else in any.
func (in *input) last() bool {
	for {
		if in.cur != nil {
			if in.cur.more() {
				return false
			}
			if in.m.opts.separate {
				return true
			}
			in.finish()
		}
		if !in.open() {
			return true
		}
	}
}

// read puts the next line into s. It reports false at the end of all input.
func (in *input) read(s *space) bool {
	for {
		if in.cur == nil && !in.open() {
			return false
		}
		line, terminated, ok := in.cur.next()
		if !ok {
			in.finish()
			continue
		}
		s.b = append(s.b, line...)
		s.terminated = terminated
		in.line++
		return true
	}
}

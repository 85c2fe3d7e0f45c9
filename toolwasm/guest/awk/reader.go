package awk

import (
	"io"
	"strings"
)

const (
	chunkSize = 64 << 10
	// maxEmptyReads bounds how often a reader may return nothing before it counts as broken.
	maxEmptyReads = 100
)

// recordReader cuts a stream into records.
//
// What it has read is never written over: records are substrings of it. A full buffer is left to the records that
// refer to it, and a new one made, so that a record costs no allocation.
type recordReader struct {
	src   io.Reader
	buf   []byte // everything read and not yet given out is buf[start:]
	start int
	eof   bool
	err   error
	match []int
	// skipped says that the newlines before the first paragraph have been skipped.
	skipped bool
	// searched is how much of buf[start:] is known not to end the record.
	searched int
}

func newRecordReader(src io.Reader) *recordReader { return &recordReader{src: src} }

// fill reads more. It returns false at the end.
func (r *recordReader) fill() bool {
	if r.eof {
		return false
	}
	if len(r.buf) == cap(r.buf) {
		rest := len(r.buf) - r.start
		size := chunkSize
		for size < rest*2 {
			size *= 2
		}
		buf := make([]byte, rest, size)
		copy(buf, r.buf[r.start:])
		r.buf, r.start = buf, 0
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if err != nil {
			r.eof = true
			if err != io.EOF {
				r.err = err
			}
			return n > 0
		}
		if n > 0 {
			return true
		}
	}
	r.eof, r.err = true, io.ErrNoProgress
	return false
}

// rest is what has been read and not given out.
func (r *recordReader) rest() string { return stringOf(r.buf[r.start:]) }

// take gives out a record of n bytes that is followed by a terminator of t bytes.
func (r *recordReader) take(n, t int) (rec, term string) {
	s := r.rest()
	r.start += n + t
	r.searched = 0
	return s[:n], s[n : n+t]
}

// last gives out what is left at the end of the stream.
func (r *recordReader) last() (rec, term string, ok bool) {
	if r.start == len(r.buf) {
		return "", "", false
	}
	rec, term = r.take(len(r.buf)-r.start, 0)
	return rec, term, true
}

// read returns the next record and what ended it.
func (r *recordReader) read(in *interp) (rec, term string, ok bool) {
	switch {
	case in.rs == "\n":
		return r.readByte('\n')
	case in.rs == "":
		return r.readParagraph()
	case len(in.rs) == 1 && !in.ignoreCase:
		return r.readByte(in.rs[0])
	}
	return r.readRegexp(in)
}

func (r *recordReader) readByte(sep byte) (rec, term string, ok bool) {
	for {
		if i := strings.IndexByte(r.rest()[r.searched:], sep); i >= 0 {
			rec, term = r.take(r.searched+i, 1)
			return rec, term, true
		}
		r.searched = len(r.buf) - r.start
		if !r.fill() {
			return r.last()
		}
	}
}

// readParagraph reads records that blank lines separate; newlines at the start of the stream do not count.
func (r *recordReader) readParagraph() (rec, term string, ok bool) {
	for !r.skipped {
		for r.start < len(r.buf) && r.buf[r.start] == '\n' {
			r.start++
		}
		r.skipped = r.start < len(r.buf) || !r.fill()
	}
	for {
		s := r.rest()
		from := max(0, r.searched-1)
		if i := strings.Index(s[from:], "\n\n"); i >= 0 {
			i += from
			end := i
			for end < len(s) && s[end] == '\n' {
				end++
			}
			if end < len(s) || r.eof {
				rec, term = r.take(i, end-i)
				return rec, term, true
			}
			r.searched = i
		} else {
			r.searched = len(s)
		}
		if r.fill() {
			continue
		}
		s = r.rest()
		if i := strings.IndexByte(s, '\n'); i >= 0 && strings.Trim(s[i:], "\n") == "" {
			rec, term = r.take(i, len(s)-i)
			return rec, term, true
		}
		if strings.Contains(s, "\n\n") {
			continue // the newlines reach to the end of the stream
		}
		if strings.HasSuffix(s, "\n") {
			rec, term = r.take(len(s)-1, 1)
			return rec, term, true
		}
		return r.last()
	}
}

// readRegexp reads records that matches of RS separate. A match that reaches to the end of what has been read may be longer.
func (r *recordReader) readRegexp(in *interp) (rec, term string, ok bool) {
	re := in.compileRegexp(in.rs)
	for {
		s := r.rest()
		if loc := r.separator(re, s); loc != nil && (loc[1] < len(s) || r.eof) {
			rec, term = r.take(loc[0], loc[1]-loc[0])
			return rec, term, true
		}
		if r.fill() {
			continue
		}
		s = r.rest()
		if loc := r.separator(re, s); loc != nil {
			rec, term = r.take(loc[0], loc[1]-loc[0])
			return rec, term, true
		}
		// A newline at the very end of the input belongs to the text, not to the record.
		return r.last()
	}
}

// separator finds the first match that is not empty.
func (r *recordReader) separator(re *regexp, s string) []int {
	for from := 0; from < len(s); {
		r.match = re.find(r.match, s, from)
		if r.match == nil {
			return nil
		}
		if r.match[1] > r.match[0] {
			return r.match
		}
		from = r.match[1] + 1
	}
	return nil
}

// Package lines reads records that end with a delimiter, one slice at a time and without
// copying: what the text commands loop over.
package lines

import (
	"bytes"
	"io"

	"openclaw/toolwasm/guest/command"
)

const (
	firstBuffer = 8 << 10
	// fullBuffer is what a pipe holds: larger reads gain nothing.
	fullBuffer = 64 << 10
)

// Reader splits a stream into records.
type Reader struct {
	p          *command.Proc
	r          io.Reader
	buf        []byte
	pos, end   int
	delim      byte
	eof        bool
	terminated bool
	err        error
}

// New returns a Reader of the records of r, which end with delim. It yields for p while it reads.
func New(p *command.Proc, r io.Reader, delim byte) *Reader {
	return &Reader{p: p, r: r, delim: delim}
}

// Next returns the next record without its delimiter. The slice is valid until the next call.
func (r *Reader) Next() (line []byte, ok bool) {
	scanned := r.pos
	for {
		if i := bytes.IndexByte(r.buf[scanned:r.end], r.delim); i >= 0 {
			line = r.buf[r.pos : scanned+i]
			r.pos = scanned + i + 1
			r.terminated = true
			return line, true
		}
		if r.eof {
			line = r.buf[r.pos:r.end]
			r.pos = r.end
			r.terminated = false
			return line, len(line) > 0
		}
		scanned = r.end - r.pos
		r.fill()
	}
}

// NextBlock returns as many whole records as there are in the buffer, with their delimiters; only the last one of a
// stream may lack its own. The slice is valid until the next call. It is for loops that a call per record would slow down.
func (r *Reader) NextBlock() (block []byte, ok bool) {
	scanned := r.pos
	for {
		if i := bytes.LastIndexByte(r.buf[scanned:r.end], r.delim); i >= 0 {
			block = r.buf[r.pos : scanned+i+1]
			r.pos = scanned + i + 1
			r.terminated = true
			return block, true
		}
		if r.eof {
			block = r.buf[r.pos:r.end]
			r.pos = r.end
			r.terminated = false
			return block, len(block) > 0
		}
		scanned = r.end - r.pos
		r.fill()
	}
}

// fill moves what is left to the front and reads more behind it.
func (r *Reader) fill() {
	left := r.end - r.pos
	switch {
	case r.buf == nil:
		r.buf = make([]byte, firstBuffer)
	case r.end == len(r.buf) && (left > len(r.buf)/2 || len(r.buf) < fullBuffer):
		grown := make([]byte, max(2*len(r.buf), fullBuffer))
		copy(grown, r.buf[r.pos:r.end])
		r.buf = grown
	default:
		copy(r.buf, r.buf[r.pos:r.end])
	}
	r.pos, r.end = 0, left
	r.p.Yield()
	n, err := r.r.Read(r.buf[left:])
	r.end += n
	if err == nil {
		return
	}
	r.eof = true
	if err != io.EOF {
		r.err = err
	}
}

// Terminated reports whether the record that Next returned last ended with the delimiter.
func (r *Reader) Terminated() bool { return r.terminated }

// Err returns the error that ended reading, if it was not the end of the file.
func (r *Reader) Err() error { return r.err }

// Buffered returns the bytes that have been read and not been returned.
func (r *Reader) Buffered() []byte { return r.buf[r.pos:r.end] }

package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errEnd is the proper end of a stream: the server has closed it.
var errEnd = errors.New("end of stream")

// errBroken is a connection that ended in the middle of a response.
var errBroken = errors.New("the connection broke")

// events reads server-sent events, or lines of JSON. Names of events are not looked at: in every protocol the data say what they are.
type events struct {
	r      *bufio.Reader
	ndjson bool
	alive  func() // called for each line
	data   []byte // of the event that is being read
	total  int64
	begun  bool
}

const readBuffer = 16 << 10

func newEvents(r io.Reader, ndjson bool) *events {
	return &events{r: bufio.NewReaderSize(r, readBuffer), ndjson: ndjson, alive: func() {}}
}

// next is the data of the next event. They are valid until the call after.
func (e *events) next() ([]byte, error) {
	e.data = e.data[:0]
	seen := false
	for {
		line, err := e.line(len(e.data))
		if err != nil {
			// What a stream ends with, without an empty line, is an event nevertheless: some servers end so.
			if errors.Is(err, errEnd) && seen {
				return e.data, nil
			}
			return nil, err
		}
		e.alive()
		if e.ndjson {
			if len(bytes.TrimSpace(line)) > 0 {
				e.data = append(e.data, line...)
				return e.data, nil
			}
			continue
		}
		if len(line) == 0 {
			if seen {
				return e.data, nil
			}
			continue
		}
		if value, ok := field(line, "data"); ok {
			if seen {
				e.data = append(e.data, '\n')
			}
			e.data, seen = append(e.data, value...), true
		}
	}
}

// field is the value of a line's field.
func field(line []byte, name string) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(name))
	if !ok || len(rest) == 0 {
		return nil, ok
	}
	if rest[0] != ':' {
		return nil, false
	}
	return bytes.TrimPrefix(rest[1:], []byte(" ")), true
}

// line is the next line without its end. held is how much of the event has been read before.
func (e *events) line(held int) ([]byte, error) {
	var long []byte // of a line that does not fit into the buffer
	for {
		part, err := e.r.ReadSlice('\n')
		e.total += int64(len(part))
		if e.total > MaxStreamBytes || held+len(long)+len(part) > MaxEventBytes {
			return nil, ErrTooLarge
		}
		if err == nil && long == nil {
			return e.clean(part), nil
		}
		long = append(long, part...)
		switch {
		case err == nil:
			return e.clean(long), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if len(long) > 0 {
				return e.clean(long), nil // the next call meets the end again
			}
			return nil, errEnd
		default:
			return nil, fmt.Errorf("%w: %w", errBroken, err)
		}
	}
}

// clean takes a line's end away, and the mark that a stream may begin with.
func (e *events) clean(line []byte) []byte {
	if !e.begun {
		e.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

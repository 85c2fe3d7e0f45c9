package jq

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// inputs gives the inputs of a program: the values of its files, or their lines, one after the other.
type inputs struct {
	p     *command.Proc
	opts  *options
	files []string
	name  string // of the current file; "" for standard input

	file   command.File
	dec    *decoder
	lines  *bufio.Reader
	count  int // lines read, of raw text or when the file is closed
	failed bool
	done   bool

	need    *need  // what the program looks at in an input
	copying *style // of the copies that copied returns; nil if there are none

	// events are what is left of a value that --stream has taken apart.
	events []any
}

// line is how many lines have been read: the one that the last input ends in is read as a whole, if it has an end.
func (in *inputs) line() int {
	if in.dec != nil {
		return in.dec.linesRead()
	}
	return in.count
}

// copied is the text of the last input, if it was copied.
func (in *inputs) copied() ([]byte, bool) {
	if in.dec == nil {
		return nil, false
	}
	return in.dec.text, in.dec.copied
}

// next returns the next input, or io.EOF.
func (in *inputs) next() (any, error) {
	switch {
	case in.opts.raw && in.opts.slurp:
		return in.slurpRaw()
	case in.opts.slurp:
		return in.slurpValues()
	}
	return in.one()
}

func (in *inputs) one() (any, error) {
	for {
		if len(in.events) > 0 {
			v := in.events[0]
			in.events = in.events[1:]
			return v, nil
		}
		if in.dec == nil && in.lines == nil && !in.open() {
			return nil, io.EOF
		}
		v, err := in.read()
		switch {
		case err == nil && in.opts.stream && !in.opts.raw:
			in.events = streamEvents(nil, nil, v)
		case err == nil:
			return v, nil
		case err == io.EOF:
			in.close()
		default:
			// What is left of a stream that is no JSON cannot be made sense of.
			in.close()
			return nil, err
		}
	}
}

func (in *inputs) read() (any, error) {
	if in.lines == nil {
		return in.dec.next()
	}
	s, err := in.lines.ReadString('\n')
	if err != nil && s == "" {
		return nil, err
	}
	if strings.HasSuffix(s, "\n") {
		in.count++
	}
	return strings.ToValidUTF8(strings.TrimSuffix(s, "\n"), "\uFFFD"), nil
}

// open opens the next file; false when there is none left.
func (in *inputs) open() bool {
	for !in.done {
		var src io.Reader
		switch {
		case len(in.files) == 0:
			in.done = true
			if in.name != "" || in.failed || in.opts.hadFiles {
				return false
			}
			src = in.stdin()
		default:
			name := in.files[0]
			in.files = in.files[1:]
			in.name = name
			if name == "-" {
				src = in.stdin()
				in.name = ""
				break
			}
			f, err := in.openFile(name)
			if err != nil {
				in.p.Errorf("error: Could not open %s: %s", name, sys.Strerror(err))
				in.failed = true
				continue
			}
			in.file, src = f, f
		}
		in.count = 0
		if in.opts.raw {
			in.lines = bufio.NewReaderSize(src, readSize)
		} else {
			in.dec = newDecoder(src)
			in.dec.need, in.dec.copying = in.need, in.copying
		}
		return true
	}
	return false
}

func (in *inputs) openFile(name string) (command.File, error) {
	info, err := in.p.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, complain("Is a directory")
	}
	return in.p.Open(name)
}

func (in *inputs) stdin() io.Reader {
	if in.p.Stdin == nil {
		return strings.NewReader("")
	}
	return in.p.Stdin
}

func (in *inputs) close() {
	in.count = in.line()
	if in.file != nil {
		_ = in.file.Close()
	}
	in.file, in.dec, in.lines = nil, nil, nil
}

// slurpValues returns all inputs as one array, once.
func (in *inputs) slurpValues() (any, error) {
	if in.done {
		return nil, io.EOF
	}
	var items []any
	for {
		v, err := in.one()
		if err == io.EOF {
			in.done = true
			return newArray(items), nil
		}
		if err != nil {
			in.done = true
			return nil, err
		}
		items = append(items, v)
	}
}

// slurpRaw returns all text as one string, once.
func (in *inputs) slurpRaw() (any, error) {
	if in.done && in.lines == nil {
		return nil, io.EOF
	}
	var b strings.Builder
	for in.lines != nil || in.open() {
		if _, err := io.Copy(&b, in.lines); err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		in.close()
	}
	in.done = true
	return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
}

// streamEvents takes a value apart: [path, leaf] for each leaf, and [path] where an array or object ends.
func streamEvents(dst, at []any, v any) []any {
	event := func(parts ...any) any { return newArray(parts) }
	keyPath := func(k any) []any { return append(at[:len(at):len(at)], k) }
	var last any
	switch v := v.(type) {
	case *array:
		if len(v.items) == 0 {
			return append(dst, event(newArray(at), v))
		}
		for i, x := range v.items {
			dst = streamEvents(dst, keyPath(float64(i)), x)
		}
		last = float64(len(v.items) - 1)
	case *object:
		if len(v.keys) == 0 {
			return append(dst, event(newArray(at), v))
		}
		for i, k := range v.keys {
			dst = streamEvents(dst, keyPath(k), v.vals[i])
		}
		last = v.keys[len(v.keys)-1]
	default:
		return append(dst, event(newArray(at), v))
	}
	return append(dst, event(newArray(keyPath(last))))
}

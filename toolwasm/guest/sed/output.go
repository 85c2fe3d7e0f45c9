package sed

import (
	"bufio"
	"fmt"
	"io"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// outputBuffer is the size of the buffer of a file that is written.
const outputBuffer = 32 << 10

// output is a file that lines go to. A line that lacks its newline gets it when something follows.
type output struct {
	w       *bufio.Writer
	c       io.Closer
	missing bool
	flush   bool // after each line
}

// outputs are the files that a script writes, by name.
type outputs struct {
	p      *command.Proc
	opts   *options
	byName map[string]*output
	stdout *output
}

func newOutputs(p *command.Proc, o *options) *outputs {
	return &outputs{p: p, opts: o, byName: map[string]*output{}, stdout: &output{w: p.Out(), flush: o.unbuffered}}
}

func (o *outputs) open(name string) (*output, error) {
	switch name {
	case "/dev/stdout":
		// What w writes shares the buffer of standard output, but not the memory of a missing newline.
		if out, ok := o.byName[name]; ok {
			return out, nil
		}
		out := &output{w: o.p.Out(), flush: o.opts.unbuffered}
		o.byName[name] = out
		return out, nil
	case "/dev/stderr":
		// Standard error is not buffered.
		if out, ok := o.byName[name]; ok {
			return out, nil
		}
		out := &output{w: bufio.NewWriterSize(o.p.Stderr, outputBuffer), flush: true}
		o.byName[name] = out
		return out, nil
	}
	if out, ok := o.byName[name]; ok {
		return out, nil
	}
	f, err := o.p.Create(name)
	if err != nil {
		return nil, fmt.Errorf("couldn't open file %s: %s", name, sys.Strerror(err))
	}
	// What w writes can be read by r in the same script, so each line is written at once.
	out := &output{w: bufio.NewWriterSize(f, outputBuffer), c: f, flush: true}
	o.byName[name] = out
	return out, nil
}

// close closes the files and reports the first error.
func (o *outputs) close() (err error) {
	for _, out := range o.byName {
		if e := out.close(); err == nil {
			err = e
		}
	}
	clear(o.byName)
	return err
}

func (o *output) close() error {
	err := o.w.Flush()
	if o.c == nil {
		return err
	}
	if e := o.c.Close(); err == nil {
		err = e
	}
	o.c = nil
	return err
}

// line writes a line with its terminator, unless that was missing in the input.
func (o *output) line(b []byte, end byte, terminated bool) {
	if o.missing {
		o.complete(end)
	}
	_, _ = o.w.Write(b)
	if terminated {
		_ = o.w.WriteByte(end)
	} else {
		o.missing = true
	}
	if o.flush {
		_ = o.w.Flush()
	}
}

// raw writes bytes as they are, after the newline that may still be missing.
func (o *output) raw(b []byte, end byte) {
	o.complete(end)
	_, _ = o.w.Write(b)
	if o.flush {
		_ = o.w.Flush()
	}
}

// text writes the text of i or c, whose last newline is the end of a line.
func (o *output) text(b []byte, end byte) {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		o.line(b[:n-1], end, true)
		return
	}
	o.raw(b, end)
}

// complete writes the newline that the last line lacks.
func (o *output) complete(end byte) {
	if o.missing {
		_ = o.w.WriteByte(end)
		o.missing = false
	}
}

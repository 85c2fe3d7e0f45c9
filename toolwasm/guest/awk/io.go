package awk

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/sys"
)

// outputBuffer is the size of the buffer of a file or command that is printed to.
const outputBuffer = 16 << 10

// streams are the files and commands that the program has opened, by name.
type streams struct {
	in    *interp
	input *recordReader // standard input, shared by all who read it
	open  []*stream     // in the order of opening
}

// stream is a file or command that the program reads or writes.
type stream struct {
	name   string
	way    string // as written: > >> | < |&, and "|<" for cmd | getline
	out    *bufio.Writer
	direct bool // flush after each print
	in     *recordReader
	file   io.Closer
	toCmd  *pipe.Writer
	child  *child
	failed bool
}

// child is a command that runs beside the program.
type child struct {
	done   chan struct{}
	status int
	cancel context.CancelCauseFunc
}

const sigterm = 15

func (s *streams) stdin() *recordReader {
	if s.input == nil {
		if s.in.p.Stdin == nil {
			s.input = newRecordReader(strings.NewReader(""))
		} else {
			s.input = newRecordReader(s.in.p.Stdin)
		}
	}
	return s.input
}

func (s *streams) find(name, way string) *stream {
	for _, o := range s.open {
		if o.name == name && o.way == way {
			return o
		}
	}
	return nil
}

// writer returns what print and printf write to, opening it at first use.
func (s *streams) writer(name, way string) *stream {
	o := s.find(name, way)
	if o == nil && way == ">>" {
		o = s.find(name, ">")
	}
	if o == nil && way == ">" {
		o = s.find(name, ">>")
	}
	if o != nil {
		return o
	}
	if name == "" {
		s.in.fatal("expression for `%s' redirection has null string value", way)
	}
	o = &stream{name: strings.Clone(name), way: way}
	switch way {
	case "|":
		s.startWriter(o)
	case "|&":
		s.startBoth(o)
	default:
		s.openWriter(o)
	}
	s.open = append(s.open, o)
	return o
}

func (s *streams) openWriter(o *stream) {
	switch o.name {
	case "/dev/stdout", "-":
		o.out = s.in.p.Out()
		return
	case "/dev/stderr":
		_ = s.in.p.Flush()
		o.out, o.direct = bufio.NewWriterSize(s.in.p.Stderr, outputBuffer), true
		return
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if o.way == ">>" {
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	f, err := s.in.p.OpenFile(o.name, flag, 0o666)
	if err != nil {
		s.in.fatal("cannot redirect to `%s': %s", o.name, sys.Strerror(err))
	}
	o.file, o.out = f, bufio.NewWriterSize(f, outputBuffer)
}

// spawn runs a shell command beside the program.
func (s *streams) spawn(cmd string, spec command.Spec, after func()) *child {
	p := s.in.p
	s.flushAll()
	parent := p.Ctx
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithCancelCause(parent)
	spec.Ctx = ctx
	c := &child{done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(c.done)
		defer after()
		c.status = p.Shell(p, cmd, spec)
	}()
	return c
}

// wait lets the command end and returns its status.
func (c *child) wait() int {
	<-c.done
	c.cancel(nil)
	return c.status
}

func (s *streams) startWriter(o *stream) {
	r, w := pipe.New()
	o.toCmd, o.out = w, bufio.NewWriterSize(pipeWriter{s.in.p, w}, outputBuffer)
	o.child = s.spawn(o.name, command.Spec{Stdin: r}, func() { _ = r.Close() })
}

func (s *streams) startReader(o *stream) {
	r, w := pipe.New()
	o.in, o.file = newRecordReader(pipeReader{s.in.p, r}), r
	o.child = s.spawn(o.name, command.Spec{Stdout: w}, func() { _ = w.Close() })
}

func (s *streams) startBoth(o *stream) {
	inR, inW := pipe.New()
	outR, outW := pipe.New()
	o.toCmd, o.out = inW, bufio.NewWriterSize(pipeWriter{s.in.p, inW}, outputBuffer)
	o.in, o.file = newRecordReader(pipeReader{s.in.p, outR}), outR
	o.child = s.spawn(o.name, command.Spec{Stdin: inR, Stdout: outW}, func() {
		_ = inR.Close()
		_ = outW.Close()
	})
}

// pipeReader reads from a child and gives up when the program has been killed.
type pipeReader struct {
	p *command.Proc
	r *pipe.Reader
}

func (r pipeReader) Read(b []byte) (int, error) {
	if r.p.Ctx == nil {
		return r.r.Read(b)
	}
	n, err := r.r.ReadContext(r.p.Ctx, b)
	if err != nil && err != io.EOF {
		r.p.Yield()
	}
	return n, err
}

// pipeWriter writes to a child and gives up when the program has been killed.
type pipeWriter struct {
	p *command.Proc
	w *pipe.Writer
}

func (w pipeWriter) Write(b []byte) (int, error) {
	if w.p.Ctx == nil {
		return w.w.Write(b)
	}
	n, err := w.w.WriteContext(w.p.Ctx, b)
	if err != nil && !command.IsBrokenPipe(err) {
		w.p.Yield()
	}
	return n, err
}

// reader returns what getline reads from, opening it at first use; nil when it cannot be opened.
func (s *streams) reader(name, way string) *stream {
	if o := s.find(name, way); o != nil {
		if way == "|&" {
			_ = o.out.Flush()
		}
		return o
	}
	if name == "" {
		return nil
	}
	o := &stream{name: strings.Clone(name), way: way}
	switch way {
	case "|<":
		s.startReader(o)
	case "|&":
		s.startBoth(o)
	default:
		if !s.openReader(o) {
			return nil
		}
	}
	s.open = append(s.open, o)
	return o
}

func (s *streams) openReader(o *stream) bool {
	if o.name == "-" || o.name == "/dev/stdin" {
		o.in = s.stdin()
		return true
	}
	if info, err := s.in.p.Stat(o.name); err == nil && info.IsDir() {
		s.in.vars[slotERRNO] = text(isDirectory)
		return false
	}
	f, err := s.in.p.Open(o.name)
	if err != nil {
		s.in.vars[slotERRNO] = text(sys.Strerror(err))
		return false
	}
	o.file, o.in = f, newRecordReader(f)
	return true
}

// closeName closes every stream of that name and returns the status of the last, -1 when there is none. end says which end
// of a two-way pipe to close: "to", "from" or "" for both.
func (s *streams) closeName(name, end string) float64 {
	status := -1.0
	for i := 0; i < len(s.open); {
		o := s.open[i]
		if o.name != name {
			i++
			continue
		}
		if o.way == "|&" && end == "to" {
			_ = o.out.Flush()
			_ = o.toCmd.Close()
			return 0
		}
		s.open = append(s.open[:i], s.open[i+1:]...)
		status = s.close(o)
	}
	return status
}

// close ends a stream and returns the status that close() gives: that of a command, 0 or -1 for a file.
func (s *streams) close(o *stream) float64 {
	var err error
	if o.out != nil {
		err = o.out.Flush()
	}
	if o.toCmd != nil {
		_ = o.toCmd.Close()
	}
	if o.file != nil {
		if e := o.file.Close(); err == nil {
			err = e
		}
	}
	if o.child != nil {
		return float64(o.child.wait())
	}
	if err != nil {
		o.failed = true
		return -1
	}
	return 0
}

// flush writes what is buffered for the streams of a name and reports whether there was one.
func (s *streams) flush(name string) bool {
	found := false
	for _, o := range s.open {
		if o.name == name && o.out != nil {
			found = true
			_ = o.out.Flush()
		}
	}
	return found
}

func (s *streams) flushAll() {
	_ = s.in.p.Flush()
	for _, o := range s.open {
		if o.out != nil {
			_ = o.out.Flush()
		}
	}
}

// closeAll closes what is still open at the end and reports whether a file could not be written.
func (s *streams) closeAll() (failed bool) {
	for _, o := range s.open {
		s.close(o)
		if o.failed {
			failed = true
			s.in.p.Errorf("warning: failure writing to file `%s'", o.name)
		}
	}
	s.open = nil
	return failed
}

// abandon ends the commands of a program that has been killed.
func (s *streams) abandon() {
	for _, o := range s.open {
		if o.toCmd != nil {
			_ = o.toCmd.Close()
		}
		if o.file != nil {
			_ = o.file.Close()
		}
		if o.child != nil {
			o.child.cancel(&command.Signal{Number: sigterm})
			<-o.child.done
		}
	}
	s.open = nil
}

// system runs a shell command to its end.
func (s *streams) system(cmd string) float64 {
	s.flushAll()
	return float64(s.in.p.Shell(s.in.p, cmd, command.Spec{}))
}

// getline reads a record from a stream: 1, 0 at its end, -1 on an error.
func (in *interp) getline(o *stream) (rec string, result float64) {
	if o == nil {
		return "", -1
	}
	if o.in == nil {
		return "", -1
	}
	rec, term, ok := o.in.read(in)
	if ok {
		in.vars[slotRT] = text(term)
		return rec, 1
	}
	if o.in.err != nil {
		in.vars[slotERRNO] = text(sys.Strerror(o.in.err))
		return "", -1
	}
	return "", 0
}

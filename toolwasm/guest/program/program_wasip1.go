package program

import (
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"sync"
	"syscall"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

func install(table command.Table) {
	for _, n := range sys.Programs() {
		if _, taken := table[n.Name]; taken && !n.First {
			continue
		}
		table[n.Name] = command.Command{Name: n.Name, Run: func(p *command.Proc) int { return run(p, n.Name) }}
	}
}

// maxDescriptor is the first number that no file of a program can have.
const maxDescriptor = 256

// run runs a program to its end as the command p.
func run(p *command.Proc, name string) int {
	w := &wiring{p: p, files: map[int]*os.File{}}
	w.ctx, w.stop = context.WithCancel(p.Ctx)
	defer w.stop()
	process, err := w.spawn(name)
	closeAll(w.theirs)
	if err != nil {
		closeAll(w.mine)
		return fail(p, err)
	}
	for _, pump := range w.pumps {
		w.running.Go(pump)
	}
	status := await(p, process)
	w.stop()
	w.running.Wait() // what the program has written is where it belongs
	return status
}

// fail reports a program that could not be started, in the words of a shell that could not fork or exec.
func fail(p *command.Proc, err error) int {
	p.Errorf("%s", sys.Strerror(err))
	if errors.Is(err, syscall.EAGAIN) {
		const noFork = 254
		return noFork
	}
	return command.StatusNotExec
}

// await waits for the program. When the command is killed, so is the program.
func await(p *command.Proc, process *sys.Process) int {
	done := make(chan int, 1)
	go func() {
		status, err := process.Wait()
		if err != nil {
			status = command.StatusInternal
		}
		done <- status
	}()
	select {
	case status := <-done:
		return status
	case <-p.Ctx.Done():
	}
	status := command.SignalStatus(p.Ctx)
	_ = process.Kill(status - command.StatusSignalBase)
	<-done
	return status
}

// wiring is what connects a program with the streams of its command.
type wiring struct {
	p     *command.Proc
	files map[int]*os.File // what the program gets
	outs  []out
	// theirs and mine are the ends of the pipes made here: those that the program gets a copy of, and the others.
	theirs, mine []*os.File
	pumps        []func()
	running      sync.WaitGroup

	ctx  context.Context // of what feeds the program: it ends with the program
	stop context.CancelFunc
}

// out is a stream of the guest that the program writes to, with the program's end.
type out struct {
	to  io.Writer
	end *os.File
}

// spawn connects the streams and starts the program.
func (w *wiring) spawn(name string) (*sys.Process, error) {
	p := w.p
	if err := p.Flush(); err != nil {
		return nil, err
	}
	streams := map[int]command.Stream{0: command.Unwrap(p.Stdin), 1: command.Unwrap(p.Stdout), 2: command.Unwrap(p.Stderr)}
	for n, s := range p.Files {
		if n > 2 && n < maxDescriptor {
			streams[n] = command.Unwrap(s)
		}
	}
	for n, s := range streams {
		if err := w.connect(n, s); err != nil {
			return nil, err
		}
	}
	return spawn(p.Ctx, sys.SpawnSpec{
		Program: name, Dir: p.Dir, Args: append([]string{p.Name}, p.Args...), Env: p.Env.List(),
		Umask: uint32(p.Umask.Perm()), Files: w.files,
	})
}

// Where as many programs run as may, a program waits for its turn: as a shell does that cannot fork, and no longer.
const (
	turnPause = 10 * time.Millisecond
	turnWait  = 10 * time.Second
)

func spawn(ctx context.Context, spec sys.SpawnSpec) (*sys.Process, error) {
	for begun := time.Now(); ; {
		process, err := sys.Spawn(spec)
		if !errors.Is(err, syscall.EAGAIN) || time.Since(begun) > turnWait {
			return process, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(turnPause):
		}
	}
}

// connect gives the program a stream under a number. A closed one it does not get.
func (w *wiring) connect(n int, s command.Stream) error {
	switch s := s.(type) {
	case nil:
		return nil
	case *os.File:
		w.files[n] = s
		return nil
	case io.Reader:
		if _, err := s.Read(nil); errors.Is(err, syscall.EBADF) {
			return nil
		}
		if _, both := s.(io.Writer); !both {
			return w.input(n, s)
		}
		if n == 0 {
			return w.input(n, s)
		}
		return w.output(n, s.(io.Writer))
	case io.Writer:
		return w.output(n, s)
	}
	return nil
}

// input feeds the program from a reader of the guest.
func (w *wiring) input(n int, from io.Reader) error {
	r, into, err := sys.Pipe(true)
	if err != nil {
		return err
	}
	w.files[n] = r
	w.theirs, w.mine = append(w.theirs, r), append(w.mine, into)
	w.pumps = append(w.pumps, func() {
		defer into.Close()
		supply(w.ctx, from, into)
	})
	return nil
}

// output takes what the program writes to a writer of the guest. Two numbers for one writer are one stream, as 2>&1 has it.
func (w *wiring) output(n int, to io.Writer) error {
	for _, o := range w.outs {
		if reflect.TypeOf(to).Comparable() && o.to == to {
			w.files[n] = o.end
			return nil
		}
	}
	from, end, err := sys.Pipe(false)
	if err != nil {
		return err
	}
	w.files[n] = end
	w.theirs, w.mine = append(w.theirs, end), append(w.mine, from)
	w.outs = append(w.outs, out{to, end})
	w.pumps = append(w.pumps, func() {
		defer from.Close()
		drain(w.p.Ctx, from, to)
	})
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// bufferSize is how much is carried at a time.
const bufferSize = 64 << 10

type contextReader interface {
	ReadContext(context.Context, []byte) (int, error)
}

type contextWriter interface {
	WriteContext(context.Context, []byte) (int, error)
}

// supply gives a program what it asks for until there is no more, or nobody asks any more.
func supply(ctx context.Context, from io.Reader, into *os.File) {
	var buf []byte
	for {
		wanted, err := sys.Wanted(into)
		if err != nil {
			return
		}
		if wanted = min(wanted, bufferSize); wanted > len(buf) {
			buf = make([]byte, wanted)
		}
		n, err := read(ctx, from, buf[:wanted])
		if n > 0 {
			if _, err := into.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func read(ctx context.Context, from io.Reader, b []byte) (int, error) {
	if r, ok := from.(contextReader); ok {
		return r.ReadContext(ctx, b)
	}
	return from.Read(b)
}

// drain carries what a program writes. Closing the pipe, when nobody wants it, is what the program learns that from.
func drain(ctx context.Context, from *os.File, to io.Writer) {
	buf := make([]byte, bufferSize)
	for {
		n, err := from.Read(buf)
		if n > 0 && write(ctx, to, buf[:n]) != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

func write(ctx context.Context, to io.Writer, b []byte) (err error) {
	if w, ok := to.(contextWriter); ok {
		_, err = w.WriteContext(ctx, b)
		return err
	}
	_, err = to.Write(b)
	return err
}

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"openclaw/sandbox/internal/engine"
	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// Exit statuses of programs that did not end by themselves, as shells and timeout(1) have them.
const (
	statusTimeout    = 124
	statusLimit      = 125
	statusCannotRun  = 126
	statusSignal     = 128
	signalAbort      = 6
	signalKill       = 9
	signalSegv       = 11
	statusOfExitMask = 0xff // what a system keeps of an exit status
)

// child is a program that a guest started.
type child struct {
	family  *family
	named   *NamedProgram
	request wasi.Request
	depth   int
	ctx     context.Context
	end     context.CancelCauseFunc
	call    *call
	root    vfs.FS
	status  io.WriteCloser
	process *process
	broken  error // why it cannot run, found before it was loaded
}

// newChild prepares a program; nothing runs yet, and the request's files are not touched.
func (f *family) newChild(named *NamedProgram, request wasi.Request, depth int) (*child, vfs.Errno) {
	c := &child{family: f, named: named, request: request, depth: depth}
	c.ctx, c.end = context.WithCancelCause(f.ctx)
	c.call = &call{ctx: c.ctx, family: f, budget: named.Limits.Fuel}
	mounts, err := f.session.tree.programMounts(named)
	c.broken = err
	if c.root, err = f.session.tree.rootOf(c.ctx, c.call, named.Apart != nil, mounts); err != nil {
		c.end(nil)
		return nil, vfs.EIO
	}
	if named.Apart != nil && lookDir(c.root, request.Dir) != vfs.OK {
		c.request.Dir, request.Dir = "", "" // a directory that it does not see is none to work in
	}
	if errno := lookDir(c.root, request.Dir); errno != vfs.OK {
		c.end(nil)
		return nil, errno
	}
	pipe := stream.NewSmallPipe(wasi.StatusBytes)
	c.status = pipe.Writer()
	c.process = newProcess(pipe.ReadEnd(), c.end)
	return c, vfs.OK
}

// live runs the program to its end. What it leaves is its status, behind the last of its output.
func (c *child) live() {
	defer c.family.children.Done()
	defer c.end(nil)
	status := c.guarded()
	if c.call.system != nil {
		_ = c.call.system.Close()
	}
	c.family.leave()
	var text [wasi.StatusBytes]byte
	binary.LittleEndian.PutUint32(text[:], uint32(status))
	_, _ = c.status.Write(text[:]) // fails when nobody wants to know
	_ = c.status.Close()
}

// guarded loads and runs the program. A panic, which nobody could catch on this goroutine, ends the call.
func (c *child) guarded() (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			c.family.end(fmt.Errorf("sandbox: run %s: panic: %v", c.named.Name, fault))
			status = statusSignal + signalAbort
		}
	}()
	program, err := c.load()
	c.call.system = wasi.New(c.config(program))
	return c.run(program, err)
}

func (c *child) load() (*Program, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	return c.family.load(c.ctx, c.named)
}

// config is what the program is given; without a program it is what is needed to say why there is none.
func (c *child) config(program *Program) wasi.Config {
	imaged := program != nil && program.Imaged
	s := c.family.session
	files := c.request.Files
	if files == nil {
		files = []wasi.Given{}
	}
	random, now := s.grant.Random, s.grant.Clock
	if a := c.named.Apart; a != nil {
		random, now = a.Random, a.Clock
	}
	dir := c.dir()
	if imaged || c.named.ReadsPWD {
		dir = "" // it needs no help
	}
	return wasi.Config{
		Dir: dir, Places: c.places(),
		Args: c.arguments(), Env: c.environment(), FS: c.root, Given: files,
		Rand: random, Now: now,
		MaxFiles: s.limits.Handles + spareHandles, MemoryLimit: c.memory(), Umask: &c.request.Umask,
		Programs: c.programs(),
		// A guest that was initialised before is one that knows how to end when its reader is gone.
		NonblockStdio: imaged, SIGPIPE: !imaged,
	}
}

// programs is what the program may start itself.
func (c *child) programs() wasi.Programs {
	if c.named.Apart != nil {
		return nil
	}
	return programs{family: c.family, depth: c.depth}
}

func (c *child) arguments() []string {
	args := c.request.Args
	if len(args) == 0 {
		args = []string{c.named.Name}
	}
	if a := c.named.Apart; a != nil && a.Name != "" {
		args = append([]string{a.Name}, args[1:]...)
	}
	if i := scriptIndex(args, c.named.Script, c.exists); i > 0 {
		args = slices.Clone(args)
		args[i] = c.absolute(strings.TrimPrefix(args[i], "./"))
	}
	if len(c.named.Args) == 0 {
		return args
	}
	all := append([]string{args[0]}, c.named.Args...)
	return append(all, args[1:]...)
}

// absolute is a relative path of the guest as an absolute one.
func (c *child) absolute(name string) string { return strings.TrimSuffix(c.dir(), "/") + "/" + name }

// exists reports whether a relative path of the guest names something.
func (c *child) exists(name string) bool {
	_, errno := c.root.Stat(c.absolute(name)[1:], true)
	return errno == vfs.OK
}

// environment is what the guest gave, what the grant gives this program, and the working directory.
func (c *child) environment() []string {
	given := c.request.Env
	if a := c.named.Apart; a != nil {
		given = slices.DeleteFunc(slices.Clone(given), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			return !slices.Contains(a.Env, name)
		})
	}
	return mergeEnv(given, c.named.Env, []string{"PWD=" + c.dir()})
}

func (c *child) dir() string {
	if c.request.Dir == "" {
		return "/"
	}
	return c.request.Dir
}

// places are the first components of all paths at which something is mounted.
func (c *child) places() []string {
	grant := c.family.session.grant
	list := []string{devDir}
	mounts := c.named.Mounts
	if c.named.Apart == nil {
		mounts = slices.Concat(grant.Mounts, mounts)
		if grant.Tmp {
			list = append(list, tmpDir)
		}
	}
	for _, m := range mounts {
		top, _, _ := strings.Cut(m.Guest[1:], "/")
		if top = "/" + top; !slices.Contains(list, top) {
			list = append(list, top)
		}
	}
	return list
}

// memory is how much the program may have.
func (c *child) memory() int64 {
	limit := c.family.session.limits.Memory
	if own := c.named.Limits.Memory; own > 0 {
		limit = min(limit, own)
	}
	return limit
}

// run runs the program, unless it could not be loaded, and returns its exit status.
func (c *child) run(program *Program, err error) int {
	if err != nil {
		return c.verdict(err)
	}
	if limit := c.named.Limits.Timeout; limit > 0 {
		timer := time.AfterFunc(limit, func() { c.end(&LimitError{Limit: LimitTimeout, Value: limit.String()}) })
		defer timer.Stop()
	}
	code, err := program.call(c.ctx, c.call, c.memory())
	if err != nil {
		return c.verdict(err)
	}
	return code & statusOfExitMask
}

// verdict is the exit status of a program that did not exit, and says on its standard error why it did not. What ended the
// whole call is told by the call.
func (c *child) verdict(err error) int {
	var killed *killedError
	var limit *LimitError
	var trap *TrapError
	switch {
	case errors.As(err, &killed):
		return statusSignal + int(killed.signal)
	case c.family.ctx.Err() != nil:
		return statusSignal + signalKill
	case errors.As(err, &limit):
		c.family.ranInto(limit.Limit)
		if limit.ofCall {
			c.family.end(limit)
			return statusSignal + signalKill
		}
		c.complain(limit.reason())
		if limit.Limit == LimitTimeout {
			return statusTimeout
		}
		return statusLimit
	case errors.As(err, &trap):
		c.complain(strings.TrimPrefix(firstLine(trap.Cause.Error()), "wasm error: "))
		if errors.Is(trap.Cause, engine.ErrOutOfBounds) {
			return statusSignal + signalSegv
		}
		return statusSignal + signalAbort
	}
	c.complain("cannot be run: " + firstLine(err.Error()))
	return statusCannotRun
}

func (c *child) complain(text string) {
	c.call.system.Complain(c.family.ctx, path.Base(c.arguments()[0])+": "+text+"\n")
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// killedError is why a program ends that was sent a signal.
type killedError struct{ signal uint32 }

func (e *killedError) Error() string { return fmt.Sprintf("sandbox: killed by signal %d", e.signal) }

// process is a program as the guest that started it has it. It implements wasi.Process.
type process struct {
	vfs.File
	vfs.Poller
	end context.CancelCauseFunc
	// ignoring is set once a signal has been sent: the first one counts.
	ignoring atomic.Bool
}

func newProcess(status vfs.File, end context.CancelCauseFunc) *process {
	return &process{File: status, Poller: status.(vfs.Poller), end: end}
}

// Kill implements wasi.Process.
func (p *process) Kill(signal uint32) {
	if !p.ignoring.Swap(true) {
		p.end(&killedError{signal})
	}
}

// Close implements vfs.File: a program that nobody waits for is not left running.
func (p *process) Close() vfs.Errno {
	p.Kill(signalKill)
	return p.File.Close()
}

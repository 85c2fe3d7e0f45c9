package reactor

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/program"
	"openclaw/toolwasm/guest/sys"
)

// maxStack is more than the usual memory holds: recursion without end then meets the limit of the memory, which the host
// reports in a line. At the runtime's own limit it would end with pages of a trace, that nobody who wrote a script can use.
const maxStack = 1 << 30

// usualMemory is the memory limit of most calls; what the collector is told of it is part of the image.
const usualMemory = 256 << 20

// prepare sets the runtime's bounds.
func prepare() {
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(heapFor(usualMemory))
}

// heapFor is how large the heap may get before the collector works harder, so that garbage does not use up the memory: the rest
// is room for what it does not count.
func heapFor(memory int64) int64 { return memory / 4 * 3 }

// Call runs the command that the host asks for. It is the body of the export openclaw_run.
func (g *Program) Call() int32 {
	if memory := sys.MemoryLimit(); memory != usualMemory && memory > 0 {
		debug.SetMemoryLimit(heapFor(memory))
	}
	args, env, err := arguments()
	if err != nil {
		os.Stderr.WriteString(g.Name + ": arguments: " + err.Error() + "\n")
		return command.StatusNotExec
	}
	dir, ok := command.Vars(env).Get("PWD")
	if !ok || dir == "" {
		dir = "/"
	}
	if g.RunsPrograms {
		program.Install(g.Table)
	}
	ps := Process{
		Args: args, Env: env, Dir: dir,
		// Opened now and not at initialisation: what they are differs from call to call.
		Stdin:  os.NewFile(uintptr(syscall.Stdin), "/dev/stdin"),
		Stdout: os.NewFile(uintptr(syscall.Stdout), "/dev/stdout"),
		Stderr: os.NewFile(uintptr(syscall.Stderr), "/dev/stderr"),
	}
	if !g.RunsPrograms { // the toolbox is started by nobody, and its shells number descriptors themselves
		ps.Inherited = inherited
	}
	return int32(g.Run(context.Background(), ps))
}

// rootFD is the root directory in every guest: a file with that number is found by its name alone.
const rootFD = 3

// inherited finds a descriptor that the program was started with.
func inherited(n int) command.Stream {
	name := "/dev/fd/" + strconv.Itoa(n)
	if n == rootFD {
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		return orNil(f)
	}
	return orNil(os.NewFile(uintptr(n), name))
}

// orNil is a file, or nil when it is not open, or a directory.
func orNil(f *os.File) command.Stream {
	info, err := sys.Fstat(f)
	if err != nil || info.IsDir() {
		return nil
	}
	return f
}

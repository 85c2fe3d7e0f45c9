//go:build wasip1

// The toolbox as a guest: a reactor, so that the host can initialise it once, keep an image of its memory and start
// every call from that image. The host calls openclaw_run; arguments, environment and directory are read then.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/toolbox"
)

// maxStack bounds one goroutine's stack, so that runaway recursion ends long before the guest's memory does.
const maxStack = 64 << 20

// warm is what initialisation leaves in the image: building it again in each call would cost more than small
// commands take.
var warm = prepare()

func prepare() command.Table {
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(heapFor(usualMemory))
	return toolbox.Table()
}

// usualMemory is the memory limit of most calls; what the collector is told of it is part of the image.
const usualMemory = 256 << 20

// heapFor is how large the heap may get before the collector works harder, so that garbage does not use up the memory: the rest
// is room for what it does not count.
func heapFor(memory int64) int64 { return memory / 4 * 3 }

//go:wasmimport openclaw_v1 memory_limit
//go:noescape
func memoryLimit() int64

func main() {}

//go:wasmexport openclaw_run
func run() int32 {
	if memory := memoryLimit(); memory != usualMemory && memory > 0 {
		debug.SetMemoryLimit(heapFor(memory))
	}
	args, env, err := arguments()
	if err != nil {
		return fail("arguments: " + err.Error())
	}
	dir, ok := command.Vars(env).Get("PWD")
	if !ok || dir == "" {
		dir = "/"
	}
	return int32(toolbox.Run(context.Background(), warm, toolbox.Process{
		Args: args, Env: env, Dir: dir,
		// Opened now and not at initialisation: what they are differs from call to call.
		Stdin:  os.NewFile(uintptr(syscall.Stdin), "/dev/stdin"),
		Stdout: os.NewFile(uintptr(syscall.Stdout), "/dev/stdout"),
		Stderr: os.NewFile(uintptr(syscall.Stderr), "/dev/stderr"),
	}))
}

func fail(msg string) int32 {
	os.Stderr.WriteString("toolbox: " + msg + "\n")
	return command.StatusNotExec
}

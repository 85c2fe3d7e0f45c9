//go:build wasip1

// js and node as a guest.
package main

import (
	"runtime/debug"

	"openclaw/toolwasm/guest/js"
	"openclaw/toolwasm/guest/reactor"
)

// program holds an engine that is ready to run a script: what it takes to make one is part of the image.
var program = prepare()

func prepare() *reactor.Program {
	// A script that nests too deep for the stack is to say so, not how the engine got there.
	debug.SetTraceback("none")
	return reactor.New("js", js.Prepared())
}

func main() {}

//go:wasmexport openclaw_run
func run() int32 { return program.Call() }

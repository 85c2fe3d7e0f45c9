//go:build wasip1

// js and node as a guest.
package main

import (
	"openclaw/toolwasm/guest/js"
	"openclaw/toolwasm/guest/reactor"
)

// program holds an engine that is ready to run a script: what it takes to make one is part of the image.
var program = reactor.New("js", js.Commands())

func main() {}

//go:wasmexport openclaw_run
func run() int32 { return program.Call() }

//go:build wasip1

// git as a guest.
package main

import (
	"openclaw/toolwasm/guest/git"
	"openclaw/toolwasm/guest/reactor"
)

var program = reactor.New("git", git.Commands())

func main() {}

//go:wasmexport openclaw_run
func run() int32 { return program.Call() }

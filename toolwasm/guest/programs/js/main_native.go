//go:build !wasip1

// js and node as a native program, for trying and measuring scripts without a sandbox around them. It is called by the
// name of a command (through a link), or with the name as its first argument.
package main

import (
	"openclaw/toolwasm/guest/js"
	"openclaw/toolwasm/guest/reactor"
)

func main() { reactor.New("js", js.Commands()).Main() }

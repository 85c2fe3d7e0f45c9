//go:build !wasip1

// git as a native program, for trying and measuring it without a sandbox around it. It is called by the name of the
// command (through a link), or with the name as its first argument.
package main

import (
	"openclaw/toolwasm/guest/git"
	"openclaw/toolwasm/guest/reactor"
)

func main() { reactor.New("git", git.Commands()).Main() }

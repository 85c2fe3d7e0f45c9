//go:build !wasip1

// sqlite3 as a native program, for trying and measuring it without a sandbox around it. It is called by the name of the
// command (through a link), or with the name as its first argument.
package main

import (
	"openclaw/toolwasm/guest/reactor"
	"openclaw/toolwasm/guest/sqlite"
)

func main() { reactor.New("sqlite3", sqlite.Commands()).Main() }

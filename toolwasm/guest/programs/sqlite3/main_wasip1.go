//go:build wasip1

// sqlite3 as a guest.
package main

import (
	"openclaw/toolwasm/guest/reactor"
	"openclaw/toolwasm/guest/sqlite"
)

var program = reactor.New("sqlite3", sqlite.Commands())

func main() {}

//go:wasmexport openclaw_run
func run() int32 { return program.Call() }

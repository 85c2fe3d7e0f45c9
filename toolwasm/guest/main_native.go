//go:build !wasip1

// The toolbox as a native program, for trying and measuring commands without a sandbox around them. It is called by the
// name of a command (through a link), or with the name as its first argument.
package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"syscall"

	"openclaw/toolwasm/guest/toolbox"
)

func main() {
	args := os.Args
	table := toolbox.Table()
	if _, ok := table[path.Base(args[0])]; !ok && len(args) > 1 {
		args = args[1:]
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "toolbox:", err)
		os.Exit(1)
	}
	syscall.Umask(0) // commands take their own umask off
	os.Exit(toolbox.Run(context.Background(), table, toolbox.Process{
		Args: args, Env: os.Environ(), Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}))
}

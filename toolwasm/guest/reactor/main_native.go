//go:build !wasip1

package reactor

import (
	"context"
	"fmt"
	"os"
	"path"
	"syscall"
)

// prepare has nothing to bound natively.
func prepare() {}

// Main is the main function of the native form of a program, which is called by the name of a command (through a link),
// or with the name as its first argument. It does not return.
func (g *Program) Main() {
	args := os.Args
	if _, ok := g.Table[path.Base(args[0])]; !ok && len(args) > 1 {
		if _, ok := g.Table[path.Base(args[1])]; ok || len(g.Table) > 1 {
			args = args[1:]
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", g.Name, err)
		os.Exit(1)
	}
	syscall.Umask(0) // commands take their own umask off
	os.Exit(g.Run(context.Background(), Process{
		Args: args, Env: os.Environ(), Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}))
}

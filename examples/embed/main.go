// Command embed runs a WASI program in a sandbox from a Go program of its own module.
//
//	go run . PROGRAM.wasm [DIR [ARGUMENT…]]
//
// The program may read DIR, which it finds at /data, write its own /tmp, use 64 MiB of memory and run for ten seconds. Nothing else
// of this machine exists for it.
package main

import (
	"context"
	"errors"
	"fmt"
	"openclaw/sandbox"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// Exit statuses for a program that did not end by itself, as of timeout(1) and its like.
const (
	statusUsage  = 2
	statusFailed = 125
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: embed PROGRAM.wasm [DIR [ARGUMENT…]]")
		os.Exit(statusUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx, os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		code = statusFailed
	}
	os.Exit(code)
}

func run(ctx context.Context, name string, args []string) (code int, err error) {
	wasm, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	// One engine serves a whole process. It keeps compiled programs in the user's cache directory.
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{Progress: report})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, engine.Close(context.WithoutCancel(ctx))) }()
	box := sandbox.New(engine)
	program, err := box.Load(ctx, sandbox.Module(filepath.Base(name), wasm))
	if err != nil {
		return 0, err
	}
	grant := sandbox.Grant{
		Tmp:    true,
		Limits: sandbox.Limits{Timeout: 10 * time.Second, Memory: 64 << 20},
	}
	if len(args) > 0 {
		grant.Mounts = []sandbox.Mount{{Guest: "/data", Host: args[0], Access: sandbox.ReadOnly}}
		args = args[1:]
	}
	result, err := box.Run(ctx, grant, program, sandbox.Command{
		Args:  append([]string{program.Name()}, args...),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		return 0, err
	}
	for _, limit := range result.Hit {
		fmt.Fprintf(os.Stderr, "embed: %s ran into its limit of %s\n", name, limit)
	}
	return result.ExitCode, nil
}

// report says why the first run of a program takes longer than the next.
func report(p sandbox.Progress) {
	switch {
	case !p.Done:
		fmt.Fprintf(os.Stderr, "embed: compiling %s (%d bytes)\n", p.Program, p.Bytes)
	case p.Err != nil:
		fmt.Fprintf(os.Stderr, "embed: %s did not compile\n", p.Program)
	}
}

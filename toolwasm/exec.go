package toolwasm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"openclaw/sandbox"
)

// Workspace is where a session's workspace is mounted, and the directory that commands start in.
const Workspace = "/workspace"

// BaseEnv is the environment that every command starts with, before a grant's and a command's own. It tells nothing
// about the host.
func BaseEnv() []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"HOME=" + Workspace,
		"USER=agent",
		"LOGNAME=agent",
		"SHELL=/bin/bash",
		"LANG=C.UTF-8",
		"LC_ALL=C.UTF-8",
		"TZ=UTC",
		"TMPDIR=/tmp",
		"OPENCLAW_SHELL=exec",
	}
}

// Script is a shell script to run, as `bash -c Text bash Args…` would.
type Script struct {
	Text           string
	Args           []string
	Env            []string // added to BaseEnv and to the grant's
	Dir            string   // absolute in the guest, or relative to Workspace
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// MaxOutput, when set, takes the place of the grant's limit.
	MaxOutput int64
	// Timeout, when set, narrows the grant's. It stands still while a program is loaded that the script started.
	Timeout time.Duration
}

// ErrNoDirectory reports a working directory that is not there, or that the guest may not enter.
var ErrNoDirectory = errors.New("no such working directory")

// statusNoDirectory is how the toolbox says so; no command ends with it.
const statusNoDirectory = 256

// Exec runs a shell script.
func (t *Toolbox) Exec(ctx context.Context, session *sandbox.Session, script Script) (*sandbox.Result, error) {
	dir := guestPath(script.Dir)
	result, err := session.Run(ctx, t.program, sandbox.Command{
		Args:  append([]string{"bash", "-c", script.Text, "bash"}, script.Args...),
		Env:   slices.Concat(BaseEnv(), session.Env(), script.Env),
		Dir:   dir,
		Stdin: script.Stdin, Stdout: script.Stdout, Stderr: script.Stderr, MaxOutput: script.MaxOutput,
		Timeout: script.Timeout,
	})
	var missing *sandbox.DirectoryError
	if errors.As(err, &missing) {
		return &sandbox.Result{ExitCode: statusNoDirectory}, fmt.Errorf("toolwasm: exec in %s: %w: %w", dir, ErrNoDirectory, missing)
	}
	if err == nil && result.ExitCode == statusNoDirectory {
		return result, fmt.Errorf("toolwasm: exec in %s: %w", dir, ErrNoDirectory)
	}
	return result, err
}

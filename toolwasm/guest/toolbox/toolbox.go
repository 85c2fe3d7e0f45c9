// Package toolbox puts the commands together into the one program that a session's tools run in.
package toolbox

import (
	"context"
	"fmt"
	"io"
	"path"
	"syscall"

	"openclaw/toolwasm/guest/archive"
	"openclaw/toolwasm/guest/awk"
	"openclaw/toolwasm/guest/bc"
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/differ"
	"openclaw/toolwasm/guest/digest"
	"openclaw/toolwasm/guest/files"
	"openclaw/toolwasm/guest/filetool"
	"openclaw/toolwasm/guest/jq"
	"openclaw/toolwasm/guest/search"
	"openclaw/toolwasm/guest/sed"
	"openclaw/toolwasm/guest/shell"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/system"
	"openclaw/toolwasm/guest/text"
)

// defaultUmask is what a process has before the shell's umask changes it.
const defaultUmask = 0o022

// firstPID is the process id of the first command: nothing of the host's numbering is visible.
const firstPID = 2

// StatusNoDirectory is what Run returns when there is no such working directory. No command can: theirs end at 255.
const StatusNoDirectory = 256

// Table returns every command of the toolbox.
func Table() command.Table {
	return command.NewTable(
		shell.Commands(), search.Commands(), sed.Commands(), awk.Commands(), jq.Commands(), bc.Commands(),
		files.Commands(), archive.Commands(), text.Commands(), digest.Commands(), differ.Commands(),
		system.Commands(), filetool.Commands(),
	)
}

// Process is what the host gives the toolbox to run.
type Process struct {
	Args   []string // Args[0] names the command
	Env    []string
	Dir    string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Run runs one command to its end and returns its exit status.
func Run(ctx context.Context, table command.Table, ps Process) int {
	if len(ps.Args) == 0 {
		fmt.Fprintln(ps.Stderr, "toolbox: no command given")
		return command.StatusNotFound
	}
	if err := enter(ps.Dir); err != nil {
		fmt.Fprintf(ps.Stderr, "toolbox: cannot work in %s: %s\n", ps.Dir, sys.Strerror(err))
		return StatusNoDirectory
	}
	name := path.Base(ps.Args[0])
	c, ok := table[name]
	if !ok {
		fmt.Fprintf(ps.Stderr, "toolbox: %s: command not found\n", name)
		return command.StatusNotFound
	}
	return command.Start(&command.Proc{
		Ctx: ctx, Name: name, Args: ps.Args[1:], Dir: ps.Dir, Env: command.Vars(ps.Env),
		Stdin: ps.Stdin, Stdout: ps.Stdout, Stderr: ps.Stderr,
		Umask: defaultUmask, PID: firstPID, Table: table,
		Spawner: shell.NewSpawner(table),
	}, c)
}

// enter checks that a directory can be worked in, as chdir(2) would.
func enter(dir string) error {
	info, err := sys.Stat(dir)
	if err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return err
}

// Package js runs JavaScript: the commands js and node.
//
// The language is goja's, which is ECMAScript 2015 and most of what came after; what it does not know, modules above all,
// is rewritten before it sees a text. Around it stands as much of Node.js as scripts use that read, compute and write
// files: the modules fs, path, util, assert, events, buffer, crypto, readline, url, os and more, timers and promises, and
// output in the form of node's inspect.
//
// A script sees files, streams, arguments and environment only through its Proc. There is no network, there are no child
// processes and no packages other than files that the script can read: what needs one of these fails with an error that
// says so.
package js

import (
	"fmt"
	"strings"
	"sync/atomic"

	"openclaw/toolwasm/guest/command"
)

// nodeVersion is the Node.js whose interfaces scripts may expect.
const nodeVersion = "v20.19.0"

// statusBadOption is node's exit status for a command line it does not understand.
const statusBadOption = 9

const help = `Usage: %[1]s [OPTION]... [FILE | -e CODE | -] [ARGUMENT]...
Run JavaScript. Without FILE and CODE the script is read from standard input.

  -e, --eval CODE           run CODE
  -p, --print CODE          run CODE and print its value
  -c, --check               check the syntax of FILE, run nothing
  -r, --require MODULE      load MODULE first; may be given more than once
      --input-type=TYPE     what CODE or standard input is: commonjs or module
  -v, --version             print the version of Node.js that scripts may expect
      --help                print this help

Files ending in .mjs, and those with import or export statements, are modules;
the others use require. fs, path, os, util, assert, events, buffer, crypto,
readline, url, querystring, string_decoder, timers, stream and perf_hooks exist
as in Node.js. There is no network, there are no child processes, and packages
are found in node_modules only.
`

// Commands returns js and node, which are one program.
func Commands() []command.Command { return commands(newEngine) }

// Prepared is Commands with an engine made ahead, which the first command to run takes. It is for a program whose memory
// is kept as an image, from which each command starts anew.
func Prepared() []command.Command {
	ready, err := newEngine()
	var taken atomic.Bool
	return commands(func() (*engine, error) {
		if err == nil && taken.CompareAndSwap(false, true) {
			return ready, nil
		}
		return newEngine()
	})
}

func commands(engine func() (*engine, error)) []command.Command {
	run := func(p *command.Proc) int { return run(p, engine) }
	return []command.Command{
		{Name: "js", Run: run, Help: fmt.Sprintf(help, "js")},
		{Name: "node", Run: run, Help: fmt.Sprintf(help, "node")},
	}
}

// invocation is a command line.
type invocation struct {
	code    string
	hasCode bool
	print   bool
	check   bool
	module  bool // of code that does not come from a file
	require []string
	script  string // "" for standard input
	args    []string
}

// optionError is a command line that cannot be run, in node's words.
type optionError string

func (e optionError) Error() string { return string(e) }

// valueFlags are options with a value that change nothing here.
var valueFlags = []string{
	"--max-old-space-size", "--max_old_space_size", "--max-semi-space-size", "--stack-size", "--unhandled-rejections", "--title",
	"--stack-trace-limit", "--stack_trace_limit", "--disable-warning", "--conditions", "-C", "--es-module-specifier-resolution", "--experimental-default-type",
}

// plainFlags are options that change nothing here: how a script is traced, warned about or sped up.
var plainFlags = []string{
	"--no-warnings", "--no-deprecation", "--trace-warnings", "--trace-uncaught", "--trace-deprecation", "--throw-deprecation", "--enable-source-maps", "--use-strict",
	"--expose-gc", "--expose_gc", "--abort-on-uncaught-exception", "--pending-deprecation", "--preserve-symlinks", "--preserve-symlinks-main",
	"--no-experimental-fetch", "--jitless", "--no-opt", "--interpreted-frames-native-stack", "--no-addons",
}

// parseArgs reads a command line as node does: what follows the script belongs to it.
func parseArgs(args []string) (invocation, error) {
	var inv invocation
	for len(args) > 0 {
		a := args[0]
		if a == "-" || a == "--" || !strings.HasPrefix(a, "-") {
			break
		}
		rest, err := inv.option(args)
		if err != nil {
			return inv, err
		}
		args = rest
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if !inv.hasCode && len(args) > 0 {
		if args[0] != "-" {
			inv.script = args[0]
		}
		args = args[1:]
	}
	inv.args = args
	return inv, nil
}

// option reads the option at the beginning of args and returns what follows it.
func (inv *invocation) option(args []string) ([]string, error) {
	name, value, hasValue := strings.Cut(args[0], "=")
	rest := args[1:]
	if !hasValue && len(rest) > 0 {
		value = rest[0]
	}
	after := func() ([]string, error) {
		if hasValue {
			return rest, nil
		}
		if len(rest) == 0 {
			return nil, optionError(name + " requires an argument")
		}
		return rest[1:], nil
	}
	switch name {
	case "-e", "--eval":
		inv.code, inv.hasCode = value, true
		return after()
	case "-p", "--print", "-pe", "-ep":
		inv.print = true
		if len(rest) > 0 || hasValue {
			inv.code, inv.hasCode = value, true
			return after()
		}
		return rest, nil
	case "-c", "--check":
		inv.check = true
		return rest, nil
	case "-r", "--require", "--import":
		inv.require = append(inv.require, value)
		return after()
	case "--input-type":
		inv.module = value == "module"
		if value != "module" && value != "commonjs" {
			return nil, optionError(`--input-type must be "module" or "commonjs"`)
		}
		return after()
	}
	return inv.ignored(name, hasValue, rest)
}

func (inv *invocation) ignored(name string, hasValue bool, rest []string) ([]string, error) {
	for _, f := range plainFlags {
		if name == f {
			return rest, nil
		}
	}
	for _, f := range valueFlags {
		if name == f && !hasValue && len(rest) > 0 {
			return rest[1:], nil
		}
		if name == f {
			return rest, nil
		}
	}
	if strings.HasPrefix(name, "--experimental-") || strings.HasPrefix(name, "--no-experimental-") || strings.HasPrefix(name, "--harmony") {
		return rest, nil
	}
	switch name {
	case "-i", "--interactive", "--inspect", "--inspect-brk", "--test", "--watch", "--run", "--prof", "--cpu-prof", "--env-file":
		return nil, optionError("unsupported option: " + name)
	}
	return nil, optionError("bad option: " + name)
}

func run(p *command.Proc, engine func() (*engine, error)) int {
	if status, done := information(p); done {
		return status
	}
	inv, err := parseArgs(p.Args)
	if err != nil {
		p.Errorf("%s", err)
		return statusBadOption
	}
	e, err := engine()
	if err != nil {
		p.Errorf("%s", err)
		return command.StatusInternal
	}
	e.attach(p)
	return e.main(inv)
}

// information answers an option that asks for the version. It may stand anywhere among node's own options.
func information(p *command.Proc) (status int, done bool) {
	for _, a := range p.Args {
		switch {
		case a == "-v" || a == "--version":
			fmt.Fprintln(p.Out(), nodeVersion)
			return 0, true
		case a == "-h":
			fmt.Fprintf(p.Out(), help, p.Name)
			return 0, true
		case !strings.HasPrefix(a, "-"), a == "-e", a == "-p", a == "-":
			return 0, false
		}
	}
	return 0, false
}

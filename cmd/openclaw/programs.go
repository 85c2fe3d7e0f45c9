package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/programs"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

const programsUsage = `openclaw programs COMMAND [OPTIONS] [ARGUMENTS]

A program is a WebAssembly module for WASI preview 1 that scripts of "exec" can run by name, as
bash runs a binary: with pipes on both sides, in an instance of its own, with what the session
may touch and what the call has left of time, fuel and output. It is copied into the state
directory. Some programs come with this one; an installed one takes the place of such a one.

"add" compiles the module, which takes seconds, so that a module that cannot run is refused.
--mount shows the program, and only it, a directory or the files of a zip archive, read-only.
An archive is copied, too; a directory must stay where it is.

The preset "python" is for CPython: it sets PYTHONHOME, PYTHONPATH and the like, and expects
the standard library at /py/lib. The preset "ruby" is for the module ruby+stdlib.wasm of the npm package
@ruby/3.4-wasm-wasi, which gets a command line of its own.

A module that imports functions which do not exist here is refused. With --stubs it is not: such a
function, when the program calls it, says that it is not available and ends the program.

The exit status is 0 when it is done, 1 when it is not.

EXAMPLES
   openclaw programs add python3 python.wasm --alias python --preset python --mount /py/lib=python311.zip
   openclaw programs add ruby node_modules/@ruby/3.4-wasm-wasi/dist/ruby+stdlib.wasm --preset ruby
   openclaw programs list
   openclaw exec -- 'seq 5 | python3 -c "import sys; print(sum(map(int, sys.stdin)))"'
   openclaw programs remove python3`

func programsCommand(std streams) *cli.Command {
	json := &cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"}
	sub := func(name, operands, usage string, run func(programsCall) error, more ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: operands, Flags: append(more, json),
			OnUsageError: func(_ *cli.Context, err error, _ bool) error {
				return fmt.Errorf("programs %s: %w (try 'openclaw programs %s --help')", name, err, name)
			},
			Action: func(c *cli.Context) error {
				given, err := mixedOperands(c)
				if err == nil && len(given) != len(strings.Fields(operands)) {
					err = fmt.Errorf("want %s", operandsText(operands))
				}
				if err != nil {
					return fmt.Errorf("programs %s: %w (try 'openclaw programs %s --help')", name, err, name)
				}
				return runPrograms(c, std, given, run)
			},
		}
	}
	return &cli.Command{
		Name:      "programs",
		Usage:     "install programs for scripts, list and remove them",
		UsageText: programsUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("programs: unknown command %q (try 'openclaw programs --help')", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
		Subcommands: []*cli.Command{
			sub("add", "NAME FILE", "install a module under a name", programsAdd,
				&cli.StringSliceFlag{Name: "alias", Usage: "another `NAME` for it (repeatable)"},
				&cli.StringFlag{Name: "preset", Usage: "what a well-known program needs: " + strings.Join(programs.Presets(), ", ")},
				&cli.StringSliceFlag{Name: "mount", Usage: "show it a directory or zip archive, read-only: `GUEST=DIR_OR_ZIP` (repeatable)"},
				&cli.StringSliceFlag{Name: "env", Usage: "set a variable for it: `K=V` (repeatable)"},
				&cli.StringSliceFlag{Name: "args", Usage: "an `ARGUMENT` before those it is started with (repeatable)"},
				&cli.BoolFlag{Name: "stubs", DisableDefaultText: true, Usage: "accept imports that do not exist here; calling one ends the program"},
				&cli.BoolFlag{Name: "first", DisableDefaultText: true, Usage: "it goes before a command of the toolbox with the same name"},
				&cli.BoolFlag{Name: "reads-pwd", DisableDefaultText: true, Usage: "it goes to the directory in PWD by itself, as programs in Go do"},
				&cli.StringFlag{Name: "script-options", Usage: "it is an interpreter; the `LETTERS` of its options that take the place of a script"},
				&cli.DurationFlag{Name: "timeout", Usage: "end it after `DURATION`", DefaultText: "what the script has left"},
				&cli.StringFlag{Name: "memory", Usage: "memory that it may use, as a `SIZE`", DefaultText: "what a script may use"},
				&cli.StringFlag{Name: "fuel", Usage: "end it after `N` units of work", DefaultText: "what the script has left"},
			),
			sub("list", "", "list the programs that scripts can run", programsList),
			sub("info", "NAME", "show one program", programsInfo),
			sub("remove", "NAME", "remove an installed program", programsRemove),
		},
	}
}

// programsCall is one call of a command.
type programsCall struct {
	*cli.Context
	args  []string
	std   streams
	store *programs.Store
}

func runPrograms(c *cli.Context, std streams, args []string, run func(programsCall) error) error {
	location, err := config.Locate(config.Options{})
	if err == nil {
		err = run(programsCall{c, args, std, programs.At(location.StateDir)})
	}
	return commandStatus(std, failedJSON(c, std, err))
}

func programsAdd(c programsCall) error {
	in := programs.Install{
		Program: programs.Program{
			Name: c.args[0], Aliases: c.StringSlice("alias"), First: c.Bool("first"), Args: c.StringSlice("args"), Env: c.StringSlice("env"),
			ReadsPWD: c.Bool("reads-pwd"), Script: c.String("script-options"), Timeout: c.Duration("timeout").Milliseconds(),
		},
		File: c.args[1], Preset: c.String("preset"), Stubs: c.Bool("stubs"),
		Load: func(ctx context.Context, src sandbox.Source) error { return compileProgram(ctx, c.std, src) },
	}
	for _, f := range []struct {
		name   string
		parse  func(string) (int64, error)
		target *int64
	}{{"memory", parseMemory, &in.Memory}, {"fuel", parseCount, &in.Fuel}} {
		if !c.IsSet(f.name) {
			continue
		}
		n, err := f.parse(c.String(f.name))
		if err != nil {
			return fmt.Errorf("--%s %q: %w", f.name, c.String(f.name), err)
		}
		*f.target = n
	}
	for _, m := range c.StringSlice("mount") {
		source, err := parseSource(m)
		if err != nil {
			return fmt.Errorf("--mount %q: %w", m, err)
		}
		in.Sources = append(in.Sources, source)
	}
	p, err := c.store.Add(c.Context.Context, in)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, p)
	}
	_, err = fmt.Fprintf(c.std.out, "%s is installed (%.1f MB)\n", strings.Join(p.Names(), ", "), float64(p.Size)/1e6)
	return err
}

var errNotSource = errors.New("not GUEST=DIR_OR_ZIP")

func parseSource(text string) (programs.Source, error) {
	guest, host, ok := strings.Cut(text, "=")
	if strings.HasSuffix(host, ":rw") {
		return programs.Source{}, errors.New("programs' own mounts are read-only")
	}
	host = strings.TrimSuffix(host, ":ro")
	if !ok || guest == "" || host == "" {
		return programs.Source{}, errNotSource
	}
	return programs.Source{Guest: guest, Host: host}, nil
}

// compileProgram loads a module, so that it is compiled, or refused, now.
func compileProgram(ctx context.Context, std streams, src sandbox.Source) error {
	report := newCompileReport(std.err)
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{Progress: report.progress})
	if err != nil {
		return err
	}
	defer engine.Close(context.WithoutCancel(ctx))
	_, err = sandbox.New(engine).Load(ctx, src)
	return err
}

// listedProgram is one of what scripts can run.
type listedProgram struct {
	Name      string            `json:"name"`
	Embedded  bool              `json:"embedded"`            // it comes with this program
	Installed *programs.Program `json:"installed,omitempty"` // when it is not embedded
}

// programsThere lists what there is, by name.
func programsThere(store *programs.Store) ([]listedProgram, error) {
	installed, err := store.List()
	if err != nil {
		return nil, err
	}
	var list []listedProgram
	taken := map[string]bool{}
	for _, p := range installed {
		for _, n := range p.Names() {
			taken[n] = true
		}
		list = append(list, listedProgram{Name: p.Name, Installed: &p})
	}
	for _, p := range toolwasm.Programs() {
		if !taken[p.Name] {
			list = append(list, listedProgram{Name: p.Name, Embedded: true})
		}
	}
	return list, nil
}

func programsList(c programsCall) error {
	list, err := programsThere(c.store)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, struct {
			Programs []listedProgram `json:"programs"`
		}{append([]listedProgram{}, list...)})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.std.out, "no programs (try 'openclaw programs add --help')")
		return err
	}
	t := table{header: []string{"NAME", "ALIASES", "SIZE", "FROM"}}
	for _, p := range list {
		if p.Embedded {
			t.add(p.Name, "", "", "comes with openclaw")
			continue
		}
		t.add(p.Name, strings.Join(p.Installed.Aliases, " "), fmt.Sprintf("%.1f MB", float64(p.Installed.Size)/1e6), p.Installed.From)
	}
	return t.write(c.std.out)
}

func programsInfo(c programsCall) error {
	p, err := c.store.Get(c.args[0])
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, p)
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, printable(value))
		}
	}
	line("name", p.Name)
	line("aliases", strings.Join(p.Aliases, " "))
	line("from", p.From)
	line("sha256", p.Digest)
	line("original", p.Original)
	line("size", fmt.Sprintf("%.1f MB", float64(p.Size)/1e6))
	line("added", p.Added.Format(time.RFC3339))
	for _, m := range p.Mounts {
		host := m.Dir
		if m.Archive != "" {
			host = "archive " + m.Archive[:12]
			if m.From != "" {
				host += " from " + m.From
			}
		}
		line("mount", m.Guest+" = "+host)
	}
	for _, e := range p.Env {
		line("env", e)
	}
	line("arguments", strings.Join(p.Args, " "))
	for _, f := range p.Stubs {
		line("stub", f)
	}
	if p.Timeout > 0 {
		line("timeout", (time.Duration(p.Timeout) * time.Millisecond).String())
	}
	if p.Memory > 0 {
		line("memory", byteText(p.Memory))
	}
	if p.Fuel > 0 {
		line("fuel", fmt.Sprint(p.Fuel))
	}
	_, err = fmt.Fprint(c.std.out, b.String())
	return err
}

func programsRemove(c programsCall) error {
	p, err := c.store.Remove(c.Context.Context, c.args[0])
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, struct {
			Removed programs.Program `json:"removed"`
		}{p})
	}
	_, err = fmt.Fprintf(c.std.out, "%s is removed\n", strings.Join(p.Names(), ", "))
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/bundles"
	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/state"
	"openclaw/runtime/tools/skilltools"
	"openclaw/sandbox"
	"openclaw/skills/bundle"
)

// bundleCall is one call of a command about packed skills.
type bundleCall struct {
	*cli.Context
	args []string
	std  streams
}

// arg is the nth operand, or a text in its place.
func (c bundleCall) arg(n int, otherwise string) string {
	if n < len(c.args) {
		return c.args[n]
	}
	return otherwise
}

// bundleCommands are the commands about packed skills.
func bundleCommands(std streams) []*cli.Command {
	sub := func(name, operands, usage string, run func(bundleCall) error, more ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: operands, Flags: append(more, &cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"}),
			OnUsageError: func(_ *cli.Context, err error, _ bool) error {
				return fmt.Errorf("skills %s: %w (try 'openclaw skills %s --help')", name, err, name)
			},
			Action: func(c *cli.Context) error {
				given, err := mixedOperands(c)
				if err == nil && !fits(len(given), operands) {
					err = fmt.Errorf("want %s", operandsText(operands))
				}
				if err != nil {
					return fmt.Errorf("skills %s: %w (try 'openclaw skills %s --help')", name, err, name)
				}
				return bundleStatus(c, std, run(bundleCall{c, given, std}))
			},
		}
	}
	yes := &cli.BoolFlag{Name: "yes", DisableDefaultText: true, Usage: "do not ask: for scripts"}
	return []*cli.Command{
		sub("new", "NAME", "write the first files of a skill that is to be packed", skillsNew,
			&cli.StringFlag{Name: "lang", Usage: "what it is written in: go, c, shell or js", Value: "go"},
			&cli.StringFlag{Name: "dir", Usage: "the `DIR` to make", DefaultText: "NAME"}),
		sub("build", "[DIR]", "compile a skill with the machine's own compiler", skillsBuild),
		sub("pack", "[DIR]", "pack the directory of a skill into one file", skillsPack,
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the `FILE` to write", DefaultText: "DIR/NAME-VERSION.skill.wasm"}),
		sub("inspect", "FILE", "show what a packed skill is, offers and asks for; nothing of it runs", skillsInspect),
		sub("unpack", "FILE DIR", "write the files in a packed skill into a new directory", skillsUnpack),
		sub("install", "FILE|DIR", "install a packed skill, or one that a directory holds", skillsInstall),
		sub("remove", "NAME", "remove an installed skill and its approval", skillsRemove),
		sub("grant", "NAME", "show what an installed skill asks for, and approve it", skillsGrant, yes),
		sub("revoke", "NAME", "take the approval of a skill back", skillsRevoke),
		sub("run", "NAME TOOL [JSON]", "call a tool of an installed skill", skillsRun,
			&cli.StringFlag{Name: "workspace", Usage: "the `DIR` that it sees as its workspace, as far as it has been approved", DefaultText: "none"},
			&cli.BoolFlag{Name: "read-only", DisableDefaultText: true, Usage: "it may not change the workspace"},
			&cli.StringSliceFlag{Name: "env", Usage: "a variable that it may read: `NAME=VALUE` (repeatable)"},
			&cli.DurationFlag{Name: "timeout", Usage: "end it after `DURATION`", DefaultText: "what it asks for"},
			&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "say what would run and what it could reach, and run nothing"}),
	}
}

// fits tells whether there are as many operands as a command takes; those in brackets can be left out.
func fits(n int, operands string) bool {
	all := strings.Fields(operands)
	least := len(all)
	for _, o := range all {
		if strings.HasPrefix(o, "[") {
			least--
		}
	}
	return n >= least && n <= len(all)
}

// bundleStatus is the exit status of a command: limits have their own.
func bundleStatus(c *cli.Context, std streams, err error) error {
	if err != nil && c.Context.Err() != nil {
		return err // it was interrupted
	}
	var limit *sandbox.LimitError
	err = failedJSON(c, std, err)
	if !errors.As(err, &limit) {
		return commandStatus(std, err)
	}
	fmt.Fprintf(std.err, "openclaw: %v\n", err)
	if limit.Limit == sandbox.LimitTimeout {
		return exitStatus(statusTimeout)
	}
	return exitStatus(statusSandbox)
}

// bundleStore opens the installed bundles for changing them, or their approvals. The directory of the state is all that is needed, so that a mistake in the
// configuration keeps nobody from taking an approval back.
func (c bundleCall) store() (*bundles.Store, func(), error) {
	location, err := config.Locate(config.Options{})
	if err != nil {
		return nil, nil, err
	}
	db, err := state.Open(c.Context.Context, location.StateDir)
	if err != nil {
		return nil, nil, err
	}
	return bundles.At(location.StateDir, db), func() { _ = db.Close() }, nil
}

// approvalsOf looks for approvals without making a database, which is opened when it is first asked.
type approvalsOf struct {
	bundles.Approvals
	dir string
}

// Approval implements [bundles.Approvals].
func (a approvalsOf) Approval(ctx context.Context, name string) (bundles.Approval, bool, error) {
	db, err := state.OpenReadOnly(ctx, a.dir)
	if err != nil {
		return bundles.Approval{}, false, err
	}
	defer db.Close()
	return db.Approval(ctx, name)
}

// installedBundles are the bundles of a configuration, for looking only.
func installedBundles(conf *config.Config) *bundles.Store {
	return bundles.At(conf.StateDir, approvalsOf{dir: conf.StateDir})
}

// commandsOfSkills lists the commands that installed skills offer to the scripts of a grant. offered are the skills of its session; nil: all.
func commandsOfSkills(ctx context.Context, stateDir string, grant sandbox.Grant, offered []confinement.Skill) ([]sandbox.NamedProgram, error) {
	list, _, err := bundles.At(stateDir, approvalsOf{dir: stateDir}).List(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var has func(string) bool
	if offered != nil {
		has = func(name string) bool {
			for _, s := range offered {
				if s.Name == name {
					return true
				}
			}
			return false
		}
	}
	return skilltools.Of(nil, grant, list, has).Commands, nil
}

// addCommands adds the commands of skills in a grant to the programs of the machine, which keep their names.
func addCommands(programs, grant []sandbox.NamedProgram) []sandbox.NamedProgram {
	taken := map[string]bool{}
	for _, p := range programs {
		taken[p.Name] = true
	}
	for _, p := range grant {
		if p.Apart != nil && !taken[p.Name] {
			taken[p.Name] = true
			programs = append(programs, p)
		}
	}
	return programs
}

// lines writes "name text" lines, aligned.
type lines struct{ strings.Builder }

func (l *lines) add(name, text string) {
	if text != "" {
		fmt.Fprintf(l, "%-14s %s\n", name, printable(strings.Join(strings.Fields(text), " ")))
	}
}

func (l *lines) list(name string, texts []string) {
	for _, t := range texts {
		l.add(name, t)
	}
}

func (l *lines) to(w io.Writer) error {
	_, err := io.WriteString(w, l.String())
	return err
}

// bundleTable shows which bundles there are and what they may reach, when there are any.
func bundleTable(w io.Writer, shown []bundleShown) error {
	if len(shown) == 0 {
		return nil
	}
	t := table{header: []string{"PACKED", "VERSION", "DIGEST", "MAY"}}
	for _, b := range shown {
		may := strings.Join(b.Granted, "; ")
		if !b.Approved {
			may = "nothing: it is not approved"
		}
		t.add(b.Name, b.Version, b.Digest, may)
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return t.write(w)
}

// signerText says who vouches for a bundle.
func signerText(b *bundle.Bundle) string {
	if b.Signature {
		return bundle.Unsigned + " (it carries a signature, which this build does not check)"
	}
	return bundle.Unsigned
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/workspace"
)

const sandboxUsage = `openclaw sandbox COMMAND [OPTIONS]

Tools always run in the sandbox. These commands show what a session's tools can touch, and
manage the directories of sessions that do not work in their agent's workspace.

EXAMPLES
   openclaw sandbox explain --session agent:main:telegram:group:7
   openclaw sandbox list
   openclaw sandbox recreate --session agent:main:telegram:group:7`

func sandboxCommand(std streams) *cli.Command {
	jsonFlag := &cli.BoolFlag{Name: "json", Usage: "print one JSON object"}
	sub := func(name, usage string, run func(*cli.Context, streams) error, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Flags: append(flags, jsonFlag),
			OnUsageError: func(_ *cli.Context, err error, _ bool) error {
				return fmt.Errorf("sandbox %s: %w (try 'openclaw sandbox %s --help')", name, err, name)
			},
			Action: func(c *cli.Context) error {
				if c.Args().Present() {
					return fmt.Errorf("sandbox %s: unexpected argument %q (try 'openclaw sandbox %s --help')", name, c.Args().First(), name)
				}
				return commandStatus(std, failedJSON(c, std, run(c, std)))
			},
		}
	}
	return &cli.Command{
		Name:      "sandbox",
		Usage:     "show what sessions can touch, and manage their directories",
		UsageText: sandboxUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("sandbox: unknown command %q (try 'openclaw sandbox --help')", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
		Subcommands: []*cli.Command{
			sub("list", "list the directories of sessions", sandboxList),
			sub("explain", "say what a session's tools can touch, and which setting decided", sandboxExplain,
				&cli.StringFlag{Name: "agent", Usage: "the agent `ID`", DefaultText: "the session's, or the default one"},
				&cli.StringFlag{Name: "session", Usage: "the session's `KEY`", DefaultText: "the agent's main session"}),
			sub("recreate", "remove directories of sessions; the next use makes them anew", sandboxRecreate,
				&cli.BoolFlag{Name: "all", Usage: "those of every session"},
				&cli.StringFlag{Name: "session", Usage: "the one of the session `KEY`"},
				&cli.StringFlag{Name: "agent", Usage: "those of the agent `ID`"},
				&cli.BoolFlag{Name: "force", Usage: "do not ask"}),
		},
	}
}

// sandboxEntry is a directory as list --json prints it.
type sandboxEntry struct {
	Path    string `json:"path"`
	Scope   string `json:"scope"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	MadeAt  string `json:"madeAt"`
	UsedAt  string `json:"usedAt"`
	Exists  bool   `json:"exists"`
	InUse   bool   `json:"inUse"`
}

func sandboxList(c *cli.Context, std streams) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	db, err := state.OpenReadOnly(c.Context, conf.StateDir)
	if err != nil {
		return err
	}
	defer db.Close()
	dirs, err := confinement.Directories(c.Context, db)
	if err != nil {
		return err
	}
	entries := []sandboxEntry{}
	for _, d := range dirs {
		entries = append(entries, sandboxEntry{
			Path: d.Path(), Scope: string(d.Owner.Scope), Agent: d.Owner.Agent, Session: d.Owner.Session,
			MadeAt: timeText(d.MadeAt), UsedAt: timeText(d.UsedAt), Exists: d.There, InUse: d.InUse,
		})
	}
	if c.Bool("json") {
		return printJSON(std.out, struct {
			Directories []sandboxEntry `json:"directories"`
		}{entries})
	}
	if len(entries) == 0 {
		_, err := fmt.Fprintln(std.out, "no session has a directory of its own")
		return err
	}
	for _, e := range entries {
		fmt.Fprintf(std.out, "%s\n  %s\n  made %s, used %s%s\n", ownerText(e), e.Path, e.MadeAt, e.UsedAt, standing(e))
	}
	return nil
}

func ownerText(e sandboxEntry) string {
	switch workspace.Scope(e.Scope) {
	case workspace.ScopeSession:
		return "session " + e.Session
	case workspace.ScopeAgent:
		return "sessions of agent " + e.Agent
	}
	return "sessions of all agents"
}

func standing(e sandboxEntry) string {
	switch {
	case e.InUse:
		return ", in use"
	case !e.Exists:
		return ", gone"
	}
	return ""
}

// explanation is what explain --json prints.
type explanation struct {
	Agent     string                     `json:"agent"`
	Session   string                     `json:"session"`
	Main      bool                       `json:"mainSession"`
	Kind      string                     `json:"kind"`
	Sandboxed bool                       `json:"sandboxed"`
	Mode      confinement.Setting        `json:"mode"`
	Scope     confinement.Setting        `json:"scope"`
	Access    confinement.Setting        `json:"workspaceAccess"`
	Root      confinement.Setting        `json:"workspaceRoot"`
	Backend   confinement.Setting        `json:"backend"`
	Workdir   string                     `json:"workdir"`
	Mounts    []mountText                `json:"mounts"`
	Env       []string                   `json:"env"` // names of variables
	Tmp       bool                       `json:"tmp"`
	Network   string                     `json:"network"`
	Limits    limitTexts                 `json:"limits"`
	Tools     []confinement.ToolDecision `json:"tools"`
	Unknown   []string                   `json:"unknownTools,omitempty"` // allowed in the configuration, and no tools
}

type mountText struct {
	confinement.Mount
	Access string `json:"access"`
}

type limitTexts struct {
	TimeoutMs int64 `json:"timeoutMs"`
	Memory    int64 `json:"memoryBytes"`
	Disk      int64 `json:"diskBytes"`
	FileSize  int64 `json:"fileSizeBytes"`
	Files     int   `json:"files"`
	Handles   int   `json:"openFiles"`
	Depth     int   `json:"pathDepth"`
	Output    int64 `json:"outputBytes"`
}

func sandboxExplain(c *cli.Context, std streams) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	request, err := offerSkills(c, conf, requestOf(c))
	if err != nil {
		return err
	}
	plan, err := confinement.Decide(conf, request)
	if err != nil {
		return err
	}
	e := explain(plan)
	if c.Bool("json") {
		return printJSON(std.out, e)
	}
	return explainText(std.out, e, plan.Limits)
}

func explain(p *confinement.Plan) explanation {
	l := p.Limits
	e := explanation{
		Agent: p.Agent.ID, Session: p.Key.String(), Main: p.Main, Kind: string(p.Key.Kind), Sandboxed: p.Sandboxed,
		Mode: p.Mode, Scope: p.Scope, Access: p.Access, Root: p.Root, Backend: p.Backend,
		Workdir: p.Mounts[0].Guest, Tmp: true, Network: "none", Tools: p.Tools, Unknown: p.Unknown(),
		Limits: limitTexts{l.Timeout.Milliseconds(), l.Memory, l.Disk, l.FileSize, l.Files, l.Handles, l.Depth, l.Output},
	}
	e.Env = []string{}
	for _, v := range p.Env {
		name, _, _ := strings.Cut(v, "=") // the value may be nobody's business
		e.Env = append(e.Env, name)
	}
	for _, m := range p.Mounts {
		e.Mounts = append(e.Mounts, mountText{m, m.Access.String()})
	}
	return e
}

func explainText(w io.Writer, e explanation, limits sandbox.Limits) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s %s\n", name, fmt.Sprintf(format, args...))
	}
	main := "not the main session"
	if e.Main {
		main = "the main session"
	}
	line("session", "%s (%s)", e.Session, main)
	line("agent", "%s", e.Agent)
	for _, s := range []struct {
		name string
		confinement.Setting
	}{{"mode", e.Mode}, {"scope", e.Scope}, {"workspaceAccess", e.Access}, {"workspaceRoot", e.Root}, {"backend", e.Backend}} {
		line(s.name, "%s (%s)", s.Value, s.Source)
	}
	line("sandboxed", "%v; tools run inside WebAssembly in every mode", e.Sandboxed)
	b.WriteString("\nmounts\n")
	for _, m := range e.Mounts {
		fmt.Fprintf(&b, "  %-14s %s  %s (%s)\n", m.Guest, m.Access, m.Host, m.Reason)
		if len(m.Protect) > 0 {
			fmt.Fprintf(&b, "  %-14s     read-only in it: %s\n", "", strings.Join(m.Protect, " "))
		}
	}
	fmt.Fprintf(&b, "  %-14s rw  in memory, gone with the session\n", "/tmp")
	if len(e.Env) > 0 {
		fmt.Fprintf(&b, "\nvariables of skills\n  %s\n", strings.Join(e.Env, " "))
	}
	b.WriteString("\nlimits\n")
	fmt.Fprintf(&b, "  timeout %s, memory %s, output %d bytes\n", limits.Timeout, sizeText(limits.Memory), limits.Output)
	fmt.Fprintf(&b, "  disk %s, file %s, files %d, open files %d, path depth %d\n", sizeText(limits.Disk), sizeText(limits.FileSize), limits.Files, limits.Handles, limits.Depth)
	fmt.Fprintf(&b, "  network %s\n\ntools\n", e.Network)
	for _, t := range e.Tools {
		verdict := "denied"
		if t.Allowed {
			verdict = "allowed"
		}
		fmt.Fprintf(&b, "  %-14s %-8s %s: %s\n", t.Tool, verdict, t.Layer, t.Rule)
	}
	for _, name := range e.Unknown {
		fmt.Fprintf(&b, "  note: %q is allowed by the configuration and is no tool here\n", name)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sandboxRemoved is what recreate --json prints.
type sandboxRemoved struct {
	Removed []string `json:"removed"`
	InUse   []string `json:"inUse"`
}

func sandboxRecreate(c *cli.Context, std streams) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	db, err := state.Open(c.Context, conf.StateDir)
	if err != nil {
		return err
	}
	defer db.Close()
	dirs, err := confinement.Select(c.Context, conf, db, confinement.Selection{All: c.Bool("all"), Session: c.String("session"), Agent: c.String("agent")})
	if errors.Is(err, confinement.ErrSelection) {
		return errors.New("sandbox recreate: want one of --all, --session KEY and --agent ID")
	}
	if err != nil {
		return err
	}
	if len(dirs) > 0 && !c.Bool("force") {
		if err := confirm(std, dirs); err != nil {
			return err
		}
	}
	rooms := &workspace.SessionDirs{Registry: db, Now: time.Now}
	out := sandboxRemoved{Removed: []string{}, InUse: []string{}}
	for _, d := range dirs {
		switch err := rooms.Remove(c.Context, d); {
		case errors.Is(err, workspace.ErrInUse):
			out.InUse = append(out.InUse, d.Path())
		case err != nil:
			return err
		default:
			out.Removed = append(out.Removed, d.Path())
		}
	}
	return printRemoved(c, std, out)
}

// confirm asks before files are lost.
func confirm(std streams, dirs []workspace.SessionDir) error {
	for _, d := range dirs {
		fmt.Fprintln(std.err, d.Path())
	}
	fmt.Fprintf(std.err, "Remove %d with everything in them? [y/N] ", len(dirs))
	answer, _ := bufio.NewReader(std.in).ReadString('\n') // no answer is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("sandbox recreate: nothing was removed; without a terminal use --force")
}

func printRemoved(c *cli.Context, std streams, out sandboxRemoved) error {
	if c.Bool("json") {
		if err := printJSON(std.out, out); err != nil {
			return err
		}
	} else {
		for _, path := range out.Removed {
			fmt.Fprintf(std.out, "removed %s\n", path)
		}
		if len(out.Removed)+len(out.InUse) == 0 {
			fmt.Fprintln(std.out, "there is no such directory")
		}
	}
	for _, path := range out.InUse {
		fmt.Fprintf(std.err, "openclaw: %s is in use and stays\n", path)
	}
	if len(out.InUse) > 0 {
		return exitStatus(statusSetupFailed)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

const sessionsUsage = `openclaw sessions COMMAND [OPTIONS] [ARGUMENTS]

Sessions are kept in <state>/agents/<agent>/agent/openclaw-agent.sqlite. A SESSION is a key
such as agent:main:main, a part of it behind agent:<agent>:, or a session id.

The exit status is 0 when it is done, 1 when it is not, 78 when the configuration is not
valid, 125 when the command line is wrong.

EXAMPLES
   openclaw sessions list --active 60
   openclaw sessions show main --limit 20
   openclaw sessions search '"release notes" draft*'
   openclaw sessions export main -o main.jsonl
   openclaw sessions import ~/old/agents/main/sessions
   openclaw sessions tail --follow main
   openclaw sessions fork main --at 0c6f… --key experiment`

// tailEntries is how many entries tail begins with.
const tailEntries = 10

func sessionsCommand(std streams) *cli.Command {
	agent := &cli.StringFlag{Name: "agent", Usage: "the `AGENT` whose sessions they are (default: the only one, or main)"}
	jsonFlag := &cli.BoolFlag{Name: "json", Usage: "print one JSON document"}
	archived := &cli.BoolFlag{Name: "archived", Usage: "archived sessions, too"}
	return &cli.Command{
		Name:      "sessions",
		Usage:     "list, read, search, compact, fork, move, archive and delete conversations",
		UsageText: sessionsUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("sessions: unknown command %q (try 'openclaw sessions --help')", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
		Subcommands: []*cli.Command{
			sessionsSubcommand(std, "list", "", "list sessions, those that were used last first", sessionsList, agent, jsonFlag, archived,
				&cli.BoolFlag{Name: "all-agents", Usage: "of every agent that is configured"},
				&cli.IntFlag{Name: "active", Usage: "only those that changed within `MINUTES`"},
				&cli.StringFlag{Name: "prefix", Usage: "only those whose key begins with `TEXT`"},
				&cli.StringFlag{Name: "limit", Value: strconv.Itoa(session.DefaultPage), Usage: "at most `N` for each agent, or all"},
				&cli.StringFlag{Name: "cursor", Usage: "go on behind the page that gave `CURSOR`"}),
			sessionsSubcommand(std, "show", "SESSION", "print a transcript: the branch that goes on, the newest entries", sessionsShow, agent, jsonFlag,
				&cli.BoolFlag{Name: "all", Usage: "every branch, in the order of writing"},
				&cli.BoolFlag{Name: "context", Usage: "what a model would be shown"},
				&cli.BoolFlag{Name: "full", Usage: "every entry of the branch from its beginning, also those that a summary stands for"},
				&cli.IntFlag{Name: "after", Usage: "with --all: begin behind the entry at place `N`"},
				&cli.IntFlag{Name: "limit", Value: session.DefaultPage, Usage: "at most `N` entries"}),
			sessionsSubcommand(std, "compact", "SESSION", "have the older part of a conversation give way to a summary; the transcript keeps everything", sessionsCompact, agent, jsonFlag,
				&cli.StringFlag{Name: "focus", Usage: "the summary dwells on `TEXT`"}),
			sessionsSubcommand(std, "search", "QUERY...", "find entries that have all the words; \"quoted words\" follow each other, wor* is a beginning", sessionsSearch,
				agent, jsonFlag, archived,
				&cli.StringSliceFlag{Name: "session", Usage: "only in `SESSION`; may be repeated"},
				&cli.StringSliceFlag{Name: "role", Usage: "only messages of `ROLE`: user, assistant, toolResult; may be repeated"},
				&cli.IntFlag{Name: "limit", Value: session.DefaultPage, Usage: "at most `N`"},
				&cli.IntFlag{Name: "offset", Usage: "leave out the first `N`"}),
			sessionsSubcommand(std, "export", "SESSION", "write a transcript in JSON lines", sessionsExport, agent,
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, which must not exist (default: standard output)"},
				&cli.BoolFlag{Name: "branch", Usage: "only the branch that goes on"}),
			sessionsSubcommand(std, "import", "FILE...", "import transcripts in JSON lines: files, directories with sessions.json, or - for standard input", sessionsImport,
				agent, jsonFlag,
				&cli.StringFlag{Name: "key", Usage: "the `SESSION` that it becomes (default: import:ID)"},
				&cli.StringFlag{Name: "label", Usage: "a `NAME` for people"},
				&cli.BoolFlag{Name: "skip-malformed", Usage: "leave out lines that cannot be read, and list them"},
				&cli.BoolFlag{Name: "dry-run", Usage: "read and check everything, keep nothing"}),
			sessionsSubcommand(std, "cleanup", "", "archive or delete what session.maintenance says", sessionsCleanup, agent, jsonFlag,
				&cli.BoolFlag{Name: "dry-run", Usage: "say what would be done, and do nothing"}),
			sessionsSubcommand(std, "tail", "SESSION", "print the newest entries of all branches, in the order of writing", sessionsTail, agent, jsonFlag,
				&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with those that come, until interrupted; with --json each is a document in its own line"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: tailEntries, Usage: "at most `N` entries of those that are there"}),
			sessionsSubcommand(std, "fork", "SESSION", "make a new session of a copy of the branch that goes on", sessionsFork, agent, jsonFlag,
				&cli.StringFlag{Name: "at", Usage: "a copy of the branch up to `ENTRY`, on whatever branch it is"},
				&cli.StringFlag{Name: "key", Usage: "the `SESSION` that it becomes (default: fork:ID)"},
				&cli.StringFlag{Name: "label", Usage: "a `NAME` for people"}),
			sessionsSubcommand(std, "archive", "SESSION...", "put sessions away: they are kept, but not listed, searched or written", sessionsArchive(true), agent, jsonFlag,
				&cli.StringFlag{Name: "reason", Value: "by hand", Usage: "the `REASON` that is kept with them"}),
			sessionsSubcommand(std, "unarchive", "SESSION...", "fetch archived sessions back", sessionsArchive(false), agent, jsonFlag),
			sessionsSubcommand(std, "delete", "SESSION...", "delete sessions with everything in them", sessionsDelete, agent, jsonFlag),
		},
	}
}

// sessionsSubcommand is a command with options before or behind its arguments.
func sessionsSubcommand(std streams, name, operands, usage string, run func(*cli.Context, streams, []string) error, flags ...cli.Flag) *cli.Command {
	hint := fmt.Sprintf("(try 'openclaw sessions %s --help')", name)
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: operands, Flags: flags,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return fmt.Errorf("sessions %s: %w %s", name, err, hint)
		},
		Action: func(c *cli.Context) error {
			args, err := mixedOperands(c)
			many := strings.HasSuffix(operands, "...")
			if want := len(strings.Fields(operands)); err == nil && (len(args) < want || len(args) > want && !many) {
				err = fmt.Errorf("want %s", operandsText(operands))
			}
			if err != nil {
				return fmt.Errorf("sessions %s: %w %s", name, err, hint)
			}
			err = run(c, std, args)
			var said exitStatus
			if !errors.As(err, &said) { // else what failed has been printed
				err = failedJSON(c, std, err)
			}
			return configStatus(std, err)
		},
	}
}

// mixedOperands reads the options that stand behind arguments, which the library takes for arguments.
func mixedOperands(c *cli.Context) (args []string, err error) {
	rest := c.Args().Slice()
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		if arg == "--" {
			return append(args, rest...), nil
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			args = append(args, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		i := slices.IndexFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if i < 0 {
			return nil, fmt.Errorf("no option %s; an argument that begins with - stands behind --", arg)
		}
		_, isSwitch := c.Command.Flags[i].(*cli.BoolFlag)
		switch {
		case hasValue:
		case isSwitch:
			value = "true"
		case len(rest) == 0:
			return nil, fmt.Errorf("the option %s needs a value", arg)
		default:
			value, rest = rest[0], rest[1:]
		}
		if err := c.Set(c.Command.Flags[i].Names()[0], value); err != nil {
			return nil, fmt.Errorf("option --%s: %w", name, err)
		}
	}
	return args, nil
}

// agentStore is one agent's sessions. The store is nil when nothing has been stored yet.
type agentStore struct {
	*session.Store
	agent string
}

// ref finds out what a user means by a session.
func (a agentStore) ref(text string) session.Ref {
	if isSessionID(text) {
		return session.Ref{ID: text}
	}
	return session.Ref{Key: session.NamedKey(a.agent, text)}
}

// isSessionID tells ids, which are UUIDs, from names.
func isSessionID(text string) bool {
	const length, dashes = 36, 4
	return len(text) == length && strings.Count(text, "-") == dashes
}

// namedAgent is the agent that the command line or the configuration means.
func namedAgent(c *cli.Context, conf *config.Config) (string, error) {
	name := c.String("agent")
	if name == "" {
		id, ok := conf.DefaultAgent()
		if !ok {
			return "", errors.New("sessions: several agents are configured: name one with --agent")
		}
		return id, nil
	}
	agent, err := conf.Agent(name)
	if err != nil {
		return "", err
	}
	return agent.ID, nil
}

// withStore runs a function on the sessions of the agent that is meant.
func withStore(c *cli.Context, write bool, run func(agentStore) error) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	agent, err := namedAgent(c, conf)
	if err != nil {
		return err
	}
	return withAgent(c.Context, conf, agent, write, run)
}

func withAgent(ctx context.Context, conf *config.Config, agent string, write bool, run func(agentStore) error) error {
	store, err := session.Open(ctx, session.Options{Path: session.Path(conf.StateDir, agent), ReadOnly: !write})
	if errors.Is(err, fs.ErrNotExist) && !write {
		return run(agentStore{agent: agent})
	}
	if err != nil {
		return err
	}
	return errors.Join(run(agentStore{store, agent}), store.Close())
}

// withSession is withStore for a session that must be there.
func withSession(c *cli.Context, name string, write bool, run func(agentStore, session.Ref) error) error {
	return withStore(c, write, func(a agentStore) error {
		if a.Store == nil {
			return fmt.Errorf("sessions: %s: %w", a.ref(name), session.ErrNotFound)
		}
		return run(a, a.ref(name))
	})
}

func sessionsExport(c *cli.Context, std streams, args []string) error {
	return withSession(c, args[0], false, func(a agentStore, ref session.Ref) error {
		if _, err := a.Get(c.Context, ref); err != nil {
			return err
		}
		options := session.ExportOptions{Branch: c.Bool("branch")}
		name := c.String("output")
		if name == "" || name == "-" {
			return a.Export(c.Context, ref, std.out, options)
		}
		const private = 0o600
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
		if err != nil {
			return fmt.Errorf("sessions: export: %w", err)
		}
		err = errors.Join(a.Export(c.Context, ref, file, options), file.Close())
		if err != nil {
			_ = os.Remove(name)
		}
		return err
	})
}

// importOutcome is what --json says of one transcript.
type importOutcome struct {
	File string `json:"file"`
	session.Imported
	Exists bool                `json:"exists,omitempty"` // it was imported before
	Error  string              `json:"error,omitempty"`
	Lines  []session.LineError `json:"lines,omitempty"` // why it was not imported
}

func sessionsImport(c *cli.Context, std streams, args []string) error {
	if c.String("key") != "" && len(args) > 1 {
		return errors.New("sessions: import: --key is for one transcript")
	}
	var results []session.ImportedFile
	err := withStore(c, !c.Bool("dry-run"), func(a agentStore) error {
		if a.Store == nil {
			return errors.New("sessions: import: --dry-run needs the agent's database, which does not exist yet")
		}
		for _, name := range args {
			found, err := importOne(c, std, a, name)
			results = append(results, found...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return reportImport(c, std, results)
}

func importOne(c *cli.Context, std streams, a agentStore, name string) ([]session.ImportedFile, error) {
	o := session.ImportOptions{
		Name: name, Agent: a.agent, Label: c.String("label"), SkipMalformed: c.Bool("skip-malformed"), DryRun: c.Bool("dry-run"),
	}
	if key := c.String("key"); key != "" {
		o.Key = session.NamedKey(a.agent, key)
	}
	in := std.in
	if name != "-" {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if o.Key != "" {
				return nil, errors.New("sessions: import: --key is for one transcript, not for a directory")
			}
			return a.ImportDir(c.Context, filepath.Clean(name), o)
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("sessions: import: %w", err)
		}
		defer file.Close()
		in = file
	}
	result, err := a.Import(c.Context, in, o)
	return []session.ImportedFile{{File: name, Imported: result, Err: err}}, nil
}

// reportImport prints what came of each transcript. The command fails when one was not imported, unless it was before.
func reportImport(c *cli.Context, std streams, results []session.ImportedFile) error {
	failed := false
	outcomes := []importOutcome{}
	for _, r := range results {
		exists := errors.Is(r.Err, session.ErrExists)
		failed = failed || r.Err != nil && !exists
		o := importOutcome{File: r.File, Imported: r.Imported, Exists: exists}
		if r.Err != nil {
			o.Error, _, _ = strings.Cut(r.Err.Error(), "\n")
			var malformed *session.ImportError
			if errors.As(r.Err, &malformed) {
				o.Lines, o.More = malformed.Lines, malformed.More
			}
		}
		outcomes = append(outcomes, o)
		if !c.Bool("json") {
			printImport(c, std, r)
		}
	}
	if c.Bool("json") {
		if err := printJSON(std.out, struct {
			OK      bool            `json:"ok"`
			DryRun  bool            `json:"dryRun,omitempty"`
			Results []importOutcome `json:"results"`
		}{!failed, c.Bool("dry-run"), outcomes}); err != nil {
			return err
		}
	}
	if failed {
		return exitStatus(statusConfigFailed)
	}
	return nil
}

func printImport(c *cli.Context, std streams, r session.ImportedFile) {
	if r.Err != nil {
		fmt.Fprintf(std.err, "openclaw: %v\n", printable(r.Err.Error()))
		return
	}
	for _, line := range r.Skipped {
		fmt.Fprintf(std.err, "openclaw: %s: left out: %s\n", r.File, printable(line.String()))
	}
	if r.More > 0 {
		fmt.Fprintf(std.err, "openclaw: %s: left out: %d more lines\n", r.File, r.More)
	}
	verb := "is"
	if c.Bool("dry-run") {
		verb = "would be"
	}
	fmt.Fprintf(std.out, "%s %s %s with %d entries\n", r.File, verb, printable(r.Key), r.Entries)
}

// age is how long ago something was, for people.
func age(now, then time.Time) string {
	d := max(now.Sub(then), 0)
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/day)
}

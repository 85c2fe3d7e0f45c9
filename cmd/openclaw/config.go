package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
)

// Exit statuses of config beside 0 and those of a wrong command line.
const (
	statusConfigFailed  = 1  // the path is not set, or an edit or a write was refused
	statusConfigInvalid = 78 // the configuration is not valid: a supervisor need not try again (EX_CONFIG)
)

const configUsage = `openclaw config COMMAND [OPTIONS] [ARGUMENTS]

The configuration is <state>/openclaw.json, in JSON5; <state> is OPENCLAW_STATE_DIR, else
~/.openclaw. docs/configuration.md lists every key. A PATH is made of keys and indexes:
agents.defaults.sandbox.mode, agents.defaults.skills[0], agents.entries["ops"].

The exit status is 0 when it is done, 1 when the path is not set or a change was refused,
78 when the configuration is not valid, 125 when the command line is wrong.

EXAMPLES
   openclaw config validate
   openclaw config get agents.defaults
   openclaw config set agents.defaults.sandbox.mode all
   openclaw config set agents.entries.ops '{sandbox: {workspaceAccess: "ro"}}'
   openclaw config unset session.reset`

func configCommand(std streams) *cli.Command {
	jsonFlag := &cli.BoolFlag{Name: "json", Usage: "print one JSON document"}
	dryRun := &cli.BoolFlag{Name: "dry-run", Usage: "check everything, write nothing"}
	return &cli.Command{
		Name:      "config",
		Usage:     "read, check and edit the configuration",
		UsageText: configUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("config: unknown command %q (try 'openclaw config --help')", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
		Subcommands: []*cli.Command{
			configSubcommand(std, "get", "PATH", "print what the configuration sets at a path; secrets are shown as "+config.Redacted, configGet, jsonFlag),
			configSubcommand(std, "set", "PATH VALUE", "set a value, which is JSON5 or else a string, and keep the rest of the file as it is", configSet,
				&cli.BoolFlag{Name: "json", Aliases: []string{"strict-json"}, Usage: "VALUE must be JSON5"},
				&cli.BoolFlag{Name: "string", Usage: "VALUE is a string, whatever it looks like"},
				&cli.BoolFlag{Name: "merge", Usage: "put the keys of an object beside those that are there"},
				&cli.BoolFlag{Name: "replace", Usage: "lose the agents and other entries that an object does not have"}, dryRun),
			configSubcommand(std, "unset", "PATH", "remove a value, and keep the rest of the file as it is", configUnset, dryRun),
			configSubcommand(std, "file", "", "print where the configuration is", configFile, jsonFlag),
			configSubcommand(std, "schema", "", "print the JSON Schema of the configuration", configSchema),
			configSubcommand(std, "validate", "", "say whether the configuration is valid, or list every mistake", configValidate, jsonFlag),
		},
	}
}

// configSubcommand is a command that takes as many arguments as its usage names, with options before or behind them.
func configSubcommand(std streams, name, operands, usage string, run func(*cli.Context, streams, []string) error, flags ...cli.Flag) *cli.Command {
	hint := fmt.Sprintf("(try 'openclaw config %s --help')", name)
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: operands, Flags: flags,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("config %s: %w %s", name, err, hint) },
		BashComplete: func(c *cli.Context) {
			if strings.HasPrefix(operands, "PATH") && !c.Args().Present() {
				completePaths(std)
			}
		},
		Action: func(c *cli.Context) error {
			args, err := trailingFlags(c)
			if err == nil && len(args) != len(strings.Fields(operands)) {
				err = fmt.Errorf("want %s", operandsText(operands))
			}
			if err != nil {
				return fmt.Errorf("config %s: %w %s", name, err, hint)
			}
			return configStatus(std, run(c, std, args))
		},
	}
}

// completePaths prints the keys that can be completed: those without a part of the user's own.
func completePaths(std streams) {
	for _, k := range config.Keys() {
		if k.Refused == "" && !strings.ContainsAny(k.Path, "<[") {
			fmt.Fprintln(std.out, k.Path)
		}
	}
}

func operandsText(operands string) string {
	if operands == "" {
		return "no arguments"
	}
	return strings.ReplaceAll(operands, " ", " and ")
}

// trailingFlags reads the options that stand behind arguments, which the library takes for arguments. All are switches.
func trailingFlags(c *cli.Context) ([]string, error) {
	var args []string
	for i, arg := range c.Args().Slice() {
		if arg == "--" {
			return append(args, c.Args().Slice()[i+1:]...), nil
		}
		name, isFlag := strings.CutPrefix(arg, "--")
		if !isFlag {
			args = append(args, arg)
			continue
		}
		if err := c.Set(name, "true"); err != nil {
			return nil, fmt.Errorf("no option %s; a value that begins with -- stands behind --", arg)
		}
	}
	return args, nil
}

// configStatus prints an error and turns it into the status of its kind.
func configStatus(std streams, err error) error {
	var status exitStatus
	var invalid *config.InvalidError
	if err == nil || errors.As(err, &status) {
		return err
	}
	fmt.Fprintf(std.err, "openclaw: %v\n", err)
	if errors.As(err, &invalid) && !invalid.Refused {
		return exitStatus(statusConfigInvalid)
	}
	return exitStatus(statusConfigFailed)
}

// configProblem is a mistake as --json prints it.
type configProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Nearest string `json:"nearest,omitempty"`
}

// configFailure is what --json prints when a command fails.
type configFailure struct {
	OK    bool `json:"ok"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	File     string          `json:"file,omitempty"`
	Problems []configProblem `json:"problems,omitempty"`
	More     int             `json:"more,omitempty"`
}

// failedJSON prints an error as JSON where that is asked for, and hands it on.
func failedJSON(c *cli.Context, std streams, err error) error {
	if err == nil || !c.Bool("json") {
		return err
	}
	var failure configFailure
	failure.Error.Type, failure.Error.Message = "cli_error", err.Error()
	var invalid *config.InvalidError
	if errors.As(err, &invalid) {
		failure.File, failure.More = invalid.File, invalid.More
		for _, p := range invalid.Problems {
			failure.Problems = append(failure.Problems, configProblem{p.File, p.Line, p.Column, p.Path, string(p.Reason), p.Message, p.Nearest})
		}
	}
	return errors.Join(err, printJSON(std.out, failure))
}

func configGet(c *cli.Context, std streams, args []string) error {
	return failedJSON(c, std, printValue(c, std, args[0]))
}

func printValue(c *cli.Context, std streams, text string) error {
	path, err := json5.ParsePath(text)
	if err != nil {
		return err
	}
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	value := conf.Value(path)
	if value == nil {
		return fmt.Errorf("config: %v is not set%s", path, defaultText(path))
	}
	out := value.JSON()
	if value.Kind == json5.String && !c.Bool("json") {
		out = value.Str
	}
	_, err = fmt.Fprintln(std.out, out)
	return err
}

// defaultText says what holds for a key that is not set, or that there is no such key.
func defaultText(path json5.Path) string {
	key, known := config.KeyAt(path)
	switch {
	case !known:
		return ", and there is no such key"
	case key.Refused != "":
		return ": the key " + key.Refused
	case key.Default != "":
		return " (default: " + key.Default + ")"
	}
	return ""
}

func configSet(c *cli.Context, std streams, args []string) error {
	value, err := parseValue(args[1], c.Bool("json"), c.Bool("string"))
	if err != nil {
		return err
	}
	return changeConfig(c, std, args[0], value)
}

func configUnset(c *cli.Context, std streams, args []string) error {
	return changeConfig(c, std, args[0], nil)
}

// parseValue reads a value of the command line.
func parseValue(text string, strict, plain bool) (*json5.Node, error) {
	if strict && plain {
		return nil, errors.New("config set: --json and --string exclude each other")
	}
	if !plain {
		doc, err := json5.Parse("VALUE", text)
		if err == nil && len(doc.Duplicates) > 0 {
			return nil, fmt.Errorf("config set: VALUE has the key %v twice", doc.Duplicates[0].Path)
		}
		if err == nil {
			return doc.Root, nil
		}
		if strict {
			return nil, err
		}
	}
	doc, err := json5.Parse("VALUE", json5.Quote(text))
	if err != nil {
		return nil, err
	}
	return doc.Root, nil
}

func changeConfig(c *cli.Context, std streams, text string, value *json5.Node) error {
	path, err := json5.ParsePath(text)
	if err != nil {
		return err
	}
	edit := config.Edit{Path: path, Value: value, Merge: c.Bool("merge"), Drop: c.Bool("replace"), DryRun: c.Bool("dry-run")}
	if edit.Merge && edit.Drop {
		return errors.New("config set: --merge and --replace exclude each other")
	}
	outcome, err := config.Change(c.Context, config.Options{}, edit)
	if err != nil {
		return err
	}
	for _, p := range outcome.Remaining {
		fmt.Fprintf(std.err, "openclaw: still wrong: %v\n", p)
	}
	if outcome.StillSet != "" {
		fmt.Fprintf(std.err, "openclaw: %v is still set by %s\n", path, outcome.StillSet)
	}
	_, err = fmt.Fprintln(std.out, changeText(path, edit, outcome))
	return err
}

func changeText(path json5.Path, edit config.Edit, outcome *config.Outcome) string {
	verb := "set"
	if edit.Value == nil {
		verb = "removed"
	}
	switch {
	case !outcome.Changed:
		return fmt.Sprintf("%v is so already in %s", path, outcome.File)
	case edit.DryRun:
		return fmt.Sprintf("%v would be %s in %s", path, verb, outcome.File)
	case outcome.Backup != "":
		return fmt.Sprintf("%v is %s in %s (before: %s)", path, verb, outcome.File, outcome.Backup)
	}
	return fmt.Sprintf("%v is %s in %s", path, verb, outcome.File)
}

func configFile(c *cli.Context, std streams, _ []string) error {
	location, err := config.Locate(config.Options{})
	if err != nil {
		return failedJSON(c, std, err)
	}
	if c.Bool("json") {
		return printJSON(std.out, struct {
			File     string `json:"file"`
			StateDir string `json:"stateDir"`
		}{location.File, location.StateDir})
	}
	_, err = fmt.Fprintln(std.out, location.File)
	return err
}

func configSchema(_ *cli.Context, std streams, _ []string) error {
	schema, err := config.Schema()
	if err != nil {
		return err
	}
	_, err = std.out.Write(schema)
	return err
}

func configValidate(c *cli.Context, std streams, _ []string) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return failedJSON(c, std, err)
	}
	if c.Bool("json") {
		return printJSON(std.out, struct {
			OK     bool   `json:"ok"`
			File   string `json:"file"`
			Exists bool   `json:"exists"`
		}{true, conf.File, conf.Exists})
	}
	text := "%s is valid\n"
	if !conf.Exists {
		text = "%s does not exist: every setting has its default\n"
	}
	_, err = fmt.Fprintf(std.out, text, conf.File)
	return err
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// statusToolFailed is the exit status of a tool that could not do what it was asked.
const statusToolFailed = 1

const toolUsage = `openclaw tool NAME [OPTIONS] ARGUMENTS

NAME is read, write, edit, apply_patch or exec. ARGUMENTS is the tool's JSON object, or "-"
to read it from standard input. The tool runs inside WebAssembly, in the workspace.

The exit status is 0 when the tool did what it was asked, 1 when it could not (the reason
is on standard error), 124 when its deadline ended it, 125 when the sandbox failed or the
arguments were wrong.

EXAMPLES
   openclaw tool read '{"path": "README.md", "limit": 20}'
   openclaw tool write '{"path": "notes/today.md", "content": "hello\n"}'
   openclaw tool edit '{"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}'
   openclaw tool apply_patch --json - < arguments.json`

func toolCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "tool",
		Usage:     "call one of the agent's tools in the sandbox",
		UsageText: toolUsage,
		ArgsUsage: "NAME ARGUMENTS",
		Flags: append(grantFlags(),
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print the result as one JSON object"},
		),
		BashComplete: func(*cli.Context) { fmt.Fprintln(std.out, strings.Join(toolwasm.ToolNames(), "\n")) },
		Action:       func(c *cli.Context) error { return runTool(c, std) },
	}
}

func runTool(c *cli.Context, std streams) error {
	args, err := reparse(c)
	if err != nil {
		return err
	}
	if len(args) != 2 {
		return errors.New("tool: want a name and a JSON object (try 'openclaw tool --help')")
	}
	grant, release, err := openGrant(c, args[0])
	if err != nil {
		return err
	}
	defer release()
	arguments := []byte(args[1])
	if args[1] == "-" {
		if arguments, err = io.ReadAll(io.LimitReader(std.in, toolwasm.MaxArguments+1)); err != nil {
			return fmt.Errorf("tool %s: read arguments: %w", args[0], err)
		}
	}
	tools, err := openTools(c.Context, std, grant)
	if err != nil {
		return err
	}
	defer tools.close()
	result, err := tools.toolbox.Call(c.Context, tools.session, args[0], arguments)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return toolJSON(std, result)
	}
	if result.Failed {
		fmt.Fprintf(std.err, "openclaw: %s: %s\n", args[0], result.Text)
		return exitStatus(failedStatus(result))
	}
	_, err = fmt.Fprintln(std.out, strings.TrimSuffix(result.Text, "\n"))
	return err
}

// failedStatus is the exit status of a tool that failed: the script of exec may have met its deadline.
func failedStatus(result *toolwasm.ToolResult) int {
	if len(result.Run.Hit) > 0 && result.Run.Hit[0] == sandbox.LimitTimeout {
		return statusTimeout
	}
	return statusToolFailed
}

// toolOutput is what tool --json prints.
type toolOutput struct {
	OK       bool             `json:"ok"`
	Text     string           `json:"text"`
	Images   []toolwasm.Image `json:"images,omitempty"`
	Details  json.RawMessage  `json:"details,omitempty"`
	Duration float64          `json:"durationMs"`
	Fuel     int64            `json:"fuelUsed"`
	Changed  []string         `json:"filesChanged"`
}

func toolJSON(std streams, result *toolwasm.ToolResult) error {
	out := toolOutput{
		OK: !result.Failed, Text: result.Text, Images: result.Images, Details: result.Details,
		Duration: milliseconds(result.Run.Duration), Fuel: result.Run.Fuel, Changed: result.Run.Changed,
	}
	if out.Changed == nil {
		out.Changed = []string{}
	}
	if err := printJSON(std.out, out); err != nil {
		return err
	}
	if result.Failed {
		return exitStatus(failedStatus(result))
	}
	return nil
}

// reparse reads options that stand behind the name of the tool, which the library takes for operands.
func reparse(c *cli.Context) ([]string, error) {
	args := c.Args().Slice()
	if len(args) < 2 {
		return args, nil
	}
	set := c.Command.Flags
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-" {
		if rest[0] == "--" {
			rest = rest[1:]
			break
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(rest[0], "-"), "=")
		rest = rest[1:]
		isBool, known := flagKind(set, name)
		if !known {
			return nil, fmt.Errorf("flag provided but not defined: -%s (try 'openclaw tool --help')", name)
		}
		switch {
		case isBool && !hasValue:
			value = "true"
		case !hasValue && len(rest) == 0:
			return nil, fmt.Errorf("flag needs an argument: -%s (try 'openclaw tool --help')", name)
		case !hasValue:
			value, rest = rest[0], rest[1:]
		}
		if err := c.Set(name, value); err != nil {
			return nil, fmt.Errorf("invalid value %q for flag -%s: %w", value, name, err)
		}
	}
	return append(args[:1:1], rest...), nil
}

func flagKind(flags []cli.Flag, name string) (isBool, known bool) {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				_, isBool = f.(*cli.BoolFlag)
				return isBool, true
			}
		}
	}
	return false, false
}

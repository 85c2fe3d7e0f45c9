package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// statusToolFailed is the exit status of a tool that could not do what it was asked.
const statusToolFailed = 1

const toolUsage = `openclaw tool NAME [OPTIONS] ARGUMENTS

NAME is read, write, edit, apply_patch, exec, ls, grep or find. ARGUMENTS is the tool's JSON
object, or "-" to read it from standard input; 'openclaw tool NAME --help' lists its members.
The tool runs inside WebAssembly, in the workspace.

The exit status is 0 when the tool did what it was asked, whatever the status of a script
that exec ran; 1 when it could not (the reason is on standard error); 124 when its deadline
ended it; 125 when another limit did, the sandbox failed or the arguments were wrong; 130
when it was interrupted.

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
		HideHelp:  true, // it has its own
		Flags: append(grantFlags(),
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print the result as one JSON object"},
			&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, DisableDefaultText: true, Usage: "show help, or with NAME the arguments of that tool"},
		),
		BashComplete: func(*cli.Context) { fmt.Fprintln(std.out, strings.Join(toolwasm.ToolNames(), "\n")) },
		Action:       func(c *cli.Context) error { return runTool(c, std) },
	}
}

func runTool(c *cli.Context, std streams) error {
	args, err := reparse(c)
	if err != nil {
		return fmt.Errorf("tool: %w (try 'openclaw tool --help')", err)
	}
	if c.Bool("help") {
		return helpTool(c, std, args)
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
	if result.Failed && result.Limit == nil {
		reason := strings.TrimPrefix(result.Text, args[0]+": ")
		fmt.Fprintf(std.err, "openclaw: %s: %s\n", args[0], reason)
		return exitStatus(statusToolFailed)
	}
	if _, err := fmt.Fprintln(std.out, strings.TrimSuffix(result.Text, "\n")); err != nil {
		return err
	}
	return toolStatus(std, result)
}

// toolStatus is the exit status of a tool. What ended a script is named, as its output has been printed like any other's.
func toolStatus(std streams, result *toolwasm.ToolResult) error {
	switch {
	case result.Limit != nil:
		fmt.Fprintf(std.err, "openclaw: exec: %s\n", strings.TrimPrefix(result.Limit.Error(), "sandbox: run: "))
		if result.Limit.Limit == sandbox.LimitTimeout {
			return exitStatus(statusTimeout)
		}
		return exitStatus(statusSandbox)
	case result.Failed:
		return exitStatus(statusToolFailed)
	}
	return nil
}

// helpTool shows the arguments of a tool, or without one the help of the command.
func helpTool(c *cli.Context, std streams, args []string) error {
	if len(args) == 0 {
		return cli.ShowSubcommandHelp(c)
	}
	tool, ok := toolwasm.ToolByName(args[0])
	if !ok {
		return fmt.Errorf("tool: unknown tool %q; there are %s", args[0], strings.Join(toolwasm.ToolNames(), ", "))
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "openclaw tool %s [OPTIONS] ARGUMENTS\n\n%s\n\nARGUMENTS, a JSON object:\n", tool.Name, tool.About)
	helpArguments(w, "", tool.Arguments)
	fmt.Fprintf(w, "\nEXAMPLE\n   openclaw tool %s '%s'\n\n'openclaw tool --help' lists the options.\n", tool.Name, tool.Example)
	return w.Flush()
}

func helpArguments(w io.Writer, where string, arguments []toolwasm.Argument) {
	for _, a := range arguments {
		required := ""
		if a.Required {
			required = ", required"
		}
		fmt.Fprintf(w, "   %s%s\t%s%s\t%s\n", where, a.Name, a.Type, required, a.About)
		helpArguments(w, where+a.Name+"[].", a.Items)
	}
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
	return toolStatus(std, result)
}

// reparse reads options that stand behind the name of the tool, or behind its arguments, which the library takes for
// operands.
func reparse(c *cli.Context) ([]string, error) {
	var operands []string
	flags := c.Command.Flags
	for rest := c.Args().Slice(); len(rest) > 0; {
		word := rest[0]
		rest = rest[1:]
		if word == "--" && len(operands) > 0 {
			return append(operands, rest...), nil
		}
		if !isOption(word) {
			operands = append(operands, word)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		isSwitch, known := flagKind(flags, name)
		switch {
		case !known:
			return nil, errUnknownFlag(flags, name)
		case isSwitch && !hasValue:
			value = "true"
		case !hasValue && len(rest) == 0:
			return nil, fmt.Errorf("option %s needs a value", dashed(name))
		case !hasValue:
			value, rest = rest[0], rest[1:]
		}
		if err := c.Set(name, value); err != nil {
			return nil, errBadValue(flags, name, value)
		}
	}
	return operands, nil
}

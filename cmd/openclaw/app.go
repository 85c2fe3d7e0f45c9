package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/sandbox"
)

// Exit statuses of the command beside those of scripts.
const (
	statusTimeout     = 124 // the deadline ended the script
	statusSandbox     = 125 // the sandbox failed, the command line was wrong, or another limit ended the script
	statusInterrupted = 130 // Ctrl-C
)

// exitStatus carries a status through the command line library without a message.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is the whole program. It returns the exit status.
func run(ctx context.Context, args []string, std streams) int {
	if completionAsked(args) {
		_ = complete(std.out, args[1:len(args)-1]) // a shell that went away needs no answer
		return 0
	}
	err := newApp(std).RunContext(ctx, args)
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(std.err, "openclaw: %v\n", err)
	return statusOf(ctx, err)
}

func statusOf(ctx context.Context, err error) int {
	var limit *sandbox.LimitError
	var invalid *config.InvalidError
	switch {
	case errors.As(err, &invalid):
		return statusConfigInvalid
	case errors.As(err, &limit) && limit.Limit == sandbox.LimitTimeout:
		return statusTimeout
	case ctx.Err() != nil:
		return statusInterrupted
	}
	return statusSandbox
}

func newApp(std streams) *cli.App {
	app := &cli.App{
		Name:                   "openclaw",
		Usage:                  "an agent's tools, inside WebAssembly",
		UsageText:              "openclaw COMMAND [OPTIONS] [ARGUMENTS]",
		Reader:                 std.in,
		Writer:                 std.out,
		ErrWriter:              std.err,
		HideVersion:            true,
		UseShortOptionHandling: false,
		// A value with a comma in it is one value.
		DisableSliceFlagSeparator: true,
		Commands: []*cli.Command{
			execCommand(std),
			toolCommand(std),
			configCommand(std),
			setupCommand(std),
			promptCommand(std),
			sandboxCommand(std),
			versionCommand(std),
			completionCommand(std),
		},
		Action:         requireCommand,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   plainUsageError,
	}
	for _, c := range app.Commands {
		c.OnUsageError = plainUsageError
	}
	hideHelpCommands(app.Commands)
	return app
}

// hideHelpCommands keeps the operand "help" of a command from being a command of its own.
func hideHelpCommands(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = len(c.Subcommands) == 0
		hideHelpCommands(c.Subcommands)
	}
}

// plainUsageError leaves a mistake to run, which prints it in one line.
func plainUsageError(c *cli.Context, err error, _ bool) error {
	name := "openclaw"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "openclaw" {
		name += " " + c.Command.Name
	}
	return fmt.Errorf("%w (try '%s --help')", err, name)
}

// requireCommand shows the help when nothing is asked for, and names a command that does not exist.
func requireCommand(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("unknown command %q (try 'openclaw --help')", c.Args().First())
	}
	return cli.ShowAppHelp(c)
}

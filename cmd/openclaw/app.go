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
	statusTimeout = 124 // the deadline ended the script
	statusSandbox = 125 // the sandbox failed, the command line was wrong, or another limit ended the script
	statusSignal  = 128 // and the number of the signal, as shells have it: 130 for Ctrl-C
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
	fmt.Fprintf(std.err, "openclaw: %s\n", plainText(err))
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
		return statusOfSignal(ctx)
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
			agentCommand(std),
			chatCommand(std),
			demoCommand(std),
			statusCommand(std),
			agentsCommand(std),
			execCommand(std),
			toolCommand(std),
			configCommand(std),
			sessionsCommand(std),
			modelsCommand(std),
			setupCommand(std),
			promptCommand(std),
			sandboxCommand(std),
			skillsCommand(std),
			programsCommand(std),
			versionCommand(std),
			completionCommand(std),
		},
		Flags:          []cli.Flag{&cli.BoolFlag{Name: "version", Aliases: []string{"v"}, DisableDefaultText: true, Usage: "show the version"}},
		Action:         func(c *cli.Context) error { return requireCommand(c, std) },
		ExitErrHandler: func(*cli.Context, error) {},
	}
	app.OnUsageError = func(c *cli.Context, err error, sub bool) error {
		return plainUsageError(c, flagError(app.Flags, err), sub)
	}
	for _, c := range app.Commands {
		c.OnUsageError = plainUsageError
	}
	adapt(app.Commands)
	return app
}

// adapt makes the library treat every command as this program wants: an operand "help" is not a command of its own, and
// mistakes in options are told in the same words.
func adapt(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = len(c.Subcommands) == 0
		if tell := c.OnUsageError; tell != nil {
			c.OnUsageError = func(ctx *cli.Context, err error, sub bool) error { return tell(ctx, flagError(c.Flags, err), sub) }
		}
		adapt(c.Subcommands)
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
func requireCommand(c *cli.Context, std streams) error {
	switch {
	case c.Args().Present():
		return errUnknownCommand(c.Args().First(), c.App.Commands)
	case c.Bool("version"):
		return printVersion(std)
	}
	return cli.ShowAppHelp(c)
}

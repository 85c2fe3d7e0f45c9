package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

const execUsage = `openclaw exec [OPTIONS] -- SCRIPT [ARG...]

SCRIPT runs as "bash -c SCRIPT bash ARG..." would, inside WebAssembly, in the workspace.
It can read and change that directory and a private /tmp, and nothing else: no other
file, no network, no process, no variable of this environment.

The exit status is the script's; 124 when the deadline ended it; 125 when the sandbox
failed or another limit ended it; 130 when it was interrupted.

EXAMPLES
   openclaw exec -- 'grep -rn TODO . | sort | head'
   openclaw exec --read-only --timeout 5s -- 'find . -name "*.go" | xargs wc -l'
   openclaw exec --json -- 'echo "$1"' hello
   openclaw exec --session agent:main:telegram:group:7 -- 'ls -l'`

func execCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "exec",
		Usage:     "run a shell script in the sandbox",
		UsageText: execUsage,
		ArgsUsage: "-- SCRIPT [ARG...]",
		Flags: append(grantFlags(),
			&cli.StringSliceFlag{Name: "env", Usage: "set a variable for the script: `K=V` (repeatable)"},
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object with output, status, limits and changed files"},
		),
		Action: func(c *cli.Context) error { return runExec(c, std) },
	}
}

func runExec(c *cli.Context, std streams) error {
	if !c.Args().Present() {
		return errors.New("exec: no script given (try 'openclaw exec -- \"ls -l\"')")
	}
	env, err := envOf(c) // before anything is opened
	if err != nil {
		return err
	}
	grant, release, err := openGrant(c, toolwasm.ToolExec)
	if err != nil {
		return err
	}
	defer release()
	tools, err := openTools(c.Context, std, grant)
	if err != nil {
		return err
	}
	defer tools.close()
	script := toolwasm.Script{
		Text: c.Args().First(), Args: c.Args().Tail(), Env: env,
		Stdin: std.in, Stdout: std.out, Stderr: std.err,
	}
	if c.Bool("json") {
		return execJSON(c, std, tools, script)
	}
	result, err := tools.toolbox.Exec(c.Context, tools.session, script)
	if result != nil {
		reportLimits(std.err, grant.Limits, result, err)
	}
	if err != nil {
		return err
	}
	return exitStatus(result.ExitCode)
}

// envOf reads --env. What is not NAME=value may still hold a secret, so it is told by its number.
func envOf(c *cli.Context) ([]string, error) {
	env := c.StringSlice("env")
	for i := range env {
		if err := (sandbox.Grant{Env: env[i : i+1]}).Check(); err != nil {
			return nil, fmt.Errorf("--env number %d: not NAME=value", i+1)
		}
	}
	return env, nil
}

// reportLimits says what the script ran into without being ended by it.
func reportLimits(w io.Writer, limits sandbox.Limits, result *sandbox.Result, err error) {
	var ended *sandbox.LimitError
	errors.As(err, &ended)
	if result.Truncated && (ended == nil || ended.Limit != sandbox.LimitOutput) {
		fmt.Fprintf(w, "openclaw: output limit of %d bytes reached: the rest was dropped (--max-output)\n", limits.Output)
	}
	for _, l := range result.Hit {
		if l == sandbox.LimitOutput || ended != nil && ended.Limit == l {
			continue
		}
		fmt.Fprintf(w, "openclaw: %s limit reached\n", l)
	}
}

// execResult is what exec --json prints.
type execResult struct {
	ExitCode   int      `json:"exitCode"`
	Stdout     string   `json:"stdout"`
	Stderr     string   `json:"stderr"`
	Truncated  bool     `json:"truncated"`
	Duration   float64  `json:"durationMs"`
	Fuel       int64    `json:"fuelUsed"`
	PeakMemory int64    `json:"peakMemoryBytes"`
	Limit      *string  `json:"limit"` // null when none was reached
	Changed    []string `json:"filesChanged"`
	Error      string   `json:"error,omitempty"`
}

func execJSON(c *cli.Context, std streams, tools *tools, script toolwasm.Script) error {
	var stdout, stderr bytes.Buffer
	script.Stdout, script.Stderr = &stdout, &stderr
	result, err := tools.toolbox.Exec(c.Context, tools.session, script)
	if result == nil {
		return err
	}
	out := execResult{
		ExitCode: result.ExitCode, Stdout: validText(stdout.Bytes()), Stderr: validText(stderr.Bytes()),
		Truncated: result.Truncated, Duration: milliseconds(result.Duration), Fuel: result.Fuel,
		PeakMemory: result.PeakMemory, Changed: result.Changed,
	}
	if out.Changed == nil {
		out.Changed = []string{}
	}
	if len(result.Hit) > 0 {
		l := string(result.Hit[0])
		out.Limit = &l
	}
	if err != nil {
		out.ExitCode = statusOf(c.Context, err)
		out.Error = err.Error()
		fmt.Fprintf(std.err, "openclaw: %v\n", err)
	}
	if err := printJSON(std.out, out); err != nil {
		return err
	}
	return exitStatus(out.ExitCode)
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// validText replaces what is no UTF-8, as JSON cannot hold it.
func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

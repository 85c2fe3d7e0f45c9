package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

const execUsage = `openclaw exec [OPTIONS] -- SCRIPT [ARG...]

SCRIPT runs as "bash -c SCRIPT bash ARG..." would, inside WebAssembly, in the workspace.
It can read and change that directory and a private /tmp, and nothing else: no other
file, no network, no process, no variable of this environment.

The exit status is the script's; 124 when the deadline ended it; 125 when the sandbox
failed or another limit ended it; 130 when it was interrupted, 143 when it was terminated.

SCRIPT is one argument: "openclaw exec ls -l" runs the script "ls" with $1 set to "-l". Quote
it, as in the examples. Options stand before SCRIPT; what follows it is the script's.
With --json, output that is not UTF-8 is also there as it was, in the members stdoutBase64
and stderrBase64.

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
		fmt.Fprintf(w, "openclaw: %s limit%s reached\n", l, limitNote(limits, l))
	}
}

// limitNote is the value of a limit and the option that sets it, where there is one.
func limitNote(limits sandbox.Limits, l sandbox.Limit) string {
	switch l {
	case sandbox.LimitDisk:
		return fmt.Sprintf(" of %s (--disk)", byteText(limits.Disk))
	case sandbox.LimitFileSize:
		return fmt.Sprintf(" of %s (--disk raises it)", byteText(limits.FileSize))
	case sandbox.LimitFiles:
		return fmt.Sprintf(" of %d", sandbox.DefaultFiles)
	case sandbox.LimitHandles:
		return fmt.Sprintf(" of %d", sandbox.DefaultHandles)
	case sandbox.LimitDepth:
		return fmt.Sprintf(" of %d", sandbox.DefaultDepth)
	case sandbox.LimitPrograms:
		return fmt.Sprintf(" of %d at once", sandbox.DefaultPrograms)
	}
	return ""
}

// execResult is what exec --json prints.
type execResult struct {
	ExitCode int    `json:"exitCode"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	// What was written, when it is not the UTF-8 that JSON can hold.
	StdoutBase64 []byte `json:"stdoutBase64,omitempty"`
	StderrBase64 []byte `json:"stderrBase64,omitempty"`

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
		StdoutBase64: notText(stdout.Bytes()), StderrBase64: notText(stderr.Bytes()),
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
		out.Error = plainText(err)
		fmt.Fprintf(std.err, "openclaw: %s\n", out.Error)
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

// notText returns b when validText would change it.
func notText(b []byte) []byte {
	if utf8.Valid(b) {
		return nil
	}
	return b
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

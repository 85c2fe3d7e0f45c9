package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// statusAgentFailed is the exit status of a run that failed or took too long.
const statusAgentFailed = 1

// defaultRunTimeout bounds a run from the command line when neither an option nor the configuration does.
const defaultRunTimeout = 600

// maxMessageBytes bounds a message from a file.
const maxMessageBytes = 4 << 20

const agentUsage = `openclaw agent -m TEXT [OPTIONS]

Gives the message to the agent and prints its answer. The agent's tools run in the sandbox of
the session; a line for each call, with its duration, goes to standard error. Ctrl-C ends the
run cleanly: the conversation can go on from there.

Without --session-key and --session-id the message goes to the agent's main session.

The exit status is 0 when there is an answer, 1 when the run failed or took too long, 78 when
the configuration is not valid, 125 when the command line is wrong, 130 after Ctrl-C, 143 when
it was terminated. With --json exactly one object is printed, also when the run failed.

EXAMPLES
   openclaw agent -m "What is in my workspace?"
   openclaw agent --agent ops --session-key agent:ops:report -m "Summarise today's log" --json
   openclaw agent --model anthropic/claude-haiku-4-5 --thinking low -m "Tidy up notes.md"
   openclaw demo                              a whole run without a key and without the network`

func agentCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "agent",
		Usage:     "give the agent a message, and print its answer",
		UsageText: agentUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "the message is `TEXT`"},
			&cli.StringFlag{Name: "message-file", Usage: "the message is the text of `FILE`; - is standard input"},
			&cli.StringFlag{Name: "agent", Usage: "the agent `ID`", DefaultText: "the session's, or the default one"},
			&cli.StringFlag{Name: "session-key", Usage: "the session of the `KEY` or of that name, which is made when it is missing", DefaultText: "the agent's main session"},
			&cli.StringFlag{Name: "session-id", Usage: "the session that has the `ID`"},
			&cli.StringFlag{Name: "model", Usage: "ask the model `REF`, provider/model or an alias, this time"},
			&cli.StringFlag{Name: "thinking", Usage: "how much the model thinks: `LEVEL` is off, minimal, low, medium, high, xhigh, adaptive, max or ultra"},
			&cli.StringFlag{Name: "verbose", Usage: "`on` shows thinking and the results of tools on standard error", Value: "off"},
			&cli.StringFlag{Name: "timeout", Usage: "end the run after `SECONDS`; 0 is no bound", DefaultText: "agents.defaults.timeoutSeconds, or 600"},
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error { return runAgent(c, std) },
	}
}

func runAgent(c *cli.Context, std streams) error {
	turn, verbose, err := turnOf(c, std)
	if err != nil {
		return err
	}
	outcome, err := agentTurn(c, std, turn, verbose)
	if c.Bool("json") {
		if printed := printJSON(std.out, agentResultOf(turn, outcome, err)); printed != nil {
			err = errors.Join(err, printed)
		}
	}
	if err == nil {
		return nil
	}
	fmt.Fprintf(std.err, "openclaw: %s%s\n", plainText(err), agentHint(outcome, err))
	return exitStatus(agentStatus(c.Context, err))
}

// agentHint says what to do about a failure, where that is known.
func agentHint(outcome *agent.Outcome, err error) string {
	var busy *session.BusyError
	switch {
	case outcome != nil && outcome.Answers == 0 && model.KindOf(err) == model.KindAuth:
		return " (see 'openclaw models status'; 'openclaw demo' needs no key)"
	case errors.Is(err, agent.ErrNoDefault):
		return " with --agent"
	case errors.Is(err, session.ErrNotFound):
		return " (see 'openclaw sessions list')"
	case errors.As(err, &busy):
		return ": try again when that has ended"
	}
	return ""
}

// agentStatus is the exit status of a run that did not end well.
func agentStatus(ctx context.Context, err error) int {
	var invalid *config.InvalidError
	switch {
	case errors.As(err, &invalid):
		return statusConfigInvalid
	case ctx.Err() != nil:
		return statusOfSignal(ctx)
	}
	return statusAgentFailed
}

// turnOf reads the command line.
func turnOf(c *cli.Context, std streams) (t agent.Turn, verbose bool, err error) {
	fail := func(format string, a ...any) (agent.Turn, bool, error) {
		return t, false, fmt.Errorf("agent: "+format+" (try 'openclaw agent --help')", a...)
	}
	if c.Args().Present() {
		return fail("unexpected argument %q: the message is -m TEXT", c.Args().First())
	}
	for _, name := range []string{"agent", "session-key", "session-id", "model", "thinking"} {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return fail("--%s is blank", name)
		}
	}
	if c.IsSet("session-key") && c.IsSet("session-id") {
		return fail("--session-key and --session-id name the session: give one of them")
	}
	switch c.String("verbose") {
	case "on":
		verbose = true
	case "off":
	default:
		return fail("--verbose %q: on or off", c.String("verbose"))
	}
	t = agent.Turn{
		Agent: c.String("agent"), Session: c.String("session-key"), SessionID: c.String("session-id"), Model: c.String("model"),
		Thinking: c.String("thinking"),
	}
	if t.Timeout, err = runTimeout(c); err != nil {
		return fail("%w", err)
	}
	t.Message, err = messageOf(c, std)
	if err != nil {
		return fail("%w", err)
	}
	return t, verbose, nil
}

// runTimeout reads --timeout; 0 leaves it to the configuration.
func runTimeout(c *cli.Context) (time.Duration, error) {
	if !c.IsSet("timeout") {
		return 0, nil
	}
	seconds, err := parseSeconds(strings.TrimSuffix(c.String("timeout"), "s"))
	switch {
	case err != nil:
		return 0, fmt.Errorf("--timeout %q: not a number of seconds", c.String("timeout"))
	case seconds == 0:
		return -1, nil
	}
	return seconds, nil
}

// parseSeconds reads a number of seconds, without a unit: 5m is no number, and not five milliseconds.
func parseSeconds(text string) (time.Duration, error) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, errors.New("not a number")
	}
	return time.ParseDuration(text + "s")
}

func messageOf(c *cli.Context, std streams) (string, error) {
	switch {
	case c.IsSet("message") && c.IsSet("message-file"):
		return "", errors.New("--message and --message-file give the message: give one of them")
	case c.IsSet("message"):
		if strings.TrimSpace(c.String("message")) == "" {
			return "", errors.New("the message is blank")
		}
		return c.String("message"), nil
	case !c.IsSet("message-file"):
		return "", errors.New("no message: give it with -m TEXT")
	}
	return readMessage(c.String("message-file"), std.in)
}

func readMessage(name string, in io.Reader) (string, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("--message-file: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxMessageBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("--message-file %s: %w", name, err)
	case len(text) > maxMessageBytes:
		return "", fmt.Errorf("--message-file %s: it has more than %d bytes", name, maxMessageBytes)
	case !utf8.Valid(text):
		return "", fmt.Errorf("--message-file %s: it is not UTF-8", name)
	case strings.TrimSpace(string(text)) == "":
		return "", fmt.Errorf("--message-file %s: the message is blank", name)
	}
	return string(text), nil
}

// agentTurn runs a turn and shows it.
func agentTurn(c *cli.Context, std streams, turn agent.Turn, verbose bool) (*agent.Outcome, error) {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return nil, err
	}
	if turn.Timeout == 0 {
		turn.Timeout = configuredTimeout(conf)
	}
	host, err := openHost(c.Context, std, conf)
	if err != nil {
		return nil, err
	}
	defer func() { host.close(std.err) }()
	if !c.Bool("json") {
		p := newAgentPrinter(std, verbose)
		defer p.status.close()
		turn.On = p.event
	}
	outcome, err := host.runtime.Run(c.Context, turn)
	host.settle(c.Context, std.err)
	if outcome != nil {
		for _, w := range outcome.Warnings {
			fmt.Fprintf(std.err, "openclaw: warning: %s\n", printable(w))
		}
	}
	return outcome, err
}

// configuredTimeout is that of a run from the command line: the configuration's, when it sets one.
func configuredTimeout(conf *config.Config) time.Duration {
	path := json5.Path{json5.Key("agents"), json5.Key("defaults"), json5.Key("timeoutSeconds")}
	if _, set := conf.Origin(path); set {
		return 0
	}
	return defaultRunTimeout * time.Second
}

// host is what a run works with.
type host struct {
	runtime *agent.Runtime
	models  *models.Registry
	state   *state.DB
	engine  *sandbox.Engine // nil until the tools are needed
}

func openHost(ctx context.Context, std streams, conf *config.Config) (*host, error) {
	db, err := state.Open(ctx, conf.StateDir)
	if err != nil {
		return nil, err
	}
	registry, err := models.New(conf, models.Options{Store: db})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	h := &host{state: db, models: registry}
	report := newCompileReport(std.err)
	h.runtime = agent.New(agent.Options{
		Config: conf, State: h.state, Models: registry,
		Toolbox: func(ctx context.Context) (*sandbox.Sandbox, *toolwasm.Toolbox, error) { return h.toolbox(ctx, report) },
	})
	return h, nil
}

// toolbox makes the tools ready.
func (h *host) toolbox(ctx context.Context, report *compileReport) (*sandbox.Sandbox, *toolwasm.Toolbox, error) {
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{Progress: report.progress})
	if err != nil {
		return nil, nil, err
	}
	h.engine = engine
	box := sandbox.New(engine)
	toolbox, err := toolwasm.Load(ctx, box)
	return box, toolbox, err
}

// settleTime is how long commands in the background may go on after a run; then they are ended with the process.
const settleTime = 10 * time.Second

// settle lets commands in the background end, and says what is waited for when that takes a while.
func (h *host) settle(ctx context.Context, w io.Writer) {
	soon, cancel := context.WithTimeout(ctx, progressInterval)
	defer cancel()
	if h.runtime.Settle(soon) == nil || ctx.Err() != nil {
		return
	}
	fmt.Fprintf(w, "openclaw: commands still run in the background: they are ended after %s, or at once by Ctrl-C; the next turn reads what they wrote\n", settleTime)
	later, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	_ = h.runtime.Settle(later) // what still runs then is ended by close
}

func (h *host) close(w io.Writer) {
	if err := h.runtime.Close(context.Background()); err != nil {
		fmt.Fprintf(w, "openclaw: %s\n", plainText(err))
	}
	if h.engine != nil {
		_ = h.engine.Close(context.Background())
	}
	_ = h.state.Close()
}

// agentResult is what agent --json prints.
type agentResult struct {
	OK bool `json:"ok"`
	*agent.Outcome
	CostUSD float64     `json:"costUsd"`
	Error   *agentError `json:"error,omitempty"`
}

type agentError struct {
	Type    string `json:"type"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func agentResultOf(turn agent.Turn, o *agent.Outcome, err error) agentResult {
	if o == nil {
		o = &agent.Outcome{
			RunID: turn.RunID, Agent: turn.Agent, SessionKey: turn.Session, SessionID: turn.SessionID, Started: time.Now().UTC(),
			Status: agent.StatusError, Payloads: []string{}, Tools: []agent.ToolUse{},
		}
	}
	r := agentResult{OK: err == nil, Outcome: o, CostUSD: o.Usage.Cost.Total}
	if err != nil {
		r.Error = &agentError{Type: "cli_error", Kind: errorKind(o, err), Message: plainText(err)}
	}
	return r
}

// errorKind is the kind of a failure for a program to decide on.
func errorKind(o *agent.Outcome, err error) string {
	var invalid *config.InvalidError
	var failed *model.Error
	switch {
	case errors.As(err, &invalid):
		return "invalid_config"
	case o.Status != agent.StatusError: // whatever else had gone wrong by then
		return string(o.Status)
	case errors.As(err, &failed):
		return string(failed.Kind)
	}
	return "error"
}

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"openclaw/runtime/confinement"
	"openclaw/toolwasm"
)

const toolProcess = confinement.ToolProcess

// Bounds of process.
const (
	defaultPoll = 2 * time.Second
	maxPoll     = 30 * time.Second
	// settle is how long poll waits for more, or for the end, once something has come.
	settle = 50 * time.Millisecond
	// defaultLog is how many lines log shows without being told.
	defaultLog = 200
	// killWait is how long a guest may take to end.
	killWait = 10 * time.Second
)

// Actions of process.
const (
	actionList     = "list"
	actionPoll     = "poll"
	actionLog      = "log"
	actionWrite    = "write"
	actionSendKeys = "send-keys"
	actionSubmit   = "submit"
	actionPaste    = "paste"
	actionKill     = "kill"
	actionClear    = "clear"
	actionRemove   = "remove"
)

func actions() []string {
	return []string{
		actionList, actionPoll, actionLog, actionWrite, actionSendKeys, actionSubmit, actionPaste, actionKill, actionClear, actionRemove,
	}
}

func describeProcess() toolwasm.Tool {
	return toolwasm.Tool{
		Name: toolProcess,
		About: "Look after commands that exec put into the background. list shows them; poll waits for new output or the end; log shows " +
			"what was written before; write, submit, paste and send-keys give input; kill ends one; clear forgets one that has ended; remove does both.",
		Arguments: []toolwasm.Argument{
			{Name: "action", Type: "string", Required: true, Enum: actions(), About: "what to do"},
			{Name: "sessionId", Type: "string", About: "the command, as exec named it; all actions but list need it"},
			{Name: "timeout", Type: "number", Least: bound(0), About: "of poll: how many milliseconds to wait for something new, up to 30000; 2000 without it"},
			{Name: "offset", Type: "integer", Least: bound(0), About: "of log: how many lines to pass over from the beginning"},
			{Name: "limit", Type: "integer", Least: bound(1), About: "of log: how many lines to show; the last 200 without offset and limit"},
			{Name: "data", Type: "string", About: "of write: what to write to standard input, as it is"},
			{Name: "eof", Type: "boolean", About: "of write: close standard input afterwards"},
			{Name: "text", Type: "string", About: "of submit: a line of input, without its end; of paste: the text"},
			{Name: "bracketed", Type: "boolean", About: "of paste: put the marks of a bracketed paste around the text"},
			{Name: "keys", Type: "array", Of: "string", About: "of send-keys: names such as Enter, Tab, Escape, Up, C-c, C-d; other text goes as it is"},
			{Name: "hex", Type: "array", Of: "string", About: "of send-keys: bytes as hexadecimal numbers"},
			{Name: "literal", Type: "string", About: "of send-keys: text that goes as it is, before keys"},
		},
		Example: `{"action": "poll", "sessionId": "amber-fox", "timeout": 10000}`,
	}
}

// processCall is what a call of process asks for.
type processCall struct {
	Action    string   `json:"action"`
	SessionID string   `json:"sessionId"`
	Timeout   *float64 `json:"timeout"`
	Offset    *int     `json:"offset"`
	Limit     *int     `json:"limit"`
	Data      *string  `json:"data"`
	EOF       bool     `json:"eof"`
	Text      *string  `json:"text"`
	Bracketed bool     `json:"bracketed"`
	Keys      []string `json:"keys"`
	Hex       []string `json:"hex"`
	Literal   string   `json:"literal"`
}

// isPoll tells whether a call only looks at a process.
func isPoll(arguments json.RawMessage) bool {
	var c processCall
	return json.Unmarshal(arguments, &c) == nil && (c.Action == actionPoll || c.Action == actionLog || c.Action == actionList)
}

// processDetails are the details of process.
type processDetails struct {
	Status     string        `json:"status"`
	SessionID  string        `json:"sessionId,omitempty"`
	ExitCode   *int          `json:"exitCode,omitempty"`
	DurationMs int64         `json:"durationMs,omitempty"`
	TimedOut   bool          `json:"timedOut,omitempty"`
	Waiting    bool          `json:"waitingForInput,omitempty"`
	TotalLines int           `json:"totalLines,omitempty"`
	Sessions   []processLine `json:"sessions,omitempty"`
}

// processLine is a process in a list.
type processLine struct {
	SessionID  string `json:"sessionId"`
	Status     string `json:"status"`
	ExitCode   *int   `json:"exitCode,omitempty"`
	Title      string `json:"title"`
	Command    string `json:"command"`
	Cwd        string `json:"cwd"`
	StartedAt  int64  `json:"startedAt"`
	DurationMs int64  `json:"durationMs"`
	Waiting    bool   `json:"waitingForInput,omitempty"`
	Unread     bool   `json:"unread,omitempty"`
}

func (p *process) details() processDetails {
	d := processDetails{
		Status: p.status(), SessionID: p.id, ExitCode: p.exitCode(), DurationMs: p.duration().Milliseconds(), Waiting: p.waiting(),
	}
	if limit := p.limit(); limit != nil {
		d.TimedOut = limit.Limit == "timeout"
	}
	return d
}

// process is the tool.
func (s *Set) process(ctx context.Context, call Call, _ func(string)) (*Result, error) {
	var c processCall
	if err := json.Unmarshal(call.Arguments, &c); err != nil {
		return nil, plain(toolProcess, err)
	}
	if c.Action == actionList {
		return s.listProcesses(), nil
	}
	if c.SessionID == "" {
		return nil, fmt.Errorf("process: sessionId: missing; %s", s.known())
	}
	p := s.options.Processes.find(s.scope(), c.SessionID)
	if p == nil {
		return nil, fmt.Errorf("process: there is no command %q; %s", c.SessionID, s.known())
	}
	switch c.Action {
	case actionPoll:
		return s.poll(ctx, p, &c)
	case actionLog:
		return s.log(p, &c), nil
	case actionKill:
		return s.killProcess(ctx, p)
	case actionClear, actionRemove:
		return s.removeProcess(ctx, p, c.Action)
	}
	return s.giveInput(p, &c)
}

// known names the commands of the session, for a message.
func (s *Set) known() string {
	var names []string
	for _, p := range s.options.Processes.list(s.scope()) {
		names = append(names, p.id)
	}
	if len(names) == 0 {
		return "no command is in the background"
	}
	return "there are " + list(names)
}

func (s *Set) listProcesses() *Result {
	d := processDetails{Status: "ok"}
	var b strings.Builder
	for _, p := range s.options.Processes.list(s.scope()) {
		line := processLine{
			SessionID: p.id, Status: p.status(), ExitCode: p.exitCode(), Title: p.what(), Command: p.command, Cwd: p.cwd,
			StartedAt: p.started.UnixMilli(), DurationMs: p.duration().Milliseconds(), Waiting: p.waiting(), Unread: !p.out.delivered(),
		}
		d.Sessions = append(d.Sessions, line)
		fmt.Fprintf(&b, "%s  %s", p.id, line.Status)
		if note := s.endNote(p); note != "" {
			fmt.Fprintf(&b, " %s", note)
		}
		fmt.Fprintf(&b, "  %s  %s", p.duration().Round(time.Second), line.Title)
		if line.Unread {
			b.WriteString("  [has new output]")
		}
		if line.Waiting {
			b.WriteString("  [seems to wait for input]")
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return TextResult("(no command is in the background)").with(d)
	}
	return TextResult(b.String()).with(d)
}

// endNote says how a command ended; empty while it runs.
func (s *Set) endNote(p *process) string {
	switch {
	case !p.over():
		return ""
	case p.err == nil && p.run.ExitCode == 0:
		return "(exit code 0)"
	}
	return p.note()
}

// poll waits for something new and shows it.
func (s *Set) poll(ctx context.Context, p *process, c *processCall) (*Result, error) {
	wait := defaultPoll
	if c.Timeout != nil {
		wait = time.Duration(min(*c.Timeout, float64(maxPoll.Milliseconds()))) * time.Millisecond
	}
	if err := p.await(ctx, wait); err != nil {
		return nil, err
	}
	return s.news(p, "(no new output)"), nil
}

// await waits until a command has something new to show, or has ended, but not for longer than asked.
func (p *process) await(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		changed := p.out.changed()
		if !p.out.delivered() {
			break
		}
		select {
		case <-p.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case <-changed:
		}
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(settle):
	}
	return nil
}

// news shows what has not been shown yet, and how the command stands.
func (s *Set) news(p *process, nothing string) *Result {
	ended := p.over() // before the output is taken: what was written last must not be missed
	out := p.out.drain(s.room(), ended)
	text := out.droppedNote() + out.text
	if text == "" && !ended {
		text = nothing
	}
	line := func(format string, args ...any) {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += fmt.Sprintf(format, args...)
	}
	switch {
	case out.waiting > 0 && (ended || out.text != ""):
		line("(%d more bytes of output are waiting: poll again)", out.waiting)
	case ended:
		p.reported.Store(true)
		if text == "" {
			text = "(no new output)"
		}
		line("(ended) %s", s.endNote(p))
	case p.waiting():
		line("(still running; it seems to wait for input)")
	default:
		line("(still running)")
	}
	return TextResult(text).with(p.details())
}

// log shows lines of what was written before, without taking them from what is new.
func (s *Set) log(p *process, c *processCall) *Result {
	text, lost := p.out.log()
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	total := len(lines)
	from, to := max(0, total-defaultLog), total
	if c.Offset != nil {
		from = min(*c.Offset, total)
	}
	switch {
	case c.Limit != nil && c.Offset == nil:
		from = max(0, total-*c.Limit)
	case c.Limit != nil:
		to = min(total, from+*c.Limit)
	}
	shown := strings.Join(lines[from:to], "")
	d := p.details()
	d.TotalLines = total
	var notes []string
	if lost > 0 {
		notes = append(notes, fmt.Sprintf("the first %d bytes of the output are not kept", lost))
	}
	switch {
	case total == 0:
		notes = append(notes, "no output yet")
	case from == to:
		notes = append(notes, fmt.Sprintf("no lines there: there are %d", total))
	case from > 0 || to < total:
		notes = append(notes, fmt.Sprintf("lines %d-%d of %d", from+1, to, total))
	}
	if len(notes) > 0 {
		if shown != "" && !strings.HasSuffix(shown, "\n") {
			shown += "\n"
		}
		shown += "[" + strings.Join(notes, "; ") + "]"
	}
	return TextResult(shown).with(d)
}

// end ends a command and waits for it.
func (p *process) end(ctx context.Context) error {
	p.kill(errKilled)
	timer := time.NewTimer(killWait)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return fmt.Errorf("process: %s has been told to end and has not within %s", p.id, killWait)
	}
}

func (s *Set) killProcess(ctx context.Context, p *process) (*Result, error) {
	if p.over() {
		return nil, fmt.Errorf("process: %s has ended already %s", p.id, s.endNote(p))
	}
	if err := p.end(ctx); err != nil {
		return nil, err
	}
	return s.news(p, ""), nil
}

// removeProcess forgets a command. What it had written last is shown.
func (s *Set) removeProcess(ctx context.Context, p *process, action string) (*Result, error) {
	if !p.over() {
		if action == actionClear {
			return nil, fmt.Errorf("process: %s is still running: kill it, or use remove", p.id)
		}
		if err := p.end(ctx); err != nil {
			return nil, err
		}
	}
	r := s.news(p, "")
	if !p.out.delivered() { // it does not fit into one answer
		return r, nil
	}
	s.options.Processes.forget(p)
	r.Content[0].Text += fmt.Sprintf("\n(%s is forgotten)", p.id)
	return r, nil
}

// giveInput writes to a command.
func (s *Set) giveInput(p *process, c *processCall) (*Result, error) {
	if p.over() {
		return nil, fmt.Errorf("process: %s has ended %s", p.id, s.endNote(p))
	}
	if p.in == nil {
		return nil, fmt.Errorf("process: %s has no input: only a command that was started with background or yieldMs can be written to", p.id)
	}
	in, err := c.input()
	if err != nil {
		return nil, fmt.Errorf("process: %s: %w", c.Action, err)
	}
	if len(in.bytes) > 0 {
		if err := p.in.write(in.bytes); err != nil {
			return nil, fmt.Errorf("process: %s: %s: %w", c.Action, p.id, err)
		}
		p.out.touch()
	}
	text := fmt.Sprintf("(wrote %d bytes to %s)", len(in.bytes), p.id)
	if in.eof {
		p.in.close()
		text += " (its standard input is closed)"
	}
	if in.interrupt {
		p.kill(errInterrupted)
		text += " (it is interrupted)"
	}
	return TextResult(text).with(p.details()), nil
}

// errInterrupted is the cause when somebody sent C-c.
var errInterrupted = fmt.Errorf("interrupted: %w", errKilled)

var errNoInput = errors.New("there is nothing to write")

package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"openclaw/toolwasm"
)

// The time after which exec does not wait for a command any more.
const (
	defaultYield = 10 * time.Second
	minYield     = 10 * time.Millisecond
	maxYield     = 120 * time.Second
)

// updateEvery is how often the progress of a command is told at most.
const updateEvery = 100 * time.Millisecond

func bound(n int64) *int64 { return &n }

// describeExec is exec with what the registry adds to it.
func describeExec(t toolwasm.Tool, background bool) toolwasm.Tool {
	if !background {
		return t
	}
	t.About += " A command that takes longer than yieldMs goes on in the background; the tool process looks after it."
	t.Arguments = append(t.Arguments[:len(t.Arguments):len(t.Arguments)],
		toolwasm.Argument{
			Name: "yieldMs", Type: "number", Least: bound(0),
			About: "how many milliseconds to wait for the command before it goes on in the background: from 10 to 120000, 10000 without it. With it the command can be written to",
		},
		toolwasm.Argument{Name: "background", Type: "boolean", About: "do not wait at all; the command can be written to with the tool process"},
	)
	return t
}

// member is a member of the JSON object of arguments.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf reads a JSON object in the order of its members; nil when it is none, which others say better.
func membersOf(raw json.RawMessage) []member {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var members []member
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil
		}
		m := member{}
		m.name, _ = t.(string)
		if dec.Decode(&m.value) != nil {
			return nil
		}
		members = append(members, m)
	}
	return members
}

// without is an object without some of its members.
func without(raw json.RawMessage, drop func(name string) bool) json.RawMessage {
	var kept []member
	dropped := false
	for _, m := range membersOf(raw) {
		if drop(m.name) {
			dropped = true
			continue
		}
		kept = append(kept, m)
	}
	if !dropped {
		return raw
	}
	out := []byte{'{'}
	for i, m := range kept {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return raw
		}
		out = append(append(append(out, name...), ':'), m.value...)
	}
	return append(out, '}')
}

// elsewhere are arguments of exec that ask for what does not exist here, and the values that ask for what is the case anyway.
var elsewhere = map[string]struct {
	harmless []string
	why      string
}{
	"pty":      {[]string{"false"}, "there is no terminal: a command's streams are pipes"},
	"elevated": {[]string{"false", `"off"`}, "nothing runs outside the sandbox"},
	"host":     {[]string{`"auto"`, `"sandbox"`}, "every command runs in the sandbox"},
	"node":     {[]string{`""`}, "every command runs in the sandbox"},
	"security": {[]string{`"sandbox"`, `"full"`}, "every command runs in the sandbox"},
	"ask":      {[]string{`"off"`}, "nobody is asked: a command can do what its sandbox allows"},
}

// prepareExec takes arguments out that mean nothing here, and refuses those that ask for what there is not.
func prepareExec(raw json.RawMessage, background bool) (json.RawMessage, error) {
	for _, m := range membersOf(raw) {
		other, known := elsewhere[m.name]
		value := string(m.value)
		if !known || value == "null" {
			continue
		}
		if !slices.Contains(other.harmless, value) {
			return raw, fmt.Errorf("%s: %s cannot be had: %s; leave it out", m.name, clipEcho(value), other.why)
		}
	}
	return without(raw, func(name string) bool {
		_, known := elsewhere[name]
		return known || !background && (name == "yieldMs" || name == "background")
	}), nil
}

func clipEcho(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// execCall is what a call of exec asks for.
type execCall struct {
	*toolwasm.ExecArguments
	yield       time.Duration
	interactive bool // it can be written to
}

func (s *Set) parseExec(raw json.RawMessage) (*execCall, error) {
	var wait struct {
		YieldMs    *float64 `json:"yieldMs"`
		Background *bool    `json:"background"`
	}
	if err := json.Unmarshal(raw, &wait); err != nil {
		return nil, plain(toolwasm.ToolExec, err)
	}
	a, err := toolwasm.ParseExec(without(raw, func(name string) bool { return name == "yieldMs" || name == "background" }))
	if err != nil {
		return nil, plain(toolwasm.ToolExec, err)
	}
	c := &execCall{ExecArguments: a, yield: defaultYield}
	if ms := s.options.Exec.BackgroundMs; ms > 0 {
		c.yield = time.Duration(ms) * time.Millisecond
	}
	if wait.YieldMs != nil {
		c.yield, c.interactive = time.Duration(min(*wait.YieldMs, math.MaxInt32))*time.Millisecond, true
	}
	c.yield = min(max(c.yield, minYield), maxYield)
	if wait.Background != nil && *wait.Background {
		c.yield, c.interactive = 0, true
	}
	return c, nil
}

// lifetime is how long a command may run.
func (s *Set) lifetime(a *toolwasm.ExecArguments) time.Duration {
	limit := time.Duration(s.options.Exec.TimeoutSeconds) * time.Second
	if a.Timeout != nil {
		limit = *a.Timeout
	}
	if limit <= 0 || limit > maxLifetime {
		return maxLifetime
	}
	return limit
}

func (s *Set) scope() scope {
	return scope{s.options.Opened.Agent.ID, s.options.Opened.Key.String()}
}

// start starts a command.
func (s *Set) start(c *execCall) (*process, error) {
	registry := s.options.Processes
	now := time.Now
	if registry != nil {
		now = registry.options.Now
	}
	script := c.Script()
	p := &process{
		scope: s.scope(), title: c.Title, command: c.Command, cwd: script.Dir, now: now, started: now(), out: newOutput(now),
		cleanup: time.Duration(s.options.Exec.CleanupMs) * time.Millisecond,
	}
	if c.interactive {
		p.in = newInput()
	}
	if !s.session.acquire() {
		return nil, fmt.Errorf("exec: the session has been %w", ErrClosed)
	}
	finished := func() {}
	p.prepare()
	if registry != nil {
		if err := registry.enter(p); err != nil {
			s.session.release()
			return nil, fmt.Errorf("exec: the runtime is being %w", err)
		}
		finished = func() { registry.leave(p) }
	}
	p.launch(s.options.Toolbox, s.session, script, s.lifetime(c.ExecArguments), finished)
	return p, nil
}

// exec runs a command and waits for it, for a while.
func (s *Set) exec(ctx context.Context, call Call, update func(string)) (*Result, error) {
	c, err := s.parseExec(call.Arguments)
	if err != nil {
		return nil, err
	}
	p, err := s.start(c)
	if err != nil {
		return nil, err
	}
	var yield <-chan time.Time
	if s.options.Processes != nil && s.Has(toolProcess) {
		timer := time.NewTimer(c.yield)
		defer timer.Stop()
		yield = timer.C
	}
	stop := p.follow(update)
	defer stop()
	for {
		select {
		case <-p.done:
			return s.finished(ctx, p), nil
		case <-ctx.Done():
			p.kill(errAborted)
			<-p.done
			return s.finished(context.WithoutCancel(ctx), p), nil
		case <-yield:
			err := s.options.Processes.adopt(p)
			if err == nil {
				return s.running(p), nil
			}
			if errors.Is(err, errTooMany) {
				p.kill(errTooMany)
			}
			yield = nil // it has ended, or is about to
		}
	}
}

// follow tells what a command writes, until it is stopped.
func (p *process) follow(update func(string)) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		var at int64
		for {
			changed := p.out.changed()
			var text string
			if text, at = p.out.since(at); text != "" {
				update(text)
			}
			select {
			case <-quit:
				return
			case <-changed:
			}
			select {
			case <-quit:
				return
			case <-time.After(updateEvery):
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}

// execDetails are the details of a command.
type execDetails struct {
	Status     string `json:"status"`
	ExitCode   *int   `json:"exitCode"` // null when the command was ended
	DurationMs int64  `json:"durationMs"`
	Aggregated string `json:"aggregated"`
	TimedOut   bool   `json:"timedOut"`
	Truncated  bool   `json:"truncated,omitempty"`
	OutputFile string `json:"outputFile,omitempty"`
	Cwd        string `json:"cwd"`
}

// finished is the result of a command that has ended in the foreground.
func (s *Set) finished(ctx context.Context, p *process) *Result {
	d := execDetails{Status: p.status(), ExitCode: p.exitCode(), DurationMs: p.duration().Milliseconds(), Cwd: p.cwd}
	if limit := p.limit(); limit != nil {
		d.TimedOut = limit.Limit == "timeout"
	}
	note := p.note()
	text := s.foreground(ctx, p, &d, utf8.RuneCountInString(note))
	d.Aggregated = text
	switch {
	case note == "" && text == "":
		text = "(no output)"
	case note != "" && text != "" && !strings.HasSuffix(text, "\n"):
		text += "\n" + note
	default:
		text += note
	}
	r := TextResult(text).with(d)
	r.IsError = p.err != nil && !errors.Is(p.err, errKilled)
	return r
}

// runningDetails are the details of a command that goes on.
type runningDetails struct {
	Status    string `json:"status"`
	SessionID string `json:"sessionId"`
	StartedAt int64  `json:"startedAt"` // milliseconds since 1970
	Cwd       string `json:"cwd"`
	Tail      string `json:"tail"`
	FollowUp  string `json:"followUp"`
}

// tailChars is how much of the output the details of a running command have.
const tailChars = 2000

// running is the result of a command that has just gone into the background.
func (s *Set) running(p *process) *Result {
	out := p.out.drain(s.room(), false)
	followUp := fmt.Sprintf(`process {"action": "poll", "sessionId": %q} shows what comes, and how it ends; kill ends it`, p.id)
	if p.in != nil {
		followUp += "; write, submit and send-keys give it input"
	}
	text := out.droppedNote() + out.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text += fmt.Sprintf("(still running in the background as %s: %s)", p.id, followUp)
	return TextResult(text).with(runningDetails{
		Status: processRunning, SessionID: p.id, StartedAt: p.started.UnixMilli(), Cwd: p.cwd,
		Tail: out.text[tailAt(out.text, tailChars):], FollowUp: followUp,
	})
}

// room is how many characters of output fit in a result, beside what is said about it.
func (s *Set) room() int { return s.options.Limits.Result() - 1000 }

// droppedNote says that there was more before.
func (o shown) droppedNote() string {
	if o.dropped == 0 {
		return ""
	}
	return fmt.Sprintf("[… %d bytes before this were too many to wait; log has what is kept of them]\n", o.dropped)
}

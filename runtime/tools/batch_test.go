package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/tools"
)

// extra is a tool of the test.
func extra(name string, run func(ctx context.Context, c tools.Call, update func(string)) (*tools.Result, error)) tools.Tool {
	return tools.Tool{
		Definition: model.Tool{Name: name, Description: name, Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)},
		Run:        run,
	}
}

func with(list ...tools.Tool) func(*tools.Options) {
	return func(o *tools.Options) { o.Extra = append(o.Extra, list...) }
}

func calls(pairs ...string) []tools.Call {
	var list []tools.Call
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, tools.Call{ID: fmt.Sprint(i / 2), Name: pairs[i], Arguments: json.RawMessage(pairs[i+1])})
	}
	return list
}

// TestEveryCallHasAResult gives a batch of what can go wrong.
func TestEveryCallHasAResult(t *testing.T) {
	b := newBench(t, `{tools: {deny: ["edit"]}}`, with(
		extra("panics", func(context.Context, tools.Call, func(string)) (*tools.Result, error) { panic("boom") }),
		extra("fails", func(context.Context, tools.Call, func(string)) (*tools.Result, error) {
			return nil, errors.New("fails: no luck")
		}),
		extra("nothing", func(context.Context, tools.Call, func(string)) (*tools.Result, error) { return nil, nil }),
		extra("works", func(context.Context, tools.Call, func(string)) (*tools.Result, error) {
			return tools.TextResult("done"), nil
		}),
	))
	batch := calls(
		"works", `{}`, "panics", `{}`, "fails", `{}`, "nothing", `{}`, "raed", `{"path":"x"}`, "search_files", `{}`, "edit", `{}`, "works", `{"n":"x"}`,
		"works", `{"m":1}`, "works", ``, "write", `{`, "read", `{"path":"missing"}`, "bash", `{"command":"echo alias"}`,
	)
	batch[10] = tools.Call{ID: "10", Name: "write", Arguments: json.RawMessage(`{}`), Malformed: `{"path": "a", "content": "x`}
	want := []struct {
		status tools.Status
		text   string
	}{
		{tools.StatusRan, "done"},
		{tools.StatusRan, "panics: the tool broke down: boom"},
		{tools.StatusRan, "fails: no luck"},
		{tools.StatusRan, "nothing: the tool gave no result"},
		{tools.StatusRefused, `There is no tool "raed". Did you mean read? There are read, write, apply_patch, exec, process,`},
		{tools.StatusRefused, `There is no tool "search_files". Did you mean grep?`},
		{tools.StatusRefused, "The tool edit is not available in this session (tools.deny: edit)."},
		{tools.StatusRefused, "works: n: a whole number is expected, not a string"},
		{tools.StatusRefused, "works: m: unknown argument"},
		{tools.StatusRan, "done"},
		{tools.StatusRefused, `write: the arguments are not valid JSON, and nothing was done: unexpected end of JSON input (at byte 27 of 27). They were: {"path": "a", "content": "x`},
		{tools.StatusRan, "read missing: No such file or directory"},
		{tools.StatusRan, "alias\n"},
	}
	e := &events{}
	outcomes := b.set.Batch(t.Context(), batch, e.add)
	if len(outcomes) != len(want) {
		t.Fatalf("%d outcomes", len(outcomes))
	}
	for i, w := range want {
		o := outcomes[i]
		if o.Call.ID != batch[i].ID || o.Status != w.status || !strings.HasPrefix(o.Result.Text(), w.text) {
			t.Errorf("%d %s: %s %q, want %s %q", i, o.Call.Name, o.Status, o.Result.Text(), w.status, w.text)
		}
		if failed := w.text != "done" && w.text != "alias\n"; o.Result.IsError != failed {
			t.Errorf("%d %s: error %v", i, o.Call.Name, o.Result.IsError)
		}
		m := o.Message(time.UnixMilli(1))
		if m.Role != model.RoleToolResult || m.ToolCallID != batch[i].ID || m.ToolName != batch[i].Name {
			t.Errorf("%d: message %+v", i, m)
		}
	}
	var starts, ends int
	for _, event := range e.list {
		switch event.Type {
		case tools.EventStart:
			starts++
		case tools.EventEnd:
			ends++
		}
	}
	if starts != len(batch) || ends != len(batch) {
		t.Errorf("%d starts and %d ends of %d calls", starts, ends, len(batch))
	}
}

// TestCallsRunBesideEachOther runs as many calls as may run at once, all of which wait for the last one.
func TestCallsRunBesideEachOther(t *testing.T) {
	const n = 8
	var begun atomic.Int32
	all := make(chan struct{})
	b := newBench(t, "{}", with(extra("meet", func(ctx context.Context, c tools.Call, _ func(string)) (*tools.Result, error) {
		if begun.Add(1) == n {
			close(all)
		}
		select {
		case <-all:
			return tools.TextResult(c.ID), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})))
	var batch []tools.Call
	for i := range n {
		batch = append(batch, tools.Call{ID: fmt.Sprint(i), Name: "meet"})
	}
	for i, o := range b.set.Batch(t.Context(), batch, nil) {
		if o.Result.Text() != fmt.Sprint(i) {
			t.Errorf("%d: %q", i, o.Result.Text())
		}
	}
}

// TestManyCommandsAtOnce runs 64 scripts, each in a guest of its own.
func TestManyCommandsAtOnce(t *testing.T) {
	b := newBench(t, "{}")
	var batch []tools.Call
	for i := range 64 {
		batch = append(batch, tools.Call{ID: fmt.Sprint(i), Name: "exec", Arguments: args("command", fmt.Sprintf("echo %d > f%d; cat f%d", i, i, i))})
	}
	for i, o := range b.set.Batch(t.Context(), batch, nil) {
		if o.Result.Text() != fmt.Sprintf("%d\n", i) {
			t.Errorf("%d: %q", i, o.Result.Text())
		}
	}
}

// TestFilesChangeInOrder runs what changes files one after the other, in the order of the answer.
func TestFilesChangeInOrder(t *testing.T) {
	b := newBench(t, "{}")
	var batch []tools.Call
	for i := range 20 {
		batch = append(batch, tools.Call{ID: fmt.Sprint(i), Name: "write", Arguments: args("path", "f", "content", fmt.Sprint(i))},
			tools.Call{ID: "r" + fmt.Sprint(i), Name: "read", Arguments: args("path", "f")})
	}
	for i, o := range b.set.Batch(t.Context(), batch, nil) {
		if i%2 == 1 && o.Result.Text() != fmt.Sprint(i/2) {
			t.Errorf("read %d: %q", i/2, o.Result.Text())
		}
	}
}

// TestAnAbortEndsTheBatch gives every call a result, and at once, also those that do not listen.
func TestAnAbortEndsTheBatch(t *testing.T) {
	deaf := make(chan struct{})
	t.Cleanup(func() { close(deaf) })
	b := newBench(t, "{}", with(
		extra("deaf", func(context.Context, tools.Call, func(string)) (*tools.Result, error) { <-deaf; return nil, nil }),
	))
	b.set.SetGrace(50 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	batch := calls("deaf", `{}`, "exec", `{"command":"echo said; sleep 100"}`, "read", `{"path":"missing"}`)
	outcomes := b.set.Batch(ctx, batch, func(e tools.Event) {
		if e.Type == tools.EventUpdate && e.Text == "said\n" {
			cancel()
		}
	})
	for i, want := range []string{"Operation aborted", "said\n(aborted)", "read missing"} {
		if o := outcomes[i]; !strings.HasPrefix(o.Result.Text(), want) || !o.Result.IsError {
			t.Errorf("%d: %s %q, want %q", i, o.Status, o.Result.Text(), want)
		}
	}
	for i, o := range b.set.Batch(ctx, batch, nil) {
		if o.Status != tools.StatusAborted || o.Result.Text() != "Operation aborted" {
			t.Errorf("after the abort, %d: %s %q", i, o.Status, o.Result.Text())
		}
	}
}

func TestAMessageSkipsWhatHasNotBegun(t *testing.T) {
	asked := 0
	b := newBench(t, "{}", func(o *tools.Options) { o.Steered = func() bool { asked++; return asked > 1 } })
	outcomes := b.set.Batch(t.Context(), calls("write", `{"path":"a","content":"1"}`, "write", `{"path":"b","content":"2"}`, "read", `{"path":"a"}`), nil)
	got := []tools.Status{outcomes[0].Status, outcomes[1].Status, outcomes[2].Status}
	if want := []tools.Status{tools.StatusRan, tools.StatusSkipped, tools.StatusSkipped}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if d := string(outcomes[1].Result.Details); d != `{"status":"skipped","deniedReason":"steering"}` {
		t.Errorf("details %s", d)
	}
	var told []int
	for _, o := range b.set.Batch(t.Context(), calls("read", `{"path":"a"}`, "exec", `{"command":"true"}`, "read", `{"path":"b"}`), func(e tools.Event) {
		told = append(told, e.Index)
	}) {
		if o.Status != tools.StatusSkipped || o.Result.Text() != "Skipped to process an incoming message." {
			t.Errorf("a parallel batch: %s %q", o.Status, o.Result.Text())
		}
	}
	if want := []int{0, 0, 1, 1, 2, 2}; !slices.Equal(told, want) {
		t.Errorf("a parallel batch was told of in the order %v, want %v", told, want)
	}
}

func TestHooks(t *testing.T) {
	echo := extra("echo", func(_ context.Context, c tools.Call, _ func(string)) (*tools.Result, error) {
		return tools.TextResult(string(c.Arguments)), nil
	})
	var mu sync.Mutex
	var observed []string
	for _, c := range []struct {
		name   string
		hooks  tools.Hooks
		want   string
		status tools.Status
	}{
		{"none", tools.Hooks{}, `{"n":1}`, tools.StatusRan},
		{"change", tools.Hooks{Before: []func(context.Context, tools.Call) (tools.Decision, error){
			func(context.Context, tools.Call) (tools.Decision, error) {
				return tools.Decision{Arguments: json.RawMessage(`{"n":2}`)}, nil
			},
			func(_ context.Context, c tools.Call) (tools.Decision, error) {
				if string(c.Arguments) != `{"n":2}` {
					return tools.Decision{Block: true}, nil
				}
				return tools.Decision{}, nil
			},
		}}, `{"n":2}`, tools.StatusRan},
		{"change to what is none", before(tools.Decision{Arguments: json.RawMessage(`{"n":"x"}`)}, nil), "echo: a hook changed the arguments: n: a whole number is expected, not a string", tools.StatusBlocked},
		{"block", before(tools.Decision{Block: true, Reason: "not on Sundays"}, nil), "The call was blocked: not on Sundays.", tools.StatusBlocked},
		{"block without a reason", before(tools.Decision{Block: true}, nil), "The call was blocked.", tools.StatusBlocked},
		{"failure", before(tools.Decision{}, errors.New("broken")), "The call was blocked: hook 1: broken.", tools.StatusBlocked},
		{"panic", tools.Hooks{Before: []func(context.Context, tools.Call) (tools.Decision, error){
			func(context.Context, tools.Call) (tools.Decision, error) { panic("boom") },
		}}, "The call was blocked: hook 1: panic: boom.", tools.StatusBlocked},
		{"no answer", tools.Hooks{Timeout: 20 * time.Millisecond, Before: []func(context.Context, tools.Call) (tools.Decision, error){
			func(ctx context.Context, _ tools.Call) (tools.Decision, error) {
				<-ctx.Done()
				<-time.After(time.Millisecond)
				return tools.Decision{}, nil
			},
		}}, "The call was blocked: hook 1: no answer in 20ms.", tools.StatusBlocked},
		{"after", tools.Hooks{After: []func(context.Context, tools.Call, tools.Result){
			func(_ context.Context, c tools.Call, r tools.Result) {
				mu.Lock()
				defer mu.Unlock()
				observed = append(observed, c.Name+" "+r.Text())
			},
			func(context.Context, tools.Call, tools.Result) { panic("boom") },
		}}, `{"n":1}`, tools.StatusRan},
		{"persist", tools.Hooks{Persist: []func(tools.Call, tools.Result) tools.Result{
			func(_ tools.Call, r tools.Result) tools.Result { return *tools.TextResult("<" + r.Text() + ">") },
		}}, `<{"n":1}>`, tools.StatusRan},
		{"persist that breaks", tools.Hooks{Persist: []func(tools.Call, tools.Result) tools.Result{
			func(tools.Call, tools.Result) tools.Result { panic("boom") },
		}}, "The result was dropped: a hook that had to rewrite it failed.", tools.StatusRan},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "{}", with(echo), func(o *tools.Options) { o.Hooks = c.hooks })
			o := b.set.Batch(t.Context(), calls("echo", `{"n":1}`), nil)[0]
			if o.Status != c.status || o.Result.Text() != c.want {
				t.Errorf("%s %q, want %s %q", o.Status, o.Result.Text(), c.status, c.want)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(observed, []string{`echo {"n":1}`}) {
		t.Errorf("observed %q", observed)
	}
}

func before(d tools.Decision, err error) tools.Hooks {
	return tools.Hooks{Before: []func(context.Context, tools.Call) (tools.Decision, error){
		func(context.Context, tools.Call) (tools.Decision, error) { return d, err },
	}}
}

func TestABatchEndsTheRunWhenAllSaySo(t *testing.T) {
	end := extra("end", func(context.Context, tools.Call, func(string)) (*tools.Result, error) {
		r := tools.TextResult("bye")
		r.Terminate = true
		return r, nil
	})
	b := newBench(t, "{}", with(end))
	for _, c := range []struct {
		batch []tools.Call
		want  bool
	}{
		{calls("end", `{}`), true}, {calls("end", `{}`, "end", `{}`), true}, {calls("end", `{}`, "ls", `{}`), false}, {nil, false},
	} {
		if got := tools.Terminates(b.set.Batch(t.Context(), c.batch, nil)); got != c.want {
			t.Errorf("%v: %v", c.batch, got)
		}
	}
}

// TestDefinitionsAreTheSameEveryTime keeps what providers cache.
func TestDefinitionsAreTheSameEveryTime(t *testing.T) {
	text := func(s *tools.Set) string {
		raw, err := json.Marshal(s.Definitions())
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	b := newBench(t, "{}")
	first := text(b.set)
	if second := text(newBench(t, "{}").set); second != first {
		t.Errorf("%s\nand then\n%s", first, second)
	}
	if got := strings.Join(b.set.Names(), " "); got != "read write edit apply_patch exec process ls grep find" {
		t.Errorf("tools %s", got)
	}
	var read struct {
		Properties map[string]struct {
			Type    string
			Minimum *int
		}
		Required             []string
		AdditionalProperties bool
	}
	if err := json.Unmarshal(b.set.Definitions()[0].Parameters, &read); err != nil {
		t.Fatal(err)
	}
	if p := read.Properties["offset"]; p.Type != "integer" || p.Minimum == nil || *p.Minimum != 1 || !slices.Equal(read.Required, []string{"path"}) || read.AdditionalProperties {
		t.Errorf("%s", b.set.Definitions()[0].Parameters)
	}
}

func TestToolsOfOneNameAreRefused(t *testing.T) {
	b := newBench(t, "{}")
	for _, c := range []struct {
		tool tools.Tool
		want string
	}{
		{extra("read", nil), `tools: add "read": there is a tool of this name already`},
		{tools.Tool{Definition: model.Tool{Name: "bad", Parameters: json.RawMessage(`[]`)}}, `tools: add "bad": schema: parse`},
	} {
		err := b.fails(with(c.tool))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestExecRefusesWhatThereIsNot says why, and takes what asks for what is the case.
func TestExecRefusesWhatThereIsNot(t *testing.T) {
	b := newBench(t, "{}")
	for _, c := range []struct{ arguments, want string }{
		{`{"command":"echo x","pty":true}`, "exec: pty: true cannot be had: there is no terminal: a command's streams are pipes; leave it out"},
		{`{"command":"echo x","elevated":true}`, "exec: elevated: true cannot be had: nothing runs outside the sandbox; leave it out"},
		{`{"command":"echo x","host":"gateway"}`, `exec: host: "gateway" cannot be had: every command runs in the sandbox; leave it out`},
		{`{"command":"echo x","node":"pi"}`, `exec: node: "pi" cannot be had: every command runs in the sandbox; leave it out`},
		{`{"command":"echo x","ask":"always"}`, `exec: ask: "always" cannot be had: nobody is asked: a command can do what its sandbox allows; leave it out`},
		{`{"command":"echo x","cwd":"a"}`, "exec: cwd: unknown argument; there are command, title, workdir, env, timeoutSeconds, yieldMs, background (did you mean workdir?)"},
		{`{"command":"echo x","env":{"A":1}}`, "exec: env.A: a string is expected, not a number"},
		{`{"command":"echo x","env":{"PATH":"/"}}`, `exec: env: "PATH" cannot be set`},
		{`{"command":"echo x","timeoutSeconds":-1}`, "exec: timeoutSeconds: must be at least 0, is -1"},
		{`{"command":"echo x","yieldMs":"5"}`, "exec: yieldMs: a number is expected, not a string"},
		{`{"command":"","background":true}`, "exec: command: missing"},
		{`{"command":"echo x","command":"echo y"}`, "exec: command: given twice"},
		{`{"command":"pwd","workdir":"nowhere"}`, `(workdir "/workspace/nowhere": No such file or directory)`},
	} {
		if r := b.raw("exec", c.arguments); !r.IsError || r.Text() != c.want {
			t.Errorf("%s: %v %q, want %q", c.arguments, r.IsError, r.Text(), c.want)
		}
	}
	for _, arguments := range []string{
		`{"command":"echo x","pty":false,"elevated":false,"host":"auto","node":null,"ask":"off"}`, `{"command":"echo x","host":"sandbox","workdir":null,"env":null}`,
	} {
		if r := b.raw("exec", arguments); r.IsError || r.Text() != "x\n" {
			t.Errorf("%s: %q", arguments, r.Text())
		}
	}
}

func TestExecDetails(t *testing.T) {
	b := newBench(t, "{}")
	for _, c := range []struct {
		arguments, text, status string
		code                    any
		failed, timedOut        bool
	}{
		{`{"command":"true"}`, "(no output)", "completed", 0.0, false, false},
		{`{"command":"printf x"}`, "x", "completed", 0.0, false, false},
		{`{"command":"printf x; exit 3"}`, "x\n(exit code 3)", "completed", 3.0, false, false},
		{`{"command":"exit 3"}`, "(exit code 3)", "completed", 3.0, false, false},
		{`{"command":"echo out; echo err >&2"}`, "out\nerr\n", "completed", 0.0, false, false},
		{`{"command":"echo begun; sleep 100","timeoutSeconds":0.2}`, "begun\n(ended: it ran for longer than 200ms)", "failed", nil, true, true},
		{`{"command":"echo $A-$OPENCLAW_SHELL; pwd","env":{"A":"b"},"workdir":"/tmp"}`, "b-exec\n/tmp\n", "completed", 0.0, false, false},
		{`{"command":"cat; echo end"}`, "end\n", "completed", 0.0, false, false},
	} {
		r := b.raw("exec", c.arguments)
		if r.Text() != c.text || r.IsError != c.failed || field(t, r, "status") != c.status || field(t, r, "exitCode") != c.code || field(t, r, "timedOut") != c.timedOut {
			t.Errorf("%s: %v %q %s", c.arguments, r.IsError, r.Text(), r.Details)
		}
	}
}

// TestWithoutProcessExecWaits drops what only makes sense with it.
func TestWithoutProcessExecWaits(t *testing.T) {
	for _, b := range []*bench{
		newBench(t, `{tools: {deny: ["process"]}}`), newBench(t, "{}", func(o *tools.Options) { o.Processes = nil }),
	} {
		if r := b.raw("exec", `{"command":"sleep 0.1; echo x","background":true,"yieldMs":10}`); r.Text() != "x\n" {
			t.Errorf("%q", r.Text())
		}
		for _, d := range b.set.Definitions() {
			if strings.Contains(string(d.Parameters), "yieldMs") || strings.Contains(d.Description, "yieldMs") {
				t.Errorf("%s: %s", d.Description, d.Parameters)
			}
		}
	}
}

func TestUpdatesTellWhatIsWritten(t *testing.T) {
	b := newBench(t, "{}")
	var text strings.Builder
	o := b.set.Batch(t.Context(), calls("exec", `{"command":"for i in 1 2 3; do echo $i; sleep 0.15; done"}`), func(e tools.Event) {
		if e.Type == tools.EventUpdate {
			text.WriteString(e.Text)
		}
	})[0]
	if o.Result.Text() != "1\n2\n3\n" || text.String() != "1\n2\n3\n" {
		t.Errorf("%q, updates %q", o.Result.Text(), text.String())
	}
}

// TestAnAnswerWithManyCallsRunsFewAtOnce counts how many are at work.
func TestAnAnswerWithManyCallsRunsFewAtOnce(t *testing.T) {
	var now, most, ran atomic.Int32
	slow := tools.Tool{
		Definition: model.Tool{Name: "slow", Parameters: json.RawMessage(`{"type":"object"}`)},
		Run: func(context.Context, tools.Call, func(string)) (*tools.Result, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			ran.Add(1)
			time.Sleep(time.Millisecond)
			return tools.TextResult("done"), nil
		},
	}
	b := newBench(t, "{}", func(o *tools.Options) { o.Extra = append(o.Extra, slow) })
	calls := make([]tools.Call, 100)
	for i := range calls {
		calls[i] = tools.Call{ID: fmt.Sprint(i), Name: "slow", Arguments: json.RawMessage("{}")}
	}
	outcomes := b.set.Batch(t.Context(), calls, nil)
	if len(outcomes) != len(calls) || ran.Load() != 100 || most.Load() > 8 {
		t.Errorf("%d outcomes, %d ran, %d at once", len(outcomes), ran.Load(), most.Load())
	}
}

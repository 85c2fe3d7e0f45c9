package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"openclaw/runtime/tools"
)

// looping is a session with a tool whose answer is a function of its argument and the number of the call.
func looping(t *testing.T, guard tools.GuardOptions, answer func(n, call int) string) *bench {
	call := 0
	return newBench(t, "{}", func(o *tools.Options) { o.Guard = guard }, with(extra("look", func(_ context.Context, c tools.Call, _ func(string)) (*tools.Result, error) {
		var a struct{ N int }
		if err := json.Unmarshal(c.Arguments, &a); err != nil {
			return nil, err
		}
		call++
		return tools.TextResult(answer(a.N, call)), nil
	})))
}

func look(n int) []tools.Call { return calls("look", fmt.Sprintf(`{"n":%d}`, n)) }

func same(n, _ int) string { return fmt.Sprint("answer ", n) }

// run makes calls until one is blocked or warned of, and tells at which.
func (b *bench) runUntil(most int, batch func(i int) []tools.Call, stop func(o tools.Outcome) bool) (int, tools.Outcome) {
	for i := 1; i <= most; i++ {
		if o := b.set.Batch(b.Context(), batch(i), nil)[0]; stop(o) {
			return i, o
		}
	}
	return 0, tools.Outcome{}
}

func blocked(o tools.Outcome) bool { return o.Status == tools.StatusBlocked }
func warned(o tools.Outcome) bool  { return o.Warning != "" }

func TestLoops(t *testing.T) {
	for _, c := range []struct {
		name          string
		answer        func(n, call int) string
		batch         func(i int) []tools.Call
		warn, block   int // the calls; 0: never
		warning, text string
	}{
		{
			"the same call", same, func(int) []tools.Call { return look(1) }, 10, 21,
			"the same call was made 10 times with the same result", "the same call was made 20 times with the same result",
		},
		{"the same call with its members in another order", same, func(i int) []tools.Call {
			return calls("exec", []string{`{"command":"true","workdir":"/"}`, `{"workdir": "/", "command": "true"}`}[i%2])
		}, 10, 21, "the same call was made 10 times", "the same call was made 20 times"},
		{"the same call with ever other results", func(_, call int) string { return fmt.Sprint(call) }, func(int) []tools.Call { return look(1) }, 0, 0, "", ""},
		{"other calls with other results", same, look, 0, 0, "", ""},
		{
			"two calls in turn", same, func(i int) []tools.Call { return look(i % 2) }, 10, 21,
			"10 calls went back and forth between the same two", "20 calls went back and forth between the same two",
		},
		{"ever other arguments and the same result", func(int, int) string { return "no" }, look, 10, 0, "10 calls with other arguments had the same result", ""},
		{"tools that there are not", same, func(i int) []tools.Call { return calls(fmt.Sprint("none", i), `{}`) }, 0, 10, "", "10 calls were of tools that there are not"},
		{
			"three calls in turn", same, func(i int) []tools.Call { return look(i % 3) }, 28, 34,
			"the same call was made 10 times", "the last 30 calls brought nothing new",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := looping(t, tools.GuardOptions{Enabled: true}, c.answer)
			if i, o := b.runUntil(40, c.batch, func(o tools.Outcome) bool { return warned(o) || blocked(o) && c.warn == 0 }); c.warn > 0 && (i != c.warn || !strings.Contains(o.Warning, c.warning)) {
				t.Errorf("warned at %d: %q, want %d", i, o.Warning, c.warn)
			}
			b.set.StartRun()
			i, o := b.runUntil(40, c.batch, blocked)
			if i != c.block || !strings.Contains(o.Result.Text(), c.text) {
				t.Fatalf("blocked at %d: %q, want %d", i, o.Result.Text(), c.block)
			}
			if i == 0 {
				return
			}
			if _, stopped := b.set.Stopped(); stopped || string(o.Result.Details) != `{"status":"blocked","deniedReason":"loop"}` {
				t.Errorf("the first time: stopped %v, details %s", stopped, o.Result.Details)
			}
			o = b.set.Batch(t.Context(), c.batch(i), nil)[0]
			if _, stopped := b.set.Stopped(); !stopped || !strings.HasSuffix(o.Result.Text(), "The run ends here.") {
				t.Errorf("the second time: stopped %v, %q", stopped, o.Result.Text())
			}
			if o := b.set.Batch(t.Context(), look(99), nil)[0]; !blocked(o) {
				t.Errorf("after the end: %s", o.Status)
			}
			b.set.StartRun()
			if o := b.set.Batch(t.Context(), look(99), nil)[0]; o.Status != tools.StatusRan {
				t.Errorf("in the next run: %s", o.Status)
			}
		})
	}
}

// TestABlockedBatchRunsNothing blocks the calls beside the one that is repeated, too.
func TestABlockedBatchRunsNothing(t *testing.T) {
	b := looping(t, tools.GuardOptions{Enabled: true}, same)
	b.runUntil(20, func(int) []tools.Call { return look(1) }, blocked)
	outcomes := b.set.Batch(t.Context(), append(calls("write", `{"path":"f","content":"x"}`), look(1)...), nil)
	if !blocked(outcomes[0]) || !blocked(outcomes[1]) {
		t.Errorf("%s %s", outcomes[0].Status, outcomes[1].Status)
	}
	if r := b.call("read", "path", "f"); !r.IsError {
		t.Errorf("it was written: %q", r.Text())
	}
}

func TestPollsAreCountedAsSuch(t *testing.T) {
	b := newBench(t, "{}", func(o *tools.Options) { o.Guard.Enabled = true })
	id := b.background("sleep 100")
	poll := func(int) []tools.Call {
		return []tools.Call{{ID: "1", Name: "process", Arguments: args("action", "poll", "sessionId", id, "timeout", 0)}}
	}
	if i, o := b.runUntil(40, poll, blocked); i != 21 || !strings.Contains(o.Result.Text(), "the same look at a command was taken 20 times and showed nothing new") {
		t.Errorf("%d %q", i, o.Result.Text())
	}
}

func TestWithoutTheGuardNothingIsBlocked(t *testing.T) {
	b := looping(t, tools.GuardOptions{}, same)
	if i, o := b.runUntil(60, func(int) []tools.Call { return look(1) }, func(o tools.Outcome) bool { return blocked(o) || warned(o) }); i != 0 {
		t.Errorf("%d %q", i, o.Result.Text())
	}
}

// TestWhatIsRepeatedAfterACompactionEndsTheRun watches the three calls after it.
func TestWhatIsRepeatedAfterACompactionEndsTheRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		guard tools.GuardOptions
		after []int
		want  bool
	}{
		{"the same again", tools.GuardOptions{}, []int{1, 2, 3}, true},
		{"something else first", tools.GuardOptions{}, []int{9, 1, 2, 3}, false},
		{"only twice", tools.GuardOptions{}, []int{1, 2}, false},
		{"turned off", tools.GuardOptions{NoCompactionGuard: true}, []int{1, 2, 3}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := looping(t, c.guard, same)
			for _, n := range []int{1, 2, 3} {
				b.set.Batch(t.Context(), look(n), nil)
			}
			b.set.Compacted()
			for _, n := range c.after {
				b.set.Batch(t.Context(), look(n), nil)
			}
			if loop, stopped := b.set.Stopped(); stopped != c.want || stopped && loop != tools.LoopCompaction {
				t.Errorf("%v %s", stopped, loop)
			}
		})
	}
}

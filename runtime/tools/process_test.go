package tools_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/confinement"
	"openclaw/runtime/tools"
)

func TestACommandGoesIntoTheBackground(t *testing.T) {
	b := newBench(t, "{}")
	r := b.call("exec", "command", "echo begun; sleep 0.3; echo done; exit 4", "yieldMs", 100, "title", "a long one")
	id, _ := field(t, r, "sessionId").(string)
	if !regexp.MustCompile(`^[a-z]+-[a-z]+$`).MatchString(id) || field(t, r, "status") != "running" || field(t, r, "tail") != "begun\n" || r.IsError {
		t.Fatalf("%s\n%s", r.Text(), r.Details)
	}
	if !strings.HasPrefix(r.Text(), "begun\n(still running in the background as "+id) {
		t.Errorf("%q", r.Text())
	}
	if got := b.ok("process", "action", "list"); !strings.Contains(got, id) || !strings.Contains(got, "running") || !strings.Contains(got, "a long one") {
		t.Errorf("list: %q", got)
	}
	if got := b.until(id, "(ended)"); !strings.Contains(got, "done\n(ended) (exit code 4)") || strings.Contains(got, "begun") {
		t.Errorf("polled: %q", got)
	}
	if got := b.ok("process", "action", "poll", "sessionId", id); got != "(no new output)\n(ended) (exit code 4)" {
		t.Errorf("polled again: %q", got)
	}
	if got := b.ok("process", "action", "log", "sessionId", id); got != "begun\ndone\n" {
		t.Errorf("log: %q", got)
	}
	if got := b.ok("process", "action", "clear", "sessionId", id); !strings.Contains(got, "is forgotten") {
		t.Errorf("clear: %q", got)
	}
	if r := b.call("process", "action", "poll", "sessionId", id); !r.IsError || r.Text() != fmt.Sprintf("process: there is no command %q; no command is in the background", id) {
		t.Errorf("after that: %q", r.Text())
	}
}

// TestInput gives commands what they wait for.
func TestInput(t *testing.T) {
	b := newBench(t, "{}")
	id := b.background(`while read -r line; do echo "[$line]"; done; echo end`)
	give := func(pairs ...any) {
		t.Helper()
		b.ok("process", append([]any{"sessionId", id}, pairs...)...)
	}
	give("action", "write", "data", "one\ntwo\n")
	b.until(id, "[one]\n[two]\n")
	give("action", "submit", "text", "three")
	b.until(id, "[three]")
	give("action", "paste", "text", "four\n", "bracketed", true)
	b.until(id, "[\x1b[200~four]")
	give("action", "send-keys", "literal", "fi", "keys", []string{"v", "e", "Enter"}, "hex", []string{"3e", "0x20"})
	b.until(id, "[\x1b[201~> five]")
	give("action", "send-keys", "keys", []string{"C-d"})
	b.until(id, "end\n(ended) (exit code 0)")
	for _, c := range []struct {
		pairs []any
		want  string
	}{
		{[]any{"action", "write", "data", "x"}, "process: " + id + " has ended (exit code 0)"},
		{[]any{"action", "kill"}, "process: " + id + " has ended already (exit code 0)"},
		{[]any{"action", "dance"}, `process: action: one of "list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove" is expected, not "dance"`},
	} {
		if r := b.call("process", append([]any{"sessionId", id}, c.pairs...)...); !r.IsError || r.Text() != c.want {
			t.Errorf("%v: %q", c.pairs, r.Text())
		}
	}
	id = b.background("cat")
	for _, c := range []struct {
		pairs []any
		want  string
	}{
		{[]any{"action", "write"}, "process: write: data: missing: there is nothing to write"},
		{[]any{"action", "paste"}, "process: paste: text: missing: there is nothing to write"},
		{[]any{"action", "send-keys"}, "process: send-keys: keys, hex or literal: missing: there is nothing to write"},
		{[]any{"action", "send-keys", "hex", []string{"zz"}}, `process: send-keys: hex: "zz" is not a hexadecimal number`},
		{[]any{"action", "send-keys", "keys", []string{"C-z"}}, "process: send-keys: keys: there is no terminal that could stop a command: C-c ends it"},
		{[]any{"action", "clear"}, "process: " + id + " is still running: kill it, or use remove"},
		{[]any{"action", "write", "data", strings.Repeat("x", 1<<20+1)}, "process: write: " + id + ": it does not read its standard input, which is full"},
	} {
		if r := b.call("process", append([]any{"sessionId", id}, c.pairs...)...); !r.IsError || r.Text() != c.want {
			t.Errorf("%v: %q", c.pairs, r.Text())
		}
	}
	give("action", "write", "data", "last", "eof", true)
	if r := b.call("process", "action", "write", "sessionId", id, "data", "more"); !r.IsError {
		t.Errorf("after the end of the input: %q", r.Text())
	}
	b.until(id, "last\n(ended) (exit code 0)")
	id = b.background("echo working; cat")
	b.until(id, "working")
	give("action", "send-keys", "keys", []string{"C-c"})
	b.until(id, "(ended) (killed)")
}

// TestACommandWithoutInputReadsNothing does not wait for what nobody will write.
func TestACommandWithoutInputReadsNothing(t *testing.T) {
	b := newBench(t, "{}")
	if got := b.ok("exec", "command", "cat; read x; echo $?"); got != "1\n" {
		t.Errorf("%q", got)
	}
}

// TestTheLastOutputIsNotLost ends commands in every way, each time without a poll between the last output and the end.
func TestTheLastOutputIsNotLost(t *testing.T) {
	for _, c := range []struct {
		name, command, want string
		end                 func(b *bench, id string) string
	}{
		{"ends by itself", "echo first; sleep 0.1; echo last", "first\nlast\n", func(b *bench, id string) string {
			b.until(id, "first")
			b.gone(id)
			return "first\n" + b.ok("process", "action", "poll", "sessionId", id)
		}},
		{"is killed", "echo first; echo last; sleep 100", "first\nlast\n(ended) (killed)", func(b *bench, id string) string {
			b.unread(id)
			return b.ok("process", "action", "kill", "sessionId", id)
		}},
		{"is removed", "echo first; echo last; sleep 100", "first\nlast\n(ended) (killed)\n", func(b *bench, id string) string {
			b.unread(id)
			return b.ok("process", "action", "remove", "sessionId", id)
		}},
		{"is cleared", "echo first; echo last", "first\nlast\n(ended) (exit code 0)\n", func(b *bench, id string) string {
			b.gone(id)
			return b.ok("process", "action", "clear", "sessionId", id)
		}},
		{"without a newline", "printf 'first\nlä'", "first\nlä\n(ended) (exit code 0)", func(b *bench, id string) string {
			b.gone(id)
			return b.ok("process", "action", "poll", "sessionId", id)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "{}")
			if got := c.end(b, b.later(c.command)); !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	t.Run("reaches its time", func(t *testing.T) {
		b := newBench(t, "{}")
		r := b.call("exec", "command", "sleep 0.1; echo first; echo last; sleep 100", "background", true, "timeoutSeconds", 0.5)
		id := field(t, r, "sessionId").(string)
		b.gone(id)
		r = b.call("process", "action", "poll", "sessionId", id)
		if got := r.Text(); got != "first\nlast\n(ended) (ended: it ran for longer than 500ms)" || field(t, r, "timedOut") != true || field(t, r, "status") != "failed" {
			t.Errorf("%q %s", got, r.Details)
		}
	})
	t.Run("is still there when the runtime ends", func(t *testing.T) {
		b := newBench(t, "{}")
		running, ended, shown := b.later("echo first; echo last; sleep 100"), b.later("echo over; exit 3"), b.background("echo seen")
		b.unread(running)
		b.gone(ended)
		b.until(shown, "(ended)")
		left := b.registry.Close(t.Context())
		if len(left) != 2 {
			t.Fatalf("%+v", left)
		}
		if l := left[0]; l.ID != running || l.Output != "first\nlast\n" || !l.Killed || l.ExitCode != nil || l.Agent != "main" || l.Session != "agent:main:main" {
			t.Errorf("%+v", l)
		}
		if l := left[1]; l.ID != ended || l.Output != "over\n" || l.Killed || l.ExitCode == nil || *l.ExitCode != 3 {
			t.Errorf("%+v", l)
		}
		if again := b.registry.Close(t.Context()); again != nil {
			t.Errorf("closed again: %+v", again)
		}
		if r := b.call("exec", "command", "echo x"); !r.IsError || r.Text() != "exec: the runtime is being closed" {
			t.Errorf("after that: %q", r.Text())
		}
	})
}

// gone waits until a command has ended, without looking at its output.
func (b *bench) gone(id string) {
	b.Helper()
	b.wait(id, func(line map[string]any) bool { return line["status"] != "running" })
}

// unread waits until a command has written something.
func (b *bench) unread(id string) {
	b.Helper()
	b.wait(id, func(line map[string]any) bool { return line["unread"] == true })
	b.ok("exec", "command", "sleep 0.05") // for what it writes next
}

func (b *bench) wait(id string, ready func(line map[string]any) bool) {
	b.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		lines, _ := field(b, b.call("process", "action", "list"), "sessions").([]any)
		for _, line := range lines {
			if line, ok := line.(map[string]any); ok && line["sessionId"] == id && ready(line) {
				return
			}
		}
		b.ok("exec", "command", "sleep 0.02")
	}
	b.Fatalf("%s: not ready", id)
}

// TestMoreOutputThanIsKept keeps the end of it, in the order in which it was written.
func TestMoreOutputThanIsKept(t *testing.T) {
	b := newBench(t, "{}")
	id := b.later("seq 1 100000; echo end >&2")
	b.gone(id)
	got := b.ok("process", "action", "poll", "sessionId", id)
	if !strings.HasPrefix(got, "[… 558895 bytes before this were too many to wait") || !strings.Contains(got, "\n99999\n100000\nend\n(ended) (exit code 0)") {
		t.Errorf("%q … %q", got[:100], got[len(got)-60:])
	}
	if n := strings.Count(got, ""); n > tools.MaxPending+300 || n < tools.MaxPending {
		t.Errorf("%d characters", n)
	}
	got = b.ok("process", "action", "log", "sessionId", id)
	if lines := strings.Split(got, "\n"); len(lines) != 201 || lines[0] != "99802" || lines[199] != "end" || !strings.Contains(lines[200], "bytes of the output are not kept; lines ") {
		t.Errorf("%d lines, %q … %q", len(lines), lines[0], lines[len(lines)-1])
	}
	for _, c := range []struct {
		pairs []any
		want  string
	}{
		{[]any{"offset", 0, "limit", 2}, "66668\n66669\n[the first 388897 bytes of the output are not kept; lines 1-2 of 33334]"},
		{[]any{"limit", 2}, "100000\nend\n[the first 388897 bytes of the output are not kept; lines 33333-34334 of 33334]"},
	} {
		got := b.ok("process", append([]any{"action", "log", "sessionId", id}, c.pairs...)...)
		if first, _, _ := strings.Cut(c.want, "["); !strings.Contains(got, "[the first ") || len(strings.Split(got, "\n")) != 3 || c.pairs[0] == "limit" && !strings.HasPrefix(got, first) {
			t.Errorf("%v: %q", c.pairs, got)
		}
	}
}

// TestAPollIsNotCut gives what does not fit into one answer in the next.
func TestAPollIsNotCut(t *testing.T) {
	b := newBench(t, "{}", func(o *tools.Options) { o.Limits.ContextTokens = 8000 }) // 9,600 characters
	id := b.later("seq 1 5000")
	b.gone(id)
	var all strings.Builder
	for range 10 {
		got := b.ok("process", "action", "poll", "sessionId", id)
		if n := len(got); n > 9600 {
			t.Fatalf("an answer of %d characters", n)
		}
		text, _, more := strings.Cut(got, "(")
		if !more {
			t.Fatalf("%q", got)
		}
		all.WriteString(text)
		if strings.Contains(got, "(ended)") {
			break
		}
	}
	joined := strings.ReplaceAll(all.String(), "\n", "")
	var want strings.Builder
	for i := 1; i <= 5000; i++ {
		fmt.Fprint(&want, i)
	}
	if joined != want.String() {
		t.Errorf("%d characters of %d", len(joined), want.Len())
	}
}

// TestAKillEndsAPollThatWaits polls from one goroutine and kills from another.
func TestAKillEndsAPollThatWaits(t *testing.T) {
	b := newBench(t, "{}")
	for range 10 {
		id := b.background("echo begun; sleep 100")
		b.until(id, "begun")
		polled := make(chan string)
		go func() {
			r := b.call("process", "action", "poll", "sessionId", id, "timeout", 30000)
			polled <- r.Text()
		}()
		r := b.call("process", "action", "kill", "sessionId", id)
		killed, got := r.Text(), <-polled
		if !strings.Contains(got, "(ended) (killed)") || !strings.Contains(killed, "(killed)") && !strings.Contains(killed, "ended already") {
			t.Errorf("poll %q, kill %q", got, killed)
		}
	}
}

// TestAPollEndsWithItsCall leaves the output for the next one.
func TestAPollEndsWithItsCall(t *testing.T) {
	b := newBench(t, "{}")
	id := b.background("read x; echo got $x; sleep 100")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	o := b.set.Batch(ctx, []tools.Call{{Name: "process", Arguments: args("action", "poll", "sessionId", id, "timeout", 30000)}}, nil)[0]
	if o.Status != tools.StatusAborted {
		t.Errorf("%s %q", o.Status, o.Result.Text())
	}
	b.ok("process", "action", "submit", "sessionId", id, "text", "it")
	b.until(id, "got it")
}

// TestSessionsDoNotSeeEachOther hides the commands of one from the other.
func TestSessionsDoNotSeeEachOther(t *testing.T) {
	b := newBench(t, "{}")
	mine := b.background("sleep 100")
	other := &bench{TB: t, registry: b.registry, conf: b.conf}
	other.set = other.open(confinement.Request{Key: "agent:main:telegram:group:eve"})
	theirs := other.background("sleep 100")
	if got := other.ok("process", "action", "list"); strings.Contains(got, mine) || !strings.Contains(got, theirs) {
		t.Errorf("list: %q", got)
	}
	for _, action := range []string{"poll", "log", "kill", "write", "clear", "remove"} {
		want := fmt.Sprintf("process: there is no command %q; there are %s", mine, theirs)
		if r := other.call("process", "action", action, "sessionId", mine, "data", "x"); !r.IsError || r.Text() != want {
			t.Errorf("%s: %q", action, r.Text())
		}
	}
	if left := b.registry.Close(t.Context()); len(left) != 2 || left[0].Session == left[1].Session {
		t.Errorf("%+v", left)
	}
}

// clock is a clock that the test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// registry gives the bench another registry.
func registry(r *tools.Registry) func(*tools.Options) {
	return func(o *tools.Options) { o.Processes = r }
}

func TestACommandThatWaitsForInputSaysSo(t *testing.T) {
	c := &clock{now: time.Now()}
	r := tools.NewRegistry(tools.RegistryOptions{Now: c.read})
	t.Cleanup(func() { r.Close(context.Background()) })
	b := newBench(t, "{}", registry(r))
	id := b.background("echo name?; read name; echo hello $name; sleep 100")
	b.until(id, "name?")
	c.pass(14 * time.Second)
	if got := b.ok("process", "action", "poll", "sessionId", id, "timeout", 0); got != "(no new output)\n(still running)" {
		t.Errorf("%q", got)
	}
	c.pass(time.Second)
	res := b.call("process", "action", "poll", "sessionId", id, "timeout", 0)
	if got := res.Text(); got != "(no new output)\n(still running; it seems to wait for input)" || field(t, res, "waitingForInput") != true {
		t.Errorf("%q %s", got, res.Details)
	}
	b.ok("process", "action", "submit", "sessionId", id, "text", "Ada")
	b.until(id, "hello Ada")
	if got := b.ok("process", "action", "list"); strings.Contains(got, "wait for input") {
		t.Errorf("%q", got)
	}
}

// TestFinishedCommandsAreForgotten keeps 50 of them, and for a time, and loses nothing that nobody has seen.
func TestFinishedCommandsAreForgotten(t *testing.T) {
	c := &clock{now: time.Now()}
	var mu sync.Mutex
	var exits []tools.Exit
	r := tools.NewRegistry(tools.RegistryOptions{Now: c.read, OnExit: func(e tools.Exit) {
		mu.Lock()
		defer mu.Unlock()
		exits = append(exits, e)
	}})
	b := newBench(t, "{tools: {exec: {cleanupMs: 60000}}}", registry(r))
	first := b.later("echo unseen")
	b.gone(first)
	for i := range tools.MaxFinished + 4 {
		b.until(b.background(fmt.Sprintf("sleep 0.02; echo %d", i)), "(ended)")
	}
	lines, _ := field(t, b.call("process", "action", "list"), "sessions").([]any)
	if len(lines) != tools.MaxFinished {
		t.Errorf("%d are remembered", len(lines))
	}
	if line := lines[0].(map[string]any); line["sessionId"] != first {
		t.Errorf("the one that nobody has seen is gone: %v", line)
	}
	c.pass(time.Minute)
	if got := b.ok("process", "action", "list"); got != "(no command is in the background)" {
		t.Errorf("after a minute: %q", got)
	}
	left := r.Leftovers("main", "agent:main:main")
	if len(left) != 1 || left[0].ID != first || left[0].Output != "unseen\n" {
		t.Errorf("%+v", left)
	}
	if left := r.Close(t.Context()); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(exits) != tools.MaxFinished+5 || exits[0].ID != first || exits[0].Quiet || *exits[0].ExitCode != 0 || exits[0].Title != "echo unseen" {
		t.Errorf("%d exits, the first %+v", len(exits), exits[0])
	}
}

// TestTheSessionOutlivesItsSet keeps what a command works on until it ends.
func TestTheSessionOutlivesItsSet(t *testing.T) {
	b := newBench(t, "{}")
	b.background("read x; echo $x > /tmp/f; cat /tmp/f > done")
	id := strings.Fields(b.ok("process", "action", "list"))[0]
	again := &bench{TB: t, registry: b.registry, conf: b.conf}
	again.set = again.open(confinement.Request{})
	b.set.Close()
	b.set.Close()
	again.ok("process", "action", "submit", "sessionId", id, "text", "alive")
	again.until(id, "(ended) (exit code 0)")
	if got := again.get("done"); got != "alive\n" {
		t.Errorf("%q", got)
	}
	if r := b.call("exec", "command", "true"); !r.IsError || r.Text() != "exec: the session has been closed" {
		t.Errorf("with the set closed: %q", r.Text())
	}
}

// TestCommandsMayEndByThemselves waits for them before the registry is closed, as long as it is wanted.
func TestCommandsMayEndByThemselves(t *testing.T) {
	b := newBench(t, "{}")
	b.later("echo late")
	b.later("echo later; exit 2")
	if err := b.registry.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := b.registry.Close(t.Context()); len(left) != 2 || left[0].Output != "late\n" || left[1].Output != "later\n" || left[0].Killed || *left[1].ExitCode != 2 {
		t.Errorf("%+v", left)
	}
	b = newBench(t, "{}")
	b.later("sleep 100")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := b.registry.Wait(ctx); err == nil {
		t.Error("it waited for nothing")
	}
	if err := tools.NewRegistry(tools.RegistryOptions{}).Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

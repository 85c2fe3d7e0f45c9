package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"openclaw/runtime/conversation"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/queue"
	"openclaw/runtime/session"
)

// interleavings is how many actions the test takes; OPENCLAW_INTERLEAVINGS changes it.
const interleavings = 300

// stepsPerCase is how many actions a case has on average.
const stepsPerCase = 30

// machineCap is how many messages may wait.
const machineCap = 5

// whim is a model that answers whatever comes to its mind, with calls or without, soon or a little later, and sometimes fails.
type whim struct {
	mu     sync.Mutex
	random *rand.Rand
	calls  int
}

func (w *whim) Stream(ctx context.Context, r *model.Request, on func(model.Delta)) (*model.Message, error) {
	w.mu.Lock()
	kind, delay, sequential := w.random.IntN(10), time.Duration(w.random.IntN(8))*time.Millisecond, w.random.IntN(2) == 0
	answer := &model.Message{Role: model.RoleAssistant, Provider: "script", Model: r.Model, API: "script", Usage: &model.Usage{}, StopReason: model.StopEnd}
	answer.Content = []model.Block{{Type: model.BlockText, Text: "so be it"}}
	if kind < 5 {
		answer.StopReason = model.StopToolUse
		for range 1 + w.random.IntN(3) {
			w.calls++
			b := model.Block{Type: model.BlockToolCall, ID: fmt.Sprintf("c%d", w.calls), Name: "exec", Arguments: json.RawMessage(`{"command":"sleep 0.00` + strconv.Itoa(w.random.IntN(9)) + `"}`)}
			if sequential {
				b.Name, b.Arguments = "write", json.RawMessage(fmt.Sprintf(`{"path":"f%d","content":"x"}`, w.calls))
			}
			answer.Content = append(answer.Content, b)
		}
	}
	w.mu.Unlock()
	on(model.Delta{Type: model.DeltaText, Text: "so be it"})
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		answer.StopReason = model.StopAborted
		return answer, ctx.Err()
	}
	if kind == 9 {
		return &model.Message{Role: model.RoleAssistant, StopReason: model.StopError}, &model.Error{Kind: model.KindInvalid, Message: "I will not"}
	}
	return answer, nil
}

// said is a message of the test, and what is known of it.
type said struct {
	id    string
	mode  queue.Mode
	sure  bool // it was acknowledged; else it may have been taken or not
	place int  // in the order in which messages were sent one after the other; 0: together with others
}

// machine talks to a session in a random way and knows what must be true of it afterwards.
type machine struct {
	*home
	mu    sync.Mutex
	said  map[string]*said
	gone  map[string]bool // withdrawn, or given back
	count int
}

func newMachine(t *rapid.T) *machine {
	dir, err := os.MkdirTemp("", "conversation")
	if err != nil {
		t.Fatalf("%v", err)
	}
	m := &machine{home: &home{t: t, dir: dir}, said: map[string]*said{}, gone: map[string]bool{}}
	seed := rapid.Uint64().Draw(t, "seed")
	w := &whim{random: rand.New(rand.NewPCG(seed, 1))}
	m.models.NewClient = func(models.Endpoint) (model.Client, error) { return w, nil }
	m.configure(fmt.Sprintf(`messages: {queue: {cap: %d, debounceMs: 3}}`, machineCap))
	m.on = func(e conversation.Event) {
		if e.Ended != nil {
			m.forget(e.Ended.Returned)
		}
	}
	m.open()
	return m
}

func (m *machine) forget(ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		m.gone[id] = true
	}
}

// say sends one message, when no other one is being sent; the mode "" is the session's.
func (m *machine) say(mode queue.Mode) {
	s := m.sayAmong(mode)
	m.mu.Lock()
	defer m.mu.Unlock()
	s.place = m.count
}

// sayAmong sends one of several messages at once.
func (m *machine) sayAmong(mode queue.Mode) *said {
	m.mu.Lock()
	m.count++
	s := &said{id: fmt.Sprintf("m%d", m.count), mode: mode}
	m.said[s.id] = s
	m.mu.Unlock()
	r, err := m.talk.Send(context.Background(), conversation.Message{ID: s.id, Text: "text of " + s.id, Queue: queue.Override{Mode: mode}})
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.t.Fatalf("send: %v", err)
	}
	s.sure, s.mode = true, r.Mode
	if r.State == conversation.StateStarted {
		s.mode = queue.Steer
	}
	return s
}

// crash ends the process as kill -9 does, as far as the database can tell: nothing is written from one moment on, and the claim of the
// run stays until it is seen that its process has ended.
func (m *machine) crash() {
	m.freeze()
	m.talk.Close()
	_ = m.runtime.Close(context.Background()) // it cannot write any more, and says so
	_ = m.state.Close()
	conn, err := sqlite.OpenConn(session.Path(m.dir, "main"))
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	err = sqlitex.Execute(conn, "UPDATE sessions SET writer = NULL, writer_owner = NULL, writer_until = NULL", nil)
	if err = errors.Join(err, conn.Close()); err != nil {
		m.t.Fatalf("%v", err)
	}
	m.reopen()
}

func (m *machine) freeze() { _ = m.store().Close() }

func (m *machine) restart() {
	m.home.close()
	m.reopen()
}

func (m *machine) reopen() {
	m.open()
	if _, err := m.talk.Resume(context.Background(), "", ""); err != nil {
		m.t.Fatalf("resume: %v", err)
	}
}

func (m *machine) stopAll() {
	s, err := m.talk.Stop(context.Background(), "", "")
	if err != nil {
		m.t.Fatalf("stop: %v", err)
	}
	m.forget(s.Withdrawn)
}

func (m *machine) withdraw(id string) {
	taken, err := m.talk.Withdraw(context.Background(), "", "", id)
	if err != nil {
		m.t.Fatalf("withdraw: %v", err)
	}
	if taken {
		m.forget([]string{id})
	}
}

// TestRandomInterleavings lets messages, runs, ends of runs and ends of processes come in any order. No message is lost or told twice,
// no call is without its result, and it always comes to rest.
func TestRandomInterleavings(t *testing.T) {
	n := interleavings
	if more, err := strconv.Atoi(os.Getenv("OPENCLAW_INTERLEAVINGS")); err == nil {
		n = more
	}
	setFlag(t, "rapid.checks", strconv.Itoa((n+stepsPerCase-1)/stepsPerCase))
	setFlag(t, "rapid.steps", strconv.Itoa(stepsPerCase))
	setFlag(t, "rapid.nofailfile", "true")
	modes := []queue.Mode{"", queue.Steer, queue.Followup, queue.Collect, queue.Interrupt}
	total := machineTotals{}
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		defer os.RemoveAll(m.dir)
		done := func(name string, f func(t *rapid.T)) func(t *rapid.T) {
			return func(t *rapid.T) { total.steps++; total.by(name); f(t) }
		}
		say := func(t *rapid.T) { m.say(rapid.SampledFrom(modes).Draw(t, "mode")) }
		t.Repeat(map[string]func(*rapid.T){
			"say":   done("message", say),
			"again": done("message", say),
			"more":  done("message", say),
			"burst": done("burst", func(t *rapid.T) {
				var all sync.WaitGroup
				for range rapid.IntRange(2, 5).Draw(t, "n") {
					mode := rapid.SampledFrom(modes).Draw(t, "mode")
					all.Go(func() { m.sayAmong(mode) })
				}
				all.Wait()
			}),
			"breathe": done("pause", func(t *rapid.T) { time.Sleep(time.Duration(rapid.IntRange(0, 20).Draw(t, "ms")) * time.Millisecond) }),
			"settle":  done("rest", func(*rapid.T) { m.settle() }),
			"stop":    done("stop", func(*rapid.T) { m.stopAll() }),
			"withdraw": done("withdrawal", func(t *rapid.T) {
				m.withdraw(fmt.Sprintf("m%d", rapid.IntRange(max(1, m.count-3), m.count+1).Draw(t, "which")))
			}),
			"crash":   done("crash", func(*rapid.T) { m.crash() }),
			"restart": done("restart", func(*rapid.T) { m.restart() }),
		})
		m.settle()
		m.say("") // calls that a crash has left open get their results from the next run
		m.settle()
		m.check()
		total.add(m)
		m.home.close()
	})
	t.Logf("%d actions: %v; %d messages, %d calls", total.steps, total.kinds, total.messages, total.calls)
}

type machineTotals struct {
	steps, messages, calls int
	kinds                  map[string]int
}

func (t *machineTotals) by(name string) {
	if t.kinds == nil {
		t.kinds = map[string]int{}
	}
	t.kinds[name]++
}

func (t *machineTotals) add(m *machine) {
	t.messages += m.count
	for _, e := range m.all() {
		if e.Role() == session.RoleToolResult {
			t.calls++
		}
	}
}

func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	old := f.Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, old) })
}

// all are the entries of the session, none when nothing was ever said.
func (m *machine) all() []session.Entry {
	list, err := m.store().Entries(context.Background(), session.Ref{Key: mainKey}, session.EntriesOptions{Limit: session.MaxPage})
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		m.t.Fatalf("%v", err)
	}
	return list
}

var overflow = regexp.MustCompile(`\[Queue overflow: (\d+) messages? dropped\]`)

// check holds what the session has become against what was said.
func (m *machine) check() {
	list := m.all()
	told := map[string]int{}
	var order []string
	folded := 0 // messages that others stand for
	for _, e := range list {
		var body struct {
			Inputs []string `json:"inputs"`
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			m.t.Fatalf("%v", err)
		}
		for _, id := range body.Inputs {
			told[id]++
			if !strings.Contains(e.Text()+"\n", "\n- text of "+id+"\n") { // a line of one that gave way keeps no order
				order = append(order, id)
			}
		}
		if match := overflow.FindStringSubmatch(e.Text()); match != nil {
			n, _ := strconv.Atoi(match[1])
			lines := strings.Count(strings.SplitN(e.Text(), "Summary:", 2)[1], "\n- ")
			folded += n - lines
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	missing := 0
	for id, s := range m.said {
		switch {
		case told[id] > 1:
			m.t.Fatalf("%s was told %d times", id, told[id])
		case told[id] == 1 && m.gone[id]:
			m.t.Fatalf("%s was taken back, and told", id)
		case told[id] == 0 && !m.gone[id] && s.sure:
			missing++
		}
	}
	// A line that stands for several messages may itself have been taken back, or given back, with no trace of the others.
	if missing > folded && (len(m.gone) == 0 || m.count <= 2*machineCap) {
		m.t.Fatalf("%d messages are lost, %d of them stand in others\n%s", missing, folded, transcriptOf(list))
	}
	m.checkOrder(order)
	m.checkPairs(list)
	if left, err := m.store().Inputs(context.Background(), mainKey); err != nil || len(left) > 0 {
		m.t.Fatalf("%d messages wait at rest, %v", len(left), err)
	}
}

// checkOrder wants messages that are steered, and those that follow up, in the order in which they were said one after the other.
func (m *machine) checkOrder(order []string) {
	for _, mode := range []queue.Mode{queue.Steer, queue.Followup} {
		last := 0
		for _, id := range order {
			s := m.said[id]
			if s == nil || s.mode != mode || s.place == 0 {
				continue
			}
			if s.place < last {
				m.t.Fatalf("%s came behind one that was said later: %v", id, order)
			}
			last = s.place
		}
	}
}

// checkPairs wants the results of an answer's calls behind it, before anything else, each once.
func (m *machine) checkPairs(list []session.Entry) {
	var open []string
	for _, e := range list {
		var body struct {
			Message model.Message `json:"message"`
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			m.t.Fatalf("%v", err)
		}
		if e.Role() == session.RoleToolResult {
			i := slices.Index(open, body.Message.ToolCallID)
			if i < 0 {
				m.t.Fatalf("a result of %s, which waits for none\n%s", body.Message.ToolCallID, transcriptOf(list))
			}
			open = slices.Delete(open, i, i+1)
			continue
		}
		if len(open) > 0 {
			m.t.Fatalf("%v have no results before entry %d\n%s", open, e.Seq, transcriptOf(list))
		}
		for _, c := range body.Message.Calls() {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		m.t.Fatalf("%v have no results\n%s", open, transcriptOf(list))
	}
}

func transcriptOf(list []session.Entry) string {
	var lines []string
	for _, e := range list {
		lines = append(lines, entryText(e))
	}
	return strings.Join(lines, "\n")
}

package tools_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/runtime/confinement"
	"openclaw/runtime/tools"
)

// echoing is what the test knows of a command that gives back each line that it is given.
type echoing struct {
	owner  int // the session
	said   string
	shown  string
	ended  bool
	ending string
}

// processMachine uses the commands of two sessions in any order. Whatever it does, each of them has shown all that its command had
// written, once and in order, when it is told of the end.
type processMachine struct {
	t        *rapid.T
	registry *tools.Registry
	sessions []*tools.Set
	known    map[string]*echoing
	lines    int
}

func (m *processMachine) call(owner int, tool string, pairs ...any) tools.Result {
	return m.sessions[owner].Batch(context.Background(), []tools.Call{{ID: "1", Name: tool, Arguments: args(pairs...)}}, nil)[0].Result
}

// ids are the commands of which something is wanted.
func (m *processMachine) pick(wanted func(*echoing) bool) (string, *echoing) {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(m.known)) {
		if wanted(m.known[id]) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return "", nil // the action does nothing: one that is skipped too often is a failure
	}
	id := rapid.SampledFrom(ids).Draw(m.t, "id")
	return id, m.known[id]
}

func running(e *echoing) bool { return !e.ended }
func anyOf(*echoing) bool     { return true }

func (m *processMachine) start(*rapid.T) {
	if len(m.known) > 6 {
		return
	}
	owner := rapid.IntRange(0, len(m.sessions)-1).Draw(m.t, "session")
	r := m.call(owner, "exec", "command", `while read -r l; do echo "$l"; done; exit 7`, "background", true)
	var d struct{ SessionID string }
	if err := json.Unmarshal(r.Details, &d); err != nil || d.SessionID == "" {
		m.t.Fatalf("start: %s", r.Text())
	}
	if m.known[d.SessionID] != nil {
		m.t.Fatalf("the name %s is taken", d.SessionID)
	}
	m.known[d.SessionID] = &echoing{owner: owner}
}

// write gives a line and waits until the command has given it back.
func (m *processMachine) write(*rapid.T) {
	id, e := m.pick(running)
	if e == nil {
		return
	}
	m.lines++
	line := fmt.Sprintf("line-%d-%s\n", m.lines, strings.Repeat("é", rapid.IntRange(0, 50).Draw(m.t, "length")))
	if r := m.call(e.owner, "process", "action", "write", "sessionId", id, "data", line); r.IsError {
		m.t.Fatalf("write: %s", r.Text())
	}
	e.said += line
	m.await(id, e, func(log string, _ bool) bool { return strings.HasSuffix(log, line) })
}

// await looks at the log, which takes nothing from what poll shows.
func (m *processMachine) await(id string, e *echoing, ready func(log string, ended bool) bool) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		r := m.call(e.owner, "process", "action", "log", "sessionId", id, "offset", 0)
		var d struct{ Status string }
		if err := json.Unmarshal(r.Details, &d); err != nil {
			m.t.Fatalf("log: %s", r.Text())
		}
		log, _, _ := strings.Cut(r.Text(), "[")
		if log != e.said[:len(log)] {
			m.t.Fatalf("log %q, want %q", log, e.said)
		}
		if ready(log, d.Status != "running") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	m.t.Fatalf("%s: not ready", id)
}

// shows takes what an answer shows of a command's output.
func (m *processMachine) shows(id string, e *echoing, r tools.Result) {
	if r.IsError {
		m.t.Fatalf("%s: %s", id, r.Text())
	}
	for line := range strings.Lines(r.Text()) {
		if !strings.HasPrefix(line, "(") {
			e.shown += line
		}
	}
	if e.shown != e.said {
		m.t.Fatalf("%s has shown %q, want %q", id, e.shown, e.said)
	}
	if ended := strings.Contains(r.Text(), "(ended) "+e.ending); ended != e.ended {
		m.t.Fatalf("%s: %q, want it to have ended: %v %s", id, r.Text(), e.ended, e.ending)
	}
}

func (m *processMachine) poll(*rapid.T) {
	id, e := m.pick(anyOf)
	if e == nil {
		return
	}
	m.shows(id, e, m.call(e.owner, "process", "action", "poll", "sessionId", id, "timeout", 0))
}

func (m *processMachine) kill(*rapid.T) {
	id, e := m.pick(running)
	if e == nil {
		return
	}
	r := m.call(e.owner, "process", "action", "kill", "sessionId", id)
	e.ended, e.ending = true, "(killed)"
	m.shows(id, e, r)
}

func (m *processMachine) eof(*rapid.T) {
	id, e := m.pick(running)
	if e == nil {
		return
	}
	if r := m.call(e.owner, "process", "action", "write", "sessionId", id, "eof", true); r.IsError {
		m.t.Fatalf("eof: %s", r.Text())
	}
	m.await(id, e, func(_ string, ended bool) bool { return ended })
	e.ended, e.ending = true, "(exit code 7)"
}

func (m *processMachine) remove(*rapid.T) {
	id, e := m.pick(anyOf)
	if e == nil {
		return
	}
	r := m.call(e.owner, "process", "action", "remove", "sessionId", id)
	if !e.ended {
		e.ended, e.ending = true, "(killed)"
	}
	m.shows(id, e, r)
	delete(m.known, id)
}

func (m *processMachine) strangers(*rapid.T) {
	id, e := m.pick(anyOf)
	if e == nil {
		return
	}
	if r := m.call(1-e.owner, "process", "action", "kill", "sessionId", id); !r.IsError {
		m.t.Fatalf("another session's command was killed: %s", r.Text())
	}
}

// check compares the lists with what is known.
func (m *processMachine) check(*rapid.T) {
	for owner := range m.sessions {
		r := m.call(owner, "process", "action", "list")
		var d struct {
			Sessions []struct {
				SessionID, Status string
				Unread            bool
			}
		}
		if err := json.Unmarshal(r.Details, &d); err != nil {
			m.t.Fatal(err)
		}
		n := 0
		for _, e := range m.known {
			if e.owner == owner {
				n++
			}
		}
		if len(d.Sessions) != n {
			m.t.Fatalf("session %d has %d commands, want %d", owner, len(d.Sessions), n)
		}
		for _, line := range d.Sessions {
			e := m.known[line.SessionID]
			if e == nil || e.owner != owner || (line.Status == "running") == e.ended || line.Unread != (e.shown != e.said) {
				m.t.Fatalf("%+v, known is %+v", line, e)
			}
		}
	}
}

func TestProcessesInAnyOrder(t *testing.T) {
	fewerChecks(t, 30)
	b := newBench(t, "{}")
	main, eve := b.set, b.open(confinement.Request{Key: "agent:main:telegram:group:eve"})
	rapid.Check(t, func(t *rapid.T) {
		r := tools.NewRegistry(tools.RegistryOptions{})
		m := &processMachine{t: t, registry: r, known: map[string]*echoing{}, sessions: []*tools.Set{main.WithRegistry(r), eve.WithRegistry(r)}}
		t.Repeat(map[string]func(*rapid.T){
			"start": m.start, "write": m.write, "write again": m.write, "poll": m.poll, "kill": m.kill, "eof": m.eof, "remove": m.remove,
			"strangers": m.strangers, "": m.check,
		})
		for _, l := range r.Close(context.Background()) {
			e := m.known[l.ID]
			if e == nil || e.shown+l.Output != e.said || l.Killed == e.ended && e.ending != "(killed)" {
				t.Fatalf("left over: %+v, known is %+v", l, e)
			}
			delete(m.known, l.ID)
		}
		for id, e := range m.known {
			if e.shown != e.said || !e.ended {
				t.Fatalf("nothing is left over of %s: %+v", id, e)
			}
		}
	})
}

// fewerChecks makes a property test shorter that runs commands, unless it was told how long to be.
func fewerChecks(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if before != checks.DefValue {
		return
	}
	if err := checks.Value.Set(fmt.Sprint(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(before) })
}

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/session"
)

// chatKillRounds is how often the test kills a conversation; OPENCLAW_KILL_ROUNDS changes it.
const chatKillRounds = 6

// talkScript is a model that works a little before it answers, again and again.
const talkScript = `{"repeat":true,"turns":[
	{"delayMs":20,"text":"I look.","calls":[{"name":"exec","arguments":{"command":"sleep 0.05"}},{"name":"exec","arguments":{"command":"sleep 0.02"}}]},
	{"delayMs":20,"calls":[{"name":"write","arguments":{"path":"a","content":"x"}},{"name":"write","arguments":{"path":"b","content":"x"}}]},
	{"delayMs":10,"text":"Done."}]}`

// TestKilledConversationsLoseNothing kills conversations at random moments while messages come. Whatever was taken is told to the model
// once, at the latest by the conversation after it.
func TestKilledConversationsLoseNothing(t *testing.T) {
	compileToolbox(t)
	rounds := chatKillRounds
	if n, err := strconv.Atoi(os.Getenv("OPENCLAW_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	script, state := filepath.Join(dir, "script.json"), filepath.Join(dir, "state")
	if err := os.WriteFile(script, []byte(talkScript), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := startChat(t, state, script) // the session is there from now on, however early a process is killed
	begin.say("hello")
	_ = begin.in.Close()
	if err := begin.cmd.Wait(); err != nil {
		t.Fatalf("the first conversation: %v: %s", err, begin.stderr.String())
	}
	modes := []string{"steer", "followup", "collect", "interrupt"}
	sent, taken := 0, 0
	for round := range rounds {
		c := startChat(t, state, script)
		c.say("/queue " + modes[round%len(modes)] + " debounce:20")
		stop := time.Now().Add(200*time.Millisecond + rand.N(900*time.Millisecond))
		first := sent + 1
		for time.Now().Before(stop) {
			sent++
			c.say(fmt.Sprintf("message <%d>", sent))
			time.Sleep(rand.N(60 * time.Millisecond))
		}
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait() // it was killed
		taken += strings.Count(c.stderr.String(), "· taken")
		checkPrefix(t, state, first, sent, strings.Count(c.stderr.String(), "· taken"))
	}
	last := startChat(t, state, script)
	_ = last.in.Close()
	if err := last.cmd.Wait(); err != nil {
		t.Fatalf("the last conversation: %v: %s", err, last.stderr.String())
	}
	told := toldIn(t, state)
	for id, times := range told {
		if times != 1 {
			t.Errorf("message %d was told %d times", id, times)
		}
	}
	if len(told) < taken {
		t.Errorf("%d messages were taken, %d told", taken, len(told))
	}
	t.Logf("%d conversations were killed; %d messages sent, %d told of, %d of them acknowledged while the agent worked", rounds, sent, len(told), taken)
}

// talking is a conversation in a process.
type talking struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr strings.Builder
}

func startChat(t *testing.T, state, script string) *talking {
	t.Helper()
	c := &talking{t: t, cmd: exec.Command(os.Args[0], "chat", "--model", "script/"+script)}
	c.cmd.Args[0] = "openclaw"
	c.cmd.Env = append(os.Environ(), "OPENCLAW_STATE_DIR="+state)
	c.cmd.Stderr = &c.stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *talking) say(text string) {
	if _, err := fmt.Fprintln(c.in, text); err != nil {
		c.t.Fatalf("say %q: %v: %s", text, err, c.stderr.String())
	}
}

// checkPrefix wants that the messages of a round that are stored are those that came first, and no fewer than were acknowledged.
func checkPrefix(t *testing.T, state string, first, last, acknowledged int) {
	t.Helper()
	there := toldIn(t, state)
	for _, id := range waitingIn(t, state) {
		there[id]++
	}
	n := 0
	for id := first; id <= last && there[id] > 0; id++ {
		n++
	}
	for id := first + n; id <= last; id++ {
		if there[id] > 0 {
			t.Errorf("message %d is there, and %d is not, which came before", id, first+n)
		}
	}
	if n < acknowledged {
		t.Errorf("%d messages were acknowledged, %d are there", acknowledged, n)
	}
}

// toldIn counts the messages in the transcript, also those that stand in others.
func toldIn(t *testing.T, state string) map[int]int {
	t.Helper()
	told := map[int]int{}
	store := readStore(t, state)
	defer store.Close()
	for after := int64(0); ; {
		page, err := store.Entries(t.Context(), session.Ref{Key: "agent:main:main"}, session.EntriesOptions{After: after, Limit: session.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return told
		}
		for _, e := range page {
			after = e.Seq
			if e.Role() == session.RoleUser {
				countMarks(e.Text(), told)
			}
		}
	}
}

func waitingIn(t *testing.T, state string) []int {
	t.Helper()
	store := readStore(t, state)
	defer store.Close()
	list, err := store.Inputs(t.Context(), "agent:main:main")
	if err != nil {
		t.Fatal(err)
	}
	marks := map[int]int{}
	for _, in := range list {
		countMarks(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(in.Body)), marks)
	}
	var ids []int
	for id := range marks {
		ids = append(ids, id)
	}
	return ids
}

func readStore(t *testing.T, state string) *session.Store {
	t.Helper()
	store, err := session.Open(t.Context(), session.Options{Path: session.Path(state, "main"), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// countMarks counts the messages of the test in a text, which are numbers in brackets.
func countMarks(text string, into map[int]int) {
	for {
		_, rest, ok := strings.Cut(text, "<")
		if !ok {
			return
		}
		var id int
		if _, err := fmt.Sscanf(rest, "%d>", &id); err == nil {
			into[id]++
		}
		text = rest
	}
}

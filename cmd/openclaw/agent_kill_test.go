package main

import (
	"encoding/json"
	"fmt"
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

// killRounds is how often the test kills a run; OPENCLAW_KILL_ROUNDS changes it.
const killRounds = 12

// killScript is a script of so many cycles, each of two answers with two calls that leave a mark of their own and one without.
func killScript(cycles int) []byte {
	type call struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	type turn struct {
		Text  string `json:"text,omitempty"`
		Calls []call `json:"calls,omitempty"`
	}
	var turns []turn
	for i := range cycles {
		for _, part := range []string{"a", "b"} {
			var calls []call
			for _, one := range []string{"1", "2"} {
				calls = append(calls, call{"exec", map[string]string{"command": fmt.Sprintf("echo %d%s%s >> log", i, part, one)}})
			}
			turns = append(turns, turn{Calls: calls})
		}
		turns = append(turns, turn{Text: fmt.Sprintf("cycle %d is done", i)})
	}
	text, _ := json.Marshal(map[string]any{"turns": turns}) // strings marshal
	return text
}

// TestKilledRunsGoOn kills the command at random moments of turns. Every turn after that goes on from what was committed: no call
// is without a result, and nothing runs twice.
func TestKilledRunsGoOn(t *testing.T) {
	compileToolbox(t)
	rounds := killRounds
	if n, err := strconv.Atoi(os.Getenv("OPENCLAW_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "script.json")
	if err := os.WriteFile(script, killScript(3*rounds+10), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "agent", "--model", "script/"+script, "-m", "go on")
		cmd.Args[0] = "openclaw"
		cmd.Env = append(os.Environ(), "OPENCLAW_STATE_DIR="+state)
		return cmd
	}
	begun := time.Now()
	if out, err := start().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(begun)
	killed := 0
	for range rounds {
		cmd := start()
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(whole + whole/10))
		_ = cmd.Process.Kill() // it may have ended
		switch err := cmd.Wait(); {
		case err == nil:
		case strings.Contains(err.Error(), "killed"):
			killed++
		default:
			t.Fatalf("%v: %s", err, stderr.String())
		}
	}
	if out, err := start().CombinedOutput(); err != nil {
		t.Fatalf("the last turn: %v: %s", err, out)
	}
	t.Logf("%d of %d runs were killed; a whole one took %s", killed, rounds, whole)
	checkKilled(t, state)
}

func checkKilled(t *testing.T, state string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(state, "workspace", "log"))
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, mark := range strings.Fields(string(log)) {
		ran[mark]++
	}
	asked, answered, interrupted := readKilled(t, state)
	for mark, times := range ran {
		if times != 1 {
			t.Errorf("the call of %s ran %d times", mark, times)
		}
		if !asked[mark] {
			t.Errorf("the call of %s ran and is not in the transcript", mark)
		}
	}
	for mark := range answered {
		if ran[mark] != 1 {
			t.Errorf("the call of %s has a result and did not run", mark)
		}
	}
	t.Logf("%d calls, %d ran, %d were interrupted", len(asked), len(ran), interrupted)
}

// readKilled reads which calls were asked for and which have results of their own. Each must have one.
func readKilled(t *testing.T, state string) (asked, answered map[string]bool, interrupted int) {
	t.Helper()
	store, err := session.Open(t.Context(), session.Options{Path: session.Path(state, "main"), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	asked, answered = map[string]bool{}, map[string]bool{}
	open := map[string]string{} // mark by id
	for after := int64(0); ; {
		page, err := store.Entries(t.Context(), session.Ref{Key: "agent:main:main"}, session.EntriesOptions{After: after, Limit: session.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			after = e.Seq
			interrupted += readEntry(t, e, open, asked, answered)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
	return asked, answered, interrupted
}

func readEntry(t *testing.T, e session.Entry, open map[string]string, asked, answered map[string]bool) (interrupted int) {
	t.Helper()
	var body struct {
		Message struct {
			Role       string `json:"role"`
			ToolCallID string `json:"toolCallId"`
			IsError    bool   `json:"isError"`
			Content    []struct {
				ID        string                   `json:"id"`
				Arguments struct{ Command string } `json:"arguments"`
			} `json:"content"`
		} `json:"message"`
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	m := body.Message
	if m.Role != session.RoleToolResult && len(open) > 0 {
		t.Errorf("entry %d comes before the results of %v", e.Seq, open)
	}
	switch m.Role {
	case session.RoleAssistant:
		for _, b := range m.Content {
			if b.ID == "" {
				continue
			}
			mark := strings.Fields(b.Arguments.Command)[1]
			if asked[mark] {
				t.Errorf("the call of %s was asked for twice", mark)
			}
			asked[mark], open[b.ID] = true, mark
		}
	case session.RoleToolResult:
		mark, ok := open[m.ToolCallID]
		if !ok {
			t.Errorf("entry %d is the result of no call", e.Seq)
		}
		delete(open, m.ToolCallID)
		if m.IsError {
			return 1
		}
		answered[mark] = true
	}
	return 0
}

package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/session"
)

// Variables that make the test binary a writer instead of running tests.
const (
	envRole = "OPENCLAW_SESSION_TEST_ROLE" // endless, or turns
	envPath = "OPENCLAW_SESSION_TEST_PATH"
	envName = "OPENCLAW_SESSION_TEST_NAME"
)

func TestMain(m *testing.M) {
	role := os.Getenv(envRole)
	if role == "" {
		os.Exit(m.Run())
	}
	roles := map[string]func(context.Context, *session.Store, io.Writer) error{"endless": writeEndlessly, "turns": writeTurns}
	err := func() error {
		s, err := session.Open(context.Background(), session.Options{Path: os.Getenv(envPath)})
		if err != nil {
			return err
		}
		return errors.Join(roles[role](context.Background(), s, os.Stdout), s.Close())
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process starts the test binary as a writer.
func process(t *testing.T, role, path, name string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envRole+"="+role, envPath+"="+path, envName+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// batchMark says which entries were appended together.
type batchMark struct {
	Batch string `json:"batch"`
	Place int    `json:"place"`
	Of    int    `json:"of"`
}

func mark(m map[string]any, batch string, place, of int) session.Entry {
	e, err := session.NewEntry(session.TypeMessage, map[string]any{"message": m, "batch": batch, "place": place, "of": of})
	if err != nil {
		panic(err)
	}
	return e
}

// writeEndlessly acts as a run that never ends: repair, then messages, calls, results, rewinds, resets and rollovers. After each
// commit it tells the ids.
func writeEndlessly(ctx context.Context, s *session.Store, out io.Writer) error {
	w, err := s.Claim(ctx, session.ClaimOptions{Key: mainKey, Create: &session.CreateOptions{}})
	if err != nil {
		return err
	}
	if _, err := w.Repair(ctx); err != nil {
		return err
	}
	for n := 0; ; n++ {
		batch := fmt.Sprintf("%d-%d", os.Getpid(), n)
		var entries []session.Entry
		switch pending := w.Pending(); {
		case len(pending) > 0:
			c := pending[rand.IntN(len(pending))]
			entries = append(entries, mark(map[string]any{"role": "toolResult", "toolCallId": c.ID, "content": strings.Repeat("result ", rand.IntN(500))}, batch, 0, 1))
		case rand.IntN(3) == 0:
			blocks := []any{}
			for i := range 1 + rand.IntN(3) {
				blocks = append(blocks, map[string]any{"type": "toolCall", "id": fmt.Sprintf("%s-%d", batch, i), "name": "exec", "arguments": map[string]any{}})
			}
			entries = append(entries, mark(map[string]any{"role": "assistant", "content": blocks}, batch, 0, 1))
		case rand.IntN(20) == 0:
			if err := w.Rewind(ctx, w.Info().LeafID); err != nil {
				return err
			}
		case rand.IntN(50) == 0:
			if _, err := w.Reset(ctx, session.ResetOptions{Reason: "test"}); err != nil {
				return err
			}
		case rand.IntN(100) == 0:
			if _, err := w.Rollover(ctx, session.ReasonReset, ""); err != nil {
				return err
			}
		default:
			of := 1 + rand.IntN(4)
			for i := range of {
				entries = append(entries, mark(map[string]any{"role": "user", "content": "text of " + batch}, batch, i, of))
			}
		}
		stored, err := w.Append(ctx, entries...)
		if err != nil {
			return err
		}
		for _, e := range stored {
			if _, err := fmt.Fprintln(out, e.ID, w.Info().ID); err != nil {
				return err
			}
		}
	}
}

// TestCommittedEntriesSurviveKill kills a writer at random moments. OPENCLAW_KILL_ROUNDS says how often.
func TestCommittedEntriesSurviveKill(t *testing.T) {
	rounds := 20
	if n, err := strconv.Atoi(os.Getenv("OPENCLAW_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	var path string
	committed, repaired := 0, 0
	known := map[string]string{} // entry → window, of the current database
	for round := range rounds {
		if round%5 == 0 { // a new database, so that its making is interrupted, too
			path, known = filepath.Join(t.TempDir(), "agent", "agent.sqlite"), map[string]string{}
		}
		for _, id := range killedWriter(t, path, round%2 == 0) {
			known[id[0]] = id[1]
		}
		committed = committed + len(known)
		repaired += checkAfterKill(t, path, known)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d rounds; committed entries were looked for %d times; %d calls were given results", rounds, committed, repaired)
}

// killedWriter runs a writer, kills it after some commits or some time, and gives the ids that it told.
func killedWriter(t *testing.T, path string, early bool) (ids [][2]string) {
	t.Helper()
	cmd, out := process(t, "endless", path, "")
	read := bufio.NewScanner(out)
	if early {
		time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	}
	after := 1 + rand.IntN(400)
	for read.Scan() {
		id, window, ok := strings.Cut(read.Text(), " ")
		if !ok || len(window) != 36 { // cut off by the kill
			break
		}
		ids = append(ids, [2]string{id, window})
		if len(ids) == after && !early {
			time.AfterFunc(time.Duration(rand.IntN(1000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the writer was not killed: %v", err)
	}
	return ids
}

// checkAfterKill opens the database like the next run and gives the number of repaired calls.
func checkAfterKill(t *testing.T, path string, known map[string]string) int {
	t.Helper()
	s, err := session.Open(t.Context(), session.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := session.CheckIntegrity(t.Context(), s); err != nil {
		t.Error(err)
	}
	w, err := s.Claim(t.Context(), session.ClaimOptions{Key: mainKey, Create: &session.CreateOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	windows, err := s.Windows(t.Context(), mainKey)
	if err != nil {
		_, again := s.Windows(t.Context(), mainKey)
		t.Fatalf("what was just committed is not seen: %v; once more: %v; integrity: %v", err, again, session.CheckIntegrity(t.Context(), s))
	}
	for _, window := range windows {
		checkWindow(t, s, window, known)
	}
	for id, window := range known {
		if _, err := s.Entry(t.Context(), session.Ref{ID: window}, id); err != nil {
			t.Errorf("a committed entry: %v", err)
		}
	}
	pending := len(w.Pending())
	added, err := w.Repair(t.Context())
	if err != nil || len(added) != pending {
		t.Errorf("repaired %d of %d: %v", len(added), pending, err)
	}
	if entries, err := s.Context(t.Context(), session.Ref{Key: mainKey}); err != nil || !isPaired(entries) {
		t.Errorf("the context is not paired: %v", err)
	}
	if err := w.Release(t.Context(), session.StatusKilled); err != nil {
		t.Error(err)
	}
	return pending
}

// checkWindow wants every entry in its place, each with its parent, and of what was appended together all or nothing.
func checkWindow(t *testing.T, s *session.Store, window session.Window, known map[string]string) {
	t.Helper()
	ids := map[string]bool{"": true}
	batches := map[string]batchMark{}
	seen := int64(0)
	for {
		page, err := s.Entries(t.Context(), session.Ref{ID: window.ID}, session.EntriesOptions{After: seen, Limit: session.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			if seen++; e.Seq != seen {
				t.Fatalf("entry %d stands at place %d", e.Seq, seen)
			}
			if !ids[e.ParentID] {
				t.Errorf("entry %d has a parent that is not in front of it", e.Seq)
			}
			ids[e.ID] = true
			var m batchMark
			if err := json.Unmarshal(e.Body, &m); err != nil {
				t.Error(err)
			}
			if m.Batch != "" {
				if m.Place != batches[m.Batch].Place {
					t.Errorf("batch %s: place %d, want %d", m.Batch, m.Place, batches[m.Batch].Place)
				}
				batches[m.Batch] = batchMark{Place: m.Place + 1, Of: m.Of}
			}
		}
	}
	if seen != window.Entries {
		t.Errorf("the window has %d entries, %d are there", window.Entries, seen)
	}
	for name, m := range batches {
		if m.Place != m.Of {
			t.Errorf("batch %s: %d of %d entries", name, m.Place, m.Of)
		}
	}
}

// isPaired says whether each call is followed by its result.
func isPaired(entries []session.Entry) bool {
	open := map[string]bool{}
	for _, e := range entries {
		if e.Role() == "toolResult" {
			var body struct{ Message struct{ ToolCallID string } }
			if json.Unmarshal(e.Body, &body) != nil || !open[body.Message.ToolCallID] {
				return false
			}
			delete(open, body.Message.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return false
		}
		for _, c := range e.Calls() {
			open[c.ID] = true
		}
	}
	return len(open) == 0
}

// What the processes of writeTurns do.
const (
	processes       = 2
	turnsPerProcess = 25
	entriesPerTurn  = 8
)

func writeTurns(ctx context.Context, s *session.Store, _ io.Writer) error {
	for turn := range turnsPerProcess {
		w, err := s.Claim(ctx, session.ClaimOptions{Key: mainKey, Wait: time.Minute, Create: &session.CreateOptions{}})
		if err != nil {
			return err
		}
		for i := range entriesPerTurn {
			e := mark(map[string]any{"role": "user", "content": "x"}, os.Getenv(envName)+"-"+strconv.Itoa(turn), i, entriesPerTurn)
			if _, err := w.Append(ctx, e); err != nil {
				return err
			}
		}
		if err := w.Release(ctx, session.StatusDone); err != nil {
			return err
		}
	}
	return nil
}

func TestTwoProcessesDoNotMixTheirTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	var running []*exec.Cmd
	for i := range processes {
		cmd, out := process(t, "turns", path, strconv.Itoa(i))
		go func() { _, _ = io.Copy(io.Discard, out) }()
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	s := openStore(t, path)
	branch := branchOf(t, s, mainKey) // linear: nobody's entry is on a branch of its own
	if want := processes * turnsPerProcess * entriesPerTurn; len(branch) != want {
		t.Fatalf("%d entries, want %d", len(branch), want)
	}
	turns := map[string]int{}
	for chunk := range slices.Chunk(branch, entriesPerTurn) {
		var first batchMark
		for i, e := range chunk {
			var m batchMark
			if err := json.Unmarshal(e.Body, &m); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = m
			}
			if m.Batch != first.Batch || m.Place != i {
				t.Fatalf("entry %d of turn %s is entry %d of turn %s", i, first.Batch, m.Place, m.Batch)
			}
		}
		turns[first.Batch]++
	}
	if len(turns) != processes*turnsPerProcess {
		t.Errorf("%d turns", len(turns))
	}
}

// TestAKilledWritersClaimIsFreeAtOnce does not wait for the claim's time to run out.
func TestAKilledWritersClaimIsFreeAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	cmd, out := process(t, "endless", path, "")
	read := bufio.NewScanner(out)
	if !read.Scan() {
		t.Fatal("the writer wrote nothing")
	}
	s := openStore(t, path)
	var busy *session.BusyError
	if _, err := s.Claim(t.Context(), session.ClaimOptions{Key: mainKey}); !errors.As(err, &busy) {
		t.Errorf("claim while the writer lives: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	claim(t, s, mainKey)
}

package session_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"openclaw/runtime/session"
)

const mainKey = "agent:main:main"

func newStore(t testing.TB) *session.Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "agent.sqlite"))
}

func openStore(t testing.TB, path string) *session.Store {
	t.Helper()
	s, err := session.Open(t.Context(), session.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// claim makes the session if need be.
func claim(t testing.TB, s *session.Store, key string) *session.Writer {
	t.Helper()
	w, err := s.Claim(t.Context(), session.ClaimOptions{Key: key, Create: &session.CreateOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Release(context.Background(), session.StatusDone) })
	return w
}

func message(t testing.TB, m any) session.Entry {
	t.Helper()
	e, err := session.NewMessage(m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func user(t testing.TB, text string) session.Entry {
	return message(t, map[string]any{"role": "user", "content": text})
}

func assistant(t testing.TB, text string, calls ...string) session.Entry {
	blocks := []any{map[string]any{"type": "text", "text": text}}
	for _, id := range calls {
		blocks = append(blocks, map[string]any{"type": "toolCall", "id": id, "name": "exec", "arguments": map[string]any{"command": "ls"}})
	}
	return message(t, map[string]any{"role": "assistant", "content": blocks})
}

func result(t testing.TB, call, text string) session.Entry {
	return message(t, map[string]any{"role": "toolResult", "toolCallId": call, "toolName": "exec", "content": text})
}

func entry(t testing.TB, kind session.Type, fields any) session.Entry {
	t.Helper()
	e, err := session.NewEntry(kind, fields)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// put appends entries and gives the id of the last.
func put(t testing.TB, w *session.Writer, entries ...session.Entry) string {
	t.Helper()
	stored, err := w.Append(t.Context(), entries...)
	if err != nil {
		t.Fatal(err)
	}
	return stored[len(stored)-1].ID
}

// show writes entries in short, for comparing.
func show(entries []session.Entry) []string {
	list := []string{}
	for _, e := range entries {
		switch {
		case e.Role() != "":
			list = append(list, fmt.Sprintf("%s: %s", e.Role(), e.Text()))
		default:
			list = append(list, fmt.Sprintf("%s: %s", e.Type, e.Text()))
		}
	}
	return list
}

func contextOf(t testing.TB, s *session.Store, key string) []string {
	t.Helper()
	entries, err := s.Context(t.Context(), session.Ref{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return show(entries)
}

func branchOf(t testing.TB, s *session.Store, key string) []session.Entry {
	t.Helper()
	var list []session.Entry
	for e, err := range s.Branch(t.Context(), session.Ref{Key: key}, "") {
		if err != nil {
			t.Fatal(err)
		}
		list = append([]session.Entry{e}, list...)
	}
	return list
}

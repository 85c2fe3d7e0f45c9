package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/session"
)

// TestAnAppendWithoutSpaceIsWhollyRefused fills the database up, makes room, and goes on with the same writer.
func TestAnAppendWithoutSpaceIsWhollyRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	s := openStore(t, path)
	w := claim(t, s, mainKey)
	if err := session.WriteOnDatabase(t.Context(), s, "PRAGMA max_page_count = 100"); err != nil {
		t.Fatal(err)
	}
	stored := 0
	for {
		entries, err := w.Append(t.Context(), user(t, "small"), user(t, strings.Repeat("large ", 1000)))
		if err != nil {
			if !errors.Is(err, session.ErrFull) || len(entries) != 0 {
				t.Errorf("%d entries, error %v", len(entries), err)
			}
			break
		}
		stored += len(entries)
	}
	if n := len(branchOf(t, s, mainKey)); n != stored {
		t.Errorf("%d entries, want %d", n, stored)
	}
	if err := session.CheckIntegrity(t.Context(), s); err != nil {
		t.Error(err)
	}
	if err := session.WriteOnDatabase(t.Context(), s, "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	put(t, w, user(t, "there is space again"))
	if n := len(branchOf(t, openStore(t, path), mainKey)); n != stored+1 {
		t.Errorf("%d entries, want %d", n, stored+1)
	}
}

// TestAnImportWithoutSpaceLeavesNothing fails in the middle, where what is there already cannot be removed either, and makes room.
func TestAnImportWithoutSpaceLeavesNothing(t *testing.T) {
	s := newStore(t)
	put(t, claim(t, s, mainKey), user(t, "kept"))
	if err := session.WriteOnDatabase(t.Context(), s, "PRAGMA max_page_count = 300"); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(`{"type":"session","version":4,"id":"large","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}` + "\n")
	for i := range 3000 {
		fmt.Fprintf(&text, `{"type":"message","id":"%d","parentId":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":%q}}`+"\n", i, strings.Repeat("large ", 100))
	}
	_, err := s.Import(t.Context(), strings.NewReader(text.String()), session.ImportOptions{Key: "agent:main:large"})
	if !errors.Is(err, session.ErrFull) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if err := session.WriteOnDatabase(t.Context(), s, "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if imported, err := s.Import(t.Context(), strings.NewReader(text.String()), session.ImportOptions{Key: "agent:main:large"}); err != nil || imported.Entries != 3000 {
		t.Errorf("with space: %+v, %v", imported, err)
	}
	if err := errors.Join(session.NoOrphans(t.Context(), s), session.CheckIntegrity(t.Context(), s)); err != nil {
		t.Error(err)
	}
}

func TestACancelledAppendIsWhollyRefused(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("because")
	cancel(because)
	if _, err := w.Append(ctx, user(t, "x")); !errors.Is(err, because) {
		t.Errorf("error %v", err)
	}
	put(t, w, user(t, "y"))
	if err := w.Release(ctx, session.StatusKilled); err != nil {
		t.Errorf("release with a context that has ended: %v", err)
	}
	if info, err := s.Get(t.Context(), session.Ref{Key: mainKey}); err != nil || info.RunID != "" || info.Entries != 1 {
		t.Errorf("info %+v, %v", info, err)
	}
}

func TestDatabasesThatCannotBeUsedAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	s := openStore(t, path)
	if err := session.WriteOnDatabase(t.Context(), s, "PRAGMA user_version = 1000"); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Open(t.Context(), session.Options{Path: path}); !errors.Is(err, session.ErrNewerDatabase) || !strings.Contains(err.Error(), path) {
		t.Errorf("newer: %v", err)
	}
	foreign := filepath.Join(t.TempDir(), "agent.sqlite")
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Open(t.Context(), session.Options{Path: foreign}); !errors.Is(err, session.ErrForeignDatabase) || !strings.Contains(err.Error(), "OPENCLAW_STATE_DIR") {
		t.Errorf("foreign: %v", err)
	}
}

// TestSessionsOfStrangersAreKeptApart looks from one session for what another one holds.
func TestSessionsOfStrangersAreKeptApart(t *testing.T) {
	s := newStore(t)
	mine, theirs := session.DirectKey("main", "", "", "me"), session.DirectKey("main", "", "", "they")
	put(t, claim(t, s, mine), user(t, "secret of mine"))
	other := claim(t, s, theirs)
	put(t, other, user(t, "secret of theirs"))
	hits, err := s.Search(t.Context(), session.SearchOptions{Query: "secret", Keys: []string{theirs}})
	if err != nil || len(hits) != 1 || hits[0].Key != theirs {
		t.Errorf("search %+v, %v", hits, err)
	}
	if hits, err := s.Search(t.Context(), session.SearchOptions{Query: "secret", Keys: []string{}}); err != nil || len(hits) != 0 {
		t.Errorf("search in no session %+v, %v", hits, err)
	}
	myID := branchOf(t, s, mine)[0].ID
	if err := other.Rewind(t.Context(), myID); !errors.Is(err, session.ErrNoEntry) {
		t.Errorf("rewind to an entry of another session: %v", err)
	}
	if _, err := s.Entry(t.Context(), session.Ref{Key: theirs}, myID); !errors.Is(err, session.ErrNoEntry) {
		t.Errorf("entry of another session: %v", err)
	}
}

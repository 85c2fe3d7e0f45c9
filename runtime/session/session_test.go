package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/session"
)

func TestEntriesFollowEachOther(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	first := put(t, w, user(t, "hello"))
	stored, err := w.Append(t.Context(), assistant(t, "hi"), entry(t, session.TypeModel, map[string]string{"modelId": "m"}))
	if err != nil {
		t.Fatal(err)
	}
	if stored[0].ParentID != first || stored[1].ParentID != stored[0].ID || stored[1].Seq != 3 {
		t.Errorf("stored %+v", stored)
	}
	info, err := s.Get(t.Context(), session.Ref{Key: mainKey})
	if err != nil {
		t.Fatal(err)
	}
	if info.LeafID != stored[1].ID || info.Entries != 3 || info.Status != session.StatusRunning || info.RunID == "" || info.Kind != session.KindMain {
		t.Errorf("info %+v", info)
	}
	if got, want := contextOf(t, s, mainKey), []string{"user: hello", "assistant: hi"}; !slices.Equal(got, want) {
		t.Errorf("context %q, want %q", got, want)
	}
	branch := branchOf(t, s, mainKey)
	if len(branch) != 3 || branch[0].ID != first || branch[2].ParentID != branch[1].ID {
		t.Errorf("branch %v", branch)
	}
	if byID, err := s.Get(t.Context(), session.Ref{ID: info.ID}); err != nil || byID.Key != mainKey {
		t.Errorf("by id: %+v, %v", byID, err)
	}
}

func TestContextIsCutAtTheLastBoundary(t *testing.T) {
	tests := []struct {
		name  string
		build func(t *testing.T, w *session.Writer)
		want  []string
	}{
		{"nothing", func(*testing.T, *session.Writer) {}, []string{}},
		{"compaction", func(t *testing.T, w *session.Writer) {
			put(t, w, user(t, "1"), assistant(t, "2"))
			kept := put(t, w, user(t, "3"))
			put(t, w, assistant(t, "4"), entry(t, session.TypeCompaction, session.Compaction{Summary: "S", FirstKeptEntryID: kept}), user(t, "5"))
		}, []string{"compaction: S", "user: 3", "assistant: 4", "user: 5"}},
		{"compaction that keeps nothing", func(t *testing.T, w *session.Writer) {
			put(t, w, user(t, "1"), entry(t, session.TypeCompaction, session.Compaction{Summary: "S"}))
		}, []string{"compaction: S"}},
		{"second compaction keeps across the first", func(t *testing.T, w *session.Writer) {
			kept := put(t, w, user(t, "1"))
			put(t, w, assistant(t, "2"), entry(t, session.TypeCompaction, session.Compaction{Summary: "old", FirstKeptEntryID: kept}))
			put(t, w, user(t, "3"), entry(t, session.TypeCompaction, session.Compaction{Summary: "new", FirstKeptEntryID: kept}))
		}, []string{"compaction: new", "user: 1", "assistant: 2", "user: 3"}},
		{"reset", func(t *testing.T, w *session.Writer) {
			put(t, w, user(t, "1"), assistant(t, "2"))
			if _, err := w.Reset(t.Context(), session.ResetOptions{Reason: "new"}); err != nil {
				t.Fatal(err)
			}
			put(t, w, user(t, "3"))
		}, []string{"user: 3"}},
		{"reset that keeps a tail", func(t *testing.T, w *session.Writer) {
			put(t, w, user(t, "1"))
			kept := put(t, w, assistant(t, "2"))
			if _, err := w.Reset(t.Context(), session.ResetOptions{FirstKeptEntryID: kept}); err != nil {
				t.Fatal(err)
			}
			put(t, w, user(t, "3"))
		}, []string{"assistant: 2", "user: 3"}},
		{"reset forgets calls without results", func(t *testing.T, w *session.Writer) {
			put(t, w, user(t, "1"), assistant(t, "2", "c"))
			if _, err := w.Reset(t.Context(), session.ResetOptions{}); err != nil {
				t.Fatal(err)
			}
			put(t, w, user(t, "3"))
		}, []string{"user: 3"}},
		{"rewind", func(t *testing.T, w *session.Writer) {
			at := put(t, w, user(t, "1"))
			put(t, w, assistant(t, "2"), user(t, "3"))
			if err := w.Rewind(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			put(t, w, assistant(t, "4"))
		}, []string{"user: 1", "assistant: 4"}},
		{"rewind to the root", func(t *testing.T, w *session.Writer) {
			put(t, w, user(t, "1"))
			if err := w.Rewind(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			put(t, w, user(t, "2"))
		}, []string{"user: 2"}},
		{"branch with a summary", func(t *testing.T, w *session.Writer) {
			at := put(t, w, user(t, "1"))
			put(t, w, assistant(t, "2"))
			if _, err := w.Branch(t.Context(), at, "went wrong"); err != nil {
				t.Fatal(err)
			}
			put(t, w, assistant(t, "3"))
		}, []string{"user: 1", "branch_summary: went wrong", "assistant: 3"}},
		{"rewind behind a compaction", func(t *testing.T, w *session.Writer) {
			at := put(t, w, user(t, "1"))
			put(t, w, entry(t, session.TypeCompaction, session.Compaction{Summary: "S"}))
			if err := w.Rewind(t.Context(), at); err != nil {
				t.Fatal(err)
			}
		}, []string{"user: 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			w := claim(t, s, mainKey)
			tt.build(t, w)
			if got := contextOf(t, s, mainKey); !slices.Equal(got, tt.want) {
				t.Errorf("context %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNothingComesBetweenACallAndItsResult(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	put(t, w, user(t, "do it"), assistant(t, "", "c1", "c2"), result(t, "c2", "done"))
	var pending *session.PendingError
	for _, e := range []session.Entry{
		user(t, "and?"), assistant(t, "so"), entry(t, session.TypeCompaction, session.Compaction{Summary: "S"}),
		entry(t, session.TypeCustomMessage, map[string]string{"customType": "x", "content": "y"}),
	} {
		if _, err := w.Append(t.Context(), e); !errors.As(err, &pending) || len(pending.Calls) != 1 || pending.Calls[0].ID != "c1" {
			t.Errorf("%s %s: %v, want that c1 is pending", e.Type, e.Role(), err)
		}
	}
	for _, id := range []string{"c2", "c3"} {
		if _, err := w.Append(t.Context(), result(t, id, "again")); !errors.Is(err, session.ErrNoCall) {
			t.Errorf("result for %s: %v", id, err)
		}
	}
	put(t, w, entry(t, session.TypeCustom, map[string]string{"customType": "state"})) // not part of the context
	added, err := w.Repair(t.Context())
	if err != nil || len(added) != 1 || !strings.Contains(added[0].Text(), "Interrupted") {
		t.Fatalf("repair: %v, %v", show(added), err)
	}
	if again, err := w.Repair(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("second repair: %v, %v", again, err)
	}
	put(t, w, user(t, "and?"))
}

func TestRewindIntoABatchOfCallsMakesThemPending(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	at := put(t, w, user(t, "1"), assistant(t, "", "c1", "c2"))
	put(t, w, result(t, "c1", "a"), result(t, "c2", "b"), user(t, "2"))
	if err := w.Rewind(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if p := w.Pending(); len(p) != 2 || p[0].ID != "c1" {
		t.Errorf("pending %v", p)
	}
	put(t, w, result(t, "c1", "other"))
	if p := w.Pending(); len(p) != 1 || p[0].ID != "c2" {
		t.Errorf("pending %v", p)
	}
}

func TestWhatAWriterRefuses(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	id := put(t, w, user(t, "1"))
	put(t, w, user(t, "2"))
	other := put(t, w, user(t, "3"))
	if err := w.Rewind(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	big := `{"message":{"role":"user","content":"` + strings.Repeat("x", session.MaxEntryBytes) + `"}}`
	tests := []struct {
		name string
		e    session.Entry
		want error
	}{
		{"unknown role", message(t, map[string]string{"role": "boss"}), session.ErrInvalidEntry},
		{"no message", session.Entry{Type: session.TypeMessage}, session.ErrInvalidEntry},
		{"not JSON", session.Entry{Type: session.TypeCustom, Body: json.RawMessage("{")}, session.ErrInvalidEntry},
		{"not an object", session.Entry{Type: session.TypeCustom, Body: json.RawMessage("[]")}, session.ErrInvalidEntry},
		{"null", session.Entry{Type: session.TypeCustom, Body: json.RawMessage("null")}, session.ErrInvalidEntry},
		{"not UTF-8", session.Entry{Type: session.TypeCustom, Body: json.RawMessage("{\"a\":\"\xff\"}")}, session.ErrInvalidEntry},
		{"a field of the head", session.Entry{Type: session.TypeCustom, Body: json.RawMessage(`{"id":"x"}`)}, session.ErrInvalidEntry},
		{"too large", session.Entry{Type: session.TypeMessage, Body: json.RawMessage(big)}, session.ErrInvalidEntry},
		{"compaction without a summary", entry(t, session.TypeCompaction, session.Compaction{}), session.ErrInvalidEntry},
		{"a call without an id", assistant(t, "", ""), session.ErrInvalidEntry},
		{"a call twice", assistant(t, "", "c", "c"), session.ErrInvalidEntry},
		{"a result without a call", message(t, map[string]string{"role": "toolResult"}), session.ErrInvalidEntry},
		{"leaf", entry(t, session.TypeLeaf, map[string]string{}), session.ErrInvalidEntry},
		{"reset", entry(t, session.TypeReset, map[string]string{}), session.ErrInvalidEntry},
		{"unknown type", entry(t, "nonsense", map[string]string{}), session.ErrInvalidEntry},
		{"an id again", session.Entry{ID: other, Type: session.TypeCustom}, session.ErrDuplicate},
		{"keeps an entry of another branch", entry(t, session.TypeCompaction, session.Compaction{Summary: "S", FirstKeptEntryID: other}), session.ErrNoEntry},
		{"keeps an unknown entry", entry(t, session.TypeCompaction, session.Compaction{Summary: "S", FirstKeptEntryID: "x"}), session.ErrNoEntry},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := w.Info()
			if _, err := w.Append(t.Context(), user(t, "with it"), tt.e); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if after := w.Info(); after.LeafID != before.LeafID || after.Entries != before.Entries {
				t.Errorf("the transcript went on: %+v", after)
			}
		})
	}
	if err := w.Rewind(t.Context(), "unknown"); !errors.Is(err, session.ErrNoEntry) {
		t.Errorf("rewind: %v", err)
	}
	if got := contextOf(t, s, mainKey); !slices.Equal(got, []string{"user: 1"}) {
		t.Errorf("context %q", got)
	}
}

func TestRolloverBeginsANewWindow(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	put(t, w, user(t, "old"))
	old := w.Info()
	info, err := w.Rollover(t.Context(), session.ReasonRollover, "/workspace")
	if err != nil {
		t.Fatal(err)
	}
	put(t, w, user(t, "new"))
	if info.ID == old.ID || info.CWD != "/workspace" || info.Entries != 0 {
		t.Errorf("info %+v", info)
	}
	if got := contextOf(t, s, mainKey); !slices.Equal(got, []string{"user: new"}) {
		t.Errorf("context %q", got)
	}
	was, err := s.Context(t.Context(), session.Ref{ID: old.ID})
	if err != nil || !slices.Equal(show(was), []string{"user: old"}) {
		t.Errorf("the old window: %v, %v", show(was), err)
	}
	windows, err := s.Windows(t.Context(), mainKey)
	if err != nil || len(windows) != 2 || windows[1].Previous != old.ID || windows[0].Ended == nil || windows[1].Reason != session.ReasonRollover {
		t.Errorf("windows %+v, %v", windows, err)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	a, b := openStore(t, path), openStore(t, path)
	w := claim(t, a, mainKey)
	_, err := b.Claim(t.Context(), session.ClaimOptions{Key: mainKey, RunID: "second"})
	var busy *session.BusyError
	if !errors.As(err, &busy) || busy.RunID != w.Info().RunID {
		t.Fatalf("second claim: %v", err)
	}
	if err := b.Delete(t.Context(), mainKey); !errors.As(err, &busy) {
		t.Errorf("delete while it is written: %v", err)
	}
	claimed := make(chan error)
	go func() {
		second, err := b.Claim(t.Context(), session.ClaimOptions{Key: mainKey, RunID: "second", Wait: time.Minute})
		if err == nil {
			err = second.Release(t.Context(), session.StatusDone)
		}
		claimed <- err
	}()
	put(t, w, user(t, "mine"))
	if err := w.Release(t.Context(), session.StatusDone); err != nil {
		t.Error(err)
	}
	if err := <-claimed; err != nil {
		t.Errorf("the claim that waited: %v", err)
	}
	if _, err := w.Append(t.Context(), user(t, "late")); !errors.Is(err, session.ErrFenced) {
		t.Errorf("append after the release: %v", err)
	}
	select {
	case <-w.Lost():
	default:
		t.Error("the writer does not say that its claim is lost")
	}
}

func TestAnOverdueClaimIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	a := openStore(t, path)
	w := claim(t, a, mainKey)
	put(t, w, user(t, "1"), assistant(t, "", "c"))
	later, err := session.Open(t.Context(), session.Options{Path: path, Now: func() time.Time { return time.Now().Add(2 * session.ClaimTTL) }})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if info, err := later.Get(t.Context(), session.Ref{Key: mainKey}); err != nil || info.Status != session.StatusKilled {
		t.Errorf("status %q, %v", info.Status, err)
	}
	second := claim(t, later, mainKey)
	if _, err := w.Append(t.Context(), result(t, "c", "late")); !errors.Is(err, session.ErrFenced) {
		t.Errorf("append of the old writer: %v", err)
	}
	if err := w.Release(t.Context(), session.StatusDone); !errors.Is(err, session.ErrFenced) {
		t.Errorf("release of the old writer: %v", err)
	}
	if _, err := second.Repair(t.Context()); err != nil {
		t.Error(err)
	}
	put(t, second, user(t, "2"))
}

// TestClaimsAreRenewedBesideAppends lets the renewal and the appends meet, for the race detector.
func TestClaimsAreRenewedBesideAppends(t *testing.T) {
	s := newStore(t)
	session.RenewClaimsEvery(s, 100*time.Microsecond)
	w := claim(t, s, mainKey)
	for range 100 {
		put(t, w, user(t, "x"))
	}
	select {
	case <-w.Lost():
		t.Error("the claim is lost")
	default:
	}
}

func TestListPagesThroughAllSessions(t *testing.T) {
	clock := time.Now()
	s, err := session.Open(t.Context(), session.Options{
		Path: filepath.Join(t.TempDir(), "agent.sqlite"),
		Now:  func() time.Time { clock = clock.Add(time.Millisecond); return clock },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	const n = 25
	for i := range n {
		if _, err := s.Create(t.Context(), session.CreateOptions{Key: fmt.Sprintf("agent:main:direct:p%02d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, claim(t, s, "agent:main:direct:p07"), user(t, "newest"))
	var keys []string
	for o := (session.ListOptions{Limit: 10}); ; {
		page, err := s.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Sessions {
			keys = append(keys, i.Key)
		}
		if o.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	if len(keys) != n || keys[0] != "agent:main:direct:p07" {
		t.Errorf("%d keys, first %s", len(keys), keys[0])
	}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != n {
		t.Error("a session came twice")
	}
	if _, err := s.List(t.Context(), session.ListOptions{Cursor: "nonsense"}); !errors.Is(err, session.ErrBadCursor) {
		t.Errorf("bad cursor: %v", err)
	}
	page, err := s.List(t.Context(), session.ListOptions{Keys: []string{"agent:main:direct:p03", "agent:main:direct:none"}})
	if err != nil || len(page.Sessions) != 1 {
		t.Errorf("by keys: %v, %v", page, err)
	}
	if _, err := s.Create(t.Context(), session.CreateOptions{Key: "agent:main:direct:p01"}); !errors.Is(err, session.ErrExists) {
		t.Errorf("create again: %v", err)
	}
}

func TestArchivedSessionsAreOutOfTheWay(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	put(t, w, user(t, "needle"))
	yes, no := true, false
	var busy *session.BusyError
	if _, err := s.Update(t.Context(), mainKey, session.Patch{Archived: &yes}); !errors.As(err, &busy) {
		t.Errorf("archive while it is written: %v", err)
	}
	if err := w.Release(t.Context(), session.StatusDone); err != nil {
		t.Fatal(err)
	}
	label := "old things"
	info, err := s.Update(t.Context(), mainKey, session.Patch{Archived: &yes, Reason: "idle", Label: &label, Meta: json.RawMessage(`{"a":1}`)})
	if err != nil || info.Archived == nil || info.ArchiveReason != "idle" || info.Label != label || string(info.Meta) != `{"a":1}` {
		t.Fatalf("info %+v, %v", info, err)
	}
	if _, err := s.Claim(t.Context(), session.ClaimOptions{Key: mainKey}); !errors.Is(err, session.ErrArchived) {
		t.Errorf("claim: %v", err)
	}
	if page, _ := s.List(t.Context(), session.ListOptions{}); len(page.Sessions) != 0 {
		t.Errorf("list %v", page)
	}
	if hits, _ := s.Search(t.Context(), session.SearchOptions{Query: "needle"}); len(hits) != 0 {
		t.Errorf("search %v", hits)
	}
	if hits, _ := s.Search(t.Context(), session.SearchOptions{Query: "needle", Archived: true}); len(hits) != 1 {
		t.Errorf("search with archived %v", hits)
	}
	if _, err := s.Update(t.Context(), mainKey, session.Patch{Archived: &no}); err != nil {
		t.Error(err)
	}
	claim(t, s, mainKey)
}

func TestDeleteLeavesNothing(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	put(t, w, user(t, "needle"))
	if _, err := w.Rollover(t.Context(), session.ReasonReset, ""); err != nil {
		t.Fatal(err)
	}
	put(t, w, user(t, "needle too"))
	id := w.Info().ID
	if err := w.Release(t.Context(), session.StatusDone); err != nil {
		t.Fatal(err)
	}
	put(t, claim(t, s, "agent:main:other"), user(t, "needle stays"))
	if err := s.Delete(t.Context(), mainKey); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []session.Ref{{Key: mainKey}, {ID: id}} {
		if _, err := s.Get(t.Context(), ref); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("get %v: %v", ref, err)
		}
	}
	hits, err := s.Search(t.Context(), session.SearchOptions{Query: "needle"})
	if err != nil || len(hits) != 1 || hits[0].Key != "agent:main:other" {
		t.Errorf("search %v, %v", hits, err)
	}
	if err := s.Delete(t.Context(), mainKey); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("delete again: %v", err)
	}
}

func TestSearchFindsWords(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	put(t, w, user(t, "Grüße aus dem Café, quick brown fox"))
	put(t, w, assistant(t, "the fox is quick", "c1"))
	put(t, w, result(t, "c1", "quarterly report.txt"))
	put(t, w, user(t, "昨日、東京でラーメンを食べました"))
	put(t, w, user(t, strings.Repeat("filler ", 100)+"needle "+strings.Repeat("filler ", 100)))
	tests := []struct {
		query string
		roles []string
		want  []int64
	}{
		{"fox", nil, []int64{2, 1}},
		{"FOX quick", nil, []int64{2, 1}},
		{`"quick brown"`, nil, []int64{1}},
		{"cafe grusse", nil, nil},
		{"cafe gruße", nil, []int64{1}},
		{"quart*", nil, []int64{3}},
		{"quart", nil, nil},
		{"ls", nil, []int64{2}},
		{"fox", []string{"assistant"}, []int64{2}},
		{"東京", nil, []int64{4}},
		{"京東", nil, nil},
		{"ラーメン", nil, []int64{4}},
		{"needle", nil, []int64{5}},
		{`"unclosed fox`, nil, nil},
		{"report.txt", nil, []int64{3}},
		{"fox OR needle", nil, nil},
		{"NEAR(fox quick)", nil, nil},
		{"text:fox", nil, nil},
	}
	for _, tt := range tests {
		hits, err := s.Search(t.Context(), session.SearchOptions{Query: tt.query, Roles: tt.roles})
		if err != nil {
			t.Errorf("%s: %v", tt.query, err)
		}
		var got []int64
		for _, h := range hits {
			got = append(got, h.Seq)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: found %v, want %v", tt.query, got, tt.want)
		}
	}
	hits, _ := s.Search(t.Context(), session.SearchOptions{Query: "NEEDLE"})
	if len(hits) != 1 || !strings.Contains(hits[0].Snippet, "needle") || len(hits[0].Snippet) > 200 {
		t.Errorf("snippet %+v", hits)
	}
	for _, q := range []string{"", "   ", `""`, "*", "-", strings.Repeat("long ", 1000)} {
		if _, err := s.Search(t.Context(), session.SearchOptions{Query: q}); !errors.Is(err, session.ErrBadQuery) {
			t.Errorf("query %.20q: %v", q, err)
		}
	}
}

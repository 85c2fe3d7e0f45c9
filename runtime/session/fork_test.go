package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"openclaw/runtime/session"
)

func fork(t *testing.T, s *session.Store, from string, o session.ForkOptions) session.Info {
	t.Helper()
	o.Agent = "main"
	info, err := s.Fork(t.Context(), session.Ref{Key: from}, o)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestAForkGoesItsOwnWay(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	first := put(t, w, user(t, "one"))
	put(t, w, assistant(t, "two"))
	if err := w.Rewind(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	other := put(t, w, assistant(t, "another two"))
	put(t, w, user(t, "three"))

	whole := fork(t, s, mainKey, session.ForkOptions{Key: "agent:main:whole", Label: "L"})
	if whole.ParentKey != mainKey || whole.Label != "L" || whole.Entries != 3 || whole.RunID != "" {
		t.Errorf("fork %+v", whole)
	}
	part := fork(t, s, mainKey, session.ForkOptions{EntryID: other})
	if !strings.HasPrefix(part.Key, "agent:main:fork:") || part.LeafID != other || part.Entries != 2 {
		t.Errorf("fork at an entry %+v", part)
	}
	put(t, w, assistant(t, "only in the first"))
	put(t, claim(t, s, whole.Key), user(t, "only in the fork"))
	for key, want := range map[string]string{
		mainKey:   "[user: one assistant: another two user: three assistant: only in the first]",
		whole.Key: "[user: one assistant: another two user: three user: only in the fork]",
		part.Key:  "[user: one assistant: another two]",
	} {
		if got := fmt.Sprint(contextOf(t, s, key)); got != want {
			t.Errorf("%s: %s", key, got)
		}
	}
	hits, err := s.Search(t.Context(), session.SearchOptions{Query: "another"})
	if err != nil || len(hits) != 3 {
		t.Errorf("found %d times, %v", len(hits), err)
	}
	if err := s.Delete(t.Context(), part.Key); err != nil {
		t.Error(err)
	}
	if err := errors.Join(session.NoOrphans(t.Context(), s), session.CheckIntegrity(t.Context(), s)); err != nil {
		t.Error(err)
	}
}

func TestAForkOfAnOpenCallIsRepaired(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	put(t, w, user(t, "do it"))
	put(t, w, assistant(t, "", "call"))
	info := fork(t, s, mainKey, session.ForkOptions{})
	put(t, w, result(t, "call", "done"))
	added, err := claim(t, s, info.Key).Repair(t.Context())
	if err != nil || len(added) != 1 {
		t.Errorf("repaired %d, %v", len(added), err)
	}
}

func TestALongForkIsWhole(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	const entries = 2*session.ImportBatch + 7
	for range entries / 13 {
		put(t, w, slices.Repeat([]session.Entry{user(t, "x")}, 13)...)
	}
	want := branchOf(t, s, mainKey)
	got := branchOf(t, s, fork(t, s, mainKey, session.ForkOptions{}).Key)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d entries of %d, or other ones", len(got), len(want))
	}
}

func TestWhatAForkRefuses(t *testing.T) {
	s := newStore(t)
	put(t, claim(t, s, mainKey), user(t, "x"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		from string
		o    session.ForkOptions
		want error
	}{
		{t.Context(), "agent:main:nothing", session.ForkOptions{}, session.ErrNotFound},
		{t.Context(), mainKey, session.ForkOptions{EntryID: "nothing"}, session.ErrNoEntry},
		{t.Context(), mainKey, session.ForkOptions{Key: mainKey}, session.ErrExists},
		{cancelled, mainKey, session.ForkOptions{}, context.Canceled},
	} {
		tt.o.Agent = "main"
		if info, err := s.Fork(tt.ctx, session.Ref{Key: tt.from}, tt.o); !errors.Is(err, tt.want) {
			t.Errorf("%+v: %+v, %v", tt.o, info, err)
		}
	}
	if _, err := s.Fork(t.Context(), session.Ref{Key: mainKey}, session.ForkOptions{Key: "no key"}); err == nil {
		t.Error("a key that is none is accepted")
	}
	if err := session.NoOrphans(t.Context(), s); err != nil {
		t.Error(err)
	}
}

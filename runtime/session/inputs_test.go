package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/session"
)

func input(id, text string) session.Input {
	body, _ := json.Marshal(map[string]string{"text": text})
	return session.Input{ID: id, Key: mainKey, Body: body}
}

func accept(t *testing.T, s *session.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if _, err := s.Accept(t.Context(), input(id, "text of "+id), nil); err != nil {
			t.Fatal(err)
		}
	}
}

func waiting(t *testing.T, s *session.Store, key string) string {
	t.Helper()
	list, err := s.Inputs(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, in := range list {
		ids = append(ids, in.ID)
	}
	return strings.Join(ids, " ")
}

func TestInputsWaitInTheirOrderAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sqlite")
	s := openStore(t, path)
	accept(t, s, "a", "b", "c")
	other := openStore(t, path)
	if got := waiting(t, other, mainKey); got != "a b c" {
		t.Errorf("%q wait", got)
	}
	keys, err := other.InputKeys(t.Context())
	if err != nil || !slices.Equal(keys, []string{mainKey}) {
		t.Errorf("keys %q, %v", keys, err)
	}
}

func TestAnInputIsInTheTranscriptOrWaits(t *testing.T) {
	s := newStore(t)
	accept(t, s, "a", "b", "c")
	w := claim(t, s, mainKey)
	if _, err := w.Consume(t.Context(), []string{"a", "gone"}, user(t, "a")); !errors.Is(err, session.ErrNoInput) {
		t.Errorf("a missing one: %v", err)
	}
	if _, err := w.Consume(t.Context(), []string{"a"}, result(t, "no call", "x")); !errors.Is(err, session.ErrNoCall) {
		t.Errorf("an entry that is refused: %v", err)
	}
	if got := waiting(t, s, mainKey); got != "a b c" {
		t.Errorf("%q wait after failures", got)
	}
	e := user(t, "b and a")
	if _, err := w.Consume(t.Context(), []string{"b", "a"}, e); err != nil {
		t.Fatal(err)
	}
	if got := waiting(t, s, mainKey); got != "c" {
		t.Errorf("%q wait", got)
	}
	if got := contextOf(t, s, mainKey); !slices.Equal(got, []string{"user: b and a"}) {
		t.Errorf("context %q", got)
	}
}

func TestAnIDIsGoodForOneInput(t *testing.T) {
	s := newStore(t)
	accept(t, s, "a")
	again := func() {
		t.Helper()
		if _, err := s.Accept(t.Context(), input("a", "again"), nil); !errors.Is(err, session.ErrKnownInput) {
			t.Errorf("accepted twice: %v", err)
		}
	}
	again()
	e := user(t, "a")
	e.ID = "a"
	if _, err := claim(t, s, mainKey).Consume(t.Context(), []string{"a"}, e); err != nil {
		t.Fatal(err)
	}
	again()
}

func TestAdmissionIsPartOfAccepting(t *testing.T) {
	s := newStore(t)
	accept(t, s, "a", "b", "c")
	_, err := s.Accept(t.Context(), input("d", "d"), func(list []session.Input) session.Admission {
		return session.Admission{Drop: []string{list[0].ID}, Replace: map[string]json.RawMessage{list[1].ID: json.RawMessage(`{"short":true}`)}}
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Inputs(t.Context(), mainKey)
	if err != nil || len(list) != 3 || string(list[0].Body) != `{"short":true}` || list[2].ID != "d" {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = s.Accept(t.Context(), input("e", "e"), func([]session.Input) session.Admission { return session.Admission{Refuse: true} })
	if !errors.Is(err, session.ErrInputRefused) || waiting(t, s, mainKey) != "b c d" {
		t.Errorf("%v, %s", err, waiting(t, s, mainKey))
	}
}

func TestInputsAreWithdrawnOnce(t *testing.T) {
	s := newStore(t)
	accept(t, s, "a", "b")
	for _, want := range []int{1, 0} {
		if got, err := s.Withdraw(t.Context(), mainKey, "a", "nothing"); err != nil || len(got) != want {
			t.Errorf("withdrew %q, %v", got, err)
		}
	}
	if _, err := s.Create(t.Context(), session.CreateOptions{Key: mainKey}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), mainKey); err != nil {
		t.Fatal(err)
	}
	if got := waiting(t, s, mainKey); got != "" {
		t.Errorf("%q wait for a session that was deleted", got)
	}
}

func TestInputsThatAreWrong(t *testing.T) {
	s := newStore(t)
	for _, in := range []session.Input{
		{Key: mainKey},
		{Key: mainKey, Body: json.RawMessage(`[]`)},
		{Key: "a b\x00", Body: json.RawMessage(`{}`)},
		{Key: mainKey, ID: strings.Repeat("x", session.MaxInputIDBytes+1), Body: json.RawMessage(`{}`)},
		{Key: mainKey, Body: json.RawMessage(`{"x":"` + strings.Repeat("x", session.MaxEntryBytes) + `"}`)},
	} {
		if _, err := s.Accept(context.Background(), in, nil); err == nil {
			t.Errorf("%.40q was accepted", in.Body)
		}
	}
}

func TestMembersOfMetaStandBesideEachOther(t *testing.T) {
	s := newStore(t)
	if _, err := s.Create(t.Context(), session.CreateOptions{Key: mainKey, Meta: json.RawMessage(`{"a":1,"b":2}`)}); err != nil {
		t.Fatal(err)
	}
	info, err := s.Update(t.Context(), mainKey, session.Patch{Members: map[string]json.RawMessage{"a": json.RawMessage("null"), "c": json.RawMessage("3")}})
	if err != nil || string(info.Meta) != `{"b":2,"c":3}` {
		t.Errorf("meta %s, %v", info.Meta, err)
	}
	if _, err := s.Update(t.Context(), mainKey, session.Patch{Members: map[string]json.RawMessage{"a": json.RawMessage("{")}}); err == nil {
		t.Error("a member that is no JSON was taken")
	}
}

// TestACancelledAppendLeavesTheWriterUsable cancels appends at any moment. What comes after must not be affected: a claim that cannot
// be released keeps the next run waiting.
func TestACancelledAppendLeavesTheWriterUsable(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	cancelled := 0
	for i := range 1500 {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(rand.N(300*time.Microsecond), cancel)
		_, err := w.Append(ctx, user(t, strings.Repeat("some words to be found ", 20)), user(t, "and more"))
		timer.Stop()
		cancel()
		if errors.Is(err, context.Canceled) {
			cancelled++
		} else if err != nil {
			t.Fatalf("append %d: %v", i, err)
		}
		if _, err := w.Append(context.WithoutCancel(ctx), user(t, "behind it")); err != nil {
			t.Fatalf("the append behind append %d, of which %d were cancelled: %v", i, cancelled, err)
		}
	}
	t.Logf("%d were cancelled", cancelled)
}

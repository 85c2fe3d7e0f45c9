package session_test

import (
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

func TestMaintainCleansUpNowAndThen(t *testing.T) {
	s, path, pass := clocked(t)
	if _, err := s.Create(t.Context(), session.CreateOptions{Key: "agent:main:cron:old"}); err != nil {
		t.Fatal(err)
	}
	policy := config.Maintenance{Mode: config.MaintainEnforce, PruneAfter: 24 * time.Hour, MaxEntries: 10}
	maintain := func(s *session.Store, wantRan bool, want int) {
		t.Helper()
		done, ran, err := s.Maintain(t.Context(), policy)
		if err != nil || ran != wantRan || len(done.Sessions) != want {
			t.Errorf("ran %v, cleaned %v, %v; want %v and %d", ran, done.Sessions, err, wantRan, want)
		}
	}
	maintain(s, true, 0)
	pass(25 * time.Hour)
	maintain(s, true, 1)
	if _, err := s.Create(t.Context(), session.CreateOptions{Key: "agent:main:cron:new"}); err != nil {
		t.Fatal(err)
	}
	maintain(s, false, 0)
	pass(session.MaintainEvery - time.Minute)
	maintain(s, false, 0)
	pass(2 * time.Minute)
	maintain(s, true, 0)

	// Another process knows of it.
	other, err := session.Open(t.Context(), session.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	maintain(other, true, 0) // its clock is behind that of the first
	maintain(other, false, 0)
}

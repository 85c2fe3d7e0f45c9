package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/session"
)

// TestCancelledReadsDisturbNobody cancels reads and searches at any moment, in several goroutines, while others read and write.
func TestCancelledReadsDisturbNobody(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	for i := range 200 {
		put(t, w, user(t, fmt.Sprintf("some words to be found, number %d", i)))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				timer := time.AfterFunc(rand.N(500*time.Microsecond), cancel)
				_, err := s.Search(ctx, session.SearchOptions{Query: "words found"})
				if err == nil {
					_, err = s.Context(ctx, session.Ref{Key: mainKey})
				}
				timer.Stop()
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("a read that may be cancelled: %v", err)
					return
				}
				if _, err := s.Get(t.Context(), session.Ref{Key: mainKey}); err != nil {
					t.Errorf("a read: %v", err)
					return
				}
			}
		})
	}
	all.Wait()
	put(t, w, user(t, "the end"))
}

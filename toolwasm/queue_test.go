package toolwasm

import (
	"context"
	"errors"
	"sync"
	"testing"
)

func TestCallsOfOneWorkspaceTakeTurns(t *testing.T) {
	var q queues
	var wg sync.WaitGroup
	inside := map[string]int{}
	done := map[string]int{}
	var mu sync.Mutex
	const calls = 50
	for i := range calls {
		key := []string{"a", "b"}[i%2]
		wg.Go(func() {
			leave, err := q.enter(t.Context(), key)
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			mu.Lock()
			inside[key]++
			if inside[key] > 1 {
				t.Errorf("%d calls at once in %s", inside[key], key)
			}
			mu.Unlock()
			mu.Lock()
			inside[key]--
			done[key]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if done["a"]+done["b"] != calls || len(q.m) != 0 {
		t.Errorf("done %v, %d queues are left", done, len(q.m))
	}
}

func TestACallGivesUpItsTurnWhenItIsCancelled(t *testing.T) {
	var q queues
	leave, err := q.enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user has left")
	cancel(why)
	if _, err := q.enter(ctx, "a"); !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
	if other, err := q.enter(t.Context(), "b"); err != nil {
		t.Errorf("another workspace: %v", err)
	} else {
		other()
	}
	leave()
	if len(q.m) != 0 {
		t.Errorf("%d queues are left", len(q.m))
	}
}

package agent_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/session"
)

// envTurns makes the long conversation longer, such as OPENCLAW_LONG_TURNS=3000.
const envTurns = "OPENCLAW_LONG_TURNS"

// plantEvery is after how many turns the user says something that must not be forgotten.
const plantEvery = 50

// planted are the identifiers that the user names in a turn.
func planted(turn int) []string {
	return []string{fmt.Sprintf("/srv/app-%d/release.yaml", turn), fmt.Sprintf("%07xd%da", turn*7919, turn), fmt.Sprintf("OPS-%d", 1000+turn)}
}

// longAnswers works with tools in every turn. Its summaries are careless: they have the headings and name nothing.
func longAnswers() *worker {
	return &worker{
		window: 64_000,
		answer: func(r *model.Request) *model.Message {
			last := r.Messages[len(r.Messages)-1]
			if last.Role == model.RoleToolResult {
				return said("It is as expected. " + filler(150))
			}
			return called(call(fmt.Sprint("call", len(r.Messages)), "write", object{"path": "log.txt", "content": filler(100)}),
				call(fmt.Sprint("other", len(r.Messages)), "read", object{"path": "log.txt"}))
		},
	}
}

func TestALongConversation(t *testing.T) {
	turns := 300
	if text := os.Getenv(envTurns); text != "" {
		var err error
		if turns, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	w := longAnswers()
	h := newWorker(t, w, `"keepRecentTokens": 8000`)
	took := make([]time.Duration, turns)
	var all []string
	compactions := 0
	for i := range turns {
		text := fmt.Sprintf("This is message %d. %s", i, filler(200))
		if i%plantEvery == 0 {
			ids := planted(i)
			all = append(all, ids...)
			text = fmt.Sprintf("Remember: the release of turn %d is %s, its hash is %s, and its ticket %s. %s", i, ids[0], ids[1], ids[2], text)
		}
		begun := time.Now()
		compactions += h.say(text).Compactions
		took[i] = time.Since(begun)
	}
	if most := slices.Max(w.prompts); most > w.window {
		t.Errorf("a prompt had %d tokens, the window is %d", most, w.window)
	}
	if compactions < turns/100 {
		t.Fatalf("%d compactions in %d turns", compactions, turns)
	}
	shown := h.context()
	for _, id := range all {
		if !strings.Contains(shown, id) {
			t.Errorf("%s is forgotten", id)
		}
	}
	summary := h.compactions()[compactions-1].Summary
	old := all[:len(all)-3*(1+60/plantEvery)] // of turns that do not stay as they are
	for _, id := range old {
		if !strings.Contains(summary, id) {
			t.Errorf("%s is not in the last summary", id)
		}
	}
	h.checkWhole(turns)
	h.checkPace(took)
	t.Logf("%d turns, %d compactions, at most %d of %d tokens in a prompt, %d identifiers, the last summary has %d characters",
		turns, compactions, slices.Max(w.prompts), w.window, len(all), len([]rune(summary)))
	for _, at := range []int{100, 300, 1000, 3000} {
		if at <= turns {
			t.Logf("turn %4d: median of the 50 before it %s", at, median(took[at-50:at]))
		}
	}
}

// checkWhole wants everything in the transcript that was said.
func (h *home) checkWhole(turns int) {
	h.t.Helper()
	store, err := h.runtime.Store(h.t.Context(), "main")
	if err != nil {
		h.t.Fatal(err)
	}
	counts := map[string]int{}
	for e, err := range store.Branch(h.t.Context(), session.Ref{Key: mainKey}, "") {
		if err != nil {
			h.t.Fatal(err)
		}
		counts[e.Role()]++
	}
	if counts["user"] != turns || counts["assistant"] != 2*turns || counts["toolResult"] != 2*turns {
		h.t.Errorf("the transcript has %v of %d turns", counts, turns)
	}
}

// checkPace wants turns at the end to take about as long as those at the beginning. Its bound is wide, as other work may go on beside it.
func (h *home) checkPace(took []time.Duration) {
	h.t.Helper()
	early, late := median(took[50:100]), median(took[len(took)-50:])
	if late > 4*early+20*time.Millisecond {
		h.t.Errorf("a turn takes %s after %d turns, and took %s after 100", late, len(took), early)
	}
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2].Round(10 * time.Microsecond)
}

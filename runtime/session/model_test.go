package session_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"openclaw/runtime/session"
)

// model is a transcript as simple as can be: every entry with its parent, and the leaf.
type model struct {
	entries []modelEntry
	leaf    int // index, or -1
}

type modelEntry struct {
	id     string
	parent int
	kind   session.Type
	shown  string // as show writes it
	calls  []string
	result string
	kept   string
}

func (m *model) add(e session.Entry, kind session.Type, calls []string, result, kept string) {
	m.entries = append(m.entries, modelEntry{e.ID, m.leaf, kind, show([]session.Entry{e})[0], calls, result, kept})
	m.leaf = len(m.entries) - 1
}

// branch lists indexes from the root to the leaf.
func (m *model) branch() (list []int) {
	for i := m.leaf; i >= 0; i = m.entries[i].parent {
		list = append(list, i)
	}
	slices.Reverse(list)
	return list
}

func (m *model) pending() []string {
	var open []string
	for _, i := range m.branch() {
		e := m.entries[i]
		switch {
		case e.kind == session.TypeReset:
			open = nil
		case e.result != "":
			open = slices.DeleteFunc(open, func(id string) bool { return id == e.result })
		case e.kind != session.TypeCustom:
			open = slices.Clone(e.calls)
		}
	}
	return open
}

// context lists what a model would be shown, without the results that take the place of missing ones.
func (m *model) context() []string {
	list := []string{}
	branch := m.branch()
	begin := 0
	for at, i := range slices.Backward(branch) {
		e := m.entries[i]
		if e.kind != session.TypeCompaction && e.kind != session.TypeReset {
			continue
		}
		if e.kind == session.TypeCompaction {
			list = append(list, e.shown)
		}
		begin = at
		for k, j := range branch[:at] {
			if m.entries[j].id == e.kept {
				begin = k
			}
		}
		break
	}
	for _, i := range branch[begin:] {
		if e := m.entries[i]; e.kind == session.TypeMessage || e.kind == session.TypeBranchSummary {
			list = append(list, e.shown)
		}
	}
	return list
}

// TestTheTreeIsThatOfAModel runs random operations on a session and on the model.
func TestTheTreeIsThatOfAModel(t *testing.T) {
	s := newStore(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		key := fmt.Sprintf("agent:main:run%d", run)
		w := claim(t, s, key)
		m := &model{leaf: -1}
		n := 0
		// add appends one entry to both, or wants the refusal that the model foresees.
		add := func(e session.Entry, kind session.Type, calls []string, result, kept string) {
			pending := m.pending()
			var refusal *session.PendingError
			stored, err := w.Append(t.Context(), e)
			switch {
			case result != "" && !slices.Contains(pending, result):
				if !errors.Is(err, session.ErrNoCall) {
					rt.Fatalf("result of %s: %v", result, err)
				}
			case result == "" && kind != session.TypeCustom && len(pending) > 0:
				if !errors.As(err, &refusal) {
					rt.Fatalf("%s while calls wait: %v", kind, err)
				}
			case err != nil:
				rt.Fatal(err)
			default:
				m.add(stored[0], kind, calls, result, kept)
			}
		}
		anyEntry := func(rt *rapid.T) int {
			if len(m.entries) == 0 {
				rt.Skip("no entries")
			}
			return rapid.IntRange(0, len(m.entries)-1).Draw(rt, "entry")
		}
		onBranch := func(rt *rapid.T) string {
			branch := m.branch()
			if len(branch) == 0 {
				return ""
			}
			return m.entries[rapid.SampledFrom(branch).Draw(rt, "kept")].id
		}
		rt.Repeat(map[string]func(*rapid.T){
			"user": func(*rapid.T) {
				n++
				add(user(t, fmt.Sprint(n)), session.TypeMessage, nil, "", "")
			},
			"assistant": func(rt *rapid.T) {
				n++
				var calls []string
				for i := range rapid.IntRange(0, 3).Draw(rt, "calls") {
					calls = append(calls, fmt.Sprintf("c%d-%d", n, i))
				}
				add(assistant(t, fmt.Sprint(n), calls...), session.TypeMessage, calls, "", "")
			},
			"result": func(rt *rapid.T) {
				id := rapid.SampledFrom(append(m.pending(), "unknown")).Draw(rt, "call")
				add(result(t, id, "r"), session.TypeMessage, nil, id, "")
			},
			"state": func(*rapid.T) {
				add(entry(t, session.TypeCustom, map[string]string{"customType": "x"}), session.TypeCustom, nil, "", "")
			},
			"compact": func(rt *rapid.T) {
				n++
				kept := onBranch(rt)
				add(entry(t, session.TypeCompaction, session.Compaction{Summary: fmt.Sprint(n), FirstKeptEntryID: kept}), session.TypeCompaction, nil, "", kept)
			},
			"reset": func(rt *rapid.T) {
				kept := ""
				if rapid.Bool().Draw(rt, "keep") {
					kept = onBranch(rt)
				}
				e, err := w.Reset(t.Context(), session.ResetOptions{FirstKeptEntryID: kept})
				if err != nil {
					rt.Fatal(err)
				}
				m.add(e, session.TypeReset, nil, "", kept)
			},
			"rewind": func(rt *rapid.T) {
				at := anyEntry(rt)
				if err := w.Rewind(t.Context(), m.entries[at].id); err != nil {
					rt.Fatal(err)
				}
				m.leaf = at
			},
			"repair": func(*rapid.T) {
				calls := m.pending()
				added, err := w.Repair(t.Context())
				if err != nil || len(added) != len(calls) {
					rt.Fatalf("%d results for %d calls: %v", len(added), len(calls), err)
				}
				for i, e := range added {
					m.add(e, session.TypeMessage, nil, calls[i], "")
				}
			},
			"": func(rt *rapid.T) { compare(t, rt, s, w, key, m) },
		})
	})
}

func compare(t *testing.T, rt *rapid.T, s *session.Store, w *session.Writer, key string, m *model) {
	t.Helper()
	var want, got []string
	for _, i := range m.branch() {
		want = append(want, m.entries[i].id)
	}
	for _, e := range branchOf(t, s, key) {
		got = append(got, e.ID)
	}
	if !slices.Equal(got, want) {
		rt.Fatalf("branch %v, want %v", got, want)
	}
	var pending []string
	for _, c := range w.Pending() {
		pending = append(pending, c.ID)
	}
	if !slices.Equal(pending, m.pending()) {
		rt.Fatalf("pending %v, want %v", pending, m.pending())
	}
	entries, err := s.Context(t.Context(), session.Ref{Key: key})
	if err != nil || !isPaired(entries) {
		rt.Fatalf("the context is not paired: %v, %v", show(entries), err)
	}
	// Results take part in pairs alone, which isPaired has checked.
	noResults := func(list []string) []string {
		return slices.DeleteFunc(list, func(text string) bool { return len(text) > 10 && text[:10] == "toolResult" })
	}
	if got, want := noResults(show(entries)), noResults(m.context()); !slices.Equal(got, want) {
		rt.Fatalf("context %q, want %q", got, want)
	}
}

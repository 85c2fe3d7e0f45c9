package queue_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/runtime/config"
	"openclaw/runtime/queue"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func item(id string, mode queue.Mode) queue.Item {
	return queue.Item{ID: id, Accepted: start, Text: "text " + id, Mode: mode, Debounce: 500 * time.Millisecond}
}

func TestTheSettingThatIsNearestWins(t *testing.T) {
	conf := &config.Queue{
		Mode: "steer", Cap: 20, Drop: "summarize", DebounceMs: 500,
		ByChannel: map[string]string{"irc": "collect"}, DebounceMsByChannel: map[string]int64{"irc": 100},
	}
	zero := int64(0)
	for _, c := range []struct {
		channel  string
		override queue.Override
		want     string
	}{
		{"", queue.Override{}, "mode steer, debounce 500ms, cap 20, drop summarize"},
		{"irc", queue.Override{}, "mode collect, debounce 100ms, cap 20, drop summarize"},
		{"irc", queue.Override{Mode: queue.Interrupt, DebounceMs: &zero}, "mode interrupt, debounce 0s, cap 20, drop summarize"},
		{"mail", queue.Override{Cap: 3, Drop: queue.DropNew}, "mode steer, debounce 500ms, cap 3, drop new"},
		{"mail", queue.Override{Cap: -1}, "mode steer, debounce 500ms, cap 20, drop summarize"},
		{"", queue.Override{Drop: queue.DropOld}.Over(queue.Override{Drop: queue.DropNew, Mode: queue.Followup}), "mode followup, debounce 500ms, cap 20, drop old"},
	} {
		if got := queue.For(conf, c.channel, c.override).String(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.override, got, c.want)
		}
	}
}

func TestOldNamesAreReadFromWhatWasStored(t *testing.T) {
	for text, want := range map[string]queue.Mode{
		"queue": queue.Steer, "steer-backlog": queue.Followup, "Abort": queue.Interrupt, "coalesce": queue.Collect, "later": "",
	} {
		var o queue.Override
		if err := json.Unmarshal(fmt.Appendf(nil, `{"mode":%q,"drop":"oldest"}`, text), &o); err != nil || o.Mode != want || o.Drop != queue.DropOld {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
}

func TestWhatARunBeginsWith(t *testing.T) {
	late := item("late", queue.Collect)
	late.Accepted = start.Add(300 * time.Millisecond)
	other := item("x", queue.Collect)
	other.From.Channel = "irc"
	named := item("b", queue.Collect)
	named.Sender = "Bob"
	dropped := item("d", queue.Steer)
	dropped.Dropped, dropped.Text = 2, "what it was"
	const overflow = "[Queue overflow: 2 messages dropped]\nSummary:\n- what it was"
	for _, c := range []struct {
		what    string
		waiting []queue.Item
		after   time.Duration
		ids     string
		text    string
		wait    time.Duration
	}{
		{what: "steer at once", waiting: []queue.Item{item("a", queue.Steer), item("b", queue.Steer)}, ids: "a", text: "text a"},
		{what: "interrupt first", waiting: []queue.Item{item("a", queue.Followup), item("b", queue.Interrupt)}, ids: "b", text: "text b"},
		{what: "followup waits", waiting: []queue.Item{item("a", queue.Followup)}, after: 200 * time.Millisecond, wait: 300 * time.Millisecond},
		{what: "followup alone", waiting: []queue.Item{item("a", queue.Followup), item("b", queue.Followup)}, after: time.Second, ids: "a", text: "text a"},
		{what: "quiet counts from the newest", waiting: []queue.Item{item("a", queue.Collect), late}, after: 600 * time.Millisecond, wait: 200 * time.Millisecond},
		{what: "a clock that was set back", waiting: []queue.Item{item("a", queue.Followup)}, after: -time.Hour, wait: 500 * time.Millisecond},
		{
			what: "collected", waiting: []queue.Item{item("a", queue.Collect), named, item("s", queue.Steer)}, after: time.Second,
			ids: "a b", text: "[Queued messages while agent was busy]\n\n---\nQueued #1\ntext a\n\n---\nQueued #2 (from Bob)\ntext b",
		},
		{what: "from several places", waiting: []queue.Item{item("a", queue.Collect), other}, after: time.Second, ids: "a", text: "text a"},
		{what: "with what was dropped", waiting: []queue.Item{dropped, item("a", queue.Steer)}, ids: "d a", text: overflow + "\n\ntext a"},
		{
			what: "collected with what was dropped", waiting: []queue.Item{dropped, item("a", queue.Collect)}, after: time.Second, ids: "d a",
			text: "[Queued messages while agent was busy]\n\n" + overflow + "\n\n---\nQueued #1\ntext a",
		},
		{what: "only what was dropped", waiting: []queue.Item{dropped}, ids: "d", text: overflow},
	} {
		p, wait, ok := queue.Begin(c.waiting, start.Add(c.after))
		if !ok || strings.Join(p.IDs, " ") != c.ids || p.Text != c.text || wait != c.wait {
			t.Errorf("%s: %v %q %s %v", c.what, p.IDs, p.Text, wait, ok)
		}
	}
	if _, _, ok := queue.Begin(nil, start); ok {
		t.Error("nothing begins a run")
	}
}

func TestWhatIsShownAtABoundary(t *testing.T) {
	waiting := []queue.Item{item("a", queue.Followup), item("b", queue.Collect), item("c", queue.Interrupt), item("d", queue.Steer)}
	p, ok := queue.Next(waiting)
	if !ok || !slices.Equal(p.IDs, []string{"c"}) || p.Text != "text c" {
		t.Errorf("%+v", p)
	}
	if p, ok := queue.Next(waiting[:2]); ok {
		t.Errorf("%+v", p)
	}
}

func TestWhatGivesWayWhenTooManyWait(t *testing.T) {
	a, b := item("a", queue.Steer), item("b", queue.Steer)
	a.Text = strings.Repeat("word \n", 50)
	settings := queue.Settings{Cap: 2}
	for _, c := range []struct {
		drop queue.Drop
		want string
	}{
		{queue.DropNew, "refuse true drop [] replace []"},
		{queue.DropOld, "refuse false drop [a] replace []"},
		{queue.DropSummarize, "refuse false drop [] replace [a×1]"},
	} {
		settings.Drop = c.drop
		got := queue.Admit(settings, []queue.Item{a, b})
		var replaced []string
		for _, i := range got.Replace {
			replaced = append(replaced, fmt.Sprintf("%s×%d", i.ID, i.Dropped))
			if n := len([]rune(i.Text)); n > 160 || strings.Contains(i.Text, "\n") || !strings.HasSuffix(i.Text, "…") {
				t.Errorf("a line of %d characters: %q", n, i.Text)
			}
		}
		if text := fmt.Sprint("refuse ", got.Refuse, " drop ", got.Drop, " replace ", replaced); text != c.want {
			t.Errorf("%s: %s, want %s", c.drop, text, c.want)
		}
		if got := queue.Admit(settings, []queue.Item{a}); got.Refuse || got.Drop != nil || got.Replace != nil {
			t.Errorf("%s: %+v while there is room", c.drop, got)
		}
	}
}

// apply does what an admission says.
func apply(waiting []queue.Item, a queue.Admission) []queue.Item {
	waiting = slices.DeleteFunc(slices.Clone(waiting), func(i queue.Item) bool { return slices.Contains(a.Drop, i.ID) })
	for _, r := range a.Replace {
		i := slices.IndexFunc(waiting, func(i queue.Item) bool { return i.ID == r.ID })
		waiting[i] = r
	}
	return waiting
}

// TestEveryMessageIsInOnePrompt lets messages come and be taken in any order, and counts them.
func TestEveryMessageIsInOnePrompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		modes := []queue.Mode{queue.Steer, queue.Followup, queue.Collect, queue.Interrupt}
		drops := []queue.Drop{queue.DropOld, queue.DropNew, queue.DropSummarize}
		var waiting []queue.Item
		came, lost, told := 0, 0, map[string]int{}
		counted := 0
		take := func(p queue.Prompt) {
			for _, id := range p.IDs {
				told[id]++
				i := slices.IndexFunc(waiting, func(i queue.Item) bool { return i.ID == id })
				if i < 0 {
					t.Fatalf("%s is told of and does not wait", id)
				}
				counted += max(waiting[i].Dropped, 1)
				waiting = slices.Delete(waiting, i, i+1)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				if p, ok := queue.Next(waiting); ok {
					take(p)
				}
			case 1:
				if p, wait, ok := queue.Begin(waiting, start.Add(time.Hour)); ok && wait == 0 {
					take(p)
				}
			default:
				s := queue.Settings{Cap: rapid.IntRange(1, 4).Draw(t, "cap"), Drop: rapid.SampledFrom(drops).Draw(t, "drop")}
				came++
				a := queue.Admit(s, waiting)
				before := 0
				for _, i := range waiting {
					before += max(i.Dropped, 1)
				}
				waiting = apply(waiting, a)
				after := 0
				for _, i := range waiting {
					after += max(i.Dropped, 1)
				}
				if s.Drop == queue.DropSummarize && after != before {
					t.Fatalf("%d messages are %d after one was summarized", before, after)
				}
				lost += before - after
				if a.Refuse {
					lost++
					continue
				}
				waiting = append(waiting, item(fmt.Sprint(came), rapid.SampledFrom(modes).Draw(t, "mode")))
			}
		}
		for {
			p, wait, ok := queue.Begin(waiting, start.Add(time.Hour))
			if !ok {
				break
			}
			if wait != 0 || len(p.IDs) == 0 || p.Text == "" {
				t.Fatalf("%+v after %s", p, wait)
			}
			take(p)
		}
		for id, times := range told {
			if times != 1 {
				t.Fatalf("%s was told of %d times", id, times)
			}
		}
		if counted+lost != came {
			t.Fatalf("%d came, %d were told of, %d were dropped", came, counted, lost)
		}
	})
}

func TestDirectivesAreTakenOutOfMessages(t *testing.T) {
	for _, c := range []struct{ text, rest, want string }{
		{"/queue", "", "show"},
		{"/queue collect", "", "collect"},
		{"/Queue: Collect", "", "collect"},
		{"/queue steer-backlog debounce:2s cap:25 drop:summary", "", "followup debounce:2000 cap:25 drop:summarize"},
		{"/queue debounce=1500", "", "debounce:1500"},
		{"/queue debounce:0.5s", "", "debounce:500"},
		{"/queue default", "", "clear"},
		{"/queue RESET", "", "clear"},
		{"please /queue interrupt stop that now", "please stop that now", "interrupt"},
		{"first line\n/queue followup\nlast line", "first line\nlast line", "followup"},
		{"do it /queue", "do it", "show"},
		{"/queue\ncollect these papers", "collect these papers", "show"},
		{"/queue collect my stamps", "my stamps", "collect"},
		{"/queue up the songs", "up the songs", "show"},
		{"/queue stear", "", `! there is no queue mode "stear": steer, followup, collect or interrupt`},
		{"/queue cap:0 drop:all debounce:soon", "", `! cap "0" is not a number from 1 ! there is no policy "all": summarize, old or new ! debounce "soon" is not a time up to an hour, such as 500ms, 2s or 1m`},
		{"/queue debounce:2h", "", `! debounce "2h" is not a time up to an hour, such as 500ms, 2s or 1m`},
		{"see a/queue and /queues", "see a/queue and /queues", "none"},
		{"https://x.org/queue steer", "https://x.org/queue steer", "none"},
		{"", "", "none"},
	} {
		d, rest, ok := queue.ParseDirective(c.text)
		if got := show(d, ok); got != c.want || rest != c.rest {
			t.Errorf("%q: %s, rest %q, want %s, rest %q", c.text, got, rest, c.want, c.rest)
		}
	}
}

func show(d queue.Directive, ok bool) string {
	if !ok {
		return "none"
	}
	if d.Show() {
		return "show"
	}
	var words []string
	if d.Clear {
		words = append(words, "clear")
	}
	if d.Mode != "" {
		words = append(words, string(d.Mode))
	}
	if d.DebounceMs != nil {
		words = append(words, fmt.Sprintf("debounce:%d", *d.DebounceMs))
	}
	if d.Cap != 0 {
		words = append(words, fmt.Sprintf("cap:%d", d.Cap))
	}
	if d.Drop != "" {
		words = append(words, "drop:"+string(d.Drop))
	}
	for _, p := range d.Problems {
		words = append(words, "! "+p)
	}
	return strings.Join(words, " ")
}

func FuzzParseDirective(f *testing.F) {
	f.Add("/queue collect debounce:2s\nhello")
	f.Fuzz(func(t *testing.T, text string) {
		d, rest, ok := queue.ParseDirective(text)
		if !ok && rest != text {
			t.Errorf("%q became %q", text, rest)
		}
		if ok && len(rest) > len(text) {
			t.Errorf("%q grew to %q: %+v", text, rest, d)
		}
	})
}

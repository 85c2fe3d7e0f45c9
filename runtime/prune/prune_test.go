package prune_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/prune"
	"pgregory.net/rapid"
)

var start = time.Unix(1_800_000_000, 0)

func answer(calls ...string) model.Message {
	m := model.Message{Role: model.RoleAssistant, Content: []model.Block{{Type: model.BlockText, Text: "I look."}}}
	for _, id := range calls {
		m.Content = append(m.Content, model.Block{Type: model.BlockToolCall, ID: id, Name: "exec", Arguments: json.RawMessage(`{}`)})
	}
	return m
}

func result(id, tool, text string) model.Message {
	return model.Message{Role: model.RoleToolResult, ToolCallID: id, ToolName: tool, Content: []model.Block{{Type: model.BlockText, Text: text}}}
}

// conversation is a message of the user, then a call with its result for each text, then three answers.
func conversation(results ...string) []model.Message {
	list := []model.Message{model.User("Begin.")}
	for i, text := range results {
		id := fmt.Sprintf("c%d", i)
		list = append(list, answer(id), result(id, "exec", text))
	}
	for range 3 {
		list = append(list, answer(), model.User("Go on."))
	}
	return list
}

func text(n int) string { return strings.Repeat("0123456789", n/10+1)[:n] }

// window is one that so many characters fill by so much.
func window(chars int, share float64) int64 { return int64(float64(chars) / share / 4) }

// round is one that is due.
func round(window int64) prune.Round {
	return prune.Round{Now: start.Add(time.Hour), Window: window}
}

var touched = prune.State{Touched: model.Millis{Time: start}}

// forms are the forms of a conversation's results: whole, trimmed or cleared.
func forms(messages []model.Message) string {
	var list []string
	for _, m := range messages {
		if m.Role != model.RoleToolResult {
			continue
		}
		switch {
		case m.Text() == prune.DefaultPlaceholder:
			list = append(list, "cleared")
		case strings.Contains(m.Text(), "[Tool result trimmed: ") || strings.Contains(m.Text(), "[image removed"):
			list = append(list, "trimmed")
		default:
			list = append(list, "whole")
		}
	}
	return strings.Join(list, " ")
}

func TestRulesOfARound(t *testing.T) {
	big := []string{text(20_000), text(20_000), text(20_000), text(20_000)}
	many := make([]string, 20)
	for i := range many {
		many[i] = text(4000)
	}
	all := func(n int, form string) string { return strings.TrimSpace(strings.Repeat(form+" ", n)) }
	for _, c := range []struct {
		name     string
		messages []model.Message
		round    func(*prune.Round)
		state    prune.State
		want     string
	}{
		{name: "trims", messages: conversation(big...), state: touched, want: all(4, "trimmed")},
		{
			name: "not before the cache has run out", messages: conversation(big...), state: touched, want: all(4, "whole"),
			round: func(r *prune.Round) { r.Now = start.Add(prune.DefaultTTL - 1) },
		},
		{
			name: "as soon as it has", messages: conversation(big...), state: touched, want: all(4, "trimmed"),
			round: func(r *prune.Round) { r.Now = start.Add(prune.DefaultTTL) },
		},
		{
			name: "by the time that is set", messages: conversation(big...), state: touched, want: all(4, "whole"),
			round: func(r *prune.Round) { r.TTL = 2 * time.Hour },
		},
		{name: "never without a time", messages: conversation(big...), want: all(4, "whole")},
		{
			name: "below the share of the window", messages: conversation(big...), state: touched, want: all(4, "whole"),
			round: func(r *prune.Round) { r.Window = window(80_000, 0.29) },
		},
		{
			name: "at the share of the window", messages: conversation(big...), state: touched, want: all(4, "trimmed"),
			round: func(r *prune.Round) { r.Window = window(80_000, 0.301) },
		},
		{
			name: "without a window", messages: conversation(big...), state: touched, want: all(4, "whole"),
			round: func(r *prune.Round) { r.Window = 0 },
		},
		{
			name: "4,000 characters stay, 4,001 are trimmed", messages: conversation(text(4000), text(4001)), state: touched, want: "whole trimmed",
			round: func(r *prune.Round) { r.Window = window(8000, 0.4) },
		},
		{
			name: "UTF-16 units are counted", messages: conversation(strings.Repeat("👍", 2000), strings.Repeat("👍", 2001)), state: touched, want: "whole trimmed",
			round: func(r *prune.Round) { r.Window = window(8000, 0.4) },
		},
		{
			name: "the last three answers and what follows stay",
			messages: append([]model.Message{
				model.User("x"), answer("a"), result("a", "exec", text(9000)), answer("b"), result("b", "exec", text(9000)),
				answer("c"), result("c", "exec", text(9000)),
			}, answer()),
			state: touched, want: "trimmed whole whole", round: func(r *prune.Round) { r.Window = window(27_000, 0.4) },
		},
		{name: "fewer than three answers", messages: []model.Message{model.User("x"), answer("a"), result("a", "exec", text(9000)), answer()}, state: touched, want: "whole"},
		{
			name:     "nothing before the user's first message",
			messages: append([]model.Message{answer("p"), result("p", "exec", text(9000))}, conversation(text(9000))...), state: touched, want: "whole trimmed",
			round: func(r *prune.Round) { r.Window = window(18_000, 0.4) },
		},
		{name: "no message of the user", messages: []model.Message{answer("a"), result("a", "exec", text(9000)), answer(), answer(), answer()}, state: touched, want: "whole"},
		{
			name: "still too full: the oldest are cleared until it is not", messages: conversation(many...), state: touched,
			want: all(7, "cleared") + " " + all(13, "whole"), round: func(r *prune.Round) { r.Window = window(80_600, 0.75) },
		},
		{
			name: "not below half of the window", messages: conversation(many...), state: touched, want: all(20, "whole"),
			round: func(r *prune.Round) { r.Window = window(80_600, 0.49) },
		},
		{
			name: "not with fewer than 50,000 characters", messages: conversation(many[:12]...), state: touched, want: all(12, "whole"),
			round: func(r *prune.Round) { r.Window = window(48_000, 0.9) },
		},
		{
			name: "not when clearing is off", messages: conversation(many...), state: touched, want: all(20, "whole"),
			round: func(r *prune.Round) { r.Window = window(80_600, 0.75); r.NoClear = true },
		},
		{name: "denied tools", messages: conversation(big...), state: touched, want: all(4, "whole"), round: func(r *prune.Round) { r.Deny = []string{"EX*"} }},
		{name: "tools that are not allowed", messages: conversation(big...), state: touched, want: all(4, "whole"), round: func(r *prune.Round) { r.Allow = []string{"read"} }},
		{name: "allowed tools", messages: conversation(big...), state: touched, want: all(4, "trimmed"), round: func(r *prune.Round) { r.Allow = []string{"re?d", "e*"} }},
		{
			name: "deny wins", messages: conversation(big...), state: touched, want: all(4, "whole"),
			round: func(r *prune.Round) { r.Allow, r.Deny = []string{"*"}, []string{"exec"} },
		},
	} {
		r := round(window(80_000, 0.4))
		if c.round != nil {
			c.round(&r)
		}
		before, err := json.Marshal(c.messages)
		if err != nil {
			t.Fatal(err)
		}
		shown, next, changed := r.Apply(c.messages, c.state)
		if got := forms(shown); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if changed != strings.ContainsAny(c.want, "td") || changed != (len(next.Results) > 0) {
			t.Errorf("%s: changed is %v with %d results", c.name, changed, len(next.Results))
		}
		if after, err := json.Marshal(c.messages); err != nil || string(after) != string(before) {
			t.Errorf("%s: the messages were changed", c.name)
		}
	}
}

func TestWhatIsLeftOfAResult(t *testing.T) {
	long := strings.Repeat("a", 1499) + "👍" + strings.Repeat("b", 3000) + "👎" + strings.Repeat("z", 1499)
	picture := model.Message{Role: model.RoleToolResult, ToolCallID: "p", ToolName: "read", IsError: true, Content: []model.Block{
		{Type: model.BlockText, Text: "A picture:"}, {Type: model.BlockImage, MIMEType: "image/png", Data: []byte("png")},
	}}
	messages := append([]model.Message{model.User("x"), answer("p"), picture}, conversation(long)...)
	shown, _, _ := round(window(16_000, 0.4)).Apply(messages, touched)
	want := strings.Repeat("a", 1499) + "\n...\n" + strings.Repeat("z", 1499) + "\n\n[Tool result trimmed: first 1500 and last 1500 of 6002 characters kept.]"
	if got := shown[5].Text(); got != want {
		t.Errorf("%q", got)
	}
	if m := shown[2]; m.Text() != "A picture:\n[image removed to save context]" || len(m.Content) != 1 || !m.IsError || m.ToolName != "read" || m.ToolCallID != "p" {
		t.Errorf("%+v", m)
	}
	r := round(window(80_600, 0.9))
	r.Placeholder = "gone"
	many := make([]string, 20)
	for i := range many {
		many[i] = text(4000)
	}
	if shown, _, _ := r.Apply(conversation(many...), touched); shown[2].Text() != "gone" {
		t.Errorf("%q", shown[2].Text())
	}
}

func TestADecisionStays(t *testing.T) {
	messages := conversation(text(20_000), text(20_000), text(20_000), text(20_000))
	r := round(window(80_000, 0.4))
	first, state, _ := r.Apply(messages, touched)
	kept, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(kept), `{"timestamp":1800000000000,"results":{"c0 `) {
		t.Errorf("%s", kept)
	}
	var read prune.State
	if err := json.Unmarshal(kept, &read); err != nil {
		t.Fatal(err)
	}
	read.Touched = model.Millis{Time: r.Now}
	r.Now = r.Now.Add(time.Second) // the provider has it in its cache
	longer := append(append([]model.Message(nil), messages...), answer("n"), result("n", "exec", text(30_000)))
	second, next, changed := r.Apply(longer, read)
	if changed || !reflect.DeepEqual(second[:len(first)], first) || !reflect.DeepEqual(next, read) {
		t.Error("the next request shows something else")
	}
	if _, next, changed := r.Apply(messages[5:], read); !changed || len(next.Results) != 2 {
		t.Errorf("results that are gone stay: %v, %d", changed, len(next.Results))
	}
	// The name of a call that comes again means another result.
	again := append(append([]model.Message(nil), messages...), answer("c0"), result("c0", "exec", text(5000)))
	if shown, _, _ := r.Apply(again, read); !strings.HasSuffix(forms(shown), "whole") {
		t.Errorf("%s", forms(shown))
	}
}

func TestOldImages(t *testing.T) {
	picture := model.Message{Role: model.RoleUser, Content: []model.Block{{Type: model.BlockText, Text: "Look."}, {Type: model.BlockImage, Data: []byte("x")}}}
	inTool := result("i", "read", "It shows:")
	inTool.Content = append(inTool.Content, model.Block{Type: model.BlockImage, Data: []byte("x")})
	messages := []model.Message{
		picture, answer("i"), inTool, answer(), // completed
		picture, answer(), picture, answer(), picture, answer(), // three more
		picture, answer("j"), result("j", "exec", "x"), // not completed
	}
	shown := prune.OldImages(messages)
	for i, m := range shown {
		old := i == 0 || i == 2
		if marked := strings.Contains(m.Text(), "[image of an earlier turn removed]"); marked != old {
			t.Errorf("message %d: marked is %v", i, marked)
		}
	}
	if len(messages[0].Content) != 2 || messages[0].Content[1].Type != model.BlockImage {
		t.Error("the messages were changed")
	}
	if got := prune.OldImages(messages[:9]); !reflect.DeepEqual(got, messages[:9]) {
		t.Error("images of the last three turns are gone")
	}
}

func TestServerSide(t *testing.T) {
	for window, want := range map[int64]string{
		100_000:   `{"context_management":{"edits":[{"clear_at_least":{"type":"input_tokens","value":12500},"keep":{"type":"tool_uses","value":3},"trigger":{"type":"input_tokens","value":50000},"type":"clear_tool_uses_20250919"}]}}`,
		1_000_000: `{"context_management":{"edits":[{"clear_at_least":{"type":"input_tokens","value":50000},"keep":{"type":"tool_uses","value":3},"trigger":{"type":"input_tokens","value":300000},"type":"clear_tool_uses_20250919"}]}}`,
	} {
		if got, err := json.Marshal(prune.ServerSide(window)); err != nil || string(got) != want {
			t.Errorf("%d: %s, %v", window, got, err)
		}
	}
}

// TestPairsAreNeverBroken prunes conversations again and again as they grow.
func TestPairsAreNeverBroken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var messages []model.Message
		state := prune.State{}
		now := start
		size := rapid.Int64Range(100, 30_000).Draw(t, "window")
		for step := range rapid.IntRange(1, 25).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "user") {
				messages = append(messages, model.User("Go on."))
			}
			var ids []string
			for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
				ids = append(ids, fmt.Sprintf("c%d", step%3*10+i)) // names come again
			}
			messages = append(messages, answer(ids...))
			for _, id := range ids {
				messages = append(messages, result(id, rapid.SampledFrom([]string{"exec", "read"}).Draw(t, "tool"), text(rapid.IntRange(0, 9000).Draw(t, "size"))))
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 600).Draw(t, "wait")) * time.Second)
			r := prune.Round{Now: now, Window: size, Settings: prune.Settings{Deny: []string{"read"}}}
			shown, next, changed := r.Apply(messages, state)
			again, nextAgain, _ := r.Apply(messages, state)
			if !reflect.DeepEqual(shown, again) || !reflect.DeepEqual(next, nextAgain) {
				t.Fatal("the same input gives another output")
			}
			if !changed && !reflect.DeepEqual(next.Results, state.Results) && len(next.Results)+len(state.Results) > 0 {
				t.Fatal("a change is not told")
			}
			check(t, messages, shown)
			state = next
			state.Touched = model.Millis{Time: now}
		}
	})
}

func check(t *rapid.T, messages, shown []model.Message) {
	if len(shown) != len(messages) {
		t.Fatalf("%d messages instead of %d", len(shown), len(messages))
	}
	for i := range shown {
		m, s := messages[i], shown[i]
		same := reflect.DeepEqual(m, s)
		m.Content, s.Content = nil, nil
		if !reflect.DeepEqual(m, s) {
			t.Fatalf("message %d is not the one that it was", i)
		}
		if !same && (m.Role != model.RoleToolResult || m.ToolName == "read") {
			t.Fatalf("message %d was pruned", i)
		}
		if len(shown[i].Content) == 0 {
			t.Fatalf("message %d is empty", i)
		}
	}
}

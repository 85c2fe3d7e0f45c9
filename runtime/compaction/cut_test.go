package compaction_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/runtime/compaction"
	"openclaw/runtime/model"
)

var count compaction.Estimate

func user(id, text string) compaction.Item {
	return compaction.Item{ID: id, Kind: compaction.KindUser, Message: model.User(text)}
}

func assistant(id, text string, calls ...string) compaction.Item {
	m := model.Message{Role: model.RoleAssistant, Content: []model.Block{{Type: model.BlockText, Text: text}}}
	for _, c := range calls {
		m.Content = append(m.Content, model.Block{Type: model.BlockToolCall, ID: c, Name: "exec", Arguments: json.RawMessage(`{"command":"ls"}`)})
	}
	return compaction.Item{ID: id, Kind: compaction.KindAssistant, Message: m}
}

func result(id, call, text string) compaction.Item {
	m := model.Message{Role: model.RoleToolResult, ToolCallID: call, ToolName: "exec", Content: []model.Block{{Type: model.BlockText, Text: text}}}
	return compaction.Item{ID: id, Kind: compaction.KindResult, Message: m}
}

func custom(id, text string) compaction.Item {
	return compaction.Item{ID: id, Kind: compaction.KindCustom, Message: model.User(text)}
}

// words is a text of about so many tokens.
func words(tokens int) string { return strings.Repeat("four", tokens) }

func sizes(items []compaction.Item) []int64 {
	list := make([]int64, len(items))
	for i := range items {
		list[i] = count.Message(&items[i].Message)
	}
	return list
}

func TestWhereAConversationIsCut(t *testing.T) {
	two := []compaction.Item{
		user("1", words(10)), assistant("2", words(10)), user("3", words(30)),
		assistant("4", "both", "a", "b"), result("5", "b", words(100)), result("6", "a", words(100)), assistant("7", "and", "c"), result("8", "c", words(50)),
	}
	for _, test := range []struct {
		name       string
		items      []compaction.Item
		keep, most int64
		want       compaction.Cut
		err        error
	}{
		{"in front of the calls when the place falls between their results", two[:6], 150, 1000, compaction.Cut{Turn: 2, First: 3}, nil},
		{"behind the results when something stays there", two, 150, 1000, compaction.Cut{Turn: 2, First: 6}, nil},
		{"at the beginning of the turn when that is near", append([]compaction.Item{user("0", words(10)), assistant("1", "x"), user("2", words(10))}, two[3:6]...), 150, 1000, compaction.Cut{Turn: 2, First: 2}, nil},
		{"between the calls and a result the pair goes when it is too much to stay", two[:6], 150, 150, compaction.Cut{Turn: 2, First: 6}, nil},
		{"at the beginning of a turn none is parted", two[:4], 20, 1000, compaction.Cut{Turn: 2, First: 2}, nil},
		{"a message of the user at the end must stay", []compaction.Item{user("1", "x"), user("2", words(500))}, 10, 100, compaction.Cut{}, compaction.ErrTooLarge},
		{"everything may stay", two, 10_000, 10_000, compaction.Cut{}, compaction.ErrNothing},
		{"nothing is there", nil, 10, 10, compaction.Cut{}, compaction.ErrNothing},
		{
			"only a summary is in front",
			[]compaction.Item{{ID: "0", Kind: compaction.KindSummary, Summary: "x", Message: model.User("x")}, user("1", words(50))},
			10, 1000,
			compaction.Cut{},
			compaction.ErrNothing,
		},
		{"what is not stored cannot be the first", []compaction.Item{user("1", words(10)), user("", words(10)), user("3", words(10))}, 15, 1000, compaction.Cut{Turn: 2, First: 2}, nil},
		{"from the runtime", []compaction.Item{user("1", words(10)), assistant("2", words(10)), custom("3", words(10)), assistant("4", words(10))}, 20, 1000, compaction.Cut{Turn: 2, First: 2}, nil},
	} {
		got, err := compaction.FindCut(test.items, sizes(test.items), test.keep, test.most)
		if !errors.Is(err, test.err) || err == nil && got != test.want {
			t.Errorf("%s: %+v, %v, want %+v, %v", test.name, got, err, test.want, test.err)
		}
	}
}

// conversation is a random one, as a session may hold it: calls have their results before anything else but what the runtime says.
func conversation(t *rapid.T) []compaction.Item {
	var items []compaction.Item
	id := func() string {
		if rapid.IntRange(0, 30).Draw(t, "stored") == 0 {
			return ""
		}
		return fmt.Sprint("e", len(items))
	}
	text := func() string { return words(rapid.IntRange(0, 400).Draw(t, "tokens")) }
	if rapid.Bool().Draw(t, "compacted before") {
		items = append(items, compaction.Item{ID: "s", Kind: compaction.KindSummary, Summary: "before", Message: model.User("before")})
	}
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			items = append(items, user(id(), text()))
		case 1:
			items = append(items, assistant(id(), text()))
		case 2:
			items = append(items, custom(id(), text()))
		default:
			var calls []string
			for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
				calls = append(calls, fmt.Sprint("call", i)) // the same ids in each turn, as some models have them
			}
			items = append(items, assistant(id(), text(), calls...))
			for _, c := range rapid.Permutation(calls).Draw(t, "order") {
				if rapid.IntRange(0, 9).Draw(t, "between") == 0 {
					items = append(items, custom(id(), text()))
				}
				items = append(items, result(id(), c, text()))
			}
		}
	}
	return items
}

func TestNoCutPartsACallFromItsResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := conversation(t)
		keep, most := rapid.Int64Range(1, 5000).Draw(t, "keep"), rapid.Int64Range(1, 5000).Draw(t, "most")
		cut, err := compaction.FindCut(items, sizes(items), keep, most)
		if err != nil {
			if !errors.Is(err, compaction.ErrNothing) && !errors.Is(err, compaction.ErrTooLarge) {
				t.Fatal(err)
			}
			return
		}
		if cut.Turn < cut.Begin || cut.First < cut.Turn || cut.First <= cut.Begin || cut.First > len(items) {
			t.Fatalf("%+v", cut)
		}
		checkPairs(t, items[cut.Begin:cut.First])
		checkPairs(t, items[cut.First:])
		var stays int64
		for _, size := range sizes(items)[cut.First:] {
			stays += size
		}
		if stays > most {
			t.Fatalf("%d tokens stay, at most %d may", stays, most)
		}
		if cut.First < len(items) && (items[cut.First].ID == "" || items[cut.First].Kind == compaction.KindResult) {
			t.Fatalf("the first that stays is %+v", items[cut.First])
		}
		if cut.Turn < cut.First && items[cut.Turn].Kind != compaction.KindUser {
			t.Fatalf("the turn begins with %+v", items[cut.Turn])
		}
	})
}

func checkPairs(t *rapid.T, items []compaction.Item) {
	open := map[string]bool{}
	for _, it := range items {
		if it.Kind == compaction.KindResult {
			if !open[it.Message.ToolCallID] {
				t.Fatalf("the result %s has no call", it.ID)
			}
			delete(open, it.Message.ToolCallID)
		}
		for _, c := range it.Message.Calls() {
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		t.Fatalf("calls without a result: %v", open)
	}
}

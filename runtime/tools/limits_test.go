package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"openclaw/runtime/model"
	"openclaw/runtime/tools"
)

func TestLimitsFollowTheWindow(t *testing.T) {
	for _, c := range []struct {
		tokens        int64
		result, total int
	}{
		{0, 64_000, 256_000},
		{1_000_000, 64_000, 256_000},
		{200_000, 64_000, 256_000},
		{199_999, 32_000, 128_000},
		{100_000, 32_000, 128_000},
		{99_999, 16_000, 64_000},
		{32_000, 16_000, 64_000},
		{16_000, 16_000, 32_000},
		{8_000, 9_600, 16_000},
		{4_000, 4_800, 8_000},
		{1_000, 2_000, 2_000},
		{1, 2_000, 2_000},
	} {
		l := tools.Limits{ContextTokens: c.tokens}
		if l.Result() != c.result || l.Total() != c.total {
			t.Errorf("%d tokens: %d and %d characters, want %d and %d", c.tokens, l.Result(), l.Total(), c.result, c.total)
		}
	}
}

func TestClip(t *testing.T) {
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %04d\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text   string
		limit        int
		begins, ends string
	}{
		{"short", "abc", 5000, "abc", "abc"},
		{"exactly", strings.Repeat("ä", 5000), 5000, "ä", "ä"},
		{"lines", lines(1000), 5000, "line 0000\n", "line 0491\n[… 5080 more characters were left out]"},
		{"less than the least", lines(1000), 10, "line 0000\n", "line 0191\n[… 8080 more characters were left out]"},
		{"one line", strings.Repeat("ä", 9000), 5000, "ä", "ä\n[… 4080 more characters were left out]"},
		{"an error at the end", lines(1000) + "Error: no luck\n", 5000, "line 0000\n", "line 0999\nError: no luck\n"},
		{"an exit code at the end", lines(1000) + "(exit code 3)", 5000, "line 0000\n", "line 0999\n(exit code 3)"},
	} {
		got := tools.Clip(c.text, c.limit)
		if !strings.HasPrefix(got, c.begins) || !strings.HasSuffix(got, c.ends) || utf8.RuneCountInString(got) > max(c.limit, 2000) {
			t.Errorf("%s: %d characters, %q … %q", c.name, utf8.RuneCountInString(got), got[:20], got[max(0, len(got)-80):])
		}
	}
}

func TestClipKeepsTheLimitAndIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "\n", "ä", "漢字", "error\n", "🙂", strings.Repeat("x", 300)})
		text := strings.Join(rapid.SliceOfN(piece, 0, 3000).Draw(t, "text"), "")
		limit := rapid.IntRange(0, 20_000).Draw(t, "limit")
		got := tools.Clip(text, limit)
		if n := utf8.RuneCountInString(got); n > max(limit, 2000) || !utf8.ValidString(got) {
			t.Fatalf("%d characters, valid %v", n, utf8.ValidString(got))
		}
		if utf8.RuneCountInString(text) <= max(limit, 2000) && got != text {
			t.Fatal("it was cut though it fits")
		}
	})
}

// TestResultsAreCutToTheWindow cuts what a tool says, and leaves out a picture that no provider takes.
func TestResultsAreCutToTheWindow(t *testing.T) {
	b := newBench(t, "{}", func(o *tools.Options) { o.Limits.ContextTokens = 8_000 }, with(
		extra("talks", func(context.Context, tools.Call, func(string)) (*tools.Result, error) {
			r := tools.TextResult(strings.Repeat("a", 9000))
			r.Content = append(r.Content, model.Block{Type: model.BlockText, Text: strings.Repeat("b", 9000)},
				model.Block{Type: model.BlockImage, MIMEType: "image/png", Data: make([]byte, 6<<20)},
				model.Block{Type: model.BlockImage, MIMEType: "image/png", Data: make([]byte, 10)})
			return r, nil
		})))
	r := b.call("talks")
	if len(r.Content) != 4 || len(r.Content[0].Text) != 9000 || utf8.RuneCountInString(r.Content[1].Text) > 2000 {
		t.Errorf("%d and %d characters", len(r.Content[0].Text), len(r.Content[1].Text))
	}
	if got := r.Content[2]; got.Type != model.BlockText || got.Text != "[an image (image/png) of 6291456 bytes was left out: at most 3932160 are shown]" {
		t.Errorf("%s %q", got.Type, got.Text)
	}
	if r.Content[3].Type != model.BlockImage {
		t.Errorf("%s", r.Content[3].Type)
	}
}

// TestReadFillsTheWindowAndNoMore shows smaller pages to models with smaller windows, with the way to go on.
func TestReadFillsTheWindowAndNoMore(t *testing.T) {
	text := strings.Repeat(strings.Repeat("x", 99)+"\n", 2000) // 200 KB
	for _, c := range []struct {
		tokens      int64
		least, most int
	}{{8_000, 8_000, 9_600}, {50_000, 14_000, 16_000}, {128_000, 30_000, 32_000}, {200_000, 62_000, 64_000}, {1_000_000, 62_000, 64_000}} {
		b := newBench(t, "{}", func(o *tools.Options) { o.Limits.ContextTokens = c.tokens })
		b.put("f", text)
		got := b.ok("read", "path", "f")
		if len(got) < c.least || len(got) > c.most || !strings.Contains(got, " of 2000; go on with offset=") {
			t.Errorf("%d tokens: %d bytes, ends %q", c.tokens, len(got), got[len(got)-80:])
		}
	}
}

func toolResult(chars int) model.Message {
	return model.Message{Role: model.RoleToolResult, Content: []model.Block{{Type: model.BlockText, Text: strings.Repeat("r", chars)}}}
}

func TestOlderResultsGoFirst(t *testing.T) {
	l := tools.Limits{ContextTokens: 16_000} // 32,000 characters together
	messages := []model.Message{model.User("x"), toolResult(12_000), toolResult(12_000), toolResult(50)}
	if got := l.Elide(messages); &got[0] != &messages[0] {
		t.Error("it was changed though it fits")
	}
	messages = append(messages, toolResult(12_000), model.User("y"))
	got := l.Elide(messages)
	want := []int{1, 111, 111, 50, 12_000, 1}
	for i, m := range got {
		if n := utf8.RuneCountInString(m.Text()); n < want[i]-12 || n > want[i]+12 {
			t.Errorf("%d: %d characters, want about %d: %.120s", i, n, want[i], m.Text())
		}
	}
	if len(messages[1].Content[0].Text) != 12_000 {
		t.Error("the conversation itself was changed")
	}
}

// TestElidingIsStable adds messages to a conversation: what was sent before is sent again byte for byte, until there is no room.
func TestElidingIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tools.Limits{ContextTokens: rapid.SampledFrom([]int64{4_000, 16_000, 100_000}).Draw(t, "tokens")}
		var messages []model.Message
		var before []byte
		changes := 0
		total := 0
		for range rapid.IntRange(1, 40).Draw(t, "messages") {
			m := model.User("hello")
			if rapid.Bool().Draw(t, "result") {
				n := rapid.IntRange(1, l.Result()).Draw(t, "size")
				m = toolResult(n)
				total += n
			}
			messages = append(messages, m)
			got := l.Elide(messages)
			size := 0
			for i := range got {
				if got[i].Role == model.RoleToolResult {
					size += utf8.RuneCountInString(got[i].Text())
				}
			}
			if size > l.Total()+len(messages)*150 {
				t.Fatalf("%d characters, more than %d", size, l.Total())
			}
			raw, err := json.Marshal(got[:len(messages)-1])
			if err != nil {
				t.Fatal(err)
			}
			if before != nil && string(raw) != string(before) {
				changes++
			}
			if before, err = json.Marshal(got); err != nil {
				t.Fatal(err)
			}
		}
		// A change frees 40 % of the budget, so that there are few.
		if most := total/(l.Total()*4/10) + 1; changes > most {
			t.Fatalf("%d changes of what was sent before, more than %d", changes, most)
		}
	})
}

// TestTheMiddleIsCutOut keeps the beginning and the end of an output, whole lines where it can.
func TestTheMiddleIsCutOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "\n", "\n\n\n", "ä", "漢字\n", strings.Repeat("x", 3000), strings.Repeat("line\n", 800)})
		text := strings.Join(rapid.SliceOfN(piece, 1, 400).Draw(t, "text"), "")
		room := rapid.IntRange(1000, 30_000).Draw(t, "room")
		if utf8.RuneCountInString(text) <= room && strings.Count(text, "\n") < 2000 {
			t.Skip("it fits")
		}
		got := tools.CutMiddle(text, room)
		begin, rest, ok := strings.Cut(got, "[… ")
		mark, end, closed := strings.Cut(rest, " …]\n")
		if !ok || !closed || !strings.Contains(mark, " left out here; WHERE") || !utf8.ValidString(got) {
			t.Fatalf("%q", mark)
		}
		if n := utf8.RuneCountInString(begin) + utf8.RuneCountInString(end); n > room+1 || strings.Count(begin+end, "\n") > 2001 {
			t.Fatalf("%d characters and %d lines, more than %d", n, strings.Count(begin+end, "\n"), room)
		}
		if !strings.HasPrefix(text, strings.TrimSuffix(begin, "\n")) || !strings.HasSuffix(text, end) || end == "" {
			t.Fatalf("begins %.40q, ends %.40q", begin, end)
		}
	})
}

package blocks_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"openclaw/runtime/blocks"
	"pgregory.net/rapid"
)

// split gives a text to a splitter in pieces of so many characters; 0 is all at once.
func split(o blocks.Options, text string, piece int) []blocks.Block {
	s := blocks.NewSplitter(o)
	var list []blocks.Block
	runes := []rune(text)
	if piece == 0 {
		piece = max(len(runes), 1)
	}
	for part := range slices.Chunk(runes, piece) {
		list = append(list, s.Write(string(part))...)
	}
	return append(list, s.Finish()...)
}

func texts(list []blocks.Block) []string {
	all := make([]string, len(list))
	for i, b := range list {
		all[i] = b.Text()
	}
	return all
}

func words(n int) string {
	return strings.TrimSpace(strings.Repeat("word ", n))
}

func TestTextsAreCutWhereTheyAreCutBest(t *testing.T) {
	for _, c := range []struct {
		name string
		o    blocks.Options
		text string
		want []string
	}{
		{"short", blocks.Options{}, "Hello.", []string{"Hello."}},
		{"nothing", blocks.Options{}, "", nil},
		{"blank", blocks.Options{Min: 1, Max: 10}, " \n\n \t\n", nil},
		{"paragraphs", blocks.Options{Min: 5, Max: 40}, "One one.\n\nTwo two.\n\n\n\nThree.", []string{"One one.", "Two two.", "Three."}},
		{"short paragraphs", blocks.Options{Min: 12, Max: 40}, "One one.\n\nTwo two.\n\nThree.", []string{"One one.\n\nTwo two.", "Three."}},
		{"no paragraph: lines", blocks.Options{Min: 5, Max: 20}, "One one.\nTwo two.\nThree three.", []string{"One one.\nTwo two.", "Three three."}},
		{"no lines: sentences", blocks.Options{Min: 5, Max: 20}, "One one. Two two. Three three.", []string{"One one. Two two.", "Three three."}},
		{"no sentences: blanks", blocks.Options{Min: 5, Max: 12}, "one two three four five", []string{"one two", "three four", "five"}},
		{"no blanks", blocks.Options{Min: 5, Max: 8}, strings.Repeat("x", 30), []string{"xxxxxxxx", "xxxxxxxx", "xxxxxxxx", "xxxxxx"}},
		{"lines preferred", blocks.Options{Min: 5, Max: 40, Prefer: blocks.Newline}, "One one.\nTwo two.\nThree.", []string{"One one.", "Two two.", "Three."}},
		{"sentences preferred", blocks.Options{Min: 5, Max: 60, Prefer: blocks.Sentence}, "One one. Two two! Three?", []string{"One one.", "Two two!", "Three?"}},
		{"each paragraph", blocks.Options{EachParagraph: true}, "a\n\nb\nc\n\n\nd", []string{"a", "b\nc", "d"}},
		{"whole", blocks.Options{Whole: true, Min: 5, Max: 40}, "One one.\n\nTwo two.\n\nThree three.\n\nFour four four.", []string{"One one.\n\nTwo two.\n\nThree three.", "Four four four."}},
		{"the least is above the most", blocks.Options{Min: 50, Max: 10}, words(4), []string{"word word", "word word"}},
		{"not within a code span", blocks.Options{Min: 5, Max: 20}, "some text `a code span` and more", []string{"some text", "`a code span` and", "more"}},
		{"CJK sentences", blocks.Options{Min: 3, Max: 8}, "今日は。明日も。それから。", []string{"今日は。明日も。", "それから。"}},
		{"indentation stays", blocks.Options{Min: 3, Max: 30}, "- one one one one\n\n  two two two two two", []string{"- one one one one", "  two two two two two"}},
	} {
		for _, piece := range []int{0, 1, 7} {
			if got := texts(split(c.o, c.text, piece)); !slices.Equal(got, c.want) {
				t.Errorf("%s in pieces of %d: %q, want %q", c.name, piece, got, c.want)
			}
		}
	}
}

func TestFencesAreClosedAndOpenedAgain(t *testing.T) {
	for _, c := range []struct {
		name, text string
		max        int
		want       []string
	}{
		{"lines", "```go\naaaaaaaaaa\nbbbbbbbbbb\ncccccccccc\n```", 36, []string{
			"```go\naaaaaaaaaa\nbbbbbbbbbb\n```", "```go\ncccccccccc\n```",
		}},
		{"a long line", "```\n" + strings.Repeat("x", 40) + "\n```\nend", 40, []string{
			"```\n" + strings.Repeat("x", 32) + "\n```", "```\n" + strings.Repeat("x", 8) + "\n```\nend",
		}},
		{"tildes around backticks", "~~~~md\n```\naaaaaaaaaa\n```\nbbbbbbbbbb\n~~~~", 40, []string{
			"~~~~md\n```\naaaaaaaaaa\n```\n~~~~", "~~~~md\nbbbbbbbbbb\n~~~~",
		}},
		{"a longer fence around a shorter one", "````\n```go\naaaaaaaaaaaa\n```\nbbbbbbbbbbbbbbb\n````", 42, []string{
			"````\n```go\naaaaaaaaaaaa\n```\n````", "````\nbbbbbbbbbbbbbbb\n````",
		}},
		{"a line that only looks like the end", "```\naaaaaaaaaaaaaaaa\n``` not a close\nbbbbbbbbbbbbb\n```", 44, []string{
			"```\naaaaaaaaaaaaaaaa\n``` not a close\n```", "```\nbbbbbbbbbbbbb\n```",
		}},
		{"an end that is indented too far", "```\naaaaaaaaaaaa\n    ```\nbbbbbbbbbbbbbbb\n```", 40, []string{
			"```\naaaaaaaaaaaa\n    ```\n```", "```\nbbbbbbbbbbbbbbb\n```",
		}},
		{"the end is just over the most", "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n  ```\nmore text", 40, []string{
			"```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```", "more text",
		}},
		{"the end fits", "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```\nmore text", 40, []string{
			"```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```", "more text",
		}},
		{"in a list", "- item\n  ```sh\n  aaaaaaaaaa\n  bbbbbbbbbb\n  ```\n- more", 36, []string{
			"- item\n  ```sh\n  aaaaaaaaaa\n  ```", "  ```sh\n  bbbbbbbbbb\n  ```\n- more",
		}},
		{"behind the mark of a list", "1. ```sh\n   aaaaaaaaaa\n   bbbbbbbbbb\n   ```\n2. more", 37, []string{
			"1. ```sh\n   aaaaaaaaaa\n   ```", "   ```sh\n   bbbbbbbbbb\n   ```\n2. more",
		}},
		{"deep in lists", "- a\n  - b\n    ```sh\n    aaaaaaaaaaaaa\n    bbbbbbbbbb\n    ```\n- more", 48, []string{
			"- a\n  - b\n    ```sh\n    aaaaaaaaaaaaa\n    ```", "```sh\n    bbbbbbbbbb\n```\n- more",
		}},
		{"in a quote", "> text\n> ```sh\n> aaaaaaaaaa\n> bbbbbbbbbb\n> ```\nmore", 36, []string{
			"> text\n> ```sh\n> aaaaaaaaaa\n> ```", "> ```sh\n> bbbbbbbbbb\n> ```\nmore",
		}},
		{"a quote that ends with its fence", "> ```\n> aaaaaaaaaaa\nmore more more more\nend", 30, []string{
			"> ```\n> aaaaaaaaaaa\n> ```", "more more more more\nend",
		}},
		{"never closed", "```\naaaaaaaaaa\nbbbbbbbbbb", 60, []string{"```\naaaaaaaaaa\nbbbbbbbbbb\n```"}},
		{"a long opening line", "```text title=\"a very long title\"\naaaaaaaaaaaaa\nbbbbbbbbbb\n```", 54, []string{
			"```text title=\"a very long title\"\naaaaaaaaaaaaa\n```", "```\nbbbbbbbbbb\n```",
		}},
		{"code of blanks", "Text:\n\n    aaaaaaaaaa\n\n    bbbbbbbbbb\n    cccccccccc\n\nend end", 40, []string{
			"Text:\n\n    aaaaaaaaaa\n\n    bbbbbbbbbb", "    cccccccccc\n\nend end",
		}},
		{"a long line of code of blanks", "    " + strings.Repeat("y", 50), 40, []string{
			"    " + strings.Repeat("y", 36), "    " + strings.Repeat("y", 14),
		}},
		{"text in front of a fence", "aaaaaaaaaaaaaaaaaaaaaaa\n```go\nx := 1\n```", 36, []string{
			"aaaaaaaaaaaaaaaaaaaaaaa", "```go\nx := 1\n```",
		}},
	} {
		for _, piece := range []int{0, 1, 7} {
			list := split(blocks.Options{Min: 10, Max: c.max}, c.text, piece)
			if got := texts(list); !slices.Equal(got, c.want) {
				t.Errorf("%s in pieces of %d:\n%q, want\n%q", c.name, piece, got, c.want)
			}
		}
	}
}

// TestALongFenceInSmallPieces has the inputs of a report of users: long code, lines in it that look like its end, its end and emoji
// exactly where a block is full.
func TestALongFenceInSmallPieces(t *testing.T) {
	const most = 1200
	code := func(n int, line string) string {
		return strings.Repeat(line+"\n", n/(len(line)+1))
	}
	line := "some := call(with, several, arguments) // and a remark"
	exact := func(end string) string { // a block that is full with the fence's end
		head := "```go\n"
		body := code(most-len(head)-len(end)-len(line)-1, line)
		return head + body + strings.Repeat("z", most-len(head)-len(body)-len(end)-1) + "\n" + end
	}
	for _, c := range []struct{ name, text string }{
		{"3,000 characters", "Look:\n\n```go\n" + code(3000, line) + "```\n\nThat was it."},
		{"not a close", "```\n" + code(1100, line) + "``` not a close\n" + code(1900, line) + "```\n"},
		{"many that are no close", "````\n" + strings.Repeat("```\n``` not a close\n", 150) + "````\nend"},
		{"the end fills the block", exact("```") + "\n\nmore text behind it"},
		{"the end is one too long", "x" + exact("```") + "\n\nmore text behind it"},
		{"the end is two too long", "Go:\n" + exact("```") + "\nmore"},
		{"emoji where a block is full", strings.Repeat("a", most-1) + "👩‍👩‍👧‍👦" + strings.Repeat("b", 700)},
		{"emoji where a block of code is full", "```\n" + strings.Repeat("a", most-4-4-1) + "🇩🇪" + strings.Repeat("b", 2000) + "\n```"},
		{"only emoji", strings.Repeat("👍🏽", 1000)},
		{"one line of code", "```\n" + strings.Repeat("0123456789", 300) + "\n```"},
	} {
		var first []string
		for _, piece := range []int{0, 1, 7, 64} {
			list := split(blocks.Options{Max: most}, c.text, piece)
			checkBlocks(t, blocks.Options{Min: blocks.DefaultMin, Max: most}, c.text, list)
			if first == nil {
				first = texts(list)
			}
			if got := texts(list); !slices.Equal(got, first) {
				t.Errorf("%s: pieces of %d give other blocks:\n%q\n%q", c.name, piece, got, first)
			}
		}
		if n := (blocks.Units(c.text) + most - 1) / most; len(first) < n || len(first) > 2*n+1 {
			t.Errorf("%s: %d blocks for %d units", c.name, len(first), blocks.Units(c.text))
		}
	}
}

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// checkBlocks holds blocks against what the package promises.
func checkBlocks(t failer, o blocks.Options, text string, list []blocks.Block) {
	t.Helper()
	source := ""
	for i, b := range list {
		shown := b.Text()
		n := blocks.Units(shown)
		if n > o.Max {
			t.Errorf("block %d has %d units, the most is %d: %q", i, n, o.Max, shown)
		}
		if n < o.Min && o.Min <= o.Max/2 && i < len(list)-1 && !o.EachParagraph {
			// What is left out of a block, such as an end of a fence that the block before has, counted when it was cut.
			if blocks.Units(b.Source()) < o.Min-o.Max/2 {
				t.Errorf("block %d has %d units, the least is %d: %q", i, n, o.Min, shown)
			}
		}
		if strings.TrimSpace(shown) == "" || emptyFence.MatchString(shown) && !strings.Contains(text, shown) {
			t.Errorf("block %d is blank: %q of %q", i, shown, b.Source())
		}
		if err := balanced(shown); err != nil {
			t.Errorf("block %d: %v\n%s\nof %q", i, err, shown, text)
		}
		source += b.Source()
		if len(source) < len(text) && !clusterEnds(text, len(source)) {
			t.Errorf("block %d ends within a cluster: …%q", i, shown[max(0, len(shown)-20):])
		}
	}
	if rest, ok := strings.CutPrefix(text, source); !ok || shows(rest) {
		t.Errorf("the blocks join to\n%q, not\n%q", source, text)
	}
}

// shows tells whether the end of a text has more than blanks and an opened fence without code.
func shows(rest string) bool {
	for _, line := range strings.Split(rest, "\n") {
		if strings.TrimSpace(line) != "" && !fenceLine.MatchString(line) {
			return true
		}
	}
	return false
}

func clusterEnds(text string, at int) bool {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	for pos, state := begin, -1; pos < at; {
		var cluster string
		cluster, _, _, state = uniseg.StepString(text[pos:], state)
		if pos += len(cluster); pos > at {
			return len(cluster) > 30 // alone too long for the blocks of these tests
		}
	}
	return true
}

var fenceLine = regexp.MustCompile("^([ >]*)((?:(?:[-+*]|[0-9]{1,9}[.)]) +[ >]*)*)(`{3,}|~{3,})(.*)$")

var itemLine = regexp.MustCompile("^ *(?:(?:[-+*]|[0-9]{1,9}[.)]) +)+")

// balanced is a reader of fences of its own, which knows no more of lists and quotes than where their content stands.
func balanced(text string) error {
	marks, quoted, column, item := "", false, 0, 0
	for _, line := range strings.Split(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if marks != "" && quoted && !strings.HasPrefix(line, ">") {
			marks = "" // a quote ends with its code
		}
		m := fenceLine.FindStringSubmatch(line)
		if marks != "" {
			closes := m != nil && m[2] == "" && strings.HasPrefix(m[3], marks) && strings.TrimSpace(m[4]) == ""
			if closes && quoted == strings.Contains(m[1], ">") && indent < column+4 {
				marks = ""
			}
			continue
		}
		if found := itemLine.FindString(line); found != "" && indent < item+4 {
			item = len(found)
		} else if strings.TrimSpace(line) != "" && indent < item {
			item = 0
		}
		if m != nil && (m[3][0] == '~' || !strings.Contains(m[4], "`")) && indent < item+4 {
			marks, quoted, column = m[3], strings.Contains(m[1], ">"), len(m[1])+len(m[2])
			if m[2] == "" {
				column = item
			}
		}
	}
	if marks != "" && !quoted { // the end of a quote is the end of its code
		return fmt.Errorf("the fence %s is not closed", marks)
	}
	return nil
}

// emptyFence is a block that has no more than a fence without code.
var emptyFence = regexp.MustCompile("^[ >]*[`~]{3,}[^\n]*\\s*[ >]*[`~]{3,} *$")

var fragments = []string{
	"word", " ", "  ", "\n", "\n\n", ". ", "! ", "a longer run of words, with marks; ", "`code`", "`x", "**bold**", "[a](b)", "e\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "日本語。", "\t", "\r\n",
	"\n# Title\n", "\n- item\n", "\n1. item\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "> ", "1234567890",
}

var codeLines = []string{
	"x := 1", "", "    deep", "``` not a close", "~~~ neither", "``", "if a { // and a longer remark behind it, as people write them", "日本語のコード", "👍🏽👍🏽", "\ttabbed", "- no item", "> no quote",
	"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
}

// fenced draws a block of fenced code.
func fenced(t *rapid.T) string {
	mark := rapid.SampledFrom([]string{"```", "~~~", "````", "~~~~~"}).Draw(t, "mark")
	prefix := rapid.SampledFrom([]string{"", "", "  ", "> ", "- ", "1. ", "- - "}).Draw(t, "prefix")
	behind := prefix
	if !strings.HasPrefix(prefix, ">") {
		behind = strings.Repeat(" ", len(prefix))
	}
	b := "\n\n" + prefix + mark + rapid.SampledFrom([]string{"", "go", " js title=x"}).Draw(t, "info") + "\n"
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		b += behind + rapid.SampledFrom(codeLines).Draw(t, "line") + "\n"
	}
	if rapid.IntRange(0, 9).Draw(t, "closed") > 0 {
		b += behind + mark + "\n"
	} else if prefix != "" {
		b += behind + mark
	}
	return b + rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "behind")
}

func document(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, "parts") {
		switch rapid.IntRange(0, 3).Draw(t, "part") {
		case 0:
			b.WriteString(fenced(t))
		case 1:
			b.WriteString("\n\n    code of blanks\n    second line of it\n\n      third\n\n")
		default:
			for range rapid.IntRange(1, 20).Draw(t, "fragments") {
				b.WriteString(rapid.SampledFrom(fragments).Draw(t, "fragment"))
			}
		}
	}
	return b.String()
}

func TestBlocksAreWhatThePackagePromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := document(t)
		o := blocks.Options{
			Max:           rapid.IntRange(60, 300).Draw(t, "max"),
			Prefer:        rapid.SampledFrom([]blocks.Preference{blocks.Paragraph, blocks.Newline, blocks.Sentence}).Draw(t, "prefer"),
			Whole:         rapid.Bool().Draw(t, "whole"),
			EachParagraph: rapid.IntRange(0, 4).Draw(t, "mode") == 0,
		}
		o.Min = rapid.IntRange(1, o.Max).Draw(t, "min")
		list := split(o, text, 0)
		checkBlocks(t, o, text, list)

		s := blocks.NewSplitter(o)
		var pieces []blocks.Block
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 70)).Draw(t, "piece")
			pieces = append(pieces, s.Write(rest[:n])...)
			rest = rest[n:]
		}
		pieces = append(pieces, s.Finish()...)
		if got, want := texts(pieces), texts(list); !slices.Equal(got, want) {
			t.Errorf("in pieces:\n%q\nat once:\n%q", got, want)
		}
	})
}

func TestBoundsHoldWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching("[`~>a\n -]{0,200}"), rapid.Custom(document)).Draw(t, "text")
		o := blocks.Options{Min: rapid.IntRange(1, 30).Draw(t, "min"), Max: rapid.IntRange(2, 60).Draw(t, "max"), Whole: rapid.Bool().Draw(t, "whole")}
		source := ""
		for i, b := range split(o, text, rapid.IntRange(1, 50).Draw(t, "piece")) {
			if n := blocks.Units(b.Text()); n > o.Max || n == 0 {
				t.Errorf("block %d has %d units, the most is %d: %q", i, n, o.Max, b.Text())
			}
			source += b.Source()
		}
		if rest, ok := strings.CutPrefix(text, source); !ok || strings.Trim(rest, " \t\r\n>-+*`~0123456789.)") != "" && shows(rest) {
			t.Errorf("the blocks join to\n%q, not\n%q", source, text)
		}
	})
}

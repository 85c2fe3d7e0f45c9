package compaction

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"openclaw/runtime/model"
)

func chars(s string) int { return utf8.RuneCountInString(s) }

const gap = " … "

// clip shortens a text to at most n characters. Most of what stays is the beginning, because of a text's end less is lost.
func clip(text string, n int) string {
	if len(text) <= n || chars(text) <= n {
		return text
	}
	r := []rune(text)
	mark := gap
	if n >= 200 {
		mark = fmt.Sprintf("\n[… %d characters …]\n", len(r)-n)
	}
	left := n - chars(mark)
	if left <= 0 {
		return string(r[:max(n, 0)])
	}
	head := left * 2 / 3
	return string(r[:head]) + mark + string(r[len(r)-(left-head):])
}

// head shortens a text to at most n characters, at the end of a line where there is one.
func head(text string, n int) string {
	if chars(text) <= n {
		return text
	}
	const end = "\n…"
	if n <= len(end) {
		return ""
	}
	short := string([]rune(text)[:n-chars(end)])
	if i := strings.LastIndexByte(short, '\n'); i > len(short)/2 {
		short = short[:i]
	}
	return short + end
}

// oneLine is a text without what would end its line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// pieces are the items as the model that summarises reads them.
func pieces(items []Item) []string {
	list := make([]string, 0, len(items))
	for i := range items {
		if text := piece(&items[i]); text != "" {
			list = append(list, text)
		}
	}
	return list
}

func piece(it *Item) string {
	var b strings.Builder
	say := func(who, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "[%s]: %s\n", who, fenced(text))
		}
	}
	m := &it.Message
	switch it.Kind {
	case KindUser:
		say("User", m.Text())
	case KindResult:
		who := "Result of " + m.ToolName
		if m.IsError {
			who += ", which failed"
		}
		say(who, clip(m.Text(), MaxResultChars))
	case KindCustom:
		say("Runtime", clip(m.Text(), MaxResultChars))
	case KindSummary:
		say("Summary", m.Text())
	default:
		say("Assistant", m.Text())
	}
	for _, block := range m.Content {
		switch block.Type {
		case model.BlockToolCall:
			say("Assistant calls "+block.Name, clip(string(block.Arguments), MaxResultChars))
		case model.BlockImage:
			say("Picture", block.MIMEType)
		}
	}
	return b.String()
}

// Names of the parts of a prompt.
const (
	tagConversation = "conversation"
	tagPrevious     = "previous-summary"
)

// fenced keeps a text from ending the part of the prompt that it is in.
func fenced(text string) string {
	for _, tag := range []string{tagConversation, tagPrevious} {
		text = strings.ReplaceAll(text, "</"+tag, "<\u200b/"+tag)
	}
	return text
}

// Package directive knows the words that people and models write to the runtime instead of to each other: directives such as
// "/think high" within a message, and tokens such as NO_REPLY within an answer.
//
// What is promised:
//
//   - Only a directive with a value that exists is taken out of a message; everything else stays as it was written, and what stands
//     in code is never a directive. A message that is nothing but a directive may also ask for its value, or have a wrong one.
//   - What a Filter shows of an answer in pieces is what Clean or CleanHeartbeat shows of the whole, however it is cut into pieces,
//     and it holds back only what may still turn out to be, or to lie around, a token.
package directive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a directive sets.
type Kind string

// The kinds.
const (
	Think     Kind = "think"     // how much the model thinks
	Verbose   Kind = "verbose"   // how much of tools is shown
	Reasoning Kind = "reasoning" // whether thinking is shown
	Usage     Kind = "usage"     // whether the use of tokens is shown
)

// Inherit is the value that takes a session's own back.
const Inherit = "default"

// Values that directives have besides the levels of thinking.
const (
	Off    = "off"
	On     = "on"
	Full   = "full"
	Stream = "stream" // thinking is shown as it comes
	Tokens = "tokens"
	Cost   = "cost"
)

// Directive is one of a message.
type Directive struct {
	Kind Kind
	// Value is what it sets, Inherit to take back what the session has, and empty when the message asks for what is set.
	Value string
	// Wrong is what stands in the place of a value and is none; only a message that is nothing else has it.
	Wrong string
}

// Message is a message without its directives.
type Message struct {
	Text       string
	Directives []Directive // in the order of the message
}

// Alone tells that the message is nothing but directives: they hold for the session then, and else for the message.
func (m Message) Alone() bool { return m.Text == "" && len(m.Directives) > 0 }

// spelling is how a directive is written.
type spelling struct {
	kind   Kind
	names  []string
	values []string
	others map[string]string
}

var spellings = []spelling{
	{Think, []string{"think", "thinking", "t"}, []string{"off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max", "ultra"}, map[string]string{
		"x-high": "xhigh", "extra-high": "xhigh", "highest": "high",
		"default": Inherit, "inherit": Inherit, "clear": Inherit, "reset": Inherit, "unpin": Inherit,
	}},
	{Verbose, []string{"verbose", "v"}, []string{On, Full, Off}, nil},
	{Reasoning, []string{"reasoning", "reason"}, []string{On, Off, Stream}, nil},
	{Usage, []string{"usage"}, []string{Off, Tokens, Full, Cost}, map[string]string{"reset": Inherit}},
}

// Values are the values that a kind can have, for messages about wrong ones.
func (k Kind) Values() []string {
	for _, s := range spellings {
		if s.kind == k {
			return slices.Clone(s.values)
		}
	}
	return nil
}

// value is what a word means.
func (s *spelling) value(word string) (string, bool) {
	word = strings.ToLower(word)
	if v, ok := s.others[word]; ok {
		return v, true
	}
	return word, slices.Contains(s.values, word)
}

// spellingOf is the one with a name.
func spellingOf(name string) *spelling {
	name = strings.ToLower(name)
	for i := range spellings {
		if slices.Contains(spellings[i].names, name) {
			return &spellings[i]
		}
	}
	return nil
}

// Parse takes the directives out of a message.
func Parse(text string) Message {
	if d, ok := sole(text); ok {
		return Message{Directives: []Directive{d}}
	}
	var m Message
	var kept strings.Builder
	rest := 0
	for _, at := range places(text) {
		if at < rest {
			continue
		}
		d, end, ok := parseAt(text, at)
		if !ok {
			continue
		}
		m.Directives = append(m.Directives, d)
		begin, end := around(text, rest, at, end)
		kept.WriteString(text[rest:begin])
		rest = end
	}
	if len(m.Directives) == 0 {
		return Message{Text: text}
	}
	kept.WriteString(text[rest:])
	m.Text = strings.TrimSpace(kept.String())
	return m
}

// sole is the directive of a message that is nothing but its name and at most one word.
func sole(text string) (Directive, bool) {
	name, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return Directive{}, false
	}
	end := strings.IndexFunc(name, func(r rune) bool { return r == ':' || unicode.IsSpace(r) })
	if end < 0 {
		end = len(name)
	}
	s := spellingOf(name[:end])
	words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(name[end:]), ":"))
	if s == nil || len(words) > 1 {
		return Directive{}, false
	}
	d := Directive{Kind: s.kind}
	if len(words) == 1 {
		if d.Value, ok = s.value(words[0]); !ok {
			if strings.HasPrefix(words[0], "/") { // another directive
				return Directive{}, false
			}
			d.Value, d.Wrong = "", words[0]
		}
	}
	return d, true
}

// parseAt reads a directive with a value at a place, and where it ends.
func parseAt(text string, at int) (d Directive, end int, ok bool) {
	end = at + 1 + wordLength(text[at+1:])
	s := spellingOf(text[at+1 : end])
	if s == nil {
		return d, 0, false
	}
	gap := len(text[end:]) - len(strings.TrimLeft(text[end:], " \t"))
	if after := text[end+gap:]; strings.HasPrefix(after, ":") {
		gap += 1 + len(after) - 1 - len(strings.TrimLeft(after[1:], " \t"))
	}
	if gap == 0 {
		return d, 0, false
	}
	end += gap
	word := text[end : end+wordLength(text[end:])]
	value, ok := s.value(word)
	end += len(word)
	if next, _ := utf8.DecodeRuneInString(text[end:]); !ok || end < len(text) && (next == '/' || next == '_' || unicode.IsDigit(next) || unicode.IsLetter(next)) {
		return d, 0, false
	}
	return Directive{Kind: s.kind, Value: value}, end, true
}

// wordLength is how long the word of letters and hyphens is that a text begins with.
func wordLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if n < 0 {
		return len(text)
	}
	return n
}

// places are those of a text where a directive may begin: a slash behind nothing or a blank, outside of code.
func places(text string) []int {
	var list []int
	fence, ticks := "", 0
	for begin := 0; begin < len(text); {
		line := text[begin:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		lead := strings.TrimLeft(line, " \t>")
		mark := lead[:len(lead)-len(strings.TrimLeft(lead, lead[:min(1, len(lead))]))]
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(lead[len(mark):]) == "" {
				fence = ""
			}
		case strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~"):
			fence, ticks = mark, 0
		default:
			for i := 0; i < len(line); i++ {
				switch {
				case line[i] == '`':
					n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
					if ticks == 0 && strings.Contains(line[i+n:], line[i:i+n]) {
						ticks = n
					} else if ticks == n {
						ticks = 0
					}
					i += n - 1
				case line[i] == '/' && ticks == 0 && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
					list = append(list, begin+i)
				}
			}
			ticks = 0
		}
		begin += len(line)
	}
	return list
}

// around widens what is taken out by the blanks that nobody needs then, and by the whole line when nothing else is in it.
func around(text string, from, begin, end int) (int, int) {
	left, right := begin, end
	for left > from && (text[left-1] == ' ' || text[left-1] == '\t') {
		left--
	}
	for right < len(text) && (text[right] == ' ' || text[right] == '\t') {
		right++
	}
	opens := left == 0 || text[left-1] == '\n'
	closes := right == len(text) || text[right] == '\n'
	switch {
	case opens && closes && right < len(text):
		return left, right + 1
	case opens && !closes:
		return left, right
	case closes:
		return left, right
	case right > end:
		return begin, right
	}
	return left, end // a mark such as a comma follows
}

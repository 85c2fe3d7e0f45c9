package blocks

import "strings"

// lines calls do for each line of a text that begins at a place, with where it begins, until do returns false. It returns the state
// behind the last line that do was called for.
func (st state) lines(text string, do func(at int, raw string, l line, before state) bool) state {
	for at := 0; at < len(text); {
		raw := text[at:]
		if end := strings.IndexByte(raw, '\n'); end >= 0 {
			raw = raw[:end+1]
		}
		l, after := st.next(raw)
		if !do(at, raw, l, st) {
			return after
		}
		at, st = at+len(raw), after
	}
	return st
}

// render is how a part of a text is shown alone: fences that reach over its ends are opened and closed, and it has no blank lines
// around it. A fence of which the part has no code is left out: the parts before or behind have it.
func render(body string, from, to state) string {
	before, after := "", ""
	reopened := from.fence.open() && to.fence.open()
	if from.fence.open() {
		closes, end := closingOf(body, from)
		if closes >= 0 {
			reopened = false
			if blank(body[:closes]) {
				body = body[end:]
				from.fence, from.inLine = fence{}, false
			}
		}
	}
	if from.fence.open() {
		body = dedent(body, from)
	}
	before = opened(from)
	if to.fence.open() {
		if opens, behind := openingOf(body, from); !reopened && opens >= 0 && blank(body[behind:]) {
			body, to = body[:opens], state{}
		} else {
			after = to.closing(reopened)
		}
	}
	if before == "" && !from.inLine {
		body = withoutBlankLines(body)
	}
	if after == "" {
		body = strings.TrimRight(body, blanks)
	}
	if blank(body) {
		return ""
	}
	if after != "" && after[0] != '\n' && !strings.HasSuffix(body, "\n") {
		after = "\n" + after
	}
	return before + body + after
}

const blanks = " \t\r\n"

func blank(s string) bool { return strings.Trim(s, blanks) == "" }

// quotes is how many quotes a place is in.
func (st state) quotes() int {
	n := 0
	for _, in := range st.containers {
		if in.quote {
			n++
		}
	}
	return n
}

// withoutBlankLines leaves out blank lines at the beginning, but not what the first other line is indented by.
func withoutBlankLines(s string) string {
	text := strings.TrimLeft(s, blanks)
	return s[strings.LastIndexByte(s[:len(s)-len(text)], '\n')+1:]
}

// opened stands in front of a part of a text that begins in code.
func opened(from state) string {
	if !from.fence.open() {
		return from.margin
	}
	text := from.reopening()
	if from.inLine && from.quotes() > 0 {
		prefix, _ := from.prefix()
		text += prefix
	}
	return text
}

// closingOf is where the line begins and ends that closes the fence that a text begins in; -1 without one.
func closingOf(text string, from state) (begin, end int) {
	begin, end = -1, -1
	from.lines(text, func(at int, raw string, l line, _ state) bool {
		switch l.kind {
		case codeLine:
			return true
		case closingLine:
			begin, end = at, at+len(raw)
		default: // the quote that the fence is in has ended
			begin, end = at, at
		}
		return false
	})
	return begin, end
}

// openingOf is where the line begins and ends that opens the fence that a text ends in; -1 when it was open before.
func openingOf(text string, from state) (begin, end int) {
	begin, end = -1, -1
	from.lines(text, func(at int, raw string, l line, _ state) bool {
		if l.kind == openingLine {
			begin, end = at, at+len(raw)
		}
		return true
	})
	return begin, end
}

// dedent moves the line that closes the fence that a text begins in to the left, when it would be too far right to close what was
// opened again outside the lists that the fence is in.
func dedent(text string, from state) string {
	begin, end := closingOf(text, from)
	if begin < 0 || begin == end {
		return text
	}
	l, _ := from.lineAt(text, begin)
	_, deep := from.prefix()
	c := cursor{text: text[begin:]}
	if !deep && c.indent() < tabStop {
		return text
	}
	quotes := strings.Repeat("> ", from.quotes())
	if len(quotes) > l.mark {
		return text
	}
	return text[:begin] + quotes + text[begin+l.mark:]
}

// lineAt is what the line of a text is that begins at a place.
func (st state) lineAt(text string, place int) (found line, before state) {
	st.lines(text, func(at int, _ string, l line, b state) bool {
		found, before = l, b
		return at < place
	})
	return found, before
}

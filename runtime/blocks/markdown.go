package blocks

import (
	"slices"
	"strings"
)

// tabStop is how many columns apart the stops of tabs are.
const tabStop = 4

// maxLooked is how much of a line decides what it is. What is behind does not: else a cut would have to wait for a line's end.
const maxLooked = 256

// container is a block quote or an item of a list that lines lie in.
type container struct {
	quote bool
	width int // of an item: the columns in front of its content
}

// fence is an open block of fenced code; its zero value is none.
type fence struct {
	char   byte
	length int
	info   string
	indent int // columns in front of it, within its containers
}

func (f fence) open() bool { return f.length > 0 }

// state is what is known of a place in a text: what a line that begins there would be part of.
type state struct {
	containers []container // never changed in place
	fence      fence
	paragraph  bool   // a line of text goes on
	code       bool   // the last line that was not blank is indented code
	inLine     bool   // the place is not at the beginning of a line
	room       int    // how long the lines may be that close and open a fence again
	margin     string // the blanks that make the line indented code, when the place is in such a line
}

// kind is what a line is.
type kind int

const (
	textLine kind = iota
	blankLine
	indentedLine
	openingLine
	codeLine
	closingLine
)

// line is what was found out about a line.
type line struct {
	kind   kind
	mark   int // where the content begins, or the mark of a fence
	markTo int // where that ends
	margin string
}

// cursor goes through the blanks at the beginning of a line.
type cursor struct {
	text string
	pos  int
	col  int
}

// indent counts the columns of blanks that follow.
func (c *cursor) indent() int {
	col := c.col
	for i := c.pos; i < len(c.text); i++ {
		switch c.text[i] {
		case ' ':
			col++
		case '\t':
			col += tabStop - col%tabStop
		default:
			return col - c.col
		}
	}
	return col - c.col
}

// skip passes at most n columns of blanks.
func (c *cursor) skip(n int) {
	for n > 0 && c.pos < len(c.text) {
		switch c.text[c.pos] {
		case ' ':
			c.pos, c.col, n = c.pos+1, c.col+1, n-1
		case '\t':
			width := tabStop - c.col%tabStop
			if width > n {
				c.col += n
				return
			}
			c.pos, c.col, n = c.pos+1, c.col+width, n-width
		default:
			return
		}
	}
}

func (c *cursor) rest() string { return c.text[c.pos:] }

func (c *cursor) blank() bool { return strings.TrimLeft(c.rest(), " \t\r\n") == "" }

// quote passes the mark of a block quote.
func (c *cursor) quote() bool {
	if c.indent() >= tabStop {
		return false
	}
	at := *c
	c.skip(tabStop)
	if !strings.HasPrefix(c.rest(), ">") {
		*c = at
		return false
	}
	c.pos, c.col = c.pos+1, c.col+1
	c.skip(1)
	return true
}

// item passes the mark of an item of a list and returns the columns in front of its content.
func (c *cursor) item() (width int, ok bool) {
	if c.indent() >= tabStop {
		return 0, false
	}
	at := *c
	c.skip(tabStop)
	n := markerLength(c.rest())
	if n == 0 {
		*c = at
		return 0, false
	}
	c.pos, c.col = c.pos+n, c.col+n
	if blanks := c.indent(); c.blank() || blanks > tabStop {
		c.skip(1)
		return c.col - at.col, true
	}
	c.skip(tabStop)
	return c.col - at.col, true
}

// markerLength is the length of a list's mark that is followed by a blank or nothing, 0 without one.
func markerLength(s string) int {
	const maxDigits = 9
	n := 0
	for n < len(s) && n < maxDigits && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n == len(s):
		return 0
	case n > 0 && (s[n] == '.' || s[n] == ')'), n == 0 && strings.IndexByte("-+*", s[0]) >= 0:
		n++
	default:
		return 0
	}
	if n < len(s) && strings.IndexByte(" \t\r\n", s[n]) < 0 {
		return 0
	}
	return n
}

// next tells what a line is and what the place behind it is. The line has its end, or is the last.
func (st state) next(text string) (line, state) {
	if st.inLine {
		return st.rest()
	}
	c := &cursor{text: text[:min(len(text), maxLooked)]}
	if st.fence.open() {
		if l, ok := st.inFence(*c); ok {
			if l.kind == closingLine {
				st.fence = fence{}
			}
			return l, st
		}
		st.fence = fence{}
	}
	st.enter(c)
	return st.content(c)
}

// rest is the end of a line that was cut.
func (st state) rest() (line, state) {
	l := line{kind: textLine}
	switch {
	case st.fence.open():
		l.kind = codeLine
	case st.margin != "":
		l.kind = indentedLine
	}
	st.inLine, st.margin = false, ""
	return l, st
}

// inFence is a line of fenced code; not ok when the quote that the fence is in has ended. Lines of code that stand too far left for
// the item of a list that the fence is in are taken for code all the same: models indent badly, and chats know no lists.
func (st state) inFence(c cursor) (line, bool) {
	for _, in := range st.containers {
		switch {
		case !in.quote:
			c.skip(in.width)
		case !c.quote():
			return line{}, false
		}
	}
	l := line{kind: codeLine, mark: c.pos}
	if c.indent() < tabStop {
		c.skip(tabStop)
		marks := c.rest()
		n := run(marks, st.fence.char)
		if n >= st.fence.length && strings.Trim(marks[n:], " \t\r\n") == "" {
			l = line{kind: closingLine, mark: c.pos, markTo: c.pos + n}
		}
	}
	return l, true
}

// run counts how often a string has a character at its beginning.
func run(s string, char byte) int {
	n := 0
	for n < len(s) && s[n] == char {
		n++
	}
	return n
}

// enter leaves the containers that the line is not in, and enters those that begin in it.
func (st *state) enter(c *cursor) {
	kept := 0
	for _, in := range st.containers {
		if in.quote {
			if !c.quote() {
				break
			}
		} else if c.indent() >= in.width {
			c.skip(in.width)
		} else if !c.blank() {
			break
		}
		kept++
	}
	if kept < len(st.containers) {
		st.containers, st.code = st.containers[:kept:kept], false
	}
	for {
		in := container{quote: c.quote()}
		if !in.quote {
			var ok bool
			if in.width, ok = c.item(); !ok {
				return
			}
		}
		st.containers = append(slices.Clip(st.containers), in)
		st.paragraph, st.code = false, false
	}
}

// content is what a line holds within its containers.
func (st state) content(c *cursor) (line, state) {
	indent := c.indent()
	switch {
	case c.blank():
		st.paragraph = false
		return line{kind: blankLine, mark: c.pos}, st
	case indent >= tabStop && !st.paragraph:
		st.code = true
		l := line{kind: indentedLine, mark: c.pos}
		l.margin = st.marginOf(c)
		return l, st
	}
	st.code = false
	if indent < tabStop {
		c.skip(tabStop)
		if f, ok := opening(c.rest()); ok && c.col+f.length < st.room {
			f.indent = indent
			st.fence, st.paragraph = f, false
			return line{kind: openingLine, mark: c.pos, markTo: c.pos + f.length}, st
		}
	}
	st.paragraph = !strings.HasPrefix(c.rest(), "#")
	return line{kind: textLine, mark: c.pos}, st
}

// marginOf is what stands in front of indented code.
func (st state) marginOf(c *cursor) string {
	lead := c.text[:c.pos]
	c.skip(tabStop)
	blanks := strings.Map(func(r rune) rune {
		if r == '\t' || r == '>' {
			return r
		}
		return ' '
	}, lead)
	if len(blanks)+tabStop >= st.room {
		return ""
	}
	return blanks + strings.Repeat(" ", tabStop)
}

// opening is the fence that a line opens.
func opening(s string) (fence, bool) {
	const least = 3
	if s == "" || s[0] != '`' && s[0] != '~' {
		return fence{}, false
	}
	n := run(s, s[0])
	info := strings.Trim(s[n:], " \t\r\n")
	if n < least || s[0] == '`' && strings.Contains(info, "`") {
		return fence{}, false
	}
	return fence{char: s[0], length: n, info: info}, true
}

// uncertain tells whether what a line is may change with what is still to come of it.
func (st state) uncertain(text string) bool {
	if len(text) >= maxLooked || strings.HasSuffix(text, "\n") || st.inLine {
		return false
	}
	if st.fence.open() {
		return strings.Trim(text, " \t\r>"+string(st.fence.char)) == ""
	}
	if strings.Trim(text, " \t\r>-+*.)`~0123456789") == "" {
		return true
	}
	l, next := st.next(text)
	return l.kind == openingLine && next.fence.char == '`'
}

// reopening is the line that opens a fence again at the beginning of a block.
func (st state) reopening() string {
	prefix, _ := st.prefix()
	marks := prefix + strings.Repeat(string(st.fence.char), st.fence.length)
	if text := marks + st.fence.info + "\n"; Units(text) <= st.room {
		return text
	}
	return marks + "\n"
}

// prefix stands in front of the marks of a fence that is opened again: the quotes that it is in, and blanks for the lists. Deep
// tells that the lines of the source are indented too far for their own closing mark to be one there.
func (st state) prefix() (prefix string, deep bool) {
	text, blanks := "", 0
	for _, in := range st.containers {
		if !in.quote {
			blanks += in.width
			continue
		}
		deep = deep || blanks >= tabStop
		text, blanks = text+strings.Repeat(" ", min(blanks, tabStop-1))+"> ", 0
	}
	blanks += st.fence.indent
	if deep || blanks >= tabStop {
		return strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), ">", "> "), true
	}
	return text + strings.Repeat(" ", blanks), false
}

// closing is the line that closes the fence at the end of a block. A fence that was opened in the block stands where it stands.
func (st state) closing(reopened bool) string {
	text := ""
	if reopened {
		text, _ = st.prefix()
	} else {
		for _, in := range st.containers {
			if in.quote {
				text += "> "
			} else {
				text += strings.Repeat(" ", in.width)
			}
		}
		text += strings.Repeat(" ", st.fence.indent)
	}
	text += strings.Repeat(string(st.fence.char), st.fence.length)
	if st.inLine {
		return "\n" + text
	}
	return text
}

package blocks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// ahead is how much behind a place is looked at to tell whether a text may be cut there.
const ahead = 16

// view is what was seen of a splitter's buffer.
type view struct {
	places    []place // that make a block of at least the least length
	early     []place // that make a shorter one
	full      bool    // there is more than a block can have, and enough behind it to tell where to cut
	hard      int     // the last place between characters
	enough    bool    // and the block that ends there has the least length
	uncertain bool    // more of the last line may change what it is
}

// scanner goes through a splitter's buffer.
type scanner struct {
	view
	options  Options
	text     string
	final    bool
	length   int  // so far
	solid    int  // so far, without blanks at the end
	coarse   bool // only ends of lines are of interest
	skipped  int  // bytes of blank lines at the beginning, which do not count
	reopened bool
}

// look finds the places that make a block of at most the most.
func (s *Splitter) look(final bool) view {
	c := scanner{options: s.options, text: s.buffer, final: final, reopened: s.state.fence.open()}
	if !final {
		c.text = whole(s.buffer)
	}
	c.length = Units(opened(s.state))
	if !s.state.fence.open() && !s.state.inLine {
		c.skipped = len(c.text) - len(withoutBlankLines(c.text))
	}
	c.coarse = !final && s.options.Prefer != Sentence && c.length+Units(c.text[c.skipped:]) <= s.options.Max
	s.state.lines(c.text, c.line)
	return c.view
}

// line finds the places in a line and at its end.
func (c *scanner) line(at int, raw string, l line, before state) bool {
	if at+len(raw) <= c.skipped {
		return true
	}
	complete := strings.HasSuffix(raw, "\n")
	if !complete && !c.final && before.uncertain(raw) {
		c.uncertain = true
		return false
	}
	_, after := before.next(raw)
	if !after.fence.open() {
		c.reopened = false
	}
	content := strings.TrimRight(raw, "\r\n")
	switch {
	case c.coarse, l.kind == closingLine, blank(raw):
		c.pass(content)
	case l.kind == openingLine:
		c.pass(content[:l.markTo])
		c.clusters(at, l.markTo, content, after)
	default:
		begin := min(l.mark, len(content))
		c.pass(content[:begin])
		c.clusters(at, begin, content, before)
	}
	if c.solid > c.options.Max {
		c.full = c.full || c.decided(at+len(raw))
		return false
	}
	if !complete {
		return false
	}
	c.length += len(raw) - len(content)
	if !blank(raw) && l.kind != openingLine {
		c.lineEnd(at+len(raw), l, after)
	}
	return true
}

// pass counts text that is not cut.
func (c *scanner) pass(text string) {
	n := Units(text)
	if solid := strings.TrimRight(text, blanks); solid != "" {
		c.solid = c.length + Units(solid)
	}
	c.length += n
}

// lineEnd is the place behind a line.
func (c *scanner) lineEnd(at int, l line, after state) {
	switch {
	case after.fence.open():
		c.add(place{at, codeEnd}, c.length+Units(after.closing(c.reopened)))
		return
	case l.kind == indentedLine:
		next, known := c.next(at, after)
		switch {
		case !known:
			c.uncertain = true
			return
		case next == indentedLine || next == blankLine:
			c.add(place{at, codeEnd}, c.solid)
			return
		}
	}
	if next, known := c.next(at, after); known && next == blankLine {
		c.add(place{at, paragraphEnd}, c.solid)
		return
	}
	c.add(place{at, lineEnd}, c.solid)
}

// next is what the line is that begins at a place, when that is known.
func (c *scanner) next(at int, st state) (kind, bool) {
	raw := c.text[at:]
	if end := strings.IndexByte(raw, '\n'); end >= 0 {
		raw = raw[:end+1]
	} else if !c.final && (raw == "" || st.uncertain(raw)) {
		return 0, false
	}
	if raw == "" {
		return blankLine, true
	}
	l, _ := st.next(raw)
	return l.kind, true
}

// clusters finds the places within a line, from a byte of it on.
func (c *scanner) clusters(at, from int, content string, st state) {
	l, _ := st.next(content)
	closing, code := 0, l.kind == indentedLine
	if st.fence.open() {
		cut := st
		cut.inLine = true
		closing, code = Units(cut.closing(c.reopened)), true
	}
	var marks inline
	risky := looksFenced(content)
	for pos, state := from, -1; pos < len(content); {
		var cluster string
		cluster, _, _, state = uniseg.StepString(content[pos:], state)
		c.pass(cluster)
		marks.pass(cluster)
		pos += len(cluster)
		w := c.solid
		if closing > 0 {
			w = c.length + closing
		}
		if w > c.options.Max {
			if c.solid > c.options.Max {
				c.full = c.decided(at + pos)
				return
			}
			continue
		}
		if pos == len(content) || !c.decided(at+pos) || !mayCut(c.text[at:], pos) || risky && st.fences(content[:pos]) != st.fences(content) {
			continue
		}
		c.hard, c.enough = at+pos, w >= c.options.Min
		if r := rankOf(content, pos, code, marks.open()); r > anywhere {
			c.add(place{at + pos, r}, w)
		}
	}
}

// decided tells whether enough of what is behind a place is known.
func (c *scanner) decided(at int) bool {
	rest := c.text[at:]
	return c.final || len(rest) >= ahead || strings.Contains(rest, "\n")
}

// looksFenced tells whether the beginning of a line may be a line of a fence.
func looksFenced(line string) bool {
	line = strings.TrimLeft(line, " \t>-+*.)0123456789")
	return strings.HasPrefix(line, "``") || strings.HasPrefix(line, "~~")
}

// fences tells whether a line opens or closes a fence.
func (st state) fences(text string) bool {
	l, _ := st.next(text)
	return l.kind == openingLine || l.kind == closingLine
}

// mayCut tells whether what is behind a place in a line would be what it is at the beginning of a line, too: no fence.
func mayCut(text string, at int) bool {
	rest := text[at:min(at+ahead, len(text))]
	if c := rest[0]; (c == '`' || c == '~') && text[at-1] == c {
		return false
	}
	rest, _, _ = strings.Cut(rest, "\n")
	return !looksFenced(rest)
}

// rankOf is how good a place within a line is.
func rankOf(line string, at int, code, open bool) rank {
	last, size := utf8.DecodeLastRuneInString(line[:at])
	next, _ := utf8.DecodeRuneInString(line[at:])
	switch {
	case unicode.IsSpace(next):
		return anywhere
	case !unicode.IsSpace(last):
		if !code && !open && strings.ContainsRune(wideStops, last) && !unicode.IsPunct(next) {
			return sentenceEnd
		}
		return anywhere
	case code:
		return codeBlank
	case open:
		return openBlank
	}
	before := strings.TrimRight(line[:at-size], " \t\"')]}*_”’»")
	if end, _ := utf8.DecodeLastRuneInString(before); strings.ContainsRune(".!?…"+wideStops, end) {
		return sentenceEnd
	}
	return afterBlank
}

// wideStops end sentences, and no blank follows them.
const wideStops = "。！？．"

// add keeps a place when the block that ends there is not too long.
func (c *scanner) add(p place, w int) {
	switch {
	case w > c.options.Max || w == 0:
	case w >= c.options.Min:
		c.places = append(c.places, p)
	default:
		c.early = append(c.early, p)
	}
}

// inline follows the marks within a line that come in pairs.
type inline struct {
	ticks int // of the code span that is open
	count int // backticks in a row so far
	bold  bool
	link  bool
	last  string
}

// pass goes over a cluster.
func (i *inline) pass(cluster string) {
	if cluster == "`" {
		i.count++
		i.last = cluster
		return
	}
	i.settle()
	switch {
	case i.ticks > 0:
	case cluster == "*" && i.last == "*":
		i.bold = !i.bold
		cluster = ""
	case cluster == "[":
		i.link = true
	case cluster == "]":
		i.link = false
	case cluster == "(" && i.last == "]":
		i.link = true
	case cluster == ")":
		i.link = false
	}
	i.last = cluster
}

// settle ends a row of backticks.
func (i *inline) settle() {
	switch {
	case i.count == 0:
	case i.ticks == 0:
		i.ticks = i.count
	case i.ticks == i.count:
		i.ticks = 0
	}
	i.count = 0
}

func (i *inline) open() bool {
	if i.count > 0 {
		ended := *i
		ended.settle()
		return ended.ticks > 0
	}
	return i.ticks > 0 || i.bold || i.link
}

package differ

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"

	"openclaw/toolwasm/guest/regex"
)

// noNewline is what follows a last line without a newline.
const noNewline = "\\ No newline at end of file\n"

// formatter writes the changes between two files.
type formatter struct {
	w        *bufio.Writer
	a, b     *source
	context  int
	function *regex.Regexp // -F: lines that name the part of the file a hunk is in
	color    bool
	expand   bool // -t
	initTab  bool // -T
	// ignorable reports changes that need not be shown (-B, -I), where there are any.
	ignorable func(change) bool
	lastFunc  int // where the search for a function line left off
	funcLine  []byte
}

// The colours of --color.
const (
	colorHeader = "\x1b[1m"
	colorRange  = "\x1b[36m"
	colorOld    = "\x1b[31m"
	colorNew    = "\x1b[32m"
	colorReset  = "\x1b[0m"
)

func (f *formatter) paint(code string) {
	if f.color {
		_, _ = f.w.WriteString(code)
	}
}

// line writes one line after a mark.
func (f *formatter) line(mark string, line []byte, code string) {
	if code != "" {
		f.paint(code)
	}
	_, _ = f.w.WriteString(mark)
	f.body(text(line), len(mark))
	if code != "" {
		f.paint(colorReset)
	}
	_ = f.w.WriteByte('\n')
	if !complete(line) {
		_, _ = f.w.WriteString(noNewline)
	}
}

func (f *formatter) body(b []byte, column int) {
	if f.expand && bytes.IndexByte(b, '\t') >= 0 {
		b = expandTabs(nil, b)
	}
	_, _ = f.w.Write(b)
}

// bounds writes the numbers of n lines from index at (0-based), as normal and ed scripts do.
func bounds(at, n int) string {
	switch {
	case n == 0:
		return strconv.Itoa(at)
	case n == 1:
		return strconv.Itoa(at + 1)
	}
	return strconv.Itoa(at+1) + "," + strconv.Itoa(at+n)
}

func letter(c change) byte {
	switch {
	case c.na == 0:
		return 'a'
	case c.nb == 0:
		return 'd'
	}
	return 'c'
}

// normal writes the format without options.
func (f *formatter) normal(changes []change) {
	space := " "
	if f.initTab {
		space = "\t"
	}
	for _, c := range changes {
		if f.ignorable != nil && f.ignorable(c) {
			continue
		}
		f.paint(colorRange)
		_, _ = f.w.WriteString(bounds(c.a, c.na))
		_ = f.w.WriteByte(letter(c))
		_, _ = f.w.WriteString(bounds(c.b, c.nb))
		f.paint(colorReset)
		_ = f.w.WriteByte('\n')
		for _, l := range f.a.lines[c.a : c.a+c.na] {
			f.line("<"+space, l, colorOld)
		}
		if letter(c) == 'c' {
			_, _ = f.w.WriteString("---\n")
		}
		for _, l := range f.b.lines[c.b : c.b+c.nb] {
			f.line(">"+space, l, colorNew)
		}
	}
}

// hunks groups changes that are close to each other.
func (f *formatter) hunks(changes []change) [][]change {
	var out [][]change
	for i := 0; i < len(changes); {
		j := i + 1
		for j < len(changes) {
			gap := changes[j].a - (changes[j-1].a + changes[j-1].na)
			threshold := 2*f.context + 1
			if f.ignorable != nil && f.ignorable(changes[j]) {
				threshold = f.context
			}
			if gap >= threshold {
				break
			}
			j++
		}
		group := changes[i:j]
		i = j
		if f.ignorable == nil || !f.allIgnorable(group) {
			out = append(out, group)
		}
	}
	return out
}

func (f *formatter) allIgnorable(group []change) bool {
	for _, c := range group {
		if !f.ignorable(c) {
			return false
		}
	}
	return true
}

// span is the part of both files that a hunk shows.
type span struct{ a0, a1, b0, b1 int }

func (f *formatter) span(group []change) span {
	first, last := group[0], group[len(group)-1]
	before := min(f.context, first.a, first.b)
	s := span{a0: first.a - before, b0: first.b - before}
	after := min(f.context, len(f.a.lines)-(last.a+last.na), len(f.b.lines)-(last.b+last.nb))
	s.a1, s.b1 = last.a+last.na+after, last.b+last.nb+after
	return s
}

func header(s *source) string {
	if s.stamp == "" {
		return s.label
	}
	return s.label + "\t" + s.stamp
}

func unifiedRange(from, to int) string {
	switch n := to - from; n {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(from + 1)
	default:
		return strconv.Itoa(from+1) + "," + strconv.Itoa(n)
	}
}

func (f *formatter) heading(mark string, s *source) {
	f.paint(colorHeader)
	_, _ = f.w.WriteString(mark + " " + header(s))
	f.paint(colorReset)
	_ = f.w.WriteByte('\n')
}

// unified writes the format of -u.
func (f *formatter) unified(changes []change) {
	groups := f.hunks(changes)
	if len(groups) == 0 {
		return
	}
	f.heading("---", f.a)
	f.heading("+++", f.b)
	space := " "
	old, fresh := "-", "+"
	if f.initTab {
		space, old, fresh = "\t", "-\t", "+\t"
	}
	for _, g := range groups {
		s := f.span(g)
		f.paint(colorRange)
		_, _ = f.w.WriteString("@@ -" + unifiedRange(s.a0, s.a1) + " +" + unifiedRange(s.b0, s.b1) + " @@")
		f.paint(colorReset)
		f.writeFunction(s.a0)
		_ = f.w.WriteByte('\n')
		at := s.a0
		for _, c := range g {
			for ; at < c.a; at++ {
				f.line(space, f.a.lines[at], "")
			}
			for _, l := range f.a.lines[c.a : c.a+c.na] {
				f.line(old, l, colorOld)
			}
			for _, l := range f.b.lines[c.b : c.b+c.nb] {
				f.line(fresh, l, colorNew)
			}
			at = c.a + c.na
		}
		for ; at < s.a1; at++ {
			f.line(space, f.a.lines[at], "")
		}
	}
}

// maxFunction is how much of a function line a hunk's heading shows.
const maxFunction = 40

// writeFunction writes the last line before at that matches -F.
func (f *formatter) writeFunction(at int) {
	if f.function == nil {
		return
	}
	for i := at - 1; i >= f.lastFunc; i-- {
		if line := text(f.a.lines[i]); f.function.Match(line, false) {
			f.funcLine = line
			break
		}
	}
	f.lastFunc = max(at, f.lastFunc)
	if f.funcLine == nil {
		return
	}
	line := bytes.TrimLeft(f.funcLine, " \t\r\v\f")
	line = bytes.TrimRight(line[:min(len(line), maxFunction)], " \t\r\v\f")
	_ = f.w.WriteByte(' ')
	_, _ = f.w.Write(line)
}

func contextRange(from, to int) string {
	switch n := to - from; n {
	case 0:
		return strconv.Itoa(from)
	case 1:
		return strconv.Itoa(from + 1)
	default:
		return strconv.Itoa(from+1) + "," + strconv.Itoa(to)
	}
}

// contextual writes the format of -c.
func (f *formatter) contextual(changes []change) {
	groups := f.hunks(changes)
	if len(groups) == 0 {
		return
	}
	f.heading("***", f.a)
	f.heading("---", f.b)
	for _, g := range groups {
		s := f.span(g)
		_, _ = f.w.WriteString("***************")
		f.writeFunction(s.a0)
		_, _ = f.w.WriteString("\n*** " + contextRange(s.a0, s.a1) + " ****\n")
		f.side(g, f.a.lines[s.a0:s.a1], s.a0, "-", colorOld, func(c change) (int, int, bool) { return c.a, c.na, c.nb > 0 })
		_, _ = f.w.WriteString("--- " + contextRange(s.b0, s.b1) + " ----\n")
		f.side(g, f.b.lines[s.b0:s.b1], s.b0, "+", colorNew, func(c change) (int, int, bool) { return c.b, c.nb, c.na > 0 })
	}
}

// side writes one half of a context hunk, if anything in it changed.
func (f *formatter) side(g []change, lines [][]byte, first int, mark, code string, part func(change) (at, n int, both bool)) {
	any := false
	for _, c := range g {
		_, n, _ := part(c)
		any = any || n > 0
	}
	if !any {
		return
	}
	space := " "
	if f.initTab {
		space = "\t"
	}
	k := 0
	for i, l := range lines {
		at := first + i
		for k < len(g) {
			start, n, _ := part(g[k])
			if at < start+n {
				break
			}
			k++
		}
		m, color := " ", ""
		if k < len(g) {
			if start, n, both := part(g[k]); at >= start && at < start+n {
				m, color = mark, code
				if both {
					m = "!"
				}
			}
		}
		f.line(m+space, l, color)
	}
}

// ed writes a script for ed: from the end, so that line numbers stay right.
func (f *formatter) ed(changes []change) {
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		fmt.Fprintf(f.w, "%s%c\n", bounds(c.a, c.na), letter(c))
		if c.nb == 0 {
			continue
		}
		inserting := true
		for _, l := range f.b.lines[c.b : c.b+c.nb] {
			if !inserting {
				_, _ = f.w.WriteString("a\n")
				inserting = true
			}
			body := text(l)
			if len(body) == 1 && body[0] == '.' {
				// A line that is a dot would end the text: write two, then make them one.
				_, _ = f.w.WriteString("..\n.\ns/.//\n")
				inserting = false
				continue
			}
			_, _ = f.w.Write(body)
			_ = f.w.WriteByte('\n')
		}
		if inserting {
			_, _ = f.w.WriteString(".\n")
		}
	}
}

// rcs writes the format of -n.
func (f *formatter) rcs(changes []change) {
	for _, c := range changes {
		if c.na > 0 {
			fmt.Fprintf(f.w, "d%d %d\n", c.a+1, c.na)
		}
		if c.nb > 0 {
			fmt.Fprintf(f.w, "a%d %d\n", c.a+c.na, c.nb)
			for _, l := range f.b.lines[c.b : c.b+c.nb] {
				_, _ = f.w.Write(l)
			}
		}
	}
}

package git

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/git/xdiff"
)

// stat is how much of one file changed.
type stat struct {
	name           string
	added, deleted int // lines; bytes of a binary file
	binary         bool
	unmerged       bool
	comment        string
}

// stats counts what changed in each file.
func (r *repo) stats(list []change, o *diffOptions) []stat {
	var stats []stat
	for i := range list {
		c := &list[i]
		s := stat{name: r.statName(c, o)}
		if c.status == 'U' {
			s.unmerged = true
			stats = append(stats, s)
			continue
		}
		if o.compact {
			s.comment = c.comment()
		}
		if c.old.mode != 0 && c.new.mode != 0 && c.old.id == c.new.id && !c.new.work && !c.old.work {
			stats = append(stats, s)
			continue
		}
		a, err := r.content(&c.old)
		r.g.check(err)
		b, err := r.content(&c.new)
		r.g.check(err)
		if r.shownAsBinary(c, a, b, o) {
			s.binary, s.added, s.deleted = true, len(b), len(a)
		} else {
			for _, ch := range r.lineChanges(a, b, o) {
				s.added += ch.NB
				s.deleted += ch.NA
			}
		}
		c.old.release()
		if !o.patch {
			c.new.release()
		}
		stats = append(stats, s)
	}
	return stats
}

func (r *repo) lineChanges(a, b []byte, o *diffOptions) []xdiff.Change {
	var list []xdiff.Change
	opt := o.lines
	opt.Context = 0
	opt.Function = false
	for _, h := range xdiff.Hunks(xdiff.Lines(a), xdiff.Lines(b), opt, r.g.step) {
		list = append(list, h.Changes...)
	}
	return list
}

func (c *change) comment() string {
	switch {
	case c.status == 'A' && c.new.mode.IsLink():
		return " (new +l)"
	case c.status == 'A' && c.new.mode&0o100 != 0:
		return " (new +x)"
	case c.status == 'A':
		return " (new)"
	case c.status == 'D':
		return " (gone)"
	case c.old.mode != c.new.mode && c.new.mode&0o111 != 0:
		return " (mode +x)"
	case c.old.mode != c.new.mode:
		return " (mode -x)"
	}
	return ""
}

// statName is how a file is named in statistics: a rename shows only what differs.
func (r *repo) statName(c *change, o *diffOptions) string {
	if c.old.file || c.new.file {
		a, b := c.old.path, c.new.path
		if c.old.mode == 0 {
			a = "/dev/null"
		}
		if c.new.mode == 0 {
			b = "/dev/null"
		}
		if a != b {
			return renameName(a, b, r)
		}
	}
	if c.status != 'R' && c.status != 'C' {
		return r.name(c.path(), o)
	}
	return renameName(strings.TrimPrefix(c.old.path, o.relative), strings.TrimPrefix(c.new.path, o.relative), r)
}

func renameName(a, b string, r *repo) string {
	if r.quote(a) != a || r.quote(b) != b {
		return r.quote(a) + " => " + r.quote(b)
	}
	prefix := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			prefix = i + 1
		}
	}
	suffix := 0
	least := 0
	if prefix > 0 {
		least = prefix - 1
	}
	for i, j := len(a)-1, len(b)-1; i >= least && j >= least && a[i] == b[j]; i, j = i-1, j-1 {
		if a[i] == '/' {
			suffix = len(a) - i
		}
	}
	midA, midB := max(len(a)-prefix-suffix, 0), max(len(b)-prefix-suffix, 0)
	tail := a[len(a)-suffix:]
	if prefix+suffix == 0 {
		return a + " => " + b
	}
	return a[:prefix] + "{" + a[prefix:prefix+midA] + " => " + b[prefix:prefix+midB] + "}" + tail
}

func (r *repo) showStats(list []change, o *diffOptions) {
	stats := r.stats(list, o)
	if o.numstat {
		for i, s := range stats {
			r.showNumstat(&list[i], s, o)
		}
	}
	if o.stat {
		r.g.print(r.renderStat(stats, o))
	}
	if o.stat || o.shortstat {
		r.g.print(statSummary(stats))
	}
}

func (r *repo) showNumstat(c *change, s stat, o *diffOptions) {
	if s.binary {
		r.g.print("-\t-\t")
	} else {
		r.g.printf("%d\t%d\t", s.added, s.deleted)
	}
	if o.nul && (c.status == 'R' || c.status == 'C') {
		r.g.print("\x00" + c.old.path + "\x00" + c.new.path + "\x00")
		return
	}
	r.g.print(s.name + o.end())
}

// statSummary is the last line of statistics.
func statSummary(stats []stat) string {
	files, added, deleted := 0, 0, 0
	for _, s := range stats {
		if s.unmerged {
			continue
		}
		files++
		if !s.binary {
			added += s.added
			deleted += s.deleted
		}
	}
	if files == 0 {
		return " 0 files changed\n"
	}
	text := fmt.Sprintf(" %d file%s changed", files, plural(files))
	if added > 0 || deleted == 0 {
		text += fmt.Sprintf(", %d insertion%s(+)", added, plural(added))
	}
	if deleted > 0 || added == 0 {
		text += fmt.Sprintf(", %d deletion%s(-)", deleted, plural(deleted))
	}
	return text + "\n"
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// statWidth is how wide statistics are when nothing is said.
const statWidth = 80

// renderStat draws the graph.
func (r *repo) renderStat(stats []stat, o *diffOptions) string {
	width := statWidth
	if o.statWidth > 0 {
		width = o.statWidth
	}
	shown := stats
	cut := o.statCount > 0 && len(stats) > o.statCount
	if cut {
		shown = stats[:o.statCount]
	}
	longest, most, binaryWidth := 0, 0, 0
	for _, s := range shown {
		longest = max(longest, textWidth(s.name)+len(s.comment))
		if s.unmerged {
			binaryWidth = max(binaryWidth, len("Unmerged"))
			continue
		}
		if s.binary {
			binaryWidth = max(binaryWidth, 14+len(fmt.Sprint(s.added))+len(fmt.Sprint(s.deleted)))
			continue
		}
		most = max(most, s.added+s.deleted)
	}
	numberWidth := len(fmt.Sprint(most))
	if binaryWidth > 0 {
		numberWidth = max(numberWidth, 3)
	}
	width = max(width, 16+6+numberWidth)
	graph := most
	if most+4 <= binaryWidth {
		graph = binaryWidth - 4
	}
	if o.statNameWidth > 0 && o.statNameWidth < longest {
		longest = o.statNameWidth
	}
	if longest+numberWidth+6+graph > width {
		graph = min(graph, max(width*3/8-numberWidth-6, 6))
		if longest > width-numberWidth-6-graph {
			longest = width - numberWidth - 6 - graph
		} else {
			graph = width - numberWidth - 6 - longest
		}
	}
	var b strings.Builder
	for _, s := range shown {
		name := s.name + s.comment
		mark := ""
		if w := textWidth(name); w > longest {
			name, mark = shorten(name, longest)
		}
		pad := strings.Repeat(" ", max(longest-textWidth(name)-len(mark), 0))
		fmt.Fprintf(&b, " %s%s%s |", mark, name, pad)
		switch {
		case s.unmerged:
			b.WriteString(" Unmerged\n")
		case s.binary:
			fmt.Fprintf(&b, " %*s", numberWidth, "Bin")
			if s.added == 0 && s.deleted == 0 {
				b.WriteString("\n")
			} else {
				fmt.Fprintf(&b, " %d -> %d bytes\n", s.deleted, s.added)
			}
		default:
			add, del := scaleGraph(s.added, s.deleted, most, graph)
			fmt.Fprintf(&b, " %*d", numberWidth, s.added+s.deleted)
			if s.added+s.deleted > 0 {
				b.WriteString(" ")
			}
			b.WriteString(strings.Repeat("+", add) + strings.Repeat("-", del) + "\n")
		}
	}
	if cut {
		b.WriteString(" ...\n")
	}
	return b.String()
}

func textWidth(s string) int { return utf8.RuneCountInString(s) }

// shorten cuts a path at its front, at a slash if there is one.
func shorten(name string, width int) (rest, mark string) {
	width = max(width-3, 0)
	rest = name
	for textWidth(rest) > width {
		_, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest = rest[i:]
	}
	return rest, "..."
}

// scaleGraph fits the counts of a file into the graph.
func scaleGraph(added, deleted, most, graph int) (add, del int) {
	if graph > most || most == 0 {
		return added, deleted
	}
	if graph == most {
		return added, deleted
	}
	scale := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + n*(graph-1)/most
	}
	total := scale(added + deleted)
	if total < 2 && added > 0 && deleted > 0 {
		total = 2
	}
	if added < deleted {
		add = scale(added)
		return add, total - add
	}
	del = scale(deleted)
	return total - del, del
}

// showSummary tells of files that came, went or changed in kind.
func (r *repo) showSummary(list []change) {
	for i := range list {
		r.g.print(r.summaryLine(&list[i]))
	}
}

func (r *repo) summaryLine(c *change) string {
	switch c.status {
	case 'A':
		return fmt.Sprintf(" create mode %s %s\n", c.new.mode, r.quote(c.new.path))
	case 'D':
		return fmt.Sprintf(" delete mode %s %s\n", c.old.mode, r.quote(c.old.path))
	case 'R', 'C':
		verb := map[byte]string{'R': "rename", 'C': "copy"}[c.status]
		s := fmt.Sprintf(" %s %s (%d%%)\n", verb, renameName(c.old.path, c.new.path, r), c.percent())
		if c.old.mode != c.new.mode {
			s += fmt.Sprintf(" mode change %s => %s\n", c.old.mode, c.new.mode)
		}
		return s
	case 'U':
		return ""
	}
	if c.old.mode != c.new.mode {
		return fmt.Sprintf(" mode change %s => %s %s\n", c.old.mode, c.new.mode, r.quote(c.new.path))
	}
	return ""
}

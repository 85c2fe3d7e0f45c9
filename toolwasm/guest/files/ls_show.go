package files

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/columns"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

// minColumn is the narrowest column of ls -C: one character and two blanks.
const minColumn = 3

// cell is what is written for one entry in the formats other than -l.
type cell struct {
	text  string // with colours
	width int
}

// columnWidths are the widths of the fields of -l, over one listing.
type columnWidths struct {
	inode, blocks, links, owner, group, size int
}

// show writes a listing in fields of the widths w; total says whether -l and -s are headed by the sum of blocks.
func (l *lister) show(list []*lsEntry, w columnWidths, total bool) {
	if total && (l.format == formatLong || l.blocks) {
		var sum int64
		for _, e := range list {
			sum += e.info.Blocks
		}
		_, _ = l.out.WriteString("total " + l.blockUnit.format(sum*512))
		_ = l.out.WriteByte(l.end)
	}
	pad := l.alignQuotes(list)
	if l.format == formatLong {
		l.showLong(list, w, pad)
		return
	}
	cells := make([]cell, len(list))
	for i, e := range list {
		cells[i] = l.cell(e, w, pad)
	}
	switch l.format {
	case formatColumns:
		l.columns(cells, true)
	case formatAcross:
		l.columns(cells, false)
	case formatCommas:
		l.commas(cells)
	default:
		for _, c := range cells {
			_, _ = l.out.WriteString(c.text)
			_ = l.out.WriteByte(l.end)
		}
	}
}

// alignQuotes reports whether names without quotes get a blank in front, so that they line up with quoted ones.
func (l *lister) alignQuotes(list []*lsEntry) bool {
	if l.style != "shell" && l.style != "shell-escape" && l.style != "c-maybe" {
		return false
	}
	if l.format == formatSingle || l.format == formatCommas || (l.format != formatLong && l.width == 0) {
		return false
	}
	for _, e := range list {
		if l.quoted(e.name) != e.name {
			return true
		}
	}
	return false
}

func (l *lister) widths(list []*lsEntry) columnWidths {
	var w columnWidths
	for _, e := range list {
		i := e.info
		w.inode = max(w.inode, len(strconv.FormatUint(i.Ino, 10)))
		w.blocks = max(w.blocks, len(l.blockUnit.format(i.Blocks*512)))
		w.links = max(w.links, len(strconv.FormatUint(i.Nlink, 10)))
		w.owner = max(w.owner, len(l.owner(i)))
		w.group = max(w.group, len(l.group(i)))
		w.size = max(w.size, len(l.unit.format(i.Size)))
	}
	return w
}

func (l *lister) owner(i sys.Info) string {
	if l.numeric {
		return strconv.Itoa(i.UID)
	}
	return sys.User
}

func (l *lister) group(i sys.Info) string {
	if l.numeric {
		return strconv.Itoa(i.GID)
	}
	return sys.Group
}

// prefix is the inode number and the blocks.
func (l *lister) prefix(e *lsEntry, w columnWidths) string {
	var b strings.Builder
	if l.format == formatCommas {
		w = columnWidths{}
	}
	if l.inode {
		number := strconv.FormatUint(e.info.Ino, 10)
		if e.err != nil {
			number = "?"
		}
		fmt.Fprintf(&b, "%*s ", w.inode, number)
	}
	if l.blocks {
		fmt.Fprintf(&b, "%*s ", w.blocks, l.blockUnit.format(e.info.Blocks*512))
	}
	return b.String()
}

func (l *lister) cell(e *lsEntry, w columnWidths, pad bool) cell {
	prefix := l.prefix(e, w)
	name := l.quoted(e.name)
	lead := ""
	if pad && name == e.name {
		lead = " "
	}
	c := cell{width: len(prefix) + len(lead) + columns.Text(name)}
	c.text = prefix + lead + l.colors.paint(name, e)
	if m := l.mark(&e.info, e.err == nil); m != 0 {
		c.text += string(m)
		c.width++
	}
	return c
}

func (l *lister) commas(cells []cell) {
	pos := 0
	for i, c := range cells {
		if i > 0 {
			if l.width == 0 || pos+c.width+2 < l.width {
				_, _ = l.out.WriteString(", ")
				pos += 2
			} else {
				_, _ = l.out.WriteString(",\n")
				pos = 0
			}
		}
		_, _ = l.out.WriteString(c.text)
		pos += c.width
	}
	if len(cells) > 0 {
		_ = l.out.WriteByte(l.end)
	}
}

// columns writes cells in as many columns as fit, down (vertical) or across.
func (l *lister) columns(cells []cell, vertical bool) {
	n := len(cells)
	if n == 0 {
		return
	}
	widths := l.fit(cells, vertical)
	cols := len(widths)
	rows := (n + cols - 1) / cols
	for row := range rows {
		pos := 0
		for col := range cols {
			i, next := row*cols+col, row*cols+col+1
			if vertical {
				i, next = col*rows+row, (col+1)*rows+row
			}
			if i >= n {
				break
			}
			_, _ = l.out.WriteString(cells[i].text)
			if next >= n || col == cols-1 {
				break
			}
			l.indent(pos+cells[i].width, pos+widths[col])
			pos += widths[col]
		}
		_ = l.out.WriteByte(l.end)
	}
}

// fit returns the widths of the largest number of columns whose lines are short enough.
func (l *lister) fit(cells []cell, vertical bool) []int {
	n := len(cells)
	most := n
	if l.width > 0 {
		most = min(n, (l.width+minColumn-1)/minColumn)
	}
	for cols := most; cols > 1; cols-- {
		rows := (n + cols - 1) / cols
		widths := make([]int, cols)
		for i := range widths {
			widths[i] = minColumn
		}
		for i, c := range cells {
			col := i % cols
			if vertical {
				col = i / rows
			}
			need := c.width
			if col != cols-1 {
				need += 2
			}
			widths[col] = max(widths[col], need)
		}
		total := 0
		for _, w := range widths {
			total += w
		}
		if l.width == 0 || total < l.width {
			return widths
		}
	}
	return []int{0}
}

// indent moves from one column to another, with tabs where they help.
func (l *lister) indent(from, to int) {
	for from < to {
		if l.tab != 0 && to/l.tab > (from+1)/l.tab {
			_ = l.out.WriteByte('\t')
			from += l.tab - from%l.tab
			continue
		}
		_ = l.out.WriteByte(' ')
		from++
	}
}

func (l *lister) showLong(list []*lsEntry, w columnWidths, pad bool) {
	for _, e := range list {
		_, _ = l.out.WriteString(l.prefix(e, w))
		l.attributes(e, w)
		name := l.quoted(e.name)
		if pad && name == e.name {
			_ = l.out.WriteByte(' ')
		}
		_, _ = l.out.WriteString(l.colors.paint(name, e))
		l.after(e)
		_ = l.out.WriteByte(l.end)
	}
}

func (l *lister) attributes(e *lsEntry, w columnWidths) {
	i := e.info
	if e.err != nil {
		fmt.Fprintf(l.out, "%c????????? ? ", '?')
		if !l.noOwner {
			fmt.Fprintf(l.out, "%-*s ", w.owner, "?")
		}
		if !l.noGroup {
			fmt.Fprintf(l.out, "%-*s ", w.group, "?")
		}
		fmt.Fprintf(l.out, "%*s %*s ", w.size, "?", 12, "?")
		return
	}
	fmt.Fprintf(l.out, "%s %*d ", perm.String(i.Mode), w.links, i.Nlink)
	if !l.noOwner {
		fmt.Fprintf(l.out, "%-*s ", w.owner, l.owner(i))
	}
	if !l.noGroup {
		fmt.Fprintf(l.out, "%-*s ", w.group, l.group(i))
	}
	if l.author {
		fmt.Fprintf(l.out, "%-*s ", w.owner, l.owner(i))
	}
	fmt.Fprintf(l.out, "%*s %s ", w.size, l.unit.format(i.Size), l.timeText(i))
}

// timeText is the time of a file in the layout for its age.
func (l *lister) timeText(i sys.Info) string {
	const halfYear = 31556952 / 2 * time.Second
	t := fileTime(i, l.time).In(l.loc)
	layout := l.timeFormats[0]
	if age := l.now.Sub(t); age < halfYear && age >= -time.Second {
		layout = l.timeFormats[1]
	}
	return strftime.Format(layout, t)
}

// after writes where a link leads, and the indicator.
func (l *lister) after(e *lsEntry) {
	if !e.info.IsLink() || e.target == "" {
		if m := l.mark(&e.info, e.err == nil); m != 0 {
			_ = l.out.WriteByte(m)
		}
		return
	}
	target := l.quoted(e.target)
	if l.colors != nil {
		target = l.colors.paintTarget(target, e)
	}
	_, _ = l.out.WriteString(" -> " + target)
	if e.referent != nil {
		if m := l.mark(e.referent, true); m != 0 {
			_ = l.out.WriteByte(m)
		}
	}
}

package sqlite

import (
	"bufio"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// gridWriter writes rows in columns; it has to see all of them first.
type gridWriter struct {
	o     *output
	names []string
	mode  mode
	rows  [][]string
}

func (g *gridWriter) row(row []value) {
	cells := make([]string, len(row))
	for i, v := range row {
		if g.mode == modeQuotedBox {
			cells[i] = literal(v)
			if v.kind == sqlite3.NULL && g.o.null != "" {
				cells[i] = g.o.null
			}
			continue
		}
		cells[i] = g.o.shown(v)
	}
	g.rows = append(g.rows, cells)
}

func (g *gridWriter) end(rows int) {
	if rows == 0 {
		return
	}
	widths := g.columnWidths()
	switch g.mode {
	case modeColumn:
		g.columns(widths)
	case modeMarkdown:
		g.framed(widths, frame{bar: "|", middle: [4]string{"|", "-", "|", "|"}})
	case modeTable:
		line := [4]string{"+", "-", "+", "+"}
		g.framed(widths, frame{bar: "|", top: line, middle: line, bottom: line})
	default:
		g.framed(widths, frame{bar: "│", top: [4]string{"┌", "─", "┬", "┐"}, middle: [4]string{"├", "─", "┼", "┤"}, bottom: [4]string{"└", "─", "┴", "┘"}})
	}
}

func (g *gridWriter) columnWidths() []int {
	widths := make([]int, len(g.names))
	for i, n := range g.names {
		if i < len(g.o.widths) && g.o.widths[i] != 0 {
			widths[i] = abs(g.o.widths[i])
		}
		widths[i] = max(widths[i], width(n))
	}
	for _, r := range g.rows {
		for i, c := range r {
			for _, line := range strings.Split(c, "\n") {
				widths[i] = max(widths[i], width(line))
			}
		}
	}
	return widths
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// padded puts a text into a column; a negative width puts it to the right.
func (g *gridWriter) padded(i int, s string, w int) string {
	fill := strings.Repeat(" ", max(w-width(s), 0))
	if i < len(g.o.widths) && g.o.widths[i] < 0 {
		return fill + s
	}
	return s + fill
}

// lines splits the cells of a row into lines.
func lines(row []string) [][]string {
	n := 1
	for _, c := range row {
		n = max(n, strings.Count(c, "\n")+1)
	}
	if n == 1 {
		return [][]string{row}
	}
	out := make([][]string, n)
	for i := range out {
		out[i] = make([]string, len(row))
	}
	for i, c := range row {
		for j, part := range strings.Split(c, "\n") {
			out[j][i] = part
		}
	}
	return out
}

func (g *gridWriter) columns(widths []int) {
	w := g.o.w()
	write := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				w.WriteString("  ")
			}
			w.WriteString(g.padded(i, c, widths[i]))
		}
		w.WriteString("\n")
	}
	if g.o.headers {
		write(g.names)
		for i, n := range widths {
			if i > 0 {
				w.WriteString("  ")
			}
			w.WriteString(strings.Repeat("-", n))
		}
		w.WriteString("\n")
	}
	for _, r := range g.rows {
		for _, l := range lines(r) {
			write(l)
		}
	}
}

// frame is what stands around the cells: a bar, and the left end, filling, joint and right end of lines.
type frame struct {
	bar                 string
	top, middle, bottom [4]string
}

func (g *gridWriter) framed(widths []int, f frame) {
	w := g.o.w()
	rule(w, widths, f.top)
	w.WriteString(f.bar)
	for i, n := range g.names {
		left := (widths[i] - width(n)) / 2
		w.WriteString(strings.Repeat(" ", left+1) + n + strings.Repeat(" ", widths[i]-width(n)-left+1) + f.bar)
	}
	w.WriteString("\n")
	rule(w, widths, f.middle)
	for _, r := range g.rows {
		for _, l := range lines(r) {
			w.WriteString(f.bar)
			for i, c := range l {
				w.WriteString(" " + g.padded(i, c, widths[i]) + " " + f.bar)
			}
			w.WriteString("\n")
		}
	}
	rule(w, widths, f.bottom)
}

func rule(w *bufio.Writer, widths []int, line [4]string) {
	if line[0] == "" {
		return
	}
	w.WriteString(line[0])
	for i, n := range widths {
		if i > 0 {
			w.WriteString(line[2])
		}
		w.WriteString(strings.Repeat(line[1], n+2))
	}
	w.WriteString(line[3] + "\n")
}

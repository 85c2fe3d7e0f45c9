package text

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/columns"
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const columnHelp = `Usage: column [OPTION]... [FILE]...
Arrange the lines of the FILEs in columns. Without FILE read standard input.

  -c, --output-width=WIDTH       the width of the output (80)
  -x, --fillrows                 fill rows before columns
  -L, --keep-empty-lines         keep empty lines
  -t, --table                    the words of each line are the cells of a table
  -s, --separator=CHARS          cells are parted by each of CHARS, not by blanks
  -o, --output-separator=STRING  put STRING between columns (two spaces)
  -l, --table-columns-limit=N    at most N columns; the last takes the rest of the line
  -N, --table-columns=NAMES      name the columns
  -R, --table-right=COLUMNS      align these columns to the right
  -H, --table-hide=COLUMNS       leave these columns out
  -O, --table-order=COLUMNS      the order of the columns
  -d, --table-noheadings         do not write the names
  -J, --json                     write the table as JSON; needs -N
  -n, --table-name=NAME          the name of the table in JSON
  -E, -T, -W                     accepted; cells are neither cut nor wrapped

COLUMNS are names or numbers, with commas between.
`

type tabulator struct {
	p          *command.Proc
	width      int
	fillRows   bool
	keepEmpty  bool
	table      bool
	separators string
	between    string
	limit      int
	names      []string
	right      []string
	hide       []string
	order      []string
	noHeadings bool
	json       bool
	name       string
	lines      [][]byte
}

func columnCommand(p *command.Proc) int {
	t := tabulator{p: p, width: 80, between: "  ", name: "table"}
	if v, ok := p.Env.Get("COLUMNS"); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			t.width = n
		}
	}
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "c:dE:eH:JLl:N:n:O:o:R:s:T:tW:x",
		Long: []getopt.Long{
			{Name: "output-width", Arg: req, Short: 'c'},
			{Name: "table-noheadings", Short: 'd'},
			{Name: "table-noextreme", Arg: req, Short: 'E'},
			{Name: "table-header-repeat", Short: 'e'},
			{Name: "table-hide", Arg: req, Short: 'H'},
			{Name: "json", Short: 'J'},
			{Name: "keep-empty-lines", Short: 'L'},
			{Name: "table-empty-lines", Short: 'L'},
			{Name: "table-columns-limit", Arg: req, Short: 'l'},
			{Name: "table-columns", Arg: req, Short: 'N'},
			{Name: "table-name", Arg: req, Short: 'n'},
			{Name: "table-order", Arg: req, Short: 'O'},
			{Name: "output-separator", Arg: req, Short: 'o'},
			{Name: "table-right", Arg: req, Short: 'R'},
			{Name: "separator", Arg: req, Short: 's'},
			{Name: "table-truncate", Arg: req, Short: 'T'},
			{Name: "table", Short: 't'},
			{Name: "table-wrap", Arg: req, Short: 'W'},
			{Name: "fillrows", Short: 'x'},
		},
		Unsupported: "ipr", UnsupLong: []string{"tree", "tree-id", "tree-parent"},
	})
	for _, o := range opts {
		if status := t.set(o); status != 0 {
			return status
		}
	}
	if t.json && len(t.names) == 0 {
		p.Errorf("option --table-columns required for --json")
		return 1
	}
	status := t.read(operands)
	switch {
	case len(t.lines) == 0:
	case t.json:
		return max(status, t.writeJSON())
	case t.table:
		t.writeTable()
	default:
		t.writeList()
	}
	return status
}

func (t *tabulator) set(o getopt.Option) int {
	list := func() []string { return strings.Split(o.Arg, ",") }
	switch o.Name {
	case "c", "l":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 1 {
			t.p.Errorf("invalid columns argument: '%s'", o.Arg)
			return 1
		}
		if o.Name == "c" {
			t.width = n
		} else {
			t.limit = n
		}
	case "d":
		t.noHeadings = true
	case "H":
		t.hide = append(t.hide, list()...)
	case "J":
		t.json, t.table = true, true
	case "L":
		t.keepEmpty = true
	case "N":
		t.names = list()
	case "n":
		t.name = o.Arg
	case "O":
		t.order = list()
	case "o":
		t.between = o.Arg
	case "R":
		t.right = append(t.right, list()...)
	case "s":
		t.separators = o.Arg
	case "t":
		t.table = true
	case "x":
		t.fillRows = true
	}
	return 0
}

func (t *tabulator) read(operands []string) int {
	status := 0
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		f, err := t.p.OpenArg(name)
		if err != nil {
			status = fail(t.p, name, err)
			continue
		}
		r := lines.New(t.p, f, '\n')
		for {
			line, ok := r.Next()
			if !ok {
				break
			}
			empty := len(bytes.TrimLeft(line, " \t\r\v\f")) == 0
			if empty && !t.keepEmpty {
				continue
			}
			t.lines = append(t.lines, bytes.Clone(line))
		}
		f.Close()
		if err := r.Err(); err != nil {
			t.p.Errorf("%s: %s", name, sys.Strerror(err))
			status = 1
		}
	}
	return status
}

const columnTab = 8

// writeList fills the width with columns of equal size, parted by tabs.
func (t *tabulator) writeList() {
	widest := 0
	for _, l := range t.lines {
		widest = max(widest, columns.Text(l))
	}
	out := t.p.Out()
	if widest >= t.width {
		for _, l := range t.lines {
			_, _ = out.Write(append(l, '\n'))
		}
		return
	}
	size := (widest + columnTab) &^ (columnTab - 1)
	columns := max(t.width/size, 1)
	if t.fillRows {
		for i := 0; i < len(t.lines); i += columns {
			t.writeRow(t.lines[i:min(i+columns, len(t.lines))], 1, size)
		}
		return
	}
	rows := (len(t.lines) + columns - 1) / columns
	for i := range rows {
		t.writeRow(t.lines[i:], rows, size)
	}
}

// writeRow writes every step-th of the cells.
func (t *tabulator) writeRow(cells [][]byte, step, size int) {
	out := t.p.Out()
	at, end := 0, size
	for i := 0; ; {
		_, _ = out.Write(cells[i])
		at += columns.Text(cells[i])
		if i += step; i >= len(cells) {
			break
		}
		for next := (at + columnTab) &^ (columnTab - 1); next <= end; next = (at + columnTab) &^ (columnTab - 1) {
			_ = out.WriteByte('\t')
			at = next
		}
		end += size
	}
	_ = out.WriteByte('\n')
}

// cells cuts a line. Without separators a run of blanks parts two cells; with them each one does.
func (t *tabulator) cells(line []byte) [][]byte {
	var cells [][]byte
	if t.separators == "" {
		for line = bytes.TrimLeft(line, " \t"); len(line) > 0; line = bytes.TrimLeft(line, " \t") {
			n := bytes.IndexAny(line, " \t")
			if t.limit > 0 && len(cells) == t.limit-1 || n < 0 {
				return append(cells, line)
			}
			cells = append(cells, line[:n])
			line = line[n+1:]
			if t.limit > 0 && len(cells) == t.limit-1 {
				return append(cells, line)
			}
		}
		return cells
	}
	for {
		n := bytes.IndexAny(line, t.separators)
		if n < 0 || t.limit > 0 && len(cells) == t.limit-1 {
			if len(line) > 0 {
				cells = append(cells, line)
			}
			return cells
		}
		cells = append(cells, line[:n])
		line = line[n+1:]
	}
}

// rows cuts all lines and returns the number of columns.
func (t *tabulator) rows() (rows [][][]byte, columns int) {
	columns = len(t.names)
	for _, l := range t.lines {
		r := t.cells(l)
		rows = append(rows, r)
		columns = max(columns, len(r))
	}
	return rows, columns
}

// selects reports whether a list of names and numbers has column i.
func (t *tabulator) selects(list []string, i int) bool {
	for _, s := range list {
		if s == strconv.Itoa(i+1) || s == "0" || i < len(t.names) && s == t.names[i] {
			return true
		}
		if s == "-" && i >= len(t.names) {
			return true
		}
	}
	return false
}

// visible lists the columns to write, in order.
func (t *tabulator) visible(columns int) []int {
	var order []int
	used := make([]bool, columns)
	for _, s := range t.order {
		for i := range columns {
			if !used[i] && t.selects([]string{s}, i) {
				used[i] = true
				order = append(order, i)
			}
		}
	}
	for i := range columns {
		if !used[i] {
			order = append(order, i)
		}
	}
	out := order[:0]
	for _, i := range order {
		if !t.selects(t.hide, i) {
			out = append(out, i)
		}
	}
	return out
}

func (t *tabulator) writeTable() {
	rows, n := t.rows()
	if len(t.names) > 0 && !t.noHeadings {
		head := make([][]byte, len(t.names))
		for i, name := range t.names {
			head[i] = []byte(name)
		}
		rows = append([][][]byte{head}, rows...)
	}
	order := t.visible(n)
	widths := make([]int, n)
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], columns.Text(c))
		}
	}
	out := t.p.Out()
	for _, r := range rows {
		if len(r) > 0 || !t.keepEmpty {
			t.writeCells(out, r, order, widths)
		}
		_ = out.WriteByte('\n')
	}
}

func (t *tabulator) writeCells(out *bufio.Writer, r [][]byte, order, widths []int) {
	pad := func(n int) {
		for ; n > 0; n-- {
			_ = out.WriteByte(' ')
		}
	}
	for k, i := range order {
		var c []byte
		if i < len(r) {
			c = r[i]
		}
		space := widths[i] - columns.Text(c)
		last := k == len(order)-1
		right := t.selects(t.right, i)
		if right {
			pad(space)
		}
		_, _ = out.Write(c)
		if !right && !last {
			pad(space)
		}
		if !last {
			_, _ = out.WriteString(t.between)
		}
	}
}

func (t *tabulator) writeJSON() int {
	rows, n := t.rows()
	for i, r := range rows {
		if len(r) > len(t.names) {
			t.p.Errorf("line %d: for JSON the name of the column %d is required", i+1, len(t.names)+1)
			return 1
		}
	}
	order := t.visible(n)
	out := t.p.Out()
	_, _ = out.WriteString("{\n   " + jsonString(t.name) + ": [\n      ")
	for i, r := range rows {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.WriteString("{\n")
		for k, c := range order {
			value := "null"
			if c < len(r) {
				value = jsonString(string(r[c]))
			}
			_, _ = out.WriteString("         " + jsonString(t.names[c]) + ": " + value)
			if k < len(order)-1 {
				_ = out.WriteByte(',')
			}
			_ = out.WriteByte('\n')
		}
		_, _ = out.WriteString("      }")
	}
	_, _ = out.WriteString("\n   ]\n}\n")
	return 0
}

func jsonString(s string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

package sqlite

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"openclaw/toolwasm/guest/command"
)

// mode is how rows are written.
type mode int

const (
	modeList mode = iota
	modeLine
	modeColumn
	modeCSV
	modeJSON
	modeBox
	modeTable
	modeMarkdown
	modeHTML
	modeInsert
	modeQuote
	modeTabs
	modeASCII
	modeTCL
	modeQuotedBox
)

var modes = map[string]mode{
	"list": modeList, "line": modeLine, "lines": modeLine, "column": modeColumn, "columns": modeColumn, "csv": modeCSV, "json": modeJSON, "box": modeBox,
	"table": modeTable, "markdown": modeMarkdown, "html": modeHTML, "insert": modeInsert, "quote": modeQuote, "tabs": modeTabs, "ascii": modeASCII,
	"tcl": modeTCL, "qbox": modeQuotedBox,
}

// optionModes are those that are also options of the command line.
var optionModes = map[string]bool{
	"list": true, "line": true, "column": true, "csv": true, "json": true, "box": true, "table": true, "markdown": true, "html": true, "quote": true,
	"tabs": true, "ascii": true,
}

var modeNames = map[mode]string{
	modeList: "list", modeLine: "line", modeColumn: "column", modeCSV: "csv", modeJSON: "json", modeBox: "box", modeTable: "table", modeMarkdown: "markdown",
	modeHTML: "html", modeInsert: "insert", modeQuote: "quote", modeTabs: "list", modeASCII: "ascii", modeTCL: "tcl", modeQuotedBox: "box",
}

const (
	asciiColumn = "\x1f"
	asciiRow    = "\x1e"
)

// output is where and how rows are written.
type output struct {
	p               *command.Proc
	mode            mode
	headers         bool
	headersSet      bool // by .headers, so that a mode does not change them
	columnSeparator string
	rowSeparator    string
	null            string
	table           string // of mode insert
	widths          []int
	file            *bufio.Writer // instead of standard output
	closer          io.Closer
	once            bool
	destination     string
}

func newOutput(p *command.Proc) output {
	return output{p: p, columnSeparator: "|", rowSeparator: "\n", table: "table", destination: "stdout"}
}

// w is where rows go.
func (o *output) w() *bufio.Writer {
	if o.file != nil {
		return o.file
	}
	return o.p.Out()
}

// redirect sends what follows to a file; "" is standard output.
func (o *output) redirect(name string, once bool) error {
	o.closeOutput()
	o.once = once
	switch name {
	case "", "stdout":
		return nil
	case "off":
		o.file, o.destination = bufio.NewWriter(io.Discard), name
		return nil
	}
	f, err := o.p.Create(name)
	if err != nil {
		return err
	}
	o.file, o.closer, o.destination = bufio.NewWriter(f), f, name
	return nil
}

func (o *output) closeOutput() {
	if o.file != nil {
		_ = o.file.Flush()
	}
	if o.closer != nil {
		_ = o.closer.Close()
	}
	o.file, o.closer, o.once, o.destination = nil, nil, false, "stdout"
}

// endOnce ends the redirection of .once.
func (o *output) endOnce() {
	if o.once {
		o.closeOutput()
	}
}

func (o *output) setMode(m mode) {
	o.mode = m
	switch m {
	case modeCSV:
		o.columnSeparator, o.rowSeparator = ",", "\r\n"
	case modeTabs:
		o.columnSeparator = "\t"
	case modeASCII:
		o.columnSeparator, o.rowSeparator = asciiColumn, asciiRow
	case modeList:
		o.columnSeparator, o.rowSeparator = "|", "\n"
	case modeTCL:
		o.columnSeparator, o.rowSeparator = " ", "\n"
	case modeQuote:
		o.columnSeparator, o.rowSeparator = ",", "\n"
	}
}

// value is one column of a row.
type value struct {
	kind   sqlite3.Datatype
	text   string
	number float64 // of a FLOAT
}

func readRow(stmt *sqlite3.Stmt, row []value) {
	for i := range row {
		row[i].kind = stmt.ColumnType(i)
		switch row[i].kind {
		case sqlite3.NULL:
			row[i].text = ""
		case sqlite3.FLOAT:
			row[i].number = stmt.ColumnFloat(i)
			row[i].text = floatText(row[i].number, shownDigits)
		case sqlite3.BLOB:
			row[i].text = string(stmt.ColumnRawBlob(i))
		default:
			row[i].text = stmt.ColumnText(i)
		}
	}
}

// shown is a value as text: as in C, it ends at a zero byte.
func (o *output) shown(v value) string {
	if v.kind == sqlite3.NULL {
		return o.null
	}
	if n := strings.IndexByte(v.text, 0); n >= 0 {
		return v.text[:n]
	}
	return v.text
}

// columnNames lists the names of a statement's columns.
func columnNames(stmt *sqlite3.Stmt) []string {
	names := make([]string, stmt.ColumnCount())
	for i := range names {
		names[i] = stmt.ColumnName(i)
	}
	return names
}

// yieldEvery is after how many rows other commands of the program may run.
const yieldEvery = 1024

// execute runs a statement and writes its rows.
func (s *shell) execute(stmt *sqlite3.Stmt) error {
	names := columnNames(stmt)
	if len(names) == 0 {
		return stmt.Exec()
	}
	if isQueryPlan(stmt.SQL()) {
		return s.queryPlan(stmt)
	}
	writer := s.rowWriter(names)
	if isExplain(stmt.SQL()) {
		writer = s.explainWriter(names)
	}
	row := make([]value, len(names))
	n := 0
	for stmt.Step() {
		readRow(stmt, row)
		writer.row(row)
		if n++; n%yieldEvery == 0 {
			s.p.Yield()
		}
	}
	writer.end(n)
	return stmt.Err()
}

// rowWriter writes the rows of one statement.
type rowWriter interface {
	row([]value)
	end(rows int)
}

func (s *shell) rowWriter(names []string) rowWriter {
	o := &s.output
	switch o.mode {
	case modeColumn, modeBox, modeTable, modeMarkdown, modeQuotedBox:
		return &gridWriter{o: o, names: names, mode: o.mode}
	case modeJSON:
		return &jsonWriter{w: o.w(), names: names}
	case modeLine:
		return newLineWriter(o, names)
	case modeHTML:
		return &htmlWriter{o: o, names: names}
	case modeInsert:
		return &insertWriter{o: o, names: names}
	}
	return &listWriter{o: o, names: names, format: o.listFormat()}
}

// listFormat is how the modes with separators write one value.
func (o *output) listFormat() func(*bufio.Writer, value) {
	switch o.mode {
	case modeCSV:
		return func(w *bufio.Writer, v value) {
			if v.kind == sqlite3.NULL {
				w.WriteString(o.null)
				return
			}
			w.WriteString(quoteCSV(o.shown(v), o.columnSeparator))
		}
	case modeQuote:
		return func(w *bufio.Writer, v value) { w.WriteString(literal(v)) }
	case modeTCL:
		return func(w *bufio.Writer, v value) { w.WriteString(quoteC(o.shown(v))) }
	}
	return func(w *bufio.Writer, v value) { w.WriteString(o.shown(v)) }
}

// listWriter writes rows with separators.
type listWriter struct {
	o      *output
	names  []string
	format func(*bufio.Writer, value)
	begun  bool
}

func (l *listWriter) row(row []value) {
	if !l.begun && l.o.headers {
		head := make([]value, len(l.names))
		for i, n := range l.names {
			head[i] = value{kind: sqlite3.TEXT, text: n}
		}
		l.write(head)
	}
	l.begun = true
	l.write(row)
}

func (l *listWriter) write(row []value) {
	w := l.o.w()
	for i, v := range row {
		if i > 0 {
			w.WriteString(l.o.columnSeparator)
		}
		l.format(w, v)
	}
	w.WriteString(l.o.rowSeparator)
}

func (l *listWriter) end(int) {}

// lineWriter writes one column a line.
type lineWriter struct {
	o     *output
	names []string
	width int
	rows  int
}

func newLineWriter(o *output, names []string) *lineWriter {
	const narrowest = 5
	l := &lineWriter{o: o, names: names, width: narrowest}
	for _, n := range names {
		l.width = max(l.width, width(n))
	}
	return l
}

func (l *lineWriter) row(row []value) {
	w := l.o.w()
	if l.rows > 0 {
		w.WriteString(l.o.rowSeparator)
	}
	l.rows++
	for i, v := range row {
		fmt.Fprintf(w, "%s%s = %s%s", strings.Repeat(" ", l.width-width(l.names[i])), l.names[i], l.o.shown(v), l.o.rowSeparator)
	}
}

func (l *lineWriter) end(int) {}

// jsonWriter writes an array of objects.
type jsonWriter struct {
	w     *bufio.Writer
	names []string
	begun bool
}

func (j *jsonWriter) row(row []value) {
	if j.begun {
		j.w.WriteString(",\n{")
	} else {
		j.w.WriteString("[{")
	}
	j.begun = true
	for i, v := range row {
		if i > 0 {
			j.w.WriteByte(',')
		}
		writeJSON(j.w, j.names[i])
		j.w.WriteByte(':')
		switch v.kind {
		case sqlite3.NULL:
			j.w.WriteString("null")
		case sqlite3.INTEGER:
			j.w.WriteString(v.text)
		case sqlite3.FLOAT:
			j.w.WriteString(jsonNumber(v.number))
		default:
			writeJSON(j.w, v.text)
		}
	}
	j.w.WriteByte('}')
}

func (j *jsonWriter) end(rows int) {
	if rows > 0 {
		j.w.WriteString("]\n")
	}
}

// jsonNumber is a number as JSON can hold it.
func jsonNumber(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "1e999"
	case math.IsInf(f, -1):
		return "-1e999"
	}
	return floatText(f, exactDigits)
}

// htmlWriter writes rows of a table.
type htmlWriter struct {
	o     *output
	names []string
	begun bool
}

func (h *htmlWriter) row(row []value) {
	if !h.begun && h.o.headers {
		h.write("TH", h.names)
	}
	h.begun = true
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = h.o.shown(v)
	}
	h.write("TD", cells)
}

var htmlEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

func (h *htmlWriter) write(tag string, cells []string) {
	w := h.o.w()
	w.WriteString("<TR>")
	for i, c := range cells {
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintf(w, "<%s>%s</%s>", tag, htmlEscapes.Replace(c), tag)
	}
	w.WriteString("\n</TR>\n")
}

func (h *htmlWriter) end(int) {}

// insertWriter writes rows as INSERT statements.
type insertWriter struct {
	o     *output
	names []string
}

func (n *insertWriter) row(row []value) {
	w := n.o.w()
	fmt.Fprintf(w, "INSERT INTO %s", identifier(n.o.table))
	if n.o.headers {
		w.WriteByte('(')
		for i, name := range n.names {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString(identifier(name))
		}
		w.WriteByte(')')
	}
	w.WriteString(" VALUES(")
	for i, v := range row {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(dumped(v))
	}
	w.WriteString(");\n")
}

func (n *insertWriter) end(int) {}

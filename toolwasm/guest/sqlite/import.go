package sqlite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// importer reads the fields of a file.
type importer struct {
	in          *bufio.Reader
	file        string
	line        int
	column, row byte
	ascii       bool
	separator   byte // what ended the last field: the column's, the row's, or 0 at the end
}

// field reads one field; ok is false at the end of the file.
func (r *importer) field() (text string, ok bool) {
	if r.ascii {
		return r.plain()
	}
	var b strings.Builder
	c, err := r.in.ReadByte()
	if err != nil {
		r.separator = 0
		return "", false
	}
	if c == '"' {
		return r.quoted()
	}
	for ; err == nil && c != r.column && c != r.row; c, err = r.in.ReadByte() {
		b.WriteByte(c)
	}
	r.end(c, err)
	text = b.String()
	if r.separator == r.row && r.row == '\n' {
		text = strings.TrimSuffix(text, "\r")
	}
	return text, true
}

func (r *importer) end(c byte, err error) {
	r.separator = 0
	if err == nil {
		r.separator = c
		if c == r.row {
			r.line++
		}
	}
}

// quoted reads a field in quotes, the first of which has been read.
func (r *importer) quoted() (string, bool) {
	var b strings.Builder
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			r.separator = 0
			return b.String(), true
		}
		if c == '\n' {
			r.line++
		}
		if c != '"' {
			b.WriteByte(c)
			continue
		}
		c, err = r.in.ReadByte()
		switch {
		case err == nil && c == '"':
			b.WriteByte('"')
			continue
		case err == nil && c == '\r':
			c, err = r.in.ReadByte()
		}
		if err != nil || c == r.column || c == r.row {
			r.end(c, err)
			return b.String(), true
		}
		b.WriteByte('"')
		b.WriteByte(c)
	}
}

func (r *importer) plain() (string, bool) {
	var b strings.Builder
	c, err := r.in.ReadByte()
	if err != nil {
		r.separator = 0
		return "", false
	}
	for ; err == nil && c != r.column && c != r.row; c, err = r.in.ReadByte() {
		b.WriteByte(c)
	}
	r.end(c, err)
	return b.String(), true
}

// record reads the fields of a row.
func (r *importer) record() ([]string, bool) {
	var fields []string
	for {
		f, ok := r.field()
		if !ok {
			return fields, len(fields) > 0
		}
		fields = append(fields, f)
		if r.separator != r.column {
			return fields, true
		}
	}
}

// importArgs are the arguments of .import.
type importArgs struct {
	file, table string
	csv, ascii  bool
	skip        int
}

func (s *shell) importArgs(args []string) (importArgs, error) {
	a := importArgs{csv: s.mode == modeCSV, ascii: s.mode == modeASCII}
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case !strings.HasPrefix(word, "-") && a.file == "":
			a.file = word
		case !strings.HasPrefix(word, "-") && a.table == "":
			a.table = word
		case strings.TrimLeft(word, "-") == "csv":
			a.csv = true
		case strings.TrimLeft(word, "-") == "ascii":
			a.ascii = true
		case strings.TrimLeft(word, "-") == "v":
		case strings.TrimLeft(word, "-") == "skip" && i+1 < len(args):
			i++
			a.skip, _ = strconv.Atoi(args[i])
		default:
			return a, s.usage("import FILE TABLE")
		}
	}
	if a.table == "" {
		_ = s.p.Flush()
		missing := "TABLE"
		if a.file == "" {
			missing = "FILE"
		}
		s.errorf("missing %s argument. Usage: .import FILE TABLE", missing)
		return a, errDot
	}
	return a, nil
}

func (s *shell) dotImport(args []string) error {
	a, err := s.importArgs(args)
	if err != nil {
		return err
	}
	if s.open() != nil {
		return errDot
	}
	f, err := s.p.Open(a.file)
	if err != nil || strings.HasPrefix(a.file, "|") {
		s.errorf("cannot open \"%s\"", a.file)
		return errDot
	}
	defer f.Close()
	r, err := s.importer(f, a)
	if err != nil {
		return err
	}
	for range a.skip {
		if _, ok := r.record(); !ok {
			break
		}
	}
	if s.mode == modeCSV && s.rowSeparator == "\r\n" {
		s.rowSeparator = "\n"
	}
	return s.importInto(r, a.table)
}

func (s *shell) importer(f io.Reader, a importArgs) (*importer, error) {
	r := &importer{in: bufio.NewReaderSize(f, 1<<16), file: a.file, line: 1, ascii: a.ascii}
	switch {
	case a.ascii:
		r.column, r.row = asciiColumn[0], asciiRow[0]
	case a.csv:
		r.column, r.row = ',', '\n'
	default:
		row := s.rowSeparator
		if row == "\r\n" {
			row = "\n"
		}
		if len(s.columnSeparator) != 1 || len(row) != 1 {
			s.errorf("multi-character or empty separators not allowed for import")
			return nil, errDot
		}
		r.column, r.row = s.columnSeparator[0], row[0]
	}
	return r, nil
}

// importInto reads rows into a table, which is made after the first row when it is not there.
func (s *shell) importInto(r *importer, table string) error {
	columns, err := s.strings("SELECT name FROM pragma_table_info(?1)", table)
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		if columns, err = s.createFor(r, table); err != nil {
			return err
		}
	}
	own := s.db.GetAutocommit()
	if own {
		if err := s.db.Exec("BEGIN"); err != nil {
			return err
		}
	}
	err = s.insertAll(r, table, len(columns))
	if own {
		err = errors.Join(err, s.db.Exec("COMMIT"))
	}
	return err
}

// createFor makes a table whose columns are named by the first row.
func (s *shell) createFor(r *importer, table string) ([]string, error) {
	names, ok := r.record()
	if !ok {
		s.errorf("%s: empty file", r.file)
		return nil, errDot
	}
	seen := map[string]bool{}
	for i, n := range names {
		if n == "" {
			n = "?"
		}
		base := n
		for k := 1; seen[strings.ToLower(n)]; k++ {
			n = fmt.Sprintf("%s_%02d", base, k)
		}
		seen[strings.ToLower(n)] = true
		names[i] = n
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s(", quoteName(table))
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		} else {
			b.WriteString("\n")
		}
		b.WriteString(quoteName(n) + " TEXT")
	}
	b.WriteString(")")
	return names, s.db.Exec(b.String())
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func (s *shell) insertAll(r *importer, table string, columns int) error {
	stmt, _, err := s.db.Prepare("INSERT INTO " + quoteName(table) + " VALUES(?" + strings.Repeat(",?", columns-1) + ")")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for n := 1; ; n++ {
		first := r.line
		fields, ok := r.record()
		if !ok {
			return nil
		}
		if err := s.insert(stmt, r, fields, columns, first); err != nil {
			_ = s.p.Flush()
			fmt.Fprintf(s.p.Stderr, "%s:%d: INSERT failed: %s\n", r.file, first, message(err))
		}
		if n%yieldEvery == 0 {
			s.p.Yield()
		}
	}
}

func (s *shell) insert(stmt *sqlite3.Stmt, r *importer, fields []string, columns, line int) error {
	if len(fields) != columns {
		_ = s.p.Flush()
		what := "extras ignored"
		if len(fields) < columns {
			what = "filling the rest with NULL"
		}
		fmt.Fprintf(s.p.Stderr, "%s:%d: expected %d columns but found %d - %s\n", r.file, line, columns, len(fields), what)
	}
	for i := range columns {
		var err error
		if i < len(fields) {
			err = stmt.BindText(i+1, fields[i])
		} else {
			err = stmt.BindNull(i + 1)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(stmt.Exec(), stmt.Reset())
}

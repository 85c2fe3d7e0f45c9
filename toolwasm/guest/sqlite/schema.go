package sqlite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// query calls f for each row of a query; the row is valid until f returns.
func (s *shell) query(sql string, f func(stmt *sqlite3.Stmt), args ...string) error {
	if s.open() != nil {
		return errDot
	}
	stmt, _, err := s.statement(sql)
	if err != nil {
		return err
	}
	for i, a := range args {
		if err := stmt.BindText(i+1, a); err != nil {
			return errors.Join(err, stmt.Close())
		}
	}
	for stmt.Step() {
		f(stmt)
	}
	return errors.Join(stmt.Err(), stmt.Close())
}

// strings lists the first column of a query.
func (s *shell) strings(sql string, args ...string) ([]string, error) {
	var list []string
	err := s.query(sql, func(stmt *sqlite3.Stmt) { list = append(list, stmt.ColumnText(0)) }, args...)
	return list, err
}

// schemas lists the databases of the connection.
func (s *shell) schemas() ([]string, error) {
	return s.strings("SELECT name FROM pragma_database_list")
}

func (s *shell) dotDatabases([]string) error {
	return s.query("SELECT name, file FROM pragma_database_list", func(stmt *sqlite3.Stmt) {
		name, file := stmt.ColumnText(0), stmt.ColumnText(1)
		if file == "" {
			file = `""`
		}
		access := "r/w"
		if ro, ok := s.db.ReadOnly(name); ok && ro {
			access = "r/o"
		}
		fmt.Fprintf(s.w(), "%s: %s %s\n", name, file, access)
	})
}

// names lists what is of the given types in all databases, in columns.
func (s *shell) names(where string, args ...string) error {
	schemas, err := s.schemas()
	if err != nil {
		return err
	}
	var parts []string
	for _, db := range schemas {
		label := "name"
		if db != "main" {
			label = quoteText(db) + "||'.'||name"
		}
		parts = append(parts, "SELECT "+label+" AS n FROM "+identifier(db)+".sqlite_schema WHERE "+where)
	}
	list, err := s.strings(strings.Join(parts, " UNION ALL ")+" ORDER BY 1", args...)
	if err != nil {
		return err
	}
	s.inColumns(list)
	return nil
}

func (s *shell) inColumns(list []string) {
	const lineWidth = 80
	longest := 0
	for _, n := range list {
		longest = max(longest, width(n))
	}
	columns := max(lineWidth/(longest+2), 1)
	rows := (len(list) + columns - 1) / columns
	for i := range rows {
		for j := i; j < len(list); j += rows {
			if j >= rows {
				s.w().WriteString("  ")
			}
			s.w().WriteString(list[j] + strings.Repeat(" ", longest-width(list[j])))
		}
		s.w().WriteString("\n")
	}
}

func (s *shell) dotTables(args []string) error {
	where, pattern := "type IN ('table','view') AND name NOT LIKE 'sqlite_%' ", []string(nil)
	if len(args) > 0 {
		where += "AND name LIKE ?1"
		pattern = args[:1]
	}
	return s.names(where, pattern...)
}

func (s *shell) dotIndexes(args []string) error {
	where, pattern := "type='index' AND name NOT LIKE 'sqlite_%' ", []string(nil)
	if len(args) > 0 {
		where = "type='index' AND tbl_name LIKE ?1"
		pattern = args[:1]
	}
	return s.names(where, pattern...)
}

func (s *shell) dotSchema(args []string) error {
	pattern := ""
	for _, a := range args {
		switch strings.TrimLeft(a, "-") {
		case "indent", "nosys":
		default:
			pattern = a
		}
	}
	return s.schema(pattern, true)
}

func (s *shell) dotFullSchema([]string) error {
	if err := s.schema("", false); err != nil {
		return err
	}
	tables, err := s.strings("SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]'")
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		fmt.Fprintln(s.w(), "/* No STAT tables available */")
		return nil
	}
	fmt.Fprintln(s.w(), "ANALYZE sqlite_schema;")
	for _, t := range tables {
		if err := s.dumpRows(t, t); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.w(), "ANALYZE sqlite_schema;")
	return nil
}

// schema writes the statements that made what matches a pattern.
func (s *shell) schema(pattern string, columns bool) error {
	schemas, err := s.schemas()
	if err != nil {
		return err
	}
	match := "lower(tbl_name) LIKE lower(?1)"
	if strings.ContainsAny(pattern, "*?[") {
		match = "lower(tbl_name) GLOB lower(?1)"
	}
	for _, db := range schemas {
		sql, args := "SELECT sql, type, name FROM "+identifier(db)+".sqlite_schema WHERE sql IS NOT NULL", []string(nil)
		if pattern != "" {
			sql += " AND " + match
			args = []string{pattern}
		}
		if !columns {
			sql += " AND name NOT LIKE 'sqlite_%'"
		}
		var views []string
		var text []string
		err := s.query(sql+" ORDER BY rowid", func(stmt *sqlite3.Stmt) {
			text = append(text, schemaLine(qualified(db, stmt.ColumnText(0))))
			view := ""
			if stmt.ColumnText(1) == "view" {
				view = stmt.ColumnText(2)
			}
			views = append(views, view)
		}, args...)
		if err != nil {
			return err
		}
		for i, t := range text {
			if views[i] != "" && columns {
				t += s.viewColumns(db, views[i])
			}
			fmt.Fprintf(s.w(), "%s;\n", t)
		}
	}
	return nil
}

// schemaLine is a statement of the schema as it is shown: tables whose names are quoted may be there already.
func schemaLine(sql string) string {
	rest, ok := strings.CutPrefix(sql, "CREATE TABLE ")
	if ok && (strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, `"`)) {
		return "CREATE TABLE IF NOT EXISTS " + rest
	}
	return sql
}

// qualified puts the name of its database before that of what a statement makes.
func qualified(db, sql string) string {
	if db == "main" {
		return sql
	}
	for _, kind := range [...]string{"TABLE", "INDEX", "UNIQUE INDEX", "VIEW", "TRIGGER", "VIRTUAL TABLE"} {
		if rest, ok := strings.CutPrefix(sql, "CREATE "+kind+" "); ok {
			return "CREATE " + kind + " " + identifier(db) + "." + rest
		}
	}
	return sql
}

// viewColumns is a comment that lists the columns of a view.
func (s *shell) viewColumns(db, view string) string {
	names, err := s.strings("SELECT name FROM pragma_table_info(?1, ?2)", view, db)
	if err != nil || len(names) == 0 {
		return ""
	}
	for i := range names {
		names[i] = identifier(names[i])
	}
	return fmt.Sprintf("\n/* %s(%s) */", identifier(view), strings.Join(names, ","))
}

func (s *shell) dotDump(args []string) error {
	var patterns []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			patterns = append(patterns, a)
		}
	}
	fmt.Fprint(s.w(), "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
	err := s.dump(patterns)
	if err != nil {
		fmt.Fprintf(s.w(), "/****** ERROR: %s ******/\nROLLBACK; -- due to errors\n", message(err))
		return err
	}
	fmt.Fprint(s.w(), "COMMIT;\n")
	return nil
}

// entry is a row of the schema.
type entry struct{ name, kind, sql string }

func (s *shell) dump(patterns []string) error {
	match, args := "1", []string(nil)
	for i, p := range patterns {
		if i == 0 {
			match = "0"
		}
		match += fmt.Sprintf(" OR name LIKE ?%d ESCAPE '\\'", i+1)
		args = append(args, p)
	}
	var tables []entry
	err := s.query("SELECT name, type, sql FROM sqlite_schema WHERE ("+match+") AND type=='table' AND sql NOT NULL ORDER BY tbl_name='sqlite_sequence', rowid",
		func(stmt *sqlite3.Stmt) {
			tables = append(tables, entry{stmt.ColumnText(0), stmt.ColumnText(1), stmt.ColumnText(2)})
		}, args...)
	if err != nil {
		return err
	}
	writable := false
	for _, t := range tables {
		if strings.HasPrefix(t.sql, "CREATE VIRTUAL TABLE") {
			if !writable {
				fmt.Fprintln(s.w(), "PRAGMA writable_schema=ON;")
				writable = true
			}
			fmt.Fprintf(s.w(), "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table',%s,%s,0,%s);\n", quoteText(t.name), quoteText(t.name), quoteText(t.sql))
			continue
		}
		if err := s.dumpTable(t); err != nil {
			return err
		}
	}
	err = s.query("SELECT sql FROM sqlite_schema WHERE ("+match+") AND sql NOT NULL AND type IN ('index','trigger','view')",
		func(stmt *sqlite3.Stmt) { fmt.Fprintf(s.w(), "%s;\n", stmt.ColumnText(0)) }, args...)
	if writable {
		fmt.Fprintln(s.w(), "PRAGMA writable_schema=OFF;")
	}
	return err
}

func (s *shell) dumpTable(t entry) error {
	switch {
	case t.name == "sqlite_sequence":
		fmt.Fprintln(s.w(), "DELETE FROM sqlite_sequence;")
	case strings.HasPrefix(t.name, "sqlite_stat"):
		fmt.Fprintln(s.w(), "ANALYZE sqlite_schema;")
		return nil
	case strings.HasPrefix(t.name, "sqlite_"):
		return nil
	default:
		fmt.Fprintf(s.w(), "%s;\n", schemaLine(t.sql))
	}
	return s.dumpRows(t.name, identifier(t.name))
}

// dumpRows writes the rows of a table as INSERT statements.
func (s *shell) dumpRows(table, shown string) error {
	columns, err := s.strings("SELECT name FROM pragma_table_info(?1)", table)
	if err != nil {
		return err
	}
	for i := range columns {
		columns[i] = identifier(columns[i])
	}
	var row []value
	n := 0
	return s.query("SELECT "+strings.Join(columns, ",")+" FROM "+identifier(table), func(stmt *sqlite3.Stmt) {
		if row == nil {
			row = make([]value, stmt.ColumnCount())
		}
		readRow(stmt, row)
		w := s.w()
		fmt.Fprintf(w, "INSERT INTO %s VALUES(", shown)
		for i, v := range row {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString(dumped(v))
		}
		w.WriteString(");\n")
		if n++; n%yieldEvery == 0 {
			s.p.Yield()
		}
	})
}

// dotBackup writes the database to a file.
func (s *shell) dotBackup(args []string) error {
	schema, file := "main", ""
	switch len(args) {
	case 1:
		file = args[0]
	case 2:
		schema, file = args[0], args[1]
	default:
		return s.usage("backup ?DB? ?OPTIONS? FILENAME")
	}
	if s.open() != nil {
		return errDot
	}
	return s.db.Backup(schema, s.uri(file))
}

func (s *shell) dotRestore(args []string) error {
	schema, file := "main", ""
	switch len(args) {
	case 1:
		file = args[0]
	case 2:
		schema, file = args[0], args[1]
	default:
		return s.usage("restore ?DB? FILE")
	}
	if s.open() != nil {
		return errDot
	}
	if _, err := s.p.Stat(file); err != nil {
		s.errorf("cannot open \"%s\"", file)
		return errDot
	}
	return s.db.Restore(schema, s.uri(file))
}

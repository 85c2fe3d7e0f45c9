package sqlite

import (
	"bufio"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/rtree"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// engineVersion is what -version prints.
const engineVersion = "3.54.1 (shell of 3.40)"

// maxDepth bounds how deep files may .read each other.
const maxDepth = 25

// shell is the state of one sqlite3.
type shell struct {
	p        *command.Proc
	disk     *disk
	vfs      string
	unmount  func()
	db       *sqlite3.Conn
	database string // as it was named
	readOnly bool
	modules  bool // for full text and rectangles are loaded

	output
	echo, bail, changes bool
	depth               int
	errors              int
	parameters          []parameter
	exit                *int // the status that .exit or .quit asks for
}

// parameter is a value of .parameter.
type parameter struct{ name, value string }

func newShell(p *command.Proc) *shell {
	s := &shell{p: p, output: newOutput(p)}
	s.disk, s.vfs, s.unmount = mount(p)
	return s
}

func (s *shell) close() {
	s.closeOutput()
	if s.db != nil {
		_ = s.db.Close()
	}
	s.unmount()
}

// main runs what the command line says and returns the exit status.
func (s *shell) main(inv invocation) int {
	s.database, s.readOnly = inv.database, inv.readOnly
	if inv.readOnly && inv.database != ":memory:" {
		if err := s.open(); err != nil {
			return 1
		}
	}
	if inv.init != "" {
		if err := s.readFile(inv.init); err != nil {
			s.errorf("cannot open: %q", inv.init)
			return 1
		}
	}
	for _, c := range append(inv.commands, inv.sql...) {
		if status := s.argument(c); status != 0 {
			return status
		}
		if s.exit != nil {
			return *s.exit
		}
	}
	if len(inv.sql) == 0 {
		s.script(bufio.NewReader(s.p.Stdin))
	}
	switch {
	case s.exit != nil:
		return *s.exit
	case s.errors > 0:
		return 1
	}
	return 0
}

// argument runs SQL or a dot command of the command line; its status ends the shell when it is not 0.
func (s *shell) argument(text string) int {
	if strings.HasPrefix(text, ".") {
		if s.dot(text) != nil {
			return 1
		}
		return 0
	}
	if err := s.open(); err != nil {
		return 1
	}
	if failure := s.run(text); failure != nil {
		s.errorf("%s%s", failure.where, failure.text)
		return max(failure.code, 1)
	}
	return 0
}

// open opens the database when it is not open.
func (s *shell) open() error {
	if s.db != nil {
		return nil
	}
	name := s.database
	flags := sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE | sqlite3.OPEN_URI
	if s.readOnly {
		flags = sqlite3.OPEN_READONLY | sqlite3.OPEN_URI
	}
	db, err := sqlite3.OpenFlags(s.uri(name), flags)
	if err == nil {
		s.db = db
		err = s.prepare()
	}
	if err != nil {
		if s.db != nil {
			_ = s.db.Close()
			s.db = nil
		}
		s.errorf("unable to open database \"%s\": %s", name, message(err))
		return err
	}
	return nil
}

// uri names a file for SQLite.
func (s *shell) uri(name string) string {
	if name == ":memory:" || name == "" {
		return "file::memory:"
	}
	return "file:" + (&url.URL{Path: s.p.Path(strings.TrimPrefix(name, "file:"))}).EscapedPath() + "?vfs=" + s.vfs
}

// heapShare is which part of the memory of a call SQLite may use: its memory is one block, which is copied when it grows.
const heapShare = 3

// prepare gives a connection the settings that SQLite's shell has.
func (s *shell) prepare() error {
	db := s.db
	if s.p.Ctx != nil {
		db.SetInterrupt(s.p.Ctx)
	}
	for option, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_ENABLE_FKEY: false, sqlite3.DBCONFIG_TRUSTED_SCHEMA: true, sqlite3.DBCONFIG_DQS_DDL: true, sqlite3.DBCONFIG_DQS_DML: true,
	} {
		if _, err := db.Config(option, on); err != nil {
			return err
		}
	}
	if limit := sys.MemoryLimit(); limit > 0 {
		db.HardHeapLimit(limit / heapShare)
	}
	if err := s.registerFunctions(db); err != nil {
		return err
	}
	_ = s.loadModules()
	if s.disk.wal {
		return db.Exec("PRAGMA locking_mode=EXCLUSIVE")
	}
	return nil
}

// failure is an error of a statement.
type failure struct {
	where string // "in prepare, " or "stepping, "
	text  string
	code  int
}

// errorf writes a message of the shell, after what standard output holds.
func (s *shell) errorf(format string, args ...any) {
	_ = s.p.Flush()
	fmt.Fprintf(s.p.Stderr, "Error: %s\n", fmt.Sprintf(format, args...))
}

// run runs the statements of a text until one fails.
func (s *shell) run(text string) *failure {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f")
		if text == "" {
			return nil
		}
		stmt, tail, err := s.statement(text)
		if err != nil {
			return s.failed("in prepare, ", err, text)
		}
		if stmt == nil { // a comment
			text = tail
			continue
		}
		s.bind(stmt)
		err = s.execute(stmt)
		if cerr := stmt.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return s.failed("stepping, ", err, "")
		}
		if s.changes && !strings.HasPrefix(text, ".") {
			fmt.Fprintf(s.w(), "changes: %d   total_changes: %d\n", s.db.Changes(), s.db.TotalChanges())
		}
		text = tail
	}
}

// loadModules loads the modules for full text and for rectangles. It needs a database that can be read: when there is
// none, the statement that is to be run says why, and whoever asks for a module tries again.
func (s *shell) loadModules() error {
	err := errors.Join(fts5.Register(s.db), rtree.Register(s.db))
	s.modules = err == nil
	return err
}

// statement prepares the first statement of a text.
func (s *shell) statement(text string) (*sqlite3.Stmt, string, error) {
	stmt, tail, err := s.db.Prepare(text)
	if err == nil || s.modules || !strings.Contains(err.Error(), "no such module: ") {
		return stmt, tail, err
	}
	if err := s.loadModules(); err != nil {
		return nil, "", err
	}
	return s.db.Prepare(text)
}

// bind gives a statement the values of .parameter.
func (s *shell) bind(stmt *sqlite3.Stmt) {
	for _, p := range s.parameters {
		i := stmt.BindIndex(p.name)
		if i == 0 {
			continue
		}
		value, _, err := s.db.Prepare("SELECT " + p.value)
		if err != nil || value == nil || !value.Step() {
			_ = stmt.BindText(i, p.value)
		} else {
			_ = stmt.BindValue(i, value.ColumnValue(0))
		}
		if value != nil {
			_ = value.Close()
		}
	}
}

func (s *shell) failed(where string, err error, text string) *failure {
	f := &failure{where: where, text: message(err), code: 1}
	var code sqlite3.ErrorCode
	if errors.As(err, &code) {
		f.code = int(code)
	}
	if f.code > 1 {
		f.text += fmt.Sprintf(" (%d)", f.code)
	}
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return f
	}
	if rest := e.SQL(); rest != "" && strings.HasSuffix(text, rest) {
		f.text += excerpt(text, len(text)-len(rest))
	}
	return f
}

// message is SQLite's text of an error.
func message(err error) string {
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return strings.TrimPrefix(err.Error(), "sqlite3: ")
	}
	text := err.Error()
	if cause := e.Unwrap(); cause != nil {
		text = strings.TrimSuffix(text, ": "+cause.Error())
	}
	for _, general := range []string{e.ExtendedCode().Error(), e.Code().Error()} {
		if rest, ok := strings.CutPrefix(text, general+": "); ok {
			return rest
		}
	}
	return strings.TrimPrefix(text, "sqlite3: ")
}

// excerpt shows where in a text a mistake is.
func excerpt(text string, at int) string {
	const before, width, half = 50, 78, 25
	for at > before {
		at--
		text = text[1:]
		for len(text) > 0 && text[0]&0xc0 == 0x80 {
			at--
			text = text[1:]
		}
	}
	if len(text) > width {
		text = text[:width]
		for len(text) > 0 && text[len(text)-1]&0xc0 == 0x80 {
			text = text[:len(text)-1]
		}
	}
	line := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, strings.TrimRight(text, "\n"))
	if at < half {
		return fmt.Sprintf("\n  %s\n  %s^--- error here", line, strings.Repeat(" ", at))
	}
	return fmt.Sprintf("\n  %s\n  %s error here ---^", line, strings.Repeat(" ", at-15))
}

// script runs the lines of a file: dot commands, and statements that end with a semicolon.
func (s *shell) script(in *bufio.Reader) {
	var text strings.Builder
	first, number := 0, 0
	for s.exit == nil && !(s.bail && s.errors > 0) {
		line, err := in.ReadString('\n')
		if line == "" && err != nil {
			break
		}
		number++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if text.Len() == 0 {
			if s.skipped(line) {
				continue
			}
			if strings.HasPrefix(line, ".") {
				s.echoed(line)
				if s.dot(line) != nil {
					s.errors++
				}
				continue
			}
			first = number
			if trimmed := strings.TrimLeft(line, " \t"); trimmed != "" {
				line = trimmed
			}
		} else {
			text.WriteByte('\n')
		}
		text.WriteString(line)
		if !strings.Contains(line, ";") && text.Len() < maxPending {
			continue
		}
		if complete(text.String()) {
			s.echoed(text.String())
			s.chunk(text.String(), first)
			text.Reset()
		} else if blank(text.String()) {
			text.Reset()
		}
	}
	if rest := text.String(); strings.TrimSpace(rest) != "" && !blank(rest) && s.exit == nil && !(s.bail && s.errors > 0) {
		s.echoed(rest)
		s.chunk(rest, first)
	}
}

// maxPending is how much of a statement may gather before its end is looked for in every line.
const maxPending = 1 << 30

// skipped reports whether a line says nothing.
func (s *shell) skipped(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(t, "--") && !strings.Contains(t, ";")
}

func (s *shell) echoed(text string) {
	if s.echo {
		fmt.Fprintln(s.w(), text)
	}
}

// chunk runs statements of a script, which began in the given line.
func (s *shell) chunk(text string, line int) {
	if s.open() != nil {
		s.errors++
		return
	}
	f := s.run(text)
	if f == nil {
		s.endOnce()
		return
	}
	s.errors++
	kind := "Error"
	switch f.where {
	case "in prepare, ":
		kind = "Parse error"
	case "stepping, ":
		kind = "Runtime error"
	}
	_ = s.p.Flush()
	fmt.Fprintf(s.p.Stderr, "%s near line %d: %s\n", kind, line, f.text)
}

// readFile runs the lines of a file.
func (s *shell) readFile(name string) error {
	if s.depth >= maxDepth {
		return errors.New("sqlite: input nested too deeply")
	}
	f, err := s.p.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s.depth++
	s.script(bufio.NewReader(f))
	s.depth--
	return nil
}

// setTimeout makes statements wait for a lock.
func (s *shell) setTimeout(d time.Duration) error {
	if err := s.open(); err != nil {
		return err
	}
	return s.db.BusyTimeout(d)
}

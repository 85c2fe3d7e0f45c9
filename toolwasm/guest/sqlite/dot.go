package sqlite

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// errDot says that a dot command failed and has said so.
var errDot = errors.New("sqlite: dot command failed")

// dotCommand is a command of the shell. least and most bound how many arguments it takes; names may be abbreviated to
// what is before the "*" of usage.
type dotCommand struct {
	name  string
	least int // letters of the name that are enough
	run   func(s *shell, args []string) error
}

// dotCommands lists the commands in the order in which abbreviations find them.
func dotCommands() []dotCommand {
	return []dotCommand{
		{"backup", 1, (*shell).dotBackup},
		{"bail", 3, func(s *shell, a []string) error { return s.toggle(a, &s.bail) }},
		{"cd", 2, (*shell).dotCd},
		{"changes", 2, func(s *shell, a []string) error { return s.toggle(a, &s.changes) }},
		{"databases", 2, (*shell).dotDatabases},
		{"dump", 2, (*shell).dotDump},
		{"echo", 1, func(s *shell, a []string) error { return s.toggle(a, &s.echo) }},
		{"eqp", 3, ignore},
		{"explain", 3, ignore},
		{"timer", 4, ignore},
		{"stats", 3, ignore},
		{"log", 3, ignore},
		{"scanstats", 3, ignore},
		{"prompt", 1, ignore},
		{"exit", 2, (*shell).dotExit},
		{"fullschema", 1, (*shell).dotFullSchema},
		{"headers", 3, (*shell).dotHeaders},
		{"help", 3, func(s *shell, _ []string) error { _, err := s.w().WriteString(help); return err }},
		{"import", 2, (*shell).dotImport},
		{"indexes", 2, (*shell).dotIndexes},
		{"indices", 2, (*shell).dotIndexes},
		{"mode", 1, (*shell).dotMode},
		{"nullvalue", 2, func(s *shell, a []string) error { return s.one(a, "nullvalue STRING", &s.null) }},
		{"once", 2, func(s *shell, a []string) error { return s.dotOutput(a, true) }},
		{"open", 1, (*shell).dotOpen},
		{"output", 1, func(s *shell, a []string) error { return s.dotOutput(a, false) }},
		{"parameter", 3, (*shell).dotParameter},
		{"print", 3, func(s *shell, a []string) error { fmt.Fprintln(s.w(), strings.Join(a, " ")); return nil }},
		{"quit", 1, func(s *shell, _ []string) error { return s.dotExit(nil) }},
		{"read", 3, (*shell).dotRead},
		{"restore", 3, (*shell).dotRestore},
		{"save", 2, (*shell).dotBackup},
		{"schema", 2, (*shell).dotSchema},
		{"separator", 2, (*shell).dotSeparator},
		{"show", 2, (*shell).dotShow},
		{"tables", 2, (*shell).dotTables},
		{"timeout", 5, (*shell).dotTimeout},
		{"version", 3, func(s *shell, _ []string) error { fmt.Fprintln(s.w(), "SQLite", engineVersion); return nil }},
		{"width", 1, (*shell).dotWidth},
	}
}

func ignore(*shell, []string) error { return nil }

// unavailable are the commands that would leave the sandbox or load code.
var unavailable = map[string]string{
	"shell": "commands cannot be run from here", "system": "commands cannot be run from here", "load": "extensions cannot be loaded",
	"archive": "use tar or unzip", "excel": "there is no spreadsheet", "edit": "there is no editor",
}

// dot runs a dot command.
func (s *shell) dot(line string) error {
	args := splitWords(line[1:])
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	for _, c := range dotCommands() {
		if len(name) >= min(c.least, len(c.name)) && strings.HasPrefix(c.name, name) {
			err := c.run(s, args[1:])
			if err != nil && !errors.Is(err, errDot) {
				s.errorf("%s", message(err))
			}
			return err
		}
	}
	if why, ok := unavailable[name]; ok {
		s.errorf(".%s is not available in this sandbox: %s", name, why)
		return errDot
	}
	s.errorf("unknown command or invalid arguments:  \"%s\". Enter \".help\" for help", name)
	return errDot
}

// splitWords splits a line as the shell of SQLite does: at blanks, with quotes of both kinds.
func splitWords(line string) []string {
	var words []string
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '\'' || c == '"':
			end := i + 1
			for end < len(line) && line[end] != c {
				if c == '"' && line[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(line))
			w := line[i+1 : end]
			if c == '"' {
				w = unescape(w)
			}
			words = append(words, w)
			i = end + 1
		default:
			end := i
			for end < len(line) && line[end] != ' ' && line[end] != '\t' {
				end++
			}
			words = append(words, unescape(line[i:end]))
			i = end
		}
	}
	return words
}

func (s *shell) usage(text string) error {
	_ = s.p.Flush()
	fmt.Fprintf(s.p.Stderr, "Usage: .%s\n", text)
	return errDot
}

func isOn(word string) bool {
	switch strings.ToLower(word) {
	case "on", "yes", "true":
		return true
	}
	n, err := strconv.Atoi(word)
	return err == nil && n != 0
}

func (s *shell) toggle(args []string, to *bool) error {
	if len(args) != 1 {
		return s.usage("bail on|off")
	}
	*to = isOn(args[0])
	return nil
}

func (s *shell) one(args []string, usage string, to *string) error {
	if len(args) != 1 {
		return s.usage(usage)
	}
	*to = args[0]
	return nil
}

func (s *shell) dotHeaders(args []string) error {
	if len(args) != 1 {
		return s.usage("headers on|off")
	}
	s.headers, s.headersSet = isOn(args[0]), true
	return nil
}

func (s *shell) dotExit(args []string) error {
	status := min(s.errors, 1)
	if len(args) > 0 {
		status, _ = strconv.Atoi(args[0])
	}
	s.exit = &status
	return nil
}

func (s *shell) dotMode(args []string) error {
	if len(args) == 0 {
		fmt.Fprintf(s.w(), "current output mode: %s\n", modeNames[s.mode])
		return nil
	}
	name := ""
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "-"): // how columns wrap; they never do here
		case name == "":
			name = a
		default:
			s.table = a
		}
	}
	m, ok := findMode(name)
	if !ok {
		s.errorf("mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl")
		return errDot
	}
	s.setMode(m)
	if m == modeColumn && !s.headersSet {
		s.headers = true
	}
	return nil
}

// findMode finds a mode by its name or the beginning of it.
func findMode(name string) (mode, bool) {
	if m, ok := modes[name]; ok {
		return m, true
	}
	const enough = 2
	if len(name) < enough {
		return 0, false
	}
	for _, full := range []string{"lines", "columns", "list", "html", "tcl", "csv", "tabs", "insert", "quote", "ascii", "markdown", "table", "box", "json", "qbox"} {
		if strings.HasPrefix(full, name) {
			return modes[full], true
		}
	}
	return 0, false
}

func (s *shell) dotSeparator(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return s.usage("separator COL ?ROW?")
	}
	s.columnSeparator = args[0]
	if len(args) == 2 {
		s.rowSeparator = args[1]
	}
	return nil
}

func (s *shell) dotWidth(args []string) error {
	s.widths = nil
	for _, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil {
			n = 0
		}
		s.widths = append(s.widths, max(min(n, 10000), -10000))
	}
	return nil
}

func (s *shell) dotOutput(args []string, once bool) error {
	name := ""
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			name = a
		}
	}
	if strings.HasPrefix(name, "|") {
		s.errorf("pipes are not supported in this sandbox")
		return errDot
	}
	if once && name == "" {
		return s.usage("once FILE")
	}
	if err := s.redirect(name, once); err != nil {
		s.errorf("cannot write to \"%s\"", name)
		return errDot
	}
	return nil
}

func (s *shell) dotRead(args []string) error {
	if len(args) != 1 {
		return s.usage("read FILE")
	}
	if strings.HasPrefix(args[0], "|") {
		s.errorf("pipes are not supported in this sandbox")
		return errDot
	}
	if err := s.readFile(args[0]); err != nil {
		s.errorf("cannot open \"%s\"", args[0])
		return errDot
	}
	return nil
}

func (s *shell) dotCd(args []string) error {
	if len(args) != 1 {
		return s.usage("cd DIRECTORY")
	}
	info, err := s.p.Stat(args[0])
	if err != nil || !info.IsDir() {
		s.errorf("cannot change to directory \"%s\"", args[0])
		return errDot
	}
	s.p.Dir = path.Clean(s.p.Path(args[0]))
	return nil
}

func (s *shell) dotOpen(args []string) error {
	name, readOnly := ":memory:", false
	for _, a := range args {
		switch strings.TrimLeft(a, "-") {
		case "readonly":
			readOnly = true
		default:
			name = a
		}
	}
	if s.db != nil {
		_ = s.db.Close()
		s.db = nil
	}
	s.disk.wal = false
	s.database, s.readOnly = name, readOnly
	if s.open() != nil {
		return errDot
	}
	return nil
}

func (s *shell) dotTimeout(args []string) error {
	if len(args) != 1 {
		return s.usage("timeout MS")
	}
	ms, _ := strconv.Atoi(args[0])
	return s.setTimeout(time.Duration(max(ms, 0)) * time.Millisecond)
}

func (s *shell) dotShow([]string) error {
	on := func(b bool) string {
		if b {
			return "on"
		}
		return "off"
	}
	widths := ""
	for _, n := range s.widths {
		widths += strconv.Itoa(n) + " "
	}
	rows := [][2]string{
		{"echo", on(s.echo)},
		{"eqp", "off"},
		{"explain", "auto"},
		{"headers", on(s.headers)},
		{"mode", modeNames[s.mode]},
		{"nullvalue", quoteC(s.null)},
		{"output", s.destination},
		{"colseparator", quoteC(s.columnSeparator)},
		{"rowseparator", quoteC(s.rowSeparator)},
		{"stats", "off"},
		{"width", widths},
		{"filename", s.database},
	}
	for _, r := range rows {
		fmt.Fprintf(s.w(), "%12s: %s\n", r[0], r[1])
	}
	return nil
}

func (s *shell) dotParameter(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "set":
		s.setParameter(args[1], args[2])
	case len(args) == 2 && args[0] == "unset":
		s.unsetParameter(args[1])
	case len(args) == 1 && args[0] == "clear":
		s.parameters = nil
	case len(args) == 1 && args[0] == "init":
	case len(args) == 1 && args[0] == "list":
		longest := 0
		for _, p := range s.parameters {
			longest = max(longest, len(p.name))
		}
		for _, p := range s.parameters {
			fmt.Fprintf(s.w(), "%-*s %s\n", longest, p.name, p.value)
		}
	default:
		return s.usage("parameter clear|init|list|set NAME VALUE|unset NAME")
	}
	return nil
}

func (s *shell) setParameter(name, value string) {
	s.unsetParameter(name)
	s.parameters = append(s.parameters, parameter{name, value})
}

func (s *shell) unsetParameter(name string) {
	for i, p := range s.parameters {
		if p.name == name {
			s.parameters = append(s.parameters[:i:i], s.parameters[i+1:]...)
			return
		}
	}
}

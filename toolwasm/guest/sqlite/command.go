// Package sqlite is the command sqlite3: SQLite's shell.
//
// The database engine is SQLite itself, translated to Go. Databases are files of the sandbox, seen through a Proc; their
// format is SQLite's, so that they can be carried in and out. The shell's output, its dot commands and its messages are
// those of version 3.40.
//
// A transaction is durable when it has been committed: journals and syncs are SQLite's own. Commands that use a database
// at the same time, in one sandbox or several, are kept apart by a lock file beside it. Programs outside of a sandbox do
// not know that lock, and a database must not be in use by both at once.
package sqlite

import (
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"openclaw/toolwasm/guest/command"
)

const help = `Usage: sqlite3 [OPTION]... [DATABASE [SQL]...]
Run SQL, or the commands and dot commands that standard input holds.
Without DATABASE, or with :memory:, the database is in memory.

  -header, -noheader     turn headers on or off
  -list, -csv, -json, -line, -column, -box, -table, -markdown, -html, -quote,
  -tabs, -ascii          set the output mode
  -separator SEP         set the column separator
  -newline SEP           set the row separator
  -nullvalue TEXT        set the text for NULL
  -cmd COMMAND           run COMMAND before anything else
  -init FILE             read FILE first
  -readonly              open the database read-only
  -bail                  stop after an error
  -echo                  print commands before they are run
  -batch                 never ask anything
  -version               print the version
      --help             print this help

Dot commands: .backup .bail .cd .changes .databases .dump .echo .exit
.fullschema .headers .help .import .indexes .mode .nullvalue .once .open .output
.parameter .print .quit .read .restore .save .schema .separator .show .tables
.timeout .version .width
`

// Commands returns sqlite3.
func Commands() []command.Command {
	return []command.Command{{Name: "sqlite3", Run: run, Help: help}}
}

// invocation is a command line.
type invocation struct {
	database string
	sql      []string
	commands []string // of -cmd
	init     string
	readOnly bool
	version  bool
	help     bool
}

// usageError is a mistake in the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

// parseArgs reads the command line and sets what it says of the output.
func (s *shell) parseArgs(args []string) (invocation, error) {
	inv := invocation{database: ":memory:"}
	seen := false
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		if !strings.HasPrefix(a, "-") || a == "-" {
			if !seen {
				inv.database, seen = a, true
			} else {
				inv.sql = append(inv.sql, a)
			}
			continue
		}
		rest, err := s.option(&inv, strings.TrimPrefix(a, "--"), args)
		if err != nil {
			return inv, err
		}
		args = rest
	}
	return inv, nil
}

// option reads one option, whose value may be the first of rest.
func (s *shell) option(inv *invocation, name string, rest []string) ([]string, error) {
	name = strings.TrimPrefix(name, "-")
	value := func(set func(string)) ([]string, error) {
		if len(rest) == 0 {
			return nil, usageError("missing argument to -" + name)
		}
		set(rest[0])
		return rest[1:], nil
	}
	if m, ok := modes[name]; ok && optionModes[name] {
		s.setMode(m)
		s.rowSeparator = map[string]string{"ascii": asciiRow}[name]
		if s.rowSeparator == "" {
			s.rowSeparator = "\n"
		}
		return rest, nil
	}
	switch name {
	case "header", "headers":
		s.headers = true
	case "noheader", "noheaders":
		s.headers = false
	case "echo":
		s.echo = true
	case "bail":
		s.bail = true
	case "readonly":
		inv.readOnly = true
	case "version":
		inv.version = true
	case "help":
		inv.help = true
	case "batch", "interactive", "stats", "memtrace", "safe", "nofollow":
	case "separator":
		return value(func(v string) { s.columnSeparator = unescape(v) })
	case "newline":
		return value(func(v string) { s.rowSeparator = unescape(v) })
	case "nullvalue":
		return value(func(v string) { s.null = v })
	case "cmd":
		return value(func(v string) { inv.commands = append(inv.commands, v) })
	case "init":
		return value(func(v string) { inv.init = v })
	case "mmap", "vfs", "nonce", "maxsize":
		return value(func(string) {})
	default:
		return nil, usageError("unknown option: -" + name)
	}
	return rest, nil
}

func run(p *command.Proc) int {
	s := newShell(p)
	inv, err := s.parseArgs(p.Args)
	switch {
	case err != nil:
		p.Errorf("Error: %s\nUse -help for a list of options.", err)
		return 1
	case inv.version:
		fmt.Fprintln(p.Out(), engineVersion)
		return 0
	case inv.help:
		fmt.Fprint(p.Out(), help)
		return 0
	}
	return s.contained(inv)
}

// contained runs the shell. The engine panics when there is no memory left; a database is as safe then as when the command
// is killed.
func (s *shell) contained(inv invocation) (status int) {
	defer func() {
		fault := recover()
		if fault == nil {
			s.close()
			return
		}
		s.disk.unlock()
		if err, ok := fault.(error); !ok || err.Error() != sqlite3.NOMEM.Error() {
			panic(fault) // the command has been killed
		}
		s.errorf("out of memory")
		status = int(sqlite3.NOMEM)
	}()
	return s.main(inv)
}

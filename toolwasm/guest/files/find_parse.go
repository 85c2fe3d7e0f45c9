package files

import (
	"fmt"
	"strings"
	"time"

	"openclaw/toolwasm/guest/quote"
)

// complaint is a mistake in an expression, in the words of GNU find.
type complaint string

func (c complaint) Error() string { return string(c) }

func complain(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }

// maxNesting bounds parentheses and negations in an expression.
const maxNesting = 1000

// findParser reads an expression by precedence: list, or, and, not.
type findParser struct {
	f         *finder
	args      []string
	i         int
	nesting   int
	hasAction bool
	dayEnd    time.Time // what -mtime and its kin count from; -daystart changes it
	fromDay   bool
	dialect   string
}

func (q *findParser) peek() string {
	if q.i < len(q.args) {
		return q.args[q.i]
	}
	return ""
}

func (q *findParser) parse() (test, error) {
	if len(q.args) == 0 {
		return q.f.print('\n'), nil
	}
	expr, err := q.list()
	if err != nil {
		return nil, err
	}
	if q.i < len(q.args) {
		if q.args[q.i] == ")" {
			return nil, complain("you have too many ')'")
		}
		return nil, complain("paths must precede expression: %s", quoteTick(q.args[q.i]))
	}
	if q.hasAction {
		return expr, nil
	}
	printName := q.f.print('\n')
	return func(v *visit) bool { return expr(v) && !q.f.quit && printName(v) }, nil
}

// quoteTick is the old quoting of findutils' messages: `x'.
func quoteTick(s string) string { return "`" + s + "'" }

func (q *findParser) list() (test, error) {
	f := q.f
	left, err := q.or()
	for err == nil && q.peek() == "," {
		if err = q.operator(); err != nil {
			break
		}
		var right test
		if right, err = q.or(); err == nil {
			first := left
			left = func(v *visit) bool { first(v); return !f.quit && right(v) }
		}
	}
	return left, err
}

func (q *findParser) or() (test, error) {
	f := q.f
	left, err := q.and()
	for err == nil && q.i < len(q.args) && isOr(q.peek()) {
		if err = q.operator(); err != nil {
			break
		}
		var right test
		if right, err = q.and(); err == nil {
			first := left
			left = func(v *visit) bool { return first(v) || (!f.quit && right(v)) }
		}
	}
	return left, err
}

func isOr(s string) bool  { return s == "-o" || s == "-or" }
func isAnd(s string) bool { return s == "-a" || s == "-and" }

// operator takes a binary operator, which needs something after it.
func (q *findParser) operator() error {
	op := q.args[q.i]
	q.i++
	switch next := q.peek(); {
	case q.i >= len(q.args):
		return complain("expected an expression after '%s'", op)
	case next == ")":
		return complain("expected an expression between '%s' and ')'", op)
	case next == "," || isOr(next) || isAnd(next):
		return complain("invalid expression; you have used a binary operator '%s' with nothing before it.", next)
	}
	return nil
}

func (q *findParser) and() (test, error) {
	f := q.f
	left, err := q.not()
	for err == nil && q.i < len(q.args) {
		next := q.peek()
		if next == ")" || next == "," || isOr(next) {
			break
		}
		if isAnd(next) {
			if err = q.operator(); err != nil {
				break
			}
		}
		var right test
		if right, err = q.not(); err == nil {
			first := left
			left = func(v *visit) bool { return first(v) && !f.quit && right(v) }
		}
	}
	return left, err
}

func (q *findParser) enter() error {
	if q.nesting++; q.nesting > maxNesting {
		return complain("expression is nested too deeply")
	}
	return nil
}

func (q *findParser) not() (test, error) {
	if q.i >= len(q.args) {
		return nil, complain("invalid expression")
	}
	if err := q.enter(); err != nil {
		return nil, err
	}
	defer func() { q.nesting-- }()
	switch a := q.args[q.i]; {
	case a == "!" || a == "-not":
		q.i++
		if q.i >= len(q.args) {
			return nil, complain("expected an expression after '%s'", a)
		}
		if next := q.peek(); next == ")" || isOr(next) || isAnd(next) || next == "," {
			return nil, complain("invalid expression; you have used a binary operator '%s' with nothing before it.", next)
		}
		inner, err := q.not()
		if err != nil {
			return nil, err
		}
		return func(v *visit) bool { return !inner(v) }, nil
	case a == "(":
		return q.group()
	case a == ")":
		return nil, complain("invalid expression; you have too many ')'")
	case a == "," || isOr(a) || isAnd(a):
		return nil, complain("invalid expression; you have used a binary operator '%s' with nothing before it.", a)
	case !strings.HasPrefix(a, "-") || a == "-":
		hint := ""
		if q.i > 0 {
			hint = "\n" + q.f.p.Name + ": possible unquoted pattern after predicate " + quoteTick(q.args[q.i-1]) + "?"
		}
		return nil, complain("paths must precede expression: %s%s", quoteTick(a), hint)
	}
	return q.primary()
}

func (q *findParser) group() (test, error) {
	q.i++
	if q.i >= len(q.args) {
		return nil, complain("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('")
	}
	if q.peek() == ")" {
		return nil, complain("invalid expression; empty parentheses are not allowed.")
	}
	inner, err := q.list()
	if err != nil {
		return nil, err
	}
	if q.peek() != ")" || q.i >= len(q.args) {
		return nil, complain("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
	}
	q.i++
	return inner, nil
}

// argument takes the argument of the primary name.
func (q *findParser) argument(name string) (string, error) {
	if q.i >= len(q.args) {
		return "", complain("missing argument to %s", quoteTick(name))
	}
	q.i++
	return q.args[q.i-1], nil
}

// invalid is the error for an argument that the primary name does not take.
func invalid(name, arg string) error {
	return complain("invalid argument %s to %s", quoteTick(arg), quoteTick(name))
}

func always(*visit) bool { return true }

// primary reads one option, test or action.
func (q *findParser) primary() (test, error) {
	name := q.args[q.i]
	q.i++
	if t, err, ok := q.plain(name); ok {
		return t, err
	}
	if t, err, ok := q.actionWithoutFile(name); ok {
		return t, err
	}
	if strings.HasPrefix(name, "-newer") && !takesArgument(name) {
		return nil, complain("invalid predicate %s", quoteTick(name))
	}
	if !takesArgument(name) {
		return nil, complain("unknown predicate %s", quoteTick(name))
	}
	arg, err := q.argument(name)
	if err != nil {
		return nil, err
	}
	if t, err, ok := q.global(name, arg); ok {
		return t, err
	}
	if t, err, ok := q.output(name, arg); ok {
		return t, err
	}
	return q.tested(name, arg)
}

// plain reads primaries that take no argument.
func (q *findParser) plain(name string) (t test, err error, ok bool) {
	f := q.f
	switch name {
	case "-true":
		return always, nil, true
	case "-false":
		return func(*visit) bool { return false }, nil, true
	case "-depth", "-d":
		f.depth = true
	case "-mount", "-xdev":
		f.oneDevice = true
	case "-follow":
		f.follow = followAlways
	case "-daystart":
		day := f.now
		q.dayEnd = time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, day.Location())
		q.fromDay = true
	case "-noleaf", "-ignore_readdir_race", "-noignore_readdir_race", "-warn", "-nowarn":
	case "-prune":
		return func(v *visit) bool { v.prune = true; return true }, nil, true
	case "-quit":
		return func(*visit) bool { f.quit = true; return true }, nil, true
	case "-empty":
		return f.empty, nil, true
	case "-readable", "-writable", "-executable":
		return f.access(name), nil, true
	case "-nouser", "-nogroup":
		return func(*visit) bool { return false }, nil, true // every file belongs to the one user
	case "-help", "--help":
		return func(*visit) bool { return true }, f.help(), true
	default:
		return nil, nil, false
	}
	return always, nil, true
}

func (f *finder) help() error {
	_, _ = f.p.Out().WriteString(findHelp)
	f.p.Exit(0)
	return nil
}

// takesArgument lists the primaries that take an argument.
func takesArgument(name string) bool {
	switch strings.TrimPrefix(name, "-") {
	case "maxdepth", "mindepth", "regextype", "amin", "anewer", "atime", "cmin", "cnewer", "ctime", "fstype", "gid",
		"group", "ilname", "iname", "inum", "ipath", "iregex", "iwholename", "links", "lname", "mmin", "mtime", "name",
		"newer", "path", "perm", "regex", "samefile", "size", "type", "uid", "used", "user", "wholename", "xtype",
		"fls", "fprint", "fprint0", "fprintf", "printf":
		return true
	}
	return isNewerXY(name)
}

func isNewerXY(name string) bool {
	xy, ok := strings.CutPrefix(name, "-newer")
	return ok && len(xy) == 2 && strings.ContainsRune("aBcm", rune(xy[0])) && strings.ContainsRune("aBcmt", rune(xy[1]))
}

// global reads options with an argument.
func (q *findParser) global(name, arg string) (test, error, bool) {
	f := q.f
	switch name {
	case "-maxdepth", "-mindepth":
		n := 0
		if arg == "" || strings.Trim(arg, "0123456789") != "" {
			return nil, complain("Expected a positive decimal integer argument to %s, but got %s",
				name, quote.Locale(arg)), true
		}
		if _, err := fmt.Sscan(arg, &n); err != nil {
			return nil, invalid(name, arg), true
		}
		if name == "-maxdepth" {
			f.maxDepth = n
		} else {
			f.minDepth = n
		}
	case "-regextype":
		if _, ok := dialectFlags(arg); !ok {
			return nil, complain("Unknown regular expression type %s; valid types are %s.", quote.Locale(arg), dialects), true
		}
		q.dialect = arg
	default:
		return nil, nil, false
	}
	return always, nil, true
}

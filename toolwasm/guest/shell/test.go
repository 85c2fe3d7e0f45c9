package shell

import (
	"io/fs"
	"os"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/sys"
)

// stat describes a file by the shell's rules for /dev/fd.
func (sh *Shell) stat(name string, follow bool) (sys.Info, error) {
	full := sh.path(name)
	if n, ok := deviceFD(full); ok {
		f := sh.fd(n)
		if f == nil {
			return sys.Info{}, fs.ErrNotExist
		}
		switch s := f.stream.(type) {
		case *os.File:
			return sys.Fstat(s)
		case *pipe.Reader, *pipe.Writer:
			return sys.Info{Mode: fs.ModeNamedPipe | 0o600}, nil
		}
		return sys.Info{Mode: 0o600}, nil
	}
	lookup := sys.Lstat
	if follow {
		lookup = sys.Stat
	}
	info, err := lookup(full)
	if err != nil {
		if tool, ok := sh.toolInfo(full); ok {
			return tool, nil
		}
	}
	return info, err
}

// deviceFD returns the descriptor that a path under /dev names.
func deviceFD(full string) (int, bool) {
	if !strings.HasPrefix(full, "/dev/") {
		return 0, false
	}
	switch full {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	s, ok := strings.CutPrefix(full, "/dev/fd/")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// isTerminal reports whether a descriptor, given by its number, is a terminal.
func (sh *Shell) isTerminal(number string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return false
	}
	f := sh.fd(n)
	if f == nil {
		return false
	}
	file, ok := f.stream.(*os.File)
	return ok && sys.IsTerminal(file)
}

// testUnary evaluates -op s.
func (sh *Shell) testUnary(op, s string) bool {
	switch op {
	case "-n":
		return s != ""
	case "-z":
		return s == ""
	case "-o":
		o, ok := optionByName(s)
		return ok && sh.opt.has(o)
	case "-v":
		return sh.isSet(s)
	case "-R":
		v := sh.find(s)
		return v != nil && v.attrs&attrNameref != 0 && v.set
	case "-t":
		return sh.isTerminal(s)
	case "-h", "-L":
		info, err := sh.stat(s, false)
		return err == nil && info.IsLink()
	}
	info, err := sh.stat(s, true)
	return err == nil && s != "" && testMode(op, info)
}

func testMode(op string, info sys.Info) bool {
	switch op {
	case "-a", "-e", "-G", "-O":
		return true
	case "-f":
		return info.IsRegular()
	case "-d":
		return info.IsDir()
	case "-s":
		return info.Size > 0
	case "-p":
		return info.Mode&fs.ModeNamedPipe != 0
	case "-S":
		return info.Mode&fs.ModeSocket != 0
	case "-b":
		return info.Mode&fs.ModeDevice != 0 && info.Mode&fs.ModeCharDevice == 0
	case "-c":
		return info.Mode&fs.ModeCharDevice != 0
	case "-u":
		return info.Mode&fs.ModeSetuid != 0
	case "-g":
		return info.Mode&fs.ModeSetgid != 0
	case "-k":
		return info.Mode&fs.ModeSticky != 0
	case "-N":
		return info.Mtime.After(info.Atime)
	case "-r":
		return info.Mode&0o400 != 0
	case "-w":
		return info.Mode&0o200 != 0
	case "-x":
		return info.Mode&0o100 != 0 || info.IsDir() && info.Mode&0o111 != 0
	}
	return false
}

// isSet is [ -v name ].
func (sh *Shell) isSet(name string) bool {
	base, sub, indexed := strings.Cut(name, "[")
	if isNumber(base) && !indexed {
		n, err := strconv.Atoi(base)
		return err == nil && (n == 0 || n <= len(sh.params))
	}
	v, _, inner := sh.lookup(base)
	if v == nil {
		return false
	}
	if !indexed {
		if inner != nil {
			_, set := sh.element(v, inner)
			return set
		}
		_, set := sh.value(v)
		return set
	}
	s := syntax.NewSubscript(strings.TrimSuffix(sub, "]"), sh.line)
	if s.At || s.Star {
		if v.dict != nil {
			_, ok := v.dict.vals[s.Src]
			return ok || len(v.dict.vals) > 0
		}
		return len(sh.elements(v)) > 0
	}
	_, set := sh.element(v, s)
	return set
}

func (sh *Shell) testFiles(op, l, r string) bool {
	a, errA := sh.stat(l, true)
	b, errB := sh.stat(r, true)
	switch op {
	case "-ef":
		return errA == nil && errB == nil && a.Same(b)
	case "-nt":
		return errA == nil && (errB != nil || a.Mtime.After(b.Mtime))
	}
	return errB == nil && (errA != nil || a.Mtime.Before(b.Mtime))
}

// tester evaluates the arguments of test and [.
type tester struct {
	sh   *Shell
	name string
	args []string
	pos  int
	err  string
}

// builtinTest is test and [.
func builtinTest(sh *Shell, name string, args []string) int {
	if name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			sh.errorf("[: missing `]'")
			return 2
		}
		args = args[:len(args)-1]
	}
	t := tester{sh: sh, name: name, args: args}
	ok := t.run()
	if t.err != "" {
		sh.errorf("%s: %s", name, t.err)
		return 2
	}
	if ok {
		return 0
	}
	return 1
}

func (t *tester) fail(msg string) bool {
	if t.err == "" {
		t.err = msg
	}
	return false
}

// run applies POSIX's rules by the number of arguments, then the general grammar.
func (t *tester) run() bool {
	a := t.args
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		return t.two(a)
	case 3:
		return t.three(a)
	case 4:
		if a[0] == "!" {
			return !t.three(a[1:])
		}
		if a[0] == "(" && a[3] == ")" {
			return t.two(a[1:3])
		}
	}
	ok := t.or()
	if t.err == "" && t.pos < len(t.args) {
		return t.fail("too many arguments")
	}
	return ok
}

func (t *tester) two(a []string) bool {
	switch {
	case a[0] == "!":
		return a[1] == ""
	case syntax.IsUnaryTest(a[0]):
		return t.unary(a[0], a[1])
	}
	return t.fail(a[0] + ": unary operator expected")
}

func (t *tester) three(a []string) bool {
	switch {
	case syntax.IsBinaryTest(a[1]):
		return t.binary(a[0], a[1], a[2])
	case a[1] == "-a":
		return a[0] != "" && a[2] != ""
	case a[1] == "-o":
		return a[0] != "" || a[2] != ""
	case a[0] == "!":
		return !t.two(a[1:])
	case a[0] == "(" && a[2] == ")":
		return a[1] != ""
	}
	return t.fail(a[1] + ": binary operator expected")
}

func (t *tester) unary(op, s string) bool {
	if op == "-t" {
		if !isNumber(strings.TrimPrefix(s, "-")) {
			return t.fail(s + ": integer expression expected")
		}
	}
	return t.sh.testUnary(op, s)
}

func (t *tester) binary(l, op, r string) bool {
	switch op {
	case "=", "==":
		return l == r
	case "!=":
		return l != r
	case "<":
		return l < r
	case ">":
		return l > r
	case "-nt", "-ot", "-ef":
		return t.sh.testFiles(op, l, r)
	}
	a, ok := t.integer(l)
	if !ok {
		return false
	}
	b, ok := t.integer(r)
	return ok && compareInts(op, a, b)
}

func (t *tester) integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0, t.fail(s + ": integer expression expected")
	}
	return n, true
}

func (t *tester) or() bool {
	ok := t.and()
	for t.err == "" && t.pos < len(t.args) && t.args[t.pos] == "-o" {
		t.pos++
		r := t.and()
		ok = ok || r
	}
	return ok
}

func (t *tester) and() bool {
	ok := t.not()
	for t.err == "" && t.pos < len(t.args) && t.args[t.pos] == "-a" {
		t.pos++
		r := t.not()
		ok = ok && r
	}
	return ok
}

func (t *tester) not() bool {
	neg := false
	for t.pos < len(t.args) && t.args[t.pos] == "!" && !t.binaryAt(t.pos) {
		neg = !neg
		t.pos++
	}
	return t.primary() != neg
}

func (t *tester) binaryAt(i int) bool {
	return i+2 < len(t.args) && syntax.IsBinaryTest(t.args[i+1])
}

func (t *tester) primary() bool {
	if t.err != "" {
		return false
	}
	if t.pos >= len(t.args) {
		return t.fail("argument expected")
	}
	a := t.args[t.pos]
	if t.binaryAt(t.pos) {
		t.pos += 3
		return t.binary(a, t.args[t.pos-2], t.args[t.pos-1])
	}
	if a == "(" {
		return t.group()
	}
	if syntax.IsUnaryTest(a) && t.pos+1 < len(t.args) {
		t.pos += 2
		return t.unary(a, t.args[t.pos-1])
	}
	t.pos++
	return a != ""
}

func (t *tester) group() bool {
	const deepest = 500
	if t.pos > deepest {
		return t.fail("expression is nested too deeply")
	}
	t.pos++
	ok := t.or()
	if t.pos >= len(t.args) || t.args[t.pos] != ")" {
		return t.fail("`)' expected")
	}
	t.pos++
	return ok
}

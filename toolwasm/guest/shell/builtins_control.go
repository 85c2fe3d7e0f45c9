package shell

import (
	"strconv"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell/syntax"
)

// builtinBreak is break and continue.
func builtinBreak(sh *Shell, args []string) int {
	if sh.loops == 0 {
		sh.errorf("%s: only meaningful in a `for', `while', or `until' loop", args[0])
		return 0
	}
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil {
			sh.errorf("%s: %s: numeric argument required", args[0], args[1])
			sh.exit(128)
			return 128
		}
	}
	if len(args) > 2 {
		sh.errorf("%s: too many arguments", args[0])
		sh.abort()
		return 1
	}
	if n < 1 {
		sh.errorf("%s: %d: loop count out of range", args[0], n)
		sh.ctl, sh.ctlCount = ctlBreak, sh.loops
		return 1
	}
	sh.ctlCount = min(n, sh.loops)
	sh.ctl = ctlBreak
	if args[0] == "continue" {
		sh.ctl = ctlContinue
	}
	return 0
}

// statusArg reads the argument of return and exit.
func (sh *Shell) statusArg(args []string) (status int, ok bool) {
	if len(args) < 2 {
		return sh.status, true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(args[1]), 10, 64)
	if err != nil {
		sh.errorf("%s: %s: numeric argument required", args[0], args[1])
		return 2, true
	}
	if len(args) > 2 {
		sh.errorf("%s: too many arguments", args[0])
		return 1, false
	}
	return int(n & 0xff), true
}

// builtinReturn is return.
func builtinReturn(sh *Shell, args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = append(args[:1:1], args[2:]...)
	}
	if len(sh.frames) == 0 {
		sh.errorf("return: can only `return' from a function or sourced script")
		return 2
	}
	status, ok := sh.statusArg(args)
	if !ok {
		sh.abort()
		return status
	}
	sh.ctl = ctlReturn
	return status
}

// builtinExit is exit.
func builtinExit(sh *Shell, args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = append(args[:1:1], args[2:]...)
	}
	status, ok := sh.statusArg(args)
	if !ok {
		sh.abort()
		return status
	}
	sh.ctl = ctlExit
	return status
}

// builtinEval is eval.
func builtinEval(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if strings.TrimSpace(text) == "" {
		return 0
	}
	if !sh.enter("eval") {
		return 1
	}
	defer func() { sh.depth-- }()
	sh.status = 0
	sh.traceLevel++
	sh.runSource(source{text: text, line: sh.line, label: "eval"})
	sh.traceLevel--
	return sh.status
}

// builtinSource is source and dot.
func builtinSource(sh *Shell, args []string) int {
	name, args := args[0], args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		sh.errorf("%s: filename argument required", name)
		return sh.usage(name, "", name+" filename [arguments]")
	}
	if !sh.enter(name) {
		return 1
	}
	defer func() { sh.depth-- }()
	data, err := sh.readSource(args[0])
	if err != nil {
		sh.errorf("%s: %s", args[0], strerror(err))
		if sh.opt.has(optPosix) {
			sh.exit(1)
		}
		return 1
	}
	f := &frame{name: "source", source: args[0], callLine: sh.line, params: sh.params}
	sh.frames = append(sh.frames, f)
	given := append([]string(nil), args[1:]...)
	if len(given) > 0 {
		sh.params = given
	}
	line := sh.line
	sh.status = 0
	sh.traceLevel++
	sh.runSource(source{text: string(data)})
	sh.traceLevel--
	if sh.ctl == ctlReturn {
		sh.ctl = ctlNone
	}
	sh.returnTrap()
	sh.line = line
	if len(given) > 0 && len(sh.params) == len(given) && &sh.params[0] == &given[0] {
		sh.params = f.params
	}
	sh.frames = sh.frames[:len(sh.frames)-1]
	return sh.status
}

// readSource reads a file for source: one without slash is looked for in PATH, then here.
func (sh *Shell) readSource(name string) ([]byte, error) {
	if !strings.Contains(name, "/") && sh.shopt.has(shoptSourcepath) {
		list, _ := sh.get("PATH")
		for _, dir := range strings.Split(list, ":") {
			if dir == "" {
				dir = "."
			}
			full := strings.TrimRight(dir, "/") + "/" + name
			if info, err := sh.stat(full, true); err == nil && !info.IsDir() && !isToolDir(dir) {
				return sh.readScript(full)
			}
		}
		if sh.opt.has(optPosix) {
			return nil, syscall.ENOENT
		}
		name = "./" + name
	}
	return sh.readScript(name)
}

// builtinExec is exec: with a command it replaces the shell.
func builtinExec(sh *Shell, c *syntax.Simple, args []string) int {
	opts, rest, ok := sh.options(args, "cla:", "exec [-cl] [-a name] [command [argument ...]] [redirection ...]")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		return 0
	}
	name := rest[0]
	for _, o := range opts {
		switch o.letter {
		case 'a':
			name = o.arg
		case 'c':
			sh.env = command.Vars{}
		}
	}
	t, status := sh.resolve(rest[0])
	if status != 0 {
		if status == command.StatusNotFound && !strings.Contains(rest[0], "/") {
			sh.errorf("exec: %s: not found%s", rest[0], sh.advice(rest[0]))
			sh.status = status
		} else {
			sh.notFound(rest[0], status)
		}
		if !sh.shopt.has(shoptExecfail) {
			sh.exit(sh.status)
			sh.exiting = true
		}
		return sh.status
	}
	argv := append([]string{name}, rest[1:]...)
	if t.file != "" {
		argv[0] = t.file
	}
	sh.exiting = true // no EXIT trap: the shell is gone
	status = sh.start(t, argv)
	sh.exit(status)
	return status
}

// builtinLogout is logout, which only a login shell has a use for.
func builtinLogout(sh *Shell, _ []string) int {
	sh.errorf("logout: not login shell: use `exit'")
	return 1
}

// builtinSuspend is suspend, which needs job control.
func builtinSuspend(sh *Shell, _ []string) int {
	sh.errorf("suspend: cannot suspend: no job control")
	return 1
}

// builtinCommandCmd is command.
func builtinCommandCmd(sh *Shell, c *syntax.Simple, args []string) int {
	opts, rest, ok := sh.options(args, "pvV", "command [-pVv] command [arg ...]")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		return 0
	}
	for _, o := range opts {
		if o.letter == 'p' {
			continue
		}
		status := 1
		for _, n := range rest {
			if sh.describe(n, o.letter == 'v') {
				status = 0
			} else if o.letter == 'V' {
				sh.errorf("command: %s: not found", n)
			}
		}
		return status
	}
	if b, ok := sh.builtin(rest[0]); ok {
		return b(sh, c, rest)
	}
	sh.flush()
	sh.external(rest)
	return sh.status
}

// describe prints what command -v (short) and -V (long) say about a name.
func (sh *Shell) describe(name string, short bool) bool {
	say := func(brief, long string) bool {
		if short {
			sh.print(brief + "\n")
		} else {
			sh.print(name + long + "\n")
		}
		return true
	}
	if v, ok := sh.aliases[name]; ok && (sh.shopt.has(shoptExpandAliases) || sh.opt.has(optPosix)) {
		return say("alias "+name+"="+quote(v), " is aliased to `"+v+"'")
	}
	if isReserved(name) {
		return say(name, " is a shell keyword")
	}
	if fn := sh.funcs[name]; fn != nil {
		if !short {
			sh.print(name + " is a function\n" + fn.text())
			return true
		}
		return say(name, "")
	}
	if _, ok := sh.builtin(name); ok {
		return say(name, " is a shell builtin")
	}
	full, ok := sh.commandPath(name)
	if !ok {
		return false
	}
	return say(full, " is "+full)
}

// commandPath returns the path of a command in the toolbox or in PATH.
func (sh *Shell) commandPath(name string) (string, bool) {
	if strings.Contains(name, "/") {
		_, status := sh.resolvePath(name)
		return name, status == 0
	}
	hashed := sh.hashed
	sh.hashed = nil
	full, ok := sh.lookPath(name)
	sh.hashed = hashed
	return full, ok
}

// builtinBuiltin is builtin.
func builtinBuiltin(sh *Shell, c *syntax.Simple, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 0
	}
	b, ok := sh.builtin(args[0])
	if !ok {
		sh.errorf("builtin: %s: not a shell builtin", args[0])
		return 1
	}
	return b(sh, c, args)
}

// builtinType is type.
func builtinType(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "afptP", "type [-afptP] name [name ...]")
	if !ok {
		return 2
	}
	var q typeQuery
	for _, o := range opts {
		switch o.letter {
		case 'a':
			q.all = true
		case 'f':
			q.noFuncs = true
		case 'p':
			q.path = true
		case 't':
			q.kind = true
		case 'P':
			q.force = true
		}
	}
	status := 0
	for _, n := range rest {
		if !q.describe(sh, n) {
			status = 1
			if !q.kind && !q.path && !q.force {
				sh.errorf("type: %s: not found", n)
			}
		}
	}
	return status
}

// typeQuery is the options of type.
type typeQuery struct{ all, noFuncs, path, kind, force bool }

func (q *typeQuery) describe(sh *Shell, name string) bool {
	found := false
	say := func(kind, text string) bool {
		found = true
		switch {
		case q.kind:
			sh.print(kind + "\n")
		case q.path || q.force:
		default:
			sh.print(text + "\n")
		}
		return !q.all
	}
	if !q.force {
		if v, ok := sh.aliases[name]; ok && sh.shopt.has(shoptExpandAliases) && say("alias", name+" is aliased to `"+v+"'") {
			return true
		}
		if isReserved(name) && say("keyword", name+" is a shell keyword") {
			return true
		}
		if fn := sh.funcs[name]; fn != nil && !q.noFuncs {
			if say("function", name+" is a function\n"+strings.TrimSuffix(fn.text(), "\n")) {
				return true
			}
		}
		if _, ok := sh.builtin(name); ok && say("builtin", name+" is a shell builtin") {
			return true
		}
	}
	if h, ok := sh.hashed[name]; ok && !q.all && !q.force {
		switch {
		case q.kind:
			sh.print("file\n")
		case q.path:
			sh.print(h.path + "\n")
		default:
			sh.print(name + " is hashed (" + h.path + ")\n")
		}
		return true
	}
	full, ok := sh.commandPath(name)
	if !ok {
		return found
	}
	switch {
	case q.kind:
		sh.print("file\n")
	case q.path || q.force:
		sh.print(full + "\n")
	default:
		sh.print(name + " is " + full + "\n")
	}
	return true
}

// builtinHash is hash.
func builtinHash(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "dlp:rt", "hash [-lr] [-p pathname] [-dt] [name ...]")
	if !ok {
		return 2
	}
	var forget, table, list bool
	file := ""
	for _, o := range opts {
		switch o.letter {
		case 'r':
			sh.hashed = nil
		case 'd':
			forget = true
		case 't':
			table = true
		case 'l':
			list = true
		case 'p':
			file = o.arg
		}
	}
	if len(rest) == 0 {
		if len(opts) == 0 || list {
			sh.showHash(list)
		}
		return 0
	}
	status := 0
	for _, n := range rest {
		if !sh.hashOne(n, file, forget, table, len(rest) > 1) {
			sh.errorf("hash: %s: not found", n)
			status = 1
		}
	}
	return status
}

func (sh *Shell) showHash(list bool) {
	if len(sh.hashed) == 0 {
		sh.print("hash: hash table empty\n")
		return
	}
	if !list {
		sh.print("hits\tcommand\n")
	}
	for _, n := range sortedKeys(sh.hashed) {
		h := sh.hashed[n]
		if list {
			sh.print("builtin hash -p " + h.path + " " + n + "\n")
			continue
		}
		sh.printf("%4d\t%s\n", h.hits, h.path)
	}
}

func (sh *Shell) hashOne(name, file string, forget, table, many bool) bool {
	if file != "" {
		sh.remember(name, file)
		return true
	}
	h, known := sh.hashed[name]
	switch {
	case forget:
		delete(sh.hashed, name)
		return known
	case table:
		if known {
			if many {
				sh.print(name + "\t")
			}
			sh.print(h.path + "\n")
		}
		return known
	}
	if _, ok := sh.builtin(name); ok || sh.funcs[name] != nil {
		return true
	}
	delete(sh.hashed, name)
	full, ok := sh.lookPath(name)
	if ok {
		sh.hashed[name] = hashEntry{path: full}
	}
	return ok
}

// builtinEnable is enable.
func builtinEnable(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "anps", "enable [-a] [-n] [-ps] [name ...]")
	if !ok {
		return 2
	}
	off, all := false, false
	for _, o := range opts {
		off = off || o.letter == 'n'
		all = all || o.letter == 'a'
	}
	if len(rest) == 0 {
		for _, n := range builtinNames {
			disabled := sh.disabled[n]
			switch {
			case disabled && (off || all):
				sh.print("enable -n " + n + "\n")
			case !disabled && !off:
				sh.print("enable " + n + "\n")
			}
		}
		return 0
	}
	status := 0
	for _, n := range rest {
		if findBuiltin(n) == nil {
			sh.errorf("enable: %s: not a shell builtin", n)
			status = 1
			continue
		}
		if sh.disabled == nil {
			sh.disabled = map[string]bool{}
		}
		sh.disabled[n] = off
	}
	return status
}

// builtinCaller is caller.
func builtinCaller(sh *Shell, args []string) int {
	n := 0
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 0 {
			return sh.usage("caller", args[1]+": invalid number", "caller [expr]")
		}
	}
	lines, names, files := sh.stack(dynLines), sh.stack(dynFuncname), sh.stack(dynSource)
	if n >= len(lines) || len(sh.frames) == 0 {
		return 1
	}
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return "NULL"
	}
	if len(args) == 1 {
		sh.print(lines[0] + " " + at(files, 1) + "\n")
		return 0
	}
	if n+1 >= len(names) {
		return 1
	}
	sh.print(lines[n] + " " + names[n+1] + " " + at(files, n+1) + "\n")
	return 0
}

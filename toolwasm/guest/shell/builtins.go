package shell

import (
	"sort"
	"strings"

	"openclaw/toolwasm/guest/shell/syntax"
)

// builtin is the body of a builtin command; args[0] is its name. c is nil when it runs as a command of the toolbox.
type builtin func(sh *Shell, c *syntax.Simple, args []string) int

// plain adapts a builtin that does not look at its syntax.
func plain(f func(sh *Shell, args []string) int) builtin {
	return func(sh *Shell, _ *syntax.Simple, args []string) int { return f(sh, args) }
}

// findBuiltin returns a builtin by name, nil when there is none.
func findBuiltin(name string) builtin {
	switch name {
	case ":", "true":
		return plain(func(*Shell, []string) int { return 0 })
	case "false":
		return plain(func(*Shell, []string) int { return 1 })
	case "echo":
		return plain(builtinEcho)
	case "printf":
		return plain(builtinPrintf)
	case "test", "[":
		return plain(func(sh *Shell, args []string) int { return builtinTest(sh, args[0], args[1:]) })
	case "read":
		return plain(builtinRead)
	case "mapfile", "readarray":
		return plain(builtinMapfile)
	case "cd":
		return plain(builtinCd)
	case "pwd":
		return plain(builtinPwd)
	case "dirs":
		return plain(builtinDirs)
	case "pushd":
		return plain(builtinPushd)
	case "popd":
		return plain(builtinPopd)
	case "declare", "typeset", "local", "export", "readonly":
		return builtinDeclare
	case "unset":
		return plain(builtinUnset)
	case "set":
		return plain(builtinSet)
	case "shopt":
		return plain(builtinShopt)
	case "shift":
		return plain(builtinShift)
	case "let":
		return plain(builtinLet)
	case "getopts":
		return plain(builtinGetopts)
	}
	return findControl(name)
}

// findControl returns the builtins that have to do with commands and processes.
func findControl(name string) builtin {
	switch name {
	case "break", "continue":
		return plain(builtinBreak)
	case "return":
		return plain(builtinReturn)
	case "exit":
		return plain(builtinExit)
	case "logout":
		return plain(builtinLogout)
	case "suspend":
		return plain(builtinSuspend)
	case "eval":
		return plain(builtinEval)
	case "source", ".":
		return plain(builtinSource)
	case "exec":
		return builtinExec
	case "command":
		return builtinCommandCmd
	case "builtin":
		return builtinBuiltin
	case "type":
		return plain(builtinType)
	case "hash":
		return plain(builtinHash)
	case "enable":
		return plain(builtinEnable)
	case "alias":
		return plain(builtinAlias)
	case "unalias":
		return plain(builtinUnalias)
	case "trap":
		return plain(builtinTrap)
	case "kill":
		return plain(builtinKill)
	case "wait":
		return plain(builtinWait)
	case "jobs":
		return plain(builtinJobs)
	case "fg", "bg":
		return plain(builtinFg)
	case "disown":
		return plain(builtinDisown)
	case "caller":
		return plain(builtinCaller)
	case "times":
		return plain(builtinTimes)
	case "umask":
		return plain(builtinUmask)
	case "ulimit":
		return plain(builtinUlimit)
	case "compgen":
		return plain(builtinCompgen)
	case "help":
		return plain(builtinHelp)
	case "complete", "compopt", "bind", "history", "fc":
		return plain(builtinInteractive)
	}
	return nil
}

// builtinNames lists the builtins, sorted.
var builtinNames = [...]string{
	".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
	"compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
	"fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
	"printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
	"test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
}

// reservedWords are the words that type calls shell keywords.
var reservedWords = [...]string{
	"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
	"function", "time", "{", "}", "!", "[[", "]]", "coproc",
}

func isReserved(name string) bool {
	for _, w := range reservedWords {
		if w == name {
			return true
		}
	}
	return false
}

// isSpecialBuiltin reports whether POSIX calls a builtin special.
func isSpecialBuiltin(name string) bool {
	switch name {
	case ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "source", "times", "trap", "unset":
		return true
	}
	return false
}

// builtin returns an enabled builtin.
func (sh *Shell) builtin(name string) (builtin, bool) {
	if sh.disabled != nil && sh.disabled[name] {
		return nil, false
	}
	b := findBuiltin(name)
	return b, b != nil
}

// usage reports a mistake in the use of a builtin.
func (sh *Shell) usage(name, msg, usage string) int {
	if msg != "" {
		sh.errorf("%s: %s", name, msg)
	}
	sh.write(2, name+": usage: "+usage+"\n")
	return 2
}

// options parses the options of a builtin: letters, each followed by ":" when it takes an argument. A letter that is not
// known is reported and ok is false.
func (sh *Shell) options(args []string, letters, usage string) (opts []opt, rest []string, ok bool) {
	name := args[0]
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			return opts, args, true
		}
		for i := 1; i < len(a); i++ {
			at := strings.IndexByte(letters, a[i])
			if at < 0 || a[i] == ':' {
				sh.usage(name, "-"+a[i:i+1]+": invalid option", usage)
				return nil, nil, false
			}
			if at+1 >= len(letters) || letters[at+1] != ':' {
				opts = append(opts, opt{a[i], ""})
				continue
			}
			arg := a[i+1:]
			if arg == "" {
				if len(args) == 0 {
					sh.usage(name, "-"+a[i:i+1]+": option requires an argument", usage)
					return nil, nil, false
				}
				arg, args = args[0], args[1:]
			}
			opts = append(opts, opt{a[i], arg})
			break
		}
	}
	return opts, args, true
}

// opt is an option of a builtin.
type opt struct {
	letter byte
	arg    string
}

// builtinEcho is echo.
func builtinEcho(sh *Shell, args []string) int {
	args = args[1:]
	newline, escapes := true, sh.shopt.has(shoptXpgEcho)
	if sh.dash {
		// the echo of Debian's sh knows -n alone and always expands escapes
		escapes = true
		if len(args) > 0 && args[0] == "-n" {
			newline, args = false, args[1:]
		}
	}
	for !sh.dash && len(args) > 0 && isEchoOption(args[0]) && !(sh.opt.has(optPosix) && sh.shopt.has(shoptXpgEcho)) {
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	for i, a := range args {
		if i > 0 {
			sh.out = append(sh.out, ' ')
		}
		if !escapes || strings.IndexByte(a, '\\') < 0 {
			sh.out = append(sh.out, a...)
			continue
		}
		var stop bool
		if sh.out, stop = appendEscapes(sh.out, a, true); stop {
			return 0
		}
	}
	if newline {
		sh.out = append(sh.out, '\n')
	}
	return 0
}

func isEchoOption(s string) bool {
	if len(s) < 2 || s[0] != '-' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] != 'n' && s[i] != 'e' && s[i] != 'E' {
			return false
		}
	}
	return true
}

// builtinAlias is alias.
func builtinAlias(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "p", "alias [-p] [name[=value] ... ]")
	if !ok {
		return 2
	}
	status := 0
	if len(rest) == 0 || len(opts) > 0 {
		names := make([]string, 0, len(sh.aliases))
		for n := range sh.aliases {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			sh.showAlias(n)
		}
	}
	for _, a := range rest {
		name, value, assign := strings.Cut(a, "=")
		switch {
		case assign && name != "":
			sh.aliases[name] = value
		case sh.hasAlias(a):
			sh.showAlias(a)
		default:
			sh.errorf("alias: %s: not found", a)
			status = 1
		}
	}
	return status
}

func (sh *Shell) hasAlias(name string) bool {
	_, ok := sh.aliases[name]
	return ok
}

func (sh *Shell) showAlias(name string) {
	prefix := "alias "
	if sh.opt.has(optPosix) {
		prefix = ""
	}
	sh.print(prefix + name + "=" + quote(sh.aliases[name]) + "\n")
}

// builtinUnalias is unalias.
func builtinUnalias(sh *Shell, args []string) int {
	const usage = "unalias [-a] name [name ...]"
	opts, rest, ok := sh.options(args, "a", usage)
	if !ok {
		return 2
	}
	if len(opts) > 0 {
		clear(sh.aliases)
		return 0
	}
	if len(rest) == 0 {
		return sh.usage("unalias", "", usage)
	}
	status := 0
	for _, n := range rest {
		if !sh.hasAlias(n) {
			sh.errorf("unalias: %s: not found", n)
			status = 1
			continue
		}
		delete(sh.aliases, n)
	}
	return status
}

// builtinInteractive stands for builtins that only mean something at a terminal: they succeed and do nothing.
func builtinInteractive(*Shell, []string) int { return 0 }

// builtinHelp is help: it names the builtins.
func builtinHelp(sh *Shell, args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) > 1 {
		if args[1] != "-" && strings.HasPrefix(args[1], "-") && !strings.ContainsAny(args[1][1:2], "dms") {
			return sh.usage("help", args[1]+": invalid option", "help [-dms] [pattern ...]")
		}
		if findBuiltin(args[1]) == nil && !isReserved(args[1]) {
			sh.errorf("help: no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", args[1], args[1], args[1])
			return 1
		}
		sh.printf("%s: a shell builtin or keyword; it behaves as bash %s documents it\n", args[1], version)
		return 0
	}
	for _, n := range builtinNames {
		sh.print(n + "\n")
	}
	return 0
}

// builtinCompgen is the part of compgen that lists names.
func builtinCompgen(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "abcdefjksuvA:W:o:G:P:S:X:F:C:", "compgen [-abcdefgjksuv] [-W wordlist] [word]")
	if !ok {
		return 2
	}
	prefix := ""
	if len(rest) > 0 {
		prefix = rest[0]
	}
	var names []string
	for _, o := range opts {
		names = append(names, sh.completions(o, prefix)...)
	}
	found := false
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			found = true
			sh.print(n + "\n")
		}
	}
	if !found {
		return 1
	}
	return 0
}

func (sh *Shell) completions(o opt, prefix string) []string {
	switch {
	case o.letter == 'b' || o.arg == "builtin":
		return builtinNames[:]
	case o.letter == 'k' || o.arg == "keyword":
		return reservedWords[:]
	case o.letter == 'a' || o.arg == "alias":
		return sortedKeys(sh.aliases)
	case o.arg == "function":
		return sortedKeys(sh.funcs)
	case o.letter == 'v' || o.arg == "variable":
		return sh.names(func(_ string, v *variable) bool { return v.set })
	case o.letter == 'e' || o.arg == "export":
		return sh.names(func(_ string, v *variable) bool { return v.set && v.attrs&attrExport != 0 })
	case o.letter == 'c' || o.arg == "command":
		names := append(append(sortedKeys(sh.aliases), builtinNames[:]...), sortedKeys(sh.funcs)...)
		return append(append(names, reservedWords[:]...), sh.sys.table.Names()...)
	case o.letter == 'W':
		return strings.Fields(o.arg)
	case o.letter == 'f' || o.letter == 'd' || o.arg == "file" || o.arg == "directory":
		w := globber{sh: sh}
		names := w.expand(globQuote(prefix) + "*")
		sort.Strings(names)
		if o.letter != 'd' && o.arg != "directory" {
			return names
		}
		var dirs []string
		for _, n := range names {
			if info, err := sh.stat(n, true); err == nil && info.IsDir() {
				dirs = append(dirs, n)
			}
		}
		return dirs
	}
	return nil
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

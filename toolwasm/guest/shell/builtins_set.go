package shell

import (
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/shell/syntax"
)

// builtinSet is set.
func builtinSet(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) == 0 {
		sh.showAll()
		return 0
	}
	for len(args) > 0 {
		a := args[0]
		if a == "--" {
			sh.params = append([]string(nil), args[1:]...)
			return 0
		}
		if a == "-" {
			sh.opt &^= optXtrace | optVerbose
			if len(args) > 1 {
				sh.params = append([]string(nil), args[1:]...)
			}
			return 0
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			sh.params = append([]string(nil), args...)
			return 0
		}
		args = args[1:]
		var status int
		if args, status = sh.setLetters(a, args); status != 0 {
			return status
		}
	}
	return 0
}

// setLetters applies an argument such as -eu or -o.
func (sh *Shell) setLetters(a string, args []string) ([]string, int) {
	on := a[0] == '-'
	for _, c := range []byte(a[1:]) {
		if c == 'o' {
			if len(args) == 0 {
				sh.showOptions(on)
				return args, 0
			}
			o, ok := optionByName(args[0])
			if !ok {
				sh.errorf("set: %s: invalid option name", args[0])
				return args, 2
			}
			sh.setOption(o, on)
			args = args[1:]
			continue
		}
		o, ok := optionByLetter(c)
		if !ok {
			return args, sh.usage("set", a[:1]+string(c)+": invalid option", "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]")
		}
		sh.setOption(o, on)
	}
	return args, 0
}

func (sh *Shell) setOption(o option, on bool) {
	sh.opt.put(o, on)
	switch o {
	case optVi:
		if on {
			sh.opt &^= optEmacs
		}
	case optEmacs:
		if on {
			sh.opt &^= optVi
		}
	case optPosix:
		if on {
			sh.shopt |= shoptExpandAliases
		}
	}
}

// showOptions is set -o (a table) and set +o (commands).
func (sh *Shell) showOptions(table bool) {
	for _, n := range optionNames {
		on := sh.opt.has(n.opt)
		if table {
			sh.printf("%-15s\t%s\n", n.name, onOff(on))
			continue
		}
		sign := "+"
		if on {
			sign = "-"
		}
		sh.print("set " + sign + "o " + n.name + "\n")
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// builtinShopt is shopt.
func builtinShopt(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "pqsuo", "shopt [-pqsu] [-o] [optname ...]")
	if !ok {
		return 2
	}
	var print, quiet, set, unset, asSet bool
	for _, o := range opts {
		switch o.letter {
		case 'p':
			print = true
		case 'q':
			quiet = true
		case 's':
			set = true
		case 'u':
			unset = true
		case 'o':
			asSet = true
		}
	}
	if set && unset {
		sh.errorf("shopt: cannot set and unset shell options simultaneously")
		return 1
	}
	if len(rest) == 0 {
		if asSet {
			sh.showOptions(!print)
		} else {
			sh.showShopts(print, func(on bool) bool { return (!set || on) && (!unset || !on) })
		}
		return 0
	}
	status := 0
	for _, name := range rest {
		if !sh.shoptOne(name, set, unset, asSet, print, quiet) {
			status = 1
		}
	}
	return status
}

func (sh *Shell) shoptOne(name string, set, unset, asSet, print, quiet bool) bool {
	var on, ok bool
	var so shopt
	var o option
	if asSet {
		o, ok = optionByName(name)
		on = sh.opt.has(o)
	} else {
		so, ok = shoptByName(name)
		on = sh.shopt.has(so)
	}
	if !ok {
		kind := "shell option"
		if asSet {
			kind = "option"
		}
		sh.errorf("shopt: %s: invalid %s name", name, kind)
		return false
	}
	if set || unset {
		if asSet {
			sh.setOption(o, set)
		} else {
			sh.shopt.put(so, set)
		}
		return true
	}
	switch {
	case quiet:
	case print && asSet:
		sign := "+"
		if on {
			sign = "-"
		}
		sh.print("set " + sign + "o " + name + "\n")
	case print:
		sh.showShopt(name, on)
	default:
		sh.printf("%-15s\t%s\n", name, onOff(on))
	}
	return on
}

func (sh *Shell) showShopt(name string, on bool) {
	flag := "-u"
	if on {
		flag = "-s"
	}
	sh.print("shopt " + flag + " " + name + "\n")
}

// showShopts lists the options for which keep holds.
func (sh *Shell) showShopts(commands bool, keep func(bool) bool) {
	for i, name := range shoptNames {
		on := sh.shopt.has(1 << i)
		if keep != nil && !keep(on) {
			continue
		}
		if commands {
			sh.showShopt(name, on)
		} else {
			sh.printf("%-15s\t%s\n", name, onOff(on))
		}
	}
}

// builtinShift is shift.
func builtinShift(sh *Shell, args []string) int {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil {
			sh.errorf("shift: %s: numeric argument required", args[1])
			return 1
		}
	}
	if len(args) > 2 {
		sh.errorf("shift: too many arguments")
		return 1
	}
	if n < 0 {
		sh.errorf("shift: %d: shift count out of range", n)
		return 1
	}
	if n > len(sh.params) {
		if sh.shopt.has(shoptShiftVerbose) {
			sh.errorf("shift: %d: shift count out of range", n)
		}
		return 1
	}
	sh.params = sh.params[n:]
	return 0
}

// builtinLet is let.
func builtinLet(sh *Shell, args []string) int {
	if len(args) < 2 {
		sh.errorf("let: expression expected")
		return 1
	}
	var v int64
	for _, a := range args[1:] {
		var ok bool
		if v, ok = sh.evalLet(a); !ok {
			return 1
		}
	}
	if v == 0 {
		return 1
	}
	return 0
}

func (sh *Shell) evalLet(s string) (int64, bool) {
	e := evaluator{sh: sh}
	v := e.text(s)
	if e.err != nil {
		sh.errorf("let: %s: %s", s, e.err.Error())
		return 0, false
	}
	return v, sh.ctl == ctlNone
}

// builtinGetopts is getopts.
func builtinGetopts(sh *Shell, args []string) int {
	if len(args) < 3 {
		return sh.usage("getopts", "", "getopts optstring name [arg ...]")
	}
	spec, name := args[1], args[2]
	list := sh.params
	if len(args) > 3 {
		list = args[3:]
	}
	silent := strings.HasPrefix(spec, ":")
	ind, _ := sh.get("OPTIND")
	at, err := strconv.Atoi(ind)
	if err != nil || at < 1 {
		at = 1
	}
	g := getopter{sh: sh, spec: strings.TrimPrefix(spec, ":"), silent: silent, name: name, at: at - 1, most: len(list)}
	return g.next(list)
}

// getopter is one call of getopts.
type getopter struct {
	sh     *Shell
	spec   string
	silent bool
	name   string
	at     int
	most   int
}

func (g *getopter) next(list []string) int {
	sh := g.sh
	if g.at >= len(list) || sh.optPos == 0 && (len(list[g.at]) < 2 || list[g.at][0] != '-') {
		return g.end()
	}
	if sh.optPos == 0 && list[g.at] == "--" {
		g.at++
		return g.end()
	}
	word := list[g.at]
	pos := max(sh.optPos, 1)
	if pos >= len(word) {
		return g.end()
	}
	c := word[pos]
	pos++
	takesArg, known := g.lookup(c)
	if !known {
		g.advance(word, pos)
		return g.unknown(c)
	}
	if !takesArg {
		g.advance(word, pos)
		return g.found(string(c), "", false)
	}
	if pos < len(word) {
		g.at++
		g.store(0)
		return g.found(string(c), word[pos:], true)
	}
	g.at++
	if g.at >= len(list) {
		g.store(0)
		return g.missing(c)
	}
	arg := list[g.at]
	g.at++
	g.store(0)
	return g.found(string(c), arg, true)
}

func (g *getopter) lookup(c byte) (takesArg, known bool) {
	i := strings.IndexByte(g.spec, c)
	if i < 0 || c == ':' {
		return false, false
	}
	return i+1 < len(g.spec) && g.spec[i+1] == ':', true
}

// advance moves to the next letter of a word or the next word.
func (g *getopter) advance(word string, pos int) {
	if pos >= len(word) {
		g.at++
		pos = 0
	}
	g.store(pos)
}

func (g *getopter) store(pos int) {
	_ = g.sh.set("OPTIND", strconv.Itoa(g.at+1))
	g.sh.optPos = pos
}

func (g *getopter) end() int {
	g.at = min(g.at, g.most)
	g.store(0)
	_ = g.sh.unset("OPTARG")
	g.setName("?")
	return 1
}

func (g *getopter) setName(v string) bool {
	if !syntax.IsName(g.name) {
		g.sh.errorf("getopts: `%s': not a valid identifier", g.name)
		return false
	}
	return g.sh.set(g.name, v) == nil
}

func (g *getopter) found(letter, arg string, hasArg bool) int {
	if hasArg {
		_ = g.sh.set("OPTARG", arg)
	} else {
		_ = g.sh.unset("OPTARG")
	}
	if !g.setName(letter) {
		return 1
	}
	return 0
}

func (g *getopter) unknown(c byte) int {
	if g.silent {
		return g.found("?", string(c), true)
	}
	g.complain("illegal option -- " + string(c))
	return g.found("?", "", false)
}

func (g *getopter) missing(c byte) int {
	if g.silent {
		return g.found(":", string(c), true)
	}
	g.complain("option requires an argument -- " + string(c))
	return g.found("?", "", false)
}

func (g *getopter) complain(msg string) {
	if v, _ := g.sh.get("OPTERR"); v != "0" {
		g.sh.write(2, g.sh.arg0+": "+msg+"\n")
	}
}

package shell

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/sys"
)

// tilde expands ~user.
func (sh *Shell) tilde(user string) string {
	switch user {
	case "":
		if home, set := sh.get("HOME"); set {
			return home
		}
		return "/home/" + sys.User
	case "+":
		return sh.dir
	case "-":
		if old, set := sh.get("OLDPWD"); set {
			return old
		}
	case "root":
		return "/root"
	case sys.User:
		return "/home/" + sys.User
	default:
		if n, err := strconv.Atoi(user); err == nil {
			stack := append([]string{sh.dir}, sh.dirs...)
			if n < 0 || user[0] == '-' {
				n += len(stack) - 1
			}
			if n >= 0 && n < len(stack) {
				return stack[n]
			}
		}
	}
	return "~" + user
}

// arithText is the result of $((…)).
func (sh *Shell) arithText(a *syntax.ArithText) string {
	v := sh.arith(a)
	if sh.ctl != ctlNone {
		return ""
	}
	return strconv.FormatInt(v, 10)
}

// substitute runs $(…) and returns what it writes, without trailing newlines.
func (sh *Shell) substitute(c *syntax.CmdSubst) string {
	if sh.ctl != ctlNone || !sh.enter("command substitution") {
		return ""
	}
	defer func() { sh.depth-- }()
	list, err := c.List(sh.parserOptions())
	if err != nil {
		sh.syntaxError(err, "command substitution")
	}
	if list == nil || len(list.Items) == 0 {
		sh.substStatus = 0
		if err != nil {
			sh.substStatus = 2
		}
		return ""
	}
	if s, ok := sh.inputFile(list); ok {
		return s
	}
	sub := sh.subshell()
	if sub == nil {
		sh.substStatus = statusFork
		return ""
	}
	if !sh.shopt.has(shoptInheritErrexit) && !sh.opt.has(optPosix) {
		sub.opt &^= optErrexit
	}
	sub.traceLevel++
	out := &capture{done: make(chan struct{})}
	sub.setFD(1, ownedFile(out)).unref()
	sub.runSubshell(list)
	sh.substStatus, sh.status = sub.status, sub.status
	sh.waitCapture(out)
	if out.full {
		sh.substTooLarge()
		return ""
	}
	s := out.text()
	if strings.IndexByte(s, 0) >= 0 {
		sh.errorf("warning: command substitution: ignored null byte in input")
		s = strings.TrimRight(strings.ReplaceAll(s, "\x00", ""), "\n")
	}
	return s
}

// substTooLarge ends the shell as it does for any value that is too large: to go on with a part of the output would be wrong.
func (sh *Shell) substTooLarge() {
	sh.errorf("command substitution: output exceeds %d bytes", maxValue)
	sh.exit(statusTooLarge)
	sh.substStatus = statusTooLarge
}

// waitCapture waits until nothing writes to the substitution any more: background jobs of it may.
func (sh *Shell) waitCapture(c *capture) {
	select {
	case <-c.done:
	case <-sh.ctx.Done():
		sh.die()
	}
}

// inputFile is $(< file).
func (sh *Shell) inputFile(list *syntax.List) (string, bool) {
	if len(list.Items) != 1 || list.Items[0].Background {
		return "", false
	}
	c, ok := list.Items[0].Cmd.(*syntax.Simple)
	if !ok || len(c.Words)+len(c.Assigns) > 0 || len(c.Redirs) != 1 {
		return "", false
	}
	r := c.Redirs[0]
	if r.Op != "<" || r.FD > 0 || r.FDVar != "" {
		return "", false
	}
	name, ok := sh.redirTarget(r)
	if !ok {
		sh.substStatus = 1
		return "", true
	}
	f, err := sh.open(name, "<")
	if err != nil {
		sh.errorf("%s: %s", name, strerror(err))
		sh.substStatus = 1
		return "", true
	}
	defer f.syncUnref()
	var text []byte
	for err == nil {
		text, err = sh.readValue(text, f, 0)
	}
	switch {
	case errors.Is(err, errValueTooLarge):
		sh.substTooLarge()
		return "", true
	case !errors.Is(err, io.EOF) && sh.ctx.Err() == nil:
		sh.errorf("%s: %s", name, strerror(err))
		sh.substStatus = 1
		return "", true
	}
	sh.substStatus = 0
	return strings.TrimRight(strings.ReplaceAll(string(text), "\x00", ""), "\n"), true
}

// subshell makes a subshell that runs on this goroutine; nil when there are too many processes.
func (sh *Shell) subshell() *Shell {
	if sh.ctx.Err() != nil {
		sh.die()
		return nil
	}
	sub := sh.clone()
	p := sh.sys.start(sh.self.pid, sh.self.cancel)
	if p == nil {
		sh.forkError()
		sub.closeFDs()
		return nil
	}
	ctx, cancel := withCancel(sh.ctx)
	sub.ctx = ctx
	p.cancel = cancel
	sub.self = p
	sub.publishTraps()
	return sub
}

// forkError reports that there are too many processes. As in bash the shell then gives up what it is doing, which is
// what stops a bomb from growing again wherever one of its processes has ended.
func (sh *Shell) forkError() {
	sh.errorf("fork: retry: Resource temporarily unavailable")
	if sh.subshells > 0 {
		sh.exit(statusFork)
		return
	}
	sh.abort()
	sh.status = statusFork
}

// statusFork is the exit status when a process cannot be made.
const statusFork = 254

// runSubshell runs a list as the whole life of a subshell.
func (sh *Shell) runSubshell(list *syntax.List) {
	sh.list(list)
	sh.finish()
}

// procSubst is the running command of <(…) or >(…).
type procSubst struct {
	fd  int
	out bool
}

// procSubst starts the command and returns the path of the descriptor that leads to it.
func (sh *Shell) procSubst(p *syntax.ProcSubst) string {
	if sh.ctl != ctlNone {
		return ""
	}
	r, w := pipe.New()
	mine, theirs, theirFD := ownedFile(r), ownedFile(w), 1
	if p.Out {
		mine, theirs, theirFD = ownedFile(w), ownedFile(r), 0
	}
	const first = 63
	fd := first
	for sh.fd(fd) != nil {
		fd--
	}
	if fd < firstHighFD {
		fd = sh.freeFD(first)
	}
	proc := sh.spawnIn(sh.family.ctx, func(sub *Shell) {
		sub.setFD(theirFD, theirs).unref()
		if s, ok := sub.inputFile(p.Body); ok && !p.Out {
			sub.print(s + "\n")
			return
		}
		sub.list(p.Body)
	})
	if proc == nil {
		mine.unref()
		theirs.unref()
		return "/dev/null"
	}
	sh.jobs.last = proc.pid
	sh.jobs.remember(proc)
	sh.family.add(proc)
	sh.setFD(fd, mine)
	sh.procSubs = append(sh.procSubs, &procSubst{fd: fd, out: p.Out})
	return fmt.Sprintf("/dev/fd/%d", fd)
}

// closeProcSubs closes the descriptors of process substitutions made since there were n.
func (sh *Shell) closeProcSubs(n int) {
	for _, p := range sh.procSubs[n:] {
		sh.setFD(p.fd, nil).syncUnref()
	}
	sh.procSubs = sh.procSubs[:n]
}

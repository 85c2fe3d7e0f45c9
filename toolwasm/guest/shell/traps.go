package shell

import (
	"maps"
	"strings"

	"openclaw/toolwasm/guest/shell/syntax"
)

// The pseudo-signals of trap, as bits of traps.active.
const (
	trapExit uint8 = 1 << iota
	trapErr
	trapDebug
	trapReturn
)

// signals are the names of the signals, without SIG; the index is the number.
var signals = [...]string{
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
	"TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH",
	"IO", "PWR", "SYS",
}

// traps are the traps of a shell, by name ("EXIT", "INT", "ERR").
type traps struct {
	actions map[string]string
	active  uint8
	// listed keeps what trap -p shows in a subshell whose traps have been reset.
	listed map[string]string
}

// forSubshell is what a subshell inherits: ignored signals.
func (t traps) forSubshell() traps {
	if t.actions == nil {
		return traps{}
	}
	sub := traps{listed: maps.Clone(t.actions)}
	for name, action := range t.actions {
		if action == "" {
			sub.put(name, "")
		}
	}
	sub.inheritable(t)
	return sub
}

// inheritable keeps the traps that set -E and set -T pass on; whether they run is decided when they would.
func (t *traps) inheritable(from traps) {
	for _, name := range []string{"ERR", "DEBUG", "RETURN"} {
		if a, ok := from.actions[name]; ok {
			t.put(name, a)
		}
	}
}

func (t *traps) put(name, action string) {
	if t.actions == nil {
		t.actions = map[string]string{}
	}
	t.actions[name] = action
	t.active |= pseudoBit(name)
}

func (t *traps) remove(name string) {
	delete(t.actions, name)
	t.active &^= pseudoBit(name)
}

func pseudoBit(name string) uint8 {
	switch name {
	case "EXIT":
		return trapExit
	case "ERR":
		return trapErr
	case "DEBUG":
		return trapDebug
	case "RETURN":
		return trapReturn
	}
	return 0
}

// signalName normalises the name or number of a signal; "" when there is no such signal.
func signalName(s string) string {
	if isNumber(s) {
		for i, n := range signals {
			if itoa(i) == s {
				return n
			}
		}
		return ""
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	switch name {
	case "ERR", "DEBUG", "RETURN":
		return name
	}
	if signalNumber(name) >= 0 {
		return name
	}
	return ""
}

// signalNumber returns the number of a signal's name, -1 when there is none.
func signalNumber(name string) int {
	for i, n := range signals {
		if n == name {
			return i
		}
	}
	return -1
}

// publishTraps tells the process which signals it catches.
func (sh *Shell) publishTraps() {
	var caught, ignored uint64
	for name, action := range sh.traps.actions {
		n := signalNumber(name)
		if n <= 0 {
			continue
		}
		if action == "" {
			ignored |= 1 << n
		} else {
			caught |= 1 << n
		}
	}
	sh.self.caught.Store(caught)
	sh.self.ignored.Store(ignored)
}

// runTrap runs an action; the status of what came before is kept.
func (sh *Shell) runTrap(action string, keep bool) {
	if !sh.enter("trap") {
		return
	}
	defer func() { sh.depth-- }()
	status, line, loops := sh.status, sh.line, sh.loops
	ctl := sh.ctl
	sh.ctl = ctlNone
	was := sh.inTrap
	sh.inTrap = true
	pipestatus := sh.pipestatus
	current := sh.current
	sh.traceLevel++
	sh.runSource(source{text: action, line: line, label: "trap"})
	sh.traceLevel--
	sh.inTrap = was
	sh.pipestatus = pipestatus
	sh.current = current
	sh.line = line
	sh.loops = loops
	if sh.ctl == ctlAbort {
		sh.ctl = ctlNone
	}
	if sh.ctl == ctlNone {
		sh.ctl = ctl
		if keep {
			sh.status = status
		}
	}
}

// runPendingTraps runs the traps of signals that have arrived.
func (sh *Shell) runPendingTraps() {
	if sh.inSignal {
		return // when the action that runs is over
	}
	sh.inSignal = true
	defer func() { sh.inSignal = false }()
	for sh.ctl == ctlNone && sh.step() {
		bits := sh.self.pending.Swap(0)
		if bits == 0 {
			return
		}
		for n := 1; n < len(signals); n++ {
			if bits&(1<<n) == 0 {
				continue
			}
			if action := sh.traps.actions[signals[n]]; action != "" {
				sh.runTrap(action, true)
			}
		}
	}
}

func (sh *Shell) errTrap() {
	if sh.traps.active&trapErr == 0 || sh.inTrap {
		return
	}
	if !sh.opt.has(optErrtrace) && (sh.callFrame() != nil || sh.subshells > sh.trapLevel) {
		return
	}
	sh.runTrap(sh.traps.actions["ERR"], true)
}

// debugTrap runs before the command c.
func (sh *Shell) debugTrap(c syntax.Command) {
	if sh.traps.active&trapDebug == 0 || sh.inTrap {
		return
	}
	sh.current = c
	if !sh.opt.has(optFunctrace) && (sh.callFrame() != nil || sh.subshells > sh.trapLevel) {
		return
	}
	sh.runTrap(sh.traps.actions["DEBUG"], true)
}

// returnTrap runs when a function or a sourced file is left.
func (sh *Shell) returnTrap() {
	if sh.traps.active&trapReturn == 0 || sh.inTrap || sh.ctl == ctlExit {
		return
	}
	sh.runTrap(sh.traps.actions["RETURN"], true)
}

// hideTraps hides the RETURN trap of the caller from a function that does not inherit it.
func (sh *Shell) hideTraps(fn *function) (hidden string) {
	if sh.traps.active&trapReturn == 0 || sh.opt.has(optFunctrace) || fn.traced {
		return ""
	}
	hidden = sh.traps.actions["RETURN"]
	sh.traps.remove("RETURN")
	return hidden
}

func (sh *Shell) unhideTraps(hidden string) {
	if hidden == "" {
		return
	}
	if _, set := sh.traps.actions["RETURN"]; !set {
		sh.traps.put("RETURN", hidden)
	}
}

// exitTrap runs the EXIT trap, once.
func (sh *Shell) exitTrap() {
	action, ok := sh.traps.actions["EXIT"]
	if !ok || sh.exiting {
		return
	}
	sh.traps.remove("EXIT")
	sh.exiting = true
	status := sh.status
	sh.ctl = ctlNone
	sh.noErr = 0
	killed := sh.self.killed.Swap(0)
	if killed != 0 {
		ctx, cancel := withCancel(sh.family.ctx) // the shell's own is over
		defer cancel(nil)
		sh.ctx = ctx
	}
	sh.runTrap(action, false)
	if sh.ctl != ctlExit || killed != 0 {
		sh.status = status
	}
	sh.self.killed.CompareAndSwap(0, killed)
}

// finish ends a shell or subshell: its EXIT trap runs, its descriptors are closed, its status becomes known.
func (sh *Shell) finish() {
	if sh.ctl == ctlReturn || sh.ctl == ctlBreak || sh.ctl == ctlContinue {
		sh.ctl = ctlNone
	}
	sh.exitTrap()
	sh.flush()
	sh.closeFDs()
	sh.sys.end(sh.self, sh.status)
	if sh.subshells > 0 {
		sh.self.cancel(nil) // else the parent's context would remember it
	}
}

// close gives up the contexts of a shell at the root.
func (sh *Shell) close() {
	sh.family.cancel(nil)
	sh.self.cancel(nil)
}

// setTrap sets, resets ("-") or clears a trap.
func (sh *Shell) setTrap(name, action string) {
	if sh.traps.listed != nil {
		sh.traps.listed = nil
	}
	if action == "-" {
		sh.traps.remove(name)
	} else {
		sh.traps.put(name, action)
		sh.trapLevel = sh.subshells
	}
	sh.publishTraps()
}

package shell

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
)

// builtinTrap is trap.
func builtinTrap(sh *Shell, args []string) int {
	const usage = "trap [-lp] [[arg] signal_spec ...]"
	opts, rest, ok := sh.options(args, "lp", usage)
	if !ok {
		return 2
	}
	for _, o := range opts {
		if o.letter == 'l' {
			sh.listSignals()
			return 0
		}
	}
	if len(opts) > 0 || len(rest) == 0 {
		return sh.showTraps(rest)
	}
	action := rest[0]
	names := rest[1:]
	if len(names) == 0 {
		if signalName(action) == "" {
			return sh.usage("trap", "", usage)
		}
		action, names = "-", rest
	} else if isNumber(action) && signalName(action) != "" {
		action, names = "-", rest
	}
	status := 0
	for _, n := range names {
		name := signalName(n)
		if name == "" {
			sh.errorf("trap: %s: invalid signal specification", n)
			status = 1
			continue
		}
		sh.setTrap(name, action)
	}
	return status
}

// trapOrder is the order in which traps are shown.
func trapOrder() []string {
	return append(signals[:len(signals):len(signals)], "DEBUG", "ERR", "RETURN")
}

func (sh *Shell) showTraps(only []string) int {
	actions := sh.traps.actions
	if sh.traps.listed != nil {
		actions = sh.traps.listed
	}
	names := trapOrder()
	status := 0
	if len(only) > 0 {
		names = nil
		for _, n := range only {
			name := signalName(n)
			if name == "" {
				sh.errorf("trap: %s: invalid signal specification", n)
				status = 1
				continue
			}
			names = append(names, name)
		}
	}
	for _, n := range names {
		action, ok := actions[n]
		if !ok {
			continue
		}
		label := n
		if signalNumber(n) > 0 {
			label = "SIG" + n
		}
		sh.print("trap -- " + quote(action) + " " + label + "\n")
	}
	return status
}

func (sh *Shell) listSignals() {
	const perLine = 5
	for i := 1; i < len(signals); i++ {
		sh.printf("%2d) SIG%s", i, signals[i])
		if i%perLine == 0 || i == len(signals)-1 {
			sh.print("\n")
		} else {
			sh.print("\t")
		}
	}
}

// builtinKill is kill.
func builtinKill(sh *Shell, args []string) int {
	const usage = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"
	args = args[1:]
	sig := signalNumber("TERM")
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" {
		a := args[0]
		args = args[1:]
		switch {
		case a == "-l" || a == "-L":
			return sh.killList(args)
		case a == "-s" || a == "-n":
			if len(args) == 0 {
				sh.errorf("kill: %s: option requires an argument", a)
				return 1
			}
			a, args = "-"+args[0], args[1:]
		}
		name := signalName(a[1:])
		if sig = signalNumber(name); sig < 0 {
			sh.errorf("kill: %s: invalid signal specification", a[1:])
			return 1
		}
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return sh.usage("kill", "", usage)
	}
	status := 1
	for _, a := range args {
		if sh.killOne(a, sig) {
			status = 0
		}
	}
	sh.runPendingTraps()
	if !sh.step() {
		return sh.status // the signal was for this shell, or its trap has left it
	}
	return status
}

func (sh *Shell) killOne(word string, sig int) bool {
	if strings.HasPrefix(word, "%") {
		j := sh.jobs.find(word)
		if j == nil {
			sh.errorf("kill: %s: no such job", word)
			return false
		}
		for _, p := range j.procs {
			p.signal(sig)
		}
		return true
	}
	pid, err := strconv.Atoi(word)
	if err != nil {
		sh.errorf("kill: %s: arguments must be process or job IDs", word)
		return false
	}
	if pid < 0 {
		pid = -pid
	}
	if pid == 0 {
		pid = sh.pid
	}
	p := sh.sys.find(pid)
	if p == nil {
		sh.errorf("kill: (%d) - No such process", pid)
		return false
	}
	p.signal(sig)
	return true
}

func (sh *Shell) killList(args []string) int {
	if len(args) == 0 {
		sh.listSignals()
		return 0
	}
	status := 0
	for _, a := range args {
		if n, err := strconv.Atoi(a); err == nil {
			if n > command.StatusSignalBase {
				n -= command.StatusSignalBase
			}
			if n >= 0 && n < len(signals) {
				sh.print(signals[n] + "\n")
				continue
			}
		} else if n := signalNumber(signalName(a)); n >= 0 {
			sh.print(itoa(n) + "\n")
			continue
		}
		sh.errorf("kill: %s: invalid signal specification", a)
		status = 1
	}
	return status
}

// builtinWait is wait.
func builtinWait(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "fnp:", "wait [-fn] [-p var] [id ...]")
	if !ok {
		return 2
	}
	next, variable := false, ""
	for _, o := range opts {
		switch o.letter {
		case 'n':
			next = true
		case 'p':
			variable = o.arg
		}
	}
	sh.flush()
	switch {
	case next:
		return sh.waitNext(rest, variable)
	case len(rest) == 0:
		return sh.waitAll()
	}
	status := 0
	for _, word := range rest {
		var done bool
		if status, done = sh.waitOne(word, variable); !done {
			return status
		}
	}
	return status
}

// waitProc waits for a process; a trapped signal ends the waiting with its status.
func (sh *Shell) waitProc(p *process) (int, bool) {
	if sh.await(p, true) {
		return p.status, true
	}
	if sh.ctl != ctlNone {
		return sh.status, false
	}
	bits := sh.self.pending.Load()
	sh.runPendingTraps()
	for n := 1; n < len(signals); n++ {
		if bits&(1<<n) != 0 {
			return command.StatusSignalBase + n, false
		}
	}
	return sh.waitProc(p)
}

func (sh *Shell) waitAll() int {
	for len(sh.jobs.list) > 0 {
		j := sh.jobs.list[0]
		for _, p := range j.procs {
			if status, done := sh.waitProc(p); !done {
				return status
			}
		}
		sh.jobs.remove(j)
	}
	return 0
}

func (sh *Shell) waitOne(word, variable string) (status int, done bool) {
	if strings.HasPrefix(word, "%") {
		j := sh.jobs.find(word)
		if j == nil {
			sh.errorf("wait: %s: no such job", word)
			return command.StatusNotFound, true
		}
		status, done = sh.waitProc(j.last())
		if done {
			sh.jobs.remove(j)
		}
		return status, done
	}
	pid, err := strconv.Atoi(word)
	if err != nil {
		sh.errorf("wait: `%s': not a pid or valid job spec", word)
		return 1, true
	}
	p := sh.jobs.others[pid]
	if p == nil {
		sh.errorf("wait: pid %d is not a child of this shell", pid)
		return command.StatusNotFound, true
	}
	status, done = sh.waitProc(p)
	if done {
		if j := sh.jobs.find(word); j != nil {
			sh.jobs.remove(j)
		}
		if variable != "" {
			_ = sh.set(variable, word)
		}
	}
	return status, done
}

// waitNext is wait -n: the next job that ends.
func (sh *Shell) waitNext(words []string, variable string) int {
	if variable != "" {
		_ = sh.unset(variable)
	}
	var jobs []*job
	for _, w := range words {
		if j := sh.jobs.find(w); j != nil {
			jobs = append(jobs, j)
		}
	}
	if len(words) == 0 {
		jobs = append(jobs, sh.jobs.list...)
	}
	if len(jobs) == 0 {
		return command.StatusNotFound
	}
	ended := make(chan *job, len(jobs))
	stop := make(chan struct{})
	defer close(stop)
	for _, j := range jobs {
		if j.done() {
			return sh.reportNext(j, variable)
		}
	}
	for _, j := range jobs {
		go func() {
			select {
			case <-j.last().done:
				ended <- j
			case <-stop:
			}
		}()
	}
	for {
		select {
		case j := <-ended:
			return sh.reportNext(j, variable)
		case <-sh.ctx.Done():
			sh.die()
			return sh.status
		case <-sh.self.wake:
			bits := sh.self.pending.Load()
			sh.runPendingTraps()
			for n := 1; n < len(signals); n++ {
				if bits&(1<<n) != 0 {
					return command.StatusSignalBase + n
				}
			}
		}
	}
}

func (sh *Shell) reportNext(j *job, variable string) int {
	sh.jobs.remove(j)
	if variable != "" {
		_ = sh.set(variable, itoa(j.last().pid))
	}
	return j.last().status
}

// builtinJobs is jobs.
func builtinJobs(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "lnprsx", "jobs [-lnprs] [jobspec ...] or jobs -x command [args]")
	if !ok {
		return 2
	}
	var pids, long, running, stopped bool
	for _, o := range opts {
		switch o.letter {
		case 'p':
			pids = true
		case 'l':
			long = true
		case 'r':
			running = true
		case 's':
			stopped = true
		}
	}
	table := sh.jobs.shown()
	jobs := append([]*job(nil), table.list...)
	status := 0
	if len(rest) > 0 {
		jobs = nil
		for _, w := range rest {
			if j := table.find(w); j != nil {
				jobs = append(jobs, j)
			} else {
				sh.errorf("jobs: %s: no such job", w)
				status = 1
			}
		}
	}
	for _, j := range jobs {
		done := j.done()
		if stopped || running && done {
			continue
		}
		if pids {
			sh.print(itoa(j.procs[0].pid) + "\n")
			continue
		}
		sh.showJob(table, j, long)
		if done {
			table.remove(j)
		}
	}
	return status
}

func (sh *Shell) showJob(table *jobTable, j *job, long bool) {
	mark := ' '
	switch j {
	case table.find("%+"):
		mark = '+'
	case table.find("%-"):
		mark = '-'
	}
	state, tail := "Running", " &"
	if j.done() {
		tail = ""
		switch s := j.last().status; {
		case s == 0:
			state = "Done"
		case s > command.StatusSignalBase && s-command.StatusSignalBase < len(signals) && j.last().killed.Load() != 0:
			state = signalText(s - command.StatusSignalBase)
		default:
			state = fmt.Sprintf("Exit %d", s)
		}
	}
	pid := ""
	if long {
		pid = itoa(j.last().pid) + " "
	}
	sh.printf("[%d]%c  %s%-23s %s%s\n", j.number, mark, pid, state, j.text, tail)
}

func signalText(n int) string {
	switch signals[n] {
	case "TERM":
		return "Terminated"
	case "KILL":
		return "Killed"
	case "HUP":
		return "Hangup"
	case "INT":
		return "Interrupt"
	}
	return signals[n]
}

// builtinFg is fg and bg, which need job control.
func builtinFg(sh *Shell, args []string) int {
	if !sh.opt.has(optMonitor) {
		sh.errorf("%s: no job control", args[0])
		return 1
	}
	word := "%+"
	if len(args) > 1 {
		word = args[1]
	}
	j := sh.jobs.find(word)
	if j == nil {
		sh.errorf("%s: %s: no such job", args[0], strings.TrimPrefix(word, "%+"))
		return 1
	}
	if args[0] == "bg" {
		return 0
	}
	sh.print(j.text + "\n")
	sh.flush()
	status, done := sh.waitProc(j.last())
	if done {
		sh.jobs.remove(j)
	}
	return status
}

// builtinDisown is disown.
func builtinDisown(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "ahr", "disown [-h] [-ar] [jobspec ... | pid ...]")
	if !ok {
		return 2
	}
	for _, o := range opts {
		if o.letter == 'a' {
			sh.jobs.list = nil
			return 0
		}
		if o.letter == 'h' {
			return 0
		}
	}
	if len(rest) == 0 {
		rest = []string{"%+"}
	}
	status := 0
	for _, w := range rest {
		j := sh.jobs.find(w)
		if j == nil {
			sh.errorf("disown: %s: no such job", w)
			status = 1
			continue
		}
		sh.jobs.remove(j)
	}
	return status
}

// builtinTimes is times.
func builtinTimes(sh *Shell, _ []string) int {
	d := time.Since(sh.started)
	t := seconds(d, 3, true)
	sh.print(t + " 0m0.000s\n0m0.000s 0m0.000s\n")
	return 0
}

// builtinUmask is umask.
func builtinUmask(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "pS", "umask [-p] [-S] [mode]")
	if !ok {
		return 2
	}
	symbolic, reusable := false, false
	for _, o := range opts {
		symbolic = symbolic || o.letter == 'S'
		reusable = reusable || o.letter == 'p'
	}
	if len(rest) > 0 {
		mask, ok := parseMask(rest[0], sh.umask)
		if !ok {
			if isNumber(rest[0]) {
				sh.errorf("umask: %s: octal number out of range", rest[0])
			} else {
				sh.errorf("umask: `%s': invalid symbolic mode operator", rest[0])
			}
			return 1
		}
		sh.umask = mask
		if !symbolic {
			return 0
		}
	}
	text := fmt.Sprintf("%04o", uint32(sh.umask))
	if symbolic {
		text = symbolicMask(sh.umask)
	}
	if reusable {
		if symbolic {
			text = "-S " + text
		}
		text = "umask " + text
	}
	sh.print(text + "\n")
	return 0
}

func symbolicMask(mask fs.FileMode) string {
	var b strings.Builder
	for i, who := range "ugo" {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteRune(who)
		b.WriteByte('=')
		for k, c := range "rwx" {
			if mask&(1<<(8-3*i-k)) == 0 {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}

// parseMask reads an octal or symbolic mask.
func parseMask(s string, old fs.FileMode) (fs.FileMode, bool) {
	if isNumber(s) {
		n, err := strconv.ParseUint(s, 8, 32)
		return fs.FileMode(n), err == nil && n <= 0o777
	}
	perm := ^old & 0o777
	for _, clause := range strings.Split(s, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			return 0, false
		}
		var who fs.FileMode
		for _, c := range clause[:at] {
			switch c {
			case 'u':
				who |= 0o700
			case 'g':
				who |= 0o070
			case 'o':
				who |= 0o007
			case 'a':
				who |= 0o777
			default:
				return 0, false
			}
		}
		if who == 0 {
			who = 0o777
		}
		var bits fs.FileMode
		for _, c := range clause[at+1:] {
			switch c {
			case 'r':
				bits |= 0o444
			case 'w':
				bits |= 0o222
			case 'x', 'X':
				bits |= 0o111
			case 's', 't':
			default:
				return 0, false
			}
		}
		switch clause[at] {
		case '+':
			perm |= bits & who
		case '-':
			perm &^= bits & who
		default:
			perm = perm&^who | bits&who
		}
	}
	return ^perm & 0o777, true
}

package shell

import (
	"context"
	"strings"
	"sync"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/shell/syntax"
)

// job is a background command of a shell.
type job struct {
	number int
	procs  []*process // the last one's status is the job's
	text   string
}

func (j *job) last() *process { return j.procs[len(j.procs)-1] }

func (j *job) done() bool {
	for _, p := range j.procs {
		select {
		case <-p.done:
		default:
			return false
		}
	}
	return true
}

// jobTable holds the background commands of one shell.
type jobTable struct {
	list []*job
	last int // $!
	// inherited is the list of the parent, which jobs shows in a pipeline and a command substitution.
	inherited []*job
	// others are processes that wait may be asked for: process substitutions, jobs that are over.
	others map[int]*process
}

// remember keeps a process for `wait pid`.
func (t *jobTable) remember(p *process) {
	const most = 4096
	if t.others == nil {
		t.others = map[int]*process{}
	}
	if len(t.others) >= most {
		t.forget()
	}
	t.others[p.pid] = p
}

// forget drops processes that have ended, except those of jobs that are still listed.
func (t *jobTable) forget() {
	listed := map[*process]bool{}
	for _, j := range t.list {
		for _, p := range j.procs {
			listed[p] = true
		}
	}
	for pid, p := range t.others {
		select {
		case <-p.done:
			if !listed[p] && pid != t.last {
				delete(t.others, pid)
			}
		default:
		}
	}
}

func (t *jobTable) add(j *job) {
	t.inherited = nil
	j.number = 1
	for _, k := range t.list {
		j.number = max(j.number, k.number+1)
	}
	t.list = append(t.list, j)
	t.last = j.last().pid
	for _, p := range j.procs {
		t.remember(p)
	}
}

func (t *jobTable) remove(j *job) {
	for i, k := range t.list {
		if k == j {
			t.list = append(t.list[:i:i], t.list[i+1:]...)
			return
		}
	}
}

// shown is the table that jobs shows.
func (t *jobTable) shown() *jobTable {
	if len(t.list) > 0 || len(t.inherited) == 0 {
		return t
	}
	return &jobTable{list: t.inherited}
}

// forSubshell is the table of a subshell: its parent's jobs are not its own, but it knows of them.
func (t *jobTable) forSubshell() jobTable {
	inherited := t.list
	if len(inherited) == 0 {
		inherited = t.inherited
	}
	return jobTable{last: t.last, inherited: append([]*job(nil), inherited...)}
}

// find returns the job that a word names: %n, %%, %+, %-, %text, or a process id.
func (t *jobTable) find(word string) *job {
	if !strings.HasPrefix(word, "%") {
		for _, j := range t.list {
			for _, p := range j.procs {
				if itoa(p.pid) == word {
					return j
				}
			}
		}
		return nil
	}
	name := word[1:]
	switch name {
	case "", "%", "+":
		if len(t.list) > 0 {
			return t.list[len(t.list)-1]
		}
		return nil
	case "-":
		if len(t.list) > 1 {
			return t.list[len(t.list)-2]
		}
		return t.find("%+")
	}
	for _, j := range t.list {
		switch {
		case isNumber(name):
			if itoa(j.number) == name {
				return j
			}
		case name[0] == '?':
			if strings.Contains(j.text, name[1:]) {
				return j
			}
		case strings.HasPrefix(j.text, name):
			return j
		}
	}
	return nil
}

func withCancel(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(ctx)
}

// family is the background processes of a shell and its subshells, which end when the shell does.
type family struct {
	ctx    context.Context // of the jobs; it ends after the shell at the root, which cancels it
	cancel context.CancelCauseFunc
	mu     sync.Mutex
	procs  []*process
}

func (f *family) add(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.procs = append(alive(f.procs), p)
}

// running lists the processes that have not ended.
func (f *family) running() []*process {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.procs = alive(f.procs)
	return append([]*process(nil), f.procs...)
}

func alive(procs []*process) []*process {
	live := procs[:0]
	for _, p := range procs {
		select {
		case <-p.done:
		default:
			live = append(live, p)
		}
	}
	return live
}

// spawn runs f in a subshell on a goroutine of its own; nil, reported, when there are too many processes.
func (sh *Shell) spawn(f func(sub *Shell)) *process { return sh.spawnIn(sh.ctx, f) }

// spawnIn is spawn with the context that the subshell's is derived from: that of the family for a job, which its parent
// does not take with it.
func (sh *Shell) spawnIn(parent context.Context, f func(sub *Shell)) *process {
	if sh.ctx.Err() != nil {
		sh.die() // forking is how a bomb would go on after it has been stopped
		return nil
	}
	ctx, cancel := withCancel(parent)
	p := sh.sys.start(sh.self.pid, cancel)
	if p == nil {
		cancel(nil)
		sh.forkError()
		return nil
	}
	sub := sh.clone()
	sub.ctx, sub.self = ctx, p
	sub.publishTraps()
	sub.noErr = 0
	if sh.noErr > 0 {
		sub.noErr = 1
	}
	go func() {
		defer cancel(nil)
		f(sub)
		sub.finish()
	}()
	return p
}

// await waits for a process, which a signal to the shell interrupts. It reports false when one did.
func (sh *Shell) await(p *process, interruptible bool) bool {
	for {
		select {
		case <-p.done:
			return true
		case <-sh.ctx.Done():
			sh.die()
			return false
		case <-sh.self.wake:
			if interruptible {
				return false
			}
			defer func() { // leave the news to whoever looks for it
				select {
				case sh.self.wake <- struct{}{}:
				default:
				}
			}()
			select {
			case <-p.done:
				return true
			case <-sh.ctx.Done():
				sh.die()
				return false
			}
		}
	}
}

// pipeline runs commands connected by pipes.
func (sh *Shell) pipeline(c *syntax.Pipeline) {
	if c.Timed {
		sh.timed(c)
		return
	}
	sh.runPipeline(c)
}

func (sh *Shell) runPipeline(c *syntax.Pipeline) {
	if c.Negate {
		sh.noErr++
		sh.runStages(c.Cmds)
		sh.noErr--
		if sh.ctl == ctlNone {
			sh.status = int(truth(sh.status == 0))
		}
		return
	}
	sh.runStages(c.Cmds)
	if len(c.Cmds) > 1 {
		sh.checkError()
	}
}

func (sh *Shell) runStages(cmds []syntax.Command) {
	switch len(cmds) {
	case 0:
		sh.status = 0
		return
	case 1:
		sh.run(cmds[0])
		sh.pipestatus = append(sh.pipestatus[:0:0], sh.status)
		return
	}
	if !sh.enter("pipeline") {
		return
	}
	defer func() { sh.depth-- }()
	sh.flush()
	procs, in := sh.startStages(cmds)
	statuses := make([]int, len(cmds))
	last := len(cmds) - 1
	switch {
	case in == nil:
		statuses[last] = statusFork
	case sh.shopt.has(shoptLastpipe) && !sh.opt.has(optMonitor):
		undo := sh.put(nil, 0, in)
		sh.noErr++
		sh.run(cmds[last])
		sh.noErr--
		sh.flush()
		sh.undo(undo)
		statuses[last] = sh.status
	default:
		sh.beginStage(cmds[last])
		statuses[last] = sh.lastStage(cmds[last], in)
	}
	for i, p := range procs {
		if p == nil {
			statuses[i] = statusFork
			continue
		}
		sh.awaitStage(p)
		statuses[i] = p.status
	}
	sh.pipestatus = statuses
	if sh.ctl != ctlNone {
		return
	}
	sh.status = statuses[last]
	if sh.opt.has(optPipefail) {
		for _, s := range statuses {
			if s != 0 {
				sh.status = s
			}
		}
	}
}

func (sh *Shell) awaitStage(p *process) {
	select {
	case <-p.done:
	case <-sh.ctx.Done():
		<-p.done // its context is done too: it ends at its next step
		sh.die()
	}
}

// startStages starts all stages but the last, which reads from in; in is nil when a process could not be made.
func (sh *Shell) startStages(cmds []syntax.Command) (procs []*process, in *file) {
	procs = make([]*process, len(cmds)-1)
	for i, c := range cmds[:len(cmds)-1] {
		sh.beginStage(c)
		r, w := pipe.New()
		stdin, stdout := in, ownedFile(w)
		procs[i] = sh.spawn(func(sub *Shell) {
			if stdin != nil {
				sub.setFD(0, stdin).unref()
			}
			sub.setFD(1, stdout).unref()
			sub.stage(c)
		})
		if procs[i] == nil {
			stdin.unref()
			stdout.unref()
			_ = r.Close()
			return procs, nil
		}
		in = ownedFile(r)
	}
	return procs, in
}

// stage runs one command of a pipeline as the whole of a subshell.
func (sh *Shell) stage(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Subshell:
		sh.list(c.Body) // the stage is a subshell already
	case *syntax.Simple:
		if sh.step() {
			sh.runSimple(c) // the traps are run by the shell that waits for the pipeline
		}
	default:
		sh.run(c)
	}
}

// beginStage does for a stage that is a simple command what concerns the shell that starts it.
func (sh *Shell) beginStage(c syntax.Command) {
	if s, ok := c.(*syntax.Simple); ok {
		sh.begin(s, s.Line)
		sh.debugTrap(s)
	}
}

// lastStage runs the last command of a pipeline in a subshell on this goroutine.
func (sh *Shell) lastStage(c syntax.Command, in *file) int {
	sub := sh.subshell()
	if sub == nil {
		in.unref()
		return statusFork
	}
	sub.setFD(0, in).unref()
	sub.stage(c)
	sub.finish()
	return sub.status
}

// background starts a command as a job.
func (sh *Shell) background(c syntax.Command) {
	sh.flush()
	sh.beginStage(c)
	p := sh.spawnIn(sh.family.ctx, func(sub *Shell) {
		if !sub.opt.has(optMonitor) {
			sub.setFD(0, ownedFile(&text{})).syncUnref()
		}
		sub.noErr = 0
		sub.stage(c)
	})
	if p == nil {
		sh.status = statusFork
		return
	}
	sh.family.add(p)
	sh.jobs.add(&job{procs: []*process{p}, text: commandText(c)})
	sh.status = 0
}

// timed runs a pipeline and reports how long it took.
func (sh *Shell) timed(c *syntax.Pipeline) {
	start := time.Now()
	sh.runPipeline(c)
	took := time.Since(start)
	format, set := sh.get("TIMEFORMAT")
	switch {
	case c.TimedPosix:
		format = "real %2R\nuser %2U\nsys %2S"
	case !set:
		format = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
	case format == "":
		return
	}
	sh.write(2, timeText(format, took)+"\n")
}

// timeText expands TIMEFORMAT. All time counts as user time: a guest cannot tell.
func timeText(format string, took time.Duration) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		prec, long := 3, false
		if c := format[i]; c >= '0' && c <= '9' {
			prec = min(int(c-'0'), 6)
			i++
		}
		if i < len(format) && format[i] == 'l' {
			long = true
			i++
		}
		if i >= len(format) {
			break
		}
		switch format[i] {
		case '%':
			b.WriteByte('%')
		case 'R', 'U':
			b.WriteString(seconds(took, prec, long))
		case 'S':
			b.WriteString(seconds(0, prec, long))
		case 'P':
			b.WriteString("100.00")
		default:
			b.WriteByte('%')
			b.WriteByte(format[i])
		}
	}
	return b.String()
}

func seconds(d time.Duration, prec int, long bool) string {
	digits := func(s float64) string { return formatFloat(s, prec) }
	if !long {
		return digits(d.Seconds())
	}
	m := int(d.Minutes())
	return itoa(m) + "m" + digits(d.Seconds()-float64(60*m)) + "s"
}

// backgroundGrace is how long background jobs go on when the shell ends: what they still write belongs to the
// output of the script, but a job without end does not keep the script from ending.
const backgroundGrace = 500 * time.Millisecond

// reap waits for the background processes of the family, for a short while, and ends those that are left.
func (sh *Shell) reap() {
	timer := time.AfterFunc(backgroundGrace, func() {
		sh.family.cancel(&command.Signal{Number: signalNumber("HUP")})
	})
	defer timer.Stop()
	for {
		running := sh.family.running()
		if len(running) == 0 {
			return
		}
		for _, p := range running {
			<-p.done
		}
	}
}

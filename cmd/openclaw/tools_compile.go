package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// compileReport tells the user why the first run takes long, and that it goes on. Every write is a whole line, so that what
// another process writes to the same place at the same time does not end up inside. Several programs may be compiled at once.
type compileReport struct {
	w        io.Writer
	terminal bool
	lost     string // why nothing is kept for the next time, "" when it is

	mu    sync.Mutex
	steps map[string]*compileStep // by program
}

// compileStep is one compilation.
type compileStep struct {
	line  string
	begun time.Time
	stop  chan struct{}
	ended chan struct{}
}

// progressInterval is how often a terminal shows that compilation goes on.
const progressInterval = time.Second

func newCompileReport(w io.Writer) *compileReport {
	r := &compileReport{w: w, steps: map[string]*compileStep{}}
	if f, ok := w.(*os.File); ok {
		st, err := f.Stat()
		r.terminal = err == nil && st.Mode()&os.ModeCharDevice != 0
	}
	if _, err := os.UserCacheDir(); err != nil {
		r.lost = err.Error()
	}
	return r
}

func (r *compileReport) progress(p sandbox.Progress) {
	if !p.Done {
		r.begin(p)
		return
	}
	r.mu.Lock()
	step := r.steps[p.Program]
	delete(r.steps, p.Program)
	r.mu.Unlock()
	if step == nil {
		return
	}
	close(step.stop)
	<-step.ended
	switch {
	case p.Err != nil && r.terminal:
		fmt.Fprintln(r.w) // the error follows
	case p.Err != nil:
	case r.terminal:
		fmt.Fprintf(r.w, "\r%s: done in %.1f s\n", step.line, time.Since(step.begun).Seconds())
	default:
		fmt.Fprintf(r.w, "openclaw: compiled in %.1f s\n", time.Since(step.begun).Seconds())
	}
}

func (r *compileReport) begin(p sandbox.Progress) {
	step := &compileStep{begun: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	r.mu.Lock()
	r.steps[p.Program] = step
	r.mu.Unlock()
	size := float64(p.Bytes) / 1e6
	switch {
	case r.lost != "":
		fmt.Fprintf(r.w, "openclaw: compiling %s (%.1f MB) for this run only: nothing is kept (%s)\n", programText(p.Program), size, r.lost)
	case !r.terminal:
		fmt.Fprintf(r.w, "openclaw: compiling %s (%.1f MB) for this machine; this happens once\n", programText(p.Program), size)
	}
	if !r.terminal {
		close(step.ended)
		return
	}
	step.line = fmt.Sprintf("openclaw: compiling %s for this machine, once", programText(p.Program)) // short: a line that wraps is not written over
	if r.lost != "" {
		step.line = fmt.Sprintf("openclaw: compiling %s", programText(p.Program))
	}
	fmt.Fprintf(r.w, "\r%s", step.line)
	go r.tick(step)
}

// tick writes the line again and again, with the seconds that have passed.
func (r *compileReport) tick(step *compileStep) {
	defer close(step.ended)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			fmt.Fprintf(r.w, "\r%s: %.0f s ", step.line, time.Since(step.begun).Seconds())
		case <-step.stop:
			return
		}
	}
}

// programText is a program as a message names it.
func programText(name string) string {
	if name == toolwasm.Source().Name {
		return "the " + name
	}
	return name
}

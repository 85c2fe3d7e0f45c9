package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"openclaw/sandbox"
)

// compileReport tells the user why the first run takes long, and that it goes on. Every write is a whole line, so that what
// another process writes to the same place at the same time does not end up inside.
type compileReport struct {
	w        io.Writer
	terminal bool
	lost     string // why nothing is kept for the next time, "" when it is
	line     string
	begun    time.Time
	stop     chan struct{}
	ended    chan struct{}
}

// progressInterval is how often a terminal shows that compilation goes on.
const progressInterval = time.Second

func newCompileReport(w io.Writer) *compileReport {
	r := &compileReport{w: w}
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
	close(r.stop)
	<-r.ended
	switch {
	case p.Err != nil && r.terminal:
		fmt.Fprintln(r.w) // the error follows
	case p.Err != nil:
	case r.terminal:
		fmt.Fprintf(r.w, "\r%s: done in %.1f s\n", r.line, time.Since(r.begun).Seconds())
	default:
		fmt.Fprintf(r.w, "openclaw: compiled in %.1f s\n", time.Since(r.begun).Seconds())
	}
}

func (r *compileReport) begin(p sandbox.Progress) {
	r.begun, r.stop, r.ended = time.Now(), make(chan struct{}), make(chan struct{})
	size := float64(p.Bytes) / 1e6
	switch {
	case r.lost != "":
		fmt.Fprintf(r.w, "openclaw: compiling the %s (%.1f MB) for this run only: nothing is kept (%s)\n", p.Program, size, r.lost)
	case !r.terminal:
		fmt.Fprintf(r.w, "openclaw: compiling the %s (%.1f MB) for this machine; this happens once\n", p.Program, size)
	}
	if !r.terminal {
		close(r.ended)
		return
	}
	r.line = fmt.Sprintf("openclaw: compiling the %s for this machine, once", p.Program) // short: a line that wraps is not written over
	if r.lost != "" {
		r.line = fmt.Sprintf("openclaw: compiling the %s", p.Program)
	}
	fmt.Fprintf(r.w, "\r%s", r.line)
	go r.tick()
}

// tick writes the line again and again, with the seconds that have passed.
func (r *compileReport) tick() {
	defer close(r.ended)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			fmt.Fprintf(r.w, "\r%s: %.0f s ", r.line, time.Since(r.begun).Seconds())
		case <-r.stop:
			return
		}
	}
}

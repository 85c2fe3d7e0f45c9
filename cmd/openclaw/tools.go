package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// tools are an engine, the toolbox and one session, opened together and closed together.
type tools struct {
	engine  *sandbox.Engine
	toolbox *toolwasm.Toolbox
	session *sandbox.Session
}

// openTools checks the grant first, so that a mistake costs nothing and leaves nothing.
func openTools(ctx context.Context, std streams, grant sandbox.Grant) (*tools, error) {
	if err := grant.Check(); err != nil {
		return nil, err
	}
	report := &compileReport{w: std.err}
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{Progress: report.progress})
	if err != nil {
		return nil, err
	}
	t := &tools{engine: engine}
	box := sandbox.New(engine)
	if t.toolbox, err = toolwasm.Load(ctx, box); err != nil {
		t.close()
		return nil, err
	}
	if t.session, err = box.Open(grant); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tools) close() {
	if t.session != nil {
		_ = t.session.Close()
	}
	_ = t.engine.Close(context.Background())
}

// compileReport tells the user why the first run takes long, and that it goes on.
type compileReport struct {
	w     io.Writer
	begun time.Time
	stop  chan struct{}
	ended chan struct{}
}

// progressInterval is how often a dot shows that compilation goes on.
const progressInterval = time.Second

func (r *compileReport) progress(p sandbox.Progress) {
	if p.Done {
		close(r.stop)
		<-r.ended
		fmt.Fprintf(r.w, " done in %.1f s\n", time.Since(r.begun).Seconds())
		return
	}
	r.begun, r.stop, r.ended = time.Now(), make(chan struct{}), make(chan struct{})
	fmt.Fprintf(r.w, "openclaw: compiling the %s (%.1f MB) for this machine; this happens once ", p.Program, float64(p.Bytes)/1e6)
	go r.tick()
}

func (r *compileReport) tick() {
	defer close(r.ended)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			fmt.Fprint(r.w, ".")
		case <-r.stop:
			return
		}
	}
}

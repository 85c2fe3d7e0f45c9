package main

import (
	"context"

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
	report := newCompileReport(std.err)
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

package main

import (
	"context"

	"openclaw/runtime/config"
	"openclaw/runtime/programs"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// tools are an engine, the toolbox and one session, opened together and closed together.
type tools struct {
	engine  *sandbox.Engine
	toolbox *toolwasm.Toolbox
	session *sandbox.Session
}

// openTools checks the grant first, so that a mistake costs nothing and leaves nothing. The scripts get the programs of this machine.
func openTools(ctx context.Context, std streams, grant sandbox.Grant) (*tools, error) {
	installed, err := programsOf(config.Options{})
	if err != nil {
		return nil, err
	}
	grant.Programs = addCommands(installed, grant.Programs)
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

// programsOf lists what scripts can run beside the toolbox. Who has no state directory has installed nothing.
func programsOf(o config.Options) ([]sandbox.NamedProgram, error) {
	location, err := config.Locate(o)
	if err != nil {
		return toolwasm.Programs(), nil
	}
	return programs.At(location.StateDir).Named()
}

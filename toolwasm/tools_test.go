package toolwasm_test

import (
	"bytes"
	"context"
	"testing"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// tools are a sandbox and the toolbox, loaded through the user's cache so that they are compiled once.
type tools struct {
	box     *sandbox.Sandbox
	toolbox *toolwasm.Toolbox
}

func newTools(tb testing.TB) *tools {
	tb.Helper()
	ctx := context.Background()
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(ctx); err != nil {
			tb.Errorf("close engine: %v", err)
		}
	})
	box := sandbox.New(engine)
	toolbox, err := toolwasm.Load(ctx, box)
	if err != nil {
		tb.Fatal(err)
	}
	return &tools{box: box, toolbox: toolbox}
}

// workspace is the grant of one directory.
func workspace(dir string) sandbox.Grant {
	return sandbox.Grant{
		Mounts: []sandbox.Mount{{Guest: toolwasm.Workspace, Host: dir, Access: sandbox.ReadWrite}},
		Tmp:    true,
	}
}

// sh runs a script in a session of its own and returns what it wrote.
func (t *tools) sh(ctx context.Context, grant sandbox.Grant, script string, args ...string) (stdout, stderr string, result *sandbox.Result, err error) {
	session, err := t.box.Open(grant)
	if err != nil {
		return "", "", nil, err
	}
	defer session.Close()
	var out, errs bytes.Buffer
	result, err = t.toolbox.Exec(ctx, session, toolwasm.Script{Text: script, Args: args, Stdout: &out, Stderr: &errs})
	return out.String(), errs.String(), result, err
}

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// greeting is a WASI command that writes a line. A real one comes from any compiler that targets wasm32-wasi.
func greeting() []byte {
	m := &Module{}
	write := m.Import("wasi_snapshot_preview1", "fd_write", Types{I32, I32, I32, I32}, Types{I32})
	m.Memory(1, 1)
	text := "hello from inside\n"
	m.AddData(0, append(iovec(64, uint32(len(text))), make([]byte, 8)...))
	m.AddData(64, []byte(text))
	m.Func("_start", nil, nil, nil, Const(1), Const(0), Const(1), Const(32), Call(write), Drop)
	return m.Encode()
}

// A guest gets a directory and nothing else, for a second.
func Example() {
	ctx := context.Background()
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close(ctx)
	box := sandbox.New(engine)
	program, err := box.Load(ctx, sandbox.Module("greeting", greeting()))
	if err != nil {
		fmt.Println(err)
		return
	}
	grant := sandbox.Grant{
		Mounts: []sandbox.Mount{{Guest: "/workspace", Host: os.TempDir(), Access: sandbox.ReadOnly}},
		Limits: sandbox.Limits{Timeout: time.Second, Memory: 16 << 20},
	}
	result, err := box.Run(ctx, grant, program, sandbox.Command{
		Args:   []string{"greeting"},
		Stdout: os.Stdout,
	})
	var limit *sandbox.LimitError
	if errors.As(err, &limit) {
		fmt.Println("it was ended by its limit of", limit.Limit)
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exit code", result.ExitCode)
	// Output:
	// hello from inside
	// exit code 0
}

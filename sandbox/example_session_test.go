package sandbox_test

import (
	"context"
	"fmt"
	"os"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// Where the guests of the example keep their things.
const (
	notePath   = 0   // in memory: the path of the note
	noteVector = 64  // an iovec of the text
	noteText   = 128 // the text
	noteFile   = 256 // the descriptor that path_open answers
	noteCount  = 260 // what fd_read and fd_write answer
	noteName   = "tmp/note"
	note       = "buy milk\n"
)

// noteKeeper is a WASI command that opens /tmp/note and calls body with the functions to read and write.
func noteKeeper(openFlags int32, text string, body func(read, write uint32) []byte) []byte {
	m := &Module{}
	open := m.Import("wasi_snapshot_preview1", "path_open", Types{I32, I32, I32, I32, I32, I64, I64, I32, I32}, Types{I32})
	read := m.Import("wasi_snapshot_preview1", "fd_read", Types{I32, I32, I32, I32}, Types{I32})
	write := m.Import("wasi_snapshot_preview1", "fd_write", Types{I32, I32, I32, I32}, Types{I32})
	m.Memory(1, 1)
	m.AddData(notePath, []byte(noteName))
	m.AddData(noteVector, iovec(noteText, uint32(len(note))))
	m.AddData(noteText, []byte(text))
	const root, readAndWrite = 3, 1<<1 | 1<<6
	m.Func("_start", nil, nil, nil,
		Const(root), Const(0), Const(notePath), Const(int32(len(noteName))), Const(openFlags), Const64(readAndWrite), Const64(0), Const(0),
		Const(noteFile), Call(open), Drop, body(read, write))
	return m.Encode()
}

// noteDescriptor is the file that path_open opened.
func noteDescriptor() []byte { return Cat(Const(noteFile), []byte{0x28, 2, 0}) }

// noteTaker writes a note, noteReader shows it.
func noteTaker() []byte {
	const create = 1
	return noteKeeper(create, note, func(_, write uint32) []byte {
		return Cat(noteDescriptor(), Const(noteVector), Const(1), Const(noteCount), Call(write), Drop)
	})
}

func noteReader() []byte {
	return noteKeeper(0, "", func(read, write uint32) []byte {
		return Cat(noteDescriptor(), Const(noteVector), Const(1), Const(noteCount), Call(read), Drop,
			Const(1), Const(noteVector), Const(1), Const(noteCount), Call(write), Drop)
	})
}

// The calls of a session share its /tmp, which is gone when the session is closed.
func ExampleSandbox_Open() {
	ctx := context.Background()
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close(ctx)
	box := sandbox.New(engine)
	taker, err := box.Load(ctx, sandbox.Module("taker", noteTaker()))
	if err != nil {
		fmt.Println(err)
		return
	}
	reader, err := box.Load(ctx, sandbox.Module("reader", noteReader()))
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := box.Open(sandbox.Grant{Tmp: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for _, program := range []*sandbox.Program{taker, reader} {
		result, err := session.Run(ctx, program, sandbox.Command{Args: []string{program.Name()}, Stdout: os.Stdout})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(program.Name(), "exit code", result.ExitCode)
	}
	// Output:
	// taker exit code 0
	// buy milk
	// reader exit code 0
}

// An engine tells what it compiles, and how that ended, for a line on a screen.
func ExampleProgress() {
	ctx := context.Background()
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{
		CacheDir: sandbox.NoCache,
		Progress: func(p sandbox.Progress) {
			switch {
			case !p.Done:
				fmt.Println("compiling", p.Program)
			case p.Err != nil:
				fmt.Println("failed:", p.Err)
			default:
				fmt.Println("ready:", p.Program)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close(ctx)
	_, _ = engine.Load(ctx, sandbox.Module("greeting", greeting()))
	_, _ = engine.Load(ctx, sandbox.Module("greeting", greeting())) // loaded already
	// Output:
	// compiling greeting
	// ready: greeting
}

// Package sandbox runs WebAssembly programs that can touch only what they were granted.
//
// A [Grant] is the complete list of what one guest may use: directories, environment, limits. What is not in it does
// not exist for the guest. There is no ambient authority to fall back on: no host path, no host environment
// variable, no network, no process.
//
//	box := sandbox.New(engine)
//	program, err := box.Load(ctx, sandbox.Module("hello", wasm))
//	result, err := box.Run(ctx, grant, program, sandbox.Command{Args: []string{"hello"}})
//
// A guest can start other programs that the grant names, each in an instance of its own, with pipes between them:
// [NamedProgram]. They have the session's files and what the call has left of its limits.
//
// The package promises that
//
//   - no path, link or race leads out of a mounted directory, and a read-only mount cannot be changed;
//   - every guest ends at its deadline, its cancellation or its fuel, whatever it does, and its memory, output, disk
//     space, files and handles are bounded: a limit that ended a call is a typed [LimitError], and [Result].Hit names
//     every limit that the call ran into;
//   - the host survives every guest: no panic, no goroutine and no memory is left behind;
//   - the same guest on the same input uses the same fuel on every machine.
//
// It knows nothing of agents, tools or skills.
package sandbox

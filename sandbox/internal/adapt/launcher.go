package adapt

import (
	"fmt"
	"slices"

	"openclaw/sandbox/internal/wasm"
)

// Launcher starts an interpreter that was built to be embedded: a module with functions, in the canonical ABI, that take an
// interpreter's command line and evaluate a text in its language. It makes a reactor of it. What is the same in each call, the
// start of the interpreter and the prelude, is done when the reactor is initialised, and so only once.
type Launcher struct {
	Initialize string // export without parameters: what is called first
	Alloc      string // export (old, old size, align, size) -> address
	Start      string // export (address, length) of a list of strings, without a result
	Eval       string // export (address, length) of a text -> address of a handle and a status, which is not zero when it failed

	// Args is what the interpreter is started with; each gets a NUL behind it.
	Args []string
	// Prelude is evaluated behind that.
	Prelude string
	// Run is evaluated in each call: its parts with the arguments between the first two, and the environment between the others. Both
	// are written as letters, a byte as two, the high half first, a is 0 and p is 15. A NUL stands behind each string.
	Run [3]string
}

// The exports of a reactor.
const (
	initializeExport = "_initialize"
	runExport        = "openclaw_run"
)

// launcher assembles the functions.
type launcher struct {
	a                              *adapter
	n                              needs
	initialize, alloc, start, eval uint32 // functions of the module
	spell                          uint32

	args    []text
	prelude text
	run     [3]text
	size    int32  // of all texts
	segment uint32 // that holds them until the reactor is initialised
	texts   uint32 // global: where they are then
}

// text is one of the constant texts: where it begins among all, and its length.
type text struct{ at, size int32 }

func (a *adapter) launch(l *Launcher, n needs) error {
	if a.m.NumMemories() == 0 {
		return fmt.Errorf("%w: it has no memory", ErrCannotAdapt)
	}
	b := &launcher{a: a, n: n}
	for _, f := range []struct {
		index           *uint32
		export          string
		params, results int
	}{
		{&b.initialize, l.Initialize, 0, 0},
		{&b.alloc, l.Alloc, 4, 1},
		{&b.start, l.Start, 2, 0},
		{&b.eval, l.Eval, 2, 1},
	} {
		index, err := a.exported(f.export, i32s(f.params, f.results))
		if err != nil {
			return err
		}
		*f.index = index
	}
	b.addTexts(l)
	b.spell = a.add(a.typeOf(i32s(3, 0)), nil, spellBody())
	a.export(initializeExport, b.addInitialize())
	a.export(runExport, b.addRun())
	return nil
}

// i32s is a type of 32-bit integers alone.
func i32s(params, results int) wasm.FuncType {
	n := func(n int) []wasm.ValueType { return slices.Repeat([]wasm.ValueType{wasm.I32}, n) }
	return wasm.FuncType{Params: n(params), Results: n(results)}
}

// exported finds a function that the module defines and exports, which must have the type.
func (a *adapter) exported(name string, t wasm.FuncType) (uint32, error) {
	imported := uint32(a.m.NumImported(wasm.ExternFunc))
	for _, x := range a.m.Exports {
		if x.Kind != wasm.ExternFunc || x.Name != name {
			continue
		}
		if x.Index < imported || x.Index-imported >= uint32(len(a.m.Functions)) {
			break
		}
		typ := a.m.Functions[x.Index-imported]
		if int(typ) >= len(a.m.Types) || !slices.Equal(a.m.Types[typ].Params, t.Params) || !slices.Equal(a.m.Types[typ].Results, t.Results) {
			return 0, fmt.Errorf("%w: its function %q has another type", ErrCannotAdapt, name)
		}
		return x.Index, nil
	}
	return 0, fmt.Errorf("%w: it exports no function %q", ErrCannotAdapt, name)
}

// export exports a function under a name, which another may have had.
func (a *adapter) export(name string, index uint32) {
	a.m.Exports = slices.DeleteFunc(a.m.Exports, func(x wasm.Export) bool { return x.Name == name })
	a.m.Exports = append(a.m.Exports, wasm.Export{Name: name, Kind: wasm.ExternFunc, Index: index})
}

// addTexts adds the constant texts, in a segment that is copied to where there is room.
func (b *launcher) addTexts(l *Launcher) {
	var all []byte
	add := func(s string) text {
		t := text{int32(len(all)), int32(len(s))}
		all = append(all, s...)
		return t
	}
	for _, arg := range l.Args {
		b.args = append(b.args, add(arg+"\x00"))
	}
	b.prelude = add(l.Prelude)
	for i, part := range l.Run {
		b.run[i] = add(part)
	}
	b.size = int32(len(all))
	m := b.a.m
	b.segment = uint32(len(m.Data))
	m.Data = append(m.Data, wasm.Data{Mode: wasm.Passive, Bytes: all})
	count := uint32(len(m.Data))
	m.DataCount = &count
	b.texts = uint32(m.NumGlobals())
	m.Globals = append(m.Globals, wasm.Global{Type: wasm.GlobalType{Value: wasm.I32, Mutable: true}, Init: wasm.I32Const(0)})
}

// addInitialize adds the function that starts the interpreter.
func (b *launcher) addInitialize() uint32 {
	const list, size = 0, 1 // locals
	c := &asm{}
	c.op(wasm.OpCall, b.initialize)
	c.i32(b.size)
	c.set(size)
	b.allocate(c, size)
	c.op(wasm.OpGlobalSet, b.texts)
	c.op(wasm.OpGlobalGet, b.texts)
	c.i32(0)
	c.get(size)
	c.op(wasm.OpMemoryInit, b.segment, 0)

	const entry = 8 // bytes of an entry of the list
	c.i32(int32(entry * len(b.args)))
	c.set(size)
	b.allocate(c, size)
	c.set(list)
	for i, t := range b.args {
		c.get(list)
		b.address(c, t)
		c.op(opI32Store, 2, uint32(entry*i))
		c.get(list)
		c.i32(t.size)
		c.op(opI32Store, 2, uint32(entry*i+4))
	}
	c.get(list)
	c.i32(int32(len(b.args)))
	c.op(wasm.OpCall, b.start)

	b.address(c, b.prelude)
	c.i32(b.prelude.size)
	c.op(wasm.OpCall, b.eval)
	c.op(opI32Load, 2, 4)
	c.trapIf()
	return b.a.add(b.a.typeOf(i32s(0, 0)), locals(2), c.code)
}

// The locals of the function that runs.
const (
	runSize = iota // of what is allocated next
	runPair        // two numbers, or what the host tells of a descriptor
	runList
	runArgs
	runArgsSize
	runEnv
	runEnvSize
	runText
	runEnd // of what is written of it
	runLocals
)

// addRun adds the function that a call runs.
func (b *launcher) addRun() uint32 {
	const pairSize = 24 // that of what the host tells of a descriptor, which is more
	c := &asm{}
	c.i32(pairSize)
	c.set(runSize)
	b.allocate(c, runSize)
	c.set(runPair)
	b.block(c)
	b.fetch(c, "args", runArgs, runArgsSize)
	b.fetch(c, "environ", runEnv, runEnvSize)

	c.get(runArgsSize)
	c.get(runEnvSize)
	c.op(wasm.OpI32Add)
	c.i32(2) // letters for each byte
	c.op(wasm.OpI32Mul)
	c.i32(b.run[0].size + b.run[1].size + b.run[2].size)
	c.op(wasm.OpI32Add)
	c.set(runSize)
	b.allocate(c, runSize)
	c.op(wasm.OpLocalTee, runText)
	c.set(runEnd)
	b.copy(c, b.run[0])
	b.letters(c, runArgs, runArgsSize)
	b.copy(c, b.run[1])
	b.letters(c, runEnv, runEnvSize)
	b.copy(c, b.run[2])

	c.get(runText)
	c.get(runSize)
	c.op(wasm.OpCall, b.eval)
	c.op(opI32Load, 2, 4)
	return b.a.add(b.a.typeOf(i32s(0, 1)), locals(runLocals), c.code)
}

// block makes the standard streams blocking ones: for a reactor they are not, but C libraries expect them to be.
func (b *launcher) block(c *asm) {
	const flags, nonblock = 2, 4 // offset and bit in what the host tells
	for fd := range int32(3) {
		c.i32(fd)
		c.get(runPair)
		c.op(wasm.OpCall, b.n["fd_fdstat_get"])
		c.op(opI32Eqz)
		c.block(wasm.OpIf) // a stream may be closed
		c.i32(fd)
		c.get(runPair)
		c.op(opI32Load16U, 1, flags)
		c.i32(^nonblock)
		c.op(wasm.OpI32And)
		c.op(wasm.OpCall, b.n["fd_fdstat_set_flags"])
		c.op(wasm.OpDrop)
		c.op(wasm.OpEnd)
	}
}

// fetch asks the host for strings. Where they begin each it says too, which nobody needs.
func (b *launcher) fetch(c *asm, what string, buffer, size uint32) {
	c.get(runPair)
	c.get(runPair)
	c.i32(4)
	c.op(wasm.OpI32Add)
	c.op(wasm.OpCall, b.n[what+"_sizes_get"])
	c.trapIf()
	c.get(runPair)
	c.op(opI32Load, 2, 0)
	c.i32(4)
	c.op(wasm.OpI32Mul)
	c.set(runSize)
	b.allocate(c, runSize)
	c.set(runList)
	c.get(runPair)
	c.op(opI32Load, 2, 4)
	c.set(size)
	b.allocate(c, size)
	c.set(buffer)
	c.get(runList)
	c.get(buffer)
	c.op(wasm.OpCall, b.n[what+"_get"])
	c.trapIf()
}

// copy writes a constant text.
func (b *launcher) copy(c *asm, t text) {
	c.get(runEnd)
	b.address(c, t)
	c.i32(t.size)
	c.op(wasm.OpMemoryCopy, 0, 0)
	c.get(runEnd)
	c.i32(t.size)
	c.op(wasm.OpI32Add)
	c.set(runEnd)
}

// letters writes bytes as letters.
func (b *launcher) letters(c *asm, buffer, size uint32) {
	c.get(buffer)
	c.get(size)
	c.get(runEnd)
	c.op(wasm.OpCall, b.spell)
	c.get(runEnd)
	c.get(size)
	c.i32(2)
	c.op(wasm.OpI32Mul)
	c.op(wasm.OpI32Add)
	c.set(runEnd)
}

// allocate leaves the address of as many bytes as a local says on the stack. Some more are asked for, as nothing cannot be had.
func (b *launcher) allocate(c *asm, size uint32) {
	const align, spare = 8, 8
	c.i32(0)
	c.i32(0)
	c.i32(align)
	c.get(size)
	c.i32(spare)
	c.op(wasm.OpI32Add)
	c.op(wasm.OpCall, b.alloc)
}

// address leaves the address of a constant text on the stack.
func (b *launcher) address(c *asm, t text) {
	c.op(wasm.OpGlobalGet, b.texts)
	c.i32(t.at)
	c.op(wasm.OpI32Add)
}

// spellBody is a function (from, size, to) that writes each byte as two letters.
func spellBody() []byte {
	const from, size, to = 0, 1, 2
	c := &asm{}
	c.block(wasm.OpBlock)
	c.block(wasm.OpLoop)
	c.get(size)
	c.op(opI32Eqz)
	c.op(wasm.OpBrIf, 1)
	for half, shift := range []int32{4, 0} {
		c.get(to)
		c.get(from)
		c.op(opI32Load8U, 0, 0)
		c.i32(shift)
		c.op(opI32ShrU)
		c.i32(0x0f)
		c.op(wasm.OpI32And)
		c.i32('a')
		c.op(wasm.OpI32Add)
		c.op(opI32Store8, 0, uint32(half))
	}
	for _, step := range []struct {
		local uint32
		by    int32
	}{{from, 1}, {to, 2}, {size, -1}} {
		c.get(step.local)
		c.i32(step.by)
		c.op(wasm.OpI32Add)
		c.set(step.local)
	}
	c.op(wasm.OpBr, 0)
	c.op(wasm.OpEnd)
	c.op(wasm.OpEnd)
	return c.code
}

// trapIf ends the program when the number on the stack is not zero.
func (b *asm) trapIf() {
	b.block(wasm.OpIf)
	b.op(wasm.OpUnreachable)
	b.op(wasm.OpEnd)
}

func locals(n uint32) []wasm.LocalGroup { return []wasm.LocalGroup{{Count: n, Type: wasm.I32}} }

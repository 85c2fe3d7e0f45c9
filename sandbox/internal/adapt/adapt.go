// Package adapt makes programs of modules that are none as they are: it gives bodies to imports that nobody provides, and a start
// to a module that was built for a host that would call its functions one by one.
//
// What it returns is a module for WASI preview 1 that needs nothing else; how the module came about is not seen in it, and it
// gets no more than any other. Equal input gives equal output. Custom sections are left out, as they describe the code that was.
package adapt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"openclaw/sandbox/internal/wasm"
)

// Options say how to adapt a module.
type Options struct {
	// Name is what the program is called in what it writes about itself.
	Name string
	// Have reports whether an imported function exists.
	Have func(module, name string) bool
	// Stubs gives each function that does not exist a body, instead of leaving it for whoever loads the module to refuse.
	Stubs bool
	// Launcher, when set, starts the module.
	Launcher *Launcher
}

// ErrCannotAdapt reports a module that is not as the options expect it.
var ErrCannotAdapt = errors.New("cannot be adapted")

// Result is an adapted module.
type Result struct {
	Wasm  []byte
	Stubs []string // the functions that got a body, as "module.name", in the order of the imports
}

// Apply adapts a module.
func Apply(module []byte, opt Options) (Result, error) {
	m, err := wasm.Decode(module, wasm.Limits{})
	if err != nil {
		return Result{}, fmt.Errorf("adapt: %w", err)
	}
	a := &adapter{m: m, opt: opt}
	if err := a.run(); err != nil {
		return Result{}, fmt.Errorf("adapt: %w", err)
	}
	m.Customs = nil
	return Result{Wasm: m.Encode(), Stubs: a.stubs}, nil
}

// adapter edits a module. The new order of the functions is: imports that stay, imports that are added, functions of the module,
// those that take the place of imports, those that start it.
type adapter struct {
	m     *wasm.Module
	opt   Options
	stubs []string
	index []uint32 // of each original function in the new module
}

// stub is an import that gets a body.
type stub struct {
	wasm.Import
	old uint32 // its index
}

func (a *adapter) run() error {
	missing := a.takeMissing()
	needs := a.needs(len(missing) > 0)
	next := uint32(a.m.NumImported(wasm.ExternFunc))
	for range a.m.Functions {
		a.index = append(a.index, next)
		next++
	}
	for i, s := range missing {
		a.index[s.old] = next + uint32(i)
	}
	if err := a.renumber(); err != nil {
		return err
	}
	for _, s := range missing {
		a.add(s.Func, nil, a.stubBody(&s, needs))
	}
	if a.opt.Launcher == nil {
		return nil
	}
	return a.launch(a.opt.Launcher, needs)
}

// takeMissing removes the imported functions that get a body, and notes where the others go. Where these go is not known yet.
func (a *adapter) takeMissing() []stub {
	var missing []stub
	kept := a.m.Imports[:0:0]
	place := uint32(0)
	for _, im := range a.m.Imports {
		if im.Kind != wasm.ExternFunc {
			kept = append(kept, im)
			continue
		}
		if a.opt.Stubs && !a.opt.Have(im.Module, im.Name) && int(im.Func) < len(a.m.Types) {
			missing = append(missing, stub{im, uint32(len(a.index))})
			a.index = append(a.index, 0)
			a.stubs = append(a.stubs, im.Module+"."+im.Name)
			continue
		}
		a.index = append(a.index, place)
		kept = append(kept, im)
		place++
	}
	a.m.Imports = kept
	return missing
}

// The module that added code imports from.
const preview1 = "wasi_snapshot_preview1"

// needs are the functions that added code calls, by name.
type needs map[string]uint32

// needs finds or adds the imports of what is to be added.
func (a *adapter) needs(stubs bool) needs {
	n := needs{}
	want := func(names string, params, results int) {
		for name := range strings.FieldsSeq(names) {
			n[name] = a.importFunc(name, i32s(params, results))
		}
	}
	if stubs {
		want("fd_write", 4, 1)
		want("proc_exit", 1, 0)
	}
	if a.opt.Launcher != nil {
		want("args_sizes_get args_get environ_sizes_get environ_get fd_fdstat_get fd_fdstat_set_flags", 2, 1)
	}
	return n
}

// importFunc is the index of an import of WASI, which is added behind the others when it is not there.
func (a *adapter) importFunc(name string, t wasm.FuncType) uint32 {
	place := uint32(0)
	for _, im := range a.m.Imports {
		if im.Kind != wasm.ExternFunc {
			continue
		}
		if im.Module == preview1 && im.Name == name {
			return place
		}
		place++
	}
	a.m.Imports = append(a.m.Imports, wasm.Import{Module: preview1, Name: name, Kind: wasm.ExternFunc, Func: a.typeOf(t)})
	return place
}

// typeOf is the index of a type, which is added when it is not there.
func (a *adapter) typeOf(t wasm.FuncType) uint32 {
	for i, have := range a.m.Types {
		if slices.Equal(have.Params, t.Params) && slices.Equal(have.Results, t.Results) {
			return uint32(i)
		}
	}
	a.m.Types = append(a.m.Types, t)
	return uint32(len(a.m.Types) - 1)
}

// add adds a function and returns its index.
func (a *adapter) add(typ uint32, locals []wasm.LocalGroup, body []byte) uint32 {
	a.m.Functions = append(a.m.Functions, typ)
	a.m.Code = append(a.m.Code, wasm.Code{Locals: locals, Body: append(body, byte(wasm.OpEnd))})
	return uint32(a.m.NumFunctions() - 1)
}

// renumber gives the module's own references to functions their new indices.
func (a *adapter) renumber() error {
	var bad error
	to := func(old uint32) uint32 {
		if int(old) >= len(a.index) {
			bad = fmt.Errorf("%w: function index %d out of range", wasm.ErrMalformed, old)
			return 0
		}
		return a.index[old]
	}
	m := a.m
	for i := range m.Exports {
		if x := &m.Exports[i]; x.Kind == wasm.ExternFunc {
			x.Index = to(x.Index)
		}
	}
	for i := range m.Globals {
		m.Globals[i].Init = renumbered(m.Globals[i].Init, to)
	}
	for i := range m.Elements {
		e := &m.Elements[i]
		for j := range e.Funcs {
			e.Funcs[j] = to(e.Funcs[j])
		}
		for j := range e.Exprs {
			e.Exprs[j] = renumbered(e.Exprs[j], to)
		}
	}
	if m.Start != nil {
		start := to(*m.Start)
		m.Start = &start
	}
	for i := range m.Code {
		m.Code[i].Body = renumbered(m.Code[i].Body, to)
	}
	return bad
}

// renumbered is code with other function indices. What it cannot read it leaves, for the engine to refuse.
func renumbered(code []byte, to func(uint32) uint32) []byte {
	var out []byte
	var in wasm.Instr
	pos := 0
	r := wasm.NewInstrReader(code, 0)
	for r.Next(&in) {
		switch in.Op {
		case wasm.OpCall, wasm.OpReturnCall, wasm.OpRefFunc:
			if out == nil {
				out = make([]byte, 0, len(code)+len(code)/16)
			}
			out = append(out, code[pos:in.Start]...)
			out = wasm.AppendU32(wasm.AppendOp(out, in.Op), to(in.X))
			pos = in.End
		}
	}
	if pos == 0 {
		return code
	}
	return append(out, code[pos:]...)
}

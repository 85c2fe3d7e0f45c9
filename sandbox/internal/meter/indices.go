package meter

import (
	"fmt"

	"openclaw/sandbox/internal/wasm"
)

// checkIndices checks the indices outside function bodies, for the same reason
// as the scanner checks those inside: none may come to mean something of ours.
func checkIndices(m *wasm.Module, sp space) error {
	for i, t := range m.Functions {
		if err := inRange("type", t, sp.types); err != nil {
			return fmt.Errorf("function[%d]: %w", i, err)
		}
	}
	for i := range m.Imports {
		if im := &m.Imports[i]; im.Kind == wasm.ExternFunc {
			if err := inRange("type", im.Func, sp.types); err != nil {
				return fmt.Errorf("import[%d]: %w", i, err)
			}
		}
	}
	for i := range m.Globals {
		if err := checkInit(m.Globals[i].Init, sp); err != nil {
			return fmt.Errorf("global[%d]: %w", i, err)
		}
	}
	for i := range m.Data {
		if err := checkInit(m.Data[i].Offset, sp); err != nil {
			return fmt.Errorf("data[%d]: %w", i, err)
		}
	}
	for i := range m.Elements {
		if err := checkElement(&m.Elements[i], sp); err != nil {
			return fmt.Errorf("element[%d]: %w", i, err)
		}
	}
	return checkExported(m, sp)
}

func checkExported(m *wasm.Module, sp space) error {
	sizes := [...]uint32{
		wasm.ExternFunc: sp.functions, wasm.ExternTable: sp.tables,
		wasm.ExternMemory: uint32(m.NumMemories()), wasm.ExternGlobal: sp.globals,
	}
	for i := range m.Exports {
		x := &m.Exports[i]
		if err := inRange(x.Kind.String(), x.Index, sizes[x.Kind]); err != nil {
			return fmt.Errorf("export[%d]: %w", i, err)
		}
	}
	if m.Start == nil {
		return nil
	}
	if err := inRange("function", *m.Start, sp.functions); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}

func checkElement(e *wasm.Element, sp space) error {
	if e.Mode == wasm.Active {
		if err := inRange("table", e.Table, sp.tables); err != nil {
			return err
		}
	}
	if err := checkInit(e.Offset, sp); err != nil {
		return err
	}
	for _, f := range e.Funcs {
		if err := inRange("function", f, sp.functions); err != nil {
			return err
		}
	}
	for _, x := range e.Exprs {
		if err := checkInit(x, sp); err != nil {
			return err
		}
	}
	return nil
}

func checkInit(x wasm.ConstExpr, sp space) error {
	if len(x) == 0 {
		return nil
	}
	var in wasm.Instr
	r := wasm.NewInstrReader(x, 0)
	for r.Next(&in) {
		var err error
		switch in.Op {
		case wasm.OpGlobalGet:
			err = inRange("global", in.X, sp.globals)
		case wasm.OpRefFunc:
			err = inRange("function", in.X, sp.functions)
		}
		if err != nil {
			return err
		}
	}
	return r.Err()
}

// shiftFunctions renumbers functions everywhere but in bodies and names.
func shiftFunctions(m *wasm.Module, e *emitter) {
	for i := range m.Exports {
		if x := &m.Exports[i]; x.Kind == wasm.ExternFunc {
			x.Index = e.newIndex(x.Index)
		}
	}
	for i := range m.Globals {
		m.Globals[i].Init = shiftInit(m.Globals[i].Init, e)
	}
	for i := range m.Elements {
		el := &m.Elements[i]
		for j := range el.Funcs {
			el.Funcs[j] = e.newIndex(el.Funcs[j])
		}
		for j := range el.Exprs {
			el.Exprs[j] = shiftInit(el.Exprs[j], e)
		}
	}
	if m.Start != nil {
		start := e.newIndex(*m.Start)
		m.Start = &start
	}
}

// shiftInit renumbers the functions of an initialiser, on a copy if there are any.
func shiftInit(x wasm.ConstExpr, e *emitter) wasm.ConstExpr {
	var out []byte
	var in wasm.Instr
	pos := 0
	r := wasm.NewInstrReader(x, 0)
	for r.Next(&in) {
		if in.Op == wasm.OpRefFunc {
			out = append(out, x[pos:in.Start]...)
			out = wasm.AppendU32(append(out, byte(in.Op)), e.newIndex(in.X))
			pos = in.End
		}
	}
	if pos == 0 {
		return x
	}
	return append(out, x[pos:]...)
}

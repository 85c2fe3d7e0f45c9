package meter

import (
	"fmt"

	"openclaw/sandbox/internal/wasm"
)

// describe records the original module's imports, exports and memory.
func describe(m *wasm.Module, out *Module) error {
	spaces := externs(m)
	out.Imports = make([]Import, len(m.Imports))
	for i := range m.Imports {
		im := &m.Imports[i]
		out.Imports[i] = Import{im.Module, im.Name, importType(m, im)}
	}
	out.Exports = make([]Export, len(m.Exports))
	for i := range m.Exports {
		x := &m.Exports[i]
		out.Exports[i] = Export{x.Name, spaces.typeOf(m, x)}
	}
	if len(spaces.memories) == 0 {
		if len(m.Data) > 0 && hasActive(m) {
			return fmt.Errorf("data: %w: active segment without a memory", wasm.ErrMalformed)
		}
		return nil
	}
	memory := spaces.memories[0]
	out.HasMemory, out.MemoryMin, out.MemoryMax = true, memory.Min, wasm.MaxPages
	if memory.HasMax {
		out.MemoryMax = memory.Max
	}
	return nil
}

func hasActive(m *wasm.Module) bool {
	for i := range m.Data {
		if m.Data[i].Mode == wasm.Active {
			return true
		}
	}
	return false
}

// indexSpaces holds what each index means, imports first.
type indexSpaces struct {
	functions []uint32
	tables    []wasm.TableType
	memories  []wasm.TypeLimits
	globals   []wasm.GlobalType
}

func externs(m *wasm.Module) *indexSpaces {
	s := &indexSpaces{functions: make([]uint32, 0, m.NumFunctions())}
	for i := range m.Imports {
		switch im := &m.Imports[i]; im.Kind {
		case wasm.ExternFunc:
			s.functions = append(s.functions, im.Func)
		case wasm.ExternTable:
			s.tables = append(s.tables, im.Table)
		case wasm.ExternMemory:
			s.memories = append(s.memories, im.Memory)
		case wasm.ExternGlobal:
			s.globals = append(s.globals, im.Global)
		}
	}
	s.functions = append(s.functions, m.Functions...)
	s.tables = append(s.tables, m.Tables...)
	s.memories = append(s.memories, m.Memories...)
	for i := range m.Globals {
		s.globals = append(s.globals, m.Globals[i].Type)
	}
	return s
}

func importType(m *wasm.Module, im *wasm.Import) Extern {
	x := Extern{Kind: im.Kind, Table: im.Table, Memory: im.Memory, Global: im.Global}
	if im.Kind == wasm.ExternFunc {
		x.Func = m.Types[im.Func]
	}
	return x
}

func (s *indexSpaces) typeOf(m *wasm.Module, x *wasm.Export) Extern {
	t := Extern{Kind: x.Kind}
	switch x.Kind {
	case wasm.ExternFunc:
		t.Func = m.Types[s.functions[x.Index]]
	case wasm.ExternTable:
		t.Table = s.tables[x.Index]
	case wasm.ExternMemory:
		t.Memory = s.memories[x.Index]
	case wasm.ExternGlobal:
		t.Global = s.globals[x.Index]
	}
	return t
}

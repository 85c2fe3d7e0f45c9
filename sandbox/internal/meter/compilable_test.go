package meter_test

import (
	"errors"
	"testing"

	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasm"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// repeat is n times the same code.
func repeat(n int, code ...[]byte) []byte {
	one := Cat(code...)
	all := make([]byte, 0, n*len(one))
	for range n {
		all = append(all, one...)
	}
	return all
}

// TestModulesThatKeepCompilersBusyAreRefused checks small modules that take a compiler minutes and gigabytes, and their
// smaller relatives that do not.
func TestModulesThatKeepCompilersBusyAreRefused(t *testing.T) {
	wide := make(Types, 500)
	for i := range wide {
		wide[i] = I32
	}
	values := repeat(len(wide), Const(1))
	drops := repeat(len(wide), Drop)
	calls := func(n int) func(m *Module) {
		return func(m *Module) {
			f := m.Func("", wide, wide, nil, values)
			m.Func("_start", nil, nil, nil, values, repeat(n, Call(f)), drops)
		}
	}
	branches := func(n int) func(m *Module) {
		return func(m *Module) {
			m.Func("", nil, wide, nil, values, repeat(n, Const(0), BrIf(0)))
			m.Func("_start", nil, nil, nil)
		}
	}
	blocks := func(locals uint32, open []byte, n int) func(m *Module) {
		return func(m *Module) { m.Func("_start", nil, nil, Locals(I32, locals), repeat(n, open), repeat(n, End)) }
	}
	deep := func(functions, n int) func(m *Module) {
		return func(m *Module) {
			for range functions {
				m.Func("", nil, nil, nil, repeat(n, Block()), repeat(n, End))
			}
			m.Func("_start", nil, nil, nil)
		}
	}
	for name, c := range map[string]struct {
		build   func(m *Module)
		refused bool
	}{
		"loops with some locals":  {blocks(60, Loop(), 2000), false},
		"loops with many locals":  {blocks(5000, Loop(), 300), true},
		"blocks with some locals": {blocks(500, Block(), 2000), false},
		"blocks with many locals": {blocks(20_000, Block(), 2000), true},
		"deep nesting":            {blocks(0, Block(), 4000), false},
		"one very deep nesting":   {blocks(0, Block(), 5000), false},
		"many very deep nestings": {deep(5, 5000), true},
		"deepest nesting":         {blocks(0, Block(), 13000), true},
		"wide calls":              {calls(1000), false},
		"many wide calls":         {calls(2000), true},
		"wide branches":           {branches(500), false},
		"many wide branches":      {branches(2000), true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Module{}
			c.build(m)
			_, err := meter.Rewrite(m.Encode(), meter.Options{})
			if refused := errors.Is(err, wasm.ErrLimit); refused != c.refused || err != nil && !refused {
				t.Errorf("error %v, refused should be %v", err, c.refused)
			}
		})
	}
}

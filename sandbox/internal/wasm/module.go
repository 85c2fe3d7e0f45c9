// Package wasm reads and writes the WebAssembly binary format.
//
// It is meant for modules that come from strangers. Decode never panics, never
// recurses, and never allocates by a count that the remaining bytes could not
// back; whatever it does not understand it refuses with a typed error. It covers
// WebAssembly 2.0 (with SIMD) plus tail calls and extended constant expressions,
// and refuses components, multiple memories, memory64, threads, exceptions and
// garbage collection.
//
// Decoding is structural: indices and operand types inside function bodies are
// not checked here. InstrReader walks a body one instruction at a time, and an
// engine validates the module in full when it compiles it.
//
// A decoded Module aliases the bytes it was decoded from, which must not change
// while it is in use. Encode writes a module back; only the encoding of integers
// is normalised.
package wasm

// Module is a decoded module.
type Module struct {
	Types     []FuncType
	Imports   []Import
	Functions []uint32 // type index of each function that the module defines
	Tables    []TableType
	Memories  []TypeLimits
	Globals   []Global
	Exports   []Export
	Start     *uint32
	Elements  []Element
	DataCount *uint32
	Code      []Code
	Data      []Data
	Customs   []Custom
}

// NumImported counts the imports of one kind.
func (m *Module) NumImported(kind ExternKind) int {
	n := 0
	for i := range m.Imports {
		if m.Imports[i].Kind == kind {
			n++
		}
	}
	return n
}

// NumFunctions is the size of the function index space.
func (m *Module) NumFunctions() int { return m.NumImported(ExternFunc) + len(m.Functions) }

// NumGlobals is the size of the global index space.
func (m *Module) NumGlobals() int { return m.NumImported(ExternGlobal) + len(m.Globals) }

// NumTables is the size of the table index space.
func (m *Module) NumTables() int { return m.NumImported(ExternTable) + len(m.Tables) }

// NumMemories is the size of the memory index space.
func (m *Module) NumMemories() int { return m.NumImported(ExternMemory) + len(m.Memories) }

// Limits bounds what Decode accepts. A zero field means its default.
type Limits struct {
	MaxModuleSize int // bytes
	MaxFunctions  int // functions that the module defines
	MaxBodySize   int // bytes of one function
	MaxLocals     int // declared locals of one function
	MaxItems      int // entries of any other vector: types, imports, globals, segments …
}

// The defaults of Limits. They follow the limits that browsers agreed on, or
// what engines accept where that is less.
const (
	DefaultMaxModuleSize = 256 << 20
	DefaultMaxFunctions  = 1_000_000
	DefaultMaxBodySize   = 7_654_321
	DefaultMaxLocals     = 50_000
	DefaultMaxItems      = 1_000_000
)

// MaxPages is the largest size of a memory, in pages.
const MaxPages = 1 << 16

// PageSize is the size of a memory page in bytes.
const PageSize = 1 << 16

func (l Limits) withDefaults() Limits {
	setDefault(&l.MaxModuleSize, DefaultMaxModuleSize)
	setDefault(&l.MaxFunctions, DefaultMaxFunctions)
	setDefault(&l.MaxBodySize, DefaultMaxBodySize)
	setDefault(&l.MaxLocals, DefaultMaxLocals)
	setDefault(&l.MaxItems, DefaultMaxItems)
	return l
}

func setDefault(field *int, value int) {
	if *field <= 0 {
		*field = value
	}
}

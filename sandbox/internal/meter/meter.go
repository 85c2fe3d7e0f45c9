// Package meter rewrites WebAssembly modules so that they count their own work.
//
// A rewritten module keeps a counter of fuel. Each function entry and each loop
// head subtracts the static cost of the code that follows it, and instructions
// whose work depends on an operand (memory.fill, table.grow …) subtract by that
// operand before they run. When the counter falls below zero the module calls one
// imported function, which either returns the fuel to go on with or panics to stop
// the guest. There is no way through the code that avoids the counter: execution
// without bound needs a loop or a call. What a program costs depends on the module
// and its input alone, not on the machine or the engine.
//
// Rewrite also prepares what a host needs to start instances quickly and to
// snapshot them: initial memory contents are taken out of the module, the start
// function becomes an export, and every mutable global is exported under a
// reserved name. The guest can neither import nor name anything that is reserved.
package meter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"openclaw/sandbox/internal/wasm"
)

// Version names the output format. It is part of the keys of caches that hold
// rewritten modules, and changes whenever the output for some module does.
const Version = "1"

// The function that a rewritten module imports, of type (i64) -> i64. Its
// argument is the counter, which is negative by what the guest has overdrawn; the
// result replaces the counter and should not be negative. It panics to stop the
// guest.
const (
	ImportModule = "openclaw:meter"
	ImportName   = "refill"
)

// Reserved export names.
const (
	ReservedPrefix = "openclaw:meter."
	fuelExport     = ReservedPrefix + "fuel"
	startExport    = ReservedPrefix + "start"
	globalPrefix   = ReservedPrefix + "global."
)

// Errors of Rewrite beside those of package wasm.
var (
	// ErrReserved: the module imports or exports a name that is ours.
	ErrReserved = errors.New("reserved name")
	// ErrDataOutOfBounds: an active data segment lies outside the initial memory,
	// so instantiation would fail.
	ErrDataOutOfBounds = errors.New("data segment out of bounds")
)

// Options bounds what Rewrite accepts. A zero field means its default.
type Options struct {
	MaxModuleSize int // bytes
	MaxFunctions  int // functions that the module defines
	MaxBodySize   int // bytes of one function
	MaxLocals     int // locals of one function
	MaxNesting    int // depth of blocks, but for DeepFunctions functions

	// MaxTableElements bounds the elements of all tables together, because table
	// memory is the host's and engines do not limit it. A module that exceeds it from
	// the start is refused; the room above that is shared out equally, and a larger
	// declared maximum, or none, is lowered to what a table gets.
	MaxTableElements uint32
}

// Compilers take time by the square of how deep blocks nest. Large programs have a few functions that nest deeper than all
// others: those of SQLite, compiled by Go, have up to 10,500 blocks in each other. So a few functions may.
const (
	DeepFunctions = 4
	DeepFactor    = 3 // times MaxNesting
)

// The defaults of Options that package wasm does not define.
const (
	DefaultMaxNesting       = 1 << 12
	DefaultMaxTableElements = 1 << 20
)

// Module is a rewritten module and what its host needs to know about it.
type Module struct {
	Wasm []byte

	// Data is to be written into the memory of a new instance before anything of
	// the guest runs. The ranges are sorted, do not touch, and lie in the initial
	// memory.
	Data []DataSegment

	HasMemory bool // defined or imported
	MemoryMin uint32
	MemoryMax uint32 // in pages, as MemoryMin; wasm.MaxPages if not declared

	Globals    []Global // the mutable globals that the module defines, and FuelGlobal
	FuelGlobal string

	// HasStart tells that the module had a start function. Engines would run it
	// before Data is written, so the host calls the export StartExport instead.
	HasStart    bool
	StartExport string

	Imports []Import // of the original module
	Exports []Export // of the original module

	// A host that snapshots an instance by memory and globals loses changes to
	// tables and forgets which segments were dropped.
	MutatesTables bool // table.set, grow, init, copy or fill occur
	DropsSegments bool // data.drop or elem.drop occur
}

// Global is a mutable global with the reserved name it is exported by.
type Global struct {
	ExportName string
	Type       wasm.ValueType
}

// Extern is the type of an import or export. The field that Kind selects is
// meaningful.
type Extern struct {
	Kind   wasm.ExternKind
	Func   wasm.FuncType
	Table  wasm.TableType
	Memory wasm.TypeLimits
	Global wasm.GlobalType
}

// Import is an import of the original module.
type Import struct {
	Module, Name string
	Type         Extern
}

// Export is an export of the original module.
type Export struct {
	Name string
	Type Extern
}

// Rewrite returns the metered form of a module. Equal input gives equal output.
// It checks what metering depends on; an engine still has to validate the result.
func Rewrite(module []byte, opt Options) (*Module, error) {
	m, err := wasm.Decode(module, wasm.Limits{
		MaxModuleSize: opt.MaxModuleSize, MaxFunctions: opt.MaxFunctions,
		MaxBodySize: opt.MaxBodySize, MaxLocals: opt.MaxLocals,
	})
	if err != nil {
		return nil, fmt.Errorf("meter: rewrite: %w", err)
	}
	out, err := rewrite(m, opt.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("meter: rewrite: %w", err)
	}
	return out, nil
}

func (o Options) withDefaults() Options {
	if o.MaxNesting <= 0 {
		o.MaxNesting = DefaultMaxNesting
	}
	if o.MaxTableElements == 0 {
		o.MaxTableElements = DefaultMaxTableElements
	}
	return o
}

func rewrite(m *wasm.Module, opt Options) (*Module, error) {
	if err := checkReserved(m); err != nil {
		return nil, err
	}
	sp := spaceOf(m)
	if err := checkIndices(m, sp); err != nil {
		return nil, err
	}
	sp.measureTypes(m)
	out := &Module{}
	if err := describe(m, out); err != nil {
		return nil, err
	}
	if err := limitTables(m, opt.MaxTableElements); err != nil {
		return nil, err
	}
	e := emitter{fuelGlobal: sp.globals, refill: sp.functions + 1, shiftFrom: sp.importedFuncs}
	code, found, err := rewriteCode(m, sp, e, opt.MaxNesting)
	if err != nil {
		return nil, err
	}
	out.MutatesTables, out.DropsSegments = found.mutatesTables, found.dropsSegments
	if out.Data, err = liftData(m, found.usesData); err != nil {
		return nil, err
	}
	shiftFunctions(m, &e)
	code = append(code, addHelpers(m, sp, &e))
	addExports(m, sp, out)
	editCustoms(m, sp, len(out.Data) > 0 && !found.usesData)
	out.Wasm = m.EncodeWithCode(code...)
	return out, nil
}

func spaceOf(m *wasm.Module) space {
	return space{
		types:         uint32(len(m.Types)),
		functions:     uint32(m.NumFunctions()),
		globals:       uint32(m.NumGlobals()),
		tables:        uint32(m.NumTables()),
		importedFuncs: uint32(m.NumImported(wasm.ExternFunc)),
	}
}

func checkReserved(m *wasm.Module) error {
	for i := range m.Imports {
		if m.Imports[i].Module == ImportModule {
			return fmt.Errorf("import[%d]: %w: %q %q", i, ErrReserved, m.Imports[i].Module, m.Imports[i].Name)
		}
	}
	for i := range m.Exports {
		if strings.HasPrefix(m.Exports[i].Name, ReservedPrefix) {
			return fmt.Errorf("export[%d]: %w: %q", i, ErrReserved, m.Exports[i].Name)
		}
	}
	return nil
}

// limitTables lowers the maximum of the module's tables such that all together
// cannot exceed the limit.
func limitTables(m *wasm.Module, limit uint32) error {
	if len(m.Tables) == 0 {
		return nil
	}
	total := uint64(0)
	for i := range m.Tables {
		total += uint64(m.Tables[i].Limits.Min)
	}
	if total > uint64(limit) {
		return fmt.Errorf("tables: %w: %d elements, at most %d", wasm.ErrLimit, total, limit)
	}
	share := (limit - uint32(total)) / uint32(len(m.Tables))
	for i := range m.Tables {
		l := &m.Tables[i].Limits
		if !l.HasMax || l.Max-l.Min > share {
			l.HasMax, l.Max = true, l.Min+share
		}
	}
	return nil
}

// addExports adds the fuel counter and exports everything reserved.
func addExports(m *wasm.Module, sp space, out *Module) {
	m.Globals = append(m.Globals, wasm.Global{
		Type: wasm.GlobalType{Value: wasm.I64, Mutable: true},
		Init: wasm.I64Const(0),
	})
	imported := sp.globals + 1 - uint32(len(m.Globals))
	for i := range m.Globals {
		if !m.Globals[i].Type.Mutable {
			continue
		}
		index := imported + uint32(i)
		name := globalPrefix + strconv.Itoa(int(index))
		if index == sp.globals {
			name = fuelExport
		}
		m.Exports = append(m.Exports, wasm.Export{Name: name, Kind: wasm.ExternGlobal, Index: index})
		out.Globals = append(out.Globals, Global{ExportName: name, Type: m.Globals[i].Type.Value})
	}
	out.FuelGlobal = fuelExport
	if m.Start == nil {
		return
	}
	out.HasStart, out.StartExport = true, startExport
	m.Exports = append(m.Exports, wasm.Export{Name: startExport, Kind: wasm.ExternFunc, Index: *m.Start})
	m.Start = nil
}

// editCustoms renumbers the name section and drops what describes code by offset.
func editCustoms(m *wasm.Module, sp space, dataMoved bool) {
	kept := m.Customs[:0]
	for _, c := range m.Customs {
		if describesOffsets(c.Name) {
			continue
		}
		if c.Name == wasm.NameSection {
			edited, ok := wasm.EditNames(c.Bytes, wasm.NameEdit{
				ShiftFrom: sp.importedFuncs,
				Added:     helperNames(m, sp),
				DropData:  dataMoved,
			})
			if !ok {
				continue
			}
			c.Bytes = edited
		}
		kept = append(kept, c)
	}
	m.Customs = kept
}

// describesOffsets reports whether a custom section holds offsets into the code,
// which would be wrong after rewriting: debugging and linking information.
func describesOffsets(name string) bool {
	return strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, "reloc.") ||
		name == "linking" || name == "sourceMappingURL" || name == "external_debug_info" ||
		strings.HasPrefix(name, "metadata.code.")
}

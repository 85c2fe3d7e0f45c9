package wasm

import "fmt"

// ValueType is the binary encoding of a value type.
type ValueType byte

// The value types of the supported feature set.
const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	V128      ValueType = 0x7b
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f
)

func (t ValueType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	}
	return fmt.Sprintf("valuetype(0x%02x)", byte(t))
}

// IsReference reports whether t is a reference type.
func (t ValueType) IsReference() bool { return t == FuncRef || t == ExternRef }

func (t ValueType) valid() bool {
	return t >= V128 && t <= I32 || t.IsReference()
}

// FuncType is a function signature.
type FuncType struct {
	Params, Results []ValueType
}

// TypeLimits bounds the size of a table (in elements) or a memory (in pages).
type TypeLimits struct {
	Min, Max uint32
	HasMax   bool
}

// TableType describes a table.
type TableType struct {
	Elem   ValueType
	Limits TypeLimits
}

// GlobalType describes a global.
type GlobalType struct {
	Value   ValueType
	Mutable bool
}

// ExternKind says what an import or export is.
type ExternKind byte

// The kinds of imports and exports.
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
)

func (k ExternKind) String() string {
	switch k {
	case ExternFunc:
		return "func"
	case ExternTable:
		return "table"
	case ExternMemory:
		return "memory"
	case ExternGlobal:
		return "global"
	}
	return fmt.Sprintf("kind(%d)", byte(k))
}

// Import is one import. The field that Kind selects is meaningful.
type Import struct {
	Module, Name string
	Kind         ExternKind
	Func         uint32 // index into Module.Types
	Table        TableType
	Memory       TypeLimits
	Global       GlobalType
}

// Export is one export; Index is in the index space of Kind.
type Export struct {
	Name  string
	Kind  ExternKind
	Index uint32
}

// Global is a global that the module defines.
type Global struct {
	Type GlobalType
	Init ConstExpr
}

// SegmentMode says when a data or element segment is applied.
type SegmentMode byte

// The modes of segments. Only element segments can be declarative.
const (
	Active SegmentMode = iota
	Passive
	Declarative
)

// Element is an element segment. Its items are either function indices (Funcs)
// or constant expressions (Exprs, when UsesExprs).
type Element struct {
	Mode      SegmentMode
	Table     uint32    // if Active
	Offset    ConstExpr // if Active
	Type      ValueType
	UsesExprs bool
	Funcs     []uint32
	Exprs     []ConstExpr
}

// Data is a data segment.
type Data struct {
	Mode   SegmentMode
	Offset ConstExpr // if Active
	Bytes  []byte
}

// LocalGroup declares Count locals of one type.
type LocalGroup struct {
	Count uint32
	Type  ValueType
}

// Code is the body of a function that the module defines.
type Code struct {
	Locals []LocalGroup
	Body   []byte // instructions, including the final end
	Offset int    // of Body in the decoded module
}

// Custom is a custom section.
type Custom struct {
	Name  string
	Bytes []byte
	After SectionID // the known section it follows; 0 if it precedes all
}

// SectionID identifies a section.
type SectionID byte

// The sections of a module.
const (
	SectionCustom SectionID = iota
	SectionType
	SectionImport
	SectionFunction
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElement
	SectionCode
	SectionData
	SectionDataCount
	sectionTag // exceptions; recognised so that it can be refused by name
)

var sectionNames = [...]string{
	"custom section", "type section", "import section", "function section", "table section",
	"memory section", "global section", "export section", "start section", "element section",
	"code section", "data section", "data count section", "tag section",
}

func (id SectionID) String() string {
	if int(id) < len(sectionNames) {
		return sectionNames[id]
	}
	return fmt.Sprintf("section %d", byte(id))
}

// sectionOrder lists the known sections in the order of a binary: the data
// count section stands before the code although its number is higher.
var sectionOrder = [...]SectionID{
	SectionType, SectionImport, SectionFunction, SectionTable, SectionMemory, SectionGlobal,
	SectionExport, SectionStart, SectionElement, SectionDataCount, SectionCode, SectionData,
}

// rank is the position of a known section in sectionOrder, from 1.
func (id SectionID) rank() int {
	for i, s := range sectionOrder {
		if s == id {
			return i + 1
		}
	}
	return 0
}

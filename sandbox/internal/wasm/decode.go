package wasm

import (
	"bytes"
	"strconv"
)

const (
	preambleSize = 8
	funcTypeTag  = 0x60
)

// Decode reads a module. The result aliases b. A failure is an *Error.
func Decode(b []byte, limits Limits) (*Module, error) {
	limits = limits.withDefaults()
	if err := checkPreamble(b); err != nil {
		return nil, &Error{Subject: "header", Err: err}
	}
	if len(b) > limits.MaxModuleSize {
		err := limitExceeded("module of %d bytes, at most %d", len(b), limits.MaxModuleSize)
		return nil, &Error{Subject: "header", Err: err}
	}
	d := &decoder{m: &Module{}, limits: limits}
	in := &cursor{b: b, pos: preambleSize}
	for in.remaining() > 0 {
		if err := d.section(in); err != nil {
			return nil, err
		}
	}
	if err := d.finish(); err != nil {
		return nil, &Error{Subject: "module", Offset: len(b), Err: err}
	}
	return d.m, nil
}

func checkPreamble(b []byte) error {
	if !bytes.HasPrefix(b, preamble[:4]) {
		return ErrNotWasm
	}
	if len(b) < preambleSize {
		return malformed("unexpected end")
	}
	switch {
	case bytes.Equal(b[4:preambleSize], preamble[4:]):
		return nil
	case b[6] == 1 && b[7] == 0:
		return unsupported("this is a WebAssembly component; a core module is needed")
	}
	return unsupported("binary version %d", b[4])
}

type decoder struct {
	m      *Module
	limits Limits
	last   SectionID // the known section read last

	subject string // overrides the section's name in an error
}

// section reads one section. Its declared size bounds everything inside it.
func (d *decoder) section(in *cursor) error {
	start := in.offset()
	id := SectionID(in.byte())
	size := in.u32()
	if in.err == nil && int64(size) > int64(in.remaining()) {
		in.fail(malformed("section of %d bytes, %d left", size, in.remaining()))
	}
	if in.err != nil {
		return &Error{Subject: id.String(), Offset: in.at, Err: in.err}
	}
	c := &cursor{base: in.offset()}
	c.b = in.take(int(size))
	if err := d.checkOrder(id); err != nil {
		return &Error{Subject: id.String(), Offset: start, Err: err}
	}
	d.subject = id.String()
	d.body(id, c)
	if c.err == nil && c.remaining() > 0 {
		c.fail(malformed("%d bytes too many in the section", c.remaining()))
	}
	if c.err != nil {
		return &Error{Subject: d.subject, Offset: c.at, Err: c.err}
	}
	return nil
}

func (d *decoder) checkOrder(id SectionID) error {
	switch {
	case id == SectionCustom:
		return nil
	case id == sectionTag:
		return unsupported("exception handling")
	case id.rank() == 0:
		return malformed("unknown section")
	case id.rank() <= d.last.rank():
		return malformed("section repeated or out of order")
	}
	d.last = id
	return nil
}

func (d *decoder) body(id SectionID, c *cursor) {
	m := d.m
	switch id {
	case SectionCustom:
		d.custom(c)
	case SectionType:
		m.Types = readVec(d, c, 3, (*decoder).funcType)
	case SectionImport:
		m.Imports = readVec(d, c, 4, (*decoder).importEntry)
	case SectionFunction:
		d.functions(c)
	case SectionTable:
		m.Tables = readVec(d, c, 3, (*decoder).tableType)
	case SectionMemory:
		m.Memories = readVec(d, c, 2, (*decoder).memoryType)
	case SectionGlobal:
		m.Globals = readVec(d, c, 4, (*decoder).global)
	case SectionExport:
		m.Exports = readVec(d, c, 3, (*decoder).export)
	case SectionStart:
		m.Start = readIndex(c)
	case SectionElement:
		m.Elements = readVec(d, c, 3, (*decoder).element)
	case SectionDataCount:
		m.DataCount = readIndex(c)
	case SectionCode:
		d.code(c)
	case SectionData:
		m.Data = readVec(d, c, 2, (*decoder).data)
	}
}

// finish checks what sections say about each other's length.
func (d *decoder) finish() error {
	m := d.m
	if len(m.Functions) != len(m.Code) {
		return malformed("%d functions declared, %d bodies", len(m.Functions), len(m.Code))
	}
	if m.DataCount != nil && int(*m.DataCount) != len(m.Data) {
		return malformed("%d data segments declared, %d present", *m.DataCount, len(m.Data))
	}
	if m.NumMemories() > 1 {
		return unsupported("multiple memories")
	}
	return nil
}

// readVec reads a vector of items that take at least itemSize bytes each.
func readVec[T any](d *decoder, c *cursor, itemSize int, read func(*decoder, *cursor) T) []T {
	n := c.count(itemSize)
	if n > d.limits.MaxItems {
		c.fail(limitExceeded("%d items, at most %d", n, d.limits.MaxItems))
	}
	if n == 0 || c.err != nil {
		return nil
	}
	items := make([]T, 0, n)
	for range n {
		item := read(d, c)
		if c.err != nil {
			return nil
		}
		items = append(items, item)
	}
	return items
}

func readIndex(c *cursor) *uint32 {
	v := c.u32()
	return &v
}

func (d *decoder) custom(c *cursor) {
	name := c.name()
	d.m.Customs = append(d.m.Customs, Custom{Name: name, Bytes: c.take(c.remaining()), After: d.last})
}

func (d *decoder) funcType(c *cursor) FuncType {
	if tag := c.byte(); c.err == nil && tag != funcTypeTag {
		if tag >= 0x4d && tag <= 0x5f {
			c.fail(unsupported("type 0x%02x (garbage collection)", tag))
		}
		c.fail(malformed("0x%02x is not a function type", tag))
	}
	return FuncType{Params: readTypes(c), Results: readTypes(c)}
}

func readTypes(c *cursor) []ValueType {
	n := c.count(1)
	if n == 0 {
		return nil
	}
	types := make([]ValueType, n)
	for i := range types {
		types[i] = c.valueType()
	}
	return types
}

func (d *decoder) importEntry(c *cursor) Import {
	im := Import{Module: c.name(), Name: c.name(), Kind: ExternKind(c.byte())}
	if c.err != nil {
		return im
	}
	switch im.Kind {
	case ExternFunc:
		im.Func = c.u32()
	case ExternTable:
		im.Table = d.tableType(c)
	case ExternMemory:
		im.Memory = d.memoryType(c)
	case ExternGlobal:
		im.Global = globalType(c)
	default:
		c.fail(badExtern(im.Kind))
	}
	return im
}

func badExtern(k ExternKind) error {
	if k == 4 {
		return unsupported("exception handling")
	}
	return malformed("0x%02x is not an import or export kind", byte(k))
}

func (d *decoder) functions(c *cursor) {
	n := c.count(1)
	if n > d.limits.MaxFunctions {
		c.fail(limitExceeded("%d functions, at most %d", n, d.limits.MaxFunctions))
		return
	}
	d.m.Functions = make([]uint32, n)
	for i := range d.m.Functions {
		d.m.Functions[i] = c.u32()
	}
}

func (d *decoder) tableType(c *cursor) TableType {
	return TableType{Elem: c.refType(), Limits: limitsOf(c)}
}

func (d *decoder) memoryType(c *cursor) TypeLimits {
	l := limitsOf(c)
	if c.err == nil && (l.Min > MaxPages || l.HasMax && l.Max > MaxPages) {
		c.fail(malformed("memory of more than %d pages", MaxPages))
	}
	return l
}

func limitsOf(c *cursor) TypeLimits {
	flags := c.byte()
	switch {
	case c.err != nil:
	case flags > 7:
		c.fail(malformed("0x%02x is not a limits flag", flags))
	case flags&4 != 0:
		c.fail(unsupported("64-bit memory or table"))
	case flags&2 != 0:
		c.fail(unsupported("shared memory (threads)"))
	}
	l := TypeLimits{HasMax: flags == 1, Min: c.u32()}
	if l.HasMax {
		l.Max = c.u32()
	}
	if c.err == nil && l.HasMax && l.Max < l.Min {
		c.fail(malformed("maximum %d is less than minimum %d", l.Max, l.Min))
	}
	return l
}

func globalType(c *cursor) GlobalType {
	t := GlobalType{Value: c.valueType()}
	mut := c.byte()
	if c.err == nil && mut > 1 {
		c.fail(malformed("0x%02x is not a mutability", mut))
	}
	t.Mutable = mut == 1
	return t
}

func (d *decoder) global(c *cursor) Global {
	return Global{Type: globalType(c), Init: readConstExpr(c)}
}

func (d *decoder) export(c *cursor) Export {
	x := Export{Name: c.name(), Kind: ExternKind(c.byte()), Index: c.u32()}
	if c.err == nil && x.Kind > ExternGlobal {
		c.fail(badExtern(x.Kind))
	}
	return x
}

// The bits of an element segment's flags.
const (
	elemNotActive = 1 << iota
	elemExplicit  // active: has a table index; otherwise: declarative
	elemExprs
)

const elemKindFunc = 0x00

func (d *decoder) element(c *cursor) Element {
	flags := c.u32()
	if c.err == nil && flags > 7 {
		c.fail(malformed("0x%02x is not an element segment flag", flags))
	}
	e := Element{Type: FuncRef, UsesExprs: flags&elemExprs != 0}
	switch {
	case flags&elemNotActive == 0:
		if flags&elemExplicit != 0 {
			e.Table = c.u32()
		}
		e.Offset = readConstExpr(c)
	case flags&elemExplicit != 0:
		e.Mode = Declarative
	default:
		e.Mode = Passive
	}
	if flags&(elemNotActive|elemExplicit) != 0 {
		e.Type = elementType(c, e.UsesExprs)
	}
	if e.UsesExprs {
		e.Exprs = readVec(d, c, 1, func(_ *decoder, c *cursor) ConstExpr { return readConstExpr(c) })
		return e
	}
	e.Funcs = readVec(d, c, 1, func(_ *decoder, c *cursor) uint32 { return c.u32() })
	return e
}

func elementType(c *cursor, exprs bool) ValueType {
	if exprs {
		return c.refType()
	}
	if kind := c.byte(); c.err == nil && kind != elemKindFunc {
		c.fail(malformed("0x%02x is not an element kind", kind))
	}
	return FuncRef
}

func (d *decoder) data(c *cursor) Data {
	var s Data
	switch flags := c.u32(); {
	case c.err != nil:
		return s
	case flags == 0:
		s.Offset = readConstExpr(c)
	case flags == 1:
		s.Mode = Passive
	case flags == 2:
		if index := c.u32(); c.err == nil && index != 0 {
			c.fail(unsupported("multiple memories"))
		}
		s.Offset = readConstExpr(c)
	default:
		c.fail(malformed("0x%02x is not a data segment flag", flags))
	}
	s.Bytes = c.take(c.count(1))
	return s
}

func (d *decoder) code(c *cursor) {
	n := c.count(2)
	if n > d.limits.MaxFunctions {
		c.fail(limitExceeded("%d functions, at most %d", n, d.limits.MaxFunctions))
		return
	}
	if n != len(d.m.Functions) {
		c.fail(malformed("%d functions declared, %d bodies", len(d.m.Functions), n))
		return
	}
	d.m.Code = make([]Code, n)
	for i := range d.m.Code {
		d.function(c, &d.m.Code[i])
		if c.err != nil {
			d.subject = "code[" + strconv.Itoa(i) + "]"
			return
		}
	}
}

func (d *decoder) function(c *cursor, f *Code) {
	size := c.count(1)
	if size > d.limits.MaxBodySize {
		c.fail(limitExceeded("body of %d bytes, at most %d", size, d.limits.MaxBodySize))
		return
	}
	body := cursor{base: c.offset()}
	body.b = c.take(size)
	f.Locals = d.locals(&body)
	f.Offset = body.offset()
	f.Body = body.take(body.remaining())
	if body.err == nil && len(f.Body) == 0 {
		body.fail(malformed("unexpected end"))
	}
	if body.err != nil {
		c.err, c.at = body.err, body.at
	}
}

func (d *decoder) locals(c *cursor) []LocalGroup {
	groups := readVec(d, c, 2, func(_ *decoder, c *cursor) LocalGroup {
		return LocalGroup{Count: c.u32(), Type: c.valueType()}
	})
	total := uint64(0)
	for _, g := range groups {
		total += uint64(g.Count)
	}
	if total > uint64(d.limits.MaxLocals) {
		c.fail(limitExceeded("%d locals, at most %d", total, d.limits.MaxLocals))
		return nil
	}
	return groups
}

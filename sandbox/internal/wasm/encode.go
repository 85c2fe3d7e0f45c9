package wasm

var preamble = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// AppendU32 appends an unsigned LEB128.
func AppendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendS64 appends a signed LEB128. It also serves for 32-bit constants.
func AppendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// SizeU32 is the number of bytes that AppendU32 appends.
func SizeU32(v uint32) int {
	n := 1
	for v >= 0x80 {
		v >>= 7
		n++
	}
	return n
}

// AppendOp appends an opcode, with its prefix if it has one.
func AppendOp(b []byte, op uint32) []byte {
	if op <= 0xff {
		return append(b, byte(op))
	}
	return AppendU32(append(b, byte(op>>16)), op&0xffff)
}

func appendBytes(b, s []byte) []byte {
	b = AppendU32(b, uint32(len(s)))
	return append(b, s...)
}

// AppendName appends a length-prefixed string.
func AppendName(b []byte, s string) []byte {
	b = AppendU32(b, uint32(len(s)))
	return append(b, s...)
}

// AppendCode appends one entry of the code section whose body is the
// concatenation of parts.
func AppendCode(b []byte, locals []LocalGroup, parts ...[]byte) []byte {
	size := SizeU32(uint32(len(locals)))
	for _, l := range locals {
		size += SizeU32(l.Count) + 1
	}
	for _, p := range parts {
		size += len(p)
	}
	b = AppendU32(b, uint32(size))
	b = AppendU32(b, uint32(len(locals)))
	for _, l := range locals {
		b = append(AppendU32(b, l.Count), byte(l.Type))
	}
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// Encode writes the module in the binary format.
func (m *Module) Encode() []byte {
	size := 0
	for i := range m.Code {
		size += len(m.Code[i].Body) + 8
	}
	code := make([]byte, 0, size)
	for i := range m.Code {
		code = AppendCode(code, m.Code[i].Locals, m.Code[i].Body)
	}
	return m.EncodeWithCode(code)
}

// EncodeWithCode is Encode with the entries of the code section (without their
// count) given in encoded form, one for each of m.Functions. m.Code is ignored.
func (m *Module) EncodeWithCode(entries ...[]byte) []byte {
	e := &encoder{out: append(make([]byte, 0, m.estimateSize(entries)), preamble...)}
	e.customs(m, SectionCustom)
	for _, id := range sectionOrder {
		e.known(m, id, entries)
		e.customs(m, id)
	}
	return e.out
}

// estimateSize is close to the encoded size for modules of which most is code,
// data and custom sections, so that the output is allocated once.
func (m *Module) estimateSize(entries [][]byte) int {
	const perItem = 8
	n := 1 << 10
	for _, p := range entries {
		n += len(p)
	}
	for i := range m.Data {
		n += len(m.Data[i].Bytes) + perItem
	}
	for i := range m.Customs {
		n += len(m.Customs[i].Bytes) + perItem
	}
	for i := range m.Elements {
		n += 3 * len(m.Elements[i].Funcs)
	}
	for i := range m.Exports {
		n += len(m.Exports[i].Name) + perItem
	}
	return n + 3*len(m.Functions) + perItem*(len(m.Types)+len(m.Globals)+len(m.Imports)*4)
}

type encoder struct {
	out     []byte
	scratch []byte // body of the section being written; reused
}

func (e *encoder) customs(m *Module, after SectionID) {
	for i := range m.Customs {
		c := &m.Customs[i]
		if c.After != after {
			continue
		}
		size := SizeU32(uint32(len(c.Name))) + len(c.Name) + len(c.Bytes)
		e.header(SectionCustom, size)
		e.out = AppendName(e.out, c.Name)
		e.out = append(e.out, c.Bytes...)
	}
}

func (e *encoder) header(id SectionID, size int) {
	e.out = AppendU32(append(e.out, byte(id)), uint32(size))
}

func (e *encoder) known(m *Module, id SectionID, entries [][]byte) {
	if id == SectionCode {
		e.code(m, entries)
		return
	}
	if id == SectionData {
		e.data(m.Data)
		return
	}
	body := appendSection(e.scratch[:0], m, id)
	e.scratch = body
	if len(body) == 0 {
		return
	}
	e.header(id, len(body))
	e.out = append(e.out, body...)
}

// code and data write straight to the output because these sections are large.
func (e *encoder) code(m *Module, entries [][]byte) {
	if len(m.Functions) == 0 {
		return
	}
	size := SizeU32(uint32(len(m.Functions)))
	for _, p := range entries {
		size += len(p)
	}
	e.header(SectionCode, size)
	e.out = AppendU32(e.out, uint32(len(m.Functions)))
	for _, p := range entries {
		e.out = append(e.out, p...)
	}
}

func (e *encoder) data(segments []Data) {
	if len(segments) == 0 {
		return
	}
	size := SizeU32(uint32(len(segments)))
	for i := range segments {
		d := &segments[i]
		size += 1 + len(d.Offset) + SizeU32(uint32(len(d.Bytes))) + len(d.Bytes)
	}
	e.header(SectionData, size)
	e.out = AppendU32(e.out, uint32(len(segments)))
	for i := range segments {
		d := &segments[i]
		e.out = append(e.out, byte(d.Mode))
		e.out = append(e.out, d.Offset...)
		e.out = appendBytes(e.out, d.Bytes)
	}
}

// appendSection appends the body of a section, or nothing if it is empty.
func appendSection(b []byte, m *Module, id SectionID) []byte {
	switch id {
	case SectionType:
		return appendVec(b, m.Types, appendFuncType)
	case SectionImport:
		return appendVec(b, m.Imports, appendImport)
	case SectionFunction:
		return appendVec(b, m.Functions, func(b []byte, i *uint32) []byte { return AppendU32(b, *i) })
	case SectionTable:
		return appendVec(b, m.Tables, appendTable)
	case SectionMemory:
		return appendVec(b, m.Memories, appendLimits)
	case SectionGlobal:
		return appendVec(b, m.Globals, func(b []byte, g *Global) []byte {
			return append(appendGlobalType(b, g.Type), g.Init...)
		})
	case SectionExport:
		return appendVec(b, m.Exports, func(b []byte, x *Export) []byte {
			return AppendU32(append(AppendName(b, x.Name), byte(x.Kind)), x.Index)
		})
	case SectionElement:
		return appendVec(b, m.Elements, appendElement)
	case SectionStart:
		return appendOptional(b, m.Start)
	case SectionDataCount:
		return appendOptional(b, m.DataCount)
	}
	return b
}

func appendVec[T any](b []byte, items []T, appendItem func([]byte, *T) []byte) []byte {
	if len(items) == 0 {
		return b
	}
	b = AppendU32(b, uint32(len(items)))
	for i := range items {
		b = appendItem(b, &items[i])
	}
	return b
}

func appendOptional(b []byte, v *uint32) []byte {
	if v == nil {
		return b
	}
	return AppendU32(b, *v)
}

func appendFuncType(b []byte, t *FuncType) []byte {
	b = append(b, funcTypeTag)
	return appendTypes(appendTypes(b, t.Params), t.Results)
}

func appendTypes(b []byte, types []ValueType) []byte {
	b = AppendU32(b, uint32(len(types)))
	for _, t := range types {
		b = append(b, byte(t))
	}
	return b
}

func appendImport(b []byte, im *Import) []byte {
	b = append(AppendName(AppendName(b, im.Module), im.Name), byte(im.Kind))
	switch im.Kind {
	case ExternFunc:
		return AppendU32(b, im.Func)
	case ExternTable:
		return appendTable(b, &im.Table)
	case ExternMemory:
		return appendLimits(b, &im.Memory)
	}
	return appendGlobalType(b, im.Global)
}

func appendTable(b []byte, t *TableType) []byte {
	return appendLimits(append(b, byte(t.Elem)), &t.Limits)
}

func appendLimits(b []byte, l *TypeLimits) []byte {
	if !l.HasMax {
		return AppendU32(append(b, 0), l.Min)
	}
	return AppendU32(AppendU32(append(b, 1), l.Min), l.Max)
}

func appendGlobalType(b []byte, t GlobalType) []byte {
	if t.Mutable {
		return append(b, byte(t.Value), 1)
	}
	return append(b, byte(t.Value), 0)
}

// appendElement picks the shortest of the eight encodings that fits.
func appendElement(b []byte, e *Element) []byte {
	short := e.Mode == Active && e.Table == 0 && e.Type == FuncRef
	flags := uint32(0)
	switch {
	case e.Mode == Passive:
		flags = elemNotActive
	case e.Mode == Declarative:
		flags = elemNotActive | elemExplicit
	case !short:
		flags = elemExplicit
	}
	if e.UsesExprs {
		flags |= elemExprs
	}
	b = AppendU32(b, flags)
	if e.Mode == Active {
		if !short {
			b = AppendU32(b, e.Table)
		}
		b = append(b, e.Offset...)
	}
	if !short {
		b = appendElementType(b, e)
	}
	if e.UsesExprs {
		return appendVecAlways(b, e.Exprs, func(b []byte, x ConstExpr) []byte { return append(b, x...) })
	}
	return appendVecAlways(b, e.Funcs, AppendU32)
}

func appendElementType(b []byte, e *Element) []byte {
	if e.UsesExprs {
		return append(b, byte(e.Type))
	}
	return append(b, elemKindFunc)
}

func appendVecAlways[T any](b []byte, items []T, appendItem func([]byte, T) []byte) []byte {
	b = AppendU32(b, uint32(len(items)))
	for _, item := range items {
		b = appendItem(b, item)
	}
	return b
}

package wasm

// NameSection is the name of the custom section that holds debug names.
const NameSection = "name"

// The subsections of the name section that functions and data segments number.
const (
	nameFunctions = 1
	nameLocals    = 2
	nameLabels    = 3
	nameData      = 9
)

// NameEdit says how function and data indices of a module changed.
type NameEdit struct {
	// ShiftFrom is the function index from which functions moved up by one.
	ShiftFrom uint32
	// Added names new functions, in the order of their new indices.
	Added []FunctionName
	// DropData removes the names of data segments.
	DropData bool
}

// FunctionName is one entry of the name section.
type FunctionName struct {
	Index uint32
	Name  string
}

// EditNames rewrites the contents of a name section. It reports false if they
// are malformed.
func EditNames(section []byte, edit NameEdit) ([]byte, bool) {
	c := &cursor{b: section}
	out := make([]byte, 0, len(section)+len(section)/64+64)
	for c.remaining() > 0 {
		id := c.byte()
		sub := &cursor{b: c.take(c.count(1))}
		if c.err != nil {
			return nil, false
		}
		var body []byte
		switch id {
		case nameFunctions:
			body = edit.functions(sub)
		case nameLocals, nameLabels:
			body = edit.indirect(sub)
		case nameData:
			if edit.DropData {
				continue
			}
			body = sub.b
		default:
			body = sub.b
		}
		if sub.err != nil {
			return nil, false
		}
		out = appendBytes(append(out, id), body)
	}
	return out, true
}

func (e *NameEdit) shift(index uint32) uint32 {
	if index >= e.ShiftFrom {
		return index + 1
	}
	return index
}

// functions rewrites a map from function indices to names, kept in order.
func (e *NameEdit) functions(c *cursor) []byte {
	n := c.count(2)
	out := make([]byte, 0, len(c.b)+64)
	out = AppendU32(out, uint32(n+len(e.Added)))
	added := e.Added
	for range n {
		index := e.shift(c.u32())
		name := c.take(c.count(1))
		for len(added) > 0 && added[0].Index < index {
			out = added[0].append(out)
			added = added[1:]
		}
		out = appendBytes(AppendU32(out, index), name)
	}
	for i := range added {
		out = added[i].append(out)
	}
	return out
}

func (f *FunctionName) append(b []byte) []byte {
	return AppendName(AppendU32(b, f.Index), f.Name)
}

// indirect rewrites a map from function indices to maps of names.
func (e *NameEdit) indirect(c *cursor) []byte {
	n := c.count(2)
	out := AppendU32(make([]byte, 0, len(c.b)+64), uint32(n))
	for range n {
		out = AppendU32(out, e.shift(c.u32()))
		start := c.pos
		for range c.count(2) {
			c.u32()
			c.take(c.count(1))
		}
		if c.err != nil {
			return nil
		}
		out = append(out, c.b[start:c.pos]...)
	}
	return out
}

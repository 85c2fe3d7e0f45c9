package jq

// need is what a program looks at in its inputs, so that the rest need not be kept: nil is nothing at all, not even whether it is
// there. Of a value with a need of its own the program sees the type, and the value itself if it is neither array nor object.
//
// A need may be larger than what the program looks at, never smaller.
type need struct {
	all    bool        // everything
	each   *need       // of every element or member; nil if they are neither counted nor listed
	fields []fieldNeed // of single members, beyond each
}

type fieldNeed struct {
	name string
	need *need
}

// needAll and needType return the need of a whole value and of its type only.
func needAll() *need  { return &need{all: true} }
func needType() *need { return &need{} }

// member is the need of a member of an object.
func (n *need) member(name []byte) *need {
	if n.all {
		return n
	}
	for i := range n.fields {
		if f := &n.fields[i]; f.name == string(name) {
			return f.need
		}
	}
	return n.each
}

// typeOnly reports that nothing in an array or object is needed.
func (n *need) typeOnly() bool { return !n.all && n.each == nil && len(n.fields) == 0 }

// elements is the need of the elements of an array.
func (n *need) elements() *need {
	if n.all {
		return n
	}
	return n.each
}

// orNeed is what has both needs.
func orNeed(a, b *need) *need {
	switch {
	case a == nil:
		return b
	case b == nil || a.all:
		return a
	case b.all:
		return b
	}
	out := &need{each: orNeed(a.each, b.each)}
	add := func(f fieldNeed) {
		for i := range out.fields {
			if g := &out.fields[i]; g.name == f.name {
				g.need = orNeed(g.need, f.need)
				return
			}
		}
		out.fields = append(out.fields, fieldNeed{f.name, orNeed(f.need, out.each)})
	}
	for _, f := range a.fields {
		add(f)
	}
	for _, f := range b.fields {
		add(f)
	}
	return out
}

// look finds out what a program needs of its inputs, if its outputs are needed whole. passes reports that each output is the
// input: then what is needed is without the outputs, which are copied from the text of the input.
func look(m *module) (of *need, passes bool) {
	if len(m.defs) > 0 || len(m.imports) > 0 || readsInput(m.body) {
		return needAll(), false // functions may be named as built-in ones are
	}
	if passesInput(m.body) {
		return needOf(m.body, needType()), true
	}
	return needOf(m.body, needAll()), false
}

// needOf is what a filter looks at in its input, for someone who looks at out in its outputs.
func needOf(n *node, out *need) *need {
	switch n.op {
	case opIdentity:
		return out
	case opLiteral, opLoc:
		return needType()
	case opIndex:
		return needOfIndex(n, out)
	case opEach:
		return needOf(n.kids[0], &need{each: orNeed(out, needType())})
	case opPipe:
		return needOf(n.kids[0], needOf(n.kids[1], orNeed(out, needType())))
	case opComma:
		return needOfAll(n.kids, out)
	case opString, opArray, opObject, opBinary, opNeg:
		return needOfAll(n.kids, needAll())
	case opAnd, opOr:
		return needOfAll(n.kids, needType())
	case opAlt:
		return orNeed(needOf(n.kids[0], orNeed(out, needType())), needOf(n.kids[1], out))
	case opIf:
		of := orNeed(needOf(n.kids[0], needType()), needOf(n.kids[1], out))
		if n.kids[2] == nil {
			return orNeed(of, out)
		}
		return orNeed(of, needOf(n.kids[2], out))
	case opTry:
		if n.kids[1] == nil {
			return needOf(n.kids[0], out)
		}
	case opCall:
		return needOfCall(n, out)
	}
	return needAll()
}

// needOfAll is what filters look at that have the same input.
func needOfAll(list []*node, out *need) *need {
	of := needType()
	for _, k := range list {
		of = orNeed(of, needOf(k, out))
	}
	return of
}

func needOfIndex(n *node, out *need) *need {
	if key := n.kids[1]; key.op == opLiteral {
		out = orNeed(out, needType())
		switch k := key.val.(type) {
		case string:
			return needOf(n.kids[0], &need{fields: []fieldNeed{{k, out}}})
		case float64:
			return needOf(n.kids[0], &need{each: out})
		}
	}
	return needAll()
}

// needOfCall knows the functions that are used most; others see everything.
func needOfCall(n *node, out *need) *need {
	switch signature(n.str, len(n.kids)) {
	case "select/1":
		return orNeed(needOf(n.kids[0], needType()), out)
	case "map/1":
		return &need{each: orNeed(needOf(n.kids[0], needAll()), needType())}
	case "not/0", "type/0", "empty/0":
		return needType()
	}
	return needAll()
}

// readsInput reports whether a filter reads inputs itself: what it looks at in them is not looked for.
func readsInput(n *node) bool {
	if n == nil {
		return false
	}
	if n.op == opCall && (n.str == "input" || n.str == "inputs") {
		return true
	}
	if n.def != nil && readsInput(n.def.body) {
		return true
	}
	for _, k := range n.kids {
		if readsInput(k) {
			return true
		}
	}
	return len(n.pats) > 0 // patterns hold filters too
}

// passesInput reports whether each output of a filter is its input.
func passesInput(n *node) bool {
	switch n.op {
	case opIdentity:
		return true
	case opPipe, opComma:
		for _, k := range n.kids {
			if !passesInput(k) {
				return false
			}
		}
		return true
	case opIf:
		return passesInput(n.kids[1]) && (n.kids[2] == nil || passesInput(n.kids[2]))
	case opCall:
		name := signature(n.str, len(n.kids))
		return name == "select/1" || name == "empty/0"
	}
	return false
}

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"openclaw/runtime/config/json5"
)

// Key is a line of the reference: one key of the configuration.
type Key struct {
	Path    string // with <name> for keys of the user's own and [] for the items of a list
	Kind    string
	Default string // as JSON5; empty when there is none
	Doc     string
	Refused string // why this version does not accept the key; empty when it does
	Open    bool   // an object whose keys are the user's own
}

// field is a key of an object that is read into a T.
type field[T any] struct {
	name    string
	doc     string
	refused string // why the key is not accepted
	need    bool   // the object is wrong without it
	open    bool   // an object with keys of the user's own
	kind    string
	initial string // the default as text
	schema  map[string]any
	keys    func(prefix string, visit func(Key))
	reset   func(owner *T) // puts the default
	read    func(d *decoder, at json5.Path, n *json5.Node, owner *T)
}

// key is a value of an object, with the place that it is read into and its default.
func key[T, V any](name string, r rule[V], place func(*T) *V, initial V, doc string) field[T] {
	return field[T]{
		name: name, doc: doc, kind: r.kind, initial: r.show(initial), schema: r.schema, keys: r.keys, open: r.open,
		reset: func(owner *T) { *place(owner) = initial },
		read:  func(d *decoder, at json5.Path, n *json5.Node, owner *T) { r.read(d, at, n, place(owner)) },
	}
}

// needed makes a key one that its object must have.
func needed[T any](f field[T]) field[T] {
	f.need = true
	return f
}

// group is an object within an object. Its keys keep their values when the object is read again, as overrides are.
func group[T, V any](name string, o object[V], place func(*T) *V, doc string) field[T] {
	r := o.rule()
	return field[T]{
		name: name, doc: doc, kind: r.kind, schema: r.schema, keys: r.keys,
		reset: func(owner *T) { o.reset(place(owner)) },
		read:  func(d *decoder, at json5.Path, n *json5.Node, owner *T) { r.read(d, at, n, place(owner)) },
	}
}

// later marks keys of a feature that this version does not have yet.
func later[T any](feature string, fields ...field[T]) []field[T] {
	for i := range fields {
		fields[i].refused = notYet(feature)
	}
	return fields
}

// reserved are keys of the format whose values this version does not know either.
func reserved[T any](why string, names ...string) []field[T] {
	fields := make([]field[T], len(names))
	for i, name := range names {
		fields[i] = field[T]{
			name: name, refused: why, reset: func(*T) {},
			read: func(*decoder, json5.Path, *json5.Node, *T) {},
		}
	}
	return fields
}

// notYet is the message about a key that waits for a feature.
func notYet(feature string) string {
	return "is not supported by this version, which has no " + feature + " yet"
}

// object is a set of keys and the rules between them.
type object[T any] struct {
	fields []field[T]
	check  func(d *decoder, at json5.Path, n *json5.Node, v *T) // nil: none
}

func keysOf[T any](lists ...[]field[T]) object[T] {
	return object[T]{fields: slices.Concat(lists...)}
}

// reset puts every default.
func (o object[T]) reset(v *T) {
	for _, f := range o.fields {
		f.reset(v)
	}
}

// read reads an object over what v holds.
func (o object[T]) read(d *decoder, at json5.Path, n *json5.Node, v *T) {
	if n.Kind != json5.Object {
		d.wrongType(at, n, "an object")
		return
	}
	before := len(d.list) + d.more
	for _, m := range n.Members {
		path := at.Join(json5.Key(m.Name))
		i := slices.IndexFunc(o.fields, func(f field[T]) bool { return f.name == m.Name })
		switch {
		case i < 0:
			o.unknown(d, path, m)
		case o.fields[i].refused != "" && !d.future:
			d.at(m.Key, path, ReasonNotSupported, "%s", o.fields[i].refused)
		default:
			o.fields[i].read(d, path, m.Value, v)
		}
	}
	for _, f := range o.fields {
		if f.need && n.Get(f.name) == nil {
			d.at(n.Span, at, ReasonMissing, "has no key %q", f.name)
		}
	}
	if o.check != nil && len(d.list)+d.more == before {
		o.check(d, at, n, v)
	}
}

// maxListed is how many keys a message about an unknown one lists.
const maxListed = 12

func (o object[T]) unknown(d *decoder, at json5.Path, m *json5.Member) {
	p := Problem{Position: m.Key.Position(), Path: shownPath(at), Reason: ReasonUnknown, Message: "unknown key", order: d.files[m.Key.Doc]}
	names := o.accepted()
	if p.Nearest = nearest(m.Name, names); p.Nearest == "" && len(names) <= maxListed {
		p.Message += fmt.Sprintf(" (known here: %s)", strings.Join(names, ", "))
	}
	d.add(p)
}

// accepted lists the names of the keys that this version acts on.
func (o object[T]) accepted() []string {
	var names []string
	for _, f := range o.fields {
		if f.refused == "" {
			names = append(names, f.name)
		}
	}
	return names
}

// rule reads the object over what is there already.
func (o object[T]) rule() rule[T] {
	properties, required := map[string]any{}, []string{}
	for _, f := range o.fields {
		if f.refused != "" {
			continue
		}
		property := maps.Clone(f.schema)
		if f.doc != "" {
			property["description"] = f.doc
		}
		properties[f.name] = property
		if f.need {
			required = append(required, f.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return rule[T]{
		kind: "object", schema: schema, read: o.read, show: func(T) string { return "" },
		keys: o.keys,
	}
}

// fresh is the rule that puts the defaults before it reads, as the items of lists and maps need.
func (o object[T]) fresh() rule[T] {
	r := o.rule()
	r.read = func(d *decoder, at json5.Path, n *json5.Node, v *T) {
		o.reset(v)
		o.read(d, at, n, v)
	}
	return r
}

// keys lists every key in the table's order.
func (o object[T]) keys(prefix string, visit func(Key)) {
	if prefix != "" {
		prefix += "."
	}
	for _, f := range o.fields {
		if f.keys == nil || f.refused != "" {
			visit(Key{Path: prefix + f.name, Kind: f.kind, Default: f.initial, Doc: f.doc, Refused: f.refused, Open: f.open})
		} else if f.kind != "object" {
			visit(Key{Path: prefix + f.name, Kind: f.kind, Doc: f.doc, Open: f.open})
		}
		if f.keys != nil && f.refused == "" {
			f.keys(prefix+f.name, visit)
		}
	}
}

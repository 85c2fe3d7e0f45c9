package jq

import (
	gopath "path"
	"strings"
)

// library is a module that has been loaded.
type library struct {
	scope *scope // its definitions, the last first
	meta  *module
}

// maxImports bounds how deeply modules import each other.
const maxImports = 64

// imports adds what a module imports to the scope.
func (c *compiler) imports(m *module, slots map[int]any, dir string) {
	for _, i := range m.imports {
		name := c.find(i, dir)
		if i.data {
			c.importData(i, name, slots)
			continue
		}
		lib := c.load(name, slots)
		prefix := i.as + "::"
		if i.include {
			prefix = ""
		}
		var defs []*scope
		for s := lib.scope; s != nil; s = s.up {
			defs = append(defs, s)
		}
		for j := len(defs) - 1; j >= 0; j-- {
			s := *defs[j]
			if strings.HasPrefix(s.name, "$") || strings.Contains(s.name, "::") {
				continue
			}
			s.name, s.up = prefix+s.name, c.scope
			c.scope = &s
		}
	}
}

func (c *compiler) importData(i imported, name string, slots map[int]any) {
	b, err := c.run.readFile(name)
	if err != nil {
		panic(bail{&compileError{err.Error()}})
	}
	d := newTextDecoder(b)
	var items []any
	for {
		v, err := d.next()
		if err != nil {
			break
		}
		items = append(items, v)
	}
	data := newArray(items)
	slots[c.bind("$"+i.as)] = data
	slots[c.bind("$"+i.as+"::"+i.as)] = data
}

// find looks for a module in its search path and the -L directories.
func (c *compiler) find(i imported, dir string) string {
	ext := ".jq"
	if i.data {
		ext = ".json"
	}
	var dirs []string
	if i.meta != nil {
		dirs = searchPath(i.meta, dir)
	}
	dirs = append(dirs, c.run.opts.libs...)
	for _, d := range dirs {
		base := gopath.Join(d, i.path)
		for _, name := range []string{base + ext, gopath.Join(base, gopath.Base(i.path)+ext), gopath.Join(base, "jq", "main"+ext)} {
			if info, err := c.run.p.Stat(name); err == nil && !info.IsDir() {
				return name
			}
		}
	}
	panic(bail{&compileError{"module not found: " + i.path}})
}

// searchPath reads {search: …} of an import, relative to the module that imports.
func searchPath(meta *node, dir string) []string {
	o, ok := constantValue(meta).(*object)
	if !ok {
		return nil
	}
	v, _ := o.get("search")
	var list []any
	switch v := v.(type) {
	case string:
		list = []any{v}
	case *array:
		list = v.items
	}
	var dirs []string
	for _, x := range list {
		if s, ok := x.(string); ok {
			if !gopath.IsAbs(s) {
				s = gopath.Join(dir, s)
			}
			dirs = append(dirs, s)
		}
	}
	return dirs
}

// constantValue evaluates the constant expressions that metadata consist of; nil for others.
func constantValue(n *node) any {
	switch n.op {
	case opLiteral:
		return n.val
	case opArray:
		if len(n.kids) == 0 {
			return newArray(nil)
		}
		k := n.kids[0]
		if k.op != opComma {
			return newArray([]any{constantValue(k)})
		}
		var items []any
		for _, e := range k.kids {
			items = append(items, constantValue(e))
		}
		return newArray(items)
	case opObject:
		o := newObject(len(n.kids) / 2)
		for i := 0; i < len(n.kids); i += 2 {
			if k, ok := n.kids[i].val.(string); ok {
				o.set(k, constantValue(n.kids[i+1]))
			}
		}
		return o
	}
	return nil
}

// load parses and compiles a module.
func (c *compiler) load(name string, slots map[int]any) *library {
	if lib, ok := c.libs[name]; ok {
		if lib == nil {
			panic(bail{&compileError{"module imports itself: " + name}})
		}
		return lib
	}
	if len(c.libs) > maxImports {
		panic(bail{&compileError{"too many modules"}})
	}
	c.libs[name] = nil
	b, err := c.run.readFile(name)
	if err != nil {
		panic(bail{&compileError{err.Error()}})
	}
	m, err := parse(string(b))
	if err != nil {
		panic(bail{err})
	}
	if m.body != nil {
		panic(bail{&compileError{"library should only have function definitions, not a main expression"}})
	}
	outer := c.scope
	c.scope = nil
	c.imports(m, slots, gopath.Dir(name))
	for _, d := range m.defs {
		c.define(d)
	}
	lib := &library{scope: c.scope, meta: m}
	c.scope = outer
	c.libs[name] = lib
	return lib
}

// moduleMeta describes a module: its metadata, what it depends on and what it defines.
func (c *compiler) moduleMeta(v any) (out any, err error) {
	name, ok := v.(string)
	if !ok {
		return nil, errorf("modulemeta input module name must be a string")
	}
	defer func() {
		if e, ok := recover().(bail); ok {
			err = errorf("%s", e.err)
		}
	}()
	b, err := c.run.readFile(c.find(imported{path: name}, "."))
	if err != nil {
		return nil, errorf("%s", err)
	}
	m, err := parse(string(b))
	if err != nil {
		return nil, errorf("%s", err)
	}
	o := newObject(4)
	if m.meta != nil {
		if meta, ok := constantValue(m.meta).(*object); ok {
			o = meta.copy(nil)
		}
	}
	deps := make([]any, 0, len(m.imports))
	for _, i := range m.imports {
		d := newObject(3)
		if i.meta != nil {
			if meta, ok := constantValue(i.meta).(*object); ok {
				d = meta.copy(nil)
			}
		}
		if i.as != "" {
			d.set("as", i.as)
		}
		d.set("is_data", i.data)
		d.set("relpath", i.path)
		deps = append(deps, d)
	}
	o.set("deps", newArray(deps))
	defs := make([]any, 0, len(m.defs))
	for _, d := range m.defs {
		defs = append(defs, signature(d.name, len(d.params)))
	}
	o.set("defs", newArray(defs))
	return o, nil
}

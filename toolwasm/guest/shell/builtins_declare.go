package shell

import (
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/shell/syntax"
)

func globQuote(s string) string { return glob.Quote(s) }

// declaration is a parsed command line of declare, local, export or readonly.
type declaration struct {
	name        string
	add, remove attr
	print       bool
	global      bool
	funcs       bool // -f
	funcNames   bool // -F
	unexport    bool // export -n
	inherit     bool // -I
	local       bool // the variables become local
	c           *syntax.Simple
}

const declareUsage = "[-aAfFgiIlnrtux] [name[=value] ...] or %s -p [-aAfFilnrtux] [name ...]"

// builtinDeclare is declare, typeset, local, export and readonly.
func builtinDeclare(sh *Shell, c *syntax.Simple, args []string) int {
	d := declaration{name: args[0], c: c}
	rest, ok := d.options(sh, args[1:])
	if !ok {
		return 2
	}
	inFunction := sh.callFrame() != nil
	switch d.name {
	case "local":
		if !inFunction {
			sh.errorf("local: can only be used in a function")
			return 1
		}
		d.local = !d.global
	case "export":
		if !d.unexport {
			d.add |= attrExport
		}
	case "readonly":
		d.add |= attrReadonly
	default:
		d.local = inFunction && !d.global
	}
	if d.funcs || d.funcNames {
		return d.functions(sh, rest)
	}
	if len(rest) == 0 {
		return d.list(sh)
	}
	if d.print && (d.name == "declare" || d.name == "typeset" || d.name == "local") {
		return d.show(sh, rest)
	}
	status := 0
	for _, a := range rest {
		if !d.one(sh, a) {
			status = 1
		}
		if sh.ctl != ctlNone {
			return sh.status
		}
	}
	return status
}

func (d *declaration) options(sh *Shell, args []string) ([]string, bool) {
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		a := args[0]
		if a == "--" {
			return args[1:], true
		}
		for _, c := range []byte(a[1:]) {
			if !d.option(c, a[0] == '-') {
				sh.usage(d.name, a[:1]+string(c)+": invalid option", d.name+" "+strings.ReplaceAll(declareUsage, "%s", d.name))
				return nil, false
			}
		}
		args = args[1:]
	}
	return args, true
}

func (d *declaration) option(c byte, on bool) bool {
	var a attr
	switch c {
	case 'a':
		a = attrIndexed
	case 'A':
		a = attrAssoc
	case 'i':
		a = attrInteger
	case 'l':
		a = attrLower
	case 'u':
		a = attrUpper
	case 'c':
		a = attrCapital
	case 'r':
		a = attrReadonly
	case 't':
		a = attrTrace
	case 'x':
		a = attrExport
	case 'n':
		if d.name == "export" {
			d.unexport = true
			return true
		}
		a = attrNameref
	case 'p':
		d.print = true
	case 'f':
		d.funcs = true
	case 'F':
		d.funcNames = true
	case 'g':
		d.global = true
	case 'I':
		d.inherit = true
	default:
		return false
	}
	if on {
		d.add |= a
	} else {
		d.remove |= a
	}
	return true
}

// one declares one name.
func (d *declaration) one(sh *Shell, arg string) bool {
	if a, value := markedAssign(d.c, arg); a != nil {
		ok := d.assign(sh, a, value)
		if ok && d.plain() && !a.IsArray && sh.opt.has(optXtrace) {
			sh.traceValue(a, value)
		}
		return ok
	}
	name, value, hasValue := strings.Cut(arg, "=")
	appends := hasValue && strings.HasSuffix(name, "+")
	if appends {
		name = name[:len(name)-1]
	}
	base, sub, indexed := strings.Cut(name, "[")
	if !syntax.IsName(base) || indexed && (!strings.HasSuffix(sub, "]") || d.plain()) {
		sh.errorf("%s: `%s': not a valid identifier", d.name, arg)
		return false
	}
	if hasValue && !indexed && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") && (d.add&attrArray != 0 || d.isArray(sh, base)) {
		if a := parseAssign(base + "=" + value); a != nil {
			a.Append = appends
			return d.assign(sh, a, "")
		}
	}
	a := &syntax.Assign{Name: base, Append: appends, Src: arg}
	if indexed {
		a.Index = syntax.NewSubscript(sub[:len(sub)-1], sh.line)
	}
	if !hasValue {
		return d.bare(sh, a)
	}
	a.Value = syntax.LitWord(value)
	return d.assign(sh, a, value)
}

func (d *declaration) isArray(sh *Shell, name string) bool {
	v := sh.find(name)
	return v != nil && v.attrs&attrArray != 0
}

// parseAssign parses an assignment that is the result of an expansion.
func parseAssign(text string) *syntax.Assign {
	l, err := syntax.ParseAll(text, 1, syntax.Options{})
	if err != nil || len(l.Items) != 1 {
		return nil
	}
	c, ok := l.Items[0].Cmd.(*syntax.Simple)
	if !ok || len(c.Assigns) != 1 || len(c.Words) > 0 {
		return nil
	}
	return c.Assigns[0]
}

// plain reports whether the command takes names only, no elements of arrays.
func (d *declaration) plain() bool { return d.name == "export" || d.name == "readonly" }

// prepare makes or finds the variable and returns it; nil after a reported failure.
func (d *declaration) prepare(sh *Shell, name string) (*variable, string) {
	if d.local {
		return sh.makeLocal(name, d.inherit), name
	}
	if d.global && sh.callFrame() != nil {
		return sh.globalVar(name), name
	}
	v, real, _ := sh.lookup(name)
	if d.add&attrNameref != 0 || d.remove&attrNameref != 0 {
		v, real = sh.find(name), name
	}
	if v == nil {
		v = sh.create(real)
	}
	return v, real
}

// attributes changes the attributes of a variable.
func (d *declaration) attributes(sh *Shell, v *variable, name string) bool {
	if v.attrs&attrReadonly != 0 && (d.remove&attrReadonly != 0 || d.add&^(attrReadonly|attrExport|attrTrace)&^v.attrs != 0) {
		sh.errorf("%s: %s: readonly variable", d.name, name)
		return false
	}
	if d.add&attrAssoc != 0 && v.arr != nil && v.attrs&attrIndexed != 0 {
		sh.errorf("%s: %s: cannot convert indexed to associative array", d.name, name)
		return false
	}
	if d.add&attrIndexed != 0 && v.attrs&attrAssoc != 0 {
		sh.errorf("%s: %s: cannot convert associative to indexed array", d.name, name)
		return false
	}
	if d.add&attrCase != 0 {
		v.attrs &^= attrCase
	}
	v.attrs = (v.attrs | d.add&^attrReadonly) &^ d.remove
	if d.unexport {
		v.attrs &^= attrExport
	}
	if d.add&attrIndexed != 0 && v.arr == nil && v.set {
		sh.makeIndexed(v)
	}
	if d.add&attrAssoc != 0 && v.dict == nil {
		v.dict = newAssoc()
		if v.set {
			v.dict.set("0", v.str)
		}
	}
	if d.add&attrIndexed != 0 && v.arr == nil {
		v.arr = newIndexed(nil)
	}
	return true
}

// bare declares a name without a value.
func (d *declaration) bare(sh *Shell, a *syntax.Assign) bool {
	if d.add == 0 && d.remove == 0 && !d.local && !d.global && (d.name == "declare" || d.name == "typeset") {
		if sh.find(a.Name) != nil {
			return true
		}
	}
	v, name := d.prepare(sh, a.Name)
	if v == nil {
		return false
	}
	if a.Index != nil {
		d.add |= attrIndexed &^ (v.attrs & attrAssoc >> 1)
	}
	if d.add&attrNameref != 0 && v.set && v.str == a.Name {
		sh.errorf("%s: %s: nameref variable self references not allowed", d.name, a.Name)
		return false
	}
	if !d.attributes(sh, v, name) {
		return false
	}
	v.attrs |= d.add & attrReadonly
	return true
}

// assign declares a name with a value that has been expanded, or an array whose elements are expanded here, before the variable
// becomes local.
func (d *declaration) assign(sh *Shell, a *syntax.Assign, value string) bool {
	var items []arrayItem
	if a.Index != nil && d.plain() {
		sh.errorf("%s: `%s': not a valid identifier", d.name, a.Src)
		return false
	}
	if a.IsArray {
		v, _, _ := sh.lookup(a.Name)
		items = sh.expandItems(a.Array, d.add&attrAssoc != 0 || v != nil && v.attrs&attrAssoc != 0 && d.add&attrIndexed == 0 && !d.local)
		if sh.opt.has(optXtrace) {
			sh.traceItems(a, items)
		}
	}
	if sh.ctl != ctlNone {
		return false
	}
	status := sh.substStatus
	v, name := d.prepare(sh, a.Name)
	if v == nil {
		return false
	}
	if v.attrs&attrReadonly != 0 {
		sh.errorf("%s: readonly variable", name)
		return false
	}
	if d.add&attrNameref != 0 {
		return d.reference(sh, v, a.Name, value)
	}
	if !d.attributes(sh, v, name) {
		return false
	}
	var err error
	switch global := d.global && sh.callFrame() != nil; {
	case global && sh.find(name) != v:
		err = sh.withVariable(name, v, func() error { return d.store(sh, a, name, value, items) })
	default:
		err = d.store(sh, a, name, value, items)
	}
	v.attrs |= d.add & attrReadonly
	sh.substStatus = status
	return err == nil
}

func (d *declaration) store(sh *Shell, a *syntax.Assign, name, value string, items []arrayItem) error {
	switch {
	case a.IsArray:
		return sh.assignItems(name, items, a.Append, d.add&attrAssoc)
	case a.Index != nil:
		return sh.assignElement(name, a.Index, value, a.Append)
	}
	return sh.assignScalar(name, value, a.Append)
}

func (d *declaration) reference(sh *Shell, v *variable, name, value string) bool {
	base, _, _ := strings.Cut(value, "[")
	if !syntax.IsName(base) && value != "" {
		sh.errorf("%s: `%s': invalid variable name for name reference", d.name, value)
		return false
	}
	if value == name && !d.local {
		sh.errorf("%s: %s: nameref variable self references not allowed", d.name, name)
		return false
	}
	if value == name {
		sh.errorf("warning: %s: circular name reference", name)
	}
	v.attrs = (v.attrs | d.add) &^ d.remove
	v.setStr(value)
	v.arr, v.dict = nil, nil
	return true
}

// withVariable runs f while name stands for v.
func (sh *Shell) withVariable(name string, v *variable, f func() error) error {
	old := sh.vars[name]
	sh.vars[name] = v
	defer func() { sh.vars[name] = old }()
	return f()
}

// makeLocal makes a variable local to the running function; nil after a reported failure.
func (sh *Shell) makeLocal(name string, inherit bool) *variable {
	f := sh.callFrame()
	old := sh.vars[name]
	if old != nil && old.scope == f.scope {
		old.attrs &^= attrTemp
		return old
	}
	if old != nil && old.attrs&attrReadonly != 0 && old.scope == 0 {
		sh.errorf("local: %s: readonly variable", name)
		return nil
	}
	if name == "-" {
		o := sh.opt
		f.savedOpt = &o
		return &variable{}
	}
	f.saved = append(f.saved, saved{name, old})
	v := &variable{scope: f.scope, seq: sh.nextSeq()}
	if old != nil {
		v.attrs = old.attrs & attrExport
		if inherit || sh.shopt.has(shoptLocalvarInherit) || old.attrs&attrTemp != 0 {
			c := old.copyFor()
			v.attrs, v.str, v.set, v.arr, v.dict, v.shared = c.attrs&^attrTemp&^attrNameref, c.str, c.set, c.arr, c.dict, c.shared
		}
	}
	sh.vars[name] = v
	sh.changed(name)
	return v
}

// globalVar is the variable that is visible outside of functions.
func (sh *Shell) globalVar(name string) *variable {
	v := sh.vars[name]
	if v != nil && v.scope == 0 {
		return v
	}
	for _, f := range sh.frames {
		for i := range f.saved {
			if f.saved[i].name != name {
				continue
			}
			if f.saved[i].v == nil {
				f.saved[i].v = &variable{seq: sh.nextSeq()}
			}
			return f.saved[i].v
		}
	}
	return sh.create(name)
}

// list shows all variables that the declaration selects.
func (d *declaration) list(sh *Shell) int {
	selected := d.add
	if d.name == "local" {
		d.locals(sh)
		return 0
	}
	if selected == 0 && !d.print {
		sh.showAll()
		return 0
	}
	for _, n := range sh.names(func(_ string, v *variable) bool {
		return v.attrs&selected == selected && (v.set || v.attrs&^attrTemp != 0)
	}) {
		sh.print(declText(n, sh.vars[n], sh) + "\n")
	}
	return 0
}

func (d *declaration) locals(sh *Shell) {
	scope := sh.scope()
	for _, n := range sh.names(func(_ string, v *variable) bool { return v.scope == scope }) {
		sh.print(declText(n, sh.vars[n], sh) + "\n")
	}
}

// show is declare -p name….
func (d *declaration) show(sh *Shell, names []string) int {
	status := 0
	for _, n := range names {
		v := sh.find(n)
		if v == nil || !v.set && v.attrs == 0 && v.scope == 0 {
			sh.errorf("%s: %s: not found", d.name, n)
			status = 1
			continue
		}
		sh.print(declText(n, v, sh) + "\n")
	}
	return status
}

// declText is a statement that makes the variable again.
func declText(name string, v *variable, sh *Shell) string {
	if v.dyn != dynNone {
		sh.refresh(v)
	}
	flags := attrLetters(v)
	if flags == "" {
		flags = "-"
	}
	text := "declare -" + flags + " " + name
	switch {
	case v.attrs&attrArray != 0:
		if v.set || v.arr != nil && v.arr.len() > 0 {
			text += "=" + declValue(v)
		}
	case v.set:
		text += "=" + dquote(v.str)
	}
	return text
}

// declValue is the value of an array as declare -p shows it.
func declValue(v *variable) string {
	var b strings.Builder
	b.WriteByte('(')
	switch {
	case v.dict != nil:
		for _, k := range v.dict.keys() {
			b.WriteString("[" + quoteKey(k) + "]=" + dquote(v.dict.vals[k]) + " ")
		}
	case v.arr != nil:
		for i, s := range v.arr.vals {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("[" + strconv.FormatInt(v.arr.key(i), 10) + "]=" + dquote(s))
		}
	}
	b.WriteByte(')')
	return b.String()
}

// showAll is set without arguments: variables and functions.
func (sh *Shell) showAll() {
	for _, n := range sh.names(func(_ string, v *variable) bool { return v.set }) {
		v := sh.vars[n]
		if v.dyn != dynNone {
			sh.refresh(v)
		}
		if v.attrs&attrArray != 0 {
			sh.print(n + "=" + declValue(v) + "\n")
			continue
		}
		sh.print(n + "=" + quoteWord(v.str) + "\n")
	}
	if sh.opt.has(optPosix) {
		return
	}
	for _, n := range sortedKeys(sh.funcs) {
		sh.print(sh.funcs[n].text())
	}
}

// functions is declare -f, -F, export -f and readonly -f.
func (d *declaration) functions(sh *Shell, names []string) int {
	change := d.name == "export" || d.name == "readonly" || d.add&(attrExport|attrReadonly|attrTrace) != 0
	if len(names) == 0 {
		for _, n := range sortedKeys(sh.funcs) {
			d.showFunction(sh, sh.funcs[n], true)
		}
		return 0
	}
	status := 0
	for _, n := range names {
		if sh.funcs[n] == nil {
			if change {
				sh.errorf("%s: %s: not a function", d.name, n)
			}
			status = 1
			continue
		}
		if !change {
			d.showFunction(sh, sh.funcs[n], false)
			continue
		}
		sh.ownFuncs()
		f := sh.funcs[n]
		f.exported = (f.exported || d.add&attrExport != 0) && !d.unexport
		f.readonly = f.readonly || d.add&attrReadonly != 0
		f.traced = f.traced || d.add&attrTrace != 0
	}
	return status
}

func (d *declaration) showFunction(sh *Shell, f *function, all bool) {
	switch {
	case !d.funcNames:
		sh.print(f.text())
	case all:
		flags := "-f"
		if f.readonly {
			flags += "r"
		}
		if f.exported {
			flags += "x"
		}
		sh.print("declare " + flags + " " + f.name + "\n")
	default:
		text := f.name
		if sh.shopt.has(shoptExtdebug) {
			text += " " + itoa(f.def.Line) + " " + f.source
		}
		sh.print(text + "\n")
	}
}

// builtinUnset is unset.
func builtinUnset(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "fvn", "unset [-f] [-v] [-n] [name ...]")
	if !ok {
		return 2
	}
	funcs, vars, ref := false, false, false
	for _, o := range opts {
		switch o.letter {
		case 'f':
			funcs = true
		case 'v':
			vars = true
		case 'n':
			ref = true
		}
	}
	status := 0
	for _, name := range rest {
		if funcs {
			if !sh.unsetFunction(name) {
				status = 1
			}
			continue
		}
		if !sh.unsetName(name, vars, ref) {
			status = 1
		}
	}
	return status
}

func (sh *Shell) unsetFunction(name string) bool {
	if f := sh.funcs[name]; f != nil && f.readonly {
		sh.errorf("unset: %s: cannot unset: readonly function", name)
		return false
	}
	sh.ownFuncs()
	delete(sh.funcs, name)
	return true
}

func (sh *Shell) unsetName(name string, onlyVar, ref bool) bool {
	base, sub, indexed := strings.Cut(name, "[")
	if !syntax.IsName(base) || indexed && !strings.HasSuffix(sub, "]") {
		if !onlyVar && sh.funcs[name] != nil {
			return sh.unsetFunction(name)
		}
		sh.errorf("unset: `%s': not a valid identifier", name)
		return false
	}
	target := base
	var v *variable
	if ref {
		v = sh.find(base)
	} else {
		var inner *syntax.Subscript
		v, target, inner = sh.lookup(base)
		if inner != nil && !indexed {
			indexed, sub = true, inner.Src+"]"
		}
	}
	if indexed && v != nil {
		return sh.unsetElement(v, target, sub[:len(sub)-1])
	}
	if v == nil && !indexed && !onlyVar && !ref && sh.funcs[name] != nil {
		return sh.unsetFunction(name)
	}
	return sh.unset(target) == nil
}

func (sh *Shell) unsetElement(v *variable, name, sub string) bool {
	if v.attrs&attrReadonly != 0 {
		sh.errorf("unset: %s: cannot unset: readonly variable", name)
		return false
	}
	if (sub == "@" || sub == "*") && v.dict == nil {
		return sh.unset(name) == nil
	}
	v.own()
	s := syntax.NewSubscript(sub, sh.line)
	switch {
	case v.dict != nil:
		v.dict.unset(sh.key(s))
	case v.arr != nil:
		i := sh.index(s)
		if i < 0 {
			i += v.arr.next()
		}
		if i < 0 {
			sh.errorf("unset: [%s]: bad array subscript", sub)
			return false
		}
		v.arr.unset(i)
	default:
		if sh.index(s) != 0 {
			sh.errorf("unset: %s: not an array variable", name)
			return false
		}
		return sh.unset(name) == nil
	}
	return true
}

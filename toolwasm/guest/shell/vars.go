package shell

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unsafe"

	"openclaw/toolwasm/guest/shell/syntax"
)

// attr is a set of attributes of a variable.
type attr uint16

const (
	attrExport attr = 1 << iota
	attrReadonly
	attrInteger
	attrLower
	attrUpper
	attrCapital
	attrNameref
	attrTrace
	attrIndexed
	attrAssoc
	attrTemp  // made by "name=value command"
	attrArray = attrIndexed | attrAssoc
	attrCase  = attrLower | attrUpper | attrCapital
)

// variable is a shell variable of any kind. An array that a subshell shares with its parent is copied when either
// writes it.
type variable struct {
	attrs  attr
	set    bool
	shared bool // arr or dict is seen by another shell too
	dyn    dynamic
	str    string
	buf    []byte // when not nil, str is a view of it, and appending may use its capacity
	arr    *indexed
	dict   *assoc
	seq    int // order of creation
	scope  int // number of the function call that made it local; 0 is global
}

// setStr gives a scalar its value.
func (v *variable) setStr(s string) {
	v.str, v.buf, v.set = s, nil, true
}

// appendStr appends to a scalar in amortised constant time: the old value stays valid because bytes that
// are part of it are never written again.
func (v *variable) appendStr(s string) {
	const smallest = 64
	if v.buf == nil {
		v.buf = make([]byte, len(v.str), max(smallest, 2*(len(v.str)+len(s))))
		copy(v.buf, v.str)
	}
	v.buf = append(v.buf, s...)
	v.str = unsafe.String(unsafe.SliceData(v.buf), len(v.buf))
	v.set = true
}

// own makes the array of the variable its own before it is written.
func (v *variable) own() {
	if !v.shared {
		return
	}
	v.shared = false
	if v.arr != nil {
		v.arr = v.arr.clone()
	}
	if v.dict != nil {
		v.dict = v.dict.clone()
	}
}

// copyFor returns the variable as a subshell sees it.
func (v *variable) copyFor() *variable {
	c := *v
	c.buf = nil
	if v.arr != nil || v.dict != nil {
		v.shared, c.shared = true, true
		if v.dict != nil {
			v.dict.keys() // made before it is shared: readers must not write
		}
	}
	return &c
}

// errReported tells that a failure has been reported already.
var errReported = errors.New("shell: assign: failed")

// find returns the variable of a name without following a name reference; nil when there is none.
func (sh *Shell) find(name string) *variable { return sh.vars[name] }

// lookup returns the variable that a name stands for, through name references. The name it returns is the
// target's; sub is set when the reference names an array element.
func (sh *Shell) lookup(name string) (v *variable, target string, sub *syntax.Subscript) {
	v = sh.vars[name]
	if v == nil || v.attrs&attrNameref == 0 {
		return v, name, nil
	}
	const longest = 16
	for n := 0; v != nil && v.attrs&attrNameref != 0 && v.set && v.str != ""; n++ {
		if n == longest {
			sh.warnf("warning: %s: circular name reference", name)
			return nil, name, nil
		}
		next := v.str
		if at := strings.IndexByte(next, '['); at > 0 && strings.HasSuffix(next, "]") {
			return sh.vars[next[:at]], next[:at], syntax.NewSubscript(next[at+1:len(next)-1], sh.line)
		}
		if next == target {
			break
		}
		target = next
		v = sh.vars[next]
	}
	if v != nil && v.attrs&attrNameref != 0 && !v.set {
		return v, name, nil
	}
	return v, target, nil
}

// get returns the value of a scalar, or element 0 of an array.
func (sh *Shell) get(name string) (string, bool) {
	v, _, sub := sh.lookup(name)
	if v == nil {
		return "", false
	}
	if sub != nil {
		return sh.element(v, sub)
	}
	return sh.value(v)
}

// value returns what $name is for a variable.
func (sh *Shell) value(v *variable) (string, bool) {
	if v.dyn != dynNone {
		sh.refresh(v)
	}
	switch {
	case v.arr != nil:
		return v.arr.get(0)
	case v.dict != nil:
		s, ok := v.dict.vals["0"]
		return s, ok
	}
	return v.str, v.set
}

// element returns the element of an array; a scalar is its own element 0.
func (sh *Shell) element(v *variable, sub *syntax.Subscript) (string, bool) {
	if v.dyn != dynNone {
		sh.refresh(v)
	}
	if v.dict != nil {
		s, ok := v.dict.vals[sh.key(sub)]
		return s, ok
	}
	i := sh.index(sub)
	if v.arr == nil {
		if i == 0 || i == -1 {
			return v.str, v.set
		}
		return "", false
	}
	if i < 0 {
		i += v.arr.next()
		if i < 0 {
			sh.errorf("%s: bad array subscript", sub.Src)
			return "", false
		}
	}
	return v.arr.get(i)
}

// key is a subscript as the key of an associative array.
func (sh *Shell) key(sub *syntax.Subscript) string {
	if sub.At || sub.Star {
		return sub.Src
	}
	return sh.str(sub.Word())
}

// index is a subscript as a number.
func (sh *Shell) index(sub *syntax.Subscript) int64 {
	if sub.At || sub.Star {
		return 0
	}
	return sh.arith(sub.Arith())
}

// create returns the variable of a name, made when it does not exist.
func (sh *Shell) create(name string) *variable {
	v := sh.vars[name]
	if v == nil {
		sh.seq++
		v = &variable{seq: sh.seq}
		sh.vars[name] = v
		if sh.opt.has(optAllexport) {
			v.attrs |= attrExport
		}
	}
	return v
}

// target finds or makes the variable to assign to, through name references.
func (sh *Shell) target(name string) (*variable, string, *syntax.Subscript) {
	v, real, sub := sh.lookup(name)
	if v == nil {
		v = sh.create(real)
	}
	return v, real, sub
}

// assignable reports a read-only variable.
func (sh *Shell) assignable(v *variable, name string) error {
	if v.attrs&attrReadonly == 0 {
		return nil
	}
	sh.errorf("%s: readonly variable", name)
	return errReported
}

// set assigns a scalar; an array gets its element 0.
func (sh *Shell) set(name, value string) error { return sh.assignScalar(name, value, false) }

func (sh *Shell) assignScalar(name, value string, add bool) error {
	v, real, sub := sh.target(name)
	if sub != nil {
		return sh.assignElement(real, sub, value, add)
	}
	if v.attrs&attrReadonly != 0 {
		return sh.assignable(v, real)
	}
	if v.attrs&attrNameref != 0 {
		return sh.assignReference(v, real, value)
	}
	if sh.opt.has(optAllexport) {
		v.attrs |= attrExport
	}
	if v.attrs&(attrInteger|attrCase|attrArray) != 0 || v.dyn != dynNone {
		return sh.assignPeculiar(v, real, value, add)
	}
	if add {
		if len(v.str)+len(value) > maxValue {
			return sh.tooLarge(real)
		}
		v.appendStr(value)
	} else {
		if len(value) > maxValue {
			return sh.tooLarge(real)
		}
		v.setStr(value)
	}
	sh.changed(real)
	return nil
}

func (sh *Shell) tooLarge(name string) error {
	sh.errorf("%s: value exceeds %d bytes", name, maxValue)
	sh.exit(statusTooLarge)
	return errReported
}

// statusTooLarge is the exit status when a value would be too large: as bash's when it cannot allocate memory.
const statusTooLarge = 2

// assignReference gives a name reference that has none its target.
func (sh *Shell) assignReference(v *variable, name, value string) error {
	base, _, _ := strings.Cut(value, "[")
	if !syntax.IsName(base) {
		sh.errorf("`%s': not a valid identifier", value)
		return errReported
	}
	v.setStr(value)
	return nil
}

// assignPeculiar assigns to a variable with attributes or of another kind than scalar.
func (sh *Shell) assignPeculiar(v *variable, name, value string, add bool) error {
	if v.dyn != dynNone && sh.assignDynamic(v, name, value) {
		return nil
	}
	old, _ := sh.value(v)
	s, err := sh.convert(v, old, value, add)
	if err != nil {
		return err
	}
	switch {
	case v.attrs&attrAssoc != 0:
		v.own()
		if v.dict == nil {
			v.dict = newAssoc()
		}
		v.dict.set("0", s)
	case v.attrs&attrIndexed != 0:
		v.own()
		if v.arr == nil {
			v.arr = newIndexed(nil)
		}
		v.arr.set(0, s)
	default:
		v.setStr(s)
	}
	v.set = true
	sh.changed(name)
	return nil
}

// convert applies the attributes of a variable to a value.
func (sh *Shell) convert(v *variable, old, value string, add bool) (string, error) {
	if v.attrs&attrInteger != 0 {
		n, ok := sh.evalString(value)
		if !ok {
			return "", errReported
		}
		if add {
			o, _ := sh.evalString(old)
			n += o
		}
		return strconv.FormatInt(n, 10), nil
	}
	if add {
		if len(old)+len(value) > maxValue {
			return "", sh.tooLarge("value")
		}
		value = old + value
	}
	return applyCase(v.attrs, value), nil
}

func applyCase(a attr, s string) string {
	switch {
	case a&attrLower != 0:
		return strings.ToLower(s)
	case a&attrUpper != 0:
		return strings.ToUpper(s)
	case a&attrCapital != 0:
		r := []rune(strings.ToLower(s))
		if len(r) > 0 {
			r[0] = unicode.ToUpper(r[0])
		}
		return string(r)
	}
	return s
}

// assignElement assigns an element of an array.
func (sh *Shell) assignElement(name string, sub *syntax.Subscript, value string, add bool) error {
	v, real, inner := sh.target(name)
	if inner != nil {
		sh.errorf("%s[%s]: not a valid identifier", name, sub.Src)
		return errReported
	}
	if err := sh.assignable(v, real); err != nil {
		return err
	}
	if v.attrs&attrNameref != 0 && !v.set {
		v.attrs &^= attrNameref
	}
	if v.dyn != dynNone {
		sh.refresh(v)
	}
	if v.attrs&attrAssoc != 0 {
		if sub.Src == "" {
			return sh.badSubscript(real, sub)
		}
		return sh.assignKey(v, sh.key(sub), value, add)
	}
	if sub.At || sub.Star || strings.TrimSpace(sub.Src) == "" {
		return sh.badSubscript(real, sub)
	}
	i := sh.index(sub)
	if sh.ctl != ctlNone {
		return errReported
	}
	sh.makeIndexed(v)
	if i < 0 {
		i += v.arr.next()
		if i < 0 {
			return sh.badSubscript(real, sub)
		}
	}
	return sh.assignIndex(v, i, value, add)
}

func (sh *Shell) badSubscript(name string, sub *syntax.Subscript) error {
	sh.errorf("%s[%s]: bad array subscript", name, sub.Src)
	return errReported
}

func (sh *Shell) assignKey(v *variable, key, value string, add bool) error {
	v.own()
	if v.dict == nil {
		v.dict = newAssoc()
	}
	s, err := sh.convert(v, v.dict.vals[key], value, add)
	if err != nil {
		return err
	}
	v.dict.set(key, s)
	v.set = true
	return nil
}

// makeIndexed turns a scalar into an array whose element 0 it is.
func (sh *Shell) makeIndexed(v *variable) {
	if v.arr == nil {
		v.arr = newIndexed(nil)
		if v.set {
			v.arr.set(0, v.str)
		}
		v.str, v.buf = "", nil
	}
	v.own()
	v.attrs |= attrIndexed
}

func (sh *Shell) assignIndex(v *variable, i int64, value string, add bool) error {
	old := ""
	if add {
		old, _ = v.arr.get(i)
	}
	if v.attrs&(attrInteger|attrCase) != 0 || add {
		s, err := sh.convert(v, old, value, add)
		if err != nil {
			return err
		}
		value = s
	}
	v.arr.set(i, value)
	v.set = true
	return nil
}

// setArray replaces a variable by an indexed array.
func (sh *Shell) setArray(name string, vals []string) error {
	v, real, _ := sh.target(name)
	if err := sh.assignable(v, real); err != nil {
		return err
	}
	v.arr, v.dict, v.str, v.buf, v.shared = newIndexed(vals), nil, "", nil, false
	v.attrs = v.attrs&^attrAssoc | attrIndexed
	v.set = true
	return nil
}

// assign performs an assignment as it stands in a script.
func (sh *Shell) assign(a *syntax.Assign) error {
	if a.IsArray {
		return sh.assignArray(a, 0)
	}
	value := sh.assignValue(a.Value)
	if sh.ctl != ctlNone {
		return errReported
	}
	if a.Index != nil {
		return sh.assignElement(a.Name, a.Index, value, a.Append)
	}
	return sh.assignScalar(a.Name, value, a.Append)
}

// arrayItem is an element of a compound assignment after expansion.
type arrayItem struct {
	sub   *syntax.Subscript // nil when the element has none
	add   bool
	value string
}

// assignArray performs name=(…).
func (sh *Shell) assignArray(a *syntax.Assign, kind attr) error {
	if a.Index != nil {
		sh.errorf("%s[%s]: cannot assign list to array member", a.Name, a.Index.Src)
		sh.status = 1
		return errReported
	}
	v, _, _ := sh.lookup(a.Name)
	dict := kind == attrAssoc || v != nil && v.attrs&attrAssoc != 0
	items := sh.expandItems(a.Array, dict)
	if sh.ctl != ctlNone {
		return errReported
	}
	return sh.assignItems(a.Name, items, a.Append, kind)
}

// expandItems expands the elements of a compound assignment.
func (sh *Shell) expandItems(elems []*syntax.ArrayElem, dict bool) []arrayItem {
	items := make([]arrayItem, 0, len(elems))
	for _, e := range elems {
		switch {
		case e.Index != nil:
			items = append(items, arrayItem{e.Index, e.Append, sh.assignValue(e.Value)})
		case dict:
			items = append(items, arrayItem{value: sh.str(e.Value)})
		default:
			for _, s := range sh.fields(nil, e.Value) {
				items = append(items, arrayItem{value: s})
			}
		}
		if sh.ctl != ctlNone {
			return nil
		}
	}
	return items
}

// assignItems gives an array new elements; kind forces the kind of a new one.
func (sh *Shell) assignItems(name string, items []arrayItem, add bool, kind attr) error {
	v, real, _ := sh.target(name)
	if err := sh.assignable(v, real); err != nil {
		return err
	}
	if v.attrs&attrNameref != 0 && !v.set {
		v.attrs &^= attrNameref
	}
	if v.dyn != dynNone {
		v.dyn = dynNone
	}
	if v.attrs&attrAssoc != 0 || kind == attrAssoc {
		return sh.assignDict(v, real, items, add)
	}
	next := &indexed{}
	var at int64
	if add {
		sh.makeIndexed(v)
		next = v.arr
		at = next.next()
	}
	v.arr, v.str, v.buf, v.shared = next, "", nil, false // later subscripts see earlier elements
	v.attrs |= attrIndexed
	for _, it := range items {
		i := at
		if it.sub != nil {
			i = sh.index(it.sub)
			if sh.ctl != ctlNone {
				return errReported
			}
			if i < 0 {
				i += next.next()
			}
			if i < 0 {
				return sh.badSubscript("", it.sub)
			}
		}
		if err := sh.assignIndex(v, i, it.value, it.add); err != nil {
			return err
		}
		at = i + 1
	}
	v.set = true
	return nil
}

// assignDict gives an associative array new elements: [key]=value, or keys and values in turn.
func (sh *Shell) assignDict(v *variable, name string, items []arrayItem, add bool) error {
	v.attrs |= attrAssoc
	tmp := &variable{attrs: v.attrs, dict: newAssoc(), set: true}
	if add && v.dict != nil {
		tmp.dict = v.dict.clone()
	}
	pairs := len(items) > 0 && items[0].sub == nil
	for i := 0; i < len(items); i++ {
		it := items[i]
		key := it.value
		switch {
		case pairs:
			it.value = ""
			if i+1 < len(items) {
				i++
				it.value = items[i].value
			}
		case it.sub == nil:
			sh.errorf("%s: %s: must use subscript when assigning associative array", name, it.value)
			continue
		default:
			key = sh.key(it.sub)
		}
		if key == "" {
			sh.errorf("[%s]=%s: bad array subscript", key, it.value)
			continue
		}
		if err := sh.assignKey(tmp, key, it.value, it.add); err != nil {
			return err
		}
	}
	if sh.ctl != ctlNone {
		return errReported
	}
	v.dict, v.arr, v.shared, v.set = tmp.dict, nil, false, true
	return nil
}

// unset removes a variable, not what it refers to. In a function a local variable leaves what it hid visible again.
func (sh *Shell) unset(name string) error {
	v := sh.vars[name]
	if v == nil {
		return nil
	}
	if v.attrs&attrReadonly != 0 {
		sh.errorf("unset: %s: cannot unset: readonly variable", name)
		return errReported
	}
	if v.attrs&attrTemp != 0 && sh.unsetTemp(name, v) {
		return nil
	}
	if v.scope > 0 && v.scope == sh.scope() {
		// a local of this very call stays local, without a value
		sh.vars[name] = &variable{scope: v.scope, seq: v.seq}
	} else if v.scope > 0 {
		sh.unhide(name, v.scope)
	} else {
		delete(sh.vars, name)
	}
	sh.changed(name)
	return nil
}

// unsetTemp removes a variable that "name=value command" made, so that what it hides is visible again.
func (sh *Shell) unsetTemp(name string, v *variable) bool {
	if v.scope > 0 {
		sh.unhide(name, v.scope)
		sh.changed(name)
		return true
	}
	for i := len(sh.temps) - 1; i >= 0; i-- {
		if sh.temps[i].name == name {
			sh.restore(sh.temps[i])
			sh.temps[i].name = ""
			return true
		}
	}
	return false
}

// unhide ends the life of a local variable of an outer function call.
func (sh *Shell) unhide(name string, scope int) {
	for _, f := range sh.frames {
		if f.scope != scope {
			continue
		}
		for i := range f.saved {
			if f.saved[i].name == name {
				sh.restore(f.saved[i])
				f.saved = append(f.saved[:i], f.saved[i+1:]...)
				return
			}
		}
	}
	delete(sh.vars, name)
}

// changed tells parts of the shell that cache what a variable says.
func (sh *Shell) changed(name string) {
	switch len(name) {
	case 3:
		if name == "IFS" {
			sh.ifsValid = false
		}
	case 4:
		if name == "PATH" {
			sh.hashed = nil
		}
		if name == "LANG" {
			sh.loadLocale()
		}
	case 6:
		switch name {
		case "OPTIND":
			sh.optPos = 0
		case "LC_ALL":
			sh.loadLocale()
		}
	case 8:
		if name == "LC_CTYPE" {
			sh.loadLocale()
		}
	}
}

// loadLocale finds out whether lengths count bytes: in every locale that does not name UTF-8. Without any locale the
// sandbox's own, C.UTF-8, holds.
func (sh *Shell) loadLocale() {
	sh.bytes = false
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if s, _ := sh.get(name); s != "" {
			s = strings.ToUpper(s)
			sh.bytes = !strings.Contains(s, "UTF-8") && !strings.Contains(s, "UTF8")
			return
		}
	}
}

// names lists the variables that have a value, sorted.
func (sh *Shell) names(keep func(string, *variable) bool) []string {
	var list []string
	for n, v := range sh.vars {
		if keep(n, v) {
			list = append(list, n)
		}
	}
	sort.Strings(list)
	return list
}

// saved is a variable that a local or temporary one hides. The variable is nil when there was none.
type saved struct {
	name string
	v    *variable
}

func (sh *Shell) restore(s saved) {
	if s.v == nil {
		delete(sh.vars, s.name)
	} else {
		sh.vars[s.name] = s.v
	}
	sh.changed(s.name)
}

// environ is the environment that the shell gives its commands.
type environ struct{ sh *Shell }

// Get implements command.Environ.
func (e environ) Get(name string) (string, bool) {
	v := e.sh.vars[name]
	if v == nil || v.attrs&attrExport == 0 || !v.set {
		return "", false
	}
	return e.sh.value(v)
}

// List implements command.Environ.
func (e environ) List() []string {
	type item struct {
		text string
		seq  int
	}
	var items []item
	for n, v := range e.sh.vars {
		if v.attrs&attrExport == 0 || !v.set || v.attrs&attrArray != 0 {
			continue
		}
		s, _ := e.sh.value(v)
		items = append(items, item{n + "=" + s, v.seq})
	}
	for n, f := range e.sh.funcs {
		if f.exported {
			items = append(items, item{fmt.Sprintf("BASH_FUNC_%s%%%%=%s", n, f.exportText()), e.sh.seq + 1})
		}
	}
	sort.Slice(items, func(i, j int) bool { return items[i].seq < items[j].seq })
	list := make([]string, len(items))
	for i, it := range items {
		list[i] = it.text
	}
	return list
}

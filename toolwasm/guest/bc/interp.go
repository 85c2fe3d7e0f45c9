package bc

import (
	"bufio"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
)

const (
	// yieldEvery is how many steps pass between two looks at the rest of the guest.
	yieldEvery = 1024
	// maxCalls bounds recursion.
	maxCalls = 10_000
	// lineLength is the length of an output line unless BC_LINE_LENGTH says otherwise.
	lineLength = 70
	// maxBase bounds obase, maxInputBase ibase.
	maxBase, maxInputBase = 1<<31 - 1, 16
	// libraryScale is scale with -l.
	libraryScale = 20
)

// limitsText is what "limits" prints.
const limitsText = "BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 262144\nBC_STRING_MAX   = unlimited\n"

// control says how a statement ended.
type control uint8

const (
	ctlNone control = iota
	ctlBreak
	ctlContinue
	ctlReturn
	ctlHalt
)

type stmt func(*interp) control

type variable struct{ val num }

type arrayVar struct {
	name string
	vals map[int]num
}

// param is a parameter or an auto variable. Variables are global; a call saves them and gives them back.
type param struct {
	name   string
	scalar *variable
	array  *arrayVar
	ref    bool
}

type function struct {
	name          string
	params, autos []param
	body          []stmt
	defined, void bool
}

// interp is a running program.
type interp struct {
	p     *command.Proc
	vars  map[string]*variable
	arrs  map[string]*arrayVar
	funcs map[string]*function
	math  bool

	scale, ibase, obase int
	last, ret           num
	void                bool

	calls  []string // names of the functions that are running
	column int
	width  int
	steps  int
	stdin  *bufio.Reader
}

// runtimeError ends the statement that is running.
type runtimeError struct{ msg string }

// quit ends the program while it is being read.
type quit struct{}

func newInterp(p *command.Proc, math bool) *interp {
	in := &interp{
		p: p, vars: map[string]*variable{}, arrs: map[string]*arrayVar{}, funcs: map[string]*function{},
		ibase: 10, obase: 10, width: lineLength, math: math,
	}
	if math {
		in.scale = libraryScale
	}
	if p.Env != nil {
		if s, ok := p.Env.Get("BC_LINE_LENGTH"); ok {
			const least = 3
			if n, err := strconv.Atoi(s); err == nil && (n == 0 || n >= least) {
				in.width = n
			}
		}
	}
	return in
}

func (in *interp) tick() { in.spend(1) }

// spend counts work, and lets others run when there has been enough of it.
func (in *interp) spend(steps int) {
	in.steps += steps
	if in.steps >= yieldEvery {
		in.steps = 0
		in.p.Yield()
	}
}

// spendOn counts an operation on a large number.
func (in *interp) spendOn(n *big.Int) {
	const bitsPerStep = 256
	in.spend(1 + n.BitLen()/bitsPerStep)
}

// spendOnNum is spendOn for a number that may be small.
func (in *interp) spendOnNum(n num) {
	if n.big == nil {
		in.spend(1)
		return
	}
	in.spendOn(n.big)
}

func (in *interp) fail(format string, args ...any) {
	panic(runtimeError{fmt.Sprintf(format, args...)})
}

func (in *interp) warn(format string, args ...any) {
	_ = in.p.Flush()
	fmt.Fprintf(in.p.Stderr, "Runtime warning (func=%s, adr=0): %s\n", in.where(), fmt.Sprintf(format, args...))
}

func (in *interp) where() string {
	if len(in.calls) == 0 {
		return "(main)"
	}
	return in.calls[len(in.calls)-1]
}

func (in *interp) variable(name string) *variable {
	v := in.vars[name]
	if v == nil {
		v = &variable{}
		in.vars[name] = v
	}
	return v
}

func (in *interp) array(name string) *arrayVar {
	a := in.arrs[name]
	if a == nil {
		a = &arrayVar{name: name}
		in.arrs[name] = a
	}
	return a
}

func (in *interp) function(name string) *function {
	f := in.funcs[name]
	if f == nil {
		f = &function{name: name}
		in.funcs[name] = f
	}
	return f
}

// special returns the variables that mean something to the language.
func (in *interp) special(name string) (expr, *place) {
	var get func(*interp) num
	var put func(*interp, num)
	switch name {
	case "last":
		get = func(in *interp) num { return in.last }
		put = func(in *interp, v num) { in.last = v }
	case "scale":
		get = func(in *interp) num { return integer(int64(in.scale)) }
		put = func(in *interp, v num) { in.scale = in.bounded("scale", v, 0, maxScale) }
	case "ibase":
		get = func(in *interp) num { return integer(int64(in.ibase)) }
		put = func(in *interp, v num) { in.ibase = in.bounded("ibase", v, 2, maxInputBase) }
	case "obase":
		get = func(in *interp) num { return integer(int64(in.obase)) }
		put = func(in *interp, v num) { in.obase = in.bounded("obase", v, 2, maxBase) }
	case "history":
		get = func(*interp) num { return num{} }
		put = func(*interp, num) {}
	default:
		return nil, nil
	}
	return get, &place{
		bind: func(*interp) int { return 0 },
		get:  func(in *interp, _ int) num { return get(in) },
		put:  func(in *interp, _ int, v num) { put(in, v) },
	}
}

// bounded is a number within limits; one beyond them becomes the limit, with a warning.
func (in *interp) bounded(name string, v num, least, most int64) int {
	n, ok := v.whole()
	switch {
	case ok && n >= least && n <= most:
		return int(n)
	case v.sign() < 0 || ok && n < least:
		in.warn("%s too small, set to %d", name, least)
		return int(least)
	}
	in.warn("%s too large, set to %d", name, most)
	return int(most)
}

func (in *interp) arithmetic(op byte, x, y num) num {
	in.spendOnNum(x)
	switch op {
	case '+':
		return x.add(y)
	case '-':
		return x.sub(y)
	case '*':
		in.spendOnNum(y)
		return x.mul(y, in.scale)
	case '/':
		if y.isZero() {
			in.fail("Divide by zero")
		}
		return x.div(y, in.scale)
	case '%':
		if y.isZero() {
			in.fail("Modulo by zero")
		}
		return x.mod(y, in.scale)
	}
	return in.power(x, y)
}

func (in *interp) power(x, y num) num {
	if y.scale > 0 && y.rescale(0).rescale(y.scale).cmp(y) != 0 {
		in.warn("non-zero scale in exponent")
	}
	n, ok := y.whole()
	if !ok {
		in.fail("exponent too large in raise")
	}
	if n < 0 && x.isZero() {
		in.fail("Divide by zero")
	}
	r, ok := x.pow(n, in.scale)
	if !ok {
		in.fail("exponent too large in raise")
	}
	in.spendOnNum(r)
	return r
}

// saved is what a call puts aside.
type saved struct {
	val  num
	vals map[int]num
}

func (in *interp) call(f *function, args []callArg) num {
	if !f.defined {
		if in.math && isMath(f.name, len(args)) {
			return in.mathCallArgs(f.name, args)
		}
		in.fail("Function %s not defined.", f.name)
	}
	if len(args) != len(f.params) {
		in.fail("Parameter number mismatch")
	}
	in.tick()
	if len(in.calls) >= maxCalls {
		in.fail("calls nest too deeply")
	}
	// All arguments are evaluated before the first parameter is set.
	vals := make([]saved, len(args))
	for i, a := range args {
		vals[i] = in.argument(f.params[i], a)
	}
	old := make([]saved, 0, len(f.params)+len(f.autos))
	for i, v := range f.params {
		old = append(old, v.swap(vals[i]))
	}
	for _, v := range f.autos {
		old = append(old, v.swap(saved{}))
	}
	in.calls = append(in.calls, f.name)
	in.ret = num{}
	halted := func() bool {
		defer func() { // also when an error unwinds the call
			for i, v := range f.autos {
				v.swap(old[len(f.params)+i])
			}
			for i, v := range f.params {
				last := v.swap(old[i])
				if v.ref && args[i].array != nil {
					args[i].array.vals = last.vals
				}
			}
		}()
		return in.runBody(f)
	}()
	in.calls = in.calls[:len(in.calls)-1]
	if halted {
		panic(halt{})
	}
	r := in.ret
	in.ret = num{}
	in.void = f.void
	return r
}

// halt unwinds to the end of the program.
type halt struct{}

func (in *interp) runBody(f *function) (halted bool) {
	for _, s := range f.body {
		switch s(in) {
		case ctlReturn:
			return false
		case ctlHalt:
			return true
		}
	}
	return false
}

// argument evaluates an argument for a parameter; an array is copied unless it goes by reference.
func (in *interp) argument(v param, a callArg) saved {
	if (v.array != nil) != (a.array != nil) {
		in.fail("Parameter type mismatch, parameter %s.", v.name)
	}
	if a.array == nil {
		return saved{val: a.value(in)}
	}
	if v.ref {
		if a.array.vals == nil {
			a.array.vals = map[int]num{}
		}
		return saved{vals: a.array.vals}
	}
	c := make(map[int]num, len(a.array.vals))
	for i, x := range a.array.vals {
		c[i] = x
	}
	return saved{vals: c}
}

// swap gives a variable another value and returns the old one.
func (v param) swap(s saved) saved {
	if v.array != nil {
		old := saved{vals: v.array.vals}
		v.array.vals = s.vals
		return old
	}
	old := saved{val: v.scalar.val}
	v.scalar.val = s.val
	return old
}

func isMath(name string, args int) bool {
	switch name {
	case "s", "c", "a", "l", "e":
		return args == 1
	case "j":
		return args == 2
	}
	return false
}

func (in *interp) mathCallArgs(name string, args []callArg) num {
	vals := make([]num, len(args))
	for i, a := range args {
		if a.value == nil {
			in.fail("Parameter type mismatch, parameter x.")
		}
		vals[i] = a.value(in)
	}
	return in.mathCall(name, vals)
}

// read is read(): a number from standard input.
func (in *interp) read() num {
	_ = in.p.Flush()
	if in.stdin == nil {
		return num{}
	}
	s, _ := in.stdin.ReadString('\n')
	s = strings.TrimSpace(s)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	n := 0
	for n < len(s) && (isNumeral(s[n]) || s[n] == '.') {
		n++
	}
	v := parseNumber(s[:n], in.ibase)
	if neg {
		return v.neg()
	}
	return v
}

func (in *interp) format(v num) string {
	if in.obase == 10 {
		return v.decimal()
	}
	return v.inBase(in.obase, in.spendOn)
}

// out writes text, breaking lines that get too long with a backslash.
func (in *interp) out(s string) {
	w := in.p.Out()
	for i := range len(s) {
		c := s[i]
		if c == '\n' {
			in.column = 0
			_ = w.WriteByte(c)
			continue
		}
		if in.width > 0 && in.column >= in.width-2 {
			_, _ = w.WriteString("\\\n")
			in.column = 0
		}
		in.column++
		_ = w.WriteByte(c)
	}
}

package jq

import (
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// yieldEvery is how many steps pass between two looks at the rest of the guest.
const yieldEvery = 4096

// run is a running program.
type run struct {
	p       *command.Proc
	opts    *options
	in      *inputs
	root    *fn
	regexps regexpCache
	env     any
	steps   int
	depth   int // of the calls that are going on

	preludeDefs map[string]*definition
}

// tick counts a step.
func (r *run) tick() {
	r.steps++
	if r.steps&(yieldEvery-1) == 0 {
		r.p.Yield()
	}
}

// enter counts a level of nesting calls; who enters leaves with depth--.
func (r *run) enter() error {
	if r.depth >= maxCalls {
		return errorf("calls nest too deeply")
	}
	r.depth++
	return nil
}

// environment is $ENV.
func (r *run) environment() any {
	if r.env != nil {
		return r.env
	}
	o := newObject(8)
	if r.p.Env != nil {
		for _, kv := range r.p.Env.List() {
			k, v, _ := strings.Cut(kv, "=")
			o.set(k, v)
		}
	}
	r.env = o
	return o
}

// ioSpecials are the built-in functions that depend on the run.
func ioSpecials(name string) (special, bool) {
	switch name {
	case "input/0":
		return func(c *compiler, _ *node) *code {
			return single(func(*frame, any) (any, error) {
				v, err := c.run.in.next()
				if err == io.EOF {
					return nil, errorf("No more inputs")
				}
				return v, catchable(err)
			})
		}, true
	case "inputs/0":
		return inputsFunc, true
	case "debug/0":
		return func(c *compiler, _ *node) *code {
			return c.observe(func(v any) string { return `["DEBUG:",` + encode(v) + "]\n" })
		}, true
	case "stderr/0":
		return func(c *compiler, _ *node) *code { return c.observe(encode) }, true
	case "input_filename/0":
		return func(c *compiler, _ *node) *code {
			return single(func(*frame, any) (any, error) {
				if c.run.in.name == "" {
					return nil, nil
				}
				return c.run.in.name, nil
			})
		}, true
	case "input_line_number/0":
		return func(c *compiler, _ *node) *code {
			return single(func(*frame, any) (any, error) { return float64(c.run.in.line()), nil })
		}, true
	case "halt/0":
		return func(*compiler, *node) *code {
			return multi(func(*frame, *path, any, yield) error { return &haltError{} })
		}, true
	case "halt_error/1":
		return haltErrorFunc, true
	case "now/0":
		return func(*compiler, *node) *code {
			return single(func(*frame, any) (any, error) {
				return float64(time.Now().UnixMicro()) / float64(time.Second/time.Microsecond), nil
			})
		}, true
	case "localtime/0":
		return func(c *compiler, _ *node) *code {
			return single(func(_ *frame, v any) (any, error) { return breakDown(v, "localtime", c.run.location()) })
		}, true
	case "strftime/1", "strflocaltime/1":
		return strftimeFunc, true
	case "split/2":
		return func(c *compiler, n *node) *code {
			return c.cartesian(func(v any, a []any) (any, error) { return c.run.regexps.split(v, a[0], a[1]) }, n.kids)
		}, true
	case "builtins/0":
		return func(c *compiler, _ *node) *code {
			return single(func(*frame, any) (any, error) { return c.run.builtins(), nil })
		}, true
	case "modulemeta/0":
		return func(c *compiler, _ *node) *code {
			return single(func(_ *frame, v any) (any, error) { return c.moduleMeta(v) })
		}, true
	case "get_search_list/0":
		return func(c *compiler, _ *node) *code {
			return single(func(*frame, any) (any, error) { return stringArray(c.run.opts.libs), nil })
		}, true
	}
	return nil, false
}

// catchable makes an error of the input one that try catches.
func catchable(err error) error {
	if err == nil {
		return nil
	}
	return errorf("%s", err)
}

func inputsFunc(c *compiler, _ *node) *code {
	return multi(func(_ *frame, p *path, _ any, out yield) error {
		for {
			v, err := c.run.in.next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return catchable(err)
			}
			if err := out(p.made(), v); err != nil {
				return err
			}
		}
	})
}

// observe passes its input on and writes something about it to standard error.
func (c *compiler) observe(text func(any) string) *code {
	return multi(func(_ *frame, p *path, v any, out yield) error {
		fmt.Fprint(c.run.p.Stderr, text(v))
		return out(p, v)
	})
}

func haltErrorFunc(c *compiler, n *node) *code {
	status := c.expr(n.kids[0])
	return multi(func(fr *frame, _ *path, v any, _ yield) error {
		return status.values(fr, v, func(x any) error {
			f, ok := toFloat(x)
			if !ok {
				return errorf("halt_error/1: number required")
			}
			return &haltError{status: int(math.Trunc(f)), val: v, print: true}
		})
	})
}

func strftimeFunc(c *compiler, n *node) *code {
	name, loc := n.str, time.UTC
	if name == "strflocaltime" {
		loc = c.run.location()
	}
	return c.cartesian(func(v any, a []any) (any, error) { return timeFormat(v, a[0], name, loc) }, n.kids)
}

// builtins lists the names of the built-in functions that are defined in the language; the others cannot be listed
// without calling them.
func (r *run) builtins() any {
	r.preludeDef("")
	names := make([]string, 0, len(r.preludeDefs))
	for n := range r.preludeDefs {
		if n[0] != '_' {
			names = append(names, n)
		}
	}
	names = append(names, strings.Fields(nativeNames)...)
	sort.Strings(names)
	return stringArray(names)
}

// nativeNames are the built-in functions that are not in the prelude, as far as builtins lists them.
const nativeNames = "empty/0 error/0 error/1 select/1 recurse/0 recurse/1 recurse/2 repeat/1 while/2 until/2 range/2 range/3 first/1 last/1" +
	" limit/2 skip/2 nth/2 isempty/1 any/2 all/2 path/1 getpath/1 match/2 test/2 sub/3 values/0 nulls/0 booleans/0 numbers/0 strings/0" +
	" arrays/0 objects/0 iterables/0 scalars/0 input/0 inputs/0 debug/0 stderr/0 input_filename/0 input_line_number/0 halt/0 halt_error/1" +
	" now/0 localtime/0 strftime/1 strflocaltime/1 split/2 builtins/0 modulemeta/0 get_search_list/0 length/0 utf8bytelength/0 not/0 type/0" +
	" keys/0 keys_unsorted/0 to_entries/0 from_entries/0 add/0 reverse/0 sort/0 unique/0 min/0 max/0 tostring/0 tonumber/0 toarray/0 tojson/0" +
	" fromjson/0 ascii_downcase/0 ascii_upcase/0 explode/0 implode/0 trim/0 ltrim/0 rtrim/0 transpose/0 infinite/0 nan/0 isinfinite/0 isnan/0" +
	" isnormal/0 abs/0 gmtime/0 mktime/0 has/1 contains/1 startswith/1 endswith/1 ltrimstr/1 rtrimstr/1 trimstr/1 join/1 split/1 flatten/1" +
	" indices/1 index/1 rindex/1 setpath/2 delpaths/1 bsearch/1 strptime/1 floor/0 ceil/0 round/0 sqrt/0 pow/2 log/0 exp/0 fabs/0 trunc/0"

// compileProgram parses and compiles the program with its libraries and variables.
func (r *run) compileProgram(src string, vars *object) (c *code, values []any, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bail:
			err = e.err
		default:
			panic(e)
		}
	}()
	m, err := parse(src)
	if err != nil {
		return nil, nil, err
	}
	if m.body == nil {
		if len(m.defs) > 0 || len(m.imports) > 0 || m.meta != nil {
			return nil, nil, &compileError{"Top-level program not given (try \".\")"}
		}
		m.body = &node{op: opIdentity}
	}
	r.prepareInputs(m)
	r.root = &fn{name: "main"}
	comp := &compiler{run: r, fn: r.root, defined: map[string]*fn{}, libs: map[string]*library{}}
	slots := map[int]any{}
	for i, k := range vars.keys {
		slots[comp.bind("$"+k)] = vars.vals[i]
	}
	comp.imports(m, slots, ".")
	for _, d := range m.defs {
		comp.define(d)
	}
	c = comp.expr(m.body)
	values = make([]any, r.root.vars)
	for s, v := range slots {
		values[s] = v
	}
	return c, values, nil
}

// prepareInputs lets the inputs leave out what the program does not look at.
func (r *run) prepareInputs(m *module) {
	o := r.opts
	r.in.need = needAll()
	if o.raw || o.slurp || o.stream {
		return
	}
	of, passes := look(m)
	switch {
	case !passes:
		r.in.need = of
	case o.style.canCopy():
		r.in.need, r.in.copying = of, &o.style
	}
}

// source of a file that the program names.
func (r *run) readFile(name string) ([]byte, error) {
	b, err := r.p.ReadFile(name)
	if err != nil {
		return nil, complain("Could not open %s: %s", name, sys.Strerror(err))
	}
	return b, nil
}

func strerror(err error) string { return sys.Strerror(err) }

package jq

import "strings"

// maxCalls bounds how deeply calls nest. A level takes up to three kilobytes of stack.
const maxCalls = 40_000

// call compiles a call of an argument, a defined function or a built-in one.
func (c *compiler) call(n *node) *code {
	name := signature(n.str, len(n.kids))
	if s := c.lookup(name); s != nil {
		if s.fn == nil {
			return c.callArgument(s)
		}
		return c.callFunction(s.fn, s.level, n.kids)
	}
	if f, ok := specials(name); ok {
		return f(c, n)
	}
	if f, ok := functions0(name); ok {
		return single(func(_ *frame, v any) (any, error) { return f(v) })
	}
	if f, ok := functionsN(name); ok {
		return c.cartesian(f, n.kids)
	}
	if f, ok := mathFunction(name); ok {
		return c.cartesian(f, n.kids)
	}
	if f := c.prelude(name); f != nil {
		return c.callFunction(f, 0, n.kids)
	}
	c.fail(n, "%s is not defined at <top-level>, line 1:", name)
	return nil
}

func (c *compiler) callArgument(s *scope) *code {
	slot := s.slot
	at, run := c.frameAt(s.level), c.run
	return multi(func(fr *frame, p *path, v any, out yield) error {
		if err := run.enter(); err != nil {
			return err
		}
		a := at(fr).args[slot]
		err := a.code.gen(a.fr, p, v, out)
		run.depth--
		return err
	})
}

func (c *compiler) callFunction(f *fn, level int, kids []*node) *code {
	args := make([]*code, len(kids))
	for i, k := range kids {
		args[i] = c.expr(k)
	}
	at := c.frameAt(level)
	run := c.run
	return multi(func(fr *frame, p *path, v any, out yield) error {
		run.tick()
		if err := run.enter(); err != nil {
			return err
		}
		callee := &frame{up: at(fr)}
		if len(args) > 0 {
			callee.args = make([]closure, len(args))
			for i, a := range args {
				callee.args[i] = closure{a, fr}
			}
		}
		if f.vars > 0 {
			callee.vars = make([]any, f.vars)
		}
		err := f.code.gen(callee, p, v, out)
		run.depth--
		return err
	})
}

// function computes a value from the input and the values of the arguments.
type function func(v any, args []any) (any, error)

// cartesian calls a function for every combination of its arguments' values; the first argument changes fastest.
func (c *compiler) cartesian(f function, kids []*node) *code {
	args := make([]*code, len(kids))
	simple := true
	for i, k := range kids {
		args[i] = c.expr(k)
		simple = simple && args[i].one != nil
	}
	if simple {
		return single(func(fr *frame, v any) (any, error) {
			var few [3]any
			vals := few[:0]
			for _, a := range args {
				x, err := a.one(fr, v)
				if err != nil {
					return nil, err
				}
				vals = append(vals, x)
			}
			return f(v, vals)
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		vals := make([]any, len(args))
		return combinations(args, vals, len(args)-1, fr, v, func() error {
			r, err := f(v, vals)
			if err != nil {
				return err
			}
			return out(p.made(), r)
		})
	})
}

func combinations(args []*code, vals []any, i int, fr *frame, v any, f func() error) error {
	if i < 0 {
		return f()
	}
	return args[i].values(fr, v, func(x any) error {
		vals[i] = x
		return combinations(args, vals, i-1, fr, v, f)
	})
}

// preludeSource defines the functions that are best said in the language itself. Each is compiled when it is first called.
const preludeSource = `
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def map(f): [.[] | f];
def map_values(f): .[] |= f;
def with_entries(f): to_entries | map(f) | from_entries;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def del(f): delpaths([path(f)]);
def paths: path(..) | select(length > 0);
def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);
def leaf_paths: paths(scalars);
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def ascii: [.] | implode;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row | idx_expr | tostring] |= $row);
def INDEX(idx_expr): INDEX(.[]; idx_expr);
def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];
def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];
def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def pick(pathexps): . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));
def debug(msg): (msg | debug | empty), .;
def have_literal_numbers: true;
def have_decnum: true;
def halt_error: halt_error(5);
def add(f): reduce f as $x (null; . + $x);
def any: any(.[]; .);
def all: all(.[]; .);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def flatten: flatten(1e9);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def splits($re): splits($re; null);
def splits($re; flags): split($re; flags) | .[];
def match(re): match(re; null);
def test(re): test(re; null);
def capture(re): capture(re; null);
def capture(re; flags): match(re; flags) | [.captures | .[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def scan(re): scan(re; null);
def scan(re; flags): match(re; "g" + flags) | if (.captures | length) > 0 then [.captures | .[] | .string] else .string end;
def sub(re; str): sub(re; str; "");
def gsub(re; str): sub(re; str; "g");
def gsub(re; str; $flags): sub(re; str; $flags + "g");
def range($x): range(0; $x);
def min_by(f): _min_by(map([f]));
def max_by(f): _max_by(map([f]));
def sort_by(f): _sort_by(map([f]));
def group_by(f): _group_by(map([f]));
def unique_by(f): _unique_by(map([f]));
def env: $ENV;
`

// prelude finds a built-in function that is written in the language, compiling it at first use.
func (c *compiler) prelude(name string) *fn {
	if f, ok := c.defined[name]; ok {
		return f
	}
	d := c.run.preludeDef(name)
	if d == nil {
		return nil
	}
	f := &fn{name: d.name, params: d.params, level: 1}
	c.defined[name] = f
	defer func(s *scope, outer *fn) { c.scope, c.fn = s, outer }(c.scope, c.fn)
	c.scope, c.fn = nil, c.run.root
	c.body(f, d.body)
	return f
}

// preludeDef finds the definition of a function of the prelude.
func (r *run) preludeDef(name string) *definition {
	if r.preludeDefs == nil {
		m, err := parse(strings.TrimSpace(preludeSource))
		if err != nil {
			return nil
		}
		r.preludeDefs = map[string]*definition{}
		for _, d := range m.defs {
			r.preludeDefs[signature(d.name, len(d.params))] = d
		}
	}
	return r.preludeDefs[name]
}

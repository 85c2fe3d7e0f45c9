package jq

// special compiles a built-in function that is no function of values: it takes filters, or has other than one output.
type special func(c *compiler, n *node) *code

func specials(name string) (special, bool) {
	switch name {
	case "empty/0":
		return emptyFunc, true
	case "error/0":
		return errorFunc, true
	case "error/1":
		return errorFunc1, true
	case "select/1":
		return selectFunc, true
	case "recurse/0":
		return recurse0, true
	case "recurse/1":
		return recurse1, true
	case "recurse/2":
		return recurse2, true
	case "repeat/1":
		return repeatFunc, true
	case "while/2":
		return whileFunc, true
	case "until/2":
		return untilFunc, true
	case "range/2":
		return range2, true
	case "range/3":
		return range3, true
	case "first/1":
		return firstFunc, true
	case "last/1":
		return lastFunc, true
	case "limit/2":
		return limitFunc, true
	case "skip/2":
		return skipFunc, true
	case "nth/2":
		return nthFunc, true
	case "isempty/1":
		return isEmptyFunc, true
	case "any/2", "all/2":
		return anyAll, true
	case "path/1":
		return pathFunc, true
	case "getpath/1":
		return getpathFunc, true
	case "match/2", "test/2":
		return matchFunc, true
	case "sub/3":
		return subFunc, true
	case "values/0", "nulls/0", "booleans/0", "numbers/0", "strings/0", "arrays/0", "objects/0", "iterables/0", "scalars/0":
		return typeSelector, true
	}
	return ioSpecials(name)
}

func emptyFunc(*compiler, *node) *code {
	return multi(func(*frame, *path, any, yield) error { return nil })
}

func errorFunc(*compiler, *node) *code {
	return multi(func(_ *frame, _ *path, v any, _ yield) error { return &valueError{v} })
}

func errorFunc1(c *compiler, n *node) *code {
	msg := c.expr(n.kids[0])
	return multi(func(fr *frame, _ *path, v any, _ yield) error {
		return msg.values(fr, v, func(x any) error { return &valueError{x} })
	})
}

func selectFunc(c *compiler, n *node) *code {
	cond := c.expr(n.kids[0])
	if cond.one != nil {
		return multi(func(fr *frame, p *path, v any, out yield) error {
			x, err := cond.one(fr, v)
			if err != nil {
				return err
			}
			if truthy(x) {
				return out(p, v)
			}
			return nil
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return cond.values(fr, v, func(x any) error {
			if truthy(x) {
				return out(p, v)
			}
			return nil
		})
	})
}

func typeSelector(_ *compiler, n *node) *code {
	want := func(v any) bool { return v != nil }
	scalar := func(v any) bool {
		switch v.(type) {
		case *array, *object:
			return false
		}
		return true
	}
	switch n.str {
	case "values":
	case "scalars":
		want = scalar
	case "iterables":
		want = func(v any) bool { return !scalar(v) }
	default:
		name := n.str[:len(n.str)-1]
		want = func(v any) bool { return typeName(v) == name }
	}
	return multi(func(_ *frame, p *path, v any, out yield) error {
		if !want(v) {
			return nil
		}
		return out(p, v)
	})
}

// recurse0 is "..": a value, then all in it.
func recurse0(c *compiler, _ *node) *code {
	var walk func(p *path, v any, out yield, depth int) error
	walk = func(p *path, v any, out yield, depth int) error {
		c.run.tick()
		if err := out(p, v); err != nil {
			return err
		}
		if depth > maxDepth {
			return errorf("recursion is too deep")
		}
		switch v.(type) {
		case *array, *object:
			return each(p, v, func(p *path, v any) error { return walk(p, v, out, depth+1) })
		}
		return nil
	}
	return multi(func(_ *frame, p *path, v any, out yield) error { return walk(p, v, out, 0) })
}

// place is a value with its path.
type found struct {
	p *path
	v any
}

// iterate calls visit for a value, and for everything that next leads to from there. The last successor is taken in a loop and
// not by recursion, so that long chains need no stack.
func (c *compiler) iterate(start found, visit func(found) (bool, error), next func(found, yield) error) error {
	at := start
	for {
		c.run.tick()
		more, err := visit(at)
		if err != nil || !more {
			return err
		}
		var last found
		some := false
		err = next(at, func(p *path, v any) error {
			prev := last
			had := some
			last, some = found{p, v}, true
			if !had {
				return nil
			}
			if err := c.run.enter(); err != nil {
				return err
			}
			err := c.iterate(prev, visit, next)
			c.run.depth--
			return err
		})
		if err != nil {
			if some {
				if e := c.iterate(last, visit, next); e != nil {
					return e
				}
			}
			return err
		}
		if !some {
			return nil
		}
		at = last
	}
}

func recurse1(c *compiler, n *node) *code {
	f := c.expr(n.kids[0])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return c.iterate(found{p, v}, func(x found) (bool, error) { return true, out(x.p, x.v) },
			func(x found, out yield) error { return f.gen(fr, x.p, x.v, out) })
	})
}

func recurse2(c *compiler, n *node) *code {
	f, cond := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return c.iterate(found{p, v}, func(x found) (bool, error) { return true, out(x.p, x.v) },
			func(x found, out yield) error {
				return f.gen(fr, x.p, x.v, func(p *path, v any) error {
					return cond.values(fr, v, func(ok any) error {
						if truthy(ok) {
							return out(p, v)
						}
						return nil
					})
				})
			})
	})
}

func repeatFunc(c *compiler, n *node) *code { return recurse1(c, n) }

func whileFunc(c *compiler, n *node) *code {
	cond, f := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return c.iterate(found{p, v}, func(x found) (more bool, err error) {
			err = cond.values(fr, x.v, func(ok any) error {
				more = truthy(ok)
				if !more {
					return nil
				}
				return out(x.p, x.v)
			})
			return more, err
		}, func(x found, out yield) error { return f.gen(fr, x.p, x.v, out) })
	})
}

func untilFunc(c *compiler, n *node) *code {
	cond, f := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return c.iterate(found{p, v}, func(x found) (more bool, err error) {
			err = cond.values(fr, x.v, func(ok any) error {
				more = !truthy(ok)
				if more {
					return nil
				}
				return out(x.p, x.v)
			})
			return more, err
		}, func(x found, out yield) error { return f.gen(fr, x.p, x.v, out) })
	})
}

func (c *compiler) count(fr *frame, p *path, from, to, by float64, out yield) error {
	if by > 0 {
		for x := from; x < to; x += by {
			c.run.tick()
			if err := out(p.made(), x); err != nil {
				return err
			}
		}
		return nil
	}
	for x := from; by < 0 && x > to || by == 0 && from < to; x += by {
		c.run.tick()
		if err := out(p.made(), x); err != nil {
			return err
		}
	}
	return nil
}

func range2(c *compiler, n *node) *code {
	from, to := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return from.values(fr, v, func(a any) error {
			return to.values(fr, v, func(b any) error {
				x, y, ok := numbers(a, b)
				if !ok {
					return errorf("Range bounds must be numeric")
				}
				return c.count(fr, p, x, y, 1, out)
			})
		})
	})
}

func range3(c *compiler, n *node) *code {
	from, to, by := c.expr(n.kids[0]), c.expr(n.kids[1]), c.expr(n.kids[2])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return from.values(fr, v, func(a any) error {
			return to.values(fr, v, func(b any) error {
				return by.values(fr, v, func(s any) error {
					x, y, ok := numbers(a, b)
					step, ok2 := toFloat(s)
					if !ok || !ok2 {
						return errorf("Range bounds must be numeric")
					}
					return c.count(fr, p, x, y, step, out)
				})
			})
		})
	})
}

func firstFunc(c *compiler, n *node) *code {
	f := c.expr(n.kids[0])
	return multi(func(fr *frame, p *path, v any, out yield) error { return limited(f, 1, fr, p, v, out) })
}

// limited gives the first n outputs of f.
func limited(f *code, n float64, fr *frame, p *path, v any, out yield) error {
	if n <= 0 {
		return nil
	}
	done := &breakError{new(token)}
	count := 0.0
	err := f.gen(fr, p, v, func(p *path, v any) error {
		count++
		if err := out(p, v); err != nil {
			return err
		}
		if count >= n {
			return done
		}
		return nil
	})
	if err == error(done) {
		return nil
	}
	return err
}

func lastFunc(c *compiler, n *node) *code {
	f := c.expr(n.kids[0])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		var last found
		some := false
		err := f.gen(fr, p, v, func(p *path, v any) error {
			last, some = found{p, v}, true
			return nil
		})
		if err != nil || !some {
			return err
		}
		return out(last.p, last.v)
	})
}

// counted calls f with each value of a count that must not be negative.
func counted(count *code, fr *frame, v any, name string, f func(n float64) error) error {
	return count.values(fr, v, func(x any) error {
		n, ok := toFloat(x)
		if !ok {
			if rank(x) > rank(0.0) { // everything that orders above the numbers is "greater than zero"
				return errorf("Invalid arguments to %s: %s", name, show(x))
			}
			n = 0
		}
		if n < 0 {
			return errorf("%s doesn't support negative %s", name, map[bool]string{true: "indices", false: "count"}[name == "nth"])
		}
		return f(n)
	})
}

func limitFunc(c *compiler, n *node) *code {
	count, f := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return counted(count, fr, v, "limit", func(n float64) error { return limited(f, n, fr, p, v, out) })
	})
}

func skipFunc(c *compiler, n *node) *code {
	count, f := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return counted(count, fr, v, "skip", func(n float64) error {
			return f.gen(fr, p, v, func(p *path, v any) error {
				n--
				if n >= 0 {
					return nil
				}
				return out(p, v)
			})
		})
	})
}

func nthFunc(c *compiler, n *node) *code {
	count, f := c.expr(n.kids[0]), c.expr(n.kids[1])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return counted(count, fr, v, "nth", func(n float64) error {
			return limited(multi(func(fr *frame, p *path, v any, out yield) error {
				return f.gen(fr, p, v, func(p *path, v any) error {
					n--
					if n >= 0 {
						return nil
					}
					return out(p, v)
				})
			}), 1, fr, p, v, out)
		})
	})
}

func isEmptyFunc(c *compiler, n *node) *code {
	f := c.expr(n.kids[0])
	return single(func(fr *frame, v any) (any, error) {
		empty := true
		err := limited(f, 1, fr, nil, v, func(*path, any) error {
			empty = false
			return nil
		})
		return empty, err
	})
}

// anyAll is any(generator; condition) and all(…), which stop at the first value that decides.
func anyAll(c *compiler, n *node) *code {
	src, cond, any2 := c.expr(n.kids[0]), c.expr(n.kids[1]), n.str == "any"
	return single(func(fr *frame, v any) (any, error) {
		result := !any2
		done := &breakError{new(token)}
		err := src.values(fr, v, func(x any) error {
			return cond.values(fr, x, func(ok any) error {
				if truthy(ok) == any2 {
					result = any2
					return done
				}
				return nil
			})
		})
		if err == error(done) {
			err = nil
		}
		return result, err
	})
}

func pathFunc(c *compiler, n *node) *code {
	f := c.expr(n.kids[0])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return collectPaths(f, fr, v, func(keys []any) error { return out(p.made(), newArray(keys)) })
	})
}

func getpathFunc(c *compiler, n *node) *code {
	keys := c.expr(n.kids[0])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return keys.values(fr, v, func(k any) error {
			a, ok := k.(*array)
			if !ok {
				return errorf("Path must be specified as an array")
			}
			if len(a.items) > maxDepth {
				return errorf("Path too deep")
			}
			if p != nil && p.bad && len(a.items) > 0 {
				return errorf("Invalid path expression with result %s", shortPath(v))
			}
			r, err := getpath(v, a.items)
			if err != nil {
				return err
			}
			for _, key := range a.items {
				p = p.with(key)
			}
			return out(p, r)
		})
	})
}

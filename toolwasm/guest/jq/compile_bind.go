package jq

// binder sets the variables of a pattern for a value and calls next, for each way in which its keys come out.
type binder func(fr *frame, input, v any, next func() error) error

// patterns adds the variables of all alternatives to the scope and returns a binder for each.
func (c *compiler) patterns(pats []*pattern) (binders []binder, slots []int) {
	seen := map[string]int{}
	for _, p := range pats {
		c.declare(p, seen, &slots)
	}
	for _, p := range pats {
		binders = append(binders, c.binder(p, seen))
	}
	return binders, slots
}

func (c *compiler) declare(p *pattern, seen map[string]int, slots *[]int) {
	add := func(name string) {
		if _, ok := seen[name]; !ok {
			seen[name] = c.bind("$" + name)
			*slots = append(*slots, seen[name])
		}
	}
	switch p.kind {
	case '$':
		add(p.name)
	case '[':
		for _, e := range p.array {
			c.declare(e, seen, slots)
		}
	case '{':
		for _, e := range p.object {
			if e.name != "" {
				add(e.name)
			}
			if e.val != nil {
				c.declare(e.val, seen, slots)
			}
		}
	}
}

func (c *compiler) binder(p *pattern, seen map[string]int) binder {
	switch p.kind {
	case '$':
		slot := seen[p.name]
		return func(fr *frame, _, v any, next func() error) error {
			fr.vars[slot] = v
			return next()
		}
	case '[':
		list := make([]binder, len(p.array))
		for i, e := range p.array {
			list[i] = c.binder(e, seen)
		}
		return bindArray(list)
	}
	list := make([]binder, len(p.object))
	for i, e := range p.object {
		list[i] = c.keyBinder(e, seen)
	}
	return func(fr *frame, input, v any, next func() error) error { return bindAll(list, fr, input, v, next) }
}

func bindAll(list []binder, fr *frame, input, v any, next func() error) error {
	if len(list) == 0 {
		return next()
	}
	return list[0](fr, input, v, func() error { return bindAll(list[1:], fr, input, v, next) })
}

func bindArray(list []binder) binder {
	return func(fr *frame, input, v any, next func() error) error {
		if _, ok := v.(*array); !ok && v != nil {
			return errorf("Cannot index %s with number", typeName(v))
		}
		return bindItems(list, 0, fr, input, v, next)
	}
}

func bindItems(list []binder, i int, fr *frame, input, v any, next func() error) error {
	if i == len(list) {
		return next()
	}
	var item any
	if a, ok := v.(*array); ok && i < len(a.items) {
		item = a.items[i]
	}
	return list[i](fr, input, item, func() error { return bindItems(list, i+1, fr, input, v, next) })
}

func (c *compiler) keyBinder(e patternKey, seen map[string]int) binder {
	key := c.expr(e.key)
	slot := -1
	if e.name != "" {
		slot = seen[e.name]
	}
	var inner binder
	if e.val != nil {
		inner = c.binder(e.val, seen)
	}
	return func(fr *frame, input, v any, next func() error) error {
		return key.values(fr, input, func(k any) error {
			if _, ok := k.(string); !ok {
				return errorf("Cannot index %s with %s", typeName(v), typeName(k))
			}
			item, err := index(v, k)
			if err != nil {
				return err
			}
			if slot >= 0 {
				fr.vars[slot] = item
			}
			if inner == nil {
				return next()
			}
			return inner(fr, input, item, next)
		})
	}
}

// saved keeps the values of slots while they are used.
func saved(fr *frame, slots []int, f func() error) error {
	if len(slots) == 1 {
		old := fr.vars[slots[0]]
		err := f()
		fr.vars[slots[0]] = old
		return err
	}
	old := make([]any, len(slots))
	for i, s := range slots {
		old[i] = fr.vars[s]
	}
	err := f()
	for i, s := range slots {
		fr.vars[s] = old[i]
	}
	return err
}

// binding compiles "source as patterns | body".
func (c *compiler) binding(n *node) *code {
	src := c.expr(n.kids[0])
	defer func(s *scope) { c.scope = s }(c.scope)
	binders, slots := c.patterns(n.pats)
	body := c.expr(n.kids[1])
	if src.one != nil && len(n.pats) == 1 && n.pats[0].kind == '$' {
		slot := slots[0]
		gen := func(fr *frame, p *path, v any, out yield) error {
			x, err := src.one(fr, v)
			if err != nil {
				return err
			}
			old := fr.vars[slot]
			fr.vars[slot] = x
			err = body.gen(fr, p, v, out)
			fr.vars[slot] = old
			return err
		}
		if body.one == nil {
			return multi(gen)
		}
		return &code{gen: gen, one: func(fr *frame, v any) (any, error) {
			x, err := src.one(fr, v)
			if err != nil {
				return nil, err
			}
			old := fr.vars[slot]
			fr.vars[slot] = x
			r, err := body.one(fr, v)
			fr.vars[slot] = old
			return r, err
		}}
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return src.values(fr, v, func(x any) error {
			return saved(fr, slots, func() error {
				return alternatives(binders, slots, fr, v, x, func() error { return body.gen(fr, p, v, out) })
			})
		})
	})
}

// alternatives tries the patterns one after the other: an error in a pattern or behind it leads to the next.
func alternatives(binders []binder, slots []int, fr *frame, input, x any, next func() error) error {
	for i, b := range binders {
		if len(binders) > 1 {
			for _, s := range slots {
				fr.vars[s] = nil
			}
		}
		err := b(fr, input, x, next)
		if err == nil || i == len(binders)-1 || isFatal(err) {
			return err
		}
	}
	return nil
}

func (c *compiler) reduce(n *node) *code {
	src, start := c.expr(n.kids[0]), c.expr(n.kids[1])
	defer func(s *scope) { c.scope = s }(c.scope)
	binders, slots := c.patterns(n.pats)
	step := c.stepper(n.kids[2])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return start.gen(fr, p, v, func(p0 *path, state any) error {
			at := p0
			own := new(token)
			err := saved(fr, slots, func() error {
				return src.values(fr, v, func(x any) error {
					c.run.tick()
					return alternatives(binders, slots, fr, v, x, func() error {
						var err error
						state, at, err = step(fr, at, state, own)
						return err
					})
				})
			})
			if err != nil {
				return err
			}
			return out(at, state)
		})
	})
}

// stepper compiles the body of a reduction: it gives the last output, and may change what own owns.
func (c *compiler) stepper(n *node) func(fr *frame, p *path, v any, own *token) (any, *path, error) {
	body := c.expr(n)
	linear := c.linear(n)
	return func(fr *frame, p *path, v any, own *token) (any, *path, error) {
		if p == nil && linear != nil {
			r, err := linear(fr, v, own)
			return r, nil, err
		}
		if p == nil && body.one != nil {
			r, err := body.one(fr, v)
			return r, nil, err
		}
		var last any
		at := p.made()
		err := body.gen(fr, p, v, func(p *path, r any) error {
			last, at = r, p
			return nil
		})
		return last, at, err
	}
}

func (c *compiler) foreach(n *node) *code {
	src, start := c.expr(n.kids[0]), c.expr(n.kids[1])
	defer func(s *scope) { c.scope = s }(c.scope)
	binders, slots := c.patterns(n.pats)
	update := c.expr(n.kids[2])
	var extract *code
	if n.kids[3] != nil {
		extract = c.expr(n.kids[3])
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return start.gen(fr, p, v, func(p0 *path, state any) error {
			at := p0
			return saved(fr, slots, func() error {
				return src.values(fr, v, func(x any) error {
					c.run.tick()
					return alternatives(binders, slots, fr, v, x, func() error {
						return update.gen(fr, at, state, func(p *path, r any) error {
							state, at = r, p
							if extract == nil {
								return out(p, r)
							}
							return extract.gen(fr, p, r, out)
						})
					})
				})
			})
		})
	})
}

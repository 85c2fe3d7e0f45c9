package bc

// expr computes a number.
type expr func(*interp) num

func (p *parser) expression() expr {
	e, _ := p.expr0()
	return e
}

// expr0 reads an expression; silent is true for an assignment, whose value is not printed.
//
// From loosest to tightest: || && ! comparisons = + * ^ - ++, which is GNU's order.
func (p *parser) expr0() (e expr, silent bool) {
	p.enter()
	defer p.leave()
	left, silent := p.and()
	for p.accept("||") {
		a := left
		b, _ := p.and()
		left, silent = func(in *interp) num {
			if !a(in).isZero() {
				return integer(1)
			}
			return truth(!b(in).isZero())
		}, false
	}
	return left, silent
}

func truth(b bool) num {
	if b {
		return integer(1)
	}
	return num{}
}

func (p *parser) and() (e expr, silent bool) {
	left, silent := p.not()
	for p.accept("&&") {
		a := left
		b, _ := p.not()
		left, silent = func(in *interp) num {
			if a(in).isZero() {
				return num{}
			}
			return truth(!b(in).isZero())
		}, false
	}
	return left, silent
}

func (p *parser) not() (e expr, silent bool) {
	if !p.is("!") {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	p.next()
	a, _ := p.not()
	return func(in *interp) num { return truth(a(in).isZero()) }, false
}

func (p *parser) comparison() (e expr, silent bool) {
	left, silent := p.assignment()
	for p.tok == tPunct {
		op := p.text
		switch op {
		case "==", "<=", ">=", "!=", "<", ">":
		default:
			return left, silent
		}
		p.next()
		a := left
		b, _ := p.assignment()
		left, silent = func(in *interp) num {
			x := a(in)
			return truth(holds(op, x.cmp(b(in))))
		}, false
	}
	return left, silent
}

func holds(op string, order int) bool {
	switch op {
	case "==":
		return order == 0
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	}
	return order > 0
}

// place is something that can be assigned to. bind evaluates the subscript, once.
type place struct {
	bind func(*interp) int
	get  func(*interp, int) num
	put  func(*interp, int, num)
}

func (p *parser) assignment() (e expr, silent bool) {
	left, target := p.sum()
	if target == nil || p.tok != tPunct {
		return left, false
	}
	op := p.text
	switch op {
	case "=", "+=", "-=", "*=", "/=", "%=", "^=":
	default:
		return left, false
	}
	p.enter()
	defer p.leave()
	p.next()
	rhs, _ := p.assignment()
	if op == "=" {
		return func(in *interp) num {
			i := target.bind(in)
			v := rhs(in)
			target.put(in, i, v)
			return v
		}, true
	}
	return func(in *interp) num {
		i := target.bind(in)
		v := in.arithmetic(op[0], target.get(in, i), rhs(in))
		target.put(in, i, v)
		return v
	}, true
}

func (p *parser) sum() (expr, *place) {
	left, target := p.product()
	for p.is("+") || p.is("-") {
		op := p.text[0]
		p.next()
		a := left
		b, _ := p.product()
		left, target = binary(op, a, b), nil
	}
	return left, target
}

func binary(op byte, a, b expr) expr {
	return func(in *interp) num {
		x := a(in)
		return in.arithmetic(op, x, b(in))
	}
}

func (p *parser) product() (expr, *place) {
	left, target := p.power()
	for p.is("*") || p.is("/") || p.is("%") {
		op := p.text[0]
		p.next()
		a := left
		b, _ := p.power()
		left, target = binary(op, a, b), nil
	}
	return left, target
}

func (p *parser) power() (expr, *place) {
	left, target := p.unary()
	if !p.is("^") {
		return left, target
	}
	p.enter()
	defer p.leave()
	p.next()
	b, _ := p.power()
	return binary('^', left, b), nil
}

func (p *parser) unary() (expr, *place) {
	if !p.is("-") {
		return p.postfix()
	}
	p.enter()
	defer p.leave()
	p.next()
	a, _ := p.unary()
	return func(in *interp) num { return a(in).neg() }, nil
}

func (p *parser) postfix() (expr, *place) {
	if p.is("++") || p.is("--") {
		step := stepOf(p.text)
		p.next()
		_, target := p.primary()
		if target == nil {
			p.unexpected()
		}
		return increment(target, step, false), nil
	}
	e, target := p.primary()
	if target == nil || !p.is("++") && !p.is("--") {
		return e, target
	}
	step := stepOf(p.text)
	p.next()
	return increment(target, step, true), nil
}

func stepOf(op string) num {
	if op == "++" {
		return integer(1)
	}
	return integer(-1)
}

func increment(target *place, step num, post bool) expr {
	return func(in *interp) num {
		i := target.bind(in)
		old := target.get(in, i)
		v := old.add(step)
		target.put(in, i, v)
		if post {
			return old
		}
		return v
	}
}

func (p *parser) primary() (expr, *place) {
	switch p.tok {
	case tNumber:
		return p.number(), nil
	case tName:
		return p.name()
	case tPunct:
		switch p.text {
		case "(":
			p.next()
			e := p.expression()
			p.expect(")")
			return e, nil
		case ".":
			p.next()
			return p.in.special("last")
		}
	}
	p.unexpected()
	return nil, nil
}

// number is converted by the base of the time when it is evaluated, and kept until the base changes.
func (p *parser) number() expr {
	s := p.text
	p.next()
	base := 0
	var v num
	return func(in *interp) num {
		if base != in.ibase {
			base = in.ibase
			v = parseNumber(s, base)
		}
		return v
	}
}

func (p *parser) name() (expr, *place) {
	name := p.text
	p.next()
	switch name {
	case "length", "scale", "sqrt":
		if p.is("(") {
			return p.builtin(name), nil
		}
	case "read":
		p.expect("(")
		p.expect(")")
		return func(in *interp) num { return in.read() }, nil
	}
	switch {
	case p.is("("):
		return p.call(name), nil
	case p.accept("["):
		index := p.expression()
		p.expect("]")
		return element(p.in.array(name), index)
	}
	if e, pl := p.in.special(name); e != nil {
		return e, pl
	}
	if isReserved(name) {
		p.unexpected()
	}
	v := p.in.variable(name)
	return func(*interp) num { return v.val }, &place{
		bind: func(*interp) int { return 0 },
		get:  func(*interp, int) num { return v.val },
		put:  func(_ *interp, _ int, x num) { v.val = x },
	}
}

func isReserved(name string) bool {
	switch name {
	case "auto", "break", "continue", "define", "else", "for", "halt", "if", "length", "limits", "print", "quit", "return", "sqrt", "while":
		return true
	}
	return false
}

// maxIndex bounds the subscripts of arrays.
const maxIndex = 1<<24 - 1

func element(a *arrayVar, index expr) (expr, *place) {
	bind := func(in *interp) int {
		i, ok := index(in).whole()
		if !ok || i < 0 || i > maxIndex {
			in.fail("Array %s subscript out of bounds.", a.name)
		}
		return int(i)
	}
	get := func(_ *interp, i int) num { return a.vals[i] }
	return func(in *interp) num { return get(in, bind(in)) }, &place{
		bind: bind, get: get,
		put: func(_ *interp, i int, v num) {
			if a.vals == nil {
				a.vals = map[int]num{}
			}
			a.vals[i] = v
		},
	}
}

func (p *parser) builtin(name string) expr {
	p.next()
	// length(a[]) is the number of elements.
	arg := p.expression()
	p.expect(")")
	switch name {
	case "length":
		return func(in *interp) num { return integer(int64(arg(in).length())) }
	case "scale":
		return func(in *interp) num { return integer(int64(arg(in).scale)) }
	}
	return func(in *interp) num {
		x := arg(in)
		if x.sign() < 0 {
			in.fail("Square root of a negative number")
		}
		return x.sqrt(in.scale)
	}
}

// callArg is an argument: a number, or an array by name.
type callArg struct {
	value expr
	array *arrayVar
}

func (p *parser) call(name string) expr {
	p.expect("(")
	var args []callArg
	for !p.is(")") {
		args = append(args, p.argument())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	f := p.in.function(name)
	return func(in *interp) num { return in.call(f, args) }
}

// argument reads an expression or "name[]".
func (p *parser) argument() callArg {
	if p.tok == tName {
		saved := p.lexer
		name := p.text
		p.next()
		if p.accept("[") && p.accept("]") {
			return callArg{array: p.in.array(name)}
		}
		// The lexer may have read another line meanwhile: only the place within what it holds goes back.
		if len(saved.buf) == len(p.buf) {
			sources, eof := p.sources, p.eof
			p.lexer = saved
			p.sources, p.eof = sources, eof
		}
	}
	return callArg{value: p.expression()}
}

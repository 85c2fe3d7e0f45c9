package syntax

import "fmt"

// condClause parses [[ expression ]] after the opening brackets.
func (p *Parser) condClause() Command {
	was := p.inCond
	p.inCond = true
	defer func() { p.inCond = was }()
	x := p.condOr()
	p.skipLines()
	if p.reservedAt() != "]]" {
		p.condUnexpected()
	}
	p.pos += 2
	return &Cond{X: x, Line: p.lineAt(p.pos)}
}

func (p *Parser) condUnexpected() {
	p.skipBlank()
	if p.atEnd() {
		p.fail(p.pos, true, "unexpected EOF while looking for `]]'")
	}
	tok := p.token()
	if tok == "\n" {
		tok = "newline"
	}
	panic(&Error{
		Line: p.lineAt(p.pos), Text: p.lineText(p.pos), Cond: true,
		Msg: fmt.Sprintf("syntax error in conditional expression: unexpected token `%s'", tok),
	})
}

func (p *Parser) condOr() CondExpr {
	x := p.condAnd()
	for {
		p.skipLines()
		if !p.hasPrefix("||") {
			return x
		}
		p.pos += 2
		x = &CondLogic{Or: true, X: x, Y: p.condAnd()}
	}
}

func (p *Parser) condAnd() CondExpr {
	x := p.condNot()
	for {
		p.skipLines()
		if !p.hasPrefix("&&") {
			return x
		}
		p.pos += 2
		x = &CondLogic{X: x, Y: p.condNot()}
	}
}

func (p *Parser) condNot() CondExpr {
	p.enter()
	defer p.leave()
	p.skipLines()
	if p.peek() == '!' && isBlank(p.peekAt(1)) {
		p.pos++
		return &CondNot{X: p.condNot()}
	}
	if p.peek() == '(' {
		p.pos++
		x := p.condOr()
		p.skipLines()
		if p.peek() != ')' {
			p.condUnexpected()
		}
		p.pos++
		return &CondGroup{X: x}
	}
	return p.condPrimary()
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '(' }

// IsUnaryTest reports whether op is a unary operator of test and [[.
func IsUnaryTest(op string) bool {
	if len(op) != 2 || op[0] != '-' {
		return false
	}
	switch op[1] {
	case 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'k', 'n', 'o', 'p', 'r', 's', 't', 'u', 'v', 'w', 'x', 'z', 'G', 'L', 'N', 'O', 'R', 'S':
		return true
	}
	return false
}

// IsBinaryTest reports whether op is a binary operator of test, without those of [[ alone.
func IsBinaryTest(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func (p *Parser) condPrimary() CondExpr {
	if op := p.reservedAt(); IsUnaryTest(op) {
		if x := p.condUnary(op); x != nil {
			return x
		}
	}
	if p.reservedAt() == "]]" {
		p.condUnexpected()
	}
	x := p.word(wordCond)
	if x == nil {
		p.condUnexpected()
	}
	p.skipBlank()
	op := p.condOperator()
	if op == "" {
		return &CondUnary{X: x}
	}
	p.pos += len(op)
	p.skipBlank()
	mode := wordCond
	switch op {
	case "=~":
		mode = wordRegex
	case "=", "==", "!=":
		mode = wordCondPat
	}
	y := p.word(mode)
	if y == nil {
		p.condUnexpected()
	}
	return &CondBinary{Op: op, X: x, Y: y}
}

// condUnary parses -op word, unless the operator is itself the left side of a binary one.
func (p *Parser) condUnary(op string) CondExpr {
	save := p.pos
	p.pos += len(op)
	p.skipBlank()
	if p.reservedAt() == "]]" || p.hasPrefix("&&") || p.hasPrefix("||") || p.peek() == ')' {
		p.pos = save
		return nil
	}
	if bin := p.condOperator(); bin != "" {
		after := p.pos
		p.pos += len(bin)
		p.skipBlank()
		closed := p.reservedAt() == "]]"
		p.pos = after
		if !closed {
			p.pos = save
			return nil
		}
	}
	w := p.word(wordCond)
	if w == nil {
		p.condUnexpected()
	}
	return &CondUnary{Op: op, X: w}
}

// condOperator returns the binary operator at the position without consuming it.
func (p *Parser) condOperator() string {
	switch p.peek() {
	case '<', '>':
		return string(p.peek())
	}
	w := p.reservedAt()
	if w == "=~" || IsBinaryTest(w) {
		return w
	}
	return ""
}

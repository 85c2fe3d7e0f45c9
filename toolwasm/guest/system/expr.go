package system

import (
	"math/big"
	"strconv"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/regex"
)

const exprHelp = `Usage: expr EXPRESSION
Write the value of EXPRESSION, each part of which is an argument of its own. From weak to strong:

  A | B                  A when it is neither empty nor 0, else B
  A & B                  A when neither is empty or 0, else 0
  A < B, <=, =, !=, >=, >  1 or 0; numbers are compared as numbers
  A + B, A - B
  A * B, A / B, A % B
  STRING : REGEXP        how many characters match at the start of STRING, or the part in \( \)
  match STRING REGEXP    the same
  substr STRING POS LEN  part of STRING; POS counts from 1
  index STRING CHARS     where in STRING one of CHARS is, or 0
  length STRING          the length of STRING
  + TOKEN                TOKEN as a string, even when it is an operator
  ( EXPRESSION )

The exit status is 0, 1 when the value is empty or 0, 2 for a wrong EXPRESSION, 3 for another error.
`

const (
	exprNull  = 1
	exprWrong = 2
	exprError = 3
)

// exprValue is a value; numbers computed are kept as text too.
type exprValue string

func (v exprValue) null() bool {
	s := string(v)
	if s == "" {
		return true
	}
	if s[0] == '-' {
		s = s[1:]
	}
	if s == "" {
		return false
	}
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}

func (v exprValue) number() (*big.Int, bool) {
	s := string(v)
	digits := s
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" {
		return nil, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return nil, false
		}
	}
	return new(big.Int).SetString(s, 10)
}

type expr struct {
	p    *command.Proc
	args []string
	i    int
}

func exprCommand(p *command.Proc) int {
	args := p.Args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return p.Usage(exprWrong, "missing operand")
	}
	e := expr{p: p, args: args}
	v := e.or(true)
	if e.i < len(e.args) {
		e.syntax("unexpected argument %s", quote.Locale(e.args[e.i]))
	}
	_, _ = p.Out().WriteString(string(v) + "\n")
	if v.null() {
		return exprNull
	}
	return 0
}

func (e *expr) syntax(format string, args ...any) {
	e.p.Errorf("syntax error: "+format, args...)
	e.p.Exit(exprWrong)
}

func (e *expr) accept(tokens ...string) string {
	if e.i >= len(e.args) {
		return ""
	}
	for _, t := range tokens {
		if e.args[e.i] == t {
			e.i++
			return t
		}
	}
	return ""
}

// need ends the command when no argument is left.
func (e *expr) need() {
	if e.i >= len(e.args) {
		e.syntax("missing argument after %s", quote.Locale(e.args[len(e.args)-1]))
	}
}

// or reads an expression. Without eval it is only looked at for mistakes: its value does not matter.
func (e *expr) or(eval bool) exprValue {
	l := e.and(eval)
	for e.accept("|") != "" {
		r := e.and(eval && l.null())
		if l.null() {
			l = r
			if r.null() {
				l = "0"
			}
		}
	}
	return l
}

func (e *expr) and(eval bool) exprValue {
	l := e.compare(eval)
	for e.accept("&") != "" {
		r := e.compare(eval && !l.null())
		if l.null() || r.null() {
			l = "0"
		}
	}
	return l
}

func (e *expr) compare(eval bool) exprValue {
	l := e.sum(eval)
	for {
		op := e.accept("<", "<=", "=", "==", "!=", ">=", ">")
		if op == "" {
			return l
		}
		r := e.sum(eval)
		d := compareValues(l, r)
		ok := false
		switch op {
		case "<":
			ok = d < 0
		case "<=":
			ok = d <= 0
		case "=", "==":
			ok = d == 0
		case "!=":
			ok = d != 0
		case ">=":
			ok = d >= 0
		case ">":
			ok = d > 0
		}
		l = "0"
		if ok {
			l = "1"
		}
	}
}

func compareValues(l, r exprValue) int {
	a, ok1 := l.number()
	b, ok2 := r.number()
	switch {
	case ok1 && ok2:
		return a.Cmp(b)
	case l < r:
		return -1
	case l > r:
		return 1
	}
	return 0
}

func (e *expr) sum(eval bool) exprValue {
	l := e.product(eval)
	for {
		op := e.accept("+", "-")
		if op == "" {
			return l
		}
		l = e.arithmetic(op, l, e.product(eval), eval)
	}
}

func (e *expr) product(eval bool) exprValue {
	l := e.match(eval)
	for {
		op := e.accept("*", "/", "%")
		if op == "" {
			return l
		}
		l = e.arithmetic(op, l, e.match(eval), eval)
	}
}

// maxExprBits bounds the size of a product.
const maxExprBits = 1 << 22

func (e *expr) arithmetic(op string, l, r exprValue, eval bool) exprValue {
	if !eval {
		return l
	}
	a, ok1 := l.number()
	b, ok2 := r.number()
	if !ok1 || !ok2 {
		e.p.Errorf("non-integer argument")
		e.p.Exit(exprWrong)
	}
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(a, b)
	case "-":
		z.Sub(a, b)
	case "*":
		if a.BitLen()+b.BitLen() > maxExprBits {
			e.p.Errorf("memory exhausted")
			e.p.Exit(exprError)
		}
		z.Mul(a, b)
	default:
		if b.Sign() == 0 {
			e.p.Errorf("division by zero")
			e.p.Exit(exprWrong)
		}
		if op == "/" {
			z.Quo(a, b)
		} else {
			z.Rem(a, b)
		}
	}
	return exprValue(z.String())
}

func (e *expr) match(eval bool) exprValue {
	l := e.function(eval)
	for e.accept(":") != "" {
		r := e.function(eval)
		if eval {
			l = e.matchValue(string(l), string(r))
		}
	}
	return l
}

func (e *expr) function(eval bool) exprValue {
	e.need()
	switch e.accept("+", "length", "match", "index", "substr") {
	case "+":
		e.need()
		e.i++
		return exprValue(e.args[e.i-1])
	case "length":
		return exprValue(strconv.Itoa(utf8.RuneCountInString(string(e.function(eval)))))
	case "match":
		s, re := e.function(eval), e.function(eval)
		if !eval {
			return s
		}
		return e.matchValue(string(s), string(re))
	case "index":
		s, chars := e.function(eval), e.function(eval)
		return indexOf(string(s), string(chars))
	case "substr":
		s, pos, length := e.function(eval), e.function(eval), e.function(eval)
		return substring(string(s), pos, length)
	}
	return e.primary(eval)
}

func indexOf(s, chars string) exprValue {
	for i, r := range []rune(s) {
		for _, c := range chars {
			if r == c {
				return exprValue(strconv.Itoa(i + 1))
			}
		}
	}
	return "0"
}

func substring(s string, pos, length exprValue) exprValue {
	p, ok1 := pos.number()
	n, ok2 := length.number()
	runes := []rune(s)
	if !ok1 || !ok2 || p.Sign() <= 0 || n.Sign() <= 0 || p.Cmp(big.NewInt(int64(len(runes)))) > 0 {
		return ""
	}
	from := int(p.Int64()) - 1
	end := len(runes)
	if n.IsInt64() && n.Int64() < int64(end-from) {
		end = from + int(n.Int64())
	}
	return exprValue(string(runes[from:end]))
}

func (e *expr) primary(eval bool) exprValue {
	e.need()
	t := e.args[e.i]
	e.i++
	switch t {
	case "(":
		v := e.or(eval)
		if e.i >= len(e.args) {
			e.syntax("expecting ')' after %s", quote.Locale(e.args[e.i-1]))
		}
		if e.accept(")") == "" {
			e.syntax("expecting ')' instead of %s", quote.Locale(e.args[e.i]))
		}
		return v
	case ")":
		e.syntax("unexpected ')'")
	}
	return exprValue(t)
}

// matchValue is what "STRING : REGEXP" gives: the expression must match at the start.
func (e *expr) matchValue(s, pattern string) exprValue {
	re, err := regex.Compile(pattern, regex.RepeatAny)
	if err != nil {
		e.p.Errorf("%s", err)
		e.p.Exit(exprWrong)
	}
	loc := re.Find(nil, []byte(s), 0, false)
	matched := len(loc) > 1 && loc[0] == 0
	if re.NumSubexp() > 0 {
		if !matched || len(loc) < 4 || loc[2] < 0 {
			return ""
		}
		return exprValue(s[loc[2]:loc[3]])
	}
	if !matched {
		return "0"
	}
	return exprValue(strconv.Itoa(utf8.RuneCountInString(s[:loc[1]])))
}

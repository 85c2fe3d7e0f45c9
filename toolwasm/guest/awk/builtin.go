package awk

import (
	"math"
	"math/rand"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// count is the number of characters of s.
func (in *interp) count(s string) int {
	if in.bytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// charsLen is the number of bytes of the first n characters.
func (in *interp) charsLen(s string, n int) int {
	if in.bytes {
		return max(0, min(n, len(s)))
	}
	return charsLen(s, n)
}

// builtin compiles a call of a built-in function.
func (c *compiler) builtin(n *node) *expr {
	switch n.str {
	case "length":
		return c.length(n)
	case "split", "patsplit":
		return c.splitCall(n)
	case "sub", "gsub":
		return c.substitute(n)
	case "gensub":
		return c.gensub(n)
	case "match":
		return c.matchCall(n)
	case "asort", "asorti":
		return c.sortCall(n)
	case "isarray", "typeof":
		return c.typeCall(n)
	}
	if e := c.numeric(n); e != nil {
		return e
	}
	if e := c.textual(n); e != nil {
		return e
	}
	return c.effect(n)
}

// length counts characters, or the elements of an array.
func (c *compiler) length(n *node) *expr {
	if len(n.kids) == 0 {
		return numExpr(func(in *interp) float64 { return float64(in.count(in.recordText())) })
	}
	k := n.kids[0]
	if k.op == opVar || k.op == opIndex {
		arg := c.callArg(k)
		return numExpr(func(in *interp) float64 {
			v := arg(in)
			switch v.k {
			case kArray, kUntyped:
				return float64(v.a.len())
			}
			return float64(in.count(in.str(&v)))
		})
	}
	arg := c.expr(k).str
	return numExpr(func(in *interp) float64 { return float64(in.count(arg(in))) })
}

// numeric compiles the functions of numbers.
func (c *compiler) numeric(n *node) *expr {
	if f := unary(n.str); f != nil {
		x := c.expr(n.kids[0]).num
		return numExpr(func(in *interp) float64 { return f(x(in)) })
	}
	switch n.str {
	case "log", "sqrt":
		return c.warned(n)
	case "atan2":
		y, x := c.expr(n.kids[0]).num, c.expr(n.kids[1]).num
		return numExpr(func(in *interp) float64 {
			a := y(in)
			return math.Atan2(a, x(in))
		})
	case "rand":
		return numExpr(func(in *interp) float64 { return in.rng().Float64() })
	case "srand":
		return c.srand(n)
	case "and", "or", "xor", "lshift", "rshift":
		return c.bitwise(n)
	case "compl":
		x := c.expr(n.kids[0]).num
		return numExpr(func(in *interp) float64 {
			const all = 1<<53 - 1
			return float64(^in.bitsOf("compl", x(in)) & all)
		})
	case "strtonum":
		x := c.expr(n.kids[0]).val
		return numExpr(func(in *interp) float64 {
			v := x(in).settle()
			return in.strtonum(&v)
		})
	case "mkbool":
		x := c.expr(n.kids[0]).truth
		return boolExpr(x)
	}
	return nil
}

func unary(name string) func(float64) float64 {
	switch name {
	case "sin":
		return math.Sin
	case "cos":
		return math.Cos
	case "exp":
		return math.Exp
	case "int":
		return math.Trunc
	}
	return nil
}

// warned compiles the functions that complain of a negative argument.
func (c *compiler) warned(n *node) *expr {
	x, name, f := c.expr(n.kids[0]).num, n.str, math.Log
	if name == "sqrt" {
		f = math.Sqrt
	}
	return numExpr(func(in *interp) float64 {
		v := x(in)
		if v < 0 {
			in.warn("%s: received negative argument %s", name, in.numStr(v))
			return math.Copysign(math.NaN(), -1)
		}
		return f(v)
	})
}

// rng is the generator of rand(), which gives the same numbers in each run until srand() is called.
func (in *interp) rng() *rand.Rand {
	if in.random == nil {
		in.random = rand.New(rand.NewSource(int64(in.seed)))
	}
	return in.random
}

func (c *compiler) srand(n *node) *expr {
	var seed *expr
	if len(n.kids) > 0 {
		seed = c.expr(n.kids[0])
	}
	return numExpr(func(in *interp) float64 {
		old := in.seed
		in.seed = float64(time.Now().Unix())
		if seed != nil {
			in.seed = seed.num(in)
		}
		in.random = nil
		return old
	})
}

// bitsOf checks an operand of a bitwise function.
func (in *interp) bitsOf(name string, x float64) uint64 {
	if x < 0 {
		in.fatal("%s: argument %s: negative values are not allowed", name, in.numStr(x))
	}
	if x >= math.MaxUint64 {
		return math.MaxUint64
	}
	return uint64(x)
}

func (c *compiler) bitwise(n *node) *expr {
	args, name := c.exprs(n.kids), n.str
	return numExpr(func(in *interp) float64 {
		r := in.bitsOf(name, args[0].num(in))
		for _, a := range args[1:] {
			x := in.bitsOf(name, a.num(in))
			switch name {
			case "and":
				r &= x
			case "or":
				r |= x
			case "xor":
				r ^= x
			case "lshift":
				r <<= x
			case "rshift":
				r >>= x
			}
		}
		return float64(r)
	})
}

// strtonum reads hexadecimal and octal numbers too.
func (in *interp) strtonum(v *value) float64 {
	if v.k == kNum || v.k == kStrNum && !strings.HasPrefix(strings.TrimSpace(v.s), "0") {
		return v.n
	}
	s := strings.TrimLeft(in.str(v), " \t\n")
	neg := strings.HasPrefix(s, "-")
	t := strings.TrimLeft(s, "+-")
	r := 0.0
	switch {
	case len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x':
		n := 2
		for n < len(t) && isHex(t[n]) {
			n++
		}
		r = parseBase(t[2:n], 16)
	case len(t) > 1 && t[0] == '0' && isOctal(t):
		n := 1
		for n < len(t) && t[n] >= '0' && t[n] <= '7' {
			n++
		}
		r = parseBase(t[:n], 8)
	default:
		return toNumber(s)
	}
	if neg {
		return -r
	}
	return r
}

// isOctal reports whether a number with a leading zero has only octal digits before whatever ends it.
func isOctal(s string) bool {
	for i := range len(s) {
		switch {
		case s[i] == '8' || s[i] == '9' || s[i] == '.' || s[i]|0x20 == 'e':
			return false
		case s[i] < '0' || s[i] > '7':
			return true
		}
	}
	return true
}

// textual compiles the functions of strings.
func (c *compiler) textual(n *node) *expr {
	switch n.str {
	case "substr":
		return c.substr(n)
	case "index":
		s, t := c.expr(n.kids[0]).str, c.expr(n.kids[1]).str
		return numExpr(func(in *interp) float64 {
			a := s(in)
			return in.index(a, t(in))
		})
	case "tolower":
		s := c.expr(n.kids[0]).str
		return strExpr(func(in *interp) string { return mapCase(s(in), unicode.ToLower) })
	case "toupper":
		s := c.expr(n.kids[0]).str
		return strExpr(func(in *interp) string { return mapCase(s(in), unicode.ToUpper) })
	case "sprintf":
		args := c.exprs(n.kids[1:])
		constant, text := c.format(n.kids[0])
		return strExpr(func(in *interp) string {
			format := text(in)
			in.format(constant, format, in.push(args))
			return string(in.buf)
		})
	case "strftime":
		return c.strftime(n)
	case "dcgettext":
		return strExpr(c.expr(n.kids[0]).str)
	case "dcngettext":
		one, many, count := c.expr(n.kids[0]).str, c.expr(n.kids[1]).str, c.expr(n.kids[2]).num
		return strExpr(func(in *interp) string {
			if count(in) == 1 {
				return one(in)
			}
			return many(in)
		})
	}
	return nil
}

// mapCase changes the case of letters and leaves bytes that are no characters as they are.
func mapCase(s string, f func(rune) rune) string {
	if utf8.ValidString(s) {
		return strings.Map(f, s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[i])
		} else {
			b = utf8.AppendRune(b, f(r))
		}
		i += n
	}
	return string(b)
}

// index finds t in s, counting characters from 1.
func (in *interp) index(s, t string) float64 {
	i := strings.Index(s, t)
	if in.ignoreCase {
		i = strings.Index(strings.ToLower(s), strings.ToLower(t))
	}
	if i < 0 {
		return 0
	}
	return float64(in.count(s[:min(i, len(s))]) + 1)
}

func (c *compiler) substr(n *node) *expr {
	s, start := c.expr(n.kids[0]).str, c.expr(n.kids[1]).num
	if len(n.kids) == 2 {
		return strExpr(func(in *interp) string {
			t := s(in)
			return in.substr(t, start(in), math.Inf(1))
		})
	}
	length := c.expr(n.kids[2]).num
	return strExpr(func(in *interp) string {
		t := s(in)
		from := start(in)
		return in.substr(t, from, length(in))
	})
}

// substr truncates its arguments and cuts the range to the string; a start before the string is its first character.
func (in *interp) substr(s string, start, length float64) string {
	if math.IsNaN(length) || math.IsNaN(start) {
		return ""
	}
	start = math.Max(math.Trunc(start), 1)
	end := start + math.Trunc(length)
	if end <= start || start > float64(len(s)) {
		return ""
	}
	from := int(start) - 1
	count := len(s)
	if end-start < float64(len(s)) {
		count = int(end - start)
	}
	if in.bytes || isASCII(s) {
		return s[from:min(len(s), from+count)]
	}
	s = s[charsLen(s, from):]
	return s[:charsLen(s, count)]
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// typeCall compiles typeof and isarray.
func (c *compiler) typeCall(n *node) *expr {
	arg := c.typeArg(n.kids[0])
	if n.str == "isarray" {
		return boolExpr(func(in *interp) bool { return arg(in).k == kArray })
	}
	return strExpr(func(in *interp) string {
		switch v := arg(in).settle(); v.k {
		case kUninit:
			return "unassigned"
		case kUntyped:
			return "untyped"
		case kNum:
			return "number"
		case kStrNum:
			return "strnum"
		case kRegex:
			return "regexp"
		case kArray:
			return "array"
		}
		return "string"
	})
}

func (c *compiler) typeArg(n *node) argument {
	if n.op == opRegex {
		return c.expr(n).val
	}
	arg := c.callArg(n)
	switch n.op {
	case opVar:
	case opField:
		number := c.expr(n.kids[0]).num
		return func(in *interp) value {
			i := in.fieldIndex(number(in))
			if i > 0 && !in.hasField(i) {
				return value{}
			}
			return in.field(i)
		}
	case opIndex:
		return func(in *interp) value {
			v := arg(in)
			if v.k == kUninit {
				v.k = kUntyped
			}
			return v
		}
	default:
		return arg
	}
	return func(in *interp) value {
		v := arg(in)
		if v.k == kUntyped && v.a.mode != modeEmpty { // the function that it was passed to has made an array of it
			v.k = kArray
		}
		return v
	}
}

// effect compiles the functions that act on the world.
func (c *compiler) effect(n *node) *expr {
	switch n.str {
	case "system":
		cmd := c.expr(n.kids[0]).str
		return numExpr(func(in *interp) float64 { return in.io.system(cmd(in)) })
	case "close":
		return c.closeCall(n)
	case "fflush":
		return c.fflush(n)
	case "systime":
		return numExpr(func(*interp) float64 { return float64(time.Now().Unix()) })
	case "mktime":
		return c.mktime(n)
	case "bindtextdomain":
		return strExpr(func(*interp) string { return "" })
	}
	c.fail(n, "function `%s' is not supported", n.str)
	return nil
}

func (c *compiler) closeCall(n *node) *expr {
	name := c.expr(n.kids[0]).str
	var end *expr
	if len(n.kids) > 1 {
		end = c.expr(n.kids[1])
	}
	return numExpr(func(in *interp) float64 {
		s, which := name(in), ""
		if end != nil {
			which = strings.ToLower(end.str(in))
		}
		return in.io.closeName(s, which)
	})
}

func (c *compiler) fflush(n *node) *expr {
	if len(n.kids) == 0 {
		return numExpr(func(in *interp) float64 {
			in.io.flushAll()
			return 0
		})
	}
	name := c.expr(n.kids[0]).str
	return numExpr(func(in *interp) float64 {
		s := name(in)
		switch {
		case s == "" || s == "/dev/stdout":
			in.io.flushAll()
		case !in.io.flush(s):
			return -1
		}
		return 0
	})
}

package awk

import "strings"

// format is a format that has been read ahead, because the program holds it as a constant.
type format struct {
	text   string
	pieces []piece // nil: it has directives that must be read anew each time
	rest   string  // after the last directive
}

// piece is a directive and the text before it.
type piece struct {
	text string
	conv conversion
}

// newFormat reads a format. Directives that pick their arguments, or take their width from one, and what is no directive at all
// are left for later.
func newFormat(s string) *format {
	f := &format{text: s, rest: s}
	var pieces []piece
	for {
		before, after, found := strings.Cut(f.rest, "%")
		if !found {
			break
		}
		c, end, ok := constantDirective(after)
		if !ok {
			return &format{text: s}
		}
		pieces = append(pieces, piece{before, c})
		f.rest = after[end:]
	}
	f.pieces = pieces
	return f
}

// constantDirective reads a directive after its percent sign.
func constantDirective(s string) (c conversion, end int, ok bool) {
	i := c.flags(s, 0)
	c.width, i = digits(s, i)
	if i < len(s) && s[i] == '.' {
		c.hasPrec = true
		c.prec, i = digits(s, i+1)
	}
	if i == len(s) || strings.IndexByte("dioxXueEfFgGaAcs", s[i]) < 0 {
		return c, 0, false
	}
	c.verb = s[i]
	return c, i + 1, true
}

// format compiles an expression whose value is a format. constant is nil when it cannot be read ahead.
func (c *compiler) format(n *node) (constant *format, text func(*interp) string) {
	if n.op == opString {
		if f := newFormat(n.str); f.pieces != nil {
			constant = f
		}
	}
	return constant, c.expr(n).str
}

// format makes in.buf of a format and the arguments from base on, and pops them. All has been evaluated: the buffer is free.
func (in *interp) format(constant *format, text string, base int) {
	args := in.pushed[base:]
	if constant != nil {
		in.buf = constant.append(in, in.buf[:0], args)
	} else {
		in.buf = in.appendFormat(in.buf[:0], text, args)
	}
	in.pushed = in.pushed[:base]
}

// append formats args as appendFormat does.
func (f *format) append(in *interp, dst []byte, args []value) []byte {
	w := formatter{in: in, dst: dst, args: args, fmt: f.text}
	for i := range f.pieces {
		p := &f.pieces[i]
		w.dst = append(w.dst, p.text...)
		w.convert(&p.conv)
	}
	return append(w.dst, f.rest...)
}

// push evaluates expressions and puts their values on the stack of arguments; base is where they begin.
func (in *interp) push(list []*expr) (base int) {
	base = len(in.pushed)
	for _, e := range list {
		v := e.val(in)
		in.pushed = append(in.pushed, v)
	}
	return base
}

package awk

import (
	"bufio"
	"math"
	"strconv"
)

// print compiles print: numbers go by OFMT, everything else as it is.
func (c *compiler) print(n *node) stmt {
	args := c.exprs(n.kids[1:])
	dest := c.destination(n)
	if dest == nil {
		slow := c.printOut(args)
		if fields := constantFields(n.kids[1:]); fields != nil {
			return printFields(fields, slow)
		}
		return slow
	}
	return func(in *interp) control {
		vals := make([]value, 0, 4)
		for _, a := range args {
			vals = append(vals, a.val(in))
		}
		o := dest(in)
		if len(args) == 0 {
			vals = append(vals, in.recordValue())
		}
		for i := range vals {
			if i > 0 {
				_, _ = o.out.WriteString(in.ofs)
			}
			in.writeValue(o.out, &vals[i])
		}
		_, err := o.out.WriteString(in.ors)
		in.written(o, err)
		return ctlNone
	}
}

// constantFields returns the numbers of the fields that ns are, or nil when something else is among them.
func constantFields(ns []*node) []int {
	var fields []int
	for _, n := range ns {
		i, ok := constantField(n)
		if !ok {
			return nil
		}
		fields = append(fields, i)
	}
	return fields
}

// constantField returns the number of the field that n is, from 1.
func constantField(n *node) (i int, ok bool) {
	if n.op != opField || n.kids[0].op != opNumber {
		return 0, false
	}
	num := n.kids[0].num
	if num < 1 || num > maxFields || num != math.Trunc(num) {
		return 0, false
	}
	return int(num), true
}

// printFields is print of fields to standard output. Fields as they were read go there directly.
func printFields(fields []int, slow stmt) stmt {
	return func(in *interp) control {
		if in.rec.owned {
			return slow(in)
		}
		w := in.p.Out()
		for k, i := range fields {
			if k > 0 {
				_, _ = w.WriteString(in.ofs)
			}
			_, _ = w.WriteString(in.fieldText(i))
		}
		_, err := w.WriteString(in.ors)
		in.checkWrite(err, "standard output")
		return ctlNone
	}
}

// printOut is print to standard output.
func (c *compiler) printOut(args []*expr) stmt {
	switch len(args) {
	case 0:
		return func(in *interp) control {
			in.printRecord()
			return ctlNone
		}
	case 1:
		arg := args[0].val
		return func(in *interp) control {
			v := arg(in)
			w := in.p.Out()
			in.writeValue(w, &v)
			_, err := w.WriteString(in.ors)
			in.checkWrite(err, "standard output")
			return ctlNone
		}
	}
	return func(in *interp) control {
		var few [4]value
		vals := few[:0]
		for _, a := range args {
			vals = append(vals, a.val(in)) // all before the first is written: evaluation may print too
		}
		w := in.p.Out()
		for i := range vals {
			if i > 0 {
				_, _ = w.WriteString(in.ofs)
			}
			in.writeValue(w, &vals[i])
		}
		_, err := w.WriteString(in.ors)
		in.checkWrite(err, "standard output")
		return ctlNone
	}
}

// writeValue prints a value without making a string of it.
func (in *interp) writeValue(w *bufio.Writer, v *value) {
	if v.k != kNum {
		if v.k == kArray {
			in.fatal("attempt to use array in a scalar context")
		}
		_, _ = w.WriteString(v.s)
		return
	}
	if n := v.n; n == math.Trunc(n) && n > -maxInt64 && n < maxInt64 {
		_, _ = w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(n), 10))
		return
	}
	in.buf = in.appendNumber(in.buf[:0], v.n, in.ofmt)
	_, _ = w.Write(in.buf)
}

// printf compiles printf.
func (c *compiler) printf(n *node) stmt {
	args := c.exprs(n.kids[2:])
	constant, text := c.format(n.kids[1])
	dest := c.destination(n)
	return func(in *interp) control {
		base := in.push(args)
		format := text(in)
		var o *stream
		if dest != nil {
			o = dest(in)
		}
		in.format(constant, format, base)
		if o == nil {
			_, err := in.p.Out().Write(in.buf)
			in.checkWrite(err, "standard output")
			return ctlNone
		}
		_, err := o.out.Write(in.buf)
		in.written(o, err)
		return ctlNone
	}
}

// destination compiles the redirection of print and printf; nil when there is none.
func (c *compiler) destination(n *node) func(*interp) *stream {
	if n.kids[0] == nil {
		return nil
	}
	name, way := c.expr(n.kids[0]), n.str
	return func(in *interp) *stream { return in.io.writer(name.str(in), way) }
}

// written finishes a print to a stream.
func (in *interp) written(o *stream, err error) {
	if err == nil && o.direct {
		err = o.out.Flush()
	}
	if err == nil || o.child != nil { // a command that has stopped reading is no error
		return
	}
	o.failed = true
	in.checkWrite(err, o.name)
}

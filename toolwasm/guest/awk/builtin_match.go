package awk

import "strings"

// splitCall compiles split and patsplit.
func (c *compiler) splitCall(n *node) *expr {
	subject, arr := c.expr(n.kids[0]).str, c.array(n.kids[1])
	how := c.splitter(n)
	var seps func(*interp) *array
	if len(n.kids) > 3 {
		seps = c.array(n.kids[3])
	}
	return numExpr(func(in *interp) float64 {
		s := subject(in)
		sp := how(in)
		a := arr(in)
		var sepArr *array
		if seps != nil {
			sepArr = seps(in)
		}
		return in.splitInto(a, sepArr, s, &sp)
	})
}

// splitter compiles what says how split cuts.
func (c *compiler) splitter(n *node) func(*interp) splitter {
	pattern := n.str == "patsplit"
	if len(n.kids) < 3 {
		return func(in *interp) splitter {
			switch {
			case pattern:
				return splitter{mode: splitPattern, re: in.compileRegexp(in.str(&in.vars[slotFPAT]))}
			case in.split.mode == splitPattern || in.split.mode == splitWidths:
				return in.fieldSplitter(in.str(&in.vars[slotFS]))
			}
			return in.split
		}
	}
	k := n.kids[2]
	if pattern || k.op == opRegex && k.str != "" {
		re := c.pattern(k)
		mode := splitRegexp
		if pattern {
			mode = splitPattern
		}
		return func(in *interp) splitter { return splitter{mode: mode, re: re(in)} }
	}
	if k.op == opRegex {
		return func(*interp) splitter { return splitter{mode: splitChars} }
	}
	e := c.expr(k).val
	return func(in *interp) splitter {
		v := e(in)
		if v.k == kRegex {
			return splitter{mode: splitRegexp, re: in.compileRegexp(v.s)}
		}
		sp := in.fieldSplitter(in.str(&v))
		if sp.mode == splitByteOrNewline {
			sp.mode = splitByte
		}
		return sp
	}
}

// splitInto fills the arrays and returns the number of fields.
func (in *interp) splitInto(a, sepArr *array, s string, sp *splitter) float64 {
	s = strings.Clone(s) // the elements share it
	var seps []span
	var want *[]span
	if sepArr != nil {
		want = &seps
	}
	in.scratch = in.cut(in.scratch[:0], s, sp, want)
	a.clear()
	for i, f := range in.scratch {
		*a.at(intKey(int32(i + 1))) = input(s[f.start:f.end])
	}
	if sepArr == nil {
		return float64(len(in.scratch))
	}
	sepArr.clear()
	n := len(in.scratch)
	first := 1
	if sp.mode == splitBlanks || sp.mode == splitPattern {
		first = 0
	}
	for i, f := range seps {
		at := first + i
		if f.start == f.end && (at == 0 || at == n) && sp.mode == splitBlanks {
			continue
		}
		*sepArr.at(intKey(int32(at))) = text(s[f.start:f.end])
	}
	return float64(n)
}

// matchCall compiles match().
func (c *compiler) matchCall(n *node) *expr {
	subject, re := c.expr(n.kids[0]).str, c.pattern(n.kids[1])
	var arr func(*interp) *array
	if len(n.kids) > 2 {
		arr = c.array(n.kids[2])
	}
	return numExpr(func(in *interp) float64 {
		s := subject(in)
		r := re(in)
		in.loc = r.find(in.loc, s, 0)
		start, length := 0.0, -1.0
		if in.loc != nil {
			start = float64(in.count(s[:in.loc[0]]) + 1)
			length = float64(in.count(s[in.loc[0]:in.loc[1]]))
		}
		if arr != nil {
			in.groupsInto(arr(in), s)
		}
		in.vars[slotRSTART], in.vars[slotRLENGTH] = number(start), number(length)
		return start
	})
}

// groupsInto stores the match and its groups with their places.
func (in *interp) groupsInto(a *array, s string) {
	a.clear()
	s = strings.Clone(s)
	for g := 0; g+1 < len(in.loc); g += 2 {
		b, e := in.loc[g], in.loc[g+1]
		if b < 0 {
			continue
		}
		i := intKey(int32(g / 2))
		*a.at(i) = input(s[b:e])
		*a.at(key{s: i.String() + in.subsep + "start"}) = number(float64(in.count(s[:b]) + 1))
		*a.at(key{s: i.String() + in.subsep + "length"}) = number(float64(in.count(s[b:e])))
	}
}

// substitute compiles sub and gsub.
func (c *compiler) substitute(n *node) *expr {
	re, repl, all := c.pattern(n.kids[0]), c.expr(n.kids[1]).str, n.str == "gsub"
	target := &lvalue{
		bind: func(*interp) int { return 0 },
		get:  func(in *interp, _ int) value { return in.recordValue() },
		put:  func(in *interp, _ int, v value) { in.setField(0, v) },
	}
	if len(n.kids) > 2 {
		k := n.kids[2]
		for k.op == opGroup {
			k = k.kids[0]
		}
		if isLvalue(k) {
			target = c.lvalue(k)
		} else {
			e := c.expr(k).val // the result is lost, the count is not
			target = &lvalue{
				bind: func(*interp) int { return 0 },
				get:  func(in *interp, _ int) value { return e(in) },
				put:  func(*interp, int, value) {},
			}
		}
	}
	return numExpr(func(in *interp) float64 {
		r := re(in)
		rep := repl(in)
		var at *value
		var i int
		var old value
		if target.at != nil {
			at = in.scalar(target.at(in))
			old = *at
		} else {
			i = target.bind(in)
			old = target.get(in, i)
		}
		out, count := in.replace(r, in.str(&old), rep, all)
		if count == 0 {
			return 0
		}
		if at != nil {
			*at = text(out)
		} else {
			target.put(in, i, text(out))
		}
		return float64(count)
	})
}

// replace substitutes the first match or all of them. An empty match directly after another match does not count.
func (in *interp) replace(re *regexp, s, repl string, all bool) (string, int) {
	in.loc = re.find(in.loc, s, 0)
	if in.loc == nil {
		return s, 0
	}
	plain := strings.IndexByte(repl, '\\') < 0 && strings.IndexByte(repl, '&') < 0
	buf := make([]byte, 0, len(s)+len(repl)+16)
	from, last, count := 0, -1, 0
	for in.loc != nil {
		b, e := in.loc[0], in.loc[1]
		if b == e && b == last {
			// Step over the character that the last match ended before.
			if b >= len(s) {
				break
			}
			next := nextChar(s, b)
			buf = append(buf, s[b:next]...)
			from, last = next, -1
		} else {
			buf = append(buf, s[from:b]...)
			if plain {
				buf = append(buf, repl...)
			} else {
				buf = appendReplacement(buf, repl, s[b:e])
			}
			count++
			from, last = e, e
			if !all {
				break
			}
		}
		if from > len(s) {
			break
		}
		in.loc = re.find(in.loc, s, from)
		if count&(yieldEvery-1) == 0 {
			in.p.Yield()
		}
	}
	buf = append(buf, s[min(from, len(s)):]...)
	return stringOf(buf), count
}

// appendReplacement resolves & and the backslashes before it.
func appendReplacement(buf []byte, repl, match string) []byte {
	for i := 0; i < len(repl); i++ {
		switch c := repl[i]; {
		case c == '&':
			buf = append(buf, match...)
		case c != '\\':
			buf = append(buf, c)
		case strings.HasPrefix(repl[i:], `\\\&`):
			buf = append(buf, `\&`...)
			i += 3
		case strings.HasPrefix(repl[i:], `\\&`):
			buf = append(buf, '\\')
			buf = append(buf, match...)
			i += 2
		case strings.HasPrefix(repl[i:], `\&`):
			buf = append(buf, '&')
			i++
		default:
			buf = append(buf, c)
		}
	}
	return buf
}

// gensub compiles gensub, which returns its result and knows \1 … \9.
func (c *compiler) gensub(n *node) *expr {
	re, repl, how := c.pattern(n.kids[0]), c.expr(n.kids[1]).str, c.expr(n.kids[2]).val
	subject := func(in *interp) string { return in.recordText() }
	if len(n.kids) > 3 {
		subject = c.expr(n.kids[3]).str
	}
	return strExpr(func(in *interp) string {
		r := re(in)
		rep := repl(in)
		h := how(in)
		which := 0
		if s := in.str(&h); s == "" || s[0]|0x20 != 'g' {
			which = int(h.num())
			if which < 1 {
				in.warn("gensub: third argument `%s' treated as 1", s)
				which = 1
			}
		}
		return in.gensub(r, subject(in), rep, which)
	})
}

// gensub replaces the given match, counted from 1, or all when which is 0.
func (in *interp) gensub(re *regexp, s, repl string, which int) string {
	var buf []byte
	from, last, count := 0, -1, 0
	for from <= len(s) {
		in.loc = re.find(in.loc, s, from)
		if in.loc == nil {
			break
		}
		b, e := in.loc[0], in.loc[1]
		if b == e && b == last {
			if b >= len(s) {
				break
			}
			next := nextChar(s, b)
			buf = append(buf, s[b:next]...)
			from, last = next, -1
			continue
		}
		count++
		buf = append(buf, s[from:b]...)
		if which == 0 || count == which {
			buf = appendGroups(buf, repl, s, in.loc)
		} else {
			buf = append(buf, s[b:e]...)
		}
		from, last = e, e
		if count == which {
			break
		}
	}
	if count == 0 {
		return s
	}
	return stringOf(append(buf, s[min(from, len(s)):]...))
}

func appendGroups(buf []byte, repl, s string, loc []int) []byte {
	for i := 0; i < len(repl); i++ {
		switch c := repl[i]; {
		case c == '&':
			buf = append(buf, s[loc[0]:loc[1]]...)
		case c != '\\' || i+1 == len(repl):
			buf = append(buf, c)
		case isDigit(repl[i+1]):
			g := 2 * int(repl[i+1]-'0')
			if g+1 < len(loc) && loc[g] >= 0 {
				buf = append(buf, s[loc[g]:loc[g+1]]...)
			}
			i++
		default:
			buf = append(buf, repl[i+1])
			i++
		}
	}
	return buf
}

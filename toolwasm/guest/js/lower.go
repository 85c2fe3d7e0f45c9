package js

import (
	"strconv"
	"strings"
)

// The names by which rewritten code reaches its helpers; they are parameters of the function that wraps each module.
const (
	importFunction  = "$import"
	metaObject      = "$meta"
	asyncGenerator  = "$asyncGenerator"
	awaitMarker     = "$await"
	delegate        = "$delegate"
	eachAwaited     = "$each"
	explainFunction = "$caught"
)

// needsLowering tells quickly whether a text may hold something that lower rewrites.
func needsLowering(src string) bool {
	for _, s := range [...]string{"import", "await", "async", `\p{`, `\P{`, "catch"} {
		if strings.Contains(src, s) {
			return true
		}
	}
	return false
}

// lower rewrites what the engine does not know: import() and import.meta, `for await`, asynchronous generators and
// properties of Unicode in regular expressions. Errors that are caught get node's messages. Lines stay where they are.
func lower(src string) string {
	if !needsLowering(src) {
		return src
	}
	l := &lowering{source: scan(src)}
	l.render(0, len(l.tokens), false)
	if !l.changed {
		return src
	}
	l.b.WriteString(src[l.at:])
	return l.b.String()
}

// lowering writes the tokens of a source again.
type lowering struct {
	*source
	b       strings.Builder
	at      int // what is before this offset has been written
	loops   int
	changed bool
}

// replace writes the source up to token i and then with instead of tokens i to j-1.
func (l *lowering) replace(i, j int, with string) {
	l.upTo(l.tokens[i].start)
	l.b.WriteString(with)
	l.skipTo(l.tokens[j-1].end)
}

func (l *lowering) upTo(offset int) {
	if offset > l.at {
		l.b.WriteString(l.src[l.at:offset])
		l.at = offset
	}
}

// skipTo leaves out the source up to an offset, but for its line breaks.
func (l *lowering) skipTo(offset int) {
	if offset > l.at {
		l.b.WriteString(strings.Repeat("\n", strings.Count(l.src[l.at:offset], "\n")))
		l.at = offset
	}
	l.changed = true
}

func (l *lowering) insert(offset int, with string) {
	l.upTo(offset)
	l.b.WriteString(with)
	l.changed = true
}

// render writes tokens from to to-1. In the body of an asynchronous generator, `await` becomes a marked `yield`.
func (l *lowering) render(from, to int, generator bool) {
	for i := from; i < to; {
		i = l.step(i, to, generator)
	}
}

// step writes what begins at token i and returns the index behind it.
func (l *lowering) step(i, to int, generator bool) int {
	switch {
	case l.tokens[i].kind == regexp:
		return l.regexp(i)
	case l.tokens[i].kind != word || l.is(i-1, ".") || l.is(i-1, "?."):
		return i + 1
	case l.is(i, "import") && l.is(i+1, "("):
		l.replace(i, i+1, importFunction)
		return i + 1
	case l.is(i, "import") && l.is(i+1, ".") && l.is(i+2, "meta"):
		l.replace(i, i+3, metaObject)
		return i + 3
	case l.is(i, "for") && l.is(i+1, "await") && l.is(i+2, "(") && l.tokens[i+2].pair > 0:
		return l.forAwait(i, generator)
	case l.is(i, "catch") && l.is(i+1, "(") && l.is(i+3, ")") && l.is(i+4, "{") && l.tokens[i+2].kind == word:
		l.insert(l.tokens[i+4].end, explainFunction+"("+l.source.text(i+2)+");")
		return i + 5
	case l.is(i, "async"):
		return l.async(i, generator)
	case generator && l.is(i, "await"):
		return l.await(i, to)
	case generator && l.is(i, "yield") && l.is(i+1, "*"):
		return l.yieldAll(i, to)
	case generator && l.is(i, "function"):
		return l.function(i)
	}
	return i + 1
}

// function writes a function inside a generator as it is: it does not await.
func (l *lowering) function(i int) int {
	_, open := l.parameters(i + 1)
	if open < 0 {
		return i + 1
	}
	l.render(i+1, l.tokens[open].pair, false)
	return l.tokens[open].pair + 1
}

// parameters finds the list of parameters and the body of the function whose name or list is at i.
func (l *lowering) parameters(i int) (list, body int) {
	for i < len(l.tokens) && !l.is(i, "(") {
		if l.is(i, "[") && l.tokens[i].pair > i { // a computed name
			i = l.tokens[i].pair
		} else if l.is(i, "{") || l.is(i, ";") || l.is(i, ")") || l.is(i, ",") || l.is(i, "=") {
			return -1, -1
		}
		i++
	}
	if i >= len(l.tokens) || l.tokens[i].pair < 0 {
		return -1, -1
	}
	list = i
	body = l.tokens[list].pair + 1
	if !l.is(body, "{") || l.tokens[body].pair < 0 {
		return list, -1
	}
	return list, body
}

// async writes what `async` begins: a generator is rewritten, anything else keeps its awaits.
func (l *lowering) async(i int, generator bool) int {
	if i+1 >= len(l.tokens) || l.tokens[i+1].newline {
		return i + 1
	}
	star := i + 1
	if l.is(star, "function") {
		star++
	}
	list, body := l.parameters(star)
	if l.is(star, "*") && body > 0 {
		return l.asyncGenerator(i, star, list, body)
	}
	if !generator {
		return i + 1
	}
	return l.plainAsync(i, body)
}

// plainAsync writes an asynchronous function inside a generator.
func (l *lowering) plainAsync(i, body int) int {
	arrow := i + 2 // async x =>
	if l.is(i+1, "(") && l.tokens[i+1].pair > 0 {
		arrow = l.tokens[i+1].pair + 1
	}
	if !l.is(arrow, "=>") {
		if body < 0 {
			return i + 1
		}
		l.render(i+1, l.tokens[body].pair, false)
		return l.tokens[body].pair + 1
	}
	end := l.expressionEnd(arrow + 1)
	if l.is(arrow+1, "{") && l.tokens[arrow+1].pair > 0 {
		end = l.tokens[arrow+1].pair + 1
	}
	l.render(i+1, end, false)
	return end
}

// asyncGenerator writes `async function* f(a) { … }` as a function that drives a plain generator.
func (l *lowering) asyncGenerator(i, star, list, body int) int {
	l.replace(i, i+1, "")
	l.replace(star, star+1, "")
	l.render(star+1, list, false)
	l.render(list, body, false)
	l.insert(l.tokens[body].end, "return "+asyncGenerator+"(function*(){")
	end := l.tokens[body].pair
	l.render(body+1, end, true)
	l.insert(l.tokens[end].start, "}.apply(this,arguments));")
	return end + 1
}

// forAwait writes `for await (const x of y) …` as two loops: one that awaits, and one round it that binds. What the
// inner one leaves by break or return ends the outer one too.
func (l *lowering) forAwait(i int, generator bool) int {
	open, end := i+2, l.tokens[i+2].pair
	of := open + 1
	for of < end && !(l.is(of, "of") && of > open+1) {
		if l.tokens[of].pair > of {
			of = l.tokens[of].pair
		}
		of++
	}
	if of >= end {
		return i + 1
	}
	l.loops++
	name := eachAwaited + strconv.Itoa(l.loops)
	l.upTo(l.tokens[i].start)
	head := l.capture(open+1, of, generator)
	l.at = l.tokens[of].end
	value := l.capture(of+1, end, generator)
	step := "await " + name + ".step()"
	if generator {
		step = "(yield " + awaitMarker + "(" + name + ".step()))"
	}
	step = name + ".now()||" + step // waiting is dear: what is there is taken at once
	l.b.WriteString("for(const " + name + "=" + eachAwaited + "(" + value + ");" + step + ";)for(" + head + " of " + name + ")")
	lines := strings.Count(l.src[l.tokens[i].start:l.tokens[end].end], "\n") - strings.Count(head, "\n") - strings.Count(value, "\n")
	l.b.WriteString(strings.Repeat("\n", lines))
	l.at = l.tokens[end].end
	l.changed = true
	return end + 1
}

// capture returns tokens from to to-1 as render writes them.
func (l *lowering) capture(from, to int, generator bool) string {
	inner := &lowering{source: l.source, at: l.tokens[from].start, loops: l.loops}
	inner.render(from, to, generator)
	inner.upTo(l.tokens[to-1].end)
	l.loops = inner.loops
	return inner.b.String()
}

func (l *lowering) await(i, to int) int {
	end := l.unaryEnd(i+1, to)
	l.replace(i, i+1, "(yield "+awaitMarker+"(")
	l.render(i+1, end, true)
	l.insert(l.tokens[end-1].end, "))")
	return end
}

func (l *lowering) yieldAll(i, to int) int {
	end := l.unaryEnd(i+2, to)
	l.upTo(l.tokens[i+1].end)
	l.insert(l.tokens[i+1].end, delegate+"(")
	l.render(i+2, end, true)
	l.insert(l.tokens[end-1].end, ")")
	return end
}

// unaryEnd finds the token behind the unary expression that begins at i.
func (l *lowering) unaryEnd(i, to int) int {
	for i < to && l.prefix(i) {
		i++
	}
	if i >= to {
		return to
	}
	i = l.primaryEnd(i)
	for i < to && !(l.tokens[i].newline && !l.is(i, ".") && !l.is(i, "?.") && !l.is(i, "(") && !l.is(i, "[")) {
		k := l.tokens[i].kind
		switch {
		case l.is(i, ".") || l.is(i, "?.") && k == punct:
			i++
			if i < to && l.tokens[i].kind == word {
				i++
			}
		case (l.is(i, "(") || l.is(i, "[") || k == template && l.opens(i)) && l.tokens[i].pair > i:
			i = l.closed(i)
		case l.is(i, "++") || l.is(i, "--") || k == text && strings.HasPrefix(l.source.text(i), "`"):
			i++
		default:
			return i
		}
	}
	return min(i, to)
}

func (l *lowering) prefix(i int) bool {
	for _, w := range [...]string{"!", "~", "+", "-", "++", "--", "typeof", "void", "delete", "await", "new"} {
		if l.is(i, w) {
			return true
		}
	}
	return false
}

// opens reports whether the piece of a template at i begins it or a further substitution.
func (l *lowering) opens(i int) bool { return strings.HasSuffix(l.source.text(i), "${") }

// closed returns the index behind the bracket or the template that opens at i.
func (l *lowering) closed(i int) int {
	i = l.tokens[i].pair
	for i+1 < len(l.tokens) && l.tokens[i].kind == template && l.source.text(i+1) == "${" && l.tokens[i+1].pair > i {
		i = l.tokens[i+1].pair
	}
	return i + 1
}

// primaryEnd finds the token behind the literal, name, bracket, function or class at i.
func (l *lowering) primaryEnd(i int) int {
	switch {
	case l.is(i, "async") || l.is(i, "function"):
		if _, body := l.parameters(i + 1); body > 0 {
			return l.tokens[body].pair + 1
		}
		return l.expressionEnd(i)
	case l.is(i, "class"):
		for at := i + 1; at < len(l.tokens); at++ {
			if l.is(at, "{") && l.tokens[at].pair > at {
				return l.tokens[at].pair + 1
			}
		}
	case l.tokens[i].pair > i:
		return l.closed(i)
	}
	return i + 1
}

// regexp writes a regular expression with the properties of Unicode as the ranges they stand for.
func (l *lowering) regexp(i int) int {
	raw := l.source.text(i)
	end := strings.LastIndexByte(raw, '/')
	if end > 0 && strings.ContainsAny(raw[end:], "uv") && (strings.Contains(raw, `\p{`) || strings.Contains(raw, `\P{`)) {
		l.replace(i, i+1, expandProperties(raw[:end])+strings.Replace(raw[end:], "v", "u", 1))
	}
	return i + 1
}

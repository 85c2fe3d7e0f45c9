package js

import (
	"strconv"
	"strings"
)

// binding is a name that a module takes from another one.
type binding struct {
	local, imported string // imported is "*" for the namespace
}

// request is one module that a module asks for.
type request struct {
	specifier string
	bindings  []binding
}

// export is a name that a module gives. From is the specifier of the module that it passes on, or "".
type export struct {
	name, local, from string // name is "*" for everything but the default
}

// moduleText is a module rewritten as the body of an async function: imports are gone, exports are plain declarations.
type moduleText struct {
	body     string
	requests []request
	exports  []export
}

// defaultLocal is the variable that an anonymous default export becomes.
const defaultLocal = "$default"

// moduleParser takes the import and export statements out of a module. Lines stay where they were.
type moduleParser struct {
	*source
	edits []edit
	out   moduleText
}

// edit replaces a part of the source.
type edit struct {
	start, end int
	with       string
}

// isModule reports whether the text has import or export statements, which only modules have.
func isModule(s *source) bool {
	found := false
	statements(s, func(i int) {
		found = found || s.is(i, "export") || s.is(i, "import") && !s.is(i+1, "(") && !s.is(i+1, ".")
	})
	return found
}

// statements calls f with the index of each import and export word outside of all brackets.
func statements(s *source, f func(i int)) {
	for i := 0; i < len(s.tokens); i++ {
		t := s.tokens[i]
		if t.pair > i {
			i = t.pair
			continue
		}
		if t.kind == word && (s.is(i, "import") || s.is(i, "export")) && !s.is(i-1, ".") && !s.is(i-1, "?.") && !s.is(i+1, ":") && !s.is(i+1, "=") {
			f(i)
		}
	}
}

// parseModule rewrites a module.
func parseModule(s *source) moduleText {
	m := &moduleParser{source: s}
	statements(s, func(i int) {
		switch {
		case s.is(i, "export"):
			m.export(i)
		case !s.is(i+1, "(") && !s.is(i+1, "."):
			m.importStatement(i)
		}
	})
	m.out.body = apply(s.src, m.edits)
	return m.out
}

// apply carries out edits that are in order and do not overlap. A replaced part keeps its line breaks.
func apply(src string, edits []edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.start])
		b.WriteString(e.with)
		b.WriteString(strings.Repeat("\n", strings.Count(src[e.start:e.end], "\n")))
		at = e.end
	}
	b.WriteString(src[at:])
	return b.String()
}

func (m *moduleParser) cut(from, to int, with string) {
	m.edits = append(m.edits, edit{m.tokens[from].start, m.tokens[to-1].end, with})
}

// unquote returns the value of the string literal at i.
func (m *moduleParser) unquote(i int) string {
	raw := m.text(i)
	if len(raw) < 2 {
		return raw
	}
	if !strings.Contains(raw, `\`) {
		return raw[1 : len(raw)-1]
	}
	if s, err := strconv.Unquote(`"` + strings.ReplaceAll(raw[1:len(raw)-1], `"`, `\"`) + `"`); err == nil {
		return s
	}
	return raw[1 : len(raw)-1]
}

func (m *moduleParser) isString(i int) bool {
	k, ok := m.kind(i)
	return ok && k == text
}

// name returns the name at i, which may be a string.
func (m *moduleParser) name(i int) string {
	if m.isString(i) {
		return m.unquote(i)
	}
	return m.text(i)
}

// importStatement takes out the statement at i.
func (m *moduleParser) importStatement(i int) {
	at := i + 1
	var r request
	for at < len(m.tokens) && !m.isString(at) {
		switch {
		case m.is(at, "{"):
			for _, n := range m.nameList(at) {
				r.bindings = append(r.bindings, binding{local: n.alias, imported: n.name})
			}
			at = m.tokens[at].pair + 1
			if at == 0 {
				return
			}
		case m.is(at, "*") && m.is(at+1, "as"):
			r.bindings = append(r.bindings, binding{local: m.text(at + 2), imported: "*"})
			at += 3
		case m.is(at, ",") || m.is(at, "from") && m.isString(at+1):
			at++
		case m.tokens[at].kind == word:
			r.bindings = append(r.bindings, binding{local: m.text(at), imported: "default"})
			at++
		default:
			return // the engine reports it
		}
	}
	if at >= len(m.tokens) {
		return
	}
	r.specifier = m.unquote(at)
	m.out.requests = append(m.out.requests, r)
	m.cut(i, m.attributesEnd(at+1), ";")
}

// attributesEnd skips `with { type: "json" }` and the semicolon after a specifier.
func (m *moduleParser) attributesEnd(at int) int {
	if (m.is(at, "with") || m.is(at, "assert") && !m.tokens[at].newline) && m.is(at+1, "{") && m.tokens[at+1].pair > 0 {
		at = m.tokens[at+1].pair + 1
	}
	if m.is(at, ";") {
		at++
	}
	return at
}

type renamed struct{ name, alias string }

// nameList reads `{a, b as c}`, which opens at i.
func (m *moduleParser) nameList(i int) []renamed {
	var list []renamed
	for at := i + 1; at < m.tokens[i].pair; {
		n := renamed{name: m.name(at), alias: m.name(at)}
		at++
		if m.is(at, "as") {
			n.alias = m.name(at + 1)
			at += 2
		}
		list = append(list, n)
		if m.is(at, ",") {
			at++
		}
	}
	return list
}

func (m *moduleParser) export(i int) {
	switch at := i + 1; {
	case m.is(at, "{") && m.tokens[at].pair > 0:
		m.exportList(i, at)
	case m.is(at, "*"):
		m.exportAll(i, at)
	case m.is(at, "default"):
		m.exportDefault(i, at)
	case m.is(at, "const") || m.is(at, "let") || m.is(at, "var"):
		for _, n := range m.declared(at + 1) {
			m.out.exports = append(m.out.exports, export{name: n, local: n})
		}
		m.cut(i, i+1, "")
	case m.is(at, "async") || m.is(at, "function") || m.is(at, "class"):
		n := m.declaredName(at)
		m.out.exports = append(m.out.exports, export{name: n, local: n})
		m.cut(i, i+1, "")
	}
}

// declaredName is the name of the function or class that begins at i, or "".
func (m *moduleParser) declaredName(i int) string {
	for m.is(i, "async") || m.is(i, "function") || m.is(i, "class") || m.is(i, "*") {
		i++
	}
	if k, ok := m.kind(i); !ok || k != word || m.is(i, "extends") {
		return ""
	}
	return m.text(i)
}

func (m *moduleParser) exportList(i, at int) {
	names, end := m.nameList(at), m.tokens[at].pair+1
	from := ""
	if m.is(end, "from") && m.isString(end+1) {
		from = m.unquote(end + 1)
		m.out.requests = append(m.out.requests, request{specifier: from})
		end += 2
	}
	for _, n := range names {
		m.out.exports = append(m.out.exports, export{name: n.alias, local: n.name, from: from})
	}
	m.cut(i, m.attributesEnd(end), ";")
}

func (m *moduleParser) exportAll(i, at int) {
	e := export{name: "*", local: "*"}
	at++
	if m.is(at, "as") {
		e.name = m.name(at + 1)
		at += 2
	}
	if !m.is(at, "from") || !m.isString(at+1) {
		return
	}
	e.from = m.unquote(at + 1)
	m.out.requests = append(m.out.requests, request{specifier: e.from})
	m.out.exports = append(m.out.exports, e)
	m.cut(i, m.attributesEnd(at+2), ";")
}

func (m *moduleParser) exportDefault(i, at int) {
	declares := m.is(at+1, "function") || m.is(at+1, "class") || m.is(at+1, "async") && m.is(at+2, "function") && !m.tokens[at+2].newline
	if name := m.declaredName(at + 1); declares && name != "" {
		m.out.exports = append(m.out.exports, export{name: "default", local: name})
		m.cut(i, at+1, "")
		return
	}
	m.out.exports = append(m.out.exports, export{name: "default", local: defaultLocal})
	if declares && !m.is(at+1, "class") {
		m.nameFunction(i, at)
		return
	}
	m.cut(i, at+1, "const "+defaultLocal+" =")
}

// nameFunction makes an anonymous default function a declaration, which can be used before its line.
func (m *moduleParser) nameFunction(i, at int) {
	m.cut(i, at+1, "")
	last := at + 1
	for m.is(last, "async") || m.is(last, "function") || m.is(last, "*") {
		last++
	}
	m.edits = append(m.edits, edit{m.tokens[last-1].end, m.tokens[last-1].end, " " + defaultLocal})
}

// declared lists the names of the declarators that begin at i.
func (m *moduleParser) declared(i int) []string {
	var names []string
	for {
		var end int
		names, end = m.pattern(names, i)
		if m.is(end, "=") {
			end = m.expressionEnd(end + 1)
		}
		if !m.is(end, ",") {
			return names
		}
		i = end + 1
	}
}

// pattern adds the names that the pattern at i binds and returns what follows it.
func (m *moduleParser) pattern(names []string, i int) ([]string, int) {
	if i >= len(m.tokens) {
		return names, i
	}
	end := m.tokens[i].pair
	switch {
	case m.is(i, "{") && end > 0:
		for at := i + 1; at < end; at++ {
			names, at = m.property(names, at, end)
		}
		return names, end + 1
	case m.is(i, "[") && end > 0:
		for at := i + 1; at < end; at++ {
			if m.is(at, ",") {
				continue
			}
			names, at = m.element(names, at, end)
		}
		return names, end + 1
	case m.tokens[i].kind == word:
		return append(names, m.text(i)), i + 1
	}
	return names, i + 1
}

// property reads one entry of an object pattern and returns the index of the comma behind it.
func (m *moduleParser) property(names []string, at, end int) ([]string, int) {
	switch {
	case m.is(at, "..."):
		return m.element(names, at, end)
	case m.is(at, "[") && m.tokens[at].pair > at && m.is(m.tokens[at].pair+1, ":"):
		return m.element(names, m.tokens[at].pair+2, end)
	case m.is(at+1, ":"):
		return m.element(names, at+2, end)
	}
	return m.element(names, at, end)
}

// element reads a target with its default value and returns the index of the comma behind it.
func (m *moduleParser) element(names []string, at, end int) ([]string, int) {
	if m.is(at, "...") {
		at++
	}
	names, at = m.pattern(names, at)
	if m.is(at, "=") {
		at = m.expressionEnd(at + 1)
	}
	return names, min(at, end)
}

// expressionEnd finds the token behind the assignment expression that begins at i.
func (s *source) expressionEnd(i int) int {
	for at := i; at < len(s.tokens); at++ {
		t := s.tokens[at]
		if t.kind == punct {
			switch s.text(at) {
			case ",", ";", ")", "]", "}":
				return at
			}
		}
		if at > i && t.newline && s.endsOperand(at-1) && s.beginsStatement(at) {
			return at
		}
		if t.pair > at {
			at = t.pair
		} else if t.kind == template && t.pair >= 0 && t.pair < i {
			return at // the end of the substitution that holds the expression
		}
	}
	return len(s.tokens)
}

func (s *source) endsOperand(i int) bool {
	t := s.tokens[i]
	if t.kind != punct {
		return t.kind != word || !operators[s.text(i)]
	}
	switch s.text(i) {
	case ")", "]", "}", "++", "--":
		return true
	}
	return false
}

func (s *source) beginsStatement(i int) bool {
	switch s.tokens[i].kind {
	case word:
		return !s.is(i, "in") && !s.is(i, "instanceof")
	case punct:
		return s.is(i, "{") || s.is(i, "++") || s.is(i, "--")
	}
	return s.tokens[i].kind != template && !strings.HasPrefix(s.text(i), "`")
}

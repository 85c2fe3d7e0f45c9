package glob

import (
	"slices"
	"strings"
)

// Match reports whether the pattern matches all of s.
func (p *Pattern) Match(s string) bool {
	if p.exact {
		return s == p.lit
	}
	m := matcher{s: s, flags: p.flags}
	if !p.ext {
		return m.simple(p.nodes)
	}
	ends := m.ends(p.nodes, []int{0})
	return len(ends) > 0 && ends[len(ends)-1] == len(s)
}

// ShortestPrefix returns the length of the shortest prefix of s that matches, -1 when none does.
func (p *Pattern) ShortestPrefix(s string) int { return p.prefix(s, false) }

// LongestPrefix returns the length of the longest prefix of s that matches, -1 when none does.
func (p *Pattern) LongestPrefix(s string) int { return p.prefix(s, true) }

func (p *Pattern) prefix(s string, longest bool) int {
	if p.exact {
		if strings.HasPrefix(s, p.lit) {
			return len(p.lit)
		}
		return -1
	}
	m := matcher{s: s, flags: p.flags}
	if p.fixed {
		return m.run(p.nodes, 0)
	}
	ends := m.ends(p.nodes, []int{0})
	switch {
	case len(ends) == 0:
		return -1
	case longest:
		return ends[len(ends)-1]
	}
	return ends[0]
}

// ShortestSuffix returns where the shortest matching suffix of s begins, -1 when none matches.
func (p *Pattern) ShortestSuffix(s string) int {
	if p.exact {
		return p.exactSuffix(s)
	}
	for i := len(s); i >= 0; i-- {
		if p.suffixAt(s, i) {
			return i
		}
	}
	return -1
}

// LongestSuffix returns where the longest matching suffix of s begins, -1 when none matches.
func (p *Pattern) LongestSuffix(s string) int {
	if p.exact {
		return p.exactSuffix(s)
	}
	for i := 0; i <= len(s); i++ {
		if p.suffixAt(s, i) {
			return i
		}
	}
	return -1
}

func (p *Pattern) exactSuffix(s string) int {
	if strings.HasSuffix(s, p.lit) {
		return len(s) - len(p.lit)
	}
	return -1
}

// suffixAt reports whether s from i on matches.
func (p *Pattern) suffixAt(s string, i int) bool {
	if i < len(s) && s[i]&0xc0 == 0x80 && i > 0 && s[i-1] >= 0x80 {
		return false // inside a character
	}
	if p.cannotBegin(s[i:]) {
		return false
	}
	return p.Match(s[i:])
}

// cannotBegin tells cheaply that no match begins with s.
func (p *Pattern) cannotBegin(s string) bool {
	if len(p.nodes) == 0 || p.flags&IgnoreCase != 0 {
		return false
	}
	n := &p.nodes[0]
	return n.kind == literal && (s == "" || s[0] != n.text[0])
}

// Find returns the leftmost, there longest, match in s at or after from; start is -1 when there is none. Matches may be empty.
func (p *Pattern) Find(s string, from int) (start, end int) {
	if p.exact {
		i := strings.Index(s[from:], p.lit)
		if i < 0 {
			return -1, -1
		}
		return from + i, from + i + len(p.lit)
	}
	m := matcher{s: s, flags: p.flags}
	for i := from; i <= len(s); {
		if !p.cannotBegin(s[i:]) {
			end := -1
			if p.fixed {
				end = m.run(p.nodes, i)
			} else if ends := m.ends(p.nodes, []int{i}); len(ends) > 0 {
				end = ends[len(ends)-1]
			}
			if end >= 0 {
				return i, end
			}
		}
		if i == len(s) {
			break
		}
		_, n := decode(s[i:])
		i += n
	}
	return -1, -1
}

// matcher is a text that a pattern is matched with.
type matcher struct {
	s     string
	flags Flags
}

// hidden reports whether the character at i is a leading dot that must be matched explicitly.
func (m *matcher) hidden(i int) bool {
	if m.flags&Period == 0 || i >= len(m.s) || m.s[i] != '.' {
		return false
	}
	return i == 0 || m.flags&Pathname != 0 && m.s[i-1] == '/'
}

// one returns the end of the character at i when the element matches it, -1 otherwise.
func (m *matcher) one(n *node, i int) int {
	if i >= len(m.s) || m.hidden(i) || m.flags&Pathname != 0 && m.s[i] == '/' {
		return -1
	}
	r, size := decode(m.s[i:])
	if n.kind == set && !n.set.match(r) {
		return -1
	}
	return i + size
}

// text returns the end of the literal at i, -1 when it is not there.
func (m *matcher) text(lit string, i int) int {
	if m.flags&IgnoreCase == 0 {
		if strings.HasPrefix(m.s[i:], lit) {
			return i + len(lit)
		}
		return -1
	}
	for j := 0; j < len(lit); {
		if i >= len(m.s) {
			return -1
		}
		a, n := decode(lit[j:])
		b, k := decode(m.s[i:])
		if fold(a) != fold(b) {
			return -1
		}
		j += n
		i += k
	}
	return i
}

// run matches elements of fixed length from i on and returns the end, -1 for no match.
func (m *matcher) run(nodes []node, i int) int {
	for k := range nodes {
		n := &nodes[k]
		if n.kind == literal {
			i = m.text(n.text, i)
		} else {
			i = m.one(n, i)
		}
		if i < 0 {
			return -1
		}
	}
	return i
}

// starLimit returns the end of the longest text that * matches from i on.
func (m *matcher) starLimit(i int) int {
	if m.hidden(i) {
		return i
	}
	if m.flags&Pathname == 0 {
		return len(m.s)
	}
	if n := strings.IndexByte(m.s[i:], '/'); n >= 0 {
		return i + n
	}
	return len(m.s)
}

// simple matches a pattern without extended parts against the whole text, going back to the latest * only.
func (m *matcher) simple(nodes []node) bool {
	i, k := 0, 0
	starNode, starPos, limit := -1, 0, 0
	for {
		if k == len(nodes) && i == len(m.s) {
			return true
		}
		next := -1
		if k < len(nodes) {
			n := &nodes[k]
			switch n.kind {
			case anyText:
				starNode, starPos, limit = k, i, m.starLimit(i)
				if k+1 == len(nodes) {
					return limit == len(m.s)
				}
				k++
				continue
			case literal:
				next = m.text(n.text, i)
			default:
				next = m.one(n, i)
			}
		}
		if next >= 0 {
			i = next
			k++
			continue
		}
		if starNode < 0 || starPos >= limit {
			return false
		}
		_, size := decode(m.s[starPos:])
		starPos += size
		i, k = starPos, starNode+1
	}
}

// ends returns, sorted, every position at which a match of the elements that begins at one of starts can end.
func (m *matcher) ends(nodes []node, starts []int) []int {
	cur := starts
	for k := range nodes {
		if len(cur) == 0 {
			return nil
		}
		cur = m.step(&nodes[k], cur)
	}
	return cur
}

func (m *matcher) step(n *node, starts []int) []int {
	switch n.kind {
	case anyText:
		return m.stars(starts)
	case extended:
		return m.extended(n, starts)
	}
	var out []int
	for _, i := range starts {
		end := -1
		if n.kind == literal {
			end = m.text(n.text, i)
		} else {
			end = m.one(n, i)
		}
		if end >= 0 {
			out = append(out, end)
		}
	}
	return normal(out)
}

// stars returns the positions that * reaches.
func (m *matcher) stars(starts []int) []int {
	var out []int
	done := -1
	for _, i := range starts {
		limit := m.starLimit(i)
		for j := max(i, done+1); j <= limit; {
			out = append(out, j)
			done = j
			if j == len(m.s) {
				break
			}
			_, size := decode(m.s[j:])
			j += size
		}
	}
	return normal(out)
}

func normal(list []int) []int {
	if len(list) < 2 {
		return list
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (m *matcher) alternatives(n *node, starts []int) []int {
	var out []int
	for _, alt := range n.alts {
		out = append(out, m.ends(alt, starts)...)
	}
	return normal(out)
}

func (m *matcher) extended(n *node, starts []int) []int {
	switch n.op {
	case '@':
		return m.alternatives(n, starts)
	case '?':
		return normal(append(slices.Clone(starts), m.alternatives(n, starts)...))
	case '*', '+':
		return m.repeat(n, starts)
	}
	return m.not(n, starts)
}

// repeat returns the positions reached by one or more alternatives, for * also by none.
func (m *matcher) repeat(n *node, starts []int) []int {
	seen := map[int]bool{}
	var out []int
	add := func(list []int) (fresh []int) {
		for _, i := range list {
			if !seen[i] {
				seen[i] = true
				out = append(out, i)
				fresh = append(fresh, i)
			}
		}
		return fresh
	}
	next := starts
	if n.op == '*' {
		next = add(starts)
	}
	for len(next) > 0 {
		next = add(m.alternatives(n, next))
	}
	return normal(out)
}

// not returns the positions that no alternative reaches.
func (m *matcher) not(n *node, starts []int) []int {
	var out []int
	for _, i := range starts {
		hit := m.alternatives(n, []int{i})
		for _, j := range m.stars([]int{i}) {
			if _, found := slices.BinarySearch(hit, j); !found {
				out = append(out, j)
			}
		}
	}
	return normal(out)
}

package text

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/text/quote"
)

const tsortHelp = `Usage: tsort [FILE]
Write the names in FILE in an order in which none comes after one that it must come before. FILE holds pairs: the
first of two names comes before the second. Without FILE, or where FILE is -, read standard input.
`

// tsortNode is a name with those that come after it.
type tsortNode struct {
	name  string
	after []*tsortNode
	count int // how many must come before it and have not been written
	done  bool
}

func tsortCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{Short: "w"})
	if len(operands) > 1 {
		return p.Usage(1, "extra operand %s", quote.Curly(operands[1]))
	}
	name := "-"
	if len(operands) == 1 {
		name = operands[0]
	}
	f, err := p.OpenArg(name)
	if err != nil {
		return p.Fail(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		p.Errorf("%s: read error: %s", name, err)
		return 1
	}
	words := bytes.FieldsFunc(data, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
	if len(words)%2 != 0 {
		p.Errorf("%s: input contains an odd number of tokens", name)
		return 1
	}
	g := tsortGraph{p: p, file: name}
	g.load(words)
	return g.run()
}

type tsortGraph struct {
	p     *command.Proc
	file  string
	nodes []*tsortNode
}

func (g *tsortGraph) load(words [][]byte) {
	byName := map[string]*tsortNode{}
	node := func(w []byte) *tsortNode {
		n := byName[string(w)]
		if n == nil {
			n = &tsortNode{name: string(w)}
			byName[n.name] = n
			g.nodes = append(g.nodes, n)
		}
		return n
	}
	for i := 0; i+1 < len(words); i += 2 {
		a, b := node(words[i]), node(words[i+1])
		if a != b {
			a.after = append(a.after, b)
			b.count++
		}
	}
	sortNodes(g.nodes)
}

// run writes the names; where they go in a circle it reports the circle and breaks it.
func (g *tsortGraph) run() int {
	status := 0
	left := len(g.nodes)
	var queue []*tsortNode
	for _, n := range g.nodes {
		if n.count == 0 {
			queue = append(queue, n)
		}
	}
	for left > 0 {
		for len(queue) > 0 {
			n := queue[0]
			queue = queue[1:]
			n.done = true
			left--
			_, _ = g.p.Out().WriteString(n.name + "\n")
			// The order in which GNU finds those that have become free: the last named first.
			for i := len(n.after) - 1; i >= 0; i-- {
				s := n.after[i]
				s.count--
				if s.count == 0 {
					queue = append(queue, s)
				}
			}
		}
		if left == 0 {
			break
		}
		status = 1
		if n := g.breakLoop(); n != nil {
			queue = append(queue, n)
		}
	}
	return status
}

// breakLoop reports one circle and removes one of its steps; it returns the name that has become free, if any.
func (g *tsortGraph) breakLoop() *tsortNode {
	loop := g.findLoop()
	g.p.Errorf("%s: input contains a loop:", g.file)
	for _, n := range loop {
		g.p.Errorf("%s", n.name)
	}
	from, to := loop[len(loop)-1], loop[0]
	for i, s := range from.after {
		if s == to {
			from.after = append(from.after[:i:i], from.after[i+1:]...)
			break
		}
	}
	to.count--
	if to.count == 0 {
		return to
	}
	return nil
}

// findLoop walks from a name that is left to one that must come before it, until a name comes again.
func (g *tsortGraph) findLoop() []*tsortNode {
	before := map[*tsortNode]*tsortNode{}
	var start *tsortNode
	for _, n := range g.nodes {
		if n.done {
			continue
		}
		if start == nil {
			start = n
		}
		for _, s := range n.after {
			if before[s] == nil {
				before[s] = n
			}
		}
	}
	seen := map[*tsortNode]int{}
	var path []*tsortNode
	for n := start; ; n = before[n] {
		if at, ok := seen[n]; ok {
			loop := path[at:]
			for i, j := 0, len(loop)-1; i < j; i, j = i+1, j-1 {
				loop[i], loop[j] = loop[j], loop[i]
			}
			return loop
		}
		seen[n] = len(path)
		path = append(path, n)
	}
}

func sortNodes(nodes []*tsortNode) {
	slices.SortFunc(nodes, func(a, b *tsortNode) int { return strings.Compare(a.name, b.name) })
}

package text

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
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
		return p.Usage(1, "extra operand %s", quote.Locale(operands[1]))
	}
	name := "-"
	if len(operands) == 1 {
		name = operands[0]
	}
	f, err := p.OpenArg(name)
	if err != nil {
		return fail(p, name, err)
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
	for {
		left -= g.writeFree()
		if left == 0 {
			return status
		}
		status = 1
		g.p.Errorf("%s: input contains a loop:", g.file)
		g.breakLoop()
	}
}

// writeFree writes the names that nothing must come before any more, and returns how many these are.
func (g *tsortGraph) writeFree() int {
	var queue []*tsortNode
	for _, n := range g.nodes {
		if n.count == 0 && !n.done {
			queue = append(queue, n)
		}
	}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		n.done = true
		_, _ = g.p.Out().WriteString(n.name + "\n")
		// GNU finds those that have become free in this order: the last named first.
		for k := len(n.after) - 1; k >= 0; k-- {
			s := n.after[k]
			s.count--
			if s.count == 0 {
				queue = append(queue, s)
			}
		}
	}
	return len(queue)
}

// breakLoop reports one circle and removes one of its steps. It walks against the steps, through the names in order,
// again and again until it comes to one that it has been at.
func (g *tsortGraph) breakLoop() {
	var chain []*tsortNode // from the newest to the first
	inChain := map[*tsortNode]bool{}
	for {
		for _, n := range g.nodes {
			if n.count == 0 {
				continue
			}
			if len(chain) == 0 {
				chain = append(chain, n)
				continue
			}
			loop := chain[len(chain)-1]
			at := n.lastStep(loop)
			if at < 0 {
				continue
			}
			if !inChain[n] {
				inChain[n] = true
				chain = append(chain, n)
				continue
			}
			g.reportLoop(chain, n)
			n.after = append(n.after[:at:at], n.after[at+1:]...)
			loop.count--
			return
		}
		g.p.Yield()
	}
}

// lastStep returns the index of the step to a name that was read last, -1 when there is none.
func (n *tsortNode) lastStep(to *tsortNode) int {
	for i := len(n.after) - 1; i >= 0; i-- {
		if n.after[i] == to {
			return i
		}
	}
	return -1
}

func (g *tsortGraph) reportLoop(chain []*tsortNode, last *tsortNode) {
	for i := len(chain) - 1; i >= 0; i-- {
		g.p.Errorf("%s", chain[i].name)
		if chain[i] == last {
			return
		}
	}
}

func sortNodes(nodes []*tsortNode) {
	slices.SortFunc(nodes, func(a, b *tsortNode) int { return strings.Compare(a.name, b.name) })
}

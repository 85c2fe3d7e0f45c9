package git

import (
	"bytes"
	"strings"

	"openclaw/toolwasm/guest/git/object"
)

// graphState is what the next line of a graph shows.
type graphState int

const (
	graphPadding graphState = iota
	graphSkip
	graphPreCommit
	graphCommit
	graphPostMerge
	graphCollapsing
)

// graph draws the lines of history at the left of a log. Its columns are branches; mapping says where each place of the line
// below the current one leads.
type graph struct {
	g                *git
	commit           object.ID
	parents          []object.ID
	mark             byte
	width            int
	expansion        int
	state, before    graphState
	index, prevIndex int // the column of the commit
	layout           int // of a merge: 0 skewed to the left, 1 not
	added, prevAdded int // edges that a merge adds
	columns, next    []object.ID
	mapping, old     []int
	size             int // of the mapping
	lineOut          bytes.Buffer
}

func newGraph(g *git) *graph { return &graph{g: g, mark: '*'} }

// update goes on to a commit.
func (g *graph) update(id object.ID, parents []object.ID) {
	g.commit, g.parents = id, parents
	g.prevIndex = g.index
	g.updateColumns()
	g.expansion = 0
	switch {
	case g.state != graphPadding:
		g.state = graphSkip
	case g.needsPreCommit():
		g.state = graphPreCommit
	default:
		g.state = graphCommit
	}
}

func (g *graph) setState(s graphState) {
	g.before = g.state
	g.state = s
}

func (g *graph) updateColumns() {
	g.columns, g.next = g.next, g.columns[:0]
	g.size = 2 * (len(g.columns) + len(g.parents))
	if len(g.mapping) < g.size+2 {
		g.mapping = append(g.mapping, make([]int, g.size+2-len(g.mapping))...)
		g.old = append(g.old, make([]int, g.size+2-len(g.old))...)
	}
	for i := range g.size {
		g.mapping[i] = -1
	}
	g.width, g.prevAdded, g.added = 0, g.added, 0
	seen := false
	for i := 0; i <= len(g.columns); i++ {
		column := g.commit
		if i == len(g.columns) {
			if seen {
				break
			}
		} else {
			column = g.columns[i]
		}
		if column != g.commit {
			g.insert(column, -1)
			continue
		}
		seen = true
		g.index, g.layout = i, -1
		for _, p := range g.parents {
			g.insert(p, i)
		}
		if len(g.parents) == 0 {
			g.width += 2
		}
	}
	for g.size > 1 && g.mapping[g.size-1] < 0 {
		g.size--
	}
}

func (g *graph) find(id object.ID) int {
	for i, c := range g.next {
		if c == id {
			return i
		}
	}
	return -1
}

func (g *graph) insert(id object.ID, column int) {
	i := g.find(id)
	if i < 0 {
		i = len(g.next)
		g.next = append(g.next, id)
	}
	at := 0
	switch {
	case len(g.parents) > 1 && column > -1 && g.layout == -1:
		distance := column - i
		shift := 1
		if distance > 1 {
			shift = 2*distance - 3
		}
		g.layout = 1
		if distance > 0 {
			g.layout = 0
		}
		g.added = len(g.parents) + g.layout - 2
		at = g.width + (g.layout-1)*shift
		g.width += 2 * g.layout
	case g.added > 0 && i == g.mapping[g.width-2]:
		at = g.width - 2
		g.added = -1
	default:
		at = g.width
		g.width += 2
	}
	g.mapping[at] = i
}

func (g *graph) dashed() int { return len(g.parents) + g.layout - 3 }

func (g *graph) needsPreCommit() bool {
	return len(g.parents) >= 3 && g.index < len(g.columns)-1 && g.expansion < g.dashed()*2
}

func (g *graph) mappingRight() bool {
	for i := range g.size {
		if t := g.mapping[i]; t >= 0 && t != i/2 {
			return false
		}
	}
	return true
}

func (g *graph) finished() bool { return g.state == graphPadding }

// nextLine returns the next line of the graph, and whether it is that of the commit.
func (g *graph) nextLine() (string, bool) {
	b := &g.lineOut
	b.Reset()
	isCommit := false
	switch g.state {
	case graphPadding:
		for range g.next {
			b.WriteString("| ")
		}
	case graphSkip:
		b.WriteString("...")
		if g.needsPreCommit() {
			g.setState(graphPreCommit)
		} else {
			g.setState(graphCommit)
		}
	case graphPreCommit:
		g.preCommit(b)
	case graphCommit:
		g.commitLine(b)
		isCommit = true
	case graphPostMerge:
		g.postMerge(b)
	case graphCollapsing:
		g.collapsing(b)
	}
	return g.pad(b.String()), isCommit
}

func (g *graph) pad(s string) string {
	if len(s) < g.width {
		s += strings.Repeat(" ", g.width-len(s))
	}
	return s
}

// padding returns a line on which nothing happens, if one can come now.
func (g *graph) padding() string {
	if g.state != graphCommit {
		s, _ := g.nextLine()
		return s
	}
	var b strings.Builder
	for _, c := range g.columns {
		b.WriteByte('|')
		if c == g.commit && len(g.parents) > 2 {
			b.WriteString(strings.Repeat(" ", (len(g.parents)-2)*2))
		} else {
			b.WriteByte(' ')
		}
	}
	g.before = graphPadding
	return g.pad(b.String())
}

func (g *graph) preCommit(b *bytes.Buffer) {
	seen := false
	for i, c := range g.columns {
		switch {
		case c == g.commit:
			seen = true
			b.WriteByte('|')
			b.WriteString(strings.Repeat(" ", g.expansion))
		case seen && (g.expansion > 0 || g.before == graphPostMerge && g.prevIndex < i):
			b.WriteByte('\\')
		default:
			b.WriteByte('|')
		}
		b.WriteByte(' ')
	}
	g.expansion++
	if !g.needsPreCommit() {
		g.setState(graphCommit)
	}
}

func (g *graph) commitLine(b *bytes.Buffer) {
	seen := false
	for i := 0; i <= len(g.columns); i++ {
		column := g.commit
		if i == len(g.columns) {
			if seen {
				break
			}
		} else {
			column = g.columns[i]
		}
		switch {
		case column == g.commit:
			seen = true
			b.WriteByte(g.mark)
			if len(g.parents) > 2 {
				for j := range g.dashed() {
					b.WriteByte('-')
					if j == g.dashed()-1 {
						b.WriteByte('.')
					} else {
						b.WriteByte('-')
					}
				}
			}
		case seen && g.added > 1:
			b.WriteByte('\\')
		case seen && g.added == 1:
			if g.before == graphPostMerge && g.prevAdded > 0 && g.prevIndex < i {
				b.WriteByte('\\')
			} else {
				b.WriteByte('|')
			}
		case g.before == graphCollapsing && g.old[2*i+1] == i && g.mapping[2*i] < i:
			b.WriteByte('/')
		default:
			b.WriteByte('|')
		}
		b.WriteByte(' ')
	}
	switch {
	case len(g.parents) > 1:
		g.setState(graphPostMerge)
	case g.mappingRight():
		g.setState(graphPadding)
	default:
		g.setState(graphCollapsing)
	}
}

func (g *graph) postMerge(b *bytes.Buffer) {
	const edges = `/|\`
	seen, below := false, false // below: the first parent's column has been passed
	for i := 0; i <= len(g.columns); i++ {
		column := g.commit
		if i == len(g.columns) {
			if seen {
				break
			}
		} else {
			column = g.columns[i]
		}
		switch {
		case column == g.commit:
			seen = true
			edge := g.layout
			for j := range g.parents {
				b.WriteByte(edges[edge])
				if edge == 2 {
					if g.added > 0 || j < len(g.parents)-1 {
						b.WriteByte(' ')
					}
				} else {
					edge++
				}
			}
			if g.added == 0 {
				b.WriteByte(' ')
			}
		case seen:
			if g.added > 0 {
				b.WriteString(`\ `)
			} else {
				b.WriteString("| ")
			}
		default:
			b.WriteByte('|')
			if g.layout != 0 || i != g.index-1 {
				if below {
					b.WriteByte('_')
				} else {
					b.WriteByte(' ')
				}
			}
		}
		below = below || column == g.parents[0]
	}
	if g.mappingRight() {
		g.setState(graphPadding)
	} else {
		g.setState(graphCollapsing)
	}
}

// collapsing moves branches to the left, to where they belong.
func (g *graph) collapsing(b *bytes.Buffer) {
	g.mapping, g.old = g.old, g.mapping
	for i := range g.size {
		g.mapping[i] = -1
	}
	edge, edgeTarget, used := -1, -1, false
	level := func(i, target, at int) {
		if edge != -1 {
			return
		}
		edge, edgeTarget = at, target
		for j := target*2 + 3; j < i-2; j += 2 {
			g.mapping[j] = target
		}
	}
	for i := range g.size {
		target := g.old[i]
		switch {
		case target < 0:
		case target*2 == i:
			g.mapping[i] = target
		case g.mapping[i-1] < 0:
			g.mapping[i-1] = target
			level(i, target, i)
		case g.mapping[i-1] == target:
		default:
			g.mapping[i-2] = target
			level(i, target, i-1)
		}
	}
	copy(g.old[:g.size], g.mapping[:g.size])
	if g.mapping[g.size-1] < 0 {
		g.size--
	}
	for i := range g.size {
		target := g.mapping[i]
		switch {
		case target < 0:
			b.WriteByte(' ')
		case target*2 == i:
			b.WriteByte('|')
		case target == edgeTarget && i != edge-1:
			if i != target*2+3 {
				g.mapping[i] = -1
			}
			used = true
			b.WriteByte('_')
		default:
			if used && i < edge {
				g.mapping[i] = -1
			}
			b.WriteByte('/')
		}
	}
	if g.mappingRight() {
		g.setState(graphPadding)
	}
}

// showGraph prints the chosen commits with the graph.
func (p *logPrinter) showGraph() {
	if p.o.reverse {
		p.r.g.die("options '--reverse' and '--graph' cannot be used together")
	}
	if p.o.order == "" {
		p.o.order = "topo-order"
	}
	cut := p.o.limit >= 0 || p.o.skip > 0
	list := p.o.list(p.r)
	chosen := map[object.ID]bool{}
	for _, c := range list {
		chosen[c.ID] = true
	}
	visible := p.visibleSet(chosen, cut)
	for _, c := range list {
		p.graph.update(c.ID, p.visibleParents(c, visible))
		p.graphCommit(c)
	}
}

// visibleSet is what parents may be drawn: without paths everything that is not excluded, as the log may be cut off.
func (p *logPrinter) visibleSet(chosen map[object.ID]bool, cut bool) map[object.ID]bool {
	if len(p.o.specs) > 0 || !cut {
		return chosen
	}
	w := p.o.plainWalk(p.r)
	all := map[object.ID]bool{}
	for c := w.next(); c != nil; c = w.next() {
		all[c.ID] = true
	}
	return all
}

// visibleParents are the nearest ancestors that are drawn.
func (p *logPrinter) visibleParents(c *object.Commit, visible map[object.ID]bool) []object.ID {
	var out []object.ID
	seen := map[object.ID]bool{}
	var visit func(ids []object.ID, through int)
	visit = func(ids []object.ID, through int) {
		for _, id := range ids {
			if seen[id] {
				continue
			}
			seen[id] = true
			if visible[id] {
				out = append(out, id)
				continue
			}
			if len(p.o.specs) == 0 && len(p.o.filters) == 0 && len(p.o.greps) == 0 && p.o.maxParents < 0 && p.o.minParents == 0 || through > maxThrough {
				continue
			}
			if parent, err := p.r.db.Commit(id); err == nil {
				visit(parent.Parents, through+1)
			}
		}
	}
	parents := c.Parents
	if p.o.firstParent && len(parents) > 1 {
		parents = parents[:1]
	}
	visit(parents, 0)
	return out
}

// maxThrough bounds how many commits that are not drawn are looked through.
const maxThrough = 10000

func (p *logPrinter) graphCommit(c *object.Commit) {
	gr, g := p.graph, p.r.g
	g.step()
	terminator := p.o.pretty.terminator
	if p.shown && !terminator {
		if !p.missing {
			g.print(gr.padding())
		}
		g.print("\n")
	}
	p.shown = true
	p.commitLines()
	text := p.o.pretty.render(c)
	ended := strings.HasSuffix(text, "\n")
	p.missing = !ended
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if l == "" {
			continue
		}
		if i > 0 {
			s, _ := gr.nextLine()
			g.print(s)
		}
		g.print(l)
	}
	if !gr.finished() {
		if !ended {
			g.print("\n")
		}
		p.remainder()
		if ended {
			g.print("\n")
		}
	}
	if terminator && p.o.pretty.format == "user" && p.o.pretty.user != "" {
		g.print("\n")
	}
	p.graphDiff(c)
}

// commitLines prints the graph up to the line of the commit.
func (p *logPrinter) commitLines() {
	if p.graph.finished() {
		p.r.g.print(p.graph.padding())
		return
	}
	for !p.graph.finished() {
		s, done := p.graph.nextLine()
		p.r.g.print(s)
		if done {
			return
		}
		p.r.g.print("\n")
	}
}

func (p *logPrinter) remainder() {
	for {
		s, _ := p.graph.nextLine()
		p.r.g.print(s)
		if p.graph.finished() {
			return
		}
		p.r.g.print("\n")
	}
}

// graphDiff prints the differences of a commit with the graph before each line.
func (p *logPrinter) graphDiff(c *object.Commit) {
	d := &p.o.diff
	if !d.chosen() || d.none {
		return
	}
	list := p.changes(c)
	if len(list) == 0 {
		return
	}
	text := p.r.g.capture(func() { p.diff(list) })
	for line := range strings.Lines(text) {
		p.r.g.print(p.graph.padding() + line)
	}
}

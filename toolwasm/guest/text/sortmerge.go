package text

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"runtime"

	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const (
	// sortMemory is how much sort keeps in memory; what is more goes to temporary files, sorted, and is merged.
	sortMemory = 96 << 20
	// sortGarbage is how much memory is worth a collection at once. The collector would wait until the heap has doubled,
	// and the guest's memory ends before that.
	sortGarbage = 16 << 20
)

// release collects what m held, when it is much.
func (m *memory) release() {
	much := m.footprint() > sortGarbage
	m.store, m.entries = store{delim: m.delim}, nil
	if much {
		runtime.GC()
	}
}

// spill is the sorted parts of an input that is too large for the memory.
type spill struct {
	s     *sorter
	files []string
}

// run writes the sorted lines of m to a temporary file and returns an empty memory, with the line that m has not
// read to its end.
func (sp *spill) run(m *memory) *memory {
	begun := m.takeBegun()
	m.sort()
	name := sys.TempName(sp.s.tempDir, "sort*")
	f, err := sp.s.p.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		sp.s.die("cannot create temporary file in '%s': %s", sp.s.tempDir, sys.Strerror(err))
	}
	sp.files = append(sp.files, name)
	w := bufio.NewWriterSize(f, copyBuffer)
	m.write(w)
	err = w.Flush()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		sp.s.die("write failed: %s: %s", name, sys.Strerror(err))
	}
	m.release()
	fresh := newMemory(m.p, m.c, m.delim)
	if len(begun) > 0 {
		fresh.addBuffer(make([]byte, max(slotSize, 2*len(begun))))
		fresh.used = copy(fresh.buffers[0].data, begun)
		fresh.size = int64(len(begun))
	}
	return fresh
}

func (sp *spill) remove() {
	for _, name := range sp.files {
		_ = sys.Unlink(sp.s.p.Path(name))
	}
}

// merge writes all parts and what is left in memory, in order.
func (sp *spill) merge(m *memory, w *bufio.Writer) {
	g := merger{c: &sp.s.c, delim: sp.s.delim}
	for _, name := range sp.files {
		f := sp.s.open(name)
		defer f.Close()
		g.add(lines.New(sp.s.p, f, sp.s.delim))
	}
	g.add(&memoryLines{m: m})
	g.run(w)
	g.check(sp.s, append(sp.files, "-"))
}

// memoryLines gives the sorted lines of a memory one by one.
type memoryLines struct {
	m  *memory
	at int
}

func (l *memoryLines) Next() ([]byte, bool) {
	if l.at >= len(l.m.entries) {
		return nil, false
	}
	l.at++
	return l.m.line(&l.m.entries[l.at-1]), true
}

func (l *memoryLines) Err() error { return nil }

// mergeFiles implements -m.
func (s *sorter) mergeFiles(operands []string) int {
	g := merger{c: &s.c, delim: s.delim}
	for _, name := range operands {
		f := s.open(name)
		defer f.Close()
		var r io.Reader = f
		if s.toFile && s.readsOutput(name) {
			data, err := io.ReadAll(f)
			if err != nil {
				s.die("read failed: %s: %s", name, sys.Strerror(err))
			}
			r = bytes.NewReader(data)
		}
		g.add(lines.New(s.p, r, s.delim))
	}
	g.check(s, operands)
	s.writeTo(g.run)
	g.check(s, operands)
	return 0
}

// readsOutput reports whether an operand is the file that the result goes to.
func (s *sorter) readsOutput(name string) bool {
	out, err := s.p.Stat(s.output)
	if err != nil {
		return false
	}
	if name == "-" {
		name = "/dev/stdin"
	}
	in, err := s.p.Stat(name)
	return err == nil && in.Same(out)
}

type lineSource interface {
	Next() ([]byte, bool)
	Err() error
}

// merger merges sorted sources. Of equal lines those of an earlier source come first.
type merger struct {
	c       *comparer
	delim   byte
	sources []lineSource
	heads   [][]byte
	heap    []int // sources that have a line, as a binary heap
}

func (g *merger) add(src lineSource) {
	g.sources = append(g.sources, src)
	line, ok := src.Next()
	g.heads = append(g.heads, line)
	if ok {
		g.heap = append(g.heap, len(g.sources)-1)
		g.up(len(g.heap) - 1)
	}
}

func (g *merger) less(a, b int) bool {
	d := g.c.lines(g.heads[a], g.heads[b])
	return d < 0 || d == 0 && a < b
}

func (g *merger) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !g.less(g.heap[i], g.heap[parent]) {
			return
		}
		g.heap[i], g.heap[parent] = g.heap[parent], g.heap[i]
		i = parent
	}
}

func (g *merger) down() {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(g.heap) {
			return
		}
		if child+1 < len(g.heap) && g.less(g.heap[child+1], g.heap[child]) {
			child++
		}
		if !g.less(g.heap[child], g.heap[i]) {
			return
		}
		g.heap[i], g.heap[child] = g.heap[child], g.heap[i]
		i = child
	}
}

func (g *merger) run(w *bufio.Writer) {
	var last []byte
	first := true
	for len(g.heap) > 0 {
		i := g.heap[0]
		if line := g.heads[i]; !g.c.unique || first || g.c.lines(last, line) != 0 {
			_, _ = w.Write(line)
			_ = w.WriteByte(g.delim)
			if g.c.unique {
				last = append(last[:0], line...)
				first = false
			}
		}
		line, ok := g.sources[i].Next()
		g.heads[i] = line
		if !ok {
			n := len(g.heap) - 1
			g.heap[0] = g.heap[n]
			g.heap = g.heap[:n]
		}
		g.down()
	}
}

// check ends sort when a source could not be read to its end.
func (g *merger) check(s *sorter, names []string) {
	for i, src := range g.sources {
		if err := src.Err(); err != nil {
			s.die("read failed: %s: %s", names[i], sys.Strerror(err))
		}
	}
}

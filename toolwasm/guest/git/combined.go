package git

import (
	"bytes"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/xdiff"
)

// combinedLine is one line of the result of a merge, with the lines before it that only parents have.
type combinedLine struct {
	text  []byte
	added []bool // by parent: the parent does not have the line
	lost  []lostLine
}

// lostLine is a line that some parents had and the result has not.
type lostLine struct {
	text []byte
	from []bool
}

// combine compares a result with its parents line by line.
func (r *repo) combine(result []byte, parents [][]byte, o *diffOptions) []combinedLine {
	lines := xdiff.Lines(result)
	out := make([]combinedLine, len(lines)+1) // the last holds what was lost at the end
	for i := range out {
		out[i].added = make([]bool, len(parents))
		if i < len(lines) {
			out[i].text = lines[i]
		}
	}
	for p, data := range parents {
		old := xdiff.Lines(data)
		for _, c := range xdiff.Compare(old, lines, o.lines.Flags, r.g.step) {
			for i := range c.NB {
				out[c.B+i].added[p] = true
			}
			out[c.B].lose(old[c.A:c.A+c.NA], p, len(parents))
		}
	}
	return out
}

// lose adds lines that a parent had; those that another parent had as well are shown once.
func (l *combinedLine) lose(lines [][]byte, parent, parents int) {
	at := 0
	for _, text := range lines {
		found := -1
		for i := at; i < len(l.lost); i++ {
			if bytes.Equal(l.lost[i].text, text) && !l.lost[i].from[parent] {
				found = i
				break
			}
		}
		if found < 0 {
			lost := lostLine{text: text, from: make([]bool, parents)}
			lost.from[parent] = true
			l.lost = append(l.lost, lost)
			at = len(l.lost)
			continue
		}
		l.lost[found].from[parent] = true
		at = found + 1
	}
}

// interesting reports whether a line differs from all parents, or from any when not only those count.
func (l *combinedLine) interesting() bool {
	for _, a := range l.added {
		if a {
			return true
		}
	}
	return len(l.lost) > 0
}

// combinedHunks finds what is shown: stretches of interesting lines with context. A stretch in which the result is what one
// parent has is of no interest.
func combinedHunks(lines []combinedLine, context, parents int, dense bool) [][2]int {
	shown := make([]bool, len(lines))
	for i := 0; i < len(lines); {
		if !lines[i].interesting() {
			i++
			continue
		}
		j := i + 1 // what is within the context belongs together
		for k := j; k < len(lines) && k < j+context; k++ {
			if lines[k].interesting() {
				j = k + 1
			}
		}
		if !dense || differsFromAll(lines[i:j], parents) {
			for k := i; k < j; k++ {
				shown[k] = lines[k].interesting()
			}
		}
		i = j
	}
	var hunks [][2]int
	for i := 0; i < len(lines); i++ {
		if !shown[i] {
			continue
		}
		from := max(i-context, 0)
		end := i
		for j := i; j < len(lines) && j <= end+2*context+1; j++ {
			if shown[j] {
				end = j
			}
		}
		last := end + 1 + context
		if !lines[end].anyAdded() {
			last = end + context // what was lost stands before the line
		}
		hunks = append(hunks, [2]int{from, min(max(last, end+1), len(lines)-1)})
		i = end
	}
	return hunks
}

func (l *combinedLine) anyAdded() bool {
	for _, a := range l.added {
		if a {
			return true
		}
	}
	return false
}

func differsFromAll(lines []combinedLine, parents int) bool {
	for p := range parents {
		differs := false
		for i := range lines {
			differs = differs || lines[i].added[p]
			for _, lost := range lines[i].lost {
				differs = differs || lost.from[p]
			}
		}
		if !differs {
			return false
		}
	}
	return true
}

// combinedPatch shows the result of a merge beside its parents.
func (r *repo) combinedPatch(name string, result *version, parents []version, o *diffOptions) {
	var texts [][]byte
	for i := range parents {
		data, err := r.content(&parents[i])
		r.g.check(err)
		texts = append(texts, data)
	}
	data, err := r.content(result)
	r.g.check(err)
	lines := r.combine(data, texts, o)
	hunks := combinedHunks(lines, o.lines.Context, len(parents), true)
	modes := false
	for i := range parents {
		modes = modes || parents[i].mode != result.mode
	}
	if len(hunks) == 0 && !modes {
		return
	}
	r.combinedHead(name, result, parents, o)
	if len(hunks) == 0 {
		return
	}
	from, to := r.quote(o.oldPrefix+name), r.quote(o.newPrefix+name)
	if isBinary(data) {
		r.g.print("Binary files differ\n")
		return
	}
	r.g.printf("--- %s\n+++ %s\n", from, to)
	before := make([]int, len(parents)) // lines of each parent that have been passed
	at := 0
	for _, h := range hunks {
		for ; at < h[0]; at++ {
			count(lines[at], before)
		}
		at = r.combinedHunk(lines, h, before, len(parents))
	}
}

func (r *repo) combinedHead(name string, result *version, parents []version, o *diffOptions) {
	r.g.printf("diff --cc %s\nindex ", r.quote(name))
	var ids, modes []string
	differ := false
	for i := range parents {
		ids = append(ids, r.short(parents[i].id, o))
		modes = append(modes, parents[i].mode.String())
		differ = differ || parents[i].mode != result.mode
	}
	id := result.id
	if result.work {
		id = object.ID{}
	}
	r.g.printf("%s..%s\n", strings.Join(ids, ","), r.short(id, o))
	switch {
	case result.mode == 0:
		r.g.printf("deleted file mode %s\n", strings.Join(modes, ","))
	case differ:
		r.g.printf("mode %s..%s\n", strings.Join(modes, ","), result.mode)
	}
}

// count passes a line in every parent.
func count(l combinedLine, before []int) {
	for p := range before {
		for _, lost := range l.lost {
			if lost.from[p] {
				before[p]++
			}
		}
		if !l.added[p] {
			before[p]++
		}
	}
}

// combinedHunk prints one hunk and returns the line after it.
func (r *repo) combinedHunk(lines []combinedLine, h [2]int, before []int, parents int) int {
	start := append([]int{}, before...)
	end := h[1]
	for i := h[0]; i < end; i++ {
		count(lines[i], before)
	}
	tail := end == len(lines)-1 && len(lines[end].lost) > 0
	if tail {
		for p := range before {
			for _, lost := range lines[end].lost {
				if lost.from[p] {
					before[p]++
				}
			}
		}
	}
	marks := strings.Repeat("@", parents+1)
	r.g.print(marks)
	for p := range before {
		from := start[p] + 1
		n := before[p] - start[p]
		if n == 0 {
			from--
		}
		r.g.printf(" -%d,%d", from, n)
	}
	from := h[0] + 1
	if end == h[0] {
		from--
	}
	r.g.print(fmt.Sprintf(" +%d,%d ", from, end-h[0]) + marks)
	for i := h[0] - 1; i >= 0; i-- {
		if c := lines[i].text; len(c) > 0 && (c[0]|0x20 >= 'a' && c[0]|0x20 <= 'z' || c[0] == '_' || c[0] == '$') {
			r.g.print(" " + string(bytes.TrimRight(c[:min(len(c), 40)], " \t\n\r")))
			break
		}
	}
	r.g.print("\n")
	for i := h[0]; i < end; i++ {
		r.lostLines(lines[i].lost)
		for p := range parents {
			if lines[i].added[p] {
				r.g.print("+")
			} else {
				r.g.print(" ")
			}
		}
		r.writeLine(lines[i].text)
	}
	if tail {
		r.lostLines(lines[end].lost)
	}
	return end
}

func (r *repo) lostLines(list []lostLine) {
	for _, lost := range list {
		for _, from := range lost.from {
			if from {
				r.g.print("-")
			} else {
				r.g.print(" ")
			}
		}
		r.writeLine(lost.text)
	}
}

func (r *repo) writeLine(text []byte) {
	r.g.out.Write(text)
	if n := len(text); n == 0 || text[n-1] != '\n' {
		r.g.print("\n\\ No newline at end of file\n")
	}
}

// combinedCommit shows the files of a merge that differ from all of its parents.
func (r *repo) combinedCommit(c *object.Commit, o *diffOptions) {
	changed := map[string]int{}
	var order []string
	for _, p := range c.Parents {
		for _, ch := range r.diffTrees(r.treeOf(p), c.Tree, nil) {
			name := ch.path()
			if changed[name]++; changed[name] == len(c.Parents) {
				order = append(order, name)
			}
		}
	}
	for _, name := range order {
		side := func(tree object.ID) version {
			f, ok := r.lookup(tree, name)
			if !ok {
				return version{path: name}
			}
			return version{path: name, mode: f.mode, id: f.id}
		}
		result := side(c.Tree)
		var parents []version
		for _, p := range c.Parents {
			parents = append(parents, side(r.treeOf(p)))
		}
		r.combinedPatch(name, &result, parents, o)
	}
}

// combinedConflict shows a conflict of the working tree beside both sides; it reports whether both are there.
func (r *repo) combinedConflict(name string, o *diffOptions) bool {
	stages := r.index().Stages(name)
	if stages[index.Ours] == nil || stages[index.Theirs] == nil {
		return false
	}
	info, err := r.lstat(name)
	if err != nil {
		return false
	}
	result := version{path: name, mode: r.modeOf(info, stages[index.Ours].Mode), work: true}
	r.combinedPatch(name, &result, []version{entryVersion(stages[index.Ours]), entryVersion(stages[index.Theirs])}, o)
	return true
}

package git

import (
	"container/heap"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/object"
)

// walk visits commits, the youngest first, as long as they are not reached from what is excluded.
type walk struct {
	r           *repo
	queue       commitQueue
	seen        map[object.ID]bool
	hidden      map[object.ID]bool
	firstParent bool
	count       int
}

// queued is a commit that waits; of commits of one second the one that came first goes first.
type queued struct {
	c     *object.Commit
	order int
}

type commitQueue []queued

func (q commitQueue) Len() int { return len(q) }
func (q commitQueue) Less(i, j int) bool {
	a, b := q[i].c.Committer.When, q[j].c.Committer.When
	return a > b || a == b && q[i].order < q[j].order
}
func (q commitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *commitQueue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *commitQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// newWalk starts at tips. What hidden commits reach is left out.
func (r *repo) newWalk(tips, hidden []object.ID) *walk {
	w := &walk{r: r, seen: map[object.ID]bool{}, hidden: map[object.ID]bool{}}
	if len(hidden) > 0 {
		w.hide(tips, hidden)
	}
	for _, id := range tips {
		w.push(id)
	}
	return w
}

// hide marks everything that the hidden commits reach, as far back as it can matter.
func (w *walk) hide(tips, hidden []object.ID) {
	w.hidden = w.r.paint(tips, hidden)
}

// Colors of commits in paint.
const (
	wanted   = 1
	unwanted = 2
)

// paint returns the commits that unwanted ones reach among those that tips reach. It stops when only unwanted commits are
// left, and goes a little further, since dates may lie.
func (r *repo) paint(tips, hidden []object.ID) map[object.ID]bool {
	const slop = 5
	colors := map[object.ID]int{}
	waiting := map[object.ID]int{} // how often a commit is in the queue
	open := 0                      // commits in the queue that are only wanted
	q := &commitQueue{}
	order := 0
	add := func(id object.ID, color int) {
		if colors[id]&color == color {
			return
		}
		c, err := r.db.Commit(id)
		r.g.check(err)
		if waiting[id] > 0 && colors[id] == wanted {
			open--
		}
		colors[id] |= color
		if colors[id] == wanted {
			open++
		}
		waiting[id]++
		heap.Push(q, queued{c, order})
		order++
	}
	for _, id := range tips {
		add(id, wanted)
	}
	for _, id := range hidden {
		add(id, unwanted)
	}
	for extra := slop; q.Len() > 0 && extra > 0; {
		r.g.step()
		if open == 0 {
			extra--
		} else {
			extra = slop
		}
		c := heap.Pop(q).(queued).c
		if waiting[c.ID]--; waiting[c.ID] == 0 && colors[c.ID] == wanted {
			open--
		}
		for _, p := range c.Parents {
			add(p, colors[c.ID])
		}
	}
	out := map[object.ID]bool{}
	for id, color := range colors {
		if color&unwanted != 0 {
			out[id] = true
		}
	}
	return out
}

func (w *walk) push(id object.ID) {
	if w.seen[id] || w.hidden[id] {
		return
	}
	w.seen[id] = true
	c, err := w.r.db.Commit(id)
	w.r.g.check(err)
	heap.Push(&w.queue, queued{c, w.count})
	w.count++
}

// pop takes the youngest commit that waits, nil when none does.
func (w *walk) pop() *object.Commit {
	if len(w.queue) == 0 {
		return nil
	}
	w.r.g.step()
	return heap.Pop(&w.queue).(queued).c
}

// next returns the next commit, nil at the end.
func (w *walk) next() *object.Commit {
	c := w.pop()
	if c == nil {
		return nil
	}
	for i, p := range c.Parents {
		if i > 0 && w.firstParent {
			break
		}
		w.push(p)
	}
	return c
}

// reachable lists the commits that tips reach and hidden ones do not.
func (r *repo) reachable(tips, hidden []object.ID) []*object.Commit {
	var list []*object.Commit
	w := r.newWalk(tips, hidden)
	for c := w.next(); c != nil; c = w.next() {
		list = append(list, c)
	}
	return list
}

// isAncestor reports whether one commit reaches another.
func (r *repo) isAncestor(old, young object.ID) bool {
	if old == young {
		return true
	}
	c, err := r.db.Commit(old)
	r.g.check(err)
	w := r.newWalk([]object.ID{young}, nil)
	older := 0
	for d := w.next(); d != nil; d = w.next() {
		if d.ID == old {
			return true
		}
		if d.Committer.When < c.Committer.When {
			older++
		}
	}
	return false
}

// mergeBases returns the best common ancestors of two commits.
func (r *repo) mergeBases(a, b object.ID) []object.ID {
	if a == b {
		return []object.ID{a}
	}
	reach := func(id object.ID) map[object.ID]bool {
		set := map[object.ID]bool{}
		w := r.newWalk([]object.ID{id}, nil)
		for c := w.next(); c != nil; c = w.next() {
			set[c.ID] = true
		}
		return set
	}
	fromA := reach(a)
	var common []*object.Commit
	w := r.newWalk([]object.ID{b}, nil)
	stale := map[object.ID]bool{}
	for c := w.next(); c != nil; c = w.next() {
		if !fromA[c.ID] {
			continue
		}
		if !stale[c.ID] {
			common = append(common, c)
		}
		for _, p := range c.Parents {
			stale[p] = true
		}
	}
	var best []object.ID
	for _, c := range common {
		if !slices.ContainsFunc(common, func(d *object.Commit) bool {
			return d != c && !stale[d.ID] && r.isAncestor(c.ID, d.ID)
		}) && !stale[c.ID] {
			best = append(best, c.ID)
		}
	}
	return best
}

// topological orders commits so that none comes before its children, keeping lines of history together.
func topological(list []*object.Commit, byDate bool) []*object.Commit {
	degree := map[object.ID]int{}
	inside := map[object.ID]*object.Commit{}
	for _, c := range list {
		inside[c.ID] = c
	}
	for _, c := range list {
		for _, p := range c.Parents {
			degree[p]++
		}
	}
	var out, stack []*object.Commit
	q := &commitQueue{}
	n := 0
	push := func(c *object.Commit) {
		if byDate {
			heap.Push(q, queued{c, n})
			n++
			return
		}
		stack = append(stack, c)
	}
	for _, c := range slices.Backward(list) {
		if degree[c.ID] == 0 && !byDate {
			push(c)
		}
	}
	if byDate {
		for _, c := range list {
			if degree[c.ID] == 0 {
				push(c)
			}
		}
	}
	for len(stack) > 0 || q.Len() > 0 {
		var c *object.Commit
		if byDate {
			c = heap.Pop(q).(queued).c
		} else {
			c = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		}
		out = append(out, c)
		for _, p := range c.Parents {
			if degree[p]--; degree[p] == 0 && inside[p] != nil {
				push(inside[p])
			}
		}
	}
	return out
}

// revisions is what the revisions of a command line mean.
type revisions struct {
	tips, hidden []object.ID
	left         map[object.ID]bool // of A...B, the commits of A alone
	symmetric    bool
	revs         []string // those that could be resolved, as given
	ranges       []pairOfRevs
}

// pairOfRevs is "A..B" or "A...B".
type pairOfRevs struct {
	a, b object.ID
	dots int
}

// addRevision reads one word; ok is false when it is none.
func (r *repo) addRevision(v *revisions, arg string) (ok bool) {
	if rest, not := strings.CutPrefix(arg, "^"); not {
		id, found := r.tryCommit(rest)
		if found {
			v.hidden = append(v.hidden, id)
		}
		return found
	}
	if base, all := strings.CutSuffix(arg, "^@"); all {
		c, found := r.tryCommit(base)
		if found {
			commit, err := r.db.Commit(c)
			r.g.check(err)
			v.tips = append(v.tips, commit.Parents...)
		}
		return found
	}
	if base, not := strings.CutSuffix(arg, "^!"); not {
		c, found := r.tryCommit(base)
		if found {
			commit, err := r.db.Commit(c)
			r.g.check(err)
			v.tips = append(v.tips, c)
			v.hidden = append(v.hidden, commit.Parents...)
		}
		return found
	}
	if i := strings.Index(arg, ".."); i >= 0 && !strings.Contains(arg[:i], ":") {
		return r.addRange(v, arg, i)
	}
	id, found := r.tryCommit(arg)
	if found {
		v.tips = append(v.tips, id)
		v.revs = append(v.revs, arg)
	}
	return found
}

func (r *repo) addRange(v *revisions, arg string, at int) bool {
	from, to, dots := arg[:at], arg[at+2:], 2
	if strings.HasPrefix(to, ".") {
		to, dots = to[1:], 3
	}
	if from == "" && to == "" {
		return false
	}
	if from == "" {
		from = "HEAD"
	}
	if to == "" {
		to = "HEAD"
	}
	a, ok1 := r.tryCommit(from)
	b, ok2 := r.tryCommit(to)
	if !ok1 || !ok2 {
		return false
	}
	v.ranges = append(v.ranges, pairOfRevs{a, b, dots})
	if dots == 2 {
		v.tips, v.hidden = append(v.tips, b), append(v.hidden, a)
		return true
	}
	v.tips, v.symmetric = append(v.tips, a, b), true
	v.hidden = append(v.hidden, r.mergeBases(a, b)...)
	if v.left == nil {
		v.left = map[object.ID]bool{}
	}
	for _, c := range r.reachable([]object.ID{a}, []object.ID{b}) {
		v.left[c.ID] = true
	}
	return true
}

// splitRevisions tells revisions from paths on a command line without "--". What is both is ambiguous.
func (r *repo) splitRevisions(l line) (*revisions, []string) {
	v := &revisions{}
	for i, arg := range l.args {
		if r.addRevision(v, arg) {
			if !l.dash && !strings.ContainsAny(arg, "^~:@") && r.exists(arg) {
				r.g.errorf("fatal: ambiguous argument '%s': both revision and filename\n"+
					"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'\n", arg)
				r.g.close()
				r.g.p.Exit(statusFatal)
			}
			continue
		}
		if l.dash {
			r.g.die("bad revision '%s'", arg)
		}
		for _, p := range l.args[i:] {
			if !r.exists(p) && !strings.ContainsAny(p, "*?[") && !strings.HasPrefix(p, ":") {
				r.ambiguous(p)
			}
		}
		return v, append(append([]string{}, l.args[i:]...), l.paths...)
	}
	return v, l.paths
}

// exists reports whether a word of the command line names a file.
func (r *repo) exists(arg string) bool {
	if arg == "" {
		return false
	}
	_, err := r.g.p.Lstat(strings.TrimSuffix(arg, "/"))
	return err == nil
}

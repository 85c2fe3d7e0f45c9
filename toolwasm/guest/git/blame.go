package git

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/xdiff"
	"openclaw/toolwasm/guest/regex"
)

// blamed is one line with where it comes from.
type blamed struct {
	commit *object.Commit // nil for what is not committed
	path   string
	line   int // there, from 0
	text   []byte
}

func cmdBlame(g *git) int {
	l := g.parse("L= porcelain,p line-porcelain incremental root b show-email,e show-name,f show-number,n show-stats s l t c " +
		"w M? C? date= abbrev= reverse= contents= color-lines color-by-age encoding= S= ignore-rev= ignore-revs-file= score-debug minimal progress no-progress first-parent since=")
	r := g.open()
	rev, name := r.blameTarget(l)
	b := &blamer{r: r, l: l}
	if l.has("w") {
		b.flags = xdiff.IgnoreAllSpace
	}
	lines := b.run(rev, name)
	first, last := 0, len(lines)
	if len(l.all("L")) > 0 {
		first, last = b.limits(l.str("L"), lines)
	}
	switch {
	case l.has("porcelain") || l.has("line-porcelain"):
		b.porcelain(lines, first, last, l.has("line-porcelain"))
	case l.has("incremental"):
		g.die("option --incremental is not supported here")
	default:
		b.print(lines, first, last, name)
	}
	return 0
}

func (r *repo) blameTarget(l line) (rev, name string) {
	args := l.args
	if len(l.paths) > 0 {
		if len(args) > 0 {
			rev = args[0]
		}
		name = l.paths[0]
	} else {
		switch len(args) {
		case 0:
			r.g.usageError("no file given")
		case 1:
			name = args[0]
		default:
			rev, name = args[0], args[1]
			if _, ok := r.tryCommit(rev); !ok {
				rev, name = args[1], args[0]
			}
		}
	}
	return rev, r.specs([]string{name})[0].Path
}

// blamer finds where lines come from.
type blamer struct {
	r     *repo
	l     line
	flags xdiff.Flags
}

// suspect is a file of a commit that may be where lines come from.
type suspect struct {
	commit *object.Commit
	path   string
}

// pending are lines of a suspect: their numbers there and in the result.
type pending struct{ here, result []int }

func (b *blamer) run(rev, name string) []blamed {
	r := b.r
	head, born := r.head()
	if rev != "" {
		head = r.commitOf(rev)
	} else if !born {
		r.g.die("no such ref: HEAD")
	}
	c, err := r.db.Commit(head)
	r.g.check(err)
	committed, ok := r.lookup(c.Tree, name)
	var data []byte
	if ok && !committed.mode.IsDir() {
		data, err = r.db.Blob(committed.id)
		r.g.check(err)
	}
	text := data
	if rev == "" && r.top != "" {
		info, err := r.lstat(name)
		if err != nil && !ok {
			r.g.die("Cannot lstat '%s': %s", name, strerror(err))
		}
		if err == nil {
			if text, err = r.readWork(name, info); err != nil {
				r.g.dieErr(err)
			}
		}
	}
	if !ok {
		if rev != "" || !r.index().Has(name) {
			r.g.die("no such path '%s' in %s", name, revName(rev))
		}
	}
	lines := xdiff.Lines(text)
	result := make([]blamed, len(lines))
	for i := range lines {
		result[i] = blamed{path: name, line: i, text: lines[i]}
	}
	if !ok {
		return result
	}
	p := unchangedLines(xdiff.Lines(data), lines, identity(len(lines)), b.flags, r.g.step)
	b.trace(suspect{c, name}, p, result)
	return result
}

func revName(rev string) string {
	if rev == "" {
		return "HEAD"
	}
	return rev
}

func identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// unchangedLines returns the lines of b, given by their results, that come from a.
func unchangedLines(a, b [][]byte, result []int, flags xdiff.Flags, yield func()) pending {
	from := make([]int, len(b))
	i, j := 0, 0
	for _, c := range append(xdiff.Compare(a, b, flags, yield), xdiff.Change{A: len(a), B: len(b)}) {
		for ; j < c.B; i, j = i+1, j+1 {
			from[j] = i
		}
		for ; j < c.B+c.NB; j++ {
			from[j] = -1
		}
		i = c.A + c.NA
	}
	var p pending
	for k, r := range result {
		if r >= 0 && from[k] >= 0 {
			p.here, p.result = append(p.here, from[k]), append(p.result, r)
		}
	}
	return p
}

// trace follows lines back through history, the youngest commits first.
func (b *blamer) trace(start suspect, p pending, result []blamed) {
	work := map[object.ID]map[string]*pending{start.commit.ID: {start.path: &p}}
	w := b.r.newWalk([]object.ID{start.commit.ID}, nil)
	w.firstParent = b.l.has("first-parent")
	for len(work) > 0 {
		c := w.next()
		if c == nil {
			return
		}
		for name, lines := range work[c.ID] {
			b.pass(suspect{c, name}, *lines, work, result)
		}
		delete(work, c.ID)
	}
}

// pass hands lines that parents have over to them; the others come from the commit.
func (b *blamer) pass(s suspect, p pending, work map[object.ID]map[string]*pending, result []blamed) {
	r := b.r
	f, ok := r.lookup(s.commit.Tree, s.path)
	if !ok {
		return
	}
	data, err := r.db.Blob(f.id)
	r.g.check(err)
	lines := xdiff.Lines(data)
	parents := s.commit.Parents
	if b.l.has("first-parent") && len(parents) > 1 {
		parents = parents[:1]
	}
	// A parent with the same file takes everything.
	for _, id := range parents {
		if g, ok := r.lookup(r.treeOf(id), s.path); ok && g.id == f.id {
			hand(work, id, s.path, p)
			return
		}
	}
	for _, id := range parents {
		if len(p.here) == 0 {
			return
		}
		name, before, ok := b.origin(id, s)
		if !ok {
			continue
		}
		marks := make([]int, len(lines))
		for i := range marks {
			marks[i] = -1
		}
		for i, h := range p.here {
			marks[h] = p.result[i]
		}
		old, err := r.db.Blob(before)
		r.g.check(err)
		given := unchangedLines(xdiff.Lines(old), lines, marks, b.flags, r.g.step)
		hand(work, id, name, given)
		p = p.without(given)
	}
	for i, h := range p.here {
		result[p.result[i]] = blamed{s.commit, s.path, h, result[p.result[i]].text}
	}
}

func (p pending) without(given pending) pending {
	gone := map[int]bool{}
	for _, r := range given.result {
		gone[r] = true
	}
	var rest pending
	for i, r := range p.result {
		if !gone[r] {
			rest.here, rest.result = append(rest.here, p.here[i]), append(rest.result, r)
		}
	}
	return rest
}

func hand(work map[object.ID]map[string]*pending, id object.ID, name string, p pending) {
	if len(p.here) == 0 {
		return
	}
	if work[id] == nil {
		work[id] = map[string]*pending{}
	}
	if q := work[id][name]; q != nil {
		q.here, q.result = append(q.here, p.here...), append(q.result, p.result...)
		return
	}
	work[id][name] = &p
}

// origin finds the file in a parent, perhaps under another name.
func (b *blamer) origin(parent object.ID, s suspect) (string, object.ID, bool) {
	r := b.r
	tree := r.treeOf(parent)
	if f, ok := r.lookup(tree, s.path); ok && !f.mode.IsDir() {
		return s.path, f.id, true
	}
	list := r.detectRenames(r.diffTrees(tree, s.commit.Tree, nil), renameLimit{score: defaultScore, limit: renameMatrix})
	for _, c := range list {
		if c.status == 'R' && c.new.path == s.path {
			return c.old.path, c.old.id, true
		}
	}
	return "", object.ID{}, false
}

// limits reads -L: "3,5", "3,+2", "3", "/re/,+2" or "/re/,/re/".
func (b *blamer) limits(arg string, lines []blamed) (first, last int) {
	from, to, two := strings.Cut(arg, ",")
	place := func(s string, start, otherwise int) int {
		if s == "" {
			return otherwise
		}
		if strings.HasPrefix(s, "/") {
			re := b.r.g.compile(strings.Trim(s, "/"), regex.Newline)
			for i := start; i < len(lines); i++ {
				if re.Match(lines[i].text, false) {
					return i + 1
				}
			}
			b.r.g.die("-L parameter '%s' starting at line %d: no match", strings.Trim(s, "/"), start+1)
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			b.r.g.die("malformed -L argument '%s'", arg)
		}
		return n
	}
	first = place(from, 0, 1)
	last = len(lines)
	switch {
	case !two:
	case strings.HasPrefix(to, "+"):
		last = first + place(to[1:], first, 1) - 1
	case strings.HasPrefix(to, "-"):
		last = first
		first = max(first-place(to[1:], first, 1)+1, 1)
	default:
		last = place(to, first, len(lines))
	}
	if first > last {
		first, last = last, first
	}
	if first > len(lines) || first < 1 {
		b.r.g.die("file %s has only %d line%s", lines0(lines), len(lines), plural(len(lines)))
	}
	return first - 1, min(last, len(lines))
}

func lines0(lines []blamed) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0].path
}

// notCommitted is who wrote what is not committed.
const notCommitted = "Not Committed Yet"

func (b *blamer) print(lines []blamed, first, last int, name string) {
	g := b.r.g
	width := len(strconv.Itoa(last))
	nameWidth, fileWidth, lineWidth := 0, 0, 0
	showFile := b.l.has("show-name")
	for _, x := range lines[first:last] {
		nameWidth = max(nameWidth, textWidth(b.who(x)))
		fileWidth = max(fileWidth, textWidth(x.path))
		lineWidth = max(lineWidth, len(strconv.Itoa(x.line+1)))
		showFile = showFile || x.path != name
	}
	idWidth := b.abbrev(lines[first:last])
	for i, x := range lines[first:last] {
		g.step()
		g.print(b.id(x, idWidth))
		if b.l.has("c") {
			g.printf("\t(%10s\t%10s\t%d)", b.who(x), b.date(x), first+i+1)
			b.text(x)
			continue
		}
		if showFile {
			g.printf(" %-*s", fileWidth, x.path)
		}
		if b.l.has("show-number") {
			g.printf(" %*d", lineWidth, x.line+1)
		}
		if b.l.has("s") {
			g.printf(" %*d) ", width, first+i+1)
		} else {
			who := b.who(x)
			g.printf(" (%s%s %10s %*d) ", who, strings.Repeat(" ", nameWidth-textWidth(who)), b.date(x), width, first+i+1)
		}
		b.text(x)
	}
}

func (b *blamer) text(x blamed) {
	b.r.g.out.Write(x.text)
	if n := len(x.text); n == 0 || x.text[n-1] != '\n' {
		b.r.g.print("\n")
	}
}

func (b *blamer) abbrev(lines []blamed) int {
	if b.l.has("l") {
		return object.HexLen
	}
	if n, ok := b.l.get("abbrev"); ok {
		return min(b.r.g.number(n)+1, object.HexLen)
	}
	width := 8
	for _, x := range lines {
		if x.commit != nil {
			width = max(width, len(b.r.db.Abbrev(x.commit.ID, b.r.abbrevLen()))+1)
		}
	}
	return width
}

func (b *blamer) id(x blamed, width int) string {
	if x.commit == nil {
		return strings.Repeat("0", width)
	}
	s := x.commit.ID.String()
	if len(x.commit.Parents) == 0 && !b.l.has("root") && !b.r.cfg.on("blame.showroot", false) {
		return "^" + s[:width-1]
	}
	return s[:width]
}

func (b *blamer) who(x blamed) string {
	if x.commit == nil {
		if b.l.has("show-email") {
			return "<not.committed.yet>"
		}
		return notCommitted
	}
	if b.l.has("show-email") {
		return "<" + x.commit.Author.Email + ">"
	}
	return x.commit.Author.Name
}

func (b *blamer) date(x blamed) string {
	mode := b.r.cfg.str("blame.date", "iso")
	if d, ok := b.l.get("date"); ok {
		mode = b.r.g.checkDateMode(d)
	}
	if b.l.has("t") {
		mode = "raw"
	}
	if x.commit == nil {
		when, zone := b.r.g.now()
		return b.r.g.formatDate(object.Signature{When: when, Zone: zone}, mode)
	}
	return b.r.g.formatDate(x.commit.Author, mode)
}

// porcelain prints what programs read.
func (b *blamer) porcelain(lines []blamed, first, last int, every bool) {
	told := map[object.ID]bool{}
	g := b.r.g
	for i := first; i < last; i++ {
		x := lines[i]
		var id object.ID
		if x.commit != nil {
			id = x.commit.ID
		}
		group := i == first || !continues(lines[i-1], x)
		g.printf("%s %d %d", id, x.line+1, i+1)
		if group {
			n := 1
			for i+n < last && continues(lines[i+n-1], lines[i+n]) {
				n++
			}
			g.printf(" %d", n)
		}
		g.print("\n")
		if every || !told[id] {
			told[id] = true
			b.details(x)
		}
		g.print("\t")
		b.text(x)
	}
}

// continues reports whether y follows x where both come from.
func continues(x, y blamed) bool {
	return x.commit == y.commit && x.path == y.path && y.line == x.line+1
}

func (b *blamer) details(x blamed) {
	c := x.commit
	if c == nil {
		now := time.Now().Unix()
		who := object.Signature{Name: notCommitted, Email: "not.committed.yet", When: now, Zone: "+0000"}
		c = &object.Commit{Author: who, Committer: who, Message: fmt.Sprintf("Version of %s from %s", x.path, x.path)}
	}
	person := func(role string, s object.Signature) {
		b.r.g.printf("%s %s\n%s-mail <%s>\n%s-time %d\n%s-tz %s\n", role, s.Name, role, s.Email, role, s.When, role, s.Zone)
	}
	person("author", c.Author)
	person("committer", c.Committer)
	b.r.g.printf("summary %s\n", c.Subject())
	if x.commit == nil {
		b.previous(x)
	} else {
		if len(c.Parents) == 0 && !b.l.has("root") {
			b.r.g.print("boundary\n")
		} else {
			b.previous(x)
		}
	}
	b.r.g.printf("filename %s\n", b.r.quote(x.path))
}

// previous names the file before the commit.
func (b *blamer) previous(x blamed) {
	if x.commit == nil {
		if head, ok := b.r.head(); ok {
			b.r.g.printf("previous %s %s\n", head, x.path)
		}
		return
	}
	for _, p := range x.commit.Parents {
		if name, _, ok := b.origin(p, suspect{x.commit, x.path}); ok {
			b.r.g.printf("previous %s %s\n", p, name)
			return
		}
	}
}

package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/object"
)

// version is one side of a change: a file as it was or is.
type version struct {
	path   string
	mode   object.Mode // 0 when there is no file
	id     object.ID
	work   bool // the content is in the working tree
	file   bool // the content is in a file outside of any repository
	data   []byte
	loaded bool
}

// change is how one file differs.
type change struct {
	status   byte // A, D, M, T, R, C or U
	old, new version
	score    int  // how alike the two are, of maxScore
	combined bool // a conflict that is shown beside both sides
}

// path is where a change is shown.
func (c *change) path() string {
	if c.new.path != "" {
		return c.new.path
	}
	return c.old.path
}

func sortChanges(list []change) {
	slices.SortStableFunc(list, func(a, b change) int { return strings.Compare(a.path(), b.path()) })
}

// content returns what a version holds; it keeps it.
func (r *repo) content(v *version) ([]byte, error) {
	if v.loaded || v.mode == 0 {
		return v.data, nil
	}
	var data []byte
	var err error
	switch {
	case v.file:
		data, err = r.g.p.ReadFile(v.path)
	case v.mode.IsSubmodule():
		data = []byte("Subproject commit " + v.id.String() + "\n")
	case v.work:
		info, lerr := r.lstat(v.path)
		if lerr != nil {
			return nil, lerr
		}
		data, err = r.readWork(v.path, info)
		if err == nil {
			v.id = object.Hash(object.BlobKind, data)
		}
	default:
		data, err = r.db.Blob(v.id)
	}
	if err != nil {
		return nil, err
	}
	v.data, v.loaded = data, true
	return data, nil
}

// release gives up the content that is held.
func (v *version) release() { v.data, v.loaded = nil, false }

// Bounds of the search for renames.
const (
	maxScore        = 60000
	defaultScore    = maxScore / 2
	renameMatrix    = 1000     // files on each side, as diff.renameLimit
	maxRenameSize   = 32 << 20 // of a file whose parts are compared
	hashBase        = 107927   // of the parts of files
	partSize        = 64       // a part ends there, or at a newline
	basenameQuality = maxScore * 3 / 4
)

// renameLimit is what the command line says about the search for renames.
type renameLimit struct {
	off    bool
	score  int
	copies bool
	limit  int
}

// renames tells how to search: by the command line, else by the configuration.
func (g *git) renames(f flags) renameLimit {
	l := renameLimit{score: defaultScore, limit: g.anyConfig().number("diff.renamelimit", renameMatrix)}
	if v, ok := g.anyConfig().get("diff.renames"); ok {
		switch strings.ToLower(v) {
		case "false", "no", "off", "0":
			l.off = true
		case "copies", "copy":
			l.copies = true
		}
	}
	for _, o := range f.list {
		switch o.Name {
		case "no-renames":
			l.off = true
		case "find-renames", "find-copies":
			l.off = false
			l.copies = l.copies || o.Name == "find-copies"
			if o.Arg != "" {
				l.score = parseScore(o.Arg)
			}
		}
	}
	if l.limit <= 0 {
		l.limit = renameMatrix
	}
	return l
}

// parseScore reads "50%", "5" (of ten) or "50" (of a hundred).
func parseScore(s string) int {
	n, scale := 0, 1
	dot := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' && !dot:
			dot, scale = true, 1
		case c == '%':
			if !dot {
				scale = 100
			} else {
				scale *= 100
			}
			return min(n*maxScore/scale, maxScore)
		case c >= '0' && c <= '9':
			if scale < 100000 {
				scale *= 10
				n = n*10 + int(c-'0')
			}
		}
	}
	return min(n*maxScore/scale, maxScore)
}

// detectRenames pairs files that went with files that came.
func (r *repo) detectRenames(list []change, limit renameLimit) []change {
	if limit.off {
		return list
	}
	var gone, came []int
	for i := range list {
		switch list[i].status {
		case 'D':
			gone = append(gone, i)
		case 'A':
			if !(list[i].new.work && list[i].new.id.IsZero() && list[i].new.mode == 0) {
				came = append(came, i)
			}
		}
	}
	if len(came) == 0 || len(gone) == 0 && !limit.copies {
		return list
	}
	d := &renameSearch{r: r, list: list, limit: limit, used: map[int]bool{}, from: map[int]int{}, score: map[int]int{}, parts: map[int]parts{}}
	d.exact(gone, came)
	if !limit.copies {
		d.byName(gone, came)
	}
	sources := gone
	if limit.copies {
		for i := range list {
			if list[i].status == 'M' {
				sources = append(sources, i)
			}
		}
	}
	d.similar(sources, came)
	return d.result()
}

// renameSearch is one search for renames.
type renameSearch struct {
	r     *repo
	list  []change
	limit renameLimit
	used  map[int]bool // what went and is spoken for
	from  map[int]int  // what came, to what went
	score map[int]int
	parts map[int]parts
}

func (d *renameSearch) pair(from, to, score int) {
	d.from[to], d.score[to] = from, score
	d.used[from] = true
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// exact pairs what has the same content; the same name in another directory is preferred.
func (d *renameSearch) exact(gone, came []int) {
	byID := map[object.ID][]int{}
	for _, i := range gone {
		byID[d.list[i].old.id] = append(byID[d.list[i].old.id], i)
	}
	for _, to := range came {
		id := d.id(to)
		if id.IsZero() {
			continue
		}
		best, bestScore := -1, -1
		for _, from := range byID[id] {
			old, now := &d.list[from].old, &d.list[to].new
			if old.mode.Type() != now.mode.Type() {
				continue
			}
			score := 0
			if !d.used[from] {
				score++
			} else if !d.limit.copies {
				continue
			}
			if base(old.path) == base(now.path) {
				score++
			}
			if score > bestScore {
				best, bestScore = from, score
			}
		}
		if best >= 0 {
			d.pair(best, to, maxScore)
		}
	}
}

// id returns the name of the content that came.
func (d *renameSearch) id(to int) object.ID {
	v := &d.list[to].new
	if v.work && v.id.IsZero() {
		_, _ = d.r.content(v)
	}
	return v.id
}

// byName pairs what is alike and has a name that nothing else has, so that moved files are found without comparing all.
func (d *renameSearch) byName(gone, came []int) {
	unique := func(list []int, path func(i int) string, skip func(i int) bool) map[string]int {
		m := map[string]int{}
		for _, i := range list {
			if skip(i) {
				continue
			}
			b := base(path(i))
			if _, ok := m[b]; ok {
				m[b] = -1
			} else {
				m[b] = i
			}
		}
		return m
	}
	from := unique(gone, func(i int) string { return d.list[i].old.path }, func(i int) bool { return d.used[i] })
	to := unique(came, func(i int) string { return d.list[i].new.path }, d.paired)
	quality := d.limit.score + (maxScore-d.limit.score)/2
	for _, t := range came {
		b := base(d.list[t].new.path)
		f, ok := from[b]
		if !ok || f < 0 || to[b] != t {
			continue
		}
		if score := d.similarity(f, t, quality); score >= quality {
			d.pair(f, t, score)
		}
	}
}

func (d *renameSearch) paired(to int) bool { _, ok := d.from[to]; return ok }

// candidate is a pair that is alike enough.
type candidate struct {
	from, to, score int
	sameName        bool
}

// similar pairs the rest, the most alike first.
func (d *renameSearch) similar(gone, came []int) {
	var list []candidate
	var rest, sources []int
	for _, t := range came {
		if !d.paired(t) {
			rest = append(rest, t)
		}
	}
	for _, f := range gone {
		if d.limit.copies || !d.used[f] {
			sources = append(sources, f)
		}
	}
	if len(rest)*len(sources) > d.limit.limit*d.limit.limit {
		return
	}
	for _, t := range rest {
		for _, f := range sources {
			d.r.g.step()
			if score := d.similarity(f, t, d.limit.score); score >= d.limit.score {
				list = append(list, candidate{f, t, score, base(d.list[f].old.path) == base(d.list[t].new.path)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		if a.score != b.score {
			return b.score - a.score
		}
		if a.sameName != b.sameName {
			if a.sameName {
				return -1
			}
			return 1
		}
		return 0
	})
	for _, copies := range []bool{false, true} {
		if copies && !d.limit.copies {
			return
		}
		for _, c := range list {
			if !d.paired(c.to) && (copies || !d.used[c.from] && d.list[c.from].status == 'D') {
				d.pair(c.from, c.to, c.score)
			}
		}
	}
}

// similarity compares the content of two files.
func (d *renameSearch) similarity(from, to, least int) int {
	a, b := &d.list[from].old, &d.list[to].new
	if !a.mode.IsRegular() || !b.mode.IsRegular() {
		return 0
	}
	x, err := d.load(from, a)
	if err != nil {
		return 0
	}
	y, err := d.load(-1-to, b)
	if err != nil || max(x.size, y.size) == 0 {
		return 0
	}
	biggest := max(x.size, y.size)
	if int64(biggest)*int64(maxScore-least) < int64(biggest-min(x.size, y.size))*maxScore {
		return 0
	}
	copied := 0
	for hash, n := range x.count {
		copied += min(n, y.count[hash])
	}
	return int(int64(copied) * maxScore / int64(biggest))
}

// parts is how many bytes of a file are in parts of each hash.
type parts struct {
	size  int
	count map[uint32]int
}

func (d *renameSearch) load(key int, v *version) (parts, error) {
	if p, ok := d.parts[key]; ok {
		return p, nil
	}
	data, err := d.r.content(v)
	if err != nil {
		return parts{}, err
	}
	if len(data) > maxRenameSize {
		return parts{}, object.ErrTooLarge
	}
	p := parts{len(data), hashParts(data, !isBinary(data))}
	d.parts[key] = p
	return p, nil
}

// hashParts cuts a file into lines, long ones into several parts.
func hashParts(data []byte, text bool) map[uint32]int {
	count := map[uint32]int{}
	var a, b uint32
	n := 0
	for i, c := range data {
		if text && c == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			continue
		}
		a, b = a<<7^b>>25, b<<7^a>>25
		a += uint32(c)
		if n++; n < partSize && c != '\n' {
			continue
		}
		count[(a+b*0x61)%hashBase] += n
		n, a, b = 0, 0, 0
	}
	return count
}

// result is the list with the pairs in it.
func (d *renameSearch) result() []change {
	renamed := map[int]bool{} // the last that came of each source is the rename, others are copies
	uses := map[int]int{}
	for _, from := range d.from {
		uses[from]++
	}
	var list []change
	for i := range d.list {
		c := d.list[i]
		if c.status == 'D' && d.used[i] {
			continue
		}
		if from, ok := d.from[i]; ok {
			source := d.list[from]
			uses[from]--
			status := byte('C')
			if source.status == 'D' && uses[from] == 0 && !renamed[from] {
				status, renamed[from] = 'R', true
			}
			c = change{status: status, old: source.old, new: c.new, score: d.score[i]}
		}
		list = append(list, c)
	}
	for i := range list {
		list[i].old.release()
		if !list[i].new.work {
			list[i].new.release()
		}
	}
	return list
}

package git

import (
	"bytes"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/xdiff"
	"openclaw/toolwasm/guest/regex"
)

// prepareChanges sorts, pairs and selects changes by the options.
func (r *repo) prepareChanges(list []change, o *diffOptions) []change {
	if o.reverse {
		for i := range list {
			c := &list[i]
			c.old, c.new = c.new, c.old
			switch c.status {
			case 'A':
				c.status = 'D'
			case 'D':
				c.status = 'A'
			}
		}
	}
	if o.relative != "" {
		list = relativeChanges(list, o.relative)
	}
	list = r.detectRenames(list, o.renames)
	list = r.pick(list, o)
	if o.lines.Flags != 0 || o.lines.IgnoreBlankLines {
		list = r.dropEqual(list, o)
	}
	return filterChanges(list, o.filter)
}

func relativeChanges(list []change, dir string) []change {
	var kept []change
	for _, c := range list {
		if strings.HasPrefix(c.path(), dir) {
			kept = append(kept, c)
		}
	}
	return kept
}

// dropEqual leaves out what has no difference that counts.
func (r *repo) dropEqual(list []change, o *diffOptions) []change {
	const space = xdiff.IgnoreAllSpace | xdiff.IgnoreSpaceChange | xdiff.IgnoreSpaceAtEOL | xdiff.IgnoreCRAtEOL
	if o.lines.Flags&space == 0 && !o.lines.IgnoreBlankLines || !o.patch && !o.stat && !o.numstat && !o.shortstat && !o.exitCode {
		return list
	}
	var kept []change
	for _, c := range list {
		if c.status == 'M' && c.old.mode == c.new.mode {
			a, err := r.content(&c.old)
			r.g.check(err)
			b, err := r.content(&c.new)
			r.g.check(err)
			if !isBinary(a) && !isBinary(b) && len(xdiff.Hunks(xdiff.Lines(a), xdiff.Lines(b), o.lines, r.g.step)) == 0 {
				continue
			}
		}
		kept = append(kept, c)
	}
	return kept
}

// filterChanges keeps the kinds that are asked for; lower-case letters leave kinds out.
func filterChanges(list []change, filter string) []change {
	if filter == "" {
		return list
	}
	include := strings.ToUpper(filter) != filter && strings.ToLower(filter) == filter
	var kept []change
	for _, c := range list {
		ok := include
		for i := range len(filter) {
			switch filter[i] {
			case c.status, '*':
				ok = true
			case c.status | 0x20:
				ok = false
			}
		}
		if ok {
			kept = append(kept, c)
		}
	}
	return kept
}

// pick keeps the changes that -S and -G look for.
func (r *repo) pick(list []change, o *diffOptions) []change {
	if o.pickaxe == "" && o.pickaxeRegex == "" {
		return list
	}
	var re *regex.Regexp
	if pattern := o.pickaxeRegex; pattern != "" || o.pickaxeIsRegex {
		if pattern == "" {
			pattern = o.pickaxe
		}
		re = r.g.compile(pattern, regex.ERE|regex.Newline)
	}
	var kept []change
	for i := range list {
		c := &list[i]
		a, err := r.content(&c.old)
		r.g.check(err)
		b, err := r.content(&c.new)
		r.g.check(err)
		var found bool
		switch {
		case o.pickaxeRegex != "":
			for _, ch := range xdiff.Compare(xdiff.Lines(a), xdiff.Lines(b), o.lines.Flags, r.g.step) {
				la, lb := xdiff.Lines(a), xdiff.Lines(b)
				for _, l := range append(append([][]byte{}, la[ch.A:ch.A+ch.NA]...), lb[ch.B:ch.B+ch.NB]...) {
					found = found || re.Match(bytes.TrimSuffix(l, []byte("\n")), false)
				}
			}
		case re != nil:
			found = countMatches(re, a) != countMatches(re, b)
		default:
			found = bytes.Count(a, []byte(o.pickaxe)) != bytes.Count(b, []byte(o.pickaxe))
		}
		if found {
			kept = append(kept, *c)
		}
	}
	return kept
}

func countMatches(re *regex.Regexp, data []byte) int {
	n := 0
	var loc []int
	for at := 0; at <= len(data); {
		if loc = re.Find(loc, data, at, false); loc == nil {
			return n
		}
		n++
		at = max(loc[1], at+1)
	}
	return n
}

// showChanges prints changes in the formats of the options.
func (r *repo) showChanges(list []change, o *diffOptions) {
	if o.none || len(list) == 0 {
		return
	}
	sep := false
	if o.raw {
		for i := range list {
			r.showRaw(&list[i], o)
		}
		sep = true
	}
	if o.nameOnly || o.nameStatus {
		for i := range list {
			r.showName(&list[i], o)
		}
		sep = true
	}
	if o.stat || o.numstat || o.shortstat {
		r.showStats(list, o)
		sep = true
	}
	if o.summary {
		r.showSummary(list)
		sep = true
	}
	if o.check {
		return
	}
	if !o.patch {
		return
	}
	if sep {
		r.g.print("\n")
	}
	for i := range list {
		r.showPatch(&list[i], o)
	}
}

// end is what follows a name.
func (o *diffOptions) end() string {
	if o.nul {
		return "\x00"
	}
	return "\n"
}

func (r *repo) name(s string, o *diffOptions) string {
	s = strings.TrimPrefix(s, o.relative)
	if o.nul {
		return s
	}
	return r.quote(s)
}

func (r *repo) showName(c *change, o *diffOptions) {
	if o.nameOnly {
		r.g.print(r.name(c.path(), o) + o.end())
		return
	}
	tab := "\t"
	if o.nul {
		tab = "\x00"
	}
	r.g.print(c.letter() + tab)
	if c.status == 'R' || c.status == 'C' {
		r.g.print(r.name(c.old.path, o) + tab)
	}
	r.g.print(r.name(c.path(), o) + o.end())
}

// letter is the status with how alike a pair is.
func (c *change) letter() string {
	if c.status == 'R' || c.status == 'C' {
		return fmt.Sprintf("%c%03d", c.status, c.percent())
	}
	return string(c.status)
}

func (c *change) percent() int { return c.score * 100 / maxScore }

func (r *repo) showRaw(c *change, o *diffOptions) {
	id := func(v *version) string {
		if v.work || v.mode == 0 {
			return strings.Repeat("0", len(r.short(object.ID{}, o)))
		}
		return r.short(v.id, o)
	}
	tab := "\t"
	if o.nul {
		tab = "\x00"
	}
	r.g.printf(":%s %s %s %s %s%s", c.old.mode, c.new.mode, id(&c.old), id(&c.new), c.letter(), tab)
	if c.status == 'R' || c.status == 'C' {
		r.g.print(r.name(c.old.path, o) + tab)
	}
	r.g.print(r.name(c.path(), o) + o.end())
}

// short abbreviates a name as the options say.
func (r *repo) short(id object.ID, o *diffOptions) string {
	if o.fullIndex || o.abbrev >= object.HexLen {
		return id.String()
	}
	n := o.abbrev
	if n == 0 {
		n = r.abbrevLen()
	}
	return r.db.Abbrev(id, n)
}

// abbrevLen is what core.abbrev says, 0 when git is to choose.
func (r *repo) abbrevLen() int {
	v := r.cfg.str("core.abbrev", "auto")
	switch v {
	case "auto":
		return 0
	case "no":
		return object.HexLen
	}
	return r.cfg.number("core.abbrev", 0)
}

func (r *repo) showPatch(c *change, o *diffOptions) {
	if c.status == 'U' {
		if c.combined && r.combinedConflict(c.path(), o) {
			return
		}
		r.g.printf("* Unmerged path %s\n", r.quote(c.path()))
		return
	}
	if c.status == 'T' { // shown as one file that went and another that came
		gone := change{status: 'D', old: c.old, new: version{path: c.old.path}}
		came := change{status: 'A', old: version{path: c.new.path}, new: c.new}
		r.showPatch(&gone, o)
		r.showPatch(&came, o)
		return
	}
	a, err := r.content(&c.old)
	r.g.check(err)
	b, err := r.content(&c.new)
	r.g.check(err)
	r.filePatch(c, a, b, o)
	c.old.release()
	c.new.release()
}

func (r *repo) filePatch(c *change, a, b []byte, o *diffOptions) {
	oldName := r.quote(o.oldPrefix + strings.TrimPrefix(c.old.path, o.relative))
	newName := r.quote(o.newPrefix + strings.TrimPrefix(c.new.path, o.relative))
	var head strings.Builder
	fmt.Fprintf(&head, "diff --git %s %s\n", oldName, newName)
	must := c.status != 'M' // the header says something by itself
	switch {
	case c.old.mode == 0:
		fmt.Fprintf(&head, "new file mode %s\n", c.new.mode)
	case c.new.mode == 0:
		fmt.Fprintf(&head, "deleted file mode %s\n", c.old.mode)
	case c.old.mode != c.new.mode:
		fmt.Fprintf(&head, "old mode %s\nnew mode %s\n", c.old.mode, c.new.mode)
		must = true
	}
	if c.status == 'R' || c.status == 'C' {
		verb := map[byte]string{'R': "rename", 'C': "copy"}[c.status]
		fmt.Fprintf(&head, "similarity index %d%%\n%s from %s\n%s to %s\n", c.percent(),
			verb, r.name(c.old.path, o), verb, r.name(c.new.path, o))
	}
	if bytes.Equal(a, b) && c.old.mode != 0 && c.new.mode != 0 {
		if must {
			r.g.print(head.String())
		}
		return
	}
	fmt.Fprintf(&head, "index %s..%s", r.shortVersion(&c.old, o), r.shortVersion(&c.new, o))
	if c.old.mode == c.new.mode {
		fmt.Fprintf(&head, " %s", c.old.mode)
	}
	head.WriteByte('\n')
	from, to := oldName, newName
	if c.old.mode == 0 {
		from = "/dev/null"
	}
	if c.new.mode == 0 {
		to = "/dev/null"
	}
	if r.shownAsBinary(c, a, b, o) {
		r.g.print(head.String())
		if o.binary {
			r.g.print("GIT binary patch\n")
			r.binaryHunk(b)
			r.binaryHunk(a)
			return
		}
		r.g.printf("Binary files %s and %s differ\n", from, to)
		return
	}
	la, lb := xdiff.Lines(a), xdiff.Lines(b)
	hunks := xdiff.Hunks(la, lb, o.lines, r.g.step)
	if len(hunks) == 0 {
		if must {
			r.g.print(head.String())
		}
		return
	}
	r.g.print(head.String())
	r.g.printf("--- %s\n+++ %s\n", tabName(from), tabName(to))
	if o.wordDiff {
		r.showWords(hunks, la, lb)
		return
	}
	for i := range hunks {
		r.showHunk(&hunks[i], la, lb)
	}
}

// tabName marks the end of a name with blanks, so that patch programs see where it is.
func tabName(s string) string {
	if strings.Contains(s, " ") && !strings.HasPrefix(s, `"`) {
		return s + "\t"
	}
	return s
}

func (r *repo) showHunk(h *xdiff.Hunk, a, b [][]byte) {
	r.g.print(h.Header() + "\n")
	h.Each(a, b, func(mark byte, l []byte) {
		r.g.out.WriteByte(mark)
		r.g.out.Write(l)
		if l[len(l)-1] != '\n' {
			r.g.print(xdiff.NoNewline)
		}
	})
}

func (r *repo) shortVersion(v *version, o *diffOptions) string {
	id := v.id
	if v.mode == 0 {
		id = object.ID{}
	}
	return r.short(id, o)
}

// shownAsBinary reports whether a file is not shown line by line.
func (r *repo) shownAsBinary(c *change, a, b []byte, o *diffOptions) bool {
	if o.text {
		return false
	}
	if r.top != "" && !c.new.file {
		switch attr := r.attrs().Get(c.path(), "diff"); {
		case attr.Unset:
			return true
		case attr.Set:
			return false
		}
	}
	return isBinary(a) || isBinary(b)
}

// quote returns a path as git shows it: in quotes when it holds what could be taken for something else.
func (r *repo) quote(s string) string {
	return quotePath(s, r == nil || r.cfg == nil || r.cfg.on("core.quotepath", true))
}

func quotePath(s string, all bool) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f || c >= 0x80 && all {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if n := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); n >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[n])
			continue
		}
		if c < ' ' || c == 0x7f || c >= 0x80 && all {
			fmt.Fprintf(&b, `\%03o`, c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

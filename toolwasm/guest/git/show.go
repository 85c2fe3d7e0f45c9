package git

import (
	"strings"

	"openclaw/toolwasm/guest/git/object"
)

func cmdShow(g *git) int {
	l := g.parse(logSpec + diffSpec)
	r := g.open()
	o := g.logOptions(r, l)
	if !o.diff.chosen() {
		o.diff.patch = true
	}
	if o.showMerges == "" {
		o.showMerges = "combined"
	}
	o.revs = &revisions{}
	names, paths := r.showNames(l)
	o.specs = r.specs(paths)
	p := &logPrinter{o: o, r: r}
	if len(names) == 0 {
		id, ok := r.head()
		if !ok {
			g.die("your current branch '%s' does not have any commits yet", strings.TrimPrefix(r.branch(), "refs/heads/"))
		}
		names = append(names, "HEAD")
		_ = id
	}
	for _, n := range names {
		if strings.Contains(n, "..") && !strings.Contains(n, ":") {
			v := &revisions{}
			if !r.addRevision(v, n) {
				r.ambiguous(n)
			}
			o.revs = v
			for _, c := range o.list(r) {
				p.commit(c)
			}
			continue
		}
		id, err := r.resolve(n)
		if err != nil {
			r.badRevision(n, err)
		}
		p.object(n, id)
	}
	return 0
}

// showNames tells objects from paths.
func (r *repo) showNames(l line) (names, paths []string) {
	for i, a := range l.args {
		if _, err := r.resolve(a); err == nil || strings.Contains(a, "..") || strings.Contains(a, ":") {
			names = append(names, a)
			continue
		}
		if !l.dash && !r.exists(a) {
			r.ambiguous(a)
		}
		if l.dash {
			r.g.die("bad revision '%s'", a)
		}
		return names, append(append([]string{}, l.args[i:]...), l.paths...)
	}
	return names, l.paths
}

// object shows anything.
func (p *logPrinter) object(name string, id object.ID) {
	kind, data, err := p.r.db.Read(id)
	if err != nil {
		p.r.g.die("bad object %s", name)
	}
	switch kind {
	case object.BlobKind:
		p.r.g.out.Write(data)
	case object.TreeKind:
		if p.shown {
			p.r.g.print("\n")
		}
		p.shown = true
		p.r.g.printf("tree %s\n\n", name)
		entries, err := p.r.db.Tree(id)
		p.r.g.check(err)
		for _, e := range entries {
			n := e.Name
			if e.Mode.IsDir() {
				n += "/"
			}
			p.r.g.print(n + "\n")
		}
	case object.TagKind:
		t, err := object.ParseTag(data)
		p.r.g.check(err)
		if p.shown {
			p.r.g.print("\n")
		}
		p.r.g.printf("tag %s\n", t.Name)
		if t.HasTagger {
			p.r.g.printf("Tagger: %s <%s>\nDate:   %s\n", t.Tagger.Name, t.Tagger.Email, p.r.g.formatDate(t.Tagger, p.o.pretty.date))
		}
		p.r.g.print("\n" + t.Message)
		p.shown = true
		p.object(name, t.Target)
	default:
		c, err := p.r.db.Commit(id)
		p.r.g.check(err)
		if len(p.o.specs) > 0 && len(p.changes(c)) == 0 {
			return
		}
		p.commit(c)
	}
}

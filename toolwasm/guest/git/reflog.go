package git

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

func cmdReflog(g *git) int {
	args := g.args
	if len(args) > 0 {
		switch args[0] {
		case "show":
			args = args[1:]
		case "expire", "delete":
			g.die("'git reflog %s' is not supported here", args[0])
		case "exists":
			r := g.open()
			if len(args) > 1 && r.refs.HasLog(args[1]) {
				return 0
			}
			return 1
		}
	}
	l := g.parseArgs(args, logSpec+diffSpec)
	r := g.open()
	o := g.logOptions(r, l)
	if !l.has("pretty") && !l.has("format") {
		o.pretty.format, o.pretty.terminator, o.pretty.abbrev = "oneline", true, true
	}
	return o.reflogs(r, l)
}

// reflogs shows the changes of a reference, the latest first.
func (o *logOptions) reflogs(r *repo, l line) int {
	name := "HEAD"
	if len(l.args) > 0 {
		name = l.args[0]
	}
	base, at, byIndex := strings.Cut(name, "@{")
	from := 0
	if byIndex {
		if _, err := fmt.Sscanf(at, "%d}", &from); err != nil {
			byIndex = false
		}
	}
	full, ok := r.findRef(base)
	if !ok {
		r.ambiguous(name)
	}
	if base == "HEAD" || base == "@" {
		full = refs.Head
	}
	list, err := r.refs.ReadLog(full)
	if err != nil {
		return 0
	}
	o.revs = &revisions{}
	o.specs = r.specs(l.paths)
	p := &logPrinter{o: o, r: r}
	left := o.limit
	for i := len(list) - 1 - from; i >= 0 && left != 0; i-- {
		e := list[i]
		if e.New == (object.ID{}) {
			continue
		}
		c, err := r.db.Commit(e.New)
		if err != nil {
			continue
		}
		if !o.matches(c) {
			continue
		}
		selector := fmt.Sprintf("%s@{%d}", base, len(list)-1-i)
		if l.has("date") {
			selector = fmt.Sprintf("%s@{%s}", base, r.g.formatDate(e.Who, o.pretty.date))
		}
		o.pretty.reflog = &reflogItem{selector, e.Message, e.Who}
		p.reflogCommit(c)
		left--
	}
	return 0
}

// reflogCommit prints an entry; on one line the message of the log takes the place of the commit's.
func (p *logPrinter) reflogCommit(c *object.Commit) {
	if p.o.pretty.format != "oneline" {
		p.commit(c)
		return
	}
	o := &p.o.pretty
	p.r.g.print(o.id(c.ID) + o.inParens(c.ID) + o.reflogPart(" ") + "\n")
	if p.o.diff.chosen() {
		if list := p.changes(c); len(list) > 0 {
			p.diff(list)
		}
	}
}

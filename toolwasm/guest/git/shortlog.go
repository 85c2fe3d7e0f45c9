package git

import (
	"slices"
	"strings"
)

func cmdShortlog(g *git) int {
	spec := strings.NewReplacer("max-count,n=", "max-count=", "no-patch,s ", "no-patch ", "cc,c ", "cc ").Replace(logSpec + diffSpec)
	l := g.parse(spec + "summary,s numbered,n email,e group= committer-group,c")
	r := g.open()
	o := g.logOptions(r, l)
	o.choose(r, l)
	commits := map[string][]string{}
	for _, c := range o.list(r) {
		who := c.Author
		if l.str("group") == "committer" || l.has("committer-group") {
			who = c.Committer
		}
		name := who.Name
		if l.has("email") {
			name += " <" + who.Email + ">"
		}
		commits[name] = append(commits[name], c.Subject())
	}
	names := make([]string, 0, len(commits))
	for n := range commits {
		names = append(names, n)
	}
	slices.Sort(names)
	if l.has("numbered") {
		slices.SortStableFunc(names, func(a, b string) int { return len(commits[b]) - len(commits[a]) })
	}
	for _, n := range names {
		list := commits[n]
		if l.has("summary") {
			g.printf("%6d\t%s\n", len(list), n)
			continue
		}
		g.printf("%s (%d):\n", n, len(list))
		for _, s := range slices.Backward(list) {
			g.print("      " + s + "\n")
		}
		g.print("\n")
	}
	return 0
}

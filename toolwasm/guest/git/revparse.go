package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

// revParse is one run of rev-parse, which reads its words in order.
type revParse struct {
	g        *git
	r        *repo
	verify   bool
	quiet    bool
	short    int // -1: whole names
	abbrev   string
	symbolic string // "name" or "full"
	dash     bool
	absolute bool
	defaults string
	said     int
}

func cmdRevParse(g *git) int {
	v := &revParse{g: g, short: -1}
	args := g.args
	if len(args) > 0 && (args[0] == "--parseopt" || args[0] == "--sq-quote") {
		g.die("option %s is not supported here", args[0])
	}
	if len(args) == 1 && args[0] == "--is-inside-work-tree" || len(args) == 0 {
		g.open()
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if v.dash || !strings.HasPrefix(a, "-") || a == "-" {
			if status := v.revision(a); status != 0 {
				return status
			}
			continue
		}
		if a == "--default" && i+1 < len(args) {
			i++
			v.defaults = args[i]
			continue
		}
		if a == "--git-path" && i+1 < len(args) {
			i++
			g.print(v.shown(g.open().dir+"/"+args[i]) + "\n")
			continue
		}
		v.option(a)
	}
	if v.said == 0 && v.defaults != "" {
		return v.revision(v.defaults)
	}
	if v.verify && v.said == 0 {
		v.needOne()
	}
	return 0
}

func (v *revParse) needOne() {
	if v.quiet {
		v.g.close()
		v.g.p.Exit(1)
	}
	v.g.die("Needed a single revision")
}

func (v *revParse) option(a string) {
	name, value, hasValue := strings.Cut(a, "=")
	switch name {
	case "--":
		v.dash = true
		v.g.print("--\n")
	case "--verify":
		v.verify = true
	case "-q", "--quiet":
		v.quiet = true
	case "--short":
		v.short = 0
		v.verify = true
		if hasValue {
			v.short = v.g.number(value)
		}
	case "--abbrev-ref":
		v.abbrev = "loose"
		if hasValue {
			v.abbrev = value
		}
	case "--symbolic":
		v.symbolic = "name"
	case "--symbolic-full-name":
		v.symbolic = "full"
	case "--path-format":
		v.absolute = value == "absolute"
	case "--revs-only", "--no-revs", "--flags", "--no-flags", "--sq":
	case "--all", "--branches", "--tags", "--remotes":
		prefix := map[string]string{"--all": "refs/", "--branches": refs.Heads, "--tags": refs.Tags, "--remotes": "refs/remotes/"}[name]
		for _, ref := range v.open().refs.List(prefix) {
			v.show(ref.Name, ref.ID)
		}
	default:
		if !v.place(name) {
			v.g.print(a + "\n")
		}
	}
}

func (v *revParse) open() *repo {
	if v.r == nil {
		v.r = v.g.open()
	}
	return v.r
}

// shown is a path below the current directory as seen from there.
func (v *revParse) shown(name string) string {
	if v.absolute {
		return name
	}
	dir := cleanPath(v.g.p.Dir)
	if name == dir {
		return "."
	}
	if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/"); ok {
		return rest
	}
	return name
}

// place answers where the repository is.
func (v *revParse) place(name string) bool {
	yes := func(b bool) string {
		if b {
			return "true"
		}
		return "false"
	}
	text := ""
	switch name {
	case "--show-toplevel":
		r := v.open()
		if r.top == "" {
			v.g.die("this operation must be run in a work tree")
		}
		text = r.top
	case "--git-dir":
		text = v.shown(v.open().dir)
	case "--absolute-git-dir":
		text = v.open().dir
	case "--git-common-dir":
		r := v.open()
		text = v.shown(r.common)
		if r.prefix != "" && !v.absolute && r.common == r.dir {
			text = strings.Repeat("../", strings.Count(r.prefix, "/")) + ".git"
		}
	case "--is-inside-work-tree":
		r := v.open()
		text = yes(r.top != "" && strings.HasPrefix(cleanPath(v.g.p.Dir)+"/", r.top+"/"))
	case "--is-inside-git-dir":
		text = yes(strings.HasPrefix(cleanPath(v.g.p.Dir)+"/", v.open().dir+"/"))
	case "--is-bare-repository":
		text = yes(v.open().cfg.on("core.bare", false))
	case "--is-shallow-repository":
		_, shallow := v.open().readFile("shallow")
		text = yes(shallow)
	case "--show-prefix":
		text = v.open().prefix
	case "--show-cdup":
		text = strings.Repeat("../", strings.Count(v.open().prefix, "/"))
	case "--show-object-format":
		text = "sha1"
	case "--show-superproject-working-tree":
		return true
	default:
		return false
	}
	v.g.print(text + "\n")
	v.said++
	return true
}

func (v *revParse) revision(a string) int {
	r := v.open()
	if v.verify && v.said > 0 {
		v.needOne()
	}
	if i := strings.Index(a, ".."); i >= 0 && !strings.Contains(a[:i], ":") {
		if v.rangeOf(a, i) {
			return 0
		}
	}
	if rest, ok := strings.CutPrefix(a, "^"); ok {
		if id, err := r.resolve(rest); err == nil {
			v.g.print("^" + v.name(id) + "\n")
			v.said++
			return 0
		}
	}
	if base, ok := strings.CutSuffix(a, "^@"); ok {
		if id, found := r.tryCommit(base); found {
			c, err := r.db.Commit(id)
			v.g.check(err)
			for _, p := range c.Parents {
				v.g.print(v.name(p) + "\n")
			}
			v.said++
			return 0
		}
	}
	id, err := r.resolve(a)
	if err == nil && !(len(a) == object.HexLen) && v.verify {
		if _, _, ierr := r.db.Info(id); ierr != nil {
			err = ierr
		}
	}
	if err != nil {
		if full, ok := r.findRef(a); ok && v.abbrev != "" {
			_ = full
		}
		if v.verify {
			v.needOne()
		}
		if !v.dash && r.exists(a) {
			v.g.print(a + "\n")
			return 0
		}
		if v.dash {
			v.g.print(a + "\n")
			return 0
		}
		if a == "HEAD" || slices.Contains([]string{"@"}, a) {
			v.g.print(a + "\n")
		} else if !strings.ContainsAny(a, "{") {
			v.g.print(a + "\n")
		}
		r.badRevision(a, err)
	}
	v.show(a, id)
	return 0
}

func (v *revParse) rangeOf(a string, at int) bool {
	from, to, three := a[:at], a[at+2:], false
	if strings.HasPrefix(to, ".") {
		to, three = to[1:], true
	}
	if from == "" {
		from = "HEAD"
	}
	if to == "" {
		to = "HEAD"
	}
	x, err1 := v.r.resolve(from)
	y, err2 := v.r.resolve(to)
	if err1 != nil || err2 != nil {
		return false
	}
	v.said++
	v.g.print(v.name(y) + "\n")
	if !three {
		v.g.print("^" + v.name(x) + "\n")
		return true
	}
	v.g.print(v.name(x) + "\n")
	for _, base := range v.r.mergeBases(x, y) {
		v.g.print("^" + v.name(base) + "\n")
	}
	return true
}

func (v *revParse) name(id object.ID) string {
	if v.short >= 0 {
		return v.r.db.Abbrev(id, v.short)
	}
	return id.String()
}

// show prints an object, or the name of its reference.
func (v *revParse) show(a string, id object.ID) {
	v.said++
	if v.abbrev == "" && v.symbolic == "" {
		v.g.print(v.name(id) + "\n")
		return
	}
	full, ok := v.r.findRef(a)
	if strings.Contains(a, "@{") {
		full, ok = v.r.symbolicAt(a)
	}
	if !ok {
		if v.symbolic == "name" {
			v.g.print(a + "\n")
		}
		if v.abbrev != "" || v.symbolic == "full" {
			if _, isID := object.ParseID(a); !isID && v.abbrev != "" {
				v.g.print("\n")
			}
		}
		return
	}
	if v.symbolic == "name" {
		v.g.print(a + "\n")
		return
	}
	for range 5 {
		_, target, err := v.r.refs.Raw(full)
		if err != nil || target == "" {
			break
		}
		full = target
	}
	if v.abbrev != "" {
		full = shortRef(full)
	}
	v.g.print(full + "\n")
}

// symbolicAt returns the reference that "@{-1}" or "@{u}" stands for.
func (r *repo) symbolicAt(a string) (string, bool) {
	name, what, _ := strings.Cut(a, "@{")
	what = strings.TrimSuffix(what, "}")
	if strings.HasPrefix(what, "-") {
		to, err := r.previousBranch(what[1:])
		return refs.Heads + to, err == nil
	}
	branch := strings.TrimPrefix(r.branch(), refs.Heads)
	if name != "" && name != "HEAD" {
		branch = name
	}
	return r.upstreamRef(branch)
}

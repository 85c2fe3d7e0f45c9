package git

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/sys"

	"github.com/go-git/go-git/v5/plumbing"
)

func cmdCatFile(g *git) int {
	l := g.parse("t s e p batch? batch-check? textconv filters allow-unknown-type path= batch-all-objects unordered buffer follow-symlinks")
	r := g.open()
	args := l.operands()
	if l.has("batch") || l.has("batch-check") {
		return r.catBatch(l)
	}
	kind := object.Kind(0)
	if !l.has("t") && !l.has("s") && !l.has("e") && !l.has("p") {
		if len(args) != 2 {
			g.usageError("wrong number of arguments")
		}
		k, err := plumbing.ParseObjectType(args[0])
		if err != nil {
			g.die("invalid object type \"%s\"", args[0])
		}
		kind, args = k, args[1:]
	}
	if len(args) != 1 {
		g.usageError("wrong number of arguments")
	}
	id, err := r.resolve(args[0])
	if err != nil {
		if strings.Contains(args[0], ":") {
			g.die("%v", err)
		}
		g.die("Not a valid object name %s", args[0])
	}
	if kind != 0 {
		if id, err = r.peel(id, kind); err != nil {
			g.die("git cat-file %s: bad file", args[0])
		}
	}
	got, size, err := r.db.Info(id)
	if err != nil {
		if l.has("e") {
			return 1
		}
		g.die("git cat-file: could not get object info")
	}
	switch {
	case l.has("e"):
	case l.has("t"):
		g.printf("%s\n", got)
	case l.has("s"):
		g.printf("%d\n", size)
	default:
		r.catObject(id, got, l.has("p"))
	}
	return 0
}

func (r *repo) catObject(id object.ID, kind object.Kind, pretty bool) {
	if kind == object.TreeKind && pretty {
		entries, err := r.db.Tree(id)
		r.g.check(err)
		for _, e := range entries {
			r.g.printf("%s %s %s\t%s\n", e.Mode, e.Mode.Kind(), e.ID, r.quote(e.Name))
		}
		return
	}
	_, data, err := r.db.Read(id)
	r.g.check(err)
	r.g.out.Write(data)
}

// catBatch answers for each line of standard input.
func (r *repo) catBatch(l line) int {
	in := bufio.NewScanner(r.g.p.Stdin)
	in.Buffer(nil, maxMessage)
	for in.Scan() {
		r.g.step()
		id, err := r.resolve(in.Text())
		var kind object.Kind
		var size int64
		if err == nil {
			kind, size, err = r.db.Info(id)
		}
		if err != nil {
			r.g.printf("%s missing\n", in.Text())
			continue
		}
		r.g.printf("%s %s %d\n", id, kind, size)
		if l.has("batch") {
			r.catObject(id, kind, false)
			r.g.print("\n")
		}
	}
	return 0
}

func cmdHashObject(g *git) int {
	l := g.parse("w t= stdin stdin-paths no-filters literally path=")
	kind := object.BlobKind
	if t, ok := l.get("t"); ok {
		k, err := plumbing.ParseObjectType(t)
		if err != nil {
			g.die("invalid object type \"%s\"", t)
		}
		kind = k
	}
	var r *repo
	if l.has("w") {
		r = g.open()
	}
	hash := func(data []byte) {
		if r == nil {
			g.printf("%s\n", object.Hash(kind, data))
			return
		}
		id, err := r.db.Write(kind, data)
		g.check(err)
		g.printf("%s\n", id)
	}
	if l.has("stdin") {
		data, err := io.ReadAll(io.LimitReader(g.p.Stdin, object.MaxSize+1))
		g.check(err)
		if len(data) > object.MaxSize {
			g.dieErr(object.ErrTooLarge)
		}
		hash(data)
	}
	for _, name := range l.operands() {
		data, err := g.p.ReadFile(name)
		if err != nil {
			g.die("could not open '%s' for reading: %s", name, strerror(err))
		}
		hash(data)
	}
	return 0
}

func cmdWriteTree(g *git) int {
	g.parse("missing-ok prefix=")
	r := g.open()
	g.printf("%s\n", r.writeTree())
	return 0
}

func cmdSymbolicRef(g *git) int {
	l := g.parse("short quiet,q delete,d m= recurse no-recurse")
	r := g.open()
	args := l.operands()
	switch {
	case len(args) == 2:
		if !strings.HasPrefix(args[1], "refs/") {
			g.die("Refusing to point %s outside of refs/", args[0])
		}
		g.check(r.refs.SetSymbolic(args[0], args[1]))
	case len(args) == 1 && l.has("delete"):
		g.check(r.refs.Delete(args[0]))
	case len(args) == 1:
		_, target, err := r.refs.Raw(args[0])
		if err != nil || target == "" {
			if l.has("quiet") {
				return 1
			}
			g.die("ref %s is not a symbolic ref", args[0])
		}
		if l.has("short") {
			target = shortRef(target)
		}
		g.print(target + "\n")
	default:
		g.usageError("wrong number of arguments")
	}
	return 0
}

func cmdUpdateRef(g *git) int {
	l := g.parse("d m= no-deref stdin create-reflog z")
	r := g.open()
	args := l.operands()
	if l.has("stdin") || len(args) == 0 || len(args) == 1 && !l.has("d") {
		g.usageError("wrong number of arguments")
	}
	name := args[0]
	if !l.has("no-deref") {
		if _, last, err := r.refs.Resolve(name); err == nil {
			name = last
		} else if _, target, err := r.refs.Raw(name); err == nil && target != "" {
			name = target
		}
	}
	before, _, _ := r.refs.Resolve(name)
	old := args[1:]
	if !l.has("d") {
		old = args[2:]
	}
	if len(old) > 0 {
		want, ok := object.ParseID(old[0])
		if !ok {
			want, _ = r.resolve(old[0])
		}
		if want != before {
			g.die("update_ref failed for ref '%s': cannot lock ref '%s': is at %s but expected %s", args[0], args[0], before, want)
		}
	}
	if l.has("d") {
		g.check(r.refs.Delete(name))
		return 0
	}
	id, err := r.resolve(args[1])
	if err != nil {
		g.die("%s: not a valid SHA1", args[1])
	}
	if _, _, err := r.db.Info(id); err != nil {
		g.die("update_ref failed for ref '%s': cannot update ref '%s': trying to write ref '%s' with nonexistent object %s", args[0], name, name, id)
	}
	g.check(r.refs.Set(name, id))
	r.logRef(name, before, id, l.str("m"))
	if name == r.branch() {
		r.logRef(refs.Head, before, id, l.str("m"))
	}
	return 0
}

func cmdShowRef(g *git) int {
	l := g.parse("head heads tags verify hash,s? dereference,d abbrev? quiet,q exclude-existing?")
	r := g.open()
	args := l.operands()
	found := false
	show := func(name string, id object.ID) {
		found = true
		if l.has("quiet") {
			return
		}
		text := id.String()
		if n, ok := l.get("hash"); ok {
			if n != "" {
				text = r.db.Abbrev(id, g.number(n))
			}
			g.print(text + "\n")
			return
		}
		g.print(text + " " + name + "\n")
		if l.has("dereference") {
			if peeled, err := r.peel(id, 0); err == nil && peeled != id {
				g.print(peeled.String() + " " + name + "^{}\n")
			}
		}
	}
	if l.has("verify") {
		for _, a := range args {
			id, _, err := r.refs.Resolve(a)
			if err != nil {
				if l.has("quiet") {
					return 1
				}
				g.die("'%s' - not a valid ref", a)
			}
			show(a, id)
		}
		return 0
	}
	if id, ok := r.head(); ok && l.has("head") {
		show("HEAD", id)
	}
	for _, ref := range r.refs.List("refs/") {
		if l.has("heads") || l.has("tags") {
			if !(l.has("heads") && strings.HasPrefix(ref.Name, refs.Heads)) && !(l.has("tags") && strings.HasPrefix(ref.Name, refs.Tags)) {
				continue
			}
		}
		ok := len(args) == 0
		for _, a := range args {
			ok = ok || ref.Name == a || strings.HasSuffix(ref.Name, "/"+a)
		}
		if ok {
			show(ref.Name, ref.ID)
		}
	}
	if !found {
		return 1
	}
	return 0
}

func cmdMergeBase(g *git) int {
	l := g.parse("all,a is-ancestor octopus independent fork-point")
	r := g.open()
	args := l.operands()
	if len(args) < 2 {
		g.usageError("wrong number of arguments")
	}
	a, b := r.commitOf(args[0]), r.commitOf(args[1])
	if l.has("is-ancestor") {
		if r.isAncestor(a, b) {
			return 0
		}
		return 1
	}
	bases := r.mergeBases(a, b)
	if len(bases) == 0 {
		return 1
	}
	if !l.has("all") {
		bases = bases[:1]
	}
	for _, id := range bases {
		g.printf("%s\n", id)
	}
	return 0
}

func cmdCheckIgnore(g *git) int {
	l := g.parse("quiet,q verbose,v stdin z non-matching,n no-index")
	r := g.openTree()
	names := l.operands()
	if l.has("stdin") {
		in := bufio.NewScanner(g.p.Stdin)
		for in.Scan() {
			names = append(names, in.Text())
		}
	}
	status := 1
	for _, arg := range names {
		s := r.specs([]string{arg})[0]
		info, err := r.lstat(s.Path)
		dir := err == nil && info.IsDir() || strings.HasSuffix(arg, "/")
		if !l.has("no-index") && r.index().Has(s.Path) {
			continue
		}
		src, ok := r.ignore().Explain(s.Path, dir)
		if ok && (!src.Negated || l.has("verbose")) {
			status = 0
			if l.has("quiet") {
				continue
			}
			if l.has("verbose") {
				g.printf("%s:%d:%s\t", relativeFile(r, src.File), src.Line, src.Pattern)
			}
			g.print(r.quote(arg) + "\n")
			continue
		}
		if l.has("verbose") && l.has("non-matching") {
			g.print("::\t" + r.quote(arg) + "\n")
		}
	}
	return status
}

func relativeFile(r *repo, name string) string {
	return strings.TrimPrefix(name, strings.TrimSuffix(r.top, "/")+"/")
}

func cmdUpdateIndex(g *git) int {
	l := g.parse("add remove force-remove refresh really-refresh assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree chmod= cacheinfo q quiet index-info stdin")
	r := g.openTree()
	if l.has("index-info") || l.has("stdin") || l.has("cacheinfo") {
		g.die("'git update-index' takes files and --refresh, --chmod, --assume-unchanged and --skip-worktree here")
	}
	r.lockIndex()
	if l.has("refresh") || l.has("really-refresh") {
		r.refreshAll()
	}
	a := adder{r: r}
	for _, name := range l.operands() {
		s := r.specs([]string{name})
		e := r.index().Get(s[0].Path)
		switch {
		case l.has("force-remove"):
			r.index().Remove(s[0].Path)
			continue
		case e == nil && !l.has("add"):
			g.errorf("error: %s: cannot add to the index - missing --add option?\n", name)
			g.die("Unable to process path %s", name)
		case e != nil && (l.has("assume-unchanged") || l.has("no-assume-unchanged")):
			e.AssumeValid = l.has("assume-unchanged")
			continue
		case e != nil && (l.has("skip-worktree") || l.has("no-skip-worktree")):
			e.SkipWorktree = l.has("skip-worktree")
			continue
		}
		info, err := r.lstat(s[0].Path)
		if err != nil {
			if !l.has("remove") {
				g.errorf("error: %s: does not exist and --remove not passed\n", name)
				g.die("Unable to process path %s", name)
			}
			r.index().Remove(s[0].Path)
			continue
		}
		r.index().Put(a.entry(s[0].Path, info, 0))
		if mode := l.str("chmod"); mode != "" {
			a.specs = []match.Spec{match.Exact(s[0].Path)}
			a.chmod(mode)
		}
	}
	r.saveIndex()
	return 0
}

func cmdCountObjects(g *git) int {
	l := g.parse("verbose,v human-readable,H")
	r := g.open()
	count, blocks := 0, int64(0)
	for i := range 256 {
		dir := r.common + "/objects/" + fmt.Sprintf("%02x", i)
		entries, _ := sys.ReadDir(dir)
		for _, e := range entries {
			if len(e.Name()) != object.HexLen-2 {
				continue
			}
			count++
			if info, err := sys.Lstat(dir + "/" + e.Name()); err == nil {
				blocks += info.Blocks
			}
		}
	}
	if l.has("verbose") {
		g.printf("count: %d\nsize: %d\n", count, blocks/2)
		return 0
	}
	g.printf("%d objects, %d kilobytes\n", count, blocks/2)
	return 0
}

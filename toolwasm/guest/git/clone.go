package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/sys"
)

func itoa(n int) string { return strconv.Itoa(n) }

func cmdClone(g *git) int {
	l := g.parse("quiet,q verbose,v bare mirror no-checkout,n branch,b= origin,o= local,l no-local no-hardlinks shared,s depth= single-branch no-single-branch " +
		"no-tags recurse-submodules? recursive reference= template= progress config,c= filter= separate-git-dir= sparse shallow-submodules dissociate jobs,j=")
	args := l.operands()
	if len(args) == 0 || len(args) > 2 {
		g.usageError("You must specify a repository to clone.")
	}
	for _, o := range []string{"depth", "reference", "filter", "separate-git-dir", "mirror", "sparse"} {
		if l.has(o) {
			g.die("option --%s is not supported here", o)
		}
	}
	source := args[0]
	if isURL(source) {
		g.die("there is no network here: 'git clone' copies a repository in the workspace, '%s' is not a path", source)
	}
	source = strings.TrimPrefix(source, "file://")
	from, ok := findSource(cleanPath(g.p.Path(source)))
	if !ok {
		g.die("repository '%s' does not exist", source)
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(cleanPath(g.p.Path(source))), "/.git"), ".git")
	if path.Base(source) == ".git" {
		name = path.Base(path.Dir(cleanPath(g.p.Path(source))))
	}
	if l.has("bare") {
		name += ".git"
	}
	if len(args) == 2 {
		name = args[1]
	}
	c := &cloning{g: g, l: l, from: from, source: cleanPath(g.p.Path(source)), name: name, dir: cleanPath(g.p.Path(name))}
	return c.run()
}

// isURL reports whether a name is that of a repository elsewhere.
func isURL(s string) bool {
	if strings.HasPrefix(s, "file://") {
		return false
	}
	if strings.Contains(s, "://") {
		return true
	}
	colon, slash := strings.IndexByte(s, ':'), strings.IndexByte(s, '/')
	return colon > 0 && (slash < 0 || colon < slash)
}

// findSource returns the git directory of a repository.
func findSource(name string) (string, bool) {
	for _, dir := range []string{name + "/.git", name, name + ".git"} {
		if link, ok := followLink(dir); ok {
			dir = link
		}
		if isGitDir(dir) {
			return commonDir(dir), true
		}
	}
	return "", false
}

// cloning copies a repository.
type cloning struct {
	g            *git
	l            line
	from, source string
	name, dir    string
}

func (c *cloning) run() int {
	g := c.g
	if entries, err := sys.ReadDir(c.dir); err == nil && len(entries) > 0 {
		g.die("destination path '%s' already exists and is not an empty directory.", c.name)
	}
	if !c.l.has("quiet") {
		if c.l.has("bare") {
			g.errorf("Cloning into bare repository '%s'...\n", c.name)
		} else {
			g.errorf("Cloning into '%s'...\n", c.name)
		}
	}
	source := refs.Open(c.from, c.from, g.p.Umask)
	_, target, err := source.Raw(refs.Head)
	branch := strings.TrimPrefix(target, refs.Heads)
	if b, ok := c.l.get("branch"); ok {
		branch = b
		if !source.Exists(refs.Heads+b) && !source.Exists(refs.Tags+b) {
			g.errorf("warning: Could not find remote branch %s to clone.\n", b)
			g.die("Remote branch %s not found in upstream %s", b, c.remote())
		}
	} else if err != nil || branch == "" {
		branch = g.defaultBranch()
	}
	gitDir := c.dir + "/.git"
	if c.l.has("bare") {
		gitDir = c.dir
	}
	g.check(g.mkdirAll(c.dir))
	g.create(gitDir, branch, c.l.has("bare"))
	c.copyObjects(c.from+"/objects", gitDir+"/objects", 0)
	return c.finish(source, gitDir, branch)
}

func (c *cloning) remote() string { return c.l.strOr("origin", "origin") }

func (f flags) strOr(name, otherwise string) string {
	if s, ok := f.get(name); ok {
		return s
	}
	return otherwise
}

// finish makes the references and the working tree.
func (c *cloning) finish(source *refs.Store, gitDir, branch string) int {
	g := c.g
	top := c.dir
	if c.l.has("bare") {
		top = ""
	}
	g.repo = nil
	r, err := g.openAt(gitDir, top)
	g.check(err)
	remote := c.remote()
	var configured error
	if !c.l.has("bare") {
		configured = errors.Join(r.setLocal("remote."+remote+".url", c.source), r.setLocal("remote."+remote+".fetch", "+refs/heads/*:refs/remotes/"+remote+"/*"))
	} else {
		configured = r.setLocal("remote."+remote+".url", c.source)
	}
	list := source.List("refs/")
	for _, ref := range list {
		if !r.db.Has(ref.ID) {
			continue
		}
		name, isHead := strings.CutPrefix(ref.Name, refs.Heads)
		switch {
		case isHead && c.l.has("bare"):
			g.check(r.refs.Set(ref.Name, ref.ID))
		case isHead:
			if !c.l.has("single-branch") || name == branch {
				g.check(r.refs.Set("refs/remotes/"+remote+"/"+name, ref.ID))
			}
		case strings.HasPrefix(ref.Name, refs.Tags) && !c.l.has("no-tags"):
			g.check(r.refs.Set(ref.Name, ref.ID))
		}
	}
	for _, set := range c.l.all("config") {
		key, value, _ := strings.Cut(set, "=")
		if canonical := g.configKey(key); configured == nil {
			configured = r.setLocal(canonical, value)
		}
	}
	if len(list) == 0 && !c.l.has("quiet") {
		g.errorf("warning: You appear to have cloned an empty repository.\n")
	}
	c.checkout(source, r, branch, configured == nil)
	if configured != nil {
		g.errorf("warning: the configuration of the clone could not be written; it does not know where it came from\n")
	}
	if !c.l.has("quiet") {
		g.errorf("done.\n")
	}
	return 0
}

func (c *cloning) checkout(source *refs.Store, r *repo, branch string, configured bool) {
	g := c.g
	id, _, err := source.Resolve(refs.Heads + branch)
	remote := c.remote()
	message := "clone: from " + c.source
	switch {
	case err == nil:
		if !c.l.has("bare") {
			if _, target, err := source.Raw(refs.Head); err == nil && target != "" && !c.l.has("single-branch") {
				g.check(r.refs.SetSymbolic("refs/remotes/"+remote+"/HEAD", "refs/remotes/"+remote+"/"+strings.TrimPrefix(target, refs.Heads)))
			}
			g.check(r.refs.Set(refs.Heads+branch, id))
			r.logRef(refs.Heads+branch, object.ID{}, id, message)
			r.logRef(refs.Head, object.ID{}, id, message)
			if configured {
				_ = r.track(branch, "refs/remotes/"+remote+"/"+branch)
			}
		}
	default:
		tag, _, terr := source.Resolve(refs.Tags + branch)
		head, _, herr := source.Resolve(refs.Head)
		switch {
		case terr == nil && c.l.has("branch"):
			commit, err := r.peel(tag, object.CommitKind)
			g.check(err)
			id = commit
		case herr == nil && r.db.Has(head):
			id = head
		default:
			return
		}
		g.check(r.refs.Set(refs.Head, id))
		r.logRef(refs.Head, object.ID{}, id, message)
	}
	if !c.l.has("bare") && !c.l.has("no-checkout") {
		r.resetHard(r.treeOf(id))
	}
}

// copyObjects copies the files of an object database: by a second name where that can be.
func (c *cloning) copyObjects(from, to string, depth int) {
	const deepest = 3
	if depth > deepest {
		return
	}
	g := c.g
	entries, err := sys.ReadDir(from)
	g.check(err)
	for _, e := range entries {
		g.step()
		source, target := from+"/"+e.Name(), to+"/"+e.Name()
		switch {
		case e.IsDir() && e.Name() != "info":
			g.check(g.mkdirAll(target))
			c.copyObjects(source, target, depth+1)
		case e.Type().IsRegular() && !slices.Contains([]string{".keep", ".lock", ".tmp"}, path.Ext(e.Name())):
			g.check(g.copyFile(source, target))
		}
	}
}

func (g *git) copyFile(from, to string) error {
	if _, err := sys.Lstat(to); err == nil {
		return nil
	}
	in, err := sys.OpenFile(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	const readOnly = fs.FileMode(0o444)
	out, err := sys.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, readOnly)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

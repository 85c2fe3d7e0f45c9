package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"openclaw/toolwasm/guest/git/config"
	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/sys"
)

// repo is an open repository.
type repo struct {
	g      *git
	top    string // of the working tree; "" when there is none
	dir    string // the git directory
	common string // that of all working trees
	prefix string // the current directory below top, "" or with a slash at its end
	db     *object.DB
	refs   *refs.Store
	cfg    *settings
	idx    *index.Index

	ignores    *match.Ignores
	attributes *match.Attributes
	known      map[string]bool // whether a directory is one, and no link
}

func (r *repo) close() { r.db.Close() }

// open finds the repository that the current directory is in.
func (g *git) open() *repo {
	r, err := g.discover()
	if err != nil {
		g.dieErr(err)
	}
	if r == nil {
		g.die("not a git repository (or any of the parent directories): .git")
	}
	return r
}

// openTree is open for commands that need a working tree.
func (g *git) openTree() *repo {
	r := g.open()
	if r.top == "" {
		g.die("this operation must be run in a work tree")
	}
	return r
}

// discover returns nil when there is no repository.
func (g *git) discover() (*repo, error) {
	if g.repo != nil {
		return g.repo, nil
	}
	dir, top := g.gitDir, g.workTree
	if dir == "" {
		dir, _ = g.p.Env.Get("GIT_DIR")
	}
	if top == "" {
		top, _ = g.p.Env.Get("GIT_WORK_TREE")
	}
	if dir != "" {
		dir = cleanPath(g.p.Path(dir))
		if link, ok := followLink(dir); ok {
			dir = link
		}
		if !isGitDir(dir) {
			g.die("not a git repository: '%s'", dir)
		}
		if top == "" {
			top = g.p.Dir
		}
		return g.openAt(dir, cleanPath(g.p.Path(top)))
	}
	for at := cleanPath(g.p.Dir); ; at = path.Dir(at) {
		dotGit := joinPath(at, ".git")
		if isGitDir(dotGit) {
			return g.openAt(dotGit, at)
		}
		if target, ok := followLink(dotGit); ok {
			if !isGitDir(target) {
				g.die("not a git repository: %s", target)
			}
			return g.openAt(target, at)
		}
		if isGitDir(at) {
			if path.Base(at) == ".git" {
				return g.openAt(at, "")
			}
			return g.openAt(at, "")
		}
		if at == "/" {
			return nil, nil
		}
	}
}

// maxLinkFile bounds a file that says where a git directory is.
const maxLinkFile = 4096

// followLink reads the file ".git" of a further working tree or a submodule.
func followLink(file string) (string, bool) {
	info, err := sys.Stat(file)
	if err != nil || !info.IsRegular() || info.Size > maxLinkFile {
		return "", false
	}
	data, err := sys.ReadFile(file)
	if err != nil {
		return "", false
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", false
	}
	if !path.IsAbs(target) {
		target = joinPath(path.Dir(file), target)
	}
	return cleanPath(target), true
}

func isGitDir(dir string) bool {
	if _, err := sys.Lstat(dir + "/HEAD"); err != nil {
		return false
	}
	common := commonDir(dir)
	for _, name := range []string{"objects", "refs"} {
		if info, err := sys.Stat(common + "/" + name); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// commonDir returns the git directory that working trees share.
func commonDir(dir string) string {
	data, err := sys.ReadFile(dir + "/commondir")
	if err != nil || len(data) > maxLinkFile {
		return dir
	}
	target := strings.TrimRight(string(data), "\r\n")
	if !path.IsAbs(target) {
		target = joinPath(dir, target)
	}
	return cleanPath(target)
}

func (g *git) openAt(dir, top string) (*repo, error) {
	r := &repo{g: g, dir: dir, common: commonDir(dir), top: top, known: map[string]bool{}}
	cfg, err := g.loadConfig(r.common, r.dir)
	if err != nil {
		return nil, err
	}
	r.cfg = cfg
	if v := cfg.str("core.repositoryformatversion", "0"); v != "0" && v != "1" {
		g.die("Expected git repo version <= 1, found %s", v)
	}
	if format := cfg.str("extensions.objectformat", "sha1"); format != "sha1" {
		g.die("this repository names its objects by %s, which is not supported here", format)
	}
	if bare, ok := cfg.boolean("core.bare"); ok && bare && g.workTree == "" {
		r.top = ""
	} else if top == "" && path.Base(dir) != ".git" && g.workTree == "" {
		r.top = ""
	}
	if tree, ok := cfg.get("core.worktree"); ok && g.workTree == "" && tree != "" {
		if !path.IsAbs(tree) {
			tree = joinPath(dir, tree)
		}
		r.top = cleanPath(tree)
	}
	if r.top != "" {
		below, ok := strings.CutPrefix(cleanPath(g.p.Dir)+"/", strings.TrimSuffix(r.top, "/")+"/")
		if ok {
			r.prefix = below
		}
	}
	r.db = object.Open(r.common+"/objects", g.p.Umask, g.step)
	r.refs = refs.Open(dir, r.common, g.p.Umask)
	g.repo = r
	return r, nil
}

// maxIndex bounds the index that is read.
const maxIndex = 512 << 20

// index returns the index, read when it is first asked for.
func (r *repo) index() *index.Index {
	if r.idx != nil {
		return r.idx
	}
	r.idx = &index.Index{Version: 2}
	file := r.indexPath()
	info, err := sys.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r.idx
	}
	r.g.check(err)
	if info.Size > maxIndex {
		r.g.die("%s: index file is too large", file)
	}
	data, err := sys.ReadFile(file)
	r.g.check(err)
	if len(data) == 0 {
		return r.idx
	}
	idx, err := index.Decode(data)
	if err != nil {
		r.g.errorf("error: %v\n", err)
		r.g.die("index file corrupt")
	}
	idx.Stamp = index.Time{Sec: uint32(info.Mtime.Unix()), Nsec: uint32(info.Mtime.Nanosecond())}
	r.idx = idx
	return idx
}

func (r *repo) indexPath() string {
	if file, ok := r.g.p.Env.Get("GIT_INDEX_FILE"); ok && file != "" {
		return r.g.p.Path(file)
	}
	return r.dir + "/index"
}

// lockIndex makes sure that nobody else changes the index until it is saved or the program ends.
func (r *repo) lockIndex() {
	if _, err := sys.Lstat(r.indexPath() + ".lock"); err == nil {
		r.dieLocked(r.indexPath() + ".lock")
	}
}

// saveIndex writes the index.
func (r *repo) saveIndex() {
	r.smudgeRacy()
	r.g.check(refs.WriteAtomic(r.indexPath(), r.idx.Encode(), 0o666&^r.g.p.Umask))
	if info, err := sys.Stat(r.indexPath()); err == nil {
		r.idx.Stamp = index.Time{Sec: uint32(info.Mtime.Unix()), Nsec: uint32(info.Mtime.Nanosecond())}
	}
}

// trySaveIndex keeps what a reading command has learnt of the working tree, when it can.
func (r *repo) trySaveIndex() {
	r.smudgeRacy()
	_ = refs.WriteAtomic(r.indexPath(), r.idx.Encode(), 0o666&^r.g.p.Umask)
}

// smudgeRacy takes the size from entries that changed in the moment in which the old index was written: by their times
// alone they would seem to be unchanged from now on.
func (r *repo) smudgeRacy() {
	for i := range r.idx.Entries {
		e := &r.idx.Entries[i]
		if e.Mode.IsSubmodule() || e.Stage != index.Merged || r.idx.Stamp == (index.Time{}) || e.Mtime.Less(r.idx.Stamp) || e.Size == 0 {
			continue
		}
		info, err := sys.Lstat(r.path(e.Name))
		if err == nil && e.StatMatches(info) && !r.sameContent(e, info) {
			e.Size = 0
		}
	}
}

func (r *repo) dieLocked(lock string) {
	r.g.errorf(`fatal: Unable to create '%s': File exists.

Another git process seems to be running in this repository, e.g.
an editor opened by 'git commit'. Please make sure all processes
are terminated then try again. If it still fails, a git process
may have crashed in this repository earlier:
remove the file manually to continue.
`, lock)
	r.g.close()
	r.g.p.Exit(statusFatal)
}

// dieErr ends the program with an error in git's words, where it has some.
func (g *git) dieErr(err error) {
	var locked *refs.LockedError
	if errors.As(err, &locked) && g.repo != nil {
		g.repo.dieLocked(locked.Path)
	}
	var syntax *config.SyntaxError
	if errors.As(err, &syntax) {
		g.die("bad config line %d in file %s", syntax.Line, strings.TrimSuffix(pathOf(err), ": "))
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		if errors.Is(err, fs.ErrPermission) || strerror(err) == "Read-only file system" || strerror(err) == "Operation not permitted" {
			g.die("cannot write '%s': %s (the sandbox keeps this path as it is)", pe.Path, strerror(err))
		}
		g.die("unable to %s '%s': %s", pe.Op, pe.Path, strerror(err))
	}
	g.die("%v", err)
}

// path returns the absolute path of a file of the working tree.
func (r *repo) path(name string) string { return joinPath(r.top, name) }

// display returns a path as it is shown: relative to the current directory.
func (r *repo) display(name string) string { return relative(r.prefix, name) }

// specs reads pathspecs.
func (r *repo) specs(args []string) []match.Spec {
	if r.g.literal {
		for i := range args {
			args[i] = ":(literal)" + args[i]
		}
	}
	specs, err := match.ParseSpecs(args, r.prefix, r.top)
	if err != nil {
		r.g.die("%v", err)
	}
	return specs
}

// head returns the commit that HEAD names; ok is false before the first one.
func (r *repo) head() (id object.ID, ok bool) {
	id, _, err := r.refs.Resolve(refs.Head)
	return id, err == nil
}

// branch returns the full name of the current branch, "" when HEAD is detached.
func (r *repo) branch() string {
	_, target, err := r.refs.Raw(refs.Head)
	if err != nil {
		return ""
	}
	return target
}

// writeFile writes a file of the git directory by way of a lock.
func (r *repo) writeFile(name, text string) {
	r.g.check(refs.WriteAtomic(r.dir+"/"+name, []byte(text), 0o666&^r.g.p.Umask))
}

// readFile reads a small file of the git directory.
func (r *repo) readFile(name string) (string, bool) {
	info, err := sys.Stat(r.dir + "/" + name)
	if err != nil || info.IsDir() || info.Size > maxMessage {
		return "", false
	}
	data, err := sys.ReadFile(r.dir + "/" + name)
	return string(data), err == nil
}

func (r *repo) removeFiles(names ...string) {
	for _, n := range names {
		_ = sys.Unlink(r.dir + "/" + n)
	}
}

// maxMessage bounds messages and other small files.
const maxMessage = 16 << 20

func strerror(err error) string { return sys.Strerror(err) }

func joinPath(dir, name string) string {
	if name == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

func cleanPath(name string) string { return path.Clean(name) }

// relative returns a path below the top as seen from a directory below it.
func relative(prefix, name string) string {
	if prefix == "" {
		return name
	}
	up := 0
	for prefix != "" && !strings.HasPrefix(name, prefix) {
		if name+"/" == prefix {
			break
		}
		i := strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/') + 1
		prefix = prefix[:i]
		up++
	}
	rest := strings.TrimPrefix(name, prefix)
	if name+"/" == prefix {
		rest = ""
	}
	s := strings.Repeat("../", up) + rest
	if s == "" {
		return "./"
	}
	return s
}

// mkdirAll makes a directory and those above it.
func (g *git) mkdirAll(dir string) error {
	if info, err := sys.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if dir != "/" {
		if err := g.mkdirAll(path.Dir(dir)); err != nil {
			return err
		}
	}
	err := sys.Mkdir(dir, os.ModePerm&^g.p.Umask)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

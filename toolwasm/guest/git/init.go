package git

import (
	"path"
	"strings"

	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/sys"
)

func cmdInit(g *git) int {
	l := g.parse("quiet,q bare initial-branch,b= template? shared? separate-git-dir= object-format=")
	if l.has("separate-git-dir") {
		g.die("option --separate-git-dir is not supported here")
	}
	if f := l.str("object-format"); f != "" && f != "sha1" {
		g.die("object format '%s' is not supported here", f)
	}
	args := l.operands()
	if len(args) > 1 {
		g.usageError("too many directories")
	}
	dir := cleanPath(g.p.Dir)
	if len(args) == 1 {
		dir = cleanPath(g.p.Path(args[0]))
	}
	g.check(g.mkdirAll(dir))
	gitDir := joinPath(dir, ".git")
	if l.has("bare") {
		gitDir = dir
	} else if link, ok := followLink(gitDir); ok {
		gitDir = link
	}
	branch := l.str("initial-branch")
	if branch == "" {
		branch = g.defaultBranch()
	}
	if !refs.ValidName(refs.Heads + branch) {
		g.die("invalid initial branch name: '%s'", branch)
	}
	existed := g.create(gitDir, branch, l.has("bare"))
	if l.has("quiet") {
		return 0
	}
	verb := "Initialized empty"
	if existed {
		verb = "Reinitialized existing"
		if l.has("initial-branch") {
			g.errorf("warning: re-init: ignored --initial-branch=%s\n", branch)
		}
	}
	g.printf("%s Git repository in %s/\n", verb, strings.TrimSuffix(gitDir, "/"))
	return 0
}

func (g *git) defaultBranch() string {
	if name, ok := g.anyConfig().get("init.defaultbranch"); ok && name != "" {
		return name
	}
	return "master"
}

// create makes a repository; existed tells that there was one, which is completed.
func (g *git) create(dir, branch string, bare bool) (existed bool) {
	existed = isGitDir(dir)
	for _, d := range []string{"", "/objects", "/objects/info", "/objects/pack", "/refs", "/refs/heads", "/refs/tags"} {
		g.check(g.mkdirAll(dir + d))
	}
	write := func(name, text string) {
		if _, err := sys.Lstat(dir + "/" + name); err == nil {
			return
		}
		g.check(refs.WriteAtomic(dir+"/"+name, []byte(text), 0o666&^g.p.Umask))
	}
	text := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n"
	if bare {
		text += "\tbare = true\n"
	} else {
		text += "\tbare = false\n\tlogallrefupdates = true\n"
	}
	if !g.optional(dir+"/config", text) {
		// Without a configuration git takes these values by default; what is set later is for this program alone.
		g.optional(dir+ownConfig, text)
	}
	write("HEAD", "ref: "+refs.Heads+branch+"\n")
	if !bare {
		g.optional(dir+"/info/exclude", "# Patterns of files that are not to be tracked, one a line, as in .gitignore.\n")
	}
	return existed
}

// optional makes a file that a repository works without, and reports whether it is there: a sandbox may keep it from being made.
func (g *git) optional(name, text string) bool {
	if _, err := sys.Lstat(name); err == nil {
		return true
	}
	return g.mkdirAll(path.Dir(name)) == nil && refs.WriteAtomic(name, []byte(text), 0o666&^g.p.Umask) == nil
}

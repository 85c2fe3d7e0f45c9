// Package git is git for local work: a repository's history, index and working tree, inside the sandbox.
//
// It promises git's own formats on disk and git's porcelain on its output, so that repositories can be handed to and fro and
// what is known about git's output holds. It never runs anything: no hooks, editors, pagers, filters or helpers, whatever
// a configuration says. There is no network. The index and references change by lock and rename, so that a command that is
// killed leaves a repository that works.
package git

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/command"
)

// Exit statuses that git's commands share.
const (
	statusFatal = 128
	statusUsage = 129
)

// Version is the version of git whose behaviour this one has.
const Version = "2.39.5"

// Commands lists what the package adds to a toolbox.
func Commands() []command.Command {
	return []command.Command{{Name: "git", Run: run}}
}

// git is one run of the program.
type git struct {
	p    *command.Proc
	out  *bufio.Writer
	name string   // of the subcommand
	args []string // that follow it
	set  []string // "key=value" of -c
	repo *repo
	// gitDir and workTree are what --git-dir and --work-tree say.
	gitDir, workTree string
	literal          bool // --literal-pathspecs
	steps            int
}

// subcommand is an entry of the table of subcommands.
type subcommand struct {
	run   func(g *git) int
	about string
}

// subcommands returns the table. It is a function so that starting the program costs nothing.
func subcommands() map[string]subcommand {
	return map[string]subcommand{
		"add":           {cmdAdd, "Add file contents to the index"},
		"blame":         {cmdBlame, "Show what revision and author last modified each line of a file"},
		"annotate":      {cmdBlame, ""},
		"branch":        {cmdBranch, "List, create, or delete branches"},
		"cat-file":      {cmdCatFile, "Provide content or type and size information for repository objects"},
		"check-ignore":  {cmdCheckIgnore, "Debug gitignore / exclude files"},
		"checkout":      {cmdCheckout, "Switch branches or restore working tree files"},
		"cherry-pick":   {cmdCherryPick, "Apply the changes introduced by some existing commits"},
		"clean":         {cmdClean, "Remove untracked files from the working tree"},
		"clone":         {cmdClone, "Clone a repository into a new directory"},
		"commit":        {cmdCommit, "Record changes to the repository"},
		"config":        {cmdConfig, "Get and set repository options"},
		"count-objects": {cmdCountObjects, ""},
		"describe":      {cmdDescribe, "Give an object a human readable name based on an available ref"},
		"diff":          {cmdDiff, "Show changes between commits, commit and working tree, etc"},
		"diff-tree":     {cmdDiffTree, ""},
		"for-each-ref":  {cmdForEachRef, "Output information on each ref"},
		"grep":          {cmdGrep, "Print lines matching a pattern"},
		"hash-object":   {cmdHashObject, "Compute object ID and optionally create an object from a file"},
		"help":          {cmdHelp, "Display help information about Git"},
		"init":          {cmdInit, "Create an empty Git repository or reinitialize an existing one"},
		"log":           {cmdLog, "Show commit logs"},
		"ls-files":      {cmdLsFiles, "Show information about files in the index and the working tree"},
		"ls-tree":       {cmdLsTree, "List the contents of a tree object"},
		"merge":         {cmdMerge, "Join two or more development histories together"},
		"merge-base":    {cmdMergeBase, "Find as good common ancestors as possible for a merge"},
		"mv":            {cmdMv, "Move or rename a file, a directory, or a symlink"},
		"rebase":        {cmdRebase, "Reapply commits on top of another base tip"},
		"reflog":        {cmdReflog, "Manage reflog information"},
		"remote":        {cmdRemote, "List the remotes of the configuration"},
		"reset":         {cmdReset, "Reset current HEAD to the specified state"},
		"restore":       {cmdRestore, "Restore working tree files"},
		"rev-list":      {cmdRevList, "Lists commit objects in reverse chronological order"},
		"rev-parse":     {cmdRevParse, "Pick out and massage parameters"},
		"revert":        {cmdRevert, "Revert some existing commits"},
		"rm":            {cmdRm, "Remove files from the working tree and from the index"},
		"shortlog":      {cmdShortlog, "Summarize 'git log' output"},
		"show":          {cmdShow, "Show various types of objects"},
		"show-ref":      {cmdShowRef, "List references in a local repository"},
		"stage":         {cmdAdd, ""},
		"stash":         {cmdStash, "Stash the changes in a dirty working directory away"},
		"status":        {cmdStatus, "Show the working tree status"},
		"switch":        {cmdSwitch, "Switch branches"},
		"symbolic-ref":  {cmdSymbolicRef, "Read, modify and delete symbolic refs"},
		"tag":           {cmdTag, "Create, list, or delete a tag object"},
		"update-index":  {cmdUpdateIndex, ""},
		"update-ref":    {cmdUpdateRef, "Update the object name stored in a ref safely"},
		"version":       {cmdVersion, "Display version information about Git"},
		"write-tree":    {cmdWriteTree, ""},
	}
}

// remoteCommands need a network, which there is not.
const remoteCommands = " fetch pull push ls-remote send-email request-pull svn p4 daemon fetch-pack send-pack http-fetch http-push "

// absentCommands are git's own that this program does not have, with what helps instead.
func absent(name string) (string, bool) {
	switch name {
	case "worktree":
		return "a second working tree is not supported here; 'git clone . DIR' makes a second repository", true
	case "submodule":
		return "submodules are shown and not entered here", true
	case "bisect":
		return "bisect is not supported here; 'git log' and 'git checkout COMMIT' do the same by hand", true
	case "gc", "repack", "prune", "maintenance", "pack-refs", "fsck", "apply", "am", "format-patch", "archive", "bundle",
		"notes", "filter-branch", "fast-export", "fast-import", "difftool", "mergetool", "gui", "gitk", "sparse-checkout",
		"range-diff", "replace", "rerere", "lfs", "credential", "instaweb", "merge-file", "read-tree", "checkout-index",
		"commit-tree", "mktree", "unpack-objects", "index-pack", "pack-objects", "verify-pack", "diff-index", "diff-files",
		"name-rev", "show-branch", "whatchanged", "stripspace", "var", "check-attr", "ls-tree-z", "cherry", "column":
		return "this command is not supported here", true
	}
	return "", false
}

const usageText = `usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--exec-path[=<path>]] [--html-path] [--man-path] [--info-path]
           [-p | --paginate | -P | --no-pager] [--no-replace-objects] [--bare]
           [--git-dir=<path>] [--work-tree=<path>] [--namespace=<name>]
           [--super-prefix=<path>] [--config-env=<name>=<envvar>]
           <command> [<args>]
`

func run(p *command.Proc) int {
	g := &git{p: p, out: p.Out()}
	defer g.close()
	rest, status, done := g.globalOptions(p.Args)
	if done {
		return status
	}
	if len(rest) == 0 {
		g.printHelp()
		return 1
	}
	g.name, g.args = rest[0], rest[1:]
	return g.dispatch()
}

func (g *git) dispatch() int {
	table := subcommands()
	c, ok := table[g.name]
	for range 10 {
		if ok {
			break
		}
		alias, found := g.alias(g.name)
		if !found {
			return g.unknown(table)
		}
		g.name, g.args = alias[0], append(alias[1:], g.args...)
		c, ok = table[g.name]
	}
	if !ok {
		return g.unknown(table)
	}
	if len(g.args) > 0 && (g.args[0] == "-h" || g.args[0] == "--help") && g.name != "grep" {
		g.printf("git %s: %s\n", g.name, c.about)
		g.printf("usage: git %s %s\n", g.name, usageOf(g.name))
		return g.helpStatus()
	}
	return c.run(g)
}

func (g *git) helpStatus() int {
	if g.args[0] == "-h" {
		return statusUsage
	}
	return 0
}

// alias returns the words that a configured alias stands for. Those that would run a program do not count.
func (g *git) alias(name string) ([]string, bool) {
	cfg := g.anyConfig()
	value, ok := cfg.get("alias." + strings.ToLower(name))
	if !ok || value == "" {
		return nil, false
	}
	if strings.HasPrefix(value, "!") {
		g.die("alias '%s' runs a program of its own, which is not done here: %s", name, value)
	}
	words := splitWords(value)
	return words, len(words) > 0
}

func (g *git) unknown(table map[string]subcommand) int {
	if strings.Contains(remoteCommands, " "+g.name+" ") {
		g.errorf("fatal: git %s: there is no network here; 'git clone PATH' and 'git log' work on local repositories\n", g.name)
		return statusFatal
	}
	if hint, ok := absent(g.name); ok {
		g.errorf("fatal: git %s: %s\n", g.name, hint)
		return statusFatal
	}
	g.errorf("git: '%s' is not a git command. See 'git --help'.\n", g.name)
	if similar := similarNames(g.name, table); len(similar) == 1 {
		g.errorf("\nThe most similar command is\n\t%s\n", similar[0])
	} else if len(similar) > 1 {
		g.errorf("\nThe most similar commands are\n")
		for _, s := range similar {
			g.errorf("\t%s\n", s)
		}
	}
	return 1
}

// maxDistance is how different a name may be to be suggested.
const maxDistance = 7

// similarNames lists the subcommands that are most like a name.
func similarNames(name string, table map[string]subcommand) []string {
	best := maxDistance
	var names []string
	for candidate, c := range table {
		if c.about == "" {
			continue
		}
		d := distance(name, candidate)
		if strings.HasPrefix(candidate, name) {
			d = 0
		}
		switch {
		case d < best:
			best, names = d, []string{candidate}
		case d == best && d < maxDistance:
			names = append(names, candidate)
		}
	}
	slices.Sort(names)
	return names
}

// Costs of the edits that make one name of another: a swap costs nothing, a letter too many little, another letter more.
const (
	swapCost    = 0
	replaceCost = 2
	insertCost  = 1
	deleteCost  = 3
)

// distance is the Damerau-Levenshtein distance with those costs.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j * insertCost
	}
	for i := range len(a) {
		next[0] = (i + 1) * deleteCost
		for j := range len(b) {
			next[j+1] = row[j]
			if a[i] != b[j] {
				next[j+1] += replaceCost
			}
			if i > 0 && j > 0 && a[i-1] == b[j] && a[i] == b[j-1] {
				next[j+1] = min(next[j+1], before[j-1]+swapCost)
			}
			next[j+1] = min(next[j+1], row[j+1]+deleteCost, next[j]+insertCost)
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// globalOptions reads the options before the subcommand.
func (g *git) globalOptions(args []string) (rest []string, status int, done bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		arg := args[0]
		args = args[1:]
		value := func(option string) string {
			if len(args) == 0 {
				g.errorf("no value given for '%s'\n%s", option, usageText)
				g.p.Exit(statusUsage)
			}
			v := args[0]
			args = args[1:]
			return v
		}
		name, inline, hasInline := strings.Cut(arg, "=")
		switch {
		case arg == "-C":
			g.chdir(value(arg))
		case arg == "-c":
			g.set = append(g.set, value(arg))
		case name == "--git-dir" || name == "--work-tree":
			if !hasInline {
				inline = value(arg)
			}
			if name == "--git-dir" {
				g.gitDir = inline
			} else {
				g.workTree = inline
			}
		case name == "--namespace" || name == "--config-env" || name == "--super-prefix":
			g.die("option %s is not supported here", name)
		case arg == "--literal-pathspecs":
			g.literal = true
		case arg == "-p" || arg == "--paginate" || arg == "-P" || arg == "--no-pager" || arg == "--no-replace-objects" ||
			arg == "--no-optional-locks" || arg == "--glob-pathspecs" || arg == "--bare" || arg == "--no-advice":
		case arg == "-v" || arg == "--version":
			return nil, cmdVersion(g), true
		case arg == "-h" || arg == "--help":
			if len(args) > 0 {
				g.name = "help"
				return append([]string{"help"}, args...), 0, false
			}
			g.printHelp()
			return nil, 0, true
		case name == "--exec-path" || arg == "--html-path" || arg == "--man-path" || arg == "--info-path":
			g.printf("/usr/lib/git-core\n")
			return nil, 0, true
		default:
			g.errorf("unknown option: %s\n%s", arg, usageText)
			return nil, statusUsage, true
		}
	}
	return args, 0, false
}

func (g *git) chdir(dir string) {
	if dir == "" {
		return
	}
	full := cleanPath(g.p.Path(dir))
	info, err := g.p.Stat(full)
	if err != nil {
		g.die("cannot change to '%s': %s", dir, strerror(err))
	}
	if !info.IsDir() {
		g.die("cannot change to '%s': Not a directory", dir)
	}
	g.p.Dir = full
}

func cmdVersion(g *git) int {
	g.printf("git version %s\n", Version)
	return 0
}

// printf writes to standard output.
func (g *git) printf(format string, args ...any) { fmt.Fprintf(g.out, format, args...) }

// print writes to standard output.
func (g *git) print(s string) { g.out.WriteString(s) }

// errorf writes to standard error, after what standard output holds.
func (g *git) errorf(format string, args ...any) {
	_ = g.p.Flush()
	fmt.Fprintf(g.p.Stderr, format, args...)
}

// hint gives advice on standard error.
func (g *git) hint(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		g.errorf("%s\n", strings.TrimRight("hint: "+line, " "))
	}
}

// die ends the program with a message.
func (g *git) die(format string, args ...any) {
	g.errorf("fatal: "+format+"\n", args...)
	g.close()
	g.p.Exit(statusFatal)
}

// fail ends the program with an error that is not fatal to git's own way of counting.
func (g *git) fail(status int, format string, args ...any) {
	g.errorf("error: "+format+"\n", args...)
	g.close()
	g.p.Exit(status)
}

// check ends the program when there is an error.
func (g *git) check(err error) {
	if err != nil {
		g.dieErr(err)
	}
}

func (g *git) close() {
	if g.repo != nil {
		g.repo.close()
	}
}

// yieldEvery is how many steps of work may pass until other commands get their turn.
const yieldEvery = 64

// step counts work, and lets others run now and then.
func (g *git) step() {
	if g.steps++; g.steps%yieldEvery == 0 {
		g.p.Yield()
	}
}

// splitWords splits at blanks outside of quotes, as for aliases.
func splitWords(s string) []string {
	var words []string
	var b strings.Builder
	quote, in := byte(0), false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			in = true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, b.String())
	}
	return words
}

// capture returns what f prints.
func (g *git) capture(f func()) string {
	var b strings.Builder
	out := g.out
	g.out = bufio.NewWriter(&b)
	f()
	g.out.Flush()
	g.out = out
	return b.String()
}

package git

import (
	"slices"
)

// usageOf is how a subcommand is called.
func usageOf(name string) string {
	switch name {
	case "add", "stage":
		return "[-A | -u] [-n] [-v] [-f] [-N] [--chmod=(+|-)x] [--] [<pathspec>...]"
	case "blame", "annotate":
		return "[-L <start>,<end>] [-w] [-s] [-e] [-l] [--porcelain | --line-porcelain] [<rev>] [--] <file>"
	case "branch":
		return "[-a | -r] [-v | -vv] [--list] [--contains <commit>] [--merged <commit>] | [-f] <name> [<start>] | (-d | -D | -m | -c) ..."
	case "cat-file":
		return "(-t | -s | -e | -p | <type>) <object>"
	case "checkout":
		return "[-f] [-b | -B <new branch>] [--detach] [<branch>] | [<tree-ish>] [--] <pathspec>..."
	case "cherry-pick", "revert":
		return "[-n] [-x] [-m <parent>] <commit>... | --continue | --skip | --abort | --quit"
	case "clean":
		return "(-n | -f) [-d] [-x | -X] [-e <pattern>] [--] [<pathspec>...]"
	case "clone":
		return "[--bare] [-b <branch>] [-q] [-n] <path> [<directory>]"
	case "commit":
		return "(-m <message> | -F <file> | --amend --no-edit) [-a] [--allow-empty] [--author=<author>] [--date=<date>] [--] [<pathspec>...]"
	case "config":
		return "[--global | --local | -f <file>] (<name> [<value>] | --get <name> | --get-all <name> | --unset <name> | --add <name> <value> | --list)"
	case "diff":
		return "[<options>] [--cached] [<commit> [<commit>]] [--] [<path>...] | --no-index <path> <path>"
	case "grep":
		return "[-n] [-i] [-l] [-c] [-w] [-v] [-E | -F | -P] [-e] <pattern> [<rev>...] [--] [<pathspec>...]"
	case "init":
		return "[-q] [--bare] [-b <branch>] [<directory>]"
	case "log", "show", "rev-list", "shortlog":
		return "[<options>] [<revision range>] [[--] <path>...]"
	case "merge":
		return "[--ff | --no-ff | --ff-only] [--squash] [--no-commit] [-m <message>] [-X <option>] <commit>... | --abort | --continue | --quit"
	case "rebase":
		return "[--onto <newbase>] [<upstream> [<branch>]] | --continue | --skip | --abort"
	case "reset":
		return "[--soft | --mixed | --hard] [<commit>] | [<tree-ish>] [--] <pathspec>..."
	case "restore":
		return "[--source=<tree>] [--staged] [--worktree] [--] <pathspec>..."
	case "stash":
		return "[push [-u] [-m <message>] [--] [<pathspec>...]] | list | show | apply | pop | drop | clear | branch"
	case "status":
		return "[-s | --porcelain[=v2]] [-b] [-u<mode>] [--ignored] [-z] [--] [<pathspec>...]"
	case "switch":
		return "[-c | -C <new branch>] [--detach] [<branch>]"
	case "tag":
		return "[-a] [-m <message>] [-f] <name> [<object>] | -d <name>... | [-l] [-n[<num>]] [<pattern>...]"
	}
	return "[<options>] [<args>]"
}

const helpText = `
These are common Git commands used in various situations:

start a working area
   clone      Clone a local repository into a new directory
   init       Create an empty Git repository or reinitialize an existing one

work on the current change
   add        Add file contents to the index
   mv         Move or rename a file, a directory, or a symlink
   restore    Restore working tree files
   rm         Remove files from the working tree and from the index

examine the history and state
   diff       Show changes between commits, commit and working tree, etc
   grep       Print lines matching a pattern
   log        Show commit logs
   show       Show various types of objects
   status     Show the working tree status

grow, mark and tweak your common history
   branch     List, create, or delete branches
   commit     Record changes to the repository
   merge      Join two or more development histories together
   rebase     Reapply commits on top of another base tip
   reset      Reset current HEAD to the specified state
   switch     Switch branches
   tag        Create, list, or delete a tag object

There is no network here: fetch, pull and push do not work. Hooks, editors and
other programs are never run. 'git help -a' lists all subcommands.
`

func (g *git) printHelp() { g.print(usageText + helpText) }

func cmdHelp(g *git) int {
	l := g.parse("all,a guides,g config,c web,w man,m info,i verbose no-verbose")
	if l.has("all") {
		table := subcommands()
		var names []string
		for n := range table {
			if table[n].about != "" {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			g.printf("   %-16s %s\n", n, table[n].about)
		}
		return 0
	}
	args := l.operands()
	if len(args) == 0 {
		g.printHelp()
		return 0
	}
	c, ok := subcommands()[args[0]]
	if !ok {
		g.errorf("No manual entry for git-%s\n", args[0])
		return 16
	}
	g.printf("git %s: %s\nusage: git %s %s\n", args[0], c.about, args[0], usageOf(args[0]))
	return 0
}

package git

import (
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/git/xdiff"
)

// The options of every command that shows differences.
const diffSpec = "patch,p,u no-patch,s raw patch-with-stat patch-with-raw stat? compact-summary numstat shortstat summary name-only name-status " +
	"unified,U= inter-hunk-context= function-context,W ignore-all-space,w ignore-space-change,b ignore-space-at-eol " +
	"ignore-cr-at-eol ignore-blank-lines minimal patience histogram diff-algorithm= find-renames,M? find-copies,C? " +
	"find-copies-harder no-renames text,a binary full-index abbrev? no-abbrev no-prefix default-prefix src-prefix= dst-prefix= " +
	"color? no-color word-diff? color-words? exit-code quiet,q relative? no-relative R S= G= pickaxe-regex pickaxe-all " +
	"diff-filter= z no-ext-diff ext-diff no-textconv textconv submodule? ignore-submodules? irreversible-delete,D " +
	"indent-heuristic no-indent-heuristic rename-empty no-rename-empty stat-width= stat-name-width= stat-count= stat-graph-width= " +
	"cc,c combined-all-paths m first-parent-diff diff-merges= no-diff-merges line-prefix= ws-error-highlight= color-moved? dirstat? check O= l= "

// diffOptions say how differences are shown.
type diffOptions struct {
	patch, raw, stat, numstat, shortstat, summary bool
	compact                                       bool
	nameOnly, nameStatus                          bool
	none                                          bool // -s
	lines                                         xdiff.Options
	renames                                       renameLimit
	text, binary, fullIndex                       bool
	abbrev                                        int
	oldPrefix, newPrefix                          string
	exitCode, quiet                               bool
	reverse                                       bool
	relative                                      string // a directory with a slash
	pickaxe, pickaxeRegex                         string
	pickaxeIsRegex                                bool
	filter                                        string
	nul                                           bool
	statWidth, statNameWidth, statCount           int
	check                                         bool
	wordDiff                                      bool
}

// diffOptions reads them; a format that the command line does not choose is left open.
func (g *git) diffOptions(f flags) diffOptions {
	cfg := g.anyConfig()
	o := diffOptions{
		lines:     xdiff.Options{Context: cfg.number("diff.context", 3), Interhunk: cfg.number("diff.interhunkcontext", 0)},
		renames:   g.renames(f),
		oldPrefix: "a/", newPrefix: "b/",
	}
	if cfg.on("diff.noprefix", false) {
		o.oldPrefix, o.newPrefix = "", ""
	}
	if !cfg.on("diff.indentheuristic", true) {
		o.lines.Flags |= xdiff.NoIndent
	}
	for _, opt := range f.list {
		o.read(g, opt.Name, opt.Arg)
	}
	if o.reverse {
		o.oldPrefix, o.newPrefix = o.newPrefix, o.oldPrefix
	}
	return o
}

// spaceOptions maps options to what they leave out of the comparison.
func spaceOption(name string) (xdiff.Flags, bool) {
	switch name {
	case "ignore-all-space":
		return xdiff.IgnoreAllSpace, true
	case "ignore-space-change":
		return xdiff.IgnoreSpaceChange, true
	case "ignore-space-at-eol":
		return xdiff.IgnoreSpaceAtEOL, true
	case "ignore-cr-at-eol":
		return xdiff.IgnoreCRAtEOL, true
	case "minimal":
		return xdiff.Minimal, true
	case "no-indent-heuristic":
		return xdiff.NoIndent, true
	}
	return 0, false
}

func (o *diffOptions) read(g *git, name, arg string) {
	if flag, ok := spaceOption(name); ok {
		o.lines.Flags |= flag
		return
	}
	if o.readFormat(g, name, arg) {
		return
	}
	switch name {
	case "inter-hunk-context":
		o.lines.Interhunk = g.number(arg)
	case "function-context":
		o.lines.Function, o.patch = true, true
	case "ignore-blank-lines":
		o.lines.IgnoreBlankLines = true
	case "text":
		o.text = true
	case "full-index":
		o.fullIndex = true
	case "abbrev":
		o.abbrev = 7
		if arg != "" {
			o.abbrev = g.number(arg)
		}
	case "no-abbrev":
		o.abbrev = 40
	case "no-prefix":
		o.oldPrefix, o.newPrefix = "", ""
	case "src-prefix":
		o.oldPrefix = arg
	case "dst-prefix":
		o.newPrefix = arg
	case "exit-code":
		o.exitCode = true
	case "quiet":
		o.quiet, o.exitCode = true, true
	case "R":
		o.reverse = true
	case "relative":
		o.relative = arg
		if arg == "" && g.repo != nil {
			o.relative = g.repo.prefix
		} else if arg != "" && !strings.HasSuffix(arg, "/") {
			o.relative += "/"
		}
	case "S":
		o.pickaxe = arg
	case "G":
		o.pickaxeRegex = arg
	case "pickaxe-regex":
		o.pickaxeIsRegex = true
	case "diff-filter":
		o.filter = arg
	case "z":
		o.nul = true
	case "color", "color-words":
		if name == "color-words" {
			g.die("option --color-words is not supported here; --word-diff is")
		}
	case "diff-algorithm":
		if arg == "minimal" {
			o.lines.Flags |= xdiff.Minimal
		}
	case "dirstat", "O":
		g.die("option --%s is not supported here", name)
	}
}

func (o *diffOptions) readFormat(g *git, name, arg string) bool {
	switch name {
	case "patch":
		o.patch = true
	case "no-patch":
		o.none = true
	case "raw":
		o.raw = true
	case "patch-with-stat":
		o.patch, o.stat = true, true
	case "patch-with-raw":
		o.patch, o.raw = true, true
	case "binary":
		o.patch, o.binary, o.fullIndex = true, true, true
	case "stat":
		o.stat = true
		for i, n := range strings.Split(arg, ",") {
			if n == "" {
				continue
			}
			switch i {
			case 0:
				o.statWidth = g.number(n)
			case 1:
				o.statNameWidth = g.number(n)
			case 2:
				o.statCount = g.number(n)
			}
		}
	case "stat-width":
		o.stat, o.statWidth = true, g.number(arg)
	case "stat-name-width":
		o.stat, o.statNameWidth = true, g.number(arg)
	case "stat-count":
		o.stat, o.statCount = true, g.number(arg)
	case "compact-summary":
		o.stat, o.compact = true, true
	case "numstat":
		o.numstat = true
	case "shortstat":
		o.shortstat = true
	case "summary":
		o.summary = true
	case "name-only":
		o.nameOnly = true
	case "name-status":
		o.nameStatus = true
	case "check":
		o.check = true
	case "word-diff":
		if arg != "" && arg != "plain" && arg != "none" {
			g.die("option --word-diff=%s is not supported here", arg)
		}
		o.patch, o.wordDiff = true, arg != "none"
	case "unified":
		o.patch, o.lines.Context = true, g.number(arg)
	default:
		return false
	}
	return true
}

// chosen reports whether the command line asked for a format.
func (o *diffOptions) chosen() bool {
	return o.none || o.patch || o.raw || o.stat || o.numstat || o.shortstat || o.summary || o.nameOnly || o.nameStatus || o.check
}

// number reads a number of the command line.
func (g *git) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		g.die("'%s': not a non-negative integer", s)
	}
	return n
}

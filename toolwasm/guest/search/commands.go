// Package search holds the commands that search text: grep, egrep, fgrep, rgrep and rg.
//
// grep behaves as GNU grep 3.8 does, -P by a library for Perl's patterns; rg has ripgrep's everyday options and always lists
// files in order of their paths. Files are streamed: what is held in memory is one buffer, longer only than a line
// is, and the lines of context.
package search

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "grep", Run: func(p *command.Proc) int { return runGrep(p, basic, dirRead) }, Help: grepHelp},
		{Name: "egrep", Run: func(p *command.Proc) int { return runGrep(p, extended, dirRead) }, Help: grepHelp},
		{Name: "fgrep", Run: func(p *command.Proc) int { return runGrep(p, fixed, dirRead) }, Help: grepHelp},
		{Name: "rgrep", Run: func(p *command.Proc) int { return runGrep(p, basic, dirRecurse) }, Help: grepHelp},
		{Name: "rg", Run: runRg, Help: rgHelp},
	}
}

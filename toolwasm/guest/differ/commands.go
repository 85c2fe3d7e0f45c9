// Package differ holds the commands that compare and merge files: cmp, diff and patch.
//
// diff finds the same changes as GNU diff: the comparison, the lines that are left out before it, and the places where
// changes come to rest are its. patch writes a file only when it has everything that goes into it.
package differ

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "cmp", Run: cmp, Help: cmpHelp},
		{Name: "diff", Run: diff, Help: diffHelp},
		{Name: "patch", Run: patch, Help: patchHelp},
	}
}

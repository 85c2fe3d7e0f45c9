// Package differ holds the commands that compare and merge files: cmp, diff and patch.
package differ

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

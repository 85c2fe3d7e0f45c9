// Package text holds the commands that pass text through: cat, sort, cut, tr and their kin.
package text

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

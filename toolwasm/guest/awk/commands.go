// Package awk is the awk language, with gawk's common extensions.
package awk

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

// Package search holds the commands that search text: grep, egrep, fgrep and rg.
package search

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

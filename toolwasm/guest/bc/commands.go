// Package bc is the arbitrary precision calculator bc, with its math library.
package bc

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

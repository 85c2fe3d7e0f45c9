// Package shell runs shell scripts as bash does: an evaluator over the syntax tree of mvdan.cc/sh/v3/syntax.
package shell

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

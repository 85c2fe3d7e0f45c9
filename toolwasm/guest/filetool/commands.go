// Package filetool holds the agent's file tools: read, write, edit and apply_patch.
package filetool

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

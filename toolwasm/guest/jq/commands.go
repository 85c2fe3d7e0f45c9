// Package jq is the jq language, with objects that keep the order of their keys.
package jq

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

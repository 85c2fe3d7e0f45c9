// Package system holds the commands about processes, time and the system: env, xargs, date, seq and their kin.
package system

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

// Package digest holds the commands that show or check bytes: checksums, base64, od, xxd and their kin.
package digest

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

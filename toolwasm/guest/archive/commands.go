// Package archive holds the commands that pack and unpack: tar, zip, gzip and their kin.
package archive

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{}
}

//go:build !wasip1

package program

import "openclaw/toolwasm/guest/command"

func install(command.Table) {}

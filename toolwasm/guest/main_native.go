//go:build !wasip1

// The toolbox as a native program, for trying and measuring commands without a sandbox around them. It is called by the
// name of a command (through a link), or with the name as its first argument.
package main

import "openclaw/toolwasm/guest/toolbox"

func main() { toolbox.Program().Main() }

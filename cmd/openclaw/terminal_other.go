//go:build !unix

package main

import "io"

// terminalWidth is 0: lines are not cut where the width of the terminal is not known.
func terminalWidth(io.Writer) int { return 0 }

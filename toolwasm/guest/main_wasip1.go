//go:build wasip1

// The toolbox as a guest: a reactor, so that the host can initialise it once, keep an image of its memory and start
// every call from that image.
package main

import "openclaw/toolwasm/guest/toolbox"

// program is what initialisation leaves in the image: building it again in each call would cost more than small
// commands take.
var program = toolbox.Program()

func main() {}

//go:wasmexport openclaw_run
func run() int32 { return program.Call() }

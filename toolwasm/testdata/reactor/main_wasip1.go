// The smallest program on package reactor: it writes its arguments, or a file, or carries its input on.
package main

import (
	"fmt"
	"io"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/reactor"
)

var program = reactor.New("small", []command.Command{{Name: "small", Run: run}})

func main() {}

//go:wasmexport openclaw_run
func call() int32 { return program.Call() }

func run(p *command.Proc) int {
	if len(p.Args) == 0 {
		_, _ = io.Copy(p.Out(), p.Stdin)
		return 0
	}
	if p.Args[0] == "open" {
		for _, name := range p.Args[1:] {
			f, err := p.OpenArg(name)
			if err != nil {
				return p.Fail(name, err)
			}
			_, _ = io.Copy(p.Out(), f)
			_ = f.Close()
		}
		return 0
	}
	fmt.Fprintln(p.Out(), strings.Join(p.Args, " "))
	return 0
}

package text

import (
	"strings"

	"openclaw/toolwasm/guest/command"
)

const lessHelp = `Usage: less [OPTION]... [FILE]...
Write the FILEs to standard output: there is no terminal to show them page by page. Options are accepted.
`

const moreHelp = `Usage: more [OPTION]... [FILE]...
Write the FILEs to standard output: there is no terminal to show them page by page. Options are accepted.
`

func pagerCommand(p *command.Proc) int {
	var operands []string
	for i, a := range p.Args {
		if a == "--" {
			operands = append(operands, p.Args[i+1:]...)
			break
		}
		if len(a) > 1 && strings.IndexByte("-+", a[0]) >= 0 {
			continue
		}
		operands = append(operands, a)
	}
	return eachInput(p, operands, func(_ string, f command.File) error { return pass(p, f) })
}

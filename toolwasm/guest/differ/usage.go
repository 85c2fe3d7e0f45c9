package differ

import (
	"fmt"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
)

// usage reports a mistake in the command line in the form of diffutils, which name themselves on both lines.
func usage(p *command.Proc, format string, args ...any) int {
	p.Errorf(format, args...)
	fmt.Fprintf(p.Stderr, "%s: Try '%s --help' for more information.\n", p.Name, p.Name)
	return trouble
}

// parseOptions is Proc.Options with that form.
func parseOptions(p *command.Proc, spec getopt.Spec) ([]getopt.Option, []string) {
	opts, operands, err := getopt.Parse(p.Args, spec)
	if err == nil {
		return opts, operands
	}
	for _, a := range p.Args {
		if a == "--help" {
			_, _ = p.Out().WriteString(p.Table[p.Name].Help)
			p.Exit(same)
		}
	}
	p.Exit(usage(p, "%s", err.Error()))
	return nil, nil
}

package files

import (
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const linkHelp = `Usage: link FILE1 FILE2
Give FILE1 the further name FILE2, a hard link. Nothing is replaced.
`

const unlinkHelp = `Usage: unlink FILE
Remove the one FILE.
`

const dirHelp = `Usage: dir [OPTION]... [FILE]...
List files in columns, with what cannot be printed escaped: ls -C -b. The options are those of ls.
`

const vdirHelp = `Usage: vdir [OPTION]... [FILE]...
List files with what is known of them, names escaped: ls -l -b. The options are those of ls.
`

// exactOperands gives the operands of a command that takes just n; ok is false when it has been told that there are others.
func exactOperands(p *command.Proc, n int) (operands []string, status int, ok bool) {
	_, operands = p.Options(1, getopt.Spec{})
	switch {
	case len(operands) == 0:
		return nil, p.Usage(1, "missing operand"), false
	case len(operands) < n:
		return nil, p.Usage(1, "missing operand after %s", quote.Locale(operands[len(operands)-1])), false
	case len(operands) > n:
		return nil, p.Usage(1, "extra operand %s", quote.Locale(operands[n])), false
	}
	return operands, 0, true
}

func link(p *command.Proc) int {
	names, status, ok := exactOperands(p, 2)
	if !ok {
		return status
	}
	if err := sys.Link(p.Path(names[0]), p.Path(names[1])); err != nil {
		p.Errorf("cannot create link %s to %s: %s", quote.Always(names[1]), quote.Always(names[0]), sys.Strerror(err))
		return 1
	}
	return 0
}

func unlink(p *command.Proc) int {
	names, status, ok := exactOperands(p, 1)
	if !ok {
		return status
	}
	if err := sys.Unlink(p.Path(names[0])); err != nil {
		p.Errorf("cannot unlink %s: %s", quote.Always(names[0]), sys.Strerror(err))
		return 1
	}
	return 0
}

func dir(p *command.Proc) int { return list(p, []getopt.Option{{Name: "C"}, {Name: "b"}}) }

func vdir(p *command.Proc) int { return list(p, []getopt.Option{{Name: "l"}, {Name: "b"}}) }

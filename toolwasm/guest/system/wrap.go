package system

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const nohupHelp = `Usage: nohup COMMAND [ARG]...
Run COMMAND. Nothing hangs up here, so that this is all.
`

const niceHelp = `Usage: nice [OPTION] [COMMAND [ARG]...]
Run COMMAND, or write the niceness, which is always 0.

  -n, --adjustment=N  accepted and without effect
`

const stdbufHelp = `Usage: stdbuf OPTION... COMMAND [ARG]...
Run COMMAND. Commands write what they have before they wait for input, whatever the options say.

  -i, --input=MODE, -o, --output=MODE, -e, --error=MODE  accepted
`

const setsidHelp = `Usage: setsid [OPTION]... COMMAND [ARG]...
Run COMMAND. There are no sessions here, so that this is all.

  -c, --ctty, -f, --fork, -w, --wait  accepted
`

const timeHelp = `Usage: time [OPTION]... COMMAND [ARG]...
Run COMMAND and write to standard error how long it took.

  -p, --portability  accepted
`

func nohupCommand(p *command.Proc) int {
	_, operands := p.Options(statusCannot, getopt.Spec{Short: "+"})
	if len(operands) == 0 {
		return p.Usage(statusCannot, "missing operand")
	}
	return runCommand(p, operands, command.Spec{}, "failed to run command ")
}

func niceCommand(p *command.Proc) int {
	args := p.Args
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "-+0123456789") == "" && args[0] != "--" {
		p.Args = append([]string{"-n", args[0][1:]}, args[1:]...)
	}
	opts, operands := p.Options(statusCannot, getopt.Spec{
		Short: "+n:", Long: []getopt.Long{{Name: "adjustment", Arg: getopt.Required, Short: 'n'}},
	})
	for _, o := range opts {
		if _, err := strconv.Atoi(o.Arg); err != nil {
			p.Errorf("invalid adjustment %s", quote.Locale(o.Arg))
			return statusCannot
		}
	}
	if len(operands) == 0 {
		if len(opts) > 0 {
			return p.Usage(statusCannot, "a command must be given with an adjustment")
		}
		_, _ = p.Out().WriteString("0\n")
		return 0
	}
	return runCommand(p, operands, command.Spec{}, "")
}

func stdbufCommand(p *command.Proc) int {
	opts, operands := p.Options(statusCannot, getopt.Spec{
		Short: "+i:o:e:",
		Long: []getopt.Long{
			{Name: "input", Arg: getopt.Required, Short: 'i'},
			{Name: "output", Arg: getopt.Required, Short: 'o'},
			{Name: "error", Arg: getopt.Required, Short: 'e'},
		},
	})
	if len(operands) == 0 {
		return p.Usage(statusCannot, "missing operand")
	}
	if len(opts) == 0 {
		return p.Usage(statusCannot, "you must specify a buffering mode option")
	}
	return runCommand(p, operands, command.Spec{}, "failed to run command ")
}

func setsidCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{
		Short: "+cfw", Long: []getopt.Long{{Name: "ctty", Short: 'c'}, {Name: "fork", Short: 'f'}, {Name: "wait", Short: 'w'}},
	})
	if len(operands) == 0 {
		return p.Usage(1, "no command specified")
	}
	return runCommand(p, operands, command.Spec{}, "failed to execute ")
}

func timeCommand(p *command.Proc) int {
	_, operands := p.Options(statusCannot, getopt.Spec{Short: "+p", Long: []getopt.Long{{Name: "portability", Short: 'p'}}})
	if len(operands) == 0 {
		return p.Usage(statusCannot, "missing program to run")
	}
	start := time.Now()
	status := runCommand(p, operands, command.Spec{}, "cannot run ")
	fmt.Fprintf(p.Stderr, "real %.2f\nuser %.2f\nsys %.2f\n", time.Since(start).Seconds(), time.Since(start).Seconds(), 0.0)
	return status
}

const ttyHelp = `Usage: tty [-s]
Say that standard input is not a terminal.

  -s, --silent, --quiet  write nothing
`

func ttyCommand(p *command.Proc) int {
	opts, _ := p.Options(2, getopt.Spec{
		Short: "s", Long: []getopt.Long{{Name: "silent", Short: 's'}, {Name: "quiet", Short: 's'}},
	})
	if len(opts) == 0 {
		_, _ = p.Out().WriteString("not a tty\n")
	}
	return 1
}

const sttyHelp = `Usage: stty [SETTING]...
There is no terminal here whose settings could be read or changed.
`

func sttyCommand(p *command.Proc) int {
	p.Errorf("'standard input': Inappropriate ioctl for device")
	return 1
}

const clearHelp = `Usage: clear
Write what clears a terminal.
`

func clearCommand(p *command.Proc) int {
	_, _ = p.Out().WriteString("\x1b[H\x1b[2J\x1b[3J")
	return 0
}

const resetHelp = `Usage: reset
Write what brings a terminal into its first state.
`

func resetCommand(p *command.Proc) int {
	_, _ = p.Out().WriteString("\x1bc\x1b[!p\x1b[?3;4l\x1b[4l\x1b>")
	return 0
}

const tputHelp = `Usage: tput [-T TERM] CAPABILITY [PARAMETER]...
Write what a terminal of the ANSI kind understands: cols, lines, colors, bold, dim, sgr0, setaf N, setab N, smul, rmul,
rev, smso, rmso, clear, cup ROW COLUMN, el, ed, civis, cnorm, bel.
`

func tputCommand(p *command.Proc) int {
	opts, operands := p.Options(2, getopt.Spec{Short: "+T:S"})
	term, _ := p.Env.Get("TERM")
	for _, o := range opts {
		if o.Name == "T" {
			term = o.Arg
		}
	}
	if len(operands) == 0 {
		_, _ = p.Stderr.Write([]byte("usage: tput [-T TERM] CAPABILITY [PARAMETER]...\n"))
		return 2
	}
	name := operands[0]
	switch name {
	case "cols":
		return tputNumber(p, "COLUMNS", columns)
	case "lines":
		return tputNumber(p, "LINES", rows)
	}
	if term == "" {
		p.Errorf("No value for $TERM and no -T specified")
		return 2
	}
	if term == "dumb" {
		return 1
	}
	text, ok := capability(name, operands[1:])
	if !ok {
		const unknown = 4
		p.Errorf("unknown terminfo capability '%s'", name)
		return unknown
	}
	_, _ = p.Out().WriteString(text)
	return 0
}

func tputNumber(p *command.Proc, variable string, usual int) int {
	if v, ok := p.Env.Get(variable); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			usual = n
		}
	}
	_, _ = p.Out().WriteString(strconv.Itoa(usual) + "\n")
	return 0
}

func capability(name string, params []string) (string, bool) {
	param := func(i int) int {
		if i >= len(params) {
			return 0
		}
		n, _ := strconv.Atoi(params[i])
		return n
	}
	switch name {
	case "colors":
		return "8\n", true
	case "bold":
		return "\x1b[1m", true
	case "dim":
		return "\x1b[2m", true
	case "sgr0":
		return "\x1b(B\x1b[m", true
	case "smul":
		return "\x1b[4m", true
	case "rmul":
		return "\x1b[24m", true
	case "rev", "smso":
		return "\x1b[7m", true
	case "rmso":
		return "\x1b[27m", true
	case "setaf":
		return fmt.Sprintf("\x1b[3%dm", param(0)), true
	case "setab":
		return fmt.Sprintf("\x1b[4%dm", param(0)), true
	case "clear":
		return "\x1b[H\x1b[2J", true
	case "cup":
		return fmt.Sprintf("\x1b[%d;%dH", param(0)+1, param(1)+1), true
	case "el":
		return "\x1b[K", true
	case "ed":
		return "\x1b[J", true
	case "civis":
		return "\x1b[?25l", true
	case "cnorm":
		return "\x1b[?25h", true
	case "bel":
		return "\a", true
	}
	return "", false
}

package system

import (
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const envHelp = `Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Run COMMAND with each NAME set to VALUE, or write the environment.

  -i, --ignore-environment  begin with an empty environment; - alone means the same
  -0, --null                end each line with NUL
  -u, --unset=NAME          take NAME out of the environment
  -C, --chdir=DIR           run in DIR
  -S, --split-string=S      take S apart into arguments
  -v, --debug               tell what is done
`

const printenvHelp = `Usage: printenv [OPTION]... [NAME]...
Write the values of the environment variables NAME, or the whole environment.

  -0, --null  end each line with NUL
`

func envCommand(p *command.Proc) int {
	p.Args = splitStringArgs(p)
	opts, operands := p.Options(statusCannot, getopt.Spec{
		Short: "+i0u:C:v",
		Long: []getopt.Long{
			{Name: "ignore-environment", Short: 'i'},
			{Name: "null", Short: '0'},
			{Name: "unset", Arg: getopt.Required, Short: 'u'},
			{Name: "chdir", Arg: getopt.Required, Short: 'C'},
			{Name: "debug", Short: 'v'},
		},
		UnsupLong: []string{"default-signal", "ignore-signal", "block-signal", "list-signal-handling"},
	})
	vars := append([]string{}, p.Env.List()...)
	end, dir := byte('\n'), ""
	for _, o := range opts {
		switch o.Name {
		case "i":
			vars = nil
		case "0":
			end = 0
		case "u":
			if o.Arg == "" || strings.Contains(o.Arg, "=") {
				p.Errorf("cannot unset %s: Invalid argument", quote.Locale(o.Arg))
				return statusCannot
			}
			vars = unset(vars, o.Arg)
		case "C":
			dir = o.Arg
		}
	}
	if len(operands) > 0 && operands[0] == "-" {
		vars, operands = nil, operands[1:]
	}
	for len(operands) > 0 && strings.Contains(operands[0], "=") {
		name, _, _ := strings.Cut(operands[0], "=")
		vars = append(unset(vars, name), operands[0])
		operands = operands[1:]
	}
	if len(operands) == 0 {
		if dir != "" {
			return p.Usage(statusCannot, "must specify command with --chdir (-C)")
		}
		for _, v := range vars {
			_, _ = p.Out().WriteString(v)
			_ = p.Out().WriteByte(end)
		}
		return 0
	}
	return runWithEnv(p, operands, vars, dir, end)
}

func runWithEnv(p *command.Proc, argv, vars []string, dir string, end byte) int {
	if end == 0 {
		return p.Usage(statusCannot, "cannot specify --null (-0) with command")
	}
	spec := command.Spec{Env: command.Vars(vars)}
	if dir != "" {
		info, err := p.Stat(dir)
		switch {
		case err != nil:
			p.Errorf("cannot change directory to %s: %s", quote.Always(dir), sys.Strerror(err))
			return statusCannot
		case !info.IsDir():
			p.Errorf("cannot change directory to %s: Not a directory", quote.Always(dir))
			return statusCannot
		}
		spec.Dir = p.Path(dir)
	}
	return runCommand(p, argv, spec, "")
}

func unset(vars []string, name string) []string {
	out := make([]string, 0, len(vars)+1)
	for _, v := range vars {
		if !strings.HasPrefix(v, name+"=") {
			out = append(out, v)
		}
	}
	return out
}

// splitStringArgs puts the words of -S in its place.
func splitStringArgs(p *command.Proc) []string {
	args := p.Args
	for i, a := range args {
		text, used := "", 1
		switch {
		case strings.HasPrefix(a, "--split-string="):
			text = a[len("--split-string="):]
		case (a == "-S" || a == "--split-string" || a == "-vS") && i+1 < len(args):
			text, used = args[i+1], 2
		case strings.HasPrefix(a, "-S"):
			text = a[2:]
		case a == "-u" || a == "-C":
			return args
		case strings.HasPrefix(a, "-") && a != "-" && a != "--":
			continue
		default:
			return args
		}
		words, msg := splitString(text, p.Env)
		if msg != "" {
			p.Errorf("%s", msg)
			p.Exit(statusCannot)
		}
		return append(append(append([]string{}, args[:i]...), words...), args[i+used:]...)
	}
	return args
}

// splitString takes a string apart as env -S does: blanks part words, quotes guard them, ${NAME} is replaced.
func splitString(s string, env command.Environ) (words []string, msg string) {
	var b strings.Builder
	open := false
	quoted := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted == '\'' && c != '\'' && c != '\\':
			b.WriteByte(c)
		case c == '\'' && quoted != '"' || c == '"' && quoted != '\'':
			open = true
			if quoted == c {
				quoted = 0
			} else {
				quoted = c
			}
		case quoted == 0 && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			if open {
				words = append(words, b.String())
				b.Reset()
				open = false
			}
		case quoted == 0 && !open && c == '#':
			return words, ""
		case c == '\\':
			i++
			if i == len(s) {
				return nil, "invalid backslash at end of string in -S"
			}
			if s[i] == 'c' && quoted == 0 {
				if open {
					words = append(words, b.String())
				}
				return words, ""
			}
			if s[i] == '_' && quoted == 0 {
				if open {
					words = append(words, b.String())
					b.Reset()
					open = false
				}
				continue
			}
			open = true
			if !unescapeSplit(&b, s[i], quoted) {
				return nil, "invalid sequence '\\" + s[i:i+1] + "' in -S"
			}
		case c == '$' && quoted != '\'':
			end := strings.IndexByte(s[i:], '}')
			if !strings.HasPrefix(s[i:], "${") || end < 3 || !isName(s[i+2:i+end]) {
				return nil, "only ${VARNAME} expansion is supported, error at: " + s[i:]
			}
			open = true
			v, _ := env.Get(s[i+2 : i+end])
			b.WriteString(v)
			i += end
		default:
			open = true
			b.WriteByte(c)
		}
	}
	if quoted != 0 {
		return nil, "no terminating quote in -S string"
	}
	if open {
		words = append(words, b.String())
	}
	return words, ""
}

// isName reports whether s can be the name of a shell variable.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && !(c|0x20 >= 'a' && c|0x20 <= 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func unescapeSplit(b *strings.Builder, c, quoted byte) bool {
	if quoted == '\'' && c != '\'' && c != '\\' {
		b.WriteByte('\\')
		b.WriteByte(c)
		return true
	}
	if at := strings.IndexByte("fnrtv", c); at >= 0 {
		b.WriteByte("\f\n\r\t\v"[at])
		return true
	}
	if c == '_' {
		b.WriteByte(' ')
		return true
	}
	if strings.IndexByte(`"#$'\`, c) >= 0 {
		b.WriteByte(c)
		return true
	}
	return false
}

func printenvCommand(p *command.Proc) int {
	opts, operands := p.Options(2, getopt.Spec{Short: "+0", Long: []getopt.Long{{Name: "null", Short: '0'}}})
	end := byte('\n')
	if len(opts) > 0 {
		end = 0
	}
	if len(operands) == 0 {
		for _, v := range p.Env.List() {
			_, _ = p.Out().WriteString(v)
			_ = p.Out().WriteByte(end)
		}
		return 0
	}
	status := 0
	for _, name := range operands {
		v, ok := p.Env.Get(name)
		if !ok || strings.Contains(name, "=") {
			status = 1
			continue
		}
		_, _ = p.Out().WriteString(v)
		_ = p.Out().WriteByte(end)
	}
	return status
}

package files

import (
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const basenameHelp = `Usage: basename NAME [SUFFIX]
       basename OPTION... NAME...
Print NAME without its directories, and without SUFFIX at its end.

  -a, --multiple       every operand is a NAME
  -s, --suffix=SUFFIX  remove this suffix; implies -a
  -z, --zero           end each name with NUL instead of a newline
`

const dirnameHelp = `Usage: dirname [OPTION] NAME...
Print each NAME without its last component: "." when there is no other.

  -z, --zero   end each name with NUL instead of a newline
`

const pathchkHelp = `Usage: pathchk [OPTION]... NAME...
Tell which names are invalid or not portable.

  -p             check for most POSIX systems
  -P             check for empty names and leading "-"
      --portability  check for all POSIX systems: -p -P
`

func basename(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "+as:z",
		Long: []getopt.Long{
			{Name: "multiple", Short: 'a'}, {Name: "suffix", Arg: getopt.Required, Short: 's'}, {Name: "zero", Short: 'z'},
		},
	})
	many, suffix, end := false, "", byte('\n')
	for _, o := range opts {
		switch o.Name {
		case "a":
			many = true
		case "s":
			many, suffix = true, o.Arg
		case "z":
			end = 0
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	if !many {
		if len(operands) > 2 {
			return p.Usage(1, "extra operand %s", quote.Locale(operands[2]))
		}
		if len(operands) == 2 {
			suffix = operands[1]
		}
		operands = operands[:1]
	}
	for _, name := range operands {
		base := baseName(name)
		if base != suffix && base != "/" {
			base = strings.TrimSuffix(base, suffix)
		}
		_, _ = p.Out().WriteString(base)
		_ = p.Out().WriteByte(end)
	}
	return 0
}

func dirname(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Short: "+z", Long: []getopt.Long{{Name: "zero", Short: 'z'}}})
	end := byte('\n')
	if len(opts) > 0 {
		end = 0
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	for _, name := range operands {
		_, _ = p.Out().WriteString(dirName(name))
		_ = p.Out().WriteByte(end)
	}
	return 0
}

// The limits that POSIX guarantees and that this system has.
const (
	posixNameMax = 14
	posixPathMax = 256
	nameMax      = 255
	pathMax      = 4096
)

func pathchk(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Short: "+pP", Long: []getopt.Long{{Name: "portability"}}})
	basic, extra := false, false
	for _, o := range opts {
		switch o.Name {
		case "p":
			basic = true
		case "P":
			extra = true
		default:
			basic, extra = true, true
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	failed := false
	for _, name := range operands {
		failed = !checkName(p, name, basic, extra) || failed
	}
	return statusOf(failed)
}

func checkName(p *command.Proc, name string, basic, extra bool) bool {
	if extra {
		for _, part := range components(name) {
			if strings.HasPrefix(part, "-") {
				p.Errorf("leading '-' in a component of file name %s", quote.Always(name))
				return false
			}
		}
	}
	if name == "" && (basic || extra) {
		p.Errorf("empty file name")
		return false
	}
	if basic {
		if i := strings.IndexFunc(name, notPortable); i >= 0 {
			r := []rune(name[i:])[0]
			p.Errorf("nonportable character %s in file name %s", quote.Locale(string(r)), quote.Always(name))
			return false
		}
	} else if _, err := p.Lstat(name); err != nil && (name == "" || sys.Strerror(err) == "Not a directory") {
		p.Errorf("%s: %s", quote.File(name), sys.Strerror(err))
		return false
	}
	longest, longestPart := pathMax, nameMax
	if basic {
		longest, longestPart = posixPathMax, posixNameMax
	}
	if len(name) >= longest {
		p.Errorf("limit %d exceeded by length %d of file name %s", longest-1, len(name), quote.Always(name))
		return false
	}
	for _, part := range components(name) {
		if len(part) > longestPart {
			p.Errorf("limit %d exceeded by length %d of file name component %s", longestPart, len(part), quote.Locale(part))
			return false
		}
	}
	return true
}

func notPortable(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-", r)
}

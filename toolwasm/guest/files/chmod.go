package files

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const chmodHelp = `Usage: chmod [OPTION]... MODE[,MODE]... FILE...
       chmod [OPTION]... OCTAL-MODE FILE...
       chmod [OPTION]... --reference=RFILE FILE...
Change the modes of files. MODE is [ugoa]*([-+=]([rwxXst]*|[ugo]))+ or [-+=]OCTAL.

  -c, --changes          tell about changes
  -f, --silent, --quiet  no error messages
  -R, --recursive        change directories and what they hold
      --reference=RFILE  use the mode of RFILE
      --no-preserve-root treat / like any other directory
      --preserve-root    refuse to work recursively on /
  -v, --verbose          tell about every file
`

const chownHelp = `Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
       chgrp [OPTION]... GROUP FILE...
Set the owner of files. The sandbox has one user and one group: naming another is an error.

  -c, --changes          tell about changes
  -f, --silent, --quiet  no error messages
  -h, --no-dereference   accepted
  -H, -L, -P             accepted
  -R, --recursive        directories and what they hold
      --reference=RFILE  use the owner of RFILE
  -v, --verbose          tell about every file
`

// modeChanger is a running chmod.
type modeChanger struct {
	p         *command.Proc
	expr      perm.Expr
	recursive bool
	changes   bool
	verbose   bool
	quiet     bool
	failed    bool
}

// extractMode takes a mode like -w or -rwx,+x out of the arguments: it looks like an option.
func extractMode(args []string) (mode string, rest []string) {
	for i, a := range args {
		if a == "--" {
			break
		}
		if len(a) < 2 || a[0] != '-' || !strings.ContainsRune("rwxXstugoa,+=01234567", rune(a[1])) {
			continue
		}
		if _, ok := perm.Parse(a); ok {
			return a, append(append([]string(nil), args[:i]...), args[i+1:]...)
		}
	}
	return "", args
}

func chmod(p *command.Proc) int {
	mode, rest := extractMode(p.Args)
	p.Args = rest
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cfRv", Unsupported: "hHLP",
		Long: []getopt.Long{
			{Name: "changes", Short: 'c'},
			{Name: "silent", Short: 'f'},
			{Name: "quiet", Short: 'f'},
			{Name: "recursive", Short: 'R'},
			{Name: "reference", Arg: getopt.Required},
			{Name: "verbose", Short: 'v'},
			{Name: "no-preserve-root"},
			{Name: "preserve-root"},
		},
	})
	m := &modeChanger{p: p}
	reference := ""
	for _, o := range opts {
		switch o.Name {
		case "c":
			m.changes = true
		case "f":
			m.quiet = true
		case "R":
			m.recursive = true
		case "v":
			m.verbose = true
		case "reference":
			reference = o.Arg
		}
	}
	optionMode := mode != ""
	if mode == "" && reference == "" {
		if len(operands) == 0 {
			return p.Usage(1, "missing operand")
		}
		mode, operands = operands[0], operands[1:]
	}
	if len(operands) == 0 {
		if reference != "" {
			return p.Usage(1, "missing operand")
		}
		return p.Usage(1, "missing operand after %s", quote.Locale(mode))
	}
	if reference != "" {
		info, err := p.Stat(reference)
		if err != nil {
			p.Errorf("failed to get attributes of %s: %s", quote.Always(reference), sys.Strerror(err))
			return 1
		}
		m.expr = perm.Exactly(perm.Bits(info.Mode))
	} else {
		expr, ok := perm.Parse(mode)
		if !ok {
			return p.Usage(1, "invalid mode: %s", quote.Locale(mode))
		}
		m.expr = expr
	}
	for _, name := range operands {
		m.operand(name, optionMode)
	}
	return statusOf(m.failed)
}

func (m *modeChanger) errorf(format string, args ...any) {
	m.failed = true
	if !m.quiet {
		m.p.Errorf(format, args...)
	}
}

func (m *modeChanger) operand(name string, optionMode bool) {
	info, err := m.p.Stat(name)
	if err != nil {
		if l, lerr := m.p.Lstat(name); lerr == nil && l.IsLink() {
			m.errorf("cannot operate on dangling symlink %s", quote.Always(name))
		} else {
			m.errorf("cannot access %s: %s", quote.Always(name), sys.Strerror(err))
		}
		return
	}
	m.change(name, info)
	if !optionMode {
		return
	}
	// chmod -w: when the umask kept a bit that the mode seems to remove, the user should know.
	now, err := m.p.Stat(name)
	naive := perm.FromBits(m.expr.Apply(perm.Bits(info.Mode), info.IsDir(), 0))
	if err == nil && perm.Bits(now.Mode)&^perm.Bits(naive) != 0 {
		m.errorf("%s: new permissions are %s, not %s", quote.File(name), perm.String(now.Mode)[1:], perm.String(naive)[1:])
	}
}

func (m *modeChanger) change(name string, info sys.Info) {
	p := m.p
	p.Yield()
	old := perm.Bits(info.Mode)
	mode := m.expr.Apply(old, info.IsDir(), perm.Bits(p.Umask))
	err := sys.Chmod(p.Path(name), perm.FromBits(mode))
	if err != nil {
		m.errorf("changing permissions of %s: %s", quote.Always(name), sys.Strerror(err))
	}
	m.say(name, info, old, mode, err)
	if m.recursive && info.IsDir() {
		m.descend(name)
	}
}

func (m *modeChanger) descend(dir string) {
	entries, err := sys.ReadDir(m.p.Path(dir))
	if err != nil {
		m.errorf("cannot read directory %s: %s", quote.Always(dir), sys.Strerror(err))
		return
	}
	for _, e := range entries {
		name := joinPath(dir, e.Name())
		info, err := m.p.Lstat(name)
		if err != nil {
			m.errorf("cannot access %s: %s", quote.Always(name), sys.Strerror(err))
			continue
		}
		if info.IsLink() {
			if m.verbose {
				fmt.Fprintf(m.p.Out(), "neither symbolic link %s nor referent has been changed\n", quote.Always(name))
			}
			continue
		}
		m.change(name, info)
	}
}

func (m *modeChanger) say(name string, info sys.Info, old, mode uint32, err error) {
	if !m.verbose && (!m.changes || old == mode || err != nil) {
		return
	}
	out := m.p.Out()
	describe := func(b uint32) string {
		return fmt.Sprintf("%04o (%s)", b, perm.String(perm.FromBits(b))[1:])
	}
	switch {
	case err != nil:
		fmt.Fprintf(out, "failed to change mode of %s from %s to %s\n", quote.Always(name), describe(old), describe(mode))
	case old == mode:
		fmt.Fprintf(out, "mode of %s retained as %s\n", quote.Always(name), describe(old))
	default:
		fmt.Fprintf(out, "mode of %s changed from %s to %s\n", quote.Always(name), describe(old), describe(mode))
	}
}

// chown and chgrp accept the one user and group that exist, so that scripts which set what is already so work.
func chown(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cfhHLPRv",
		Long: []getopt.Long{
			{Name: "changes", Short: 'c'},
			{Name: "silent", Short: 'f'},
			{Name: "quiet", Short: 'f'},
			{Name: "no-dereference", Short: 'h'},
			{Name: "dereference"},
			{Name: "recursive", Short: 'R'},
			{Name: "reference", Arg: getopt.Required},
			{Name: "verbose", Short: 'v'},
			{Name: "from", Arg: getopt.Required},
			{Name: "no-preserve-root"},
			{Name: "preserve-root"},
		},
	})
	quiet, verbose, reference := false, false, ""
	for _, o := range opts {
		switch o.Name {
		case "f":
			quiet = true
		case "v":
			verbose = true
		case "reference":
			reference = o.Arg
		}
	}
	if reference == "" {
		if len(operands) == 0 {
			return p.Usage(1, "missing operand")
		}
		if len(operands) == 1 {
			return p.Usage(1, "missing operand after %s", quote.Locale(operands[0]))
		}
		if !checkOwner(p, operands[0]) {
			return 1
		}
		operands = operands[1:]
	}
	failed := false
	for _, name := range operands {
		_, err := p.Stat(name)
		switch {
		case err != nil && !quiet:
			p.Errorf("cannot access %s: %s", quote.Always(name), sys.Strerror(err))
			failed = true
		case err != nil:
			failed = true
		case verbose && p.Name == "chgrp":
			fmt.Fprintf(p.Out(), "group of %s retained as %s\n", quote.Always(name), sys.Group)
		case verbose:
			fmt.Fprintf(p.Out(), "ownership of %s retained as %s\n", quote.Always(name), sys.User)
		}
	}
	return statusOf(failed)
}

func checkOwner(p *command.Proc, spec string) bool {
	owner, group, _ := strings.Cut(spec, ":")
	if p.Name == "chgrp" {
		owner, group = "", spec
	}
	switch {
	case owner != "" && owner != sys.User && owner != fmt.Sprint(sys.UID):
		p.Errorf("invalid user: %s: the sandbox has only the user %s", quote.Locale(spec), sys.User)
		return false
	case group != "" && group != sys.Group && group != fmt.Sprint(sys.GID):
		p.Errorf("invalid group: %s: the sandbox has only the group %s", quote.Locale(group), sys.Group)
		return false
	}
	return true
}

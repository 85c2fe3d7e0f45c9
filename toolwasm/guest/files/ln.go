package files

import (
	"fmt"
	"path"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const lnHelp = `Usage: ln [OPTION]... [-T] TARGET LINK_NAME
       ln [OPTION]... TARGET
       ln [OPTION]... TARGET... DIRECTORY
       ln [OPTION]... -t DIRECTORY TARGET...
Make hard links, or symbolic links with -s.

      --backup[=CONTROL]     keep a backup of each file that is replaced
  -b                         like --backup without an argument
  -f, --force                remove existing destinations
  -i, --interactive          ask before removing a destination
  -L, --logical              hard link what a symbolic link points to
  -n, --no-dereference       treat LINK_NAME as a file when it is a link to a directory
  -P, --physical             hard link symbolic links themselves
  -r, --relative             with -s, make the text of the link relative to its place
  -s, --symbolic             make symbolic links
  -S, --suffix=SUFFIX        end backup names with SUFFIX
  -t, --target-directory=DIRECTORY  make the links in DIRECTORY
  -T, --no-target-directory  treat LINK_NAME as a file always
  -v, --verbose              tell what is done
`

// linker is a running ln.
type linker struct {
	p        *command.Proc
	backups  backups
	force    bool
	ask      bool
	logical  bool
	relative bool
	symbolic bool
	verbose  bool
}

func ln(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "fiLnPrst:Tv" + backupShort, Unsupported: "dF", UnsupLong: []string{"directory"},
		Long: append(backupLong(),
			getopt.Long{Name: "force", Short: 'f'}, getopt.Long{Name: "interactive", Short: 'i'},
			getopt.Long{Name: "logical", Short: 'L'}, getopt.Long{Name: "no-dereference", Short: 'n'},
			getopt.Long{Name: "physical", Short: 'P'}, getopt.Long{Name: "relative", Short: 'r'},
			getopt.Long{Name: "symbolic", Short: 's'},
			getopt.Long{Name: "target-directory", Arg: getopt.Required, Short: 't'},
			getopt.Long{Name: "no-target-directory", Short: 'T'}, getopt.Long{Name: "verbose", Short: 'v'}),
	})
	l := &linker{p: p}
	var t targets
	for _, o := range opts {
		if l.backups.option(p, o) {
			continue
		}
		switch o.Name {
		case "f":
			l.force, l.ask = true, false
		case "i":
			l.ask, l.force = true, false
		case "L":
			l.logical = true
		case "P":
			l.logical = false
		case "n":
			t.noDeref = true
		case "r":
			l.relative = true
		case "s":
			l.symbolic = true
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		case "v":
			l.verbose = true
		}
	}
	if l.relative && !l.symbolic {
		return p.Usage(1, "cannot do --relative without --symbolic")
	}
	var pairs []pair
	if len(operands) == 1 && t.dir == "" && !t.noDir {
		pairs = []pair{{operands[0], "./" + baseName(operands[0])}}
	} else {
		pairs = t.plan(p, operands)
	}
	failed := false
	for _, pr := range pairs {
		failed = !l.link(pr.src, pr.dst) || failed
	}
	return statusOf(failed)
}

func (l *linker) link(target, name string) bool {
	p := l.p
	var info sys.Info
	if !l.symbolic {
		var err error
		if info, err = stat(p, target, l.logical); err != nil {
			p.Errorf("failed to access %s: %s", quote.Always(target), sys.Strerror(err))
			return false
		}
		if info.IsDir() {
			p.Errorf("%s: hard link not allowed for directory", quote.File(target))
			return false
		}
	}
	backup, goOn, ok := l.prepare(target, name, info)
	if !goOn {
		return ok
	}
	text := target
	var err error
	if l.symbolic {
		if l.relative {
			text = l.relativeText(target, name)
		}
		err = sys.Symlink(text, p.Path(name))
	} else {
		err = l.hard(target, name)
	}
	if err != nil {
		l.report(target, name, err)
		return false
	}
	if l.verbose {
		arrow := "=>"
		if l.symbolic {
			arrow = "->"
		}
		prefix := ""
		if backup != "" {
			prefix = quote.Always(backup) + " ~ "
		}
		fmt.Fprintf(p.Out(), "%s%s %s %s\n", prefix, quote.Always(name), arrow, quote.Always(text))
	}
	return true
}

func (l *linker) hard(target, name string) error {
	from := l.p.Path(target)
	if l.logical {
		if r, err := resolve(l.p, target, resolveExisting); err == nil {
			from = r
		}
	}
	return sys.Link(from, l.p.Path(name))
}

func (l *linker) report(target, name string, err error) {
	kind := "hard"
	if l.symbolic {
		kind = "symbolic"
	}
	if l.symbolic || exists(l.p, name) {
		l.p.Errorf("failed to create %s link %s: %s", kind, quote.Always(name), sys.Strerror(err))
		return
	}
	l.p.Errorf("failed to create %s link %s => %s: %s", kind, quote.Always(name), quote.Always(target), sys.Strerror(err))
}

// prepare makes room for the link.
func (l *linker) prepare(target, name string, info sys.Info) (backup string, goOn, ok bool) {
	p := l.p
	replace := l.force || l.ask || l.backups.control != backupNone
	old, err := p.Lstat(name)
	if err != nil || !replace {
		return "", true, true
	}
	if old.IsDir() {
		p.Errorf("%s: cannot overwrite directory", quote.File(name))
		return "", false, false
	}
	if !l.symbolic && old.Same(info) && l.force && p.Path(target) != p.Path(name) {
		return "", false, true // two names of one file already
	}
	if (!l.symbolic && old.Same(info)) || (l.symbolic && p.Path(target) == p.Path(name)) {
		p.Errorf("%s and %s are the same file", quote.Always(target), quote.Always(name))
		return "", false, false
	}
	if l.ask && !confirm(p, fmt.Sprintf("replace %s? ", quote.Always(name))) {
		return "", false, true
	}
	backup, err = l.backups.save(p, name)
	if err == nil && backup == "" {
		err = sys.Unlink(p.Path(name))
	}
	if err != nil {
		p.Errorf("cannot remove %s: %s", quote.Always(name), sys.Strerror(err))
		return "", false, false
	}
	return backup, true, true
}

// relativeText is the way from the link's directory to the target.
func (l *linker) relativeText(target, name string) string {
	dir, err := resolve(l.p, dirName(name), resolveAny)
	if err != nil {
		dir = path.Clean(l.p.Path(dirName(name)))
	}
	to, err := resolve(l.p, target, resolveAny)
	if err != nil {
		to = path.Clean(l.p.Path(target))
	}
	return strings.TrimSuffix(relativeTo(dir, to), "/")
}

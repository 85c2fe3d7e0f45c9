package files

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const mkdirHelp = `Usage: mkdir [OPTION]... DIRECTORY...
Make directories.

  -m, --mode=MODE   give them this mode, as chmod reads it, instead of a=rwx minus the umask
  -p, --parents     make missing parents too; an existing directory is no error
  -v, --verbose     tell what is done
`

const rmdirHelp = `Usage: rmdir [OPTION]... DIRECTORY...
Remove empty directories.

      --ignore-fail-on-non-empty  a directory that is not empty is no error
  -p, --parents     remove the parents in each name too: rmdir -p a/b is rmdir a/b a
  -v, --verbose     tell what is done
`

// dirMaker makes directories.
type dirMaker struct {
	p       *command.Proc
	mode    fs.FileMode // of the directory itself
	parents bool
	verbose bool
}

func mkdir(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "m:pv", Unsupported: "Z", UnsupLong: []string{"context"},
		Long: []getopt.Long{
			{Name: "mode", Arg: getopt.Required, Short: 'm'}, {Name: "parents", Short: 'p'}, {Name: "verbose", Short: 'v'},
		},
	})
	d := &dirMaker{p: p, mode: 0o777 &^ p.Umask}
	for _, o := range opts {
		switch o.Name {
		case "m":
			expr, ok := perm.Parse(o.Arg)
			if !ok {
				p.Errorf("invalid mode %s", quote.Locale(o.Arg))
				return 1
			}
			mode, decided := expr.Adjust(perm.RWX, true, perm.Bits(p.Umask))
			d.mode = perm.FromBits(mode&decided | perm.Bits(d.mode)&^decided)
		case "p":
			d.parents = true
		case "v":
			d.verbose = true
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	failed := false
	for _, name := range operands {
		failed = !d.make(name) || failed
	}
	return statusOf(failed)
}

func (d *dirMaker) make(name string) bool {
	p := d.p
	if d.parents {
		return d.makeAll(name)
	}
	if err := sys.Mkdir(p.Path(trimSlashes(name)), d.mode); err != nil {
		p.Errorf("cannot create directory %s: %s", quote.Locale(name), sys.Strerror(err))
		return false
	}
	d.say(name)
	return true
}

func (d *dirMaker) say(name string) {
	if d.verbose {
		fmt.Fprintf(d.p.Out(), "%s: created directory %s\n", d.p.Name, quote.Always(name))
	}
}

// makeAll makes name and the parents it lacks.
func (d *dirMaker) makeAll(name string) bool {
	p := d.p
	if info, err := p.Stat(name); err == nil && info.IsDir() {
		return true
	}
	trimmed := trimSlashes(name)
	if name == "" {
		p.Errorf("cannot create directory %s: No such file or directory", quote.Locale(name))
		return false
	}
	for i := 1; i <= len(trimmed); i++ {
		if i < len(trimmed) && (trimmed[i] != '/' || trimmed[i-1] == '/') {
			continue
		}
		part := trimmed[:i]
		mode := d.mode
		if i < len(trimmed) {
			mode = 0o777&^p.Umask | 0o300
		}
		err := sys.Mkdir(p.Path(part), mode)
		if err == nil {
			d.say(part)
			continue
		}
		info, serr := p.Stat(part)
		switch {
		case serr == nil && info.IsDir():
			continue
		case serr == nil && i < len(trimmed):
			err = syscall.ENOTDIR
		}
		p.Errorf("cannot create directory %s: %s", quote.Locale(part), sys.Strerror(err))
		return false
	}
	return true
}

func rmdir(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "pv",
		Long: []getopt.Long{
			{Name: "ignore-fail-on-non-empty"}, {Name: "parents", Short: 'p'}, {Name: "verbose", Short: 'v'},
		},
	})
	var parents, verbose, ignore bool
	for _, o := range opts {
		switch o.Name {
		case "ignore-fail-on-non-empty":
			ignore = true
		case "p":
			parents = true
		case "v":
			verbose = true
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	failed := false
	remove := func(name string, parent bool) bool {
		if verbose {
			fmt.Fprintf(p.Out(), "rmdir: removing directory, %s\n", quote.Always(name))
		}
		err := sys.Rmdir(p.Path(trimSlashes(name)))
		if err == nil {
			return true
		}
		if ignore && (errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)) {
			return false
		}
		failed = true
		if parent {
			p.Errorf("failed to remove directory %s: %s", quote.Always(name), sys.Strerror(err))
		} else {
			p.Errorf("failed to remove %s: %s", quote.Always(name), sys.Strerror(err))
		}
		return false
	}
	for _, name := range operands {
		ok := remove(name, false)
		for rest := trimSlashes(name); ok && parents && strings.Contains(rest, "/"); {
			rest = trimSlashes(rest[:strings.LastIndexByte(rest, '/')])
			if rest == "" {
				break
			}
			ok = remove(rest, true)
		}
	}
	return statusOf(failed)
}

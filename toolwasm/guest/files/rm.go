package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const rmHelp = `Usage: rm [OPTION]... [FILE]...
Remove files, and with -r directories.

  -d, --dir              remove empty directories
  -f, --force            ignore files that do not exist, never ask
  -i                     ask before each removal
  -I                     ask once before removing more than three files or a directory
      --interactive[=WHEN]  ask never, once (-I) or always (-i)
      --no-preserve-root treat / like any other directory
      --one-file-system  do not leave the filesystem of an operand
      --preserve-root    refuse to remove / (this is the default)
  -r, -R, --recursive    remove directories with what they hold
  -v, --verbose          tell what is done
`

// manyFiles is how many operands rm -I removes without asking.
const manyFiles = 3

// remover is a running rm.
type remover struct {
	p         *command.Proc
	recursive bool
	emptyDirs bool
	force     bool
	ask       bool
	verbose   bool
	oneDevice bool
	root      bool // --no-preserve-root
	failed    bool
}

func rm(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "dfiIrRv",
		Long: []getopt.Long{
			{Name: "dir", Short: 'd'},
			{Name: "force", Short: 'f'},
			{Name: "interactive", Arg: getopt.Optional},
			{Name: "no-preserve-root"},
			{Name: "one-file-system"},
			{Name: "preserve-root", Arg: getopt.Optional},
			{Name: "recursive", Short: 'r'},
			{Name: "verbose", Short: 'v'},
		},
	})
	r := &remover{p: p}
	once := false
	for _, o := range opts {
		switch o.Name {
		case "d":
			r.emptyDirs = true
		case "f":
			r.force, r.ask, once = true, false, false
		case "i":
			r.force, r.ask, once = false, true, false
		case "I":
			r.force, r.ask, once = false, false, true
		case "interactive":
			switch o.Arg {
			case "never", "no", "none":
				r.ask, once = false, false
			case "once":
				r.ask, once = false, true
			case "always", "yes", "":
				r.ask, once = true, false
			default:
				return p.Usage(1, "invalid argument %s for %s", quote.Locale(o.Arg), quote.Locale("--interactive"))
			}
		case "no-preserve-root":
			r.root = true
		case "preserve-root":
			r.root = false
		case "one-file-system":
			r.oneDevice = true
		case "r", "R":
			r.recursive = true
		case "v":
			r.verbose = true
		}
	}
	if len(operands) == 0 {
		if r.force {
			return 0
		}
		return p.Usage(1, "missing operand")
	}
	if once && (len(operands) > manyFiles || r.recursive) && !r.confirmAll(len(operands)) {
		return 0
	}
	for _, name := range operands {
		r.operand(name)
	}
	return statusOf(r.failed)
}

func (r *remover) confirmAll(n int) bool {
	things, how := "arguments", ""
	if n == 1 {
		things = "argument"
	}
	if r.recursive {
		how = " recursively"
	}
	return confirm(r.p, fmt.Sprintf("remove %d %s%s? ", n, things, how))
}

func (r *remover) errorf(format string, args ...any) {
	r.failed = true
	r.p.Errorf(format, args...)
}

// operand removes one name from the command line.
func (r *remover) operand(name string) {
	if r.recursive && isDotOrDotDot(path.Base(trimSlashes(name))) && trimSlashes(name) != "/" {
		r.errorf("refusing to remove '.' or '..' directory: skipping %s", quote.Always(name))
		return
	}
	info, err := r.p.Lstat(name)
	if err != nil {
		missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if r.force && missing {
			return
		}
		r.errorf("cannot remove %s: %s", quote.Always(name), sys.Strerror(err))
		return
	}
	if r.recursive && !r.root && info.IsDir() {
		if root, err := r.p.Stat("/"); err == nil && root.Same(info) {
			if name == "/" {
				r.errorf("it is dangerous to operate recursively on %s", quote.Always(name))
			} else {
				r.errorf("it is dangerous to operate recursively on %s (same as %s)", quote.Always(name), quote.Always("/"))
			}
			r.errorf("use --no-preserve-root to override this failsafe")
			return
		}
	}
	r.remove(name, info)
}

// remove removes name and reports whether it is gone.
func (r *remover) remove(name string, info sys.Info) bool {
	r.p.Yield()
	if info.IsDir() {
		return r.removeDir(name, info)
	}
	if !r.agreed("remove %s %s? ", typeName(info), name) {
		return false
	}
	if err := sys.Unlink(r.p.Path(name)); err != nil {
		r.errorf("cannot remove %s: %s", quote.Always(name), sys.Strerror(err))
		return false
	}
	if r.verbose {
		fmt.Fprintf(r.p.Out(), "removed %s\n", quote.Always(name))
	}
	return true
}

func (r *remover) agreed(format, what, name string) bool {
	if !r.ask {
		return true
	}
	return confirm(r.p, fmt.Sprintf(format, what, quote.Always(name)))
}

func (r *remover) removeDir(name string, info sys.Info) bool {
	if !r.recursive && !r.emptyDirs {
		r.errorf("cannot remove %s: Is a directory", quote.Always(name))
		return false
	}
	if r.recursive && !r.removeEntries(name, info) {
		return false
	}
	if !r.agreed("remove %s %s? ", "directory", name) {
		return false
	}
	if err := sys.Rmdir(r.p.Path(trimSlashes(name))); err != nil {
		r.errorf("cannot remove %s: %s", quote.Always(name), sys.Strerror(err))
		return false
	}
	if r.verbose {
		fmt.Fprintf(r.p.Out(), "removed directory %s\n", quote.Always(name))
	}
	return true
}

// removeEntries empties a directory.
func (r *remover) removeEntries(name string, dir sys.Info) bool {
	entries, err := sys.ReadDir(r.p.Path(name))
	if err != nil {
		r.errorf("cannot remove %s: %s", quote.Always(name), sys.Strerror(err))
		return false
	}
	if len(entries) > 0 && !r.agreed("descend into %s %s? ", "directory", name) {
		return false
	}
	all := true
	for _, e := range entries {
		child := joinPath(name, e.Name())
		info, err := r.p.Lstat(child)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			r.errorf("cannot remove %s: %s", quote.Always(child), sys.Strerror(err))
			all = false
		case r.oneDevice && info.Dev != dir.Dev:
			r.errorf("skipping %s, since it's on a different device", quote.Always(child))
			all = false
		default:
			all = r.remove(child, info) && all
		}
	}
	return all
}

// typeName names the kind of a file as stat and rm do.
func typeName(i sys.Info) string {
	switch m := i.Mode; {
	case m.IsRegular() && i.Size == 0:
		return "regular empty file"
	case m.IsRegular():
		return "regular file"
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeCharDevice != 0:
		return "character special file"
	case m&fs.ModeDevice != 0:
		return "block special file"
	}
	return "weird file"
}

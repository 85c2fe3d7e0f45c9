package files

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const mvHelp = `Usage: mv [OPTION]... [-T] SOURCE DEST
       mv [OPTION]... SOURCE... DIRECTORY
       mv [OPTION]... -t DIRECTORY SOURCE...
Rename files, or move them into a directory.

      --backup[=CONTROL]     keep a backup of each file that is replaced
  -b                         like --backup without an argument
  -f, --force                do not ask before replacing a file
  -i, --interactive          ask before replacing a file
  -n, --no-clobber           leave existing files as they are
      --strip-trailing-slashes  remove slashes at the end of the sources
  -S, --suffix=SUFFIX        end backup names with SUFFIX
  -t, --target-directory=DIRECTORY  move into DIRECTORY
  -T, --no-target-directory  treat DEST as a file, even when it is a directory
  -u, --update               move only what is newer than the destination
  -v, --verbose              tell what is done
`

// mover is a running mv.
type mover struct {
	p         *command.Proc
	backups   backups
	ask       bool
	noClobber bool
	update    bool
	verbose   bool
	failed    bool
}

func mv(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "fint:Tuv" + backupShort, Unsupported: "Z", UnsupLong: []string{"context"},
		Long: append(backupLong(),
			getopt.Long{Name: "force", Short: 'f'}, getopt.Long{Name: "interactive", Short: 'i'},
			getopt.Long{Name: "no-clobber", Short: 'n'}, getopt.Long{Name: "strip-trailing-slashes"},
			getopt.Long{Name: "target-directory", Arg: getopt.Required, Short: 't'},
			getopt.Long{Name: "no-target-directory", Short: 'T'}, getopt.Long{Name: "update", Short: 'u'},
			getopt.Long{Name: "verbose", Short: 'v'}),
	})
	m := &mover{p: p}
	var t targets
	for _, o := range opts {
		if m.backups.option(p, o) {
			continue
		}
		switch o.Name {
		case "f":
			m.ask, m.noClobber = false, false
		case "i":
			m.ask, m.noClobber = true, false
		case "n":
			m.ask, m.noClobber = false, true
		case "strip-trailing-slashes":
			t.trimSlash = true
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		case "u":
			m.update = true
		case "v":
			m.verbose = true
		}
	}
	for _, pr := range t.plan(p, operands) {
		m.move(pr.src, pr.dst)
	}
	return statusOf(m.failed)
}

func (m *mover) errorf(format string, args ...any) {
	m.failed = true
	m.p.Errorf(format, args...)
}

func (m *mover) move(src, dst string) {
	p := m.p
	info, err := p.Lstat(src)
	if err != nil {
		m.errorf("cannot stat %s: %s", quote.Always(src), sys.Strerror(err))
		return
	}
	backup, goOn := m.prepare(src, dst, info)
	if !goOn {
		return
	}
	if info.IsDir() && m.inside(info, dst) {
		m.errorf("cannot move %s to a subdirectory of itself, %s", quote.Always(src), quote.Always(dst))
		return
	}
	err = m.rename(src, dst, info)
	switch {
	case errors.Is(err, syscall.EXDEV):
		m.copyAcross(src, dst, info)
		return
	case err != nil:
		m.errorf("cannot move %s to %s: %s", quote.Always(src), quote.Always(dst), sys.Strerror(err))
		return
	}
	if m.verbose {
		tail := ""
		if backup != "" {
			tail = fmt.Sprintf(" (backup: %s)", quote.Always(backup))
		}
		fmt.Fprintf(p.Out(), "renamed %s -> %s%s\n", quote.Always(src), quote.Always(dst), tail)
	}
}

// rename moves the name itself. A destination with a trailing slash has to be a directory.
func (m *mover) rename(src, dst string, info sys.Info) error {
	if strings.HasSuffix(dst, "/") && !info.IsDir() && !exists(m.p, dst) {
		return syscall.ENOTDIR
	}
	if trimmed := trimSlashes(src); trimmed != src {
		if link, err := m.p.Lstat(trimmed); err == nil && link.IsLink() {
			return syscall.ENOTDIR
		}
	}
	return sys.Rename(m.p.Path(trimSlashes(src)), m.p.Path(trimSlashes(dst)))
}

// inside reports whether dst lies in the directory that info describes.
func (m *mover) inside(info sys.Info, dst string) bool {
	dir := dirName(dst)
	const deepest = 4096
	for range deepest {
		d, err := m.p.Stat(dir)
		if err != nil {
			return false
		}
		if d.Same(info) {
			return true
		}
		up, err := m.p.Stat(dir + "/..")
		if err != nil || up.Same(d) {
			return false
		}
		dir += "/.."
	}
	return false
}

// prepare decides about an existing destination.
func (m *mover) prepare(src, dst string, info sys.Info) (backup string, goOn bool) {
	old, err := m.p.Lstat(dst)
	if err != nil {
		return "", true
	}
	if m.noClobber || (m.update && !old.Mtime.Before(info.Mtime) && !old.IsDir()) {
		return "", false
	}
	if m.sameFile(src, old, info) && m.backups.control == backupNone {
		if info.IsDir() && strings.HasSuffix(dst, "/"+baseName(src)) && src != dst {
			m.errorf("cannot move %s to a subdirectory of itself, %s", quote.Always(src), quote.Always(dst))
			return "", false
		}
		m.errorf("%s and %s are the same file", quote.Always(src), quote.Always(dst))
		return "", false
	}
	switch {
	case info.IsDir() && !old.IsDir():
		m.errorf("cannot overwrite non-directory %s with directory %s", quote.Always(dst), quote.Always(src))
		return "", false
	case !info.IsDir() && old.IsDir():
		m.errorf("cannot overwrite directory %s with non-directory", quote.Always(dst))
		return "", false
	}
	if m.ask && !confirm(m.p, fmt.Sprintf("overwrite %s? ", quote.Always(dst))) {
		return "", false
	}
	backup, err = m.backups.save(m.p, dst)
	if err != nil {
		m.errorf("cannot backup %s: %s", quote.Always(dst), sys.Strerror(err))
		return "", false
	}
	return backup, true
}

// sameFile reports whether src is the destination, or a link to it.
func (m *mover) sameFile(src string, old, info sys.Info) bool {
	if old.Same(info) {
		return true
	}
	target, err := m.p.Stat(src)
	return info.IsLink() && err == nil && target.Same(old)
}

// copyAcross moves between filesystems: copy everything, then remove the source.
func (m *mover) copyAcross(src, dst string, info sys.Info) {
	p := m.p
	if old, err := p.Lstat(dst); err == nil {
		if err := removeOne(p, dst, old); err != nil {
			m.errorf("inter-device move failed: %s to %s; unable to remove target: %s",
				quote.Always(src), quote.Always(dst), sys.Strerror(err))
			return
		}
	}
	c := &copier{p: p, recursive: true, keepMode: true, keepTimes: true, keepLinks: true, verbose: m.verbose}
	c.copy(src, dst, info)
	if c.failed {
		m.failed = true
		return
	}
	r := &remover{p: p, recursive: true, force: true, verbose: m.verbose}
	r.remove(src, info)
	m.failed = m.failed || r.failed
}

func removeOne(p *command.Proc, name string, info sys.Info) error {
	if info.IsDir() {
		return sys.Rmdir(p.Path(name))
	}
	return sys.Unlink(p.Path(name))
}

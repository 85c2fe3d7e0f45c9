package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// copyBuffer is how much cp moves at a time.
const copyBuffer = 128 << 10

// follow says when a symbolic link stands for its target.
type follow int

const (
	followNever    follow = iota // -P
	followOperands               // -H
	followAlways                 // -L
)

// fileID identifies a file across names.
type fileID struct{ dev, ino uint64 }

func idOf(i sys.Info) fileID { return fileID{i.Dev, i.Ino} }

// copier copies files and trees. It is what cp does, and mv between filesystems.
type copier struct {
	p       *command.Proc
	backups backups

	follow     follow
	recursive  bool
	force      bool // -f: remove a destination that cannot be opened
	removeDest bool
	noClobber  bool
	ask        bool
	update     bool
	verbose    bool
	hardLink   bool // -l
	symLink    bool // -s
	attrsOnly  bool

	keepMode   bool
	keepTimes  bool
	keepLinks  bool
	noKeepMode bool // --no-preserve=mode
	oneDevice  bool

	links   map[fileID]string // where the first name of a file with several went
	made    map[fileID]bool   // directories that this copy created
	written map[string]fileID // destinations written by an earlier operand, with their sources
	top     pair              // the operand being copied
	inside  bool              // the copy met itself
	buf     []byte
	failed  bool
}

func (c *copier) errorf(format string, args ...any) {
	c.failed = true
	c.p.Errorf(format, args...)
}

// copyOperand copies one source named on the command line.
func (c *copier) copyOperand(src, dst string) {
	info, err := stat(c.p, src, c.follow != followNever)
	if err != nil {
		c.errorf("cannot stat %s: %s", quote.Always(src), sys.Strerror(err))
		return
	}
	if from, twice := c.written[dst]; twice && !info.IsDir() && c.backups.control != backupNumbered {
		if from == idOf(info) {
			c.p.Errorf("warning: source file %s specified more than once", quote.Always(src))
			return
		}
		c.errorf("will not overwrite just-created %s with %s", quote.Always(dst), quote.Always(src))
		return
	}
	if c.written == nil {
		c.written = map[string]fileID{}
	}
	c.written[dst] = idOf(info)
	c.top, c.inside = pair{src, dst}, false
	c.copy(src, dst, info)
}

// copy copies src, described by info, to dst.
func (c *copier) copy(src, dst string, info sys.Info) {
	c.p.Yield()
	if info.IsDir() {
		c.copyDir(src, dst, info)
		return
	}
	backup, goOn := c.prepare(src, dst, info)
	if !goOn {
		return
	}
	if !c.make(src, dst, info) {
		return
	}
	c.say(src, dst, backup)
}

func (c *copier) say(src, dst, backup string) {
	if !c.verbose {
		return
	}
	tail := ""
	if backup != "" {
		tail = fmt.Sprintf(" (backup: %s)", quote.Always(backup))
	}
	fmt.Fprintf(c.p.Out(), "%s -> %s%s\n", quote.Always(src), quote.Always(dst), tail)
}

// prepare decides about an existing destination: leave it, refuse, or clear the way.
func (c *copier) prepare(src, dst string, info sys.Info) (backup string, goOn bool) {
	old, err := c.p.Lstat(dst)
	if err != nil {
		return "", true
	}
	target := old
	if old.IsLink() {
		t, err := c.p.Stat(dst)
		if err == nil {
			target = t
		}
	}
	if c.noClobber {
		return "", false
	}
	if c.update && !target.Mtime.Before(info.Mtime) {
		return "", false
	}
	if target.Same(info) && !c.sameIsFine(old, target, info) {
		c.errorf("%s and %s are the same file", quote.Always(src), quote.Always(dst))
		return "", false
	}
	if target.IsDir() && !old.IsLink() {
		c.errorf("cannot overwrite directory %s with non-directory", quote.Always(dst))
		return "", false
	}
	if c.ask && !confirm(c.p, fmt.Sprintf("overwrite %s? ", quote.Always(dst))) {
		return "", false
	}
	backup, err = c.backups.save(c.p, dst)
	if err != nil {
		c.errorf("cannot backup %s: %s", quote.Always(dst), sys.Strerror(err))
		return "", false
	}
	if backup != "" {
		return backup, true
	}
	if c.clearFirst(info, old) {
		if err := sys.Unlink(c.p.Path(dst)); err != nil {
			c.errorf("cannot remove %s: %s", quote.Always(dst), sys.Strerror(err))
			return "", false
		}
	}
	return "", true
}

// sameIsFine reports whether copying a file onto another name of itself makes sense.
func (c *copier) sameIsFine(old, target, info sys.Info) bool {
	if c.backups.control != backupNone || c.hardLink {
		return true
	}
	if old.IsLink() && (c.removeDest || c.symLink || info.IsLink()) {
		return !old.Same(info)
	}
	return c.removeDest && info.Nlink > 1 && target.Nlink > 1
}

// clearFirst reports whether the destination has to go before the copy is made.
func (c *copier) clearFirst(info, old sys.Info) bool {
	if c.removeDest || info.IsLink() {
		return true
	}
	if (c.hardLink || c.symLink) && (c.force || c.ask) {
		return true
	}
	return c.recursive && c.follow == followNever && old.IsLink()
}

// make creates dst from a source that is not a directory.
func (c *copier) make(src, dst string, info sys.Info) bool {
	p := c.p
	switch {
	case c.symLink:
		if !strings.HasPrefix(src, "/") && strings.Contains(dst, "/") && trimSlashes(dirName(dst)) != "." {
			c.errorf("%s: can make relative symbolic links only in current directory", quote.File(dst))
			return false
		}
		return c.check(sys.Symlink(src, p.Path(dst)), "cannot create symbolic link %s to %s: %s", dst, src)
	case c.hardLink:
		return c.link(src, dst)
	}
	if c.keepLinks && info.Nlink > 1 {
		if first, ok := c.links[idOf(info)]; ok {
			_ = sys.Unlink(p.Path(dst))
			return c.link(first, dst)
		}
		if c.links == nil {
			c.links = map[fileID]string{}
		}
		c.links[idOf(info)] = dst
	}
	switch {
	case info.IsLink():
		return c.copyLink(src, dst, info)
	case info.IsRegular() || !c.recursive || info.Mode&fs.ModeCharDevice != 0:
		return c.copyData(src, dst, info)
	}
	c.errorf("cannot create special file %s: Operation not supported", quote.Always(dst))
	return false
}

func (c *copier) link(src, dst string) bool {
	return c.check(sys.Link(c.p.Path(src), c.p.Path(dst)), "cannot create hard link %s to %s: %s", dst, src)
}

// check reports err about two names.
func (c *copier) check(err error, format, a, b string) bool {
	if err != nil {
		c.errorf(format, quote.Always(a), quote.Always(b), sys.Strerror(err))
	}
	return err == nil
}

func (c *copier) copyLink(src, dst string, info sys.Info) bool {
	target, err := sys.Readlink(c.p.Path(src))
	if err != nil {
		c.errorf("cannot read symbolic link %s: %s", quote.Always(src), sys.Strerror(err))
		return false
	}
	if err := sys.Symlink(target, c.p.Path(dst)); err != nil {
		c.errorf("cannot create symbolic link %s: %s", quote.Always(dst), sys.Strerror(err))
		return false
	}
	if c.keepTimes {
		_ = sys.Lchtimes(c.p.Path(dst), info.Atime, info.Mtime)
	}
	return true
}

func (c *copier) copyData(src, dst string, info sys.Info) bool {
	p := c.p
	in, err := p.Open(src)
	if err != nil {
		c.errorf("cannot open %s for reading: %s", quote.Always(src), sys.Strerror(err))
		return false
	}
	defer in.Close()
	out, err := c.openDestination(dst, info)
	if err != nil {
		c.errorf("cannot create regular file %s: %s", quote.Always(dst), sys.Strerror(err))
		return false
	}
	if !c.attrsOnly {
		if c.buf == nil {
			c.buf = make([]byte, copyBuffer)
		}
		err = pump(p, out, in, c.buf)
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		c.errorf("error copying %s to %s: %s", quote.Always(src), quote.Always(dst), sys.Strerror(err))
		return false
	}
	c.attributes(dst, info)
	return true
}

// pump copies in to out until the end.
func pump(p *command.Proc, out io.Writer, in io.Reader, buf []byte) error {
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if _, e := out.Write(buf[:n]); e != nil {
				return e
			}
			p.Yield()
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (c *copier) openDestination(dst string, info sys.Info) (command.File, error) {
	p := c.p
	mode := fs.FileMode(0o666)
	if !c.noKeepMode {
		mode = info.Mode.Perm()
	}
	old, lerr := p.Lstat(dst)
	if lerr == nil && old.IsLink() {
		if _, err := p.Stat(dst); errors.Is(err, fs.ErrNotExist) {
			c.errorf("not writing through dangling symlink %s", quote.Always(dst))
			p.Exit(1)
		}
	}
	if lerr != nil && strings.HasSuffix(dst, "/") {
		return nil, syscall.ENOTDIR
	}
	f, err := p.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil && c.force && lerr == nil {
		if e := sys.Unlink(p.Path(dst)); e != nil {
			return nil, err
		}
		return p.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	}
	return f, err
}

// attributes gives dst what is to be kept of the source's.
func (c *copier) attributes(dst string, info sys.Info) {
	full := c.p.Path(dst)
	if c.keepMode {
		if err := sys.Chmod(full, info.Mode); err != nil {
			c.errorf("preserving permissions for %s: %s", quote.Always(dst), sys.Strerror(err))
		}
	}
	if c.keepTimes {
		if err := sys.Chtimes(full, info.Atime, info.Mtime); err != nil {
			c.errorf("preserving times for %s: %s", quote.Always(dst), sys.Strerror(err))
		}
	}
}

func (c *copier) copyDir(src, dst string, info sys.Info) {
	p := c.p
	if !c.recursive {
		c.errorf("-r not specified; omitting directory %s", quote.Always(src))
		return
	}
	if c.made[idOf(info)] {
		c.inside = true
		c.errorf("cannot copy a directory, %s, into itself, %s", quote.Always(c.top.src), quote.Always(c.top.dst))
		return
	}
	old, err := p.Stat(dst)
	isNew := err != nil
	switch {
	case !isNew && !old.IsDir():
		c.errorf("cannot overwrite non-directory %s with directory %s", quote.Always(dst), quote.Always(src))
		return
	case !isNew && old.Same(info):
		c.errorf("cannot copy a directory, %s, into itself, %s", quote.Always(src), quote.Always(dst))
		return
	case isNew:
		if !c.makeDir(src, dst) {
			return
		}
	default:
		c.remember(old)
	}
	c.copyEntries(src, dst, info)
	if isNew && !c.noKeepMode {
		mode := info.Mode
		if !c.keepMode {
			mode = perm.FromBits(perm.Bits(mode)&perm.RWX) &^ p.Umask
		}
		_ = sys.Chmod(p.Path(dst), mode)
	}
	if c.keepTimes || c.keepMode {
		c.attributes(dst, info)
	}
}

// makeDir makes a directory that can be written until the copy is done.
func (c *copier) makeDir(src, dst string) bool {
	p := c.p
	if err := sys.Mkdir(p.Path(trimSlashes(dst)), 0o777&^p.Umask|0o700); err != nil {
		c.errorf("cannot create directory %s: %s", quote.Always(dst), sys.Strerror(err))
		return false
	}
	if made, err := p.Lstat(dst); err == nil {
		c.remember(made)
	}
	c.say(src, dst, "")
	return true
}

// remember notes a destination directory: meeting it as a source means that the tree is copied into itself.
func (c *copier) remember(dir sys.Info) {
	if c.made == nil {
		c.made = map[fileID]bool{}
	}
	c.made[idOf(dir)] = true
}

func (c *copier) copyEntries(src, dst string, dir sys.Info) {
	p := c.p
	entries, err := sys.ReadDir(p.Path(src))
	if err != nil {
		c.errorf("cannot access %s: %s", quote.Always(src), sys.Strerror(err))
		return
	}
	for _, e := range entries {
		from, to := joinPath(src, e.Name()), joinPath(dst, e.Name())
		info, err := stat(p, from, c.follow == followAlways)
		if err != nil {
			c.errorf("cannot stat %s: %s", quote.Always(from), sys.Strerror(err))
			continue
		}
		if c.oneDevice && info.IsDir() && info.Dev != dir.Dev {
			continue
		}
		c.copy(from, to, info)
		if c.inside {
			return
		}
	}
}

package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// oldRegular is the type of regular files in archives of the time before POSIX.
const oldRegular = 0

// extractor handles the members that are asked for.
type extractor struct {
	t     *tape
	dirs  []delayedDir
	links []delayedLink
}

// delayedDir is a directory whose mode and time are set when everything in it is there.
type delayedDir struct {
	path string
	mode fs.FileMode
	time time.Time
}

// delayedLink is a symbolic link that leads outside. Until the end an empty file holds its place, so that no later
// member is written through it.
type delayedLink struct {
	path   string
	target string
	info   sys.Info
	time   time.Time
}

// member handles one member.
func (x *extractor) member(h *tar.Header, r io.Reader) {
	switch x.t.op {
	case 't':
		x.t.listRead(h)
	case 'd':
		x.compare(h, r)
	default:
		x.extract(h, r)
	}
}

// target is where a member goes; "" when it is skipped.
func (x *extractor) target(h *tar.Header) string {
	t := x.t
	name := t.names.rename(h.Name, memberName)
	if t.names.strip > 0 {
		if name = t.names.stripLeading(name); name == "" {
			return ""
		}
	}
	if !t.absolute {
		cut := safePrefix(name)
		if prefix := name[:cut]; cut > 0 && !t.told[prefix] {
			t.told[prefix] = true
			t.p.Errorf("Removing leading `%s' from member names", prefix)
		}
		if hasDotDot(name) {
			t.errorf("%s: Member name contains '..'", quote.Tar(h.Name))
			return ""
		}
		name = name[cut:]
	}
	if strings.IndexByte(name, 0) >= 0 {
		t.errorf("%s: Cannot open: Invalid argument", quote.Tar(name))
		return ""
	}
	if name = trimTrailing(name); name == "" {
		name = "."
	}
	if dir := x.topLevel(); dir != "" && name != dir && !strings.HasPrefix(name, dir+"/") {
		name = dir + "/" + strings.TrimPrefix(name, "./")
	}
	return name
}

func trimTrailing(s string) string {
	for len(s) > 1 && s[len(s)-1] == '/' {
		s = s[:len(s)-1]
	}
	return s
}

// topLevel is the directory of --one-top-level; without a name, the archive's without its suffixes.
func (x *extractor) topLevel() string {
	t := x.t
	if t.topLevel != "\x00" {
		return t.topLevel
	}
	base := path.Base(t.archive)
	for _, c := range codecs() {
		if stem, ok := cutSuffix(base, c.suffixes); ok {
			base = stem
			break
		}
	}
	return strings.TrimSuffix(base, ".tar")
}

func (x *extractor) full(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return strings.TrimSuffix(x.t.dir, "/") + "/" + name
}

func (x *extractor) extract(h *tar.Header, r io.Reader) {
	t := x.t
	name := x.target(h)
	if name == "" {
		return
	}
	t.listRead(h)
	if t.toStdout {
		x.stdout(h, r)
		return
	}
	switch h.Typeflag {
	case tar.TypeDir:
		x.directory(name, h)
	case tar.TypeReg, oldRegular, tar.TypeCont, tar.TypeGNUSparse:
		x.file(name, h, r)
	case tar.TypeSymlink:
		x.symlink(name, h)
	case tar.TypeLink:
		x.hardLink(name, h)
	case tar.TypeFifo, tar.TypeChar, tar.TypeBlock:
		t.errorf("%s: Cannot mknod: Operation not permitted", quote.Tar(name))
	default:
		t.p.Errorf("%s: Unknown file type '%c', extracted as normal file", quote.Tar(name), h.Typeflag)
		x.file(name, h, r)
	}
}

func (x *extractor) stdout(h *tar.Header, r io.Reader) {
	if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse {
		return
	}
	t := x.t
	if t.buf == nil {
		t.buf = make([]byte, copySize)
	}
	if _, err := pump(t.p, t.p.Out(), r, t.buf); err != nil {
		t.truncated(err)
	}
}

// truncated ends tar: the archive stopped in the middle of a member.
func (t *tape) truncated(err error) {
	var pe *fs.PathError
	var we *writeError
	switch {
	case errors.As(err, &we):
		t.fatal("-: Cannot write: %s", sys.Strerror(err))
	case errors.As(err, &pe):
		t.fatal("%s: Cannot write: %s", pe.Path, sys.Strerror(err))
	}
	_ = t.p.Flush()
	t.p.Errorf("Unexpected EOF in archive")
	t.p.Errorf("Error is not recoverable: exiting now")
	t.p.Exit(tarStatus)
}

func (x *extractor) mode(h *tar.Header) fs.FileMode {
	bits := uint32(h.Mode) & perm.All
	if x.t.mode != nil {
		bits = x.t.mode.Apply(bits, h.Typeflag == tar.TypeDir, perm.Bits(x.t.p.Umask))
	}
	if !x.t.preserve {
		bits &^= perm.Bits(x.t.p.Umask) | perm.Setuid | perm.Setgid | perm.Sticky
	}
	return perm.FromBits(bits)
}

// parents makes the directories above name. A link that is still held back counts as missing.
func (x *extractor) parents(name string) error {
	dir := path.Dir(name)
	if dir == "." || dir == "/" {
		return nil
	}
	if info, err := sys.Stat(x.full(dir)); err == nil {
		if info.IsDir() {
			return nil
		}
		return syscall.ENOTDIR
	}
	if err := x.parents(dir); err != nil {
		return err
	}
	return sys.Mkdir(x.full(dir), 0o777&^x.t.p.Umask)
}

func (x *extractor) directory(name string, h *tar.Header) {
	t := x.t
	full := x.full(name)
	info, err := sys.Lstat(full)
	if err == nil && info.IsLink() {
		if target, serr := sys.Stat(full); serr == nil && target.IsDir() && t.keepDirLink {
			return
		}
	}
	mode := x.mode(h)
	if err == nil && info.IsDir() {
		// Its mode is restored only when the archive's is not about the directory that everything goes into.
		if name != "." {
			x.dirs = append(x.dirs, delayedDir{full, mode, h.ModTime})
		}
		return
	}
	if err == nil {
		if x.refuse(name, info, h) {
			return
		}
		_ = sys.Unlink(full)
	}
	err = x.parents(name)
	if err == nil {
		err = sys.Mkdir(full, mode|0o700)
	}
	if err != nil {
		t.errorf("%s: Cannot mkdir: %s", quote.Tar(name), sys.Strerror(err))
		return
	}
	x.dirs = append(x.dirs, delayedDir{full, mode, h.ModTime})
}

// refuse decides about something that is already there, by -k and its kin. It returns true when the member is skipped.
func (x *extractor) refuse(name string, old sys.Info, h *tar.Header) bool {
	t := x.t
	switch {
	case t.keepOld:
		t.errorf("%s: Cannot open: File exists", quote.Tar(name))
		return true
	case t.skipOld:
		return true
	case t.keepNewer && !old.IsDir() && !old.Mtime.Before(h.ModTime):
		t.p.Errorf("Current %s is newer or same age", quote.Locale(name))
		return true
	}
	return false
}

// clear makes room for a member that is no directory.
func (x *extractor) clear(name string, h *tar.Header) bool {
	full := x.full(name)
	old, err := sys.Lstat(full)
	if err != nil {
		return true
	}
	if x.refuse(name, old, h) {
		return false
	}
	if old.IsDir() {
		err = sys.Rmdir(full)
	} else {
		err = sys.Unlink(full)
	}
	if err != nil {
		x.t.errorf("%s: Cannot open: %s", quote.Tar(name), sys.Strerror(err))
		return false
	}
	return true
}

func (x *extractor) file(name string, h *tar.Header, r io.Reader) {
	t := x.t
	if !x.clear(name, h) {
		return
	}
	if err := x.parents(name); err != nil {
		t.errorf("%s: Cannot open: %s", quote.Tar(name), sys.Strerror(err))
		return
	}
	full := x.full(name)
	mode := x.mode(h)
	f, err := sys.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode&0o777)
	if err != nil {
		t.errorf("%s: Cannot open: %s", quote.Tar(name), sys.Strerror(err))
		return
	}
	if t.buf == nil {
		t.buf = make([]byte, copySize)
	}
	_, err = pump(t.p, f, r, t.buf)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		var pe *fs.PathError
		var we *writeError
		if errors.As(err, &pe) || errors.As(err, &we) {
			t.errorf("%s: Cannot write: %s", quote.Tar(name), sys.Strerror(err))
			return
		}
		x.finish()
		t.truncated(err)
	}
	if mode&^0o777 != 0 {
		_ = sys.Chmod(full, mode)
	}
	x.times(full, h)
}

func (x *extractor) times(full string, h *tar.Header) {
	if !x.t.touch {
		_ = sys.Chtimes(full, time.Time{}, h.ModTime)
	}
}

// symlink makes a link; one that leads outside waits until the end.
func (x *extractor) symlink(name string, h *tar.Header) {
	t := x.t
	if !x.clear(name, h) {
		return
	}
	if err := x.parents(name); err != nil {
		t.errorf("%s: Cannot create symlink to %s: %s", quote.Tar(name), quote.Locale(h.Linkname), sys.Strerror(err))
		return
	}
	target := t.names.rename(h.Linkname, symTarget)
	full := x.full(name)
	if !t.absolute && (strings.HasPrefix(target, "/") || hasDotDot(target)) {
		x.delay(name, full, target, h)
		return
	}
	if err := sys.Symlink(target, full); err != nil {
		t.errorf("%s: Cannot create symlink to %s: %s", quote.Tar(name), quote.Locale(target), sys.Strerror(err))
		return
	}
	if !t.touch {
		_ = sys.Lchtimes(full, time.Time{}, h.ModTime)
	}
}

func (x *extractor) delay(name, full, target string, h *tar.Header) {
	f, err := sys.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0)
	if err != nil {
		x.t.errorf("%s: Cannot open: %s", quote.Tar(name), sys.Strerror(err))
		return
	}
	info, err := sys.Fstat(f)
	_ = f.Close()
	if err == nil {
		x.links = append(x.links, delayedLink{full, target, info, h.ModTime})
	}
}

func (x *extractor) hardLink(name string, h *tar.Header) {
	t := x.t
	target := t.names.rename(h.Linkname, hardTarget)
	if t.names.strip > 0 {
		target = t.names.stripLeading(target)
	}
	if !t.absolute {
		if hasDotDot(target) {
			t.errorf("%s: Member name contains '..'", quote.Tar(target))
			return
		}
		target = target[safePrefix(target):]
	}
	from, to := x.full(target), x.full(name)
	if from == to {
		return
	}
	// A link to a link that is held back is held back too: both become what the archive says.
	for _, l := range x.links {
		if l.path == from {
			x.symlink(name, &tar.Header{Name: h.Name, Linkname: l.target, ModTime: l.time})
			return
		}
	}
	old, errOld := sys.Lstat(to)
	if source, err := sys.Lstat(from); err == nil && errOld == nil && source.Same(old) {
		return
	}
	if !x.clear(name, h) {
		return
	}
	err := x.parents(name)
	if err == nil {
		err = sys.Link(from, to)
	}
	if err != nil {
		t.errorf("%s: Cannot hard link to %s: %s", quote.Tar(name), quote.Locale(target), sys.Strerror(err))
	}
}

// finish makes the links that waited, and gives directories their modes and times, the deepest first.
func (x *extractor) finish() {
	t := x.t
	for _, l := range x.links {
		info, err := sys.Lstat(l.path)
		if err != nil || !info.Same(l.info) || info.Size != 0 {
			continue // something else has taken the place
		}
		if err = sys.Unlink(l.path); err == nil {
			err = sys.Symlink(l.target, l.path)
		}
		if err != nil {
			t.errorf("%s: Cannot create symlink to %s: %s", quote.Tar(x.shown(l.path)), quote.Locale(l.target), sys.Strerror(err))
			continue
		}
		if !t.touch {
			_ = sys.Lchtimes(l.path, time.Time{}, l.time)
		}
	}
	x.links = nil
	for i := len(x.dirs) - 1; i >= 0; i-- {
		d := x.dirs[i]
		if info, err := sys.Lstat(d.path); err != nil || !info.IsDir() {
			continue
		}
		if err := sys.Chmod(d.path, d.mode); err != nil {
			t.errorf("%s: Cannot change mode: %s", quote.Tar(x.shown(d.path)), sys.Strerror(err))
		}
		if !t.touch {
			_ = sys.Chtimes(d.path, time.Time{}, d.time)
		}
	}
	x.dirs = nil
}

func (x *extractor) shown(full string) string {
	return strings.TrimPrefix(full, strings.TrimSuffix(x.t.dir, "/")+"/")
}

// compare tells how a file differs from a member.
func (x *extractor) compare(h *tar.Header, r io.Reader) {
	t := x.t
	t.listRead(h)
	name := x.target(h)
	if name == "" {
		return
	}
	full := x.full(name)
	info, err := sys.Lstat(full)
	differs := func(format string, args ...any) {
		t.differs = true
		_, _ = t.out.WriteString(quote.Tar(name) + ": " + fmt.Sprintf(format, args...) + "\n")
	}
	if err != nil {
		t.p.Errorf("%s: Warning: Cannot stat: %s", quote.Tar(name), sys.Strerror(err))
		t.differs = true
		return
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if !info.IsDir() {
			differs("File type differs")
			return
		}
	case tar.TypeSymlink:
		target, err := sys.Readlink(full)
		switch {
		case err != nil:
			differs("File type differs")
		case target != h.Linkname:
			differs("Symlink differs")
		}
		return
	case tar.TypeReg:
		if !info.IsRegular() {
			differs("File type differs")
			return
		}
	default:
		return
	}
	if perm.Bits(info.Mode) != uint32(h.Mode)&perm.All {
		differs("Mode differs")
	}
	if h.Typeflag != tar.TypeReg {
		return
	}
	if info.Mtime.Unix() != h.ModTime.Unix() {
		differs("Mod time differs")
	}
	if info.Size != h.Size {
		differs("Size differs")
		return
	}
	if !x.sameContent(full, r) {
		differs("Contents differ")
	}
}

func (x *extractor) sameContent(full string, r io.Reader) bool {
	f, err := sys.OpenFile(full, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	a, b := bufio.NewReaderSize(f, copySize), bufio.NewReaderSize(r, copySize)
	bufA, bufB := make([]byte, copySize), make([]byte, copySize)
	for {
		x.t.p.Yield()
		n, errA := io.ReadFull(a, bufA)
		m, _ := io.ReadFull(b, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false
		}
		if errA != nil {
			return true
		}
	}
}

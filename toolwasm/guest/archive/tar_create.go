package archive

import (
	"archive/tar"
	"bytes"
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

// packer writes members.
type packer struct {
	t  *tape
	tw *tar.Writer
	// newest holds, for -u, the times of what the archive has.
	newest map[string]int64
	dir    string // the -C of the operand at work
}

// create makes an archive.
func (t *tape) create() {
	if len(t.operands) == 0 {
		t.usage("Cowardly refusing to create an empty archive")
	}
	var dst io.Writer = t.p.Out()
	if t.archive != "-" {
		f, err := t.p.Create(t.archive)
		if err != nil {
			t.fatal("%s: Cannot open: %s", t.archive, sys.Strerror(err))
		}
		defer t.closeArchive(f)
		dst = f
		if info, err := t.p.Stat(t.archive); err == nil {
			t.self = &info
		}
	} else {
		// What -v lists must not end up in the archive.
		t.out = newLineWriter(t.p.Stderr)
		defer t.out.Flush()
	}
	if t.autoCodec && t.codec == nil {
		for _, c := range codecs() {
			if _, ok := cutSuffix(t.archive, c.suffixes); ok {
				t.codec = &c
				break
			}
		}
	}
	counted := &countWriter{w: dst}
	var sink io.Writer = counted
	var z io.WriteCloser
	if t.codec != nil {
		if t.codec.writer == nil {
			t.fatal("%s: %s", t.codec.name, errNoCompressor)
		}
		var err error
		if z, err = t.codec.writer(counted, 0); err != nil {
			t.fatal("%s: Cannot write: %s", t.archive, err)
		}
		sink = z
	}
	n := t.writeMembers(sink, nil)
	if z != nil {
		if err := z.Close(); err != nil {
			t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
		}
	}
	if t.totals {
		_ = t.p.Flush()
		fmt.Fprintf(t.p.Stderr, "Total bytes written: %d (%s)\n", n, humanBytes(n))
	}
}

func humanBytes(n int64) string {
	const unit = 1024
	const letters = "KMGTPE"
	x, i := float64(n), -1
	for x >= unit && i+1 < len(letters) {
		x /= unit
		i++
	}
	if i < 0 {
		return fmt.Sprintf("%dB", n)
	}
	return fmt.Sprintf("%.1f%ciB", x, letters[i])
}

func (t *tape) closeArchive(f io.Closer) {
	if err := f.Close(); err != nil {
		t.fatal("%s: Cannot close: %s", t.archive, sys.Strerror(err))
	}
}

// writeMembers packs the operands and ends the archive with whole records. It returns how much it has written.
func (t *tape) writeMembers(sink io.Writer, newest map[string]int64) int64 {
	counted := &countWriter{w: sink}
	k := &packer{t: t, tw: tar.NewWriter(counted), newest: newest}
	for i := range t.operands {
		k.operand(t.operands[i])
	}
	if err := k.tw.Close(); err != nil && !t.failed {
		t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
	}
	record := int64(t.blocking) * blockSize
	if rest := counted.n % record; rest != 0 && newest == nil {
		_, _ = counted.Write(make([]byte, record-rest))
	}
	return counted.n
}

func (k *packer) operand(o operand) {
	t := k.t
	k.dir = o.dir
	if info, err := sys.Stat(o.dir); err != nil || !info.IsDir() {
		if err == nil {
			err = syscall.ENOTDIR
		}
		t.fatal("%s: Cannot open: %s", strings.TrimPrefix(o.dir, strings.TrimSuffix(t.p.Dir, "/")+"/"), sys.Strerror(err))
	}
	if t.names.excluded(o.name) {
		return
	}
	info, err := k.stat(o.name)
	if err != nil {
		t.readFailed("%s: Cannot stat: %s", o.name, sys.Strerror(err))
		return
	}
	k.add(o.name, info, info.Dev)
}

// readFailed reports a file that cannot be read.
func (t *tape) readFailed(format string, args ...any) {
	if t.ignoreRead {
		t.p.Errorf("Warning: "+format, args...)
		return
	}
	t.errorf(format, args...)
}

func (k *packer) full(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return strings.TrimSuffix(k.dir, "/") + "/" + name
}

func (k *packer) stat(name string) (sys.Info, error) {
	if k.t.deref {
		return sys.Stat(k.full(name))
	}
	return sys.Lstat(k.full(name))
}

// memberName is the name a file gets in the archive.
func (k *packer) memberName(name string, kind kindOfName) string {
	t := k.t
	name = t.names.rename(name, kind)
	if t.absolute || kind == symTarget {
		return name
	}
	cut := safePrefix(name)
	if cut == 0 {
		return name
	}
	what := "member names"
	if kind == hardTarget {
		what = "hard link targets"
	}
	if prefix := name[:cut]; !t.told[prefix+what] {
		t.told[prefix+what] = true
		t.p.Errorf("Removing leading `%s' from %s", prefix, what)
	}
	if name = name[cut:]; name == "" {
		return "."
	}
	return name
}

func (k *packer) add(name string, info sys.Info, dev uint64) {
	t := k.t
	t.p.Yield()
	if t.self != nil && info.IsRegular() && info.Same(*t.self) {
		t.p.Errorf("%s: file is the archive; not dumped", name)
		return
	}
	if info.IsDir() {
		k.addDir(name, info, dev)
		return
	}
	if !t.newer.IsZero() && info.Mtime.Before(t.newer) {
		return
	}
	h, err := k.header(name, info)
	if err != nil {
		t.p.Errorf("%s: %s; not dumped", name, err)
		return
	}
	if last, ok := k.newest[h.Name]; ok && info.Mtime.Unix() <= last {
		return
	}
	if h.Typeflag == tar.TypeReg && info.Nlink > 1 && !t.hardDeref {
		k.hardLink(h, info)
	}
	ok := k.write(name, h, info)
	if ok && t.removeFiles {
		if err := sys.Unlink(k.full(name)); err != nil {
			t.errorf("%s: Cannot unlink: %s", name, sys.Strerror(err))
		}
	}
}

// hardLink makes h a link when another name of the file is already in the archive.
func (k *packer) hardLink(h *tar.Header, info sys.Info) {
	id := linkID{info.Dev, info.Ino}
	if first, ok := k.t.linked[id]; ok {
		h.Typeflag, h.Linkname, h.Size = tar.TypeLink, first, 0
		return
	}
	k.t.linked[id] = h.Name
}

func (k *packer) header(name string, info sys.Info) (*tar.Header, error) {
	t := k.t
	h := &tar.Header{
		Name: k.memberName(name, memberName), Mode: int64(perm.Bits(info.Mode)), ModTime: info.Mtime,
		Uid: info.UID, Gid: info.GID, Uname: sys.User, Gname: sys.Group, Format: t.format,
	}
	switch {
	case info.IsDir():
		h.Typeflag = tar.TypeDir
		if !strings.HasSuffix(h.Name, "/") {
			h.Name += "/"
		}
	case info.IsLink():
		target, err := sys.Readlink(k.full(name))
		if err != nil {
			return nil, err
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, k.memberName(target, symTarget)
	case info.IsRegular():
		h.Typeflag, h.Size = tar.TypeReg, info.Size
	default:
		return nil, complain("Unknown file type")
	}
	if t.format != tar.FormatPAX {
		h.ModTime = info.Mtime.Truncate(1e9)
	}
	t.override(h, info)
	return h, nil
}

// override applies --owner, --group, --mode, --mtime and --numeric-owner.
func (t *tape) override(h *tar.Header, info sys.Info) {
	if t.owner != nil {
		h.Uname, h.Uid = t.owner.name, t.owner.id
	}
	if t.group != nil {
		h.Gname, h.Gid = t.group.name, t.group.id
	}
	if t.numeric {
		h.Uname, h.Gname = "", ""
	}
	if t.mode != nil {
		h.Mode = int64(t.mode.Apply(perm.Bits(info.Mode), info.IsDir(), perm.Bits(t.p.Umask)))
	}
	if t.mtime != nil {
		h.ModTime = *t.mtime
	}
}

// write puts one member into the archive.
func (k *packer) write(name string, h *tar.Header, info sys.Info) bool {
	t := k.t
	var in *os.File
	if h.Typeflag == tar.TypeReg {
		f, err := sys.OpenFile(k.full(name), os.O_RDONLY, 0)
		if err != nil {
			t.readFailed("%s: Cannot open: %s", name, sys.Strerror(err))
			return false
		}
		defer f.Close()
		in = f
	}
	shown := *h
	shown.Name = name
	if h.Typeflag == tar.TypeDir && !strings.HasSuffix(name, "/") {
		shown.Name += "/"
	}
	t.listCreated(&shown)
	if err := k.tw.WriteHeader(h); err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
		}
		t.errorf("%s: cannot be stored in this format; not dumped", quote.Tar(name))
		return false
	}
	if in != nil && h.Size > 0 {
		k.content(name, in, h.Size)
	}
	return true
}

// content copies what the header promises. A file that has shrunk is padded with zeros.
func (k *packer) content(name string, in io.Reader, size int64) {
	t := k.t
	if t.buf == nil {
		t.buf = make([]byte, copySize)
	}
	n, err := pump(t.p, k.tw, io.LimitReader(in, size), t.buf)
	if errors.Is(err, tar.ErrWriteTooLong) {
		err = nil
	}
	if err != nil {
		var we *writeError
		if errors.As(err, &we) {
			t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
		}
		t.errorf("%s: Read error at byte %d: %s", name, n, sys.Strerror(err))
	}
	if n < size {
		if err == nil {
			t.errorf("%s: File shrank by %d bytes; padding with zeros", name, size-n)
		}
		_, _ = pump(t.p, k.tw, io.LimitReader(zeros{}, size-n), t.buf)
	}
}

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func (k *packer) addDir(name string, info sys.Info, dev uint64) {
	t := k.t
	h, err := k.header(name, info)
	if err != nil {
		t.errorf("%s: %s", name, err)
		return
	}
	k.write(name, h, info)
	if t.noRecursion || (t.oneDevice && info.Dev != dev) {
		return
	}
	entries, err := sys.ReadDir(k.full(name))
	if err != nil {
		t.readFailed("%s: Cannot open: %s", name, sys.Strerror(err))
		return
	}
	prefix := name
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	for _, e := range entries {
		child := prefix + e.Name()
		if t.names.excluded(child) {
			continue
		}
		ci, err := k.stat(child)
		if err != nil {
			t.readFailed("%s: Cannot stat: %s", child, sys.Strerror(err))
			continue
		}
		k.add(child, ci, dev)
	}
	if t.removeFiles {
		_ = sys.Rmdir(k.full(name))
	}
}

// rewrite does what changes an archive that exists: -r, -u, -A and --delete.
func (t *tape) rewrite() {
	if !t.haveArchive || t.archive == "-" {
		t.usage("Options '-Aru' are incompatible with '-f -'")
	}
	if t.codec != nil {
		t.usage("Cannot update compressed archives")
	}
	f, err := t.p.OpenFile(t.archive, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.fatal("%s: Cannot open: %s", t.archive, sys.Strerror(err))
	}
	defer t.closeArchive(f)
	file, ok := command.Unwrap(f).(*os.File)
	if !ok {
		t.fatal("%s: Cannot seek", t.archive)
	}
	if info, err := sys.Fstat(file); err == nil {
		t.self = &info
	}
	if t.op == 'D' {
		t.delete(file)
		return
	}
	end, newest := t.scan(file)
	if t.op != 'u' {
		newest = map[string]int64{}
	}
	if err := file.Truncate(end); err != nil {
		t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		t.fatal("%s: Cannot seek: %s", t.archive, sys.Strerror(err))
	}
	if t.op == 'A' {
		end += t.concatenate(file)
	} else {
		end += t.writeMembers(file, newest)
	}
	t.padTo(file, end)
}

// padTo fills the last record.
func (t *tape) padTo(w io.Writer, n int64) {
	record := int64(t.blocking) * blockSize
	if rest := n % record; rest != 0 {
		_, _ = w.Write(make([]byte, record-rest))
	}
}

// scan finds where the members of the archive end, and their times.
func (t *tape) scan(f *os.File) (end int64, newest map[string]int64) {
	newest = map[string]int64{}
	position := &countReader{r: f}
	tr := tar.NewReader(position)
	for {
		t.p.Yield()
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return end, newest
		}
		if err != nil {
			t.notTar()
		}
		newest[h.Name] = h.ModTime.Unix()
		if _, err := io.Copy(io.Discard, tr); err != nil {
			t.fatal("Unexpected EOF in archive")
		}
		end = (position.n + blockSize - 1) / blockSize * blockSize
	}
}

type countReader struct {
	r io.Reader
	n int64
}

func (c *countReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// notTar ends tar for a file that is no archive.
func (t *tape) notTar() {
	_ = t.p.Flush()
	t.p.Errorf("This does not look like a tar archive")
	t.p.Errorf("Exiting with failure status due to previous errors")
	t.p.Exit(tarStatus)
}

// concatenate adds the members of other archives.
func (t *tape) concatenate(w io.Writer) int64 {
	counted := &countWriter{w: w}
	tw := tar.NewWriter(counted)
	for _, o := range t.operands {
		f, err := t.p.Open(o.name)
		if err != nil {
			t.fatal("%s: Cannot open: %s", o.name, sys.Strerror(err))
		}
		t.copyMembers(tw, f, func(string) bool { return true })
		_ = f.Close()
	}
	if err := tw.Close(); err != nil {
		t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
	}
	return counted.n
}

func (t *tape) copyMembers(tw *tar.Writer, src io.Reader, wanted func(string) bool) {
	tr := tar.NewReader(src)
	if t.buf == nil {
		t.buf = make([]byte, copySize)
	}
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.notTar()
		}
		if !wanted(h.Name) {
			continue
		}
		if err := tw.WriteHeader(h); err != nil {
			t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
		}
		if _, err := pump(t.p, tw, tr, t.buf); err != nil {
			t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
		}
	}
}

// delete rewrites the archive without some members. The new one replaces the old content only when it is complete.
func (t *tape) delete(f *os.File) {
	var kept bytes.Buffer
	tw := tar.NewWriter(&kept)
	matchers := t.matchers()
	t.copyMembers(tw, f, func(name string) bool { return matchOperands(matchers, t.operands, name) < 0 })
	if err := tw.Close(); err != nil {
		t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
	}
	if _, err := f.WriteAt(kept.Bytes(), 0); err != nil {
		t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
	}
	n := int64(kept.Len())
	if err := f.Truncate(n); err != nil {
		t.fatal("%s: Cannot write: %s", t.archive, sys.Strerror(err))
	}
	if _, err := f.Seek(n, io.SeekStart); err == nil {
		t.padTo(f, n)
	}
	t.reportUnused()
}

package zipfs_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/zipfs"
)

var modified = time.Unix(1_700_000_000, 0)

// archive makes an archive of entries, whose content is their name unless it is given.
func archive(tb testing.TB, add func(w *zip.Writer)) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add(w)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func entry(tb testing.TB, w *zip.Writer, h zip.FileHeader, content string) {
	tb.Helper()
	h.Modified = modified
	f, err := w.CreateHeader(&h)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.WriteString(f, content); err != nil {
		tb.Fatal(err)
	}
}

// open opens an archive that consists of the given bytes.
func open(tb testing.TB, data []byte, q *quota.Quota) (*zipfs.FS, error) {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "a.zip")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	f, err := zipfs.Open(name, q)
	if err == nil {
		tb.Cleanup(func() { _ = f.Close() })
	}
	return f, err
}

// library is an archive with stored and compressed files.
func library(tb testing.TB, q *quota.Quota) *zipfs.FS {
	tb.Helper()
	f, err := open(tb, archive(tb, func(w *zip.Writer) {
		entry(tb, w, zip.FileHeader{Name: "stored", Method: zip.Store}, "0123456789")
		entry(tb, w, zip.FileHeader{Name: "d/deep/packed", Method: zip.Deflate}, strings.Repeat("text ", 1000))
		entry(tb, w, zip.FileHeader{Name: "empty/"}, "")
	}), q)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func content(t *testing.T, f *zipfs.FS, name string) string {
	t.Helper()
	file, errno := f.Open(name, vfs.Read, 0)
	if errno != vfs.OK {
		t.Fatalf("open %s: errno %d", name, errno)
	}
	defer file.Close()
	var all []byte
	buf := make([]byte, 7)
	for {
		n, errno := file.Read(buf)
		if errno != vfs.OK {
			t.Fatalf("read %s: errno %d", name, errno)
		}
		if n == 0 {
			return string(all)
		}
		all = append(all, buf[:n]...)
	}
}

func TestFilesAreRead(t *testing.T) {
	f := library(t, nil)
	for range 2 { // a file that was closed is unpacked again
		if got := content(t, f, "stored"); got != "0123456789" {
			t.Errorf("stored: %q", got)
		}
		if got := content(t, f, "d/../d/./deep/packed"); got != strings.Repeat("text ", 1000) {
			t.Errorf("packed: %d bytes", len(got))
		}
	}
	file, _ := f.Open("stored", vfs.Read, 0)
	defer file.Close()
	if pos, errno := file.Seek(-3, 2); pos != 7 || errno != vfs.OK {
		t.Errorf("seek: %d, errno %d", pos, errno)
	}
	buf := make([]byte, 10)
	if n, _ := file.Read(buf); string(buf[:n]) != "789" {
		t.Errorf("read %q", buf[:n])
	}
	if n, errno := file.Pread(buf, 1<<40); n != 0 || errno != vfs.OK {
		t.Errorf("read beyond the end: %d, errno %d", n, errno)
	}
}

func TestTreeIsDescribed(t *testing.T) {
	f := library(t, nil)
	for name, want := range map[string]vfs.Stat{
		"stored":        {Size: 10, Mode: 0o444, Type: vfs.TypeRegular},
		"d/deep/packed": {Size: 5000, Mode: 0o444, Type: vfs.TypeRegular},
		"d":             {Mode: 0o555, Type: vfs.TypeDirectory},
		"empty/":        {Mode: 0o555, Type: vfs.TypeDirectory},
		".":             {Mode: 0o555, Type: vfs.TypeDirectory},
	} {
		st, errno := f.Stat(name, true)
		if errno != vfs.OK || st.Size != want.Size || st.Mode != want.Mode || st.Type != want.Type {
			t.Errorf("%s: %+v, errno %d", name, st, errno)
		}
	}
	if st, _ := f.Stat("stored", true); st.Mtime != modified.UnixNano() {
		t.Errorf("it is from %v", time.Unix(0, st.Mtime))
	}
	dir, errno := f.Open(".", vfs.Read|vfs.Directory, 0)
	if errno != vfs.OK {
		t.Fatal(errno)
	}
	defer dir.Close()
	entries, _ := dir.Readdir()
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"d", "empty", "stored"}) {
		t.Errorf("the root holds %q", names)
	}
	if got, errno := f.Canonical("d/deep/../deep/packed"); got != "d/deep/packed" || errno != vfs.OK {
		t.Errorf("canonical: %q, errno %d", got, errno)
	}
	if out, ok := f.Expand("d/../../x", true); out != "../x" || !ok {
		t.Errorf("where a path leaves: %q, %v", out, ok)
	}
}

func TestNothingCanBeChanged(t *testing.T) {
	f := library(t, nil)
	errnoOf := func(_ vfs.File, e vfs.Errno) vfs.Errno { return e }
	for name, c := range map[string]struct{ got, want vfs.Errno }{
		"write":         {errnoOf(f.Open("stored", vfs.Write, 0)), vfs.EROFS},
		"truncate":      {errnoOf(f.Open("stored", vfs.Truncate, 0)), vfs.EROFS},
		"create":        {errnoOf(f.Open("new", vfs.Create|vfs.Write, 0o666)), vfs.EROFS},
		"create, deep":  {errnoOf(f.Open("none/new", vfs.Create|vfs.Write, 0o666)), vfs.ENOENT},
		"exclusive":     {errnoOf(f.Open("stored", vfs.Create|vfs.Exclusive, 0o666)), vfs.EEXIST},
		"directory":     {errnoOf(f.Open("d", vfs.Write, 0)), vfs.EISDIR},
		"no directory":  {errnoOf(f.Open("stored", vfs.Directory, 0)), vfs.ENOTDIR},
		"slash":         {errnoOf(f.Open("stored/", vfs.Read, 0)), vfs.ENOTDIR},
		"below a file":  {errnoOf(f.Open("stored/x", vfs.Read, 0)), vfs.ENOTDIR},
		"outside":       {errnoOf(f.Open("../x", vfs.Read, 0)), vfs.EXDEV},
		"mkdir":         {f.Mkdir("new", 0o777), vfs.EROFS},
		"mkdir, there":  {f.Mkdir("d", 0o777), vfs.EEXIST},
		"unlink":        {f.Unlink("stored"), vfs.EROFS},
		"unlink, dir":   {f.Unlink("d"), vfs.EISDIR},
		"rmdir":         {f.Rmdir("empty"), vfs.EROFS},
		"rmdir, file":   {f.Rmdir("stored"), vfs.ENOTDIR},
		"rename":        {f.Rename("stored", "new"), vfs.EROFS},
		"link":          {f.Link("stored", "new", true), vfs.EROFS},
		"symlink":       {f.Symlink("stored", "new"), vfs.EROFS},
		"chmod":         {f.Chmod("stored", 0o777, true), vfs.EROFS},
		"utimes":        {f.Utimes("stored", 0, 0, vfs.SetMtimeNow, true), vfs.EROFS},
		"utimes, twice": {f.Utimes("stored", 0, 0, vfs.SetMtime|vfs.SetMtimeNow, true), vfs.EINVAL},
	} {
		if c.got != c.want {
			t.Errorf("%s: errno %d, want %d", name, c.got, c.want)
		}
	}
}

func TestOpenFilesAreCounted(t *testing.T) {
	q := quota.New(quota.Limits{Handles: 2}, nil)
	f := library(t, q)
	a, _ := f.Open("stored", vfs.Read, 0)
	b, _ := f.Open("d/deep/packed", vfs.Read, 0)
	if _, errno := f.Open("d", vfs.Read, 0); errno != vfs.EMFILE {
		t.Errorf("the third of two: errno %d", errno)
	}
	a.Close()
	b.Close()
	if errno := b.Close(); errno != vfs.EBADF {
		t.Errorf("closed twice: errno %d", errno)
	}
	if _, errno := b.Read(make([]byte, 1)); errno != vfs.EBADF {
		t.Errorf("read of a closed file: errno %d", errno)
	}
	if n := q.Usage().Handles; n != 0 {
		t.Errorf("%d are still counted", n)
	}
}

func TestArchivesThatAreRefused(t *testing.T) {
	for name, data := range map[string][]byte{
		"no archive": []byte("PK no"),
		"climbs":     archive(t, func(w *zip.Writer) { entry(t, w, zip.FileHeader{Name: "a/../../x"}, "") }),
		"absolute":   archive(t, func(w *zip.Writer) { entry(t, w, zip.FileHeader{Name: "/etc/passwd"}, "") }),
		"backslash":  archive(t, func(w *zip.Writer) { entry(t, w, zip.FileHeader{Name: `a\..\x`}, "") }),
		"NUL":        archive(t, func(w *zip.Writer) { entry(t, w, zip.FileHeader{Name: "a\x00b"}, "") }),
		"long name":  archive(t, func(w *zip.Writer) { entry(t, w, zip.FileHeader{Name: strings.Repeat("x", 300)}, "") }),
		"deep":       archive(t, func(w *zip.Writer) { entry(t, w, zip.FileHeader{Name: strings.Repeat("d/", 300) + "f"}, "") }),
		"twice": archive(t, func(w *zip.Writer) {
			entry(t, w, zip.FileHeader{Name: "f"}, "")
			entry(t, w, zip.FileHeader{Name: "f"}, "")
		}),
		"file and dir": archive(t, func(w *zip.Writer) {
			entry(t, w, zip.FileHeader{Name: "f"}, "")
			entry(t, w, zip.FileHeader{Name: "f/g"}, "")
		}),
	} {
		if _, err := open(t, data, nil); err == nil {
			t.Errorf("%s: it was opened", name)
		}
	}
}

func TestLinksDoNotExist(t *testing.T) {
	f, err := open(t, archive(t, func(w *zip.Writer) {
		h := zip.FileHeader{Name: "link"}
		h.SetMode(os.ModeSymlink | 0o777)
		entry(t, w, h, "/etc/passwd")
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, errno := f.Stat("link", false); errno != vfs.ENOENT {
		t.Errorf("errno %d, want ENOENT", errno)
	}
}

// TestBombsAreNotUnpacked claims sizes that are not true, and one that is too much.
func TestBombsAreNotUnpacked(t *testing.T) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	entry(t, w, zip.FileHeader{Name: "bomb", Method: zip.Deflate}, strings.Repeat("\x00", 1<<20))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]uint32{"less than there is": 10, "more than there is": 2 << 20, "more than is allowed": zipfs.MaxUnpacked + 1} {
		data := bytes.Clone(packed.Bytes())
		central := bytes.LastIndex(data, []byte("PK\x01\x02"))
		for i := range 4 {
			data[central+24+i] = byte(size >> (8 * i))
		}
		f, err := open(t, data, nil)
		if err != nil {
			continue // refused as a whole
		}
		if _, errno := f.Open("bomb", vfs.Read, 0); errno != vfs.EIO && errno != vfs.ENFILE {
			t.Errorf("%s: errno %d", name, errno)
		}
	}
}

// TestClaimsCostNoMemory opens a file of some bytes that claims to be packed and unpacked hundreds of megabytes long.
func TestClaimsCostNoMemory(t *testing.T) {
	data := archive(t, func(w *zip.Writer) {
		entry(t, w, zip.FileHeader{Name: "f", Method: zip.Deflate}, strings.Repeat("text ", 100))
	})
	central := bytes.LastIndex(data, []byte("PK\x01\x02"))
	const claim = zipfs.MaxUnpacked
	for _, at := range []int{20, 24} { // packed size, size
		binary.LittleEndian.PutUint32(data[central+at:], claim)
	}
	f, err := open(t, data, nil)
	if err != nil {
		return // refused as a whole
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, errno := f.Open("f", vfs.Read, 0)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; errno != vfs.EIO || taken > 1<<20 {
		t.Errorf("errno %d, %d bytes of memory", errno, taken)
	}
}

// FuzzArchive opens any bytes, and reads whatever they claim to hold.
func FuzzArchive(f *testing.F) {
	f.Add(archive(f, func(w *zip.Writer) {
		entry(f, w, zip.FileHeader{Name: "stored", Method: zip.Store}, "0123456789")
		entry(f, w, zip.FileHeader{Name: "d/packed", Method: zip.Deflate}, strings.Repeat("text ", 100))
	}))
	f.Fuzz(func(t *testing.T, data []byte) {
		fs, err := zipfs.FromBytes(data) // a file for each would be most of the time
		if err != nil {
			return
		}
		var walk func(dir string, depth int)
		walk = func(dir string, depth int) {
			d, errno := fs.Open(dir, vfs.Read|vfs.Directory, 0)
			if errno != vfs.OK {
				t.Fatalf("open %q: errno %d", dir, errno)
			}
			defer d.Close()
			entries, _ := d.Readdir()
			for _, e := range entries {
				name := dir + "/" + e.Name
				if e.Type == vfs.TypeDirectory {
					walk(name, depth+1)
					continue
				}
				file, errno := fs.Open(name, vfs.Read, 0)
				if errno != vfs.OK {
					continue
				}
				st, _ := file.Stat()
				buf := make([]byte, 4096)
				if n, _ := file.Read(buf); int64(n) > st.Size {
					t.Errorf("%d bytes of %d", n, st.Size)
				}
				file.Close()
			}
		}
		walk(".", 0)
	})
}

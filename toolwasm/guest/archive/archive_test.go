package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGzipRoundTripAndMessages(t *testing.T) {
	dir := fill(t, "a = hello hello hello\n", "d/b = x\n", "c = not compressed\n")
	check(t, dir, []step{
		{Args: "gzip -k a"},
		{Args: "zcat a.gz", Stdout: "hello hello hello\n"},
		{Args: "gunzip -t a.gz"},
		{Args: "gzip a", Stderr: "gzip: a.gz already exists;\tnot overwritten\n", Status: 2},
		{Args: "gzip -d c", Stderr: "gzip: c: unknown suffix -- ignored\n", Status: 2},
		{Args: "zcat c", Stderr: "\ngzip: c: not in gzip format\n", Status: 1},
		{Args: "gzip d", Stderr: "gzip: d is a directory -- ignored\n", Status: 2},
		{Args: "gzip -r d"},
		{Args: "gunzip d/b.gz"},
		{Args: "gzip none", Stderr: "gzip: none: No such file or directory\n", Status: 1},
	})
}

func TestGzipReadsMembersAndIgnoresGarbage(t *testing.T) {
	dir := fill(t, "a = 1\n")
	packed := run(t, dir, "", "gzip", "-c", "a").Stdout
	if got := run(t, dir, packed+packed, "zcat"); got.Stdout != "1\n1\n" || got.Status != 0 {
		t.Errorf("members: %+v", got)
	}
	if got := run(t, dir, packed+"junk", "zcat"); got.Stdout != "1\n" || got.Status != 2 {
		t.Errorf("garbage: %+v", got)
	}
	if got := run(t, dir, packed[:len(packed)-4], "zcat"); got.Status != 1 {
		t.Errorf("truncated: %+v", got)
	}
}

func TestOtherCompressorsRoundTrip(t *testing.T) {
	dir := fill(t, "a = some text, some text\n")
	for _, c := range [][2]string{{"xz", "xzcat"}, {"zstd", "zstdcat"}} {
		packed := run(t, dir, "", c[0], "-c", "a").Stdout
		if got := run(t, dir, packed, c[1]); got.Stdout != "some text, some text\n" {
			t.Errorf("%s: %+v", c[0], got)
		}
	}
	if got := run(t, dir, "", "bzip2", "a"); got.Status != 1 || !strings.Contains(got.Stderr, "not supported") {
		t.Errorf("bzip2: %+v", got)
	}
}

func TestTarKeepsTrees(t *testing.T) {
	dir := fill(t, "d/f = one\n", "d/e/", "d/l -> f", "o/")
	check(t, dir, []step{
		{Args: "tar cf x.tar d"},
		{Args: "tar tf x.tar", Stdout: "d/\nd/e/\nd/f\nd/l\n"},
		{Args: "tar xf x.tar -C o --strip-components=1"},
		{Args: "tar xOf x.tar d/f", Stdout: "one\n"},
		{Args: "tar -czf x.tgz --exclude=e d"},
		{Args: "tar tzf x.tgz", Stdout: "d/\nd/f\nd/l\n"},
		{Args: "tar rf x.tar o/f"},
		{Args: "tar tf x.tar o", Stdout: "o/f\n"},
		{Args: "tar cf y.tar --transform s,^d,q, d/f"},
		{Args: "tar tf y.tar", Stdout: "q/f\n"},
		{Args: "tar cf z.tar", Stderr: "tar: Cowardly refusing to create an empty archive\nTry 'tar --help' or 'tar --usage' for more information.\n", Status: 2},
		{Args: "tar xf none.tar", Stderr: "tar: none.tar: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n", Status: 2},
		{Args: "tar xf x.tar none", Stderr: "tar: none: Not found in archive\ntar: Exiting with failure status due to previous errors\n", Status: 2},
	})
	if target, err := os.Readlink(filepath.Join(dir, "o/l")); err != nil || target != "f" {
		t.Errorf("link: %q %v", target, err)
	}
}

// hostile makes a tar archive of the given headers; regular files hold "evil".
func hostile(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		h.Mode = 0o644
		if h.Typeflag == tar.TypeReg {
			h.Size = 4
		}
		must(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte("evil"))
			must(t, err)
		}
	}
	must(t, w.Close())
	return b.String()
}

func TestTarWritesNothingOutside(t *testing.T) {
	reg := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	link := func(name, target string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
	}
	outer := fill(t, "in/", "victim = good")
	in := filepath.Join(outer, "in")
	for name, archive := range map[string]string{
		"dot dot":             hostile(t, reg("../victim")),
		"dot dot inside":      hostile(t, reg("a/../../victim")),
		"absolute":            hostile(t, reg(filepath.Join(outer, "victim"))),
		"through a link":      hostile(t, link("l", ".."), reg("l/victim")),
		"through a file link": hostile(t, link("l", "../victim"), reg("l")),
		"through two links":   hostile(t, link("a", "."), link("a/b", ".."), reg("a/b/victim")),
		"hard link":           hostile(t, tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "../victim"}, reg("h")),
		"hard link of a link": hostile(t, link("l", "../victim"), tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "l"}, reg("h")),
	} {
		must(t, os.RemoveAll(in))
		must(t, os.Mkdir(in, 0o755))
		run(t, in, archive, "tar", "x")
		if b, err := os.ReadFile(filepath.Join(outer, "victim")); string(b) != "good" {
			t.Errorf("%s: the victim holds %q, %v", name, b, err)
			must(t, os.WriteFile(filepath.Join(outer, "victim"), []byte("good"), 0o644))
		}
		if list, _ := os.ReadDir(outer); len(list) != 2 {
			t.Errorf("%s: there is something new outside: %v", name, list)
		}
	}
}

func TestZipAndUnzip(t *testing.T) {
	dir := fill(t, "a = one\n", "d/b = two\n")
	check(t, dir, []step{
		{Args: "zip -r x a d", Stdout: "  adding: a (stored 0%)\n  adding: d/ (stored 0%)\n  adding: d/b (stored 0%)\n"},
		{Args: "unzip -Z1 x.zip", Stdout: "a\nd/\nd/b\n"},
		{Args: "unzip -p x.zip d/b", Stdout: "two\n"},
		{Args: "unzip x.zip -d o", Stdout: "Archive:  x.zip\n extracting: o/a                     \n   creating: o/d/\n extracting: o/d/b                   \n"},
		{Args: "unzip -n -q x.zip -d o"},
		{Args: "zip -d x.zip a", Stdout: "deleting: a\n"},
		{Args: "unzip -qq x.zip nothing", Stderr: "caution: filename not matched:  nothing\n", Status: 11},
		{Args: "unzip none", Stderr: "unzip:  cannot find or open none, none.zip or none.ZIP.\n", Status: 9},
		{Args: "zip y none", Stdout: "\tzip warning: name not matched: none\n\nzip error: Nothing to do! (y.zip)\n", Status: 12},
	})
}

func TestUnzipWritesNothingOutside(t *testing.T) {
	outer := fill(t, "in/", "victim = good")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"../victim", "a/../../victim", filepath.Join(outer, "victim")} {
		f, err := w.Create(name)
		must(t, err)
		_, _ = f.Write([]byte("evil"))
	}
	h := &zip.FileHeader{Name: "l"}
	h.SetMode(os.ModeSymlink | 0o777)
	f, err := w.CreateHeader(h)
	must(t, err)
	_, _ = f.Write([]byte(".."))
	f, err = w.Create("l/victim")
	must(t, err)
	_, _ = f.Write([]byte("evil"))
	must(t, w.Close())
	in := filepath.Join(outer, "in")
	must(t, os.WriteFile(filepath.Join(in, "x.zip"), b.Bytes(), 0o644))
	run(t, in, "", "unzip", "-o", "x.zip")
	if got, _ := os.ReadFile(filepath.Join(outer, "victim")); string(got) != "good" {
		t.Errorf("the victim holds %q", got)
	}
	if list, _ := os.ReadDir(outer); len(list) != 2 {
		t.Errorf("there is something new outside: %v", list)
	}
}

func FuzzTar(f *testing.F) {
	dir := fill(f, "d/f = one\n", "d/l -> f")
	f.Add([]byte(run(f, dir, "", "tar", "c", "d").Stdout))
	f.Add([]byte(run(f, dir, "", "tar", "cz", "d").Stdout))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := t.TempDir()
		run(t, in, string(data), "tar", "tv")
		run(t, in, string(data), "tar", "x")
	})
}

func FuzzUnzip(f *testing.F) {
	dir := fill(f, "a = one\n", "d/b = two\n")
	run(f, dir, "", "zip", "-r", "x", "a", "d")
	seed, err := os.ReadFile(filepath.Join(dir, "x.zip"))
	must(f, err)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := t.TempDir()
		must(t, os.WriteFile(filepath.Join(in, "x.zip"), data, 0o644))
		run(t, in, "", "unzip", "-v", "x.zip")
		run(t, in, "", "unzip", "-o", "x.zip", "-d", "o")
	})
}

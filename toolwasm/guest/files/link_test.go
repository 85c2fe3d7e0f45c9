package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/files"
)

func TestLinkAndUnlink(t *testing.T) {
	r := commandtest.New(t, files.Commands())
	r.Write("a", "text")
	if got := r.Run("", "link", "a", "b"); got.Status != 0 || r.Read("b") != "text" {
		t.Errorf("link: %+v", got)
	}
	for _, line := range []string{"link", "link a", "link a b c", "link a b", "link nosuch c", "unlink", "unlink a b", "unlink nosuch"} {
		if got := r.Run("", strings.Fields(line)...); got.Status != 1 || got.Stderr == "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := r.Run("", "unlink", "a"); got.Status != 0 {
		t.Errorf("unlink: %+v", got)
	}
	if got := r.Run("", "ls"); got.Stdout != "b\n" {
		t.Errorf("%+v", got)
	}
}

func TestDirAndVdirEscapeNames(t *testing.T) {
	r := commandtest.New(t, files.Commands())
	r.Write("a b", "")
	r.Write("c", "")
	if got := r.Run("", "dir"); got.Stdout != "a\\ b  c\n" {
		t.Errorf("dir: %+v", got)
	}
	if got := r.Run("", "dir", "-1"); got.Stdout != "a\\ b\nc\n" {
		t.Errorf("dir -1: %+v", got)
	}
	if got := r.Run("", "vdir"); !strings.HasPrefix(got.Stdout, "total 0\n-rw") || !strings.Contains(got.Stdout, "a\\ b\n") {
		t.Errorf("vdir: %+v", got)
	}
}

func TestTreeCountsLinksToDirectoriesAsDirectories(t *testing.T) {
	r := commandtest.New(t, files.Commands())
	commandtest.Must(t, os.Mkdir(filepath.Join(r.Dir, "d"), 0o755))
	r.Write("d/f", "")
	commandtest.Must(t, os.Symlink("d", filepath.Join(r.Dir, "l")))
	if got := r.Run("", "tree", "-F"); !strings.Contains(got.Stdout, "l -> d/\n") || !strings.HasSuffix(got.Stdout, "\n3 directories, 1 file\n") {
		t.Errorf("%+v", got)
	}
}

package command_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"openclaw/toolwasm/guest/command"
)

func TestReplace(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		aborted string // what f holds when the new content is given up
	}{
		"a file keeps its content until the new one is whole": {func(*testing.T, string) {}, "old"},
		"a file with another name is written itself": {func(t *testing.T, dir string) {
			must(t, os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "other")))
		}, "new"},
		"a link stays a link": {func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "other")))
			must(t, os.Symlink("other", filepath.Join(dir, "f")))
		}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, abort := range []bool{true, false} {
				dir := t.TempDir()
				f := filepath.Join(dir, "f")
				must(t, os.WriteFile(f, []byte("old"), 0o640))
				c.prepare(t, dir)
				before, err := os.ReadDir(dir)
				must(t, err)
				kind, err := os.Lstat(f)
				must(t, err)

				p := &command.Proc{Ctx: context.Background(), Dir: dir, Umask: 0o022}
				r, err := p.Replace("f")
				must(t, err)
				_, err = io.WriteString(r, "new")
				must(t, err)
				want := "new"
				if abort {
					want = c.aborted
					r.Abort()
				} else {
					must(t, r.Commit())
					r.Abort() // does nothing any more
				}

				got, err := os.ReadFile(f)
				must(t, err)
				if string(got) != want {
					t.Errorf("abort %v: f holds %q, want %q", abort, got, want)
				}
				if now, err := os.Lstat(f); err != nil || now.Mode() != kind.Mode() {
					t.Errorf("abort %v: f is %v, was %v (%v)", abort, now.Mode(), kind.Mode(), err)
				}
				if after, _ := os.ReadDir(dir); len(after) != len(before) {
					t.Errorf("abort %v: the directory holds %v, want %v", abort, after, before)
				}
			}
		})
	}
}

func TestReplaceMakesAFileThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	r, err := (&command.Proc{Ctx: context.Background(), Dir: dir, Umask: 0o022}).Replace("new")
	must(t, err)
	must(t, r.Commit())
	if list, _ := os.ReadDir(dir); len(list) != 1 || list[0].Name() != "new" {
		t.Errorf("the directory holds %v", list)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package filetool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/toolwasm/guest/sys"
)

// faultyDisk fails at one of its steps, and from then on until it has recovered.
type faultyDisk struct {
	system
	left   int  // steps until it fails
	noLink bool // as on a filesystem without hard links
	short  bool // fail by writing less than told, where that can be
	fails  int  // how many steps fail in a row
}

var errFault = errors.New("injected fault")

// step counts a step, and fails it when its turn has come.
func (d *faultyDisk) step() error {
	d.left--
	if d.left < 0 && d.left >= -d.fails {
		return errFault
	}
	return nil
}

func (d *faultyDisk) create(name string, mode fs.FileMode) (io.WriteCloser, error) {
	err := d.step()
	if err != nil && !d.short {
		return nil, err
	}
	f, err2 := d.system.create(name, mode)
	if err != nil && err2 == nil {
		return shortWriter{f}, nil
	}
	return f, err2
}

// shortWriter loses the last byte, without a word.
type shortWriter struct{ io.WriteCloser }

func (w shortWriter) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, errFault
	}
	_, err := w.WriteCloser.Write(b[:len(b)-1])
	return len(b), err
}

func (d *faultyDisk) mkdir(name string, mode fs.FileMode) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.system.mkdir(name, mode)
}

func (d *faultyDisk) rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.system.rename(from, to)
}

func (d *faultyDisk) link(from, to string) error {
	if d.noLink {
		return errFault
	}
	if err := d.step(); err != nil {
		return err
	}
	return d.system.link(from, to)
}

func (d *faultyDisk) unlink(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.system.unlink(name)
}

// patchOn applies a patch on a disk.
func (w *workdir) patchOn(d disk, text string) error {
	p, _, _ := w.proc(nil, "")
	c := newCall(p, journal{})
	c.disk = d
	_, err := applyPatch(c, text)
	return err
}

func TestPatchIsUndoneWhateverStepFails(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "d/e": "e\n", "f": ""}
	text := patch(
		"*** Update File: a", "@@", "-a", "+A",
		"*** Delete File: b",
		"*** Add File: new/dir/n", "+n",
		"*** Update File: c", "*** Move to: d/moved", "@@", "-c", "+C",
		"*** Add File: d/e", "+E", // replaces
		"*** Delete File: f",
	)
	after := map[string]string{"a": "A\n", "new/dir/n": "n\n", "d/moved": "C\n", "d/e": "E\n"}
	const enough = 100
	for _, kind := range []faultyDisk{{}, {noLink: true}, {short: true}} {
		t.Run(fmt.Sprintf("noLink=%v,short=%v", kind.noLink, kind.short), func(t *testing.T) {
			applied := false
			for n := 0; !applied && n < enough; n++ {
				w := newWorkdir(t, files)
				d := kind
				d.left, d.fails = n, 1
				err := w.patchOn(&d, text)
				applied = err == nil && d.left >= 0
				want := files
				if err == nil {
					want = after
				} else if !strings.Contains(err.Error(), "nothing was changed") {
					t.Errorf("step %d: %v", n, err)
				}
				if err == nil && !applied {
					w.removeLeftovers() // all is in place, only tidying up has failed
				}
				w.wantFiles(want)
			}
			if !applied {
				t.Error("the patch never succeeds")
			}
		})
	}
}

// removeLeftovers tidies up where a failing disk has kept a transaction from it.
func (w *workdir) removeLeftovers() {
	w.Helper()
	for name := range w.files() {
		if strings.Contains(name, ".openclaw-") {
			if err := os.Remove(w.path(name)); err != nil {
				w.Fatal(err)
			}
		}
	}
}

func TestPatchSaysWhatCouldNotBeUndone(t *testing.T) {
	// The steps: two temporary files, one backup, the first rename; then everything fails.
	w := newWorkdir(t, map[string]string{"a": "a\n", "b": "b\n"})
	d := &faultyDisk{left: 4, fails: 1000}
	err := w.patchOn(d, patch("*** Update File: a", "@@", "-a", "+A", "*** Update File: b", "@@", "-b", "+B"))
	if err == nil || strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(err.Error(), "a: could not be restored") {
		t.Fatalf("error %v", err)
	}
	_, kept, _ := strings.Cut(err.Error(), "former content is in ")
	if b, err := os.ReadFile(strings.TrimSpace(kept)); err != nil || string(b) != "a\n" {
		t.Errorf("the former content is %q, %v", b, err)
	}
}

func TestCommitNoticesOtherWriters(t *testing.T) {
	for name, meddle := range map[string]func(w *workdir) error{
		"written":  func(w *workdir) error { return os.WriteFile(w.path("b"), []byte("other"), 0o644) },
		"removed":  func(w *workdir) error { return os.Remove(w.path("b")) },
		"replaced": func(w *workdir) error { w.put("x", "b\n"); return os.Rename(w.path("x"), w.path("b")) },
		"created":  func(w *workdir) error { return os.WriteFile(w.path("n"), []byte("other"), 0o644) },
	} {
		w := newWorkdir(t, map[string]string{"a": "a\n", "b": "b\n"})
		var changes []change
		for _, name := range []string{"a", "b", "n"} {
			at, err := locate(w.path(name))
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, change{name: name, at: at, content: []byte("new\n")})
		}
		if err := meddle(w); err != nil {
			t.Fatal(err)
		}
		want := w.files()
		if err := commit(system{}, 0o022, journal{}, changes); !errors.Is(err, errChangedMeanwhile) {
			t.Errorf("%s: %v", name, err)
		}
		w.wantFiles(want)
	}
}

func TestCommitMakesAnyChangesOrNone(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "x/a", "x/y/b", "z/c"}), 1, 6, rapid.ID).Draw(r, "names")
		w := newWorkdir(t, nil)
		after := map[string]string{}
		var changes []change
		for _, name := range names {
			exists := rapid.Bool().Draw(r, "exists")
			if exists {
				w.put(name, rapid.StringN(0, 20, 40).Draw(r, "old"))
			}
			c := change{name: name, remove: exists && rapid.Bool().Draw(r, "remove")}
			if !c.remove {
				c.content = []byte(rapid.StringN(0, 20, 40).Draw(r, "new"))
				after[name] = string(c.content)
			}
			changes = append(changes, c)
		}
		for i, name := range names {
			var err error
			if changes[i].at, err = locate(w.path(name)); err != nil {
				r.Fatal(err)
			}
		}
		before := w.files()
		d := &faultyDisk{left: rapid.IntRange(0, 40).Draw(r, "fault"), fails: 1, noLink: rapid.Bool().Draw(r, "noLink")}
		err := commit(d, 0o022, journal{}, changes)
		if err != nil {
			w.wantFiles(before)
			return
		}
		if d.left < 0 {
			w.removeLeftovers()
		}
		w.wantFiles(withEmptyDirs(after, w.files()))
	})
}

// withEmptyDirs adds the directories to want that got has and that nothing is left in.
func withEmptyDirs(want, got map[string]string) map[string]string {
	for name := range got {
		if strings.HasSuffix(name, "/") {
			want[name] = ""
		}
	}
	return want
}

func TestLocateIsWhatTheSystemFollows(t *testing.T) {
	w := newWorkdir(t, map[string]string{"d/e/f": "x", "g": "y"})
	for link, target := range map[string]string{
		"l1": "d/e", "d/l2": "../g", "l3": "l1/f", "l4": "d/./../d//e/", "l5": "l5", "d/l6": "new", "l7": w.path("g"), "l8": "nowhere/../g",
	} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"d/e/f": "d/e/f", "l1/f": "d/e/f", "l1/../../g": "g", "l3": "d/e/f", "l4/f": "d/e/f", "d/l2": "g", "d/l6": "d/new",
		"l7": "g", "n/e/w": "n/e/w", "l1/new": "d/e/new", ".": ".", "d/e/..": "d",
	} {
		at, err := locate(w.dir + "/" + name)
		if err != nil || at.path != w.path(want) {
			t.Errorf("%s leads to %q, %v; want %q", name, at.path, err, w.path(want))
		}
		if info, err := sys.Stat(w.dir + "/" + name); at.exists != (err == nil) || at.exists && !info.Same(at.info) {
			t.Errorf("%s: exists %v, but the system says %v", name, at.exists, err)
		}
	}
	for _, name := range []string{"l5", "g/x", "l8", "n/../g"} {
		if at, err := locate(w.dir + "/" + name); err == nil && at.exists {
			t.Errorf("%s leads to %q", name, at.path)
		}
	}
}

package filetool

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/toolwasm/guest/command"
)

// cutOff is a disk on which the guest is ended before step left.
type cutOff struct {
	system
	left int
}

// killed is the panic that stands for the end of the guest: nothing of a transaction runs after it.
type killed struct{}

func (d *cutOff) step() {
	if d.left--; d.left < 0 {
		panic(killed{})
	}
}

func (d *cutOff) create(name string, mode fs.FileMode) (io.WriteCloser, error) {
	d.step()
	return d.system.create(name, mode)
}

func (d *cutOff) mkdir(name string, mode fs.FileMode) error {
	d.step()
	return d.system.mkdir(name, mode)
}

func (d *cutOff) rename(from, to string) error {
	d.step()
	if strings.HasSuffix(to, "obstacle") {
		return fs.ErrPermission
	}
	return d.system.rename(from, to)
}

func (d *cutOff) link(from, to string) error {
	d.step()
	return d.system.link(from, to)
}

func (d *cutOff) unlink(name string) error {
	d.step()
	return d.system.unlink(name)
}

func (d *cutOff) rmdir(name string) error {
	d.step()
	return d.system.rmdir(name)
}

// cutCommit is a commit that ends with the guest, if it lasts long enough.
func cutCommit(d *cutOff, j journal, changes []change) (err error, cut bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(killed); !ok {
				panic(e)
			}
			cut = true
		}
	}()
	return commit(d, 0o022, j, changes), false
}

func TestACallThatIsCutOffLeavesAllOrNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "x/a", "x/y/b", "z/c", "obstacle"}), 1, 6, rapid.ID).Draw(r, "names")
		w := newWorkdir(t, nil)
		var changes []change
		after := map[string]string{}
		for _, name := range names {
			exists := rapid.Bool().Draw(r, "exists")
			if exists {
				w.put(name, "old "+name)
			}
			c := change{name: name, remove: exists && rapid.Bool().Draw(r, "remove"), content: []byte("new " + name)}
			if !c.remove {
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
		name := filepath.Join(t.TempDir(), "journal")
		j := openJournal(name)
		defer os.Remove(name)
		err, cut := cutCommit(&cutOff{left: rapid.IntRange(0, 40).Draw(r, "cut")}, j, changes)
		if !cut {
			j.close(name)
		}
		answer, recoverErr := recoverFrom(&command.Proc{}, name)
		if recoverErr != nil {
			r.Fatal(recoverErr)
		}
		if _, err := os.Lstat(name); err == nil {
			r.Fatal("the journal is still there")
		}
		switch {
		case !cut && err == nil, cut && answer == recoveredDone:
			w.wantFiles(withEmptyDirs(after, w.files()))
		default:
			w.wantFiles(before)
		}
	})
}

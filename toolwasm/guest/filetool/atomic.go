package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"openclaw/toolwasm/guest/sys"
)

// disk is what changing files takes; tests put failures behind it.
type disk interface {
	create(name string, mode fs.FileMode) (io.WriteCloser, error)
	mkdir(name string, mode fs.FileMode) error
	rename(from, to string) error
	link(from, to string) error
	unlink(name string) error
	rmdir(name string) error
}

// system is the disk that there is.
type system struct{}

func (system) create(name string, mode fs.FileMode) (io.WriteCloser, error) {
	return sys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}
func (system) mkdir(name string, mode fs.FileMode) error { return sys.Mkdir(name, mode) }
func (system) rename(from, to string) error              { return sys.Rename(from, to) }
func (system) link(from, to string) error                { return sys.Link(from, to) }
func (system) unlink(name string) error                  { return sys.Unlink(name) }
func (system) rmdir(name string) error                   { return sys.Rmdir(name) }

// change is what is to become of one file.
type change struct {
	name    string   // as the caller knows it
	at      location // where it is, as it was when the change was worked out
	remove  bool
	content []byte
}

// errChangedMeanwhile reports that a file is not what a change was worked out from.
var errChangedMeanwhile = errors.New("it was changed by another program in the meantime")

// transaction makes several changes, or none.
//
// Everything that takes long or is likely to fail, such as writing the new contents, happens beside the files. What is left
// are renames, each of which can be taken back, because the file that it replaces keeps a second name until the end.
type transaction struct {
	disk    disk
	umask   fs.FileMode
	journal journal
	plan    []entry  // by change: the names it may use
	dirs    []string // directories made, outermost first
	temps   []string // new contents by change, "" when there is none or it has been moved
	backups []string // former contents by change, "" when there is none
	done    int      // how many changes are in place
}

// commitError says which change failed, and what could not be put back after it.
type commitError struct {
	name  string
	cause error
	left  error // nil when every file is as it was before
}

func (e *commitError) Error() string {
	if e.left == nil {
		return fmt.Sprintf("%s: %s", e.name, e.cause)
	}
	return fmt.Sprintf("%s: %s; not everything could be put back: %s", e.name, e.cause, e.left)
}

func (e *commitError) Unwrap() error { return e.cause }

// commit makes the changes. When it fails every file is as it was before, unless the error, a *commitError, says otherwise.
func commit(d disk, umask fs.FileMode, j journal, changes []change) error {
	t := &transaction{
		disk: d, umask: umask, journal: j,
		temps: make([]string, len(changes)), backups: make([]string, len(changes)),
	}
	failed := t.run(changes)
	if failed == nil {
		t.clean(false)
		return nil
	}
	failed.left = t.undo(changes)
	_ = j.note(record{Phase: undone}) // what could not be put back is in the error, and not to be tried again
	t.clean(true)
	return failed
}

func (t *transaction) run(changes []change) *commitError {
	if err := t.announce(changes); err != nil {
		return &commitError{name: changes[0].name, cause: errors.New(reason(err))}
	}
	for i, c := range changes {
		if err := t.prepare(i, c); err != nil {
			return &commitError{name: c.name, cause: err}
		}
	}
	if err := t.journal.note(record{Phase: applying}); err != nil {
		return &commitError{name: changes[0].name, cause: errors.New(reason(err))}
	}
	for i, c := range changes {
		last := i == len(changes)-1 // nothing can fail after it, so that it need not be taken back
		if err := t.apply(i, c, last); err != nil {
			return &commitError{name: c.name, cause: err}
		}
		t.done = i + 1
	}
	return nil
}

// announce chooses the names that changes may use and writes them down.
func (t *transaction) announce(changes []change) error {
	for i, c := range changes {
		dir := path.Dir(c.at.path)
		e := entry{Path: c.at.path, Exists: c.at.exists}
		if !c.remove {
			e.Temp = sys.TempName(dir, sys.TempPattern)
		}
		if last := i == len(changes)-1; c.at.exists && !last {
			e.Backup = sys.TempName(dir, sys.TempPattern)
		}
		t.plan = append(t.plan, e)
	}
	return t.journal.note(record{Files: t.plan})
}

// prepare writes the new content of a file beside it.
func (t *transaction) prepare(i int, c change) error {
	if c.remove {
		return nil
	}
	dir := path.Dir(c.at.path)
	if err := t.makeParents(dir); err != nil {
		return errors.New(reason(err))
	}
	mode := 0o666 &^ t.umask
	if perm := c.at.info.Mode.Perm(); perm != 0 {
		mode = perm // of the file that is replaced, or moved here
	}
	t.temps[i] = t.plan[i].Temp
	if err := t.writeTemp(t.temps[i], mode, c.content); err != nil {
		return errors.New(reason(err))
	}
	return nil
}

// makeParents makes dir and what is missing above it.
func (t *transaction) makeParents(dir string) error {
	info, err := sys.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist) || dir == "/":
		return err
	}
	if err := t.makeParents(path.Dir(dir)); err != nil {
		return err
	}
	if err := t.journal.note(record{Dir: dir}); err != nil {
		return err
	}
	if err := t.disk.mkdir(dir, 0o777&^t.umask); err != nil {
		return err
	}
	t.dirs = append(t.dirs, dir)
	return nil
}

// writeTemp writes content to a new file and reads it back. The file may be there, and is to be removed, even when it fails.
func (t *transaction) writeTemp(name string, mode fs.FileMode, content []byte) error {
	f, err := t.disk.create(name, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	// The mode of a new file may have lost bits on its way.
	if info, err := sys.Lstat(name); err != nil {
		return err
	} else if info.Mode.Perm() != mode {
		if err := sys.Chmod(name, mode); err != nil {
			return err
		}
	}
	return verify(name, content)
}

// errNotWritten reports a file that does not hold what was written to it.
var errNotWritten = errors.New("what was written does not read back the same")

// verify compares a file with what it should hold.
func verify(name string, content []byte) error {
	f, err := sys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, ioSize)
	for {
		n, err := f.Read(buf)
		if !bytes.HasPrefix(content, buf[:n]) {
			return errNotWritten
		}
		content = content[n:]
		switch {
		case err == io.EOF && len(content) == 0:
			return nil
		case err == io.EOF:
			return errNotWritten
		case err != nil:
			return err
		}
	}
}

// ioSize is how much is read at a time.
const ioSize = 64 << 10

// apply puts one change in place.
func (t *transaction) apply(i int, c change, last bool) error {
	if err := unchanged(c.at); err != nil {
		return err
	}
	if err := t.put(i, c, last); err != nil {
		return errors.New(reason(err))
	}
	return nil
}

func (t *transaction) put(i int, c change, last bool) error {
	switch {
	case c.remove && last:
		return t.disk.unlink(c.at.path)
	case c.remove:
		if err := t.disk.rename(c.at.path, t.plan[i].Backup); err != nil {
			return err
		}
		t.backups[i] = t.plan[i].Backup
		return nil
	case c.at.exists && !last:
		if err := t.backup(i, c.at); err != nil {
			return err
		}
	}
	if err := t.disk.rename(t.temps[i], c.at.path); err != nil {
		return err
	}
	t.temps[i] = ""
	return nil
}

// backup gives the content of a file a second name.
func (t *transaction) backup(i int, at location) error {
	t.backups[i] = t.plan[i].Backup
	if t.disk.link(at.path, t.backups[i]) == nil {
		return nil
	}
	// Not every filesystem has hard links: a copy does as well.
	content, err := sys.ReadFile(at.path)
	if err != nil {
		return err
	}
	return t.writeTemp(t.backups[i], at.info.Mode.Perm(), content)
}

// unchanged reports whether the file is still the one that the change was worked out from.
func unchanged(at location) error {
	now, err := sys.Lstat(at.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !at.exists:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return errChangedMeanwhile
	case err != nil:
		return errors.New(reason(err))
	case !at.exists, !now.Same(at.info), now.Size != at.info.Size, !now.Mtime.Equal(at.info.Mtime):
		return errChangedMeanwhile
	}
	return nil
}

// undo takes back what is in place, last change first.
func (t *transaction) undo(changes []change) error {
	var errs []error
	for i := t.done - 1; i >= 0; i-- {
		if err := t.takeBack(i, changes[i]); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (t *transaction) takeBack(i int, c change) error {
	kept := t.backups[i]
	if kept == "" {
		if err := t.disk.unlink(c.at.path); err != nil {
			return fmt.Errorf("%s: could not be removed again: %s", c.name, reason(err))
		}
		return nil
	}
	t.backups[i] = "" // it is in place again, or else the only copy: never to be cleaned away
	if err := t.disk.rename(kept, c.at.path); err != nil {
		return fmt.Errorf("%s: could not be restored (%s); its former content is in %s", c.name, reason(err), kept)
	}
	return nil
}

// clean removes what the transaction made beside the files. It is best effort: the outcome stands.
func (t *transaction) clean(failed bool) {
	for _, names := range [][]string{t.temps, t.backups} {
		for _, name := range names {
			if name != "" {
				_ = t.disk.unlink(name)
			}
		}
	}
	if !failed {
		return
	}
	for i := len(t.dirs) - 1; i >= 0; i-- {
		_ = t.disk.rmdir(t.dirs[i])
	}
}

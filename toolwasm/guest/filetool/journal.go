package filetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// journal is where a transaction says what it is about to do, so that it can be taken back or cleaned up after when the deadline or the
// caller ends the guest in the middle: nothing of the guest runs then any more. The host names the file, outside the workspace, and asks
// for the recovery. The zero value keeps none.
type journal struct {
	f *os.File
}

// record is a line of a journal. A line is written before what it tells is done.
type record struct {
	Dir   string  `json:"dir,omitempty"`   // a directory that is made
	Files []entry `json:"files,omitempty"` // the changes of a transaction, which begins here
	Phase phase   `json:"phase,omitempty"` // how far it has come
}

// entry is one change: temp takes the name of path, whose former content, if there was any, is kept in backup.
type entry struct {
	Path   string `json:"path"`
	Temp   string `json:"temp,omitempty"` // "" for a removal
	Backup string `json:"backup,omitempty"`
	Exists bool   `json:"exists,omitempty"`
}

// phase is a part of a transaction.
type phase string

const (
	preparing phase = ""       // no file has been touched
	applying  phase = "apply"  // files are being put in place
	undone    phase = "undone" // all of them are back
)

// openJournal begins a journal. A session without room for one, or without a place, has to do without.
func openJournal(name string) journal {
	if name == "" {
		return journal{}
	}
	f, err := sys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return journal{}
	}
	return journal{f: f}
}

// note adds a record. A journal that is not whole must not be followed, so a failure ends the transaction.
func (j journal) note(r record) error {
	if j.f == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = j.f.Write(append(line, '\n'))
	return err
}

// close ends a journal: what it told about is done.
func (j journal) close(name string) {
	if j.f == nil {
		return
	}
	_ = j.f.Close()
	_ = sys.Unlink(name)
}

// Answers of a recovery, in the text of its result.
const (
	recoveredNothing = "nothing" // nothing had been changed, or it has been taken back
	recoveredDone    = "done"    // the change was made
)

// recoverFrom does for a transaction that was cut off what it could not do itself, and tells what is on disk now. It may be cut off itself and
// done again.
func recoverFrom(p *command.Proc, name string) (string, error) {
	b, err := sys.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return recoveredNothing, nil
	}
	if err != nil {
		return "", fmt.Errorf("read journal: %w", err)
	}
	r := readJournal(b)
	answer := recoveredNothing
	if r.done() {
		answer = recoveredDone
	} else if r.phase == applying {
		if err := r.undo(p); err != nil {
			return "", err
		}
	}
	for _, e := range r.files {
		p.Yield()
		for _, name := range []string{e.Temp, e.Backup} {
			if name != "" {
				_ = sys.Unlink(name)
			}
		}
	}
	if answer == recoveredNothing {
		for i := len(r.dirs) - 1; i >= 0; i-- {
			_ = sys.Rmdir(r.dirs[i])
		}
	}
	return answer, sys.Unlink(name)
}

// recovery is what a journal tells.
type recovery struct {
	dirs  []string
	files []entry
	phase phase
}

// readJournal reads what was written; a last line that is not whole tells of something that was not begun. Of several transactions, attempts
// of one call, the last one counts: the others were undone.
func readJournal(b []byte) *recovery {
	r := &recovery{}
	dec := json.NewDecoder(bytes.NewReader(b))
	for {
		var line record
		if err := dec.Decode(&line); err != nil {
			return r
		}
		switch {
		case line.Files != nil:
			r.files, r.phase = line.Files, preparing
		case line.Dir != "":
			r.dirs = append(r.dirs, line.Dir)
		default:
			r.phase = line.Phase
		}
	}
}

// done reports whether the last change, which is what decides, is in place.
func (r *recovery) done() bool {
	if r.phase != applying || len(r.files) == 0 {
		return false
	}
	last := r.files[len(r.files)-1]
	if last.Temp == "" {
		return missing(last.Path)
	}
	return missing(last.Temp)
}

func missing(name string) bool {
	_, err := sys.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// undo puts back what is in place, last change first.
func (r *recovery) undo(p *command.Proc) error {
	for i := len(r.files) - 1; i >= 0; i-- {
		p.Yield()
		e := r.files[i]
		inPlace := e.Temp == "" || missing(e.Temp)
		var err error
		switch {
		case !inPlace:
		case e.Exists && e.Backup != "" && !missing(e.Backup):
			err = sys.Rename(e.Backup, e.Path)
		case !e.Exists:
			err = sys.Unlink(e.Path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: could not be restored (%s); its former content is in %s", e.Path, reason(err), e.Backup)
		}
	}
	return nil
}

// recoverCommand answers a host that asks for a recovery.
func recoverCommand(p *command.Proc, name string) int {
	text, err := recoverFrom(p, name)
	if err != nil {
		return answer(p, &result{Text: err.Error()}, statusFailed)
	}
	return answer(p, &result{Text: text}, statusDone)
}

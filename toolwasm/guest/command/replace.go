package command

import (
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"path"

	"openclaw/toolwasm/guest/sys"
)

// Replacement is the new content of a file. Where it can, it is written beside the file and takes its place when it is whole,
// so that a full disk or a signal does not cost the old content.
type Replacement struct {
	File
	temp, target string // "" when the file itself is written
}

// Replace opens name to be written anew. The caller ends with Commit, and defers Abort, which does nothing after it.
func (p *Proc) Replace(name string) (*Replacement, error) {
	full := p.Path(name)
	if info, err := p.Lstat(name); err == nil && info.IsRegular() && info.Nlink == 1 && info.Size > 0 {
		r, err := p.replaceBeside(full, info.Mode)
		if r != nil || err != nil {
			return r, err
		}
	}
	f, err := p.Create(name)
	if err != nil {
		return nil, err
	}
	return &Replacement{File: f}, nil
}

// replaceBeside makes the temporary file. Both results are nil where the directory takes none: the file itself is then all there is.
func (p *Proc) replaceBeside(full string, mode fs.FileMode) (*Replacement, error) {
	f, err := sys.OpenFile(full, os.O_WRONLY, 0) // a file that may not be written is not replaced either
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	temp := path.Join(path.Dir(full), ".openclaw-"+hex.EncodeToString(random[:])+".tmp")
	f, err = sys.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return nil, nil
	}
	r := &Replacement{File: f, temp: temp, target: full}
	if err := sys.Chmod(temp, mode); err != nil {
		r.Abort()
		return nil, nil
	}
	return r, nil
}

// Commit closes the file and puts it in place.
func (r *Replacement) Commit() error {
	err := r.Close()
	if err == nil && r.temp != "" {
		err = sys.Rename(r.temp, r.target)
	}
	if err == nil {
		r.temp = ""
	}
	r.Abort()
	return err
}

// Abort leaves the old file as it was, if it can.
func (r *Replacement) Abort() {
	if r.temp == "" {
		return
	}
	_ = r.Close()
	_ = sys.Unlink(r.temp)
	r.temp = ""
}

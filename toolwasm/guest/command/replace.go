package command

import (
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

// replaceBeside replaces an old file. Both results are nil where the directory takes none: the file itself is then all there is.
func (p *Proc) replaceBeside(full string, mode fs.FileMode) (*Replacement, error) {
	f, err := sys.OpenFile(full, os.O_WRONLY, 0) // a file that may not be written is not replaced either
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	r, err := p.ReplaceBeside(full, mode)
	if err != nil {
		return nil, nil
	}
	return r, nil
}

// ReplaceBeside is Replace for a file that need not exist, always beside it: a link or one of several names of a file comes
// to be a file of its own, with the given mode.
func (p *Proc) ReplaceBeside(name string, mode fs.FileMode) (*Replacement, error) {
	full := p.Path(name)
	dir, _ := path.Split(full)
	f, temp, err := sys.CreateTemp(dir, sys.TempPattern, mode)
	if err != nil {
		return nil, err
	}
	r := &Replacement{File: f, temp: temp, target: full}
	if err := sys.Chmod(temp, mode); err != nil {
		r.Abort()
		return nil, err
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

package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// realDir reports whether a directory of the working tree, and each above it, is one and no link.
func (r *repo) realDir(name string) bool {
	if name == "." || name == "" {
		return true
	}
	if ok, seen := r.known[name]; seen {
		return ok
	}
	ok := r.realDir(path.Dir(name))
	if ok {
		info, err := sys.Lstat(r.path(name))
		ok = err == nil && info.IsDir()
	}
	r.known[name] = ok
	return ok
}

// lstat describes a file of the working tree; one behind a link counts as missing.
func (r *repo) lstat(name string) (sys.Info, error) {
	if dir := path.Dir(name); !r.realDir(dir) {
		return sys.Info{}, fs.ErrNotExist
	}
	return sys.Lstat(r.path(name))
}

// modeOf is the mode that a file of the working tree would be added with.
func (r *repo) modeOf(info sys.Info, before object.Mode) object.Mode {
	switch {
	case info.IsLink():
		return object.LinkMode
	case info.IsDir():
		return object.SubmoduleMode
	case !r.cfg.on("core.filemode", true):
		if before.IsRegular() {
			return before
		}
		return object.FileMode
	case info.Mode&0o100 != 0:
		return object.ExecMode
	}
	return object.FileMode
}

// readWork returns the content of a file of the working tree as it would be stored.
func (r *repo) readWork(name string, info sys.Info) ([]byte, error) {
	if info.IsLink() {
		target, err := sys.Readlink(r.path(name))
		return []byte(target), err
	}
	if info.Size > object.MaxSize {
		return nil, object.ErrTooLarge
	}
	data, err := sys.ReadFile(r.path(name))
	if err != nil {
		return nil, err
	}
	return r.toStored(name, data), nil
}

func (r *repo) attrs() *match.Attributes {
	if r.attributes == nil {
		r.attributes = match.NewAttributes(r.top, r.common+"/info/attributes")
	}
	return r.attributes
}

// lineEnds says what happens to the ends of lines of a file.
func (r *repo) lineEnds(name string, data []byte) (normalize, crlf bool) {
	text, eol := r.attrs().Get(name, "text"), r.attrs().Get(name, "eol")
	auto := r.cfg.str("core.autocrlf", "false")
	isAuto := text.Value == "auto"
	switch {
	case text.Unset:
		return false, false
	case text.Set || isAuto || eol.Value != "":
		normalize = true
		crlf = eol.Value == "crlf" || eol.Value == "" && (auto == "true" || r.cfg.str("core.eol", "") == "crlf" && auto != "input")
	case auto == "true" || auto == "input":
		normalize, isAuto, crlf = true, true, auto == "true"
	default:
		return false, false
	}
	if isAuto && isBinary(data) {
		return false, false
	}
	return normalize, crlf
}

// toStored converts the ends of lines as they are stored.
func (r *repo) toStored(name string, data []byte) []byte {
	if bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	normalize, _ := r.lineEnds(name, data)
	if !normalize {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// toWork converts the ends of lines as they are in the working tree.
func (r *repo) toWork(name string, data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 {
		return data
	}
	_, crlf := r.lineEnds(name, data)
	if !crlf || bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
}

// binaryProbe is how much of a file is looked at to tell text from other data.
const binaryProbe = 8000

func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryProbe)], 0) >= 0
}

// sameContent reports whether a file of the working tree has the content of an entry.
func (r *repo) sameContent(e *index.Entry, info sys.Info) bool {
	if e.Size != 0 && e.Size != uint32(info.Size) && r.plain(e.Name) {
		return false
	}
	data, err := r.readWork(e.Name, info)
	return err == nil && object.Hash(object.BlobKind, data) == e.ID
}

// plain reports whether a file is stored as it is, so that another size means another content.
func (r *repo) plain(name string) bool {
	if v := r.cfg.str("core.autocrlf", "false"); v == "true" || v == "input" {
		return false
	}
	a := r.attrs()
	return a.Get(name, "text") == (match.Attribute{}) && a.Get(name, "eol") == (match.Attribute{})
}

// States of a file of the working tree beside its entry.
const (
	same    = byte(0)
	deleted = byte('D')
	changed = byte('M')
	retyped = byte('T')
)

// compareWork tells how a file of the working tree differs from its entry. An entry that only looked different is
// brought up to date; touched is then set.
func (r *repo) compareWork(e *index.Entry) (state byte, info sys.Info, touched bool) {
	r.g.step()
	if e.SkipWorktree || e.AssumeValid {
		return same, info, false
	}
	info, err := r.lstat(e.Name)
	if err != nil {
		return deleted, info, false
	}
	if e.Mode.IsSubmodule() {
		if !info.IsDir() {
			return deleted, info, false
		}
		return same, info, false // submodules are not entered
	}
	mode := r.modeOf(info, e.Mode)
	if mode.Type() != e.Mode.Type() {
		if info.IsDir() {
			return deleted, info, false
		}
		return retyped, info, false
	}
	if e.IntentToAdd {
		return changed, info, false
	}
	if mode != e.Mode {
		return changed, info, false
	}
	looksSame := e.StatMatches(info)
	racy := !e.Mtime.Less(r.idx.Stamp)
	if looksSame && !racy {
		return same, info, false
	}
	if !r.sameContent(e, info) {
		return changed, info, false
	}
	if !looksSame {
		e.SetStat(info)
		return same, info, true
	}
	return same, info, false
}

// writeWork makes a file of the working tree.
func (r *repo) writeWork(name string, mode object.Mode, id object.ID) (sys.Info, error) {
	if !object.ValidPath(name) {
		r.g.errorf("error: invalid path '%s'\n", name)
		return sys.Info{}, errInvalidPath
	}
	if mode.IsSubmodule() {
		if err := r.makeDirs(name); err != nil {
			return sys.Info{}, err
		}
		return sys.Lstat(r.path(name))
	}
	data, err := r.db.Blob(id)
	if err != nil {
		return sys.Info{}, err
	}
	return r.writeData(name, mode, data)
}

// errInvalidPath reports a path that no working tree may have.
var errInvalidPath = errors.New("git: write file: invalid path")

func (r *repo) writeData(name string, mode object.Mode, data []byte) (sys.Info, error) {
	r.g.step()
	full := r.path(name)
	if err := r.makeDirs(path.Dir(name)); err != nil {
		return sys.Info{}, err
	}
	if info, err := sys.Lstat(full); err == nil {
		if info.IsDir() {
			if err := r.removeDir(name, 0); err != nil {
				return sys.Info{}, err
			}
			delete(r.known, name)
		} else if err := sys.Unlink(full); err != nil {
			return sys.Info{}, err
		}
	}
	if mode.IsLink() {
		if err := sys.Symlink(string(data), full); err != nil {
			return sys.Info{}, err
		}
		return sys.Lstat(full)
	}
	perm := fs.FileMode(0o666)
	if mode == object.ExecMode {
		perm = 0o777
	}
	f, err := sys.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm&^r.g.p.Umask)
	if err != nil {
		return sys.Info{}, err
	}
	_, err = f.Write(r.toWork(name, data))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return sys.Info{}, err
	}
	return sys.Lstat(full)
}

// makeDirs makes a directory of the working tree; what stands in its way and is no directory goes.
func (r *repo) makeDirs(name string) error {
	if name == "." || name == "" || r.realDir(name) {
		return nil
	}
	if err := r.makeDirs(path.Dir(name)); err != nil {
		return err
	}
	full := r.path(name)
	if info, err := sys.Lstat(full); err == nil && !info.IsDir() {
		if err := sys.Unlink(full); err != nil {
			return err
		}
	}
	err := sys.Mkdir(full, 0o777&^r.g.p.Umask)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	r.known[name] = true
	return nil
}

// removeDir removes a directory of the working tree with what is in it.
func (r *repo) removeDir(name string, depth int) error {
	if depth > object.MaxTreeDepth {
		return errors.New("git: remove directory: nested too deeply")
	}
	entries, err := sys.ReadDir(r.path(name))
	if err != nil {
		return err
	}
	for _, e := range entries {
		r.g.step()
		below := name + "/" + e.Name()
		if e.IsDir() {
			err = r.removeDir(below, depth+1)
		} else {
			err = sys.Unlink(r.path(below))
		}
		if err != nil {
			return err
		}
	}
	delete(r.known, name)
	return sys.Rmdir(r.path(name))
}

// removeWork removes a file of the working tree, and the directories that it leaves empty.
func (r *repo) removeWork(name string) error {
	if !object.ValidPath(name) || !r.realDir(path.Dir(name)) {
		return nil
	}
	info, err := sys.Lstat(r.path(name))
	if err != nil {
		return nil
	}
	if info.IsDir() {
		_ = sys.Rmdir(r.path(name)) // of a submodule, when it is empty
	} else if err := sys.Unlink(r.path(name)); err != nil {
		return err
	}
	r.pruneDirs(path.Dir(name))
	return nil
}

// pruneDirs removes empty directories upwards, but for the current one.
func (r *repo) pruneDirs(dir string) {
	for dir != "." && dir+"/" != r.prefix && !strings.HasPrefix(r.prefix, dir+"/") {
		if sys.Rmdir(r.path(dir)) != nil {
			return
		}
		delete(r.known, dir)
		dir = path.Dir(dir)
	}
}

// Package refs keeps the references of a git repository: files below the git directory, packed-refs, and the logs of
// what they were.
//
// Every change is made through a lock file that takes the place of the old one, so that a command that is killed leaves either
// the old value or the new. Names are checked before they become paths.
package refs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// Bounds on what is followed and read.
const (
	maxSymbolic = 5
	maxRefSize  = 4096
	maxPacked   = 64 << 20
	maxNesting  = 64
)

// The directories of references.
const (
	Head  = "HEAD"
	Heads = "refs/heads/"
	Tags  = "refs/tags/"
	Stash = "refs/stash"
)

var (
	// ErrNotFound reports a reference that there is not.
	ErrNotFound = errors.New("refs: read: no such reference")
	// ErrBroken reports a reference that holds nothing sensible.
	ErrBroken = errors.New("refs: read: broken reference")
)

// LockedError reports that another command is at work, or one was killed.
type LockedError struct{ Path string }

func (e *LockedError) Error() string { return "refs: lock " + e.Path + ": File exists" }

// Ref is a reference with what it names.
type Ref struct {
	Name string
	ID   object.ID
}

// Store is the references of one repository.
type Store struct {
	dir    string // of the worktree: HEAD and other pseudo references
	common string // of all worktrees
	umask  fs.FileMode
	packed map[string]packedRef
}

type packedRef struct{ id, peeled object.ID }

// Open returns the references in a git directory; common is that of all worktrees.
func Open(dir, common string, umask fs.FileMode) *Store {
	return &Store{dir: dir, common: common, umask: umask}
}

// ValidName reports whether git lets a reference have this name.
func ValidName(name string) bool {
	if name == "" || name == "@" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") ||
		strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for i := 0; i < len(name); i++ {
		if name[i] < ' ' {
			return false
		}
	}
	parts := strings.Split(name, "/")
	for _, part := range parts {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return len(parts) <= maxNesting
}

// path returns the file of a reference.
func (s *Store) path(name string) string {
	if strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, "refs/bisect/") && !strings.HasPrefix(name, "refs/worktree/") {
		return s.common + "/" + name
	}
	return s.dir + "/" + name
}

// Raw returns what a reference holds: an object, or the name of another reference.
func (s *Store) Raw(name string) (id object.ID, target string, err error) {
	if !ValidName(name) {
		return id, "", fmt.Errorf("%w %q", ErrNotFound, name)
	}
	data, err := readSmall(s.path(name))
	if err != nil {
		if p, ok := s.loadPacked()[name]; ok {
			return p.id, "", nil
		}
		if errors.Is(err, ErrBroken) {
			return id, "", fmt.Errorf("%w %q", ErrBroken, name)
		}
		return id, "", fmt.Errorf("%w %q", ErrNotFound, name)
	}
	text := strings.TrimSpace(string(data))
	if target, ok := strings.CutPrefix(text, "ref:"); ok {
		target = strings.TrimSpace(target)
		if !ValidName(target) {
			return id, "", fmt.Errorf("%w %q", ErrBroken, name)
		}
		return id, target, nil
	}
	if len(text) > object.HexLen && (text[object.HexLen] == '\n' || text[object.HexLen] == '\t') {
		text = text[:object.HexLen] // FETCH_HEAD tells more
	}
	id, ok := object.ParseID(text)
	if !ok {
		return id, "", fmt.Errorf("%w %q", ErrBroken, name)
	}
	return id, "", nil
}

// readSmall reads a file that holds a reference.
func readSmall(name string) ([]byte, error) {
	info, err := sys.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.IsLink() { // as HEAD once was
		target, err := sys.Readlink(name)
		if err == nil && strings.HasPrefix(target, "refs/") {
			return []byte("ref: " + target), nil
		}
		return nil, ErrBroken
	}
	if info.IsDir() {
		return nil, fs.ErrNotExist
	}
	if info.Size > maxRefSize && path.Base(name) != "FETCH_HEAD" {
		return nil, ErrBroken
	}
	return sys.ReadFile(name)
}

// Resolve follows a reference to the object it names. last is the reference that holds it.
func (s *Store) Resolve(name string) (id object.ID, last string, err error) {
	for range maxSymbolic + 1 {
		id, target, err := s.Raw(name)
		if err != nil {
			return id, name, err
		}
		if target == "" {
			return id, name, nil
		}
		name = target
	}
	return id, name, fmt.Errorf("%w: too many symbolic references at %q", ErrBroken, name)
}

// Exists reports whether a reference names an object.
func (s *Store) Exists(name string) bool {
	_, _, err := s.Resolve(name)
	return err == nil
}

func (s *Store) loadPacked() map[string]packedRef {
	if s.packed != nil {
		return s.packed
	}
	s.packed = map[string]packedRef{}
	file := s.common + "/packed-refs"
	if info, err := sys.Stat(file); err != nil || info.Size > maxPacked {
		return s.packed
	}
	data, err := sys.ReadFile(file)
	if err != nil {
		return s.packed
	}
	last := ""
	for line := range bytes.Lines(data) {
		text := strings.TrimSuffix(string(line), "\n")
		if strings.HasPrefix(text, "#") {
			continue
		}
		if peeled, ok := strings.CutPrefix(text, "^"); ok {
			if id, ok := object.ParseID(peeled); ok && last != "" {
				s.packed[last] = packedRef{s.packed[last].id, id}
			}
			continue
		}
		hex, name, _ := strings.Cut(text, " ")
		if id, ok := object.ParseID(hex); ok && ValidName(name) {
			s.packed[name] = packedRef{id: id}
			last = name
		}
	}
	return s.packed
}

// List returns the references whose names begin with a prefix, sorted by name.
func (s *Store) List(prefix string) []Ref {
	names := map[string]bool{}
	for name := range s.loadPacked() {
		if strings.HasPrefix(name, prefix) {
			names[name] = true
		}
	}
	s.walk("refs", 0, func(name string) {
		if strings.HasPrefix(name, prefix) {
			names[name] = true
		}
	})
	list := make([]Ref, 0, len(names))
	for name := range names {
		if id, _, err := s.Resolve(name); err == nil {
			list = append(list, Ref{name, id})
		}
	}
	slices.SortFunc(list, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (s *Store) walk(dir string, depth int, found func(name string)) {
	if depth > maxNesting {
		return
	}
	entries, err := sys.ReadDir(s.common + "/" + dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case e.IsDir():
			s.walk(name, depth+1, found)
		case ValidName(name):
			found(name)
		}
	}
}

// Conflict returns an existing reference that keeps name from being one: a directory cannot be a file.
func (s *Store) Conflict(name string) (string, bool) {
	for dir := path.Dir(name); dir != "." && dir != "refs"; dir = path.Dir(dir) {
		if s.Exists(dir) {
			return dir, true
		}
	}
	if below := s.List(name + "/"); len(below) > 0 {
		return below[0].Name, true
	}
	return "", false
}

// WriteAtomic replaces a file by way of its lock.
func WriteAtomic(file string, data []byte, mode fs.FileMode) error {
	lock := file + ".lock"
	f, err := sys.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return &LockedError{lock}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = sys.Rename(lock, file)
	}
	if err != nil {
		_ = sys.Unlink(lock)
	}
	return err
}

const fileMode = 0o666

// Set makes a reference name an object. It does not follow symbolic references.
func (s *Store) Set(name string, id object.ID) error {
	return s.write(name, id.String()+"\n")
}

// SetSymbolic makes a reference name another.
func (s *Store) SetSymbolic(name, target string) error {
	return s.write(name, "ref: "+target+"\n")
}

func (s *Store) write(name, text string) error {
	if !ValidName(name) {
		return fmt.Errorf("refs: write %q: not a valid name", name)
	}
	file := s.path(name)
	if err := s.mkdirs(path.Dir(file)); err != nil {
		return err
	}
	if info, err := sys.Lstat(file); err == nil && info.IsDir() {
		removeEmpty(file, 0)
	}
	return WriteAtomic(file, []byte(text), fileMode&^s.umask)
}

// removeEmpty removes a directory of empty directories, which an old reference has left.
func removeEmpty(dir string, depth int) {
	entries, err := sys.ReadDir(dir)
	if err != nil || depth > maxNesting {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			removeEmpty(dir+"/"+e.Name(), depth+1)
		}
	}
	_ = sys.Rmdir(dir)
}

func (s *Store) mkdirs(dir string) error {
	if info, err := sys.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := s.mkdirs(path.Dir(dir)); err != nil {
		return err
	}
	err := sys.Mkdir(dir, 0o777&^s.umask)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Delete removes a reference, its log and the directories that it leaves empty.
func (s *Store) Delete(name string) error {
	if !ValidName(name) {
		return fmt.Errorf("refs: delete %q: not a valid name", name)
	}
	if _, ok := s.loadPacked()[name]; ok {
		delete(s.packed, name)
		if err := s.writePacked(); err != nil {
			return err
		}
	}
	file := s.path(name)
	if err := sys.Unlink(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.prune(path.Dir(file), s.common+"/refs")
	log := s.logPath(name)
	if err := sys.Unlink(log); err == nil {
		s.prune(path.Dir(log), s.common+"/logs/refs")
	}
	return nil
}

// prune removes empty directories up to one that stays, leaving the well-known ones.
func (s *Store) prune(dir, stay string) {
	for strings.HasPrefix(dir, stay+"/") && path.Dir(dir) != stay && sys.Rmdir(dir) == nil {
		dir = path.Dir(dir)
	}
}

func (s *Store) writePacked() error {
	names := make([]string, 0, len(s.packed))
	for name := range s.packed {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for _, name := range names {
		p := s.packed[name]
		b.WriteString(p.id.String() + " " + name + "\n")
		if !p.peeled.IsZero() {
			b.WriteString("^" + p.peeled.String() + "\n")
		}
	}
	return WriteAtomic(s.common+"/packed-refs", []byte(b.String()), fileMode&^s.umask)
}

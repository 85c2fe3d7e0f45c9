package filetool

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/sys"
)

// maxLinks bounds the symbolic links on the way to one file, as Linux does.
const maxLinks = 40

// location is where a path leads once every link on it has been followed.
type location struct {
	path   string // absolute, with no link, "." or ".." in it
	exists bool
	info   sys.Info // of the file, when it exists
}

// locate follows full, which is absolute. The last name, or more, need not exist: a link may dangle, and directories may
// still have to be made.
func locate(full string) (location, error) {
	// The filesystem has the first word: what it refuses to follow is not followed here either.
	info, err := sys.Stat(full)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return location{}, err
	}
	w := walk{at: "/", rest: full}
	for {
		name, more := w.next()
		if !more {
			break
		}
		if err := w.step(name); err != nil {
			return location{}, &fs.PathError{Op: "open", Path: full, Err: err}
		}
	}
	if err == nil && w.missing {
		return location{}, &fs.PathError{Op: "open", Path: full, Err: syscall.ENOENT} // it went away meanwhile
	}
	return location{path: w.at, exists: err == nil, info: info}, nil
}

// walk is a path followed up to at.
type walk struct {
	at      string
	rest    string
	missing bool // at does not exist
	links   int
}

func (w *walk) next() (name string, ok bool) {
	w.rest = strings.TrimLeft(w.rest, "/")
	if w.rest == "" {
		return "", false
	}
	name, w.rest, _ = strings.Cut(w.rest, "/")
	return name, true
}

func (w *walk) step(name string) error {
	switch {
	case name == ".":
		return nil
	case name == ".." && w.missing:
		return syscall.ENOENT
	case name == "..":
		w.at = path.Dir(w.at)
		return nil
	case w.missing:
		w.at = path.Join(w.at, name)
		return nil
	}
	next := path.Join(w.at, name)
	info, err := sys.Lstat(next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.missing = true
	case err != nil:
		return errors.Unwrap(err)
	case info.IsLink():
		return w.follow(next)
	}
	w.at = next
	return nil
}

func (w *walk) follow(link string) error {
	if w.links++; w.links > maxLinks {
		return syscall.ELOOP
	}
	target, err := sys.Readlink(link)
	if err != nil {
		return err
	}
	if strings.HasPrefix(target, "/") {
		w.at = "/"
	}
	w.rest = target + "/" + w.rest
	return nil
}

// inside reports whether name is dir or lies in it; both are absolute and clean.
func inside(dir, name string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// regular refuses what is there and is no file, before anything tries to open it: a FIFO would wait for ever.
func (l location) regular() error {
	switch mode := l.info.Mode; {
	case !l.exists || mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("it is a directory")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("it is a named pipe, not a regular file")
	case mode&fs.ModeSocket != 0:
		return errors.New("it is a socket, not a regular file")
	case mode&fs.ModeDevice != 0:
		return errors.New("it is a device, not a regular file")
	}
	return errors.New("it is not a regular file")
}

// writable refuses what no program of the file's owner could write without changing its mode first.
func (l location) writable() error {
	const anyWrite = 0o222
	if l.exists && l.info.Mode&anyWrite == 0 {
		return fmt.Errorf("it is read-only (mode %04o)", l.info.Mode.Perm())
	}
	return nil
}

// target finds the regular file, or the place for one, that name stands for and that may be written.
func (c *call) target(name string) (location, error) {
	loc, err := locate(c.p.Path(name))
	if err != nil {
		return loc, errors.New(reason(err))
	}
	if !loc.exists && strings.HasSuffix(name, "/") {
		return loc, errors.New("the name of a file is expected, not of a directory")
	}
	if c.strays(name, loc) {
		return loc, errors.New(reason(syscall.EXDEV))
	}
	if err := loc.regular(); err != nil {
		return loc, err
	}
	return loc, loc.writable()
}

// strays reports whether a name in the workspace leads, through a link, to a place that is neither there nor anywhere else that
// exists. What a link outside names on the host looks like that from here; to say that it is missing would mislead.
func (c *call) strays(name string, loc location) bool {
	if loc.exists || !inside(c.root, path.Clean(c.p.Path(name))) {
		return false
	}
	root, err := locate(c.root)
	if err != nil || inside(root.path, loc.path) {
		return false
	}
	parent := path.Dir(loc.path)
	_, err = sys.Stat(parent)
	return parent == "/" || errors.Is(err, fs.ErrNotExist)
}

// reason puts an error of the system into plain words.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.EXDEV):
		return "it leads outside the workspace through a link"
	case errors.Is(err, syscall.EROFS):
		return "Read-only file system: it cannot be changed from here"
	}
	return sys.Strerror(err)
}

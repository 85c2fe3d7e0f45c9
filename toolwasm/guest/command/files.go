package command

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/sys"
)

// IsBrokenPipe reports whether err says that the reader of a pipe has gone.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, pipe.ErrBroken) || errors.Is(err, syscall.EPIPE)
}

// Path makes name absolute, relative to the command's directory. It does not clean it: "a/.." may cross a link,
// and a trailing slash means something.
func (p *Proc) Path(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	if name == "" {
		return "" // no file has an empty name; the system answers ENOENT
	}
	return strings.TrimSuffix(p.Dir, "/") + "/" + name
}

// File is an open file or stream.
type File interface {
	io.Reader
	io.Writer
	io.Closer
}

// Open opens a file for reading. "/dev/stdin" and "/dev/fd/N" name the command's own streams.
func (p *Proc) Open(name string) (File, error) { return p.OpenFile(name, os.O_RDONLY, 0) }

// Create makes or empties a file for writing.
func (p *Proc) Create(name string) (File, error) {
	return p.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile opens name as os.OpenFile does; the umask is taken off mode.
func (p *Proc) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	full := p.Path(name)
	if s, ok := p.device(full); ok {
		if s == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
		}
		return borrowed{s}, nil
	}
	f, err := sys.OpenFile(full, flag, mode&^p.Umask)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenArg opens an operand by the convention of text tools: "-" is standard input.
func (p *Proc) OpenArg(name string) (File, error) {
	if name == "-" {
		return borrowed{p.Stdin}, nil
	}
	return p.Open(name)
}

// device returns the stream that a path under /dev names.
func (p *Proc) device(full string) (Stream, bool) {
	name, ok := strings.CutPrefix(path.Clean(full), "/dev/") // /dev/. and /dev/.. are below /dev by their spelling only
	switch {
	case !ok:
	case name == "stdin":
		return p.stream(0), true
	case name == "stdout":
		return p.stream(1), true
	case name == "stderr":
		return p.stream(2), true
	case strings.HasPrefix(name, "fd/"):
		n, err := strconv.Atoi(name[len("fd/"):])
		if err != nil {
			return nil, true
		}
		return p.stream(n), true
	}
	return nil, false
}

func (p *Proc) stream(n int) Stream {
	switch n {
	case 0:
		if p.Stdin == nil {
			return nil
		}
		return p.Stdin
	case 1:
		return p.Stdout
	case 2:
		return p.Stderr
	}
	if s, ok := p.Files[n]; ok || p.Inherited == nil {
		return s
	}
	return p.Inherited(n)
}

// borrowed is a stream that belongs to somebody else: closing it does nothing.
type borrowed struct{ s Stream }

func (b borrowed) Read(p []byte) (int, error) {
	if r, ok := b.s.(io.Reader); ok {
		return r.Read(p)
	}
	return 0, syscall.EBADF
}

func (b borrowed) Write(p []byte) (int, error) {
	if w, ok := b.s.(io.Writer); ok {
		return w.Write(p)
	}
	return 0, syscall.EBADF
}

func (b borrowed) Close() error { return nil }

func (b borrowed) Unwrap() Stream { return b.s }

// Stat describes a file, following links.
func (p *Proc) Stat(name string) (sys.Info, error) {
	full := p.Path(name)
	if s, ok := p.device(full); ok {
		return streamInfo(name, s)
	}
	return sys.Stat(full)
}

// Lstat describes a file or the link itself.
func (p *Proc) Lstat(name string) (sys.Info, error) {
	full := p.Path(name)
	if s, ok := p.device(full); ok {
		return streamInfo(name, s)
	}
	return sys.Lstat(full)
}

func streamInfo(name string, s Stream) (sys.Info, error) {
	switch s := Unwrap(s).(type) {
	case nil:
		return sys.Info{}, &fs.PathError{Op: "stat", Path: name, Err: syscall.ENOENT}
	case *os.File:
		return sys.Fstat(s)
	case *pipe.Reader, *pipe.Writer:
		return sys.Info{Name: path.Base(name), Mode: fs.ModeNamedPipe | 0o600, UID: sys.UID, GID: sys.GID, Nlink: 1}, nil
	}
	return sys.Info{Name: path.Base(name), Mode: fs.ModeNamedPipe | 0o600, UID: sys.UID, GID: sys.GID, Nlink: 1}, nil
}

// maxPrepared bounds how much memory is made ready for what a file says is its size.
const maxPrepared = 1 << 30

// ReadFile reads a whole operand; "-" is standard input.
func (p *Proc) ReadFile(name string) ([]byte, error) {
	f, err := p.OpenArg(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := p.Stat(name); err == nil && name != "-" && info.IsRegular() && info.Size < maxPrepared {
		b.Grow(int(info.Size) + bytes.MinRead) // a buffer that grows needs several times the memory on its way
	}
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

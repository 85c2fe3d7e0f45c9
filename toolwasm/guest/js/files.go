package js

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/dop251/goja"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

var errNotDir error = syscall.ENOTDIR

// fileBindings are the calls of the system that module fs is made of. Paths are strings; mistakes are thrown with the
// name of the call.
func (e *engine) fileBindings() map[string]any {
	return map[string]any{
		"fsOpen":      e.fsOpen,
		"fsClose":     e.fsClose,
		"fsRead":      e.fsRead,
		"fsWrite":     e.fsWrite,
		"fsReadFile":  e.fsReadFile,
		"fsStat":      e.fsStat,
		"fsFstat":     e.fsFstat,
		"fsReadDir":   e.fsReadDir,
		"fsMkdir":     func(p string, mode int64) { e.system(sys.Mkdir(e.path(p), fileMode(mode)&^e.p.Umask), "mkdir", p, "") },
		"fsRmdir":     func(p string) { e.system(sys.Rmdir(e.path(p)), "rmdir", p, "") },
		"fsUnlink":    func(p string) { e.system(sys.Unlink(e.path(p)), "unlink", p, "") },
		"fsRename":    func(a, b string) { e.system(sys.Rename(e.path(a), e.path(b)), "rename", a, b) },
		"fsLink":      func(a, b string) { e.system(sys.Link(e.path(a), e.path(b)), "link", a, b) },
		"fsSymlink":   func(a, b string) { e.system(sys.Symlink(a, e.path(b)), "symlink", a, b) },
		"fsReadlink":  e.fsReadlink,
		"fsChmod":     func(p string, mode int64) { e.system(sys.Chmod(e.path(p), fileMode(mode)), "chmod", p, "") },
		"fsTruncate":  func(p string, size int64) { e.system(sys.Truncate(e.path(p), size), "truncate", p, "") },
		"fsTimes":     e.fsTimes,
		"fsCopy":      e.fsCopy,
		"fsTempDir":   e.fsTempDir,
		"fsRealpath":  e.fsRealpath,
		"fsKind":      e.fsKind,
		"fsFtruncate": e.fsFtruncate,
	}
}

func (e *engine) path(name string) string { return e.p.Path(name) }

// cleanPath takes the dots out of an absolute path, as process.cwd shows it.
func cleanPath(p string) string { return path.Clean(p) }

// fileMode is a mode of POSIX as Go's.
func fileMode(m int64) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	if m&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if m&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	if m&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// posixMode is Go's mode as that of POSIX, with the type of the file.
func posixMode(m fs.FileMode) int64 {
	n := int64(m.Perm())
	switch m.Type() {
	case fs.ModeDir:
		n |= 0o040000
	case fs.ModeSymlink:
		n |= 0o120000
	case fs.ModeNamedPipe:
		n |= 0o010000
	case fs.ModeSocket:
		n |= 0o140000
	case fs.ModeDevice:
		n |= 0o060000
	case fs.ModeDevice | fs.ModeCharDevice:
		n |= 0o020000
	default:
		n |= 0o100000
	}
	for bit, posix := range map[fs.FileMode]int64{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&bit != 0 {
			n |= posix
		}
	}
	return n
}

// system throws a mistake of the system.
func (e *engine) system(err error, call, from, to string) {
	if err != nil {
		e.throwSystem(err, call, from, to)
	}
}

// errno is an error number as node has it.
type errno struct {
	code    string
	number  int
	message string
}

// errnos are the error numbers with node's names and words, and Linux's numbers.
var errnos = map[syscall.Errno]errno{
	syscall.ENOENT:       {"ENOENT", 2, "no such file or directory"},
	syscall.EACCES:       {"EACCES", 13, "permission denied"},
	syscall.EEXIST:       {"EEXIST", 17, "file already exists"},
	syscall.ENOTDIR:      {"ENOTDIR", 20, "not a directory"},
	syscall.EISDIR:       {"EISDIR", 21, "illegal operation on a directory"},
	syscall.ENOTEMPTY:    {"ENOTEMPTY", 39, "directory not empty"},
	syscall.EPERM:        {"EPERM", 1, "operation not permitted"},
	syscall.EINVAL:       {"EINVAL", 22, "invalid argument"},
	syscall.EROFS:        {"EROFS", 30, "read-only file system"},
	syscall.ENOSPC:       {"ENOSPC", 28, "no space left on device"},
	syscall.EXDEV:        {"EXDEV", 18, "cross-device link not permitted"},
	syscall.ELOOP:        {"ELOOP", 40, "too many symbolic links encountered"},
	syscall.EBADF:        {"EBADF", 9, "bad file descriptor"},
	syscall.ENAMETOOLONG: {"ENAMETOOLONG", 36, "name too long"},
	syscall.EMFILE:       {"EMFILE", 24, "too many open files"},
	syscall.EBUSY:        {"EBUSY", 16, "resource busy or locked"},
	syscall.EDQUOT:       {"EDQUOT", 122, "disk quota exceeded"},
	syscall.EFBIG:        {"EFBIG", 27, "file too large"},
	syscall.ENOSYS:       {"ENOSYS", 38, "function not implemented"},
	syscall.ENOTSUP:      {"ENOTSUP", 95, "operation not supported on socket"},
	syscall.EPIPE:        {"EPIPE", 32, "broken pipe"},
	syscall.ESPIPE:       {"ESPIPE", 29, "invalid seek"},
	syscall.EMLINK:       {"EMLINK", 31, "too many links"},
}

// throwSystem throws err as node does: with a code, a number, the call and the paths.
func (e *engine) throwSystem(err error, call, from, to string) {
	var number syscall.Errno
	no := errno{"EIO", 5, "i/o error"}
	if errors.As(err, &number) {
		if known, ok := errnos[number]; ok {
			no = known
		} else {
			no.message = strings.ToLower(sys.Strerror(err))
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		no = errnos[syscall.ENOENT]
	}
	v, herr := e.hooks["systemError"](goja.Undefined(), e.vm.ToValue(no.code), e.vm.ToValue(-no.number), e.vm.ToValue(no.message),
		e.vm.ToValue(call), e.vm.ToValue(from), e.vm.ToValue(to))
	e.check(herr)
	panic(v)
}

// maxFiles bounds how many files a script has open.
const maxFiles = 1024

// descriptors are the files that a script has open. The first three are its streams.
type descriptors struct {
	p    *command.Proc
	list map[int]*openFile
}

type openFile struct {
	command.File
	path   string
	append bool
}

func (d *descriptors) init(p *command.Proc) { d.p, d.list = p, map[int]*openFile{} }

// input is standard input for a reader that is not the script's own goroutine: it must not end the command.
func (d *descriptors) input() io.Reader {
	if r, ok := command.Unwrap(d.p.Stdin).(io.Reader); ok {
		return r
	}
	return strings.NewReader("")
}

func (d *descriptors) add(f *openFile) (int, error) {
	for fd := 3; fd < maxFiles; fd++ {
		if d.list[fd] == nil {
			d.list[fd] = f
			return fd, nil
		}
	}
	return 0, syscall.EMFILE
}

func (d *descriptors) closeAll() {
	for _, f := range d.list {
		_ = f.Close()
	}
}

// openFlags are node's names of how to open a file.
var openFlags = map[string]int{
	"r": os.O_RDONLY, "rs": os.O_RDONLY, "r+": os.O_RDWR, "rs+": os.O_RDWR,
	"w": os.O_WRONLY | os.O_CREATE | os.O_TRUNC, "wx": os.O_WRONLY | os.O_CREATE | os.O_TRUNC | os.O_EXCL,
	"w+": os.O_RDWR | os.O_CREATE | os.O_TRUNC, "wx+": os.O_RDWR | os.O_CREATE | os.O_TRUNC | os.O_EXCL,
	"a": os.O_WRONLY | os.O_CREATE | os.O_APPEND, "ax": os.O_WRONLY | os.O_CREATE | os.O_APPEND | os.O_EXCL,
	"a+": os.O_RDWR | os.O_CREATE | os.O_APPEND, "ax+": os.O_RDWR | os.O_CREATE | os.O_APPEND | os.O_EXCL,
}

// numericFlags reads Linux's numbers, which are those of fs.constants.
func numericFlags(n int64) int {
	const accessMode, create, exclusive, truncate, appending = 3, 0o100, 0o200, 0o1000, 0o2000
	flag := []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR}[n&accessMode]
	for bit, f := range map[int64]int{create: os.O_CREATE, exclusive: os.O_EXCL, truncate: os.O_TRUNC, appending: os.O_APPEND} {
		if n&bit != 0 {
			flag |= f
		}
	}
	return flag
}

func (e *engine) openFlag(v goja.Value) int {
	if _, ok := v.(goja.String); !ok {
		return numericFlags(v.ToInteger())
	}
	flag, ok := openFlags[v.String()]
	if !ok {
		e.throw("TypeError", "ERR_INVALID_ARG_VALUE", "The argument 'flags' is invalid. Received '%s'", v.String())
	}
	return flag
}

func (e *engine) fsOpen(name string, flags goja.Value, mode int64) int {
	flag := e.openFlag(flags)
	f, err := e.p.OpenFile(name, flag, fileMode(mode))
	e.system(err, "open", name, "")
	fd, err := e.files.add(&openFile{File: f, path: name, append: flag&os.O_APPEND != 0})
	e.system(err, "open", name, "")
	return fd
}

func (e *engine) file(fd int, call string) *openFile {
	f := e.files.list[fd]
	if f == nil {
		e.throwSystem(syscall.EBADF, call, "", "")
	}
	return f
}

func (e *engine) fsClose(fd int) {
	if fd < 3 {
		return
	}
	f := e.file(fd, "close")
	delete(e.files.list, fd)
	e.system(f.Close(), "close", "", "")
}

// fsRead reads into a view; position is negative for where the file is.
func (e *engine) fsRead(fd int, view goja.Value, position int64) int {
	b := e.bytes(view)
	var n int
	var err error
	if fd == 0 {
		_ = e.p.Flush()
		n, err = e.p.Stdin.Read(b)
	} else {
		f := e.file(fd, "read")
		at, ok := f.File.(io.ReaderAt)
		switch {
		case position < 0:
			n, err = f.Read(b)
		case ok:
			n, err = at.ReadAt(b, position)
		default:
			err = syscall.ESPIPE
		}
	}
	if err != nil && !errors.Is(err, io.EOF) && n == 0 {
		e.throwSystem(err, "read", "", "")
	}
	return n
}

func (e *engine) fsWrite(fd int, data goja.Value, position int64) int {
	if fd == 1 || fd == 2 {
		e.writeStream(fd, data)
		return len(e.bytes(data))
	}
	f := e.file(fd, "write")
	b := e.bytes(data)
	var n int
	var err error
	at, ok := f.File.(io.WriterAt)
	switch {
	case position < 0 || f.append:
		n, err = f.Write(b)
	case ok:
		n, err = at.WriteAt(b, position)
	default:
		err = syscall.ESPIPE
	}
	e.system(err, "write", "", "")
	return n
}

func (e *engine) fsReadFile(name goja.Value) goja.Value {
	if fd, ok := name.Export().(int64); ok {
		return e.readDescriptor(int(fd))
	}
	b, err := e.p.ReadFile(readable(name.String()))
	if err != nil {
		call := "open"
		if errors.Is(err, syscall.EISDIR) {
			e.throwSystem(err, "read", "", "")
		}
		e.throwSystem(err, call, name.String(), "")
	}
	return e.buffer(b)
}

// readable keeps a file of the name "-" from being taken for standard input.
func readable(name string) string {
	if name == "-" {
		return "./-"
	}
	return name
}

func (e *engine) readDescriptor(fd int) goja.Value {
	var r io.Reader = e.p.Stdin
	if fd != 0 {
		r = e.file(fd, "read")
	} else {
		_ = e.p.Flush()
	}
	b, err := io.ReadAll(r)
	e.system(err, "read", "", "")
	return e.buffer(b)
}

func (e *engine) fsStat(name string, follow bool) []any {
	info, err := e.p.Lstat(name)
	call := "lstat"
	if follow {
		info, err = e.p.Stat(name)
		call = "stat"
	}
	e.system(err, call, name, "")
	return statFields(info)
}

func (e *engine) fsFstat(fd int) []any {
	if fd < 3 {
		info, err := e.p.Stat([]string{"/dev/stdin", "/dev/stdout", "/dev/stderr"}[max(fd, 0)])
		e.system(err, "fstat", "", "")
		return statFields(info)
	}
	f, ok := command.Unwrap(e.file(fd, "fstat").File).(*os.File)
	if !ok {
		e.throwSystem(syscall.EBADF, "fstat", "", "")
	}
	info, err := sys.Fstat(f)
	e.system(err, "fstat", "", "")
	return statFields(info)
}

func statFields(i sys.Info) []any {
	ms := func(t time.Time) float64 { return float64(t.UnixNano()) / 1e6 }
	return []any{
		i.Dev, posixMode(i.Mode), i.Nlink, i.UID, i.GID, 0, 4096, i.Ino, i.Size, i.Blocks, ms(i.Atime), ms(i.Mtime), ms(i.Ctime), ms(i.Ctime),
	}
}

// fsReadDir lists names, each followed by its type.
func (e *engine) fsReadDir(name string) goja.Value {
	list, err := sys.ReadDir(e.path(name))
	e.system(err, "scandir", name, "")
	out := make([]any, 0, 2*len(list))
	for _, d := range list {
		out = append(out, d.Name(), posixMode(d.Type())&0o170000)
	}
	return e.vm.NewArray(out...)
}

func (e *engine) fsReadlink(name string) string {
	s, err := sys.Readlink(e.path(name))
	e.system(err, "readlink", name, "")
	return s
}

func (e *engine) fsTimes(name string, atime, mtime float64) {
	at := func(s float64) time.Time { return time.Unix(0, int64(s*1e9)) }
	e.system(sys.Chtimes(e.path(name), at(atime), at(mtime)), "utime", name, "")
}

// fsCopy copies a file; exclusive keeps one that is there.
func (e *engine) fsCopy(from, to string, exclusive bool) {
	info, err := e.p.Stat(from)
	if err == nil && info.IsDir() {
		err = syscall.EISDIR
	}
	e.system(err, "copyfile", from, to)
	in, err := e.p.Open(from)
	e.system(err, "copyfile", from, to)
	defer in.Close()
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if exclusive {
		flag |= os.O_EXCL
	}
	if there, err := e.p.Stat(to); err == nil && there.Same(info) {
		return
	}
	out, err := e.p.OpenFile(to, flag, info.Mode.Perm())
	e.system(err, "copyfile", from, to)
	_, err = io.Copy(out, in)
	e.system(errors.Join(err, out.Close()), "copyfile", from, to)
}

func (e *engine) fsTempDir(prefix string) string {
	const letters = 6
	dir, base := path.Split(prefix)
	name := dir + path.Base(sys.TempName("/", base+"*"))
	if len(name) > len(prefix)+letters {
		name = name[:len(prefix)+letters]
	}
	e.system(sys.Mkdir(e.path(name), 0o700), "mkdtemp", prefix+"XXXXXX", "")
	return name
}

// maxLinks bounds how many symbolic links a path may go through.
const maxLinks = 40

// fsRealpath follows every link of a path.
func (e *engine) fsRealpath(name string) string {
	rest, done := e.path(name), "/"
	for links := 0; rest != ""; {
		part, after, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		rest = after
		next := path.Join(done, part)
		info, err := sys.Lstat(next)
		e.system(err, "realpath", name, "")
		if !info.IsLink() {
			done = next
			continue
		}
		if links++; links > maxLinks {
			e.throwSystem(syscall.ELOOP, "realpath", name, "")
		}
		target, err := sys.Readlink(next)
		e.system(err, "realpath", name, "")
		if strings.HasPrefix(target, "/") {
			done = "/"
		}
		rest = target + "/" + rest
	}
	return done
}

// fsKind tells what a path is without throwing: 0 nothing, 1 a file, 2 a directory.
func (e *engine) fsKind(name string) int {
	info, err := e.p.Stat(name)
	switch {
	case err != nil:
		return 0
	case info.IsDir():
		return 2
	}
	return 1
}

func (e *engine) fsFtruncate(fd int, size int64) {
	f, ok := command.Unwrap(e.file(fd, "ftruncate").File).(*os.File)
	if !ok {
		e.throwSystem(syscall.EINVAL, "ftruncate", "", "")
	}
	e.system(f.Truncate(size), "ftruncate", "", "")
}

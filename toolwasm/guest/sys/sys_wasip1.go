package sys

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// The calls of the openclaw_v1 host module; docs/abi.md describes them.

//go:wasmimport openclaw_v1 path_stat
//go:noescape
func hostPathStat(dir, flags uint32, path *byte, size uint32, buf *byte) uint32

//go:wasmimport openclaw_v1 fd_stat
//go:noescape
func hostFdStat(fd uint32, buf *byte) uint32

//go:wasmimport openclaw_v1 path_chmod
//go:noescape
func hostPathChmod(dir, flags uint32, path *byte, size uint32, mode uint32) uint32

//go:wasmimport openclaw_v1 fd_chmod
//go:noescape
func hostFdChmod(fd, mode uint32) uint32

//go:wasmimport openclaw_v1 memory_limit
//go:noescape
func hostMemoryLimit() int64

//go:wasmimport openclaw_v1 umask
func hostUmask(mask uint32) uint32

//go:wasmimport openclaw_v1 path_statfs
//go:noescape
func hostPathStatfs(dir uint32, path *byte, size uint32, buf *byte) uint32

//go:wasmimport wasi_snapshot_preview1 path_filestat_set_times
//go:noescape
func hostSetTimes(dir, flags uint32, path *byte, size uint32, atime, mtime uint64, which uint32) uint32

const (
	rootFD     = 3 // the preopened "/"
	followLink = 1

	statSize   = 72
	statfsSize = 40
)

// The file types in a stat.
const (
	typeBlockDevice = 1
	typeCharDevice  = 2
	typeDirectory   = 3
	typeRegular     = 4
	typeSocket      = 6
	typeSymlink     = 7
	typeFIFO        = 128
)

// relative is the path as the host takes it: below the preopened root. The host refuses a path with more ".." than
// names before it; at the root of a system they stay there instead.
func relative(name string) string {
	name = strings.TrimLeft(name, "/")
	if !strings.Contains(name, "..") {
		return orRoot(name)
	}
	kept := make([]string, 0, strings.Count(name, "/")+1)
	depth := 0
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth == 0 {
				continue
			}
			depth--
		default:
			depth++
		}
		kept = append(kept, part)
	}
	return orRoot(strings.Join(kept, "/"))
}

func orRoot(name string) string {
	if name == "" {
		return "."
	}
	return name
}

func pathCall(op, name string, call func(p *byte, n uint32) uint32) error {
	if name == "" {
		return wrap(op, name, syscall.ENOENT)
	}
	rel := relative(name)
	no := call(unsafe.StringData(rel), uint32(len(rel)))
	runtime.KeepAlive(rel)
	if no != 0 {
		return wrap(op, name, syscall.Errno(no))
	}
	return nil
}

// OpenFile opens a file; mode applies exactly, whatever the umask is, to a file that it creates.
func OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	const executable = 0o111
	if flag&os.O_CREATE == 0 {
		return os.OpenFile(physical(name), flag, 0)
	}
	name = physical(name)
	defer hostUmask(hostUmask(uint32(^mode.Perm()) & 0o777))
	if mode&executable == 0 {
		return os.OpenFile(name, flag, 0)
	}
	// WASI makes no file executable, so a new one is changed afterwards, and an old one must not be.
	f, err := os.OpenFile(name, flag|os.O_EXCL, 0)
	if errors.Is(err, fs.ErrExist) && flag&os.O_EXCL == 0 {
		return os.OpenFile(name, flag&^os.O_CREATE, 0)
	}
	if err != nil {
		return nil, err
	}
	if no := hostFdChmod(uint32(f.Fd()), uint32(mode.Perm())); no != 0 {
		f.Close()
		return nil, wrap("chmod", name, syscall.Errno(no))
	}
	return f, nil
}

// Stat describes a file, following symbolic links.
func Stat(name string) (Info, error) { return stat(name, followLink) }

// Lstat describes a file or the symbolic link itself.
func Lstat(name string) (Info, error) { return stat(name, 0) }

func stat(name string, flags uint32) (Info, error) {
	var buf [statSize]byte
	err := pathCall("stat", name, func(p *byte, n uint32) uint32 { return hostPathStat(rootFD, flags, p, n, &buf[0]) })
	if err != nil {
		return Info{}, err
	}
	return info(path.Base(name), buf[:]), nil
}

// Fstat describes an open file.
func Fstat(f *os.File) (Info, error) {
	var buf [statSize]byte
	if no := hostFdStat(uint32(f.Fd()), &buf[0]); no != 0 {
		return Info{}, wrap("stat", f.Name(), syscall.Errno(no))
	}
	return info(path.Base(f.Name()), buf[:]), nil
}

func info(name string, buf []byte) Info {
	u64 := func(i int) uint64 { return binary.LittleEndian.Uint64(buf[8*i:]) }
	when := func(i int) time.Time { return time.Unix(0, int64(u64(i))) }
	return Info{
		Name: name, Dev: u64(0), Ino: u64(1), Nlink: u64(2), Size: int64(u64(3)), Blocks: int64(u64(4)),
		Atime: when(5), Mtime: when(6), Ctime: when(7), UID: UID, GID: GID,
		Mode: fileMode(binary.LittleEndian.Uint32(buf[64:]), binary.LittleEndian.Uint32(buf[68:])),
	}
}

func fileMode(mode, kind uint32) fs.FileMode {
	const setuid, setgid, sticky = 0o4000, 0o2000, 0o1000
	m := fs.FileMode(mode & 0o777)
	if mode&setuid != 0 {
		m |= fs.ModeSetuid
	}
	if mode&setgid != 0 {
		m |= fs.ModeSetgid
	}
	if mode&sticky != 0 {
		m |= fs.ModeSticky
	}
	switch kind {
	case typeRegular:
	case typeDirectory:
		m |= fs.ModeDir
	case typeSymlink:
		m |= fs.ModeSymlink
	case typeCharDevice:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case typeBlockDevice:
		m |= fs.ModeDevice
	case typeSocket:
		m |= fs.ModeSocket
	case typeFIFO:
		m |= fs.ModeNamedPipe
	default:
		m |= fs.ModeIrregular
	}
	return m
}

// Chmod sets the permission, setuid, setgid and sticky bits of a file.
func Chmod(name string, mode fs.FileMode) error {
	bits := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		bits |= 0o4000
	}
	if mode&fs.ModeSetgid != 0 {
		bits |= 0o2000
	}
	if mode&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return pathCall("chmod", name, func(p *byte, n uint32) uint32 { return hostPathChmod(rootFD, followLink, p, n, bits) })
}

// Statfs describes the filesystem that holds a path.
func Statfs(name string) (Space, error) {
	var buf [statfsSize]byte
	err := pathCall("statfs", name, func(p *byte, n uint32) uint32 { return hostPathStatfs(rootFD, p, n, &buf[0]) })
	u64 := func(i int) uint64 { return binary.LittleEndian.Uint64(buf[8*i:]) }
	return Space{BlockSize: u64(0), Blocks: u64(1), BlocksFree: u64(2), Files: u64(3), FilesFree: u64(4)}, err
}

// lchtimes sets the times of a link itself; a zero time is left as it is.
func lchtimes(name string, atime, mtime time.Time) error {
	const setAtime, setMtime = 1, 4
	var which uint32
	var at, mt uint64
	if !atime.IsZero() {
		which, at = which|setAtime, uint64(atime.UnixNano())
	}
	if !mtime.IsZero() {
		which, mt = which|setMtime, uint64(mtime.UnixNano())
	}
	return pathCall("utimes", name, func(p *byte, n uint32) uint32 { return hostSetTimes(rootFD, 0, p, n, at, mt, which) })
}

// maxLinks is how many symbolic links physical follows.
const maxLinks = 40

// physical returns a name for the same file without "..": Go's system calls remove "dir/.." by the letters, which is
// another file when dir is a symbolic link, and a file at all when dir does not exist. What cannot be resolved becomes a
// name below the component that is to blame, so that the call fails with the right error.
func physical(name string) string {
	if !strings.Contains(name, "..") {
		return name
	}
	rest := strings.Split(name, "/")
	last := -1
	for i, part := range rest {
		if part == ".." {
			last = i
		}
	}
	if last < 0 {
		return name
	}
	tail := strings.Join(rest[last+1:], "/")
	dir, ok := walk(rest[:last+1])
	if !ok {
		return dir + "/-"
	}
	if tail == "" && !strings.HasSuffix(name, "/") {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + tail
}

// walk resolves the links of a path whose components are given; when it cannot, it returns the name that is to blame.
func walk(rest []string) (string, bool) {
	var done []string
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = done[:max(len(done)-1, 0)]
			continue
		}
		full := "/" + strings.Join(append(done, part), "/")
		info, err := Lstat(full)
		switch {
		case err != nil:
			return full, false
		case info.IsDir():
			done = append(done, part)
			continue
		case !info.IsLink():
			return full, false
		}
		target, err := os.Readlink(full)
		if links++; err != nil || links > maxLinks {
			return full, false
		}
		if strings.HasPrefix(target, "/") {
			done = done[:0]
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return "/" + strings.Join(done, "/"), true
}

// MemoryLimit is how many bytes of memory the call may take, 0 when there is no limit.
func MemoryLimit() int64 { return max(hostMemoryLimit(), 0) }

package wasi_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/vfs"
)

// osFS serves a directory of the host, without any confinement: it knows the
// rules of POSIX because the kernel does.
type osFS struct{ dir string }

var errnos = map[syscall.Errno]vfs.Errno{
	0: vfs.OK, unix.EACCES: vfs.EACCES, unix.EAGAIN: vfs.EAGAIN, unix.EBADF: vfs.EBADF, unix.EEXIST: vfs.EEXIST,
	unix.EFBIG: vfs.EFBIG, unix.EINVAL: vfs.EINVAL, unix.EISDIR: vfs.EISDIR, unix.ELOOP: vfs.ELOOP,
	unix.EMLINK: vfs.EMLINK, unix.ENAMETOOLONG: vfs.ENAMETOOLONG, unix.ENODEV: vfs.ENODEV, unix.ENOENT: vfs.ENOENT,
	unix.ENOSPC: vfs.ENOSPC, unix.ENOTDIR: vfs.ENOTDIR, unix.ENOTEMPTY: vfs.ENOTEMPTY, unix.EPERM: vfs.EPERM,
	unix.EROFS: vfs.EROFS, unix.ESPIPE: vfs.ESPIPE, unix.EXDEV: vfs.EXDEV, unix.EBUSY: vfs.EBUSY,
}

func errno(err error) vfs.Errno {
	if err == nil {
		return vfs.OK
	}
	var e syscall.Errno
	if !errors.As(err, &e) {
		return vfs.EIO
	}
	if n, ok := errnos[e]; ok {
		return n
	}
	return vfs.EIO
}

// at joins without cleaning, so that the kernel sees the path as it was given.
func (f osFS) at(path string) string { return f.dir + "/" + path }

func (f osFS) Open(path string, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	mode := unix.O_CLOEXEC
	switch flags & (vfs.Read | vfs.Write) {
	case vfs.Write:
		mode |= unix.O_WRONLY
	case vfs.Read | vfs.Write:
		mode |= unix.O_RDWR
	}
	for flag, bit := range map[vfs.OpenFlag]int{
		vfs.Create: unix.O_CREAT, vfs.Exclusive: unix.O_EXCL, vfs.Truncate: unix.O_TRUNC, vfs.Append: unix.O_APPEND,
		vfs.Directory: unix.O_DIRECTORY, vfs.NoFollow: unix.O_NOFOLLOW,
	} {
		if flags&flag != 0 {
			mode |= bit
		}
	}
	if flags&vfs.Directory != 0 && flags&vfs.Write != 0 {
		return nil, vfs.EISDIR
	}
	fd, err := unix.Open(f.at(path), mode, perm)
	if err != nil {
		return nil, errno(err)
	}
	return &osFile{fd: fd, path: f.at(path)}, vfs.OK
}

func statOf(st *unix.Stat_t) vfs.Stat {
	kinds := map[uint32]vfs.FileType{
		unix.S_IFDIR: vfs.TypeDirectory, unix.S_IFREG: vfs.TypeRegular, unix.S_IFLNK: vfs.TypeSymlink,
		unix.S_IFIFO: vfs.TypeFIFO, unix.S_IFCHR: vfs.TypeCharDevice,
	}
	return vfs.Stat{
		Dev: st.Dev, Ino: st.Ino, Nlink: st.Nlink, Size: st.Size, Blocks: st.Blocks, Mode: st.Mode & 0o7777,
		Type: kinds[st.Mode&unix.S_IFMT], Atime: st.Atim.Nano(), Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(),
	}
}

func nofollow(follow bool) int {
	if follow {
		return 0
	}
	return unix.AT_SYMLINK_NOFOLLOW
}

func (f osFS) Stat(path string, follow bool) (vfs.Stat, vfs.Errno) {
	var st unix.Stat_t
	err := unix.Fstatat(unix.AT_FDCWD, f.at(path), &st, nofollow(follow))
	return statOf(&st), errno(err)
}

func (f osFS) Readlink(path string) (string, vfs.Errno) {
	target, err := os.Readlink(f.at(path))
	return target, errno(err)
}

func (f osFS) Mkdir(path string, perm uint32) vfs.Errno { return errno(unix.Mkdir(f.at(path), perm)) }
func (f osFS) Rmdir(path string) vfs.Errno              { return errno(unix.Rmdir(f.at(path))) }
func (f osFS) Unlink(path string) vfs.Errno             { return errno(unix.Unlink(f.at(path))) }
func (f osFS) Rename(a, b string) vfs.Errno             { return errno(unix.Rename(f.at(a), f.at(b))) }

// Symlink refuses absolute targets, as the mounts of the sandbox do.
func (f osFS) Symlink(target, path string) vfs.Errno {
	if strings.HasPrefix(target, "/") {
		return vfs.EPERM
	}
	return errno(unix.Symlink(target, f.at(path)))
}

func (f osFS) Link(a, b string, follow bool) vfs.Errno {
	flags := 0
	if follow {
		flags = unix.AT_SYMLINK_FOLLOW
	}
	return errno(unix.Linkat(unix.AT_FDCWD, f.at(a), unix.AT_FDCWD, f.at(b), flags))
}

func (f osFS) Chmod(path string, mode uint32, follow bool) vfs.Errno {
	return errno(unix.Fchmodat(unix.AT_FDCWD, f.at(path), mode, nofollow(follow)))
}

func timespecs(atime, mtime int64, flags vfs.TimeFlag) []unix.Timespec {
	ts := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_OMIT}}
	if flags&vfs.SetAtime != 0 {
		ts[0] = unix.NsecToTimespec(atime)
	}
	if flags&vfs.SetAtimeNow != 0 {
		ts[0].Nsec = unix.UTIME_NOW
	}
	if flags&vfs.SetMtime != 0 {
		ts[1] = unix.NsecToTimespec(mtime)
	}
	if flags&vfs.SetMtimeNow != 0 {
		ts[1].Nsec = unix.UTIME_NOW
	}
	return ts
}

func (f osFS) Utimes(path string, atime, mtime int64, flags vfs.TimeFlag, follow bool) vfs.Errno {
	return errno(unix.UtimesNanoAt(unix.AT_FDCWD, f.at(path), timespecs(atime, mtime, flags), nofollow(follow)))
}

func (f osFS) Statfs(string) (vfs.Statfs, vfs.Errno) {
	return vfs.Statfs{BlockSize: 4096, Blocks: 100, BlocksFree: 50, Files: 10, FilesFree: 5}, vfs.OK
}

type osFile struct {
	fd   int
	path string
}

func (f *osFile) Stat() (vfs.Stat, vfs.Errno) {
	var st unix.Stat_t
	err := unix.Fstat(f.fd, &st)
	return statOf(&st), errno(err)
}

func (f *osFile) Read(p []byte) (int, vfs.Errno)  { return moved(unix.Read(f.fd, p)) }
func (f *osFile) Write(p []byte) (int, vfs.Errno) { return moved(unix.Write(f.fd, p)) }
func (f *osFile) Pread(p []byte, off int64) (int, vfs.Errno) {
	return moved(unix.Pread(f.fd, p, off))
}

func (f *osFile) Pwrite(p []byte, off int64) (int, vfs.Errno) {
	return moved(unix.Pwrite(f.fd, p, off))
}

func moved(n int, err error) (int, vfs.Errno) { return max(n, 0), errno(err) }

//nolint:govet // the contract of vfs.File
func (f *osFile) Seek(off int64, whence int) (int64, vfs.Errno) {
	n, err := unix.Seek(f.fd, off, whence)
	return n, errno(err)
}
func (f *osFile) Truncate(size int64) vfs.Errno { return errno(unix.Ftruncate(f.fd, size)) }
func (f *osFile) Allocate(off, size int64) vfs.Errno {
	return errno(unix.Fallocate(f.fd, 0, off, size))
}
func (f *osFile) Sync() vfs.Errno             { return errno(unix.Fsync(f.fd)) }
func (f *osFile) Datasync() vfs.Errno         { return errno(unix.Fdatasync(f.fd)) }
func (f *osFile) Chmod(mode uint32) vfs.Errno { return errno(unix.Fchmod(f.fd, mode)) }
func (f *osFile) Utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	return errno(unix.UtimesNanoAt(unix.AT_FDCWD, f.path, timespecs(atime, mtime, flags), 0))
}

func (f *osFile) SetAppend(on bool) vfs.Errno {
	flags, err := unix.FcntlInt(uintptr(f.fd), unix.F_GETFL, 0)
	if err != nil {
		return errno(err)
	}
	flags &^= unix.O_APPEND
	if on {
		flags |= unix.O_APPEND
	}
	_, err = unix.FcntlInt(uintptr(f.fd), unix.F_SETFL, flags)
	return errno(err)
}

func (f *osFile) Readdir() ([]vfs.Dirent, vfs.Errno) {
	list, err := os.ReadDir(f.path)
	if err != nil {
		return nil, errno(err)
	}
	entries := make([]vfs.Dirent, 0, len(list))
	for _, e := range list {
		st, no := osFS{strings.TrimRight(f.path, "/")}.Stat(filepath.Base(e.Name()), false)
		if no == vfs.OK {
			entries = append(entries, vfs.Dirent{Name: e.Name(), Ino: st.Ino, Type: st.Type})
		}
	}
	return entries, vfs.OK
}

func (f *osFile) Close() vfs.Errno { return errno(unix.Close(f.fd)) }

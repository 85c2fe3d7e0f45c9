package hostfs

import (
	"context"

	"openclaw/sandbox/internal/vfs"
)

// dirHandle is an open directory: with fileHandle, all that this package can do to the host. Each system has one
// implementation, dir. A name is a single component, never "." or "..", and no method follows a link that it is.
type dirHandle interface {
	// openDir opens a directory to resolve further names in. What is no directory, a link too, is ENOTDIR or ELOOP.
	openDir(name string) (dir, vfs.Errno)
	// openBeneath opens the directory at a plain path of several components if there is no link on the way. Any
	// errno but ENOENT only says that it must be done step by step.
	openBeneath(path string) (dir, vfs.Errno)
	// openSelf and openFile open for input and output, without waiting. create makes a new file and fails when there
	// is one.
	openSelf() (handle, vfs.Errno)
	openFile(name string, flags vfs.OpenFlag, create bool, perm uint32) (handle, vfs.Errno)
	// pin opens whatever file or directory it is, to ask and change its attributes.
	pin(name string) (handle, vfs.Errno)
	stat() (vfs.Stat, vfs.Errno)
	lstat(name string) (vfs.Stat, vfs.Errno)
	readlink(name string) (string, vfs.Errno) // EINVAL when it is no link
	mkdir(name string, perm uint32) vfs.Errno
	rmdir(name string) vfs.Errno
	unlink(name string) vfs.Errno
	rename(name string, to dir, newName string) vfs.Errno
	link(name string, to dir, newName string) vfs.Errno
	symlink(target, name string) vfs.Errno
	// utimesLink sets the times of a link itself.
	utimesLink(name string, atime, mtime int64, flags vfs.TimeFlag) vfs.Errno
	// settle returns when the changes to the entries that had begun before are complete.
	settle()
	close()
}

// fileHandle is an open file or directory.
type fileHandle interface {
	stat() (vfs.Stat, vfs.Errno)
	pread(p []byte, off int64) (int, vfs.Errno)
	pwrite(p []byte, off int64) (int, vfs.Errno)
	// appendWrite writes at the end, wherever that has come to be, and says where the end is then.
	appendWrite(p []byte) (n int, end int64, errno vfs.Errno)
	setAppend(on bool) vfs.Errno
	truncate(size int64) vfs.Errno
	sync() vfs.Errno
	datasync() vfs.Errno
	chmod(mode uint32) vfs.Errno
	utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno
	// readdir lists a whole directory, but not after ctx is done, and no more than maxEntries.
	readdir(ctx context.Context) ([]vfs.Dirent, vfs.Errno)
	// copyOwner gives the file the owner of from, as far as the host lets it.
	copyOwner(from handle)
	close() vfs.Errno
}

var (
	_ dirHandle  = dir{}
	_ fileHandle = handle{}
)

// maxEntries bounds what is listed of one directory: a list is held in the host's memory. A larger one is EOVERFLOW.
const maxEntries = 1 << 20

// mayGoOn ends a listing of so many entries that has become too long, or that nobody waits for.
func mayGoOn(ctx context.Context, entries int) vfs.Errno {
	switch {
	case ctx.Err() != nil:
		return vfs.ECANCELED
	case entries > maxEntries:
		return vfs.EOVERFLOW
	}
	return vfs.OK
}

// Bits of a mode. The guest can neither set set-user-ID nor set-group-ID: they would give the user's rights away.
const (
	modePerm   = 0o777
	modeSticky = 0o1000
	modeMask   = modePerm | modeSticky
)

package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// disk is the system of files as SQLite sees it: that of one command. Paths are relative to the command's directory.
type disk struct {
	p *command.Proc
	// wal tells that a database with a write-ahead log has been opened: without memory that processes share, such a
	// database can be used by one connection only.
	wal   bool
	locks []*lockFile
}

// unlock gives up the locks of a command that ends without closing its databases.
func (d *disk) unlock() {
	for _, l := range d.locks {
		l.release()
	}
}

// disks numbers the disks, which SQLite knows by name.
var disks atomic.Int64

// mount makes the files of p known to SQLite and returns their name and what takes them away again.
func mount(p *command.Proc) (d *disk, name string, unmount func()) {
	d = &disk{p: p}
	name = "proc" + strconv.FormatInt(disks.Add(1), 10)
	vfs.Register(name, d)
	return d, name, func() { vfs.Unregister(name) }
}

// FullPathname implements [vfs.VFS].
func (d *disk) FullPathname(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return path.Clean(d.p.Path(name)), nil
}

// Delete implements [vfs.VFS].
func (d *disk) Delete(name string, _ bool) error {
	err := sys.Unlink(d.p.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return sqlite3.IOERR_DELETE_NOENT
	}
	return systemError(err, sqlite3.IOERR_DELETE)
}

// Access implements [vfs.VFS].
func (d *disk) Access(name string, flags vfs.AccessFlag) (bool, error) {
	info, err := sys.Stat(d.p.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, systemError(err, sqlite3.IOERR_ACCESS)
	}
	const ownerWrites = 0o200
	return flags == vfs.ACCESS_EXISTS || flags == vfs.ACCESS_READ || info.Mode&ownerWrites != 0, nil
}

// databaseMode is the mode of a new database, less the umask.
const databaseMode = 0o644

// Open implements [vfs.VFS].
func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name == "" {
		full := sys.TempName(d.temporaries(), "sqlite-*.tmp")
		f, err := sys.OpenFile(full, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, flags, systemError(err, sqlite3.CANTOPEN)
		}
		return &diskFile{disk: d, File: f, path: full, temporary: true}, flags, nil
	}
	full := d.p.Path(name)
	f, flags, err := d.open(full, flags)
	if err != nil {
		return nil, flags, err
	}
	if info, err := sys.Fstat(f); err == nil && info.IsDir() {
		f.Close()
		return nil, flags, sqlite3.CANTOPEN_ISDIR
	}
	file := &diskFile{disk: d, File: f, path: full, temporary: flags&vfs.OPEN_DELETEONCLOSE != 0}
	if flags&vfs.OPEN_MAIN_DB != 0 {
		file.lock = &lockFile{path: full + lockSuffix}
		d.locks = append(d.locks, file.lock)
		d.wal = d.wal || file.usesLog()
	}
	return file, flags, nil
}

// open opens a file for reading and writing, or for reading when it cannot be written.
func (d *disk) open(full string, flags vfs.OpenFlag) (*os.File, vfs.OpenFlag, error) {
	flag := os.O_RDONLY
	if flags&vfs.OPEN_READWRITE != 0 {
		flag = os.O_RDWR
	}
	if flags&vfs.OPEN_CREATE != 0 {
		flag |= os.O_CREATE
	}
	if flags&vfs.OPEN_EXCLUSIVE != 0 {
		flag |= os.O_EXCL
	}
	f, err := sys.OpenFile(full, flag, databaseMode&^d.p.Umask)
	denied := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
	if denied && flags&vfs.OPEN_READWRITE != 0 && flags&vfs.OPEN_EXCLUSIVE == 0 {
		flags = flags&^(vfs.OPEN_READWRITE|vfs.OPEN_CREATE) | vfs.OPEN_READONLY
		f, err = sys.OpenFile(full, os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, flags, systemError(err, sqlite3.CANTOPEN)
	}
	return f, flags, nil
}

func (d *disk) temporaries() string {
	if dir, ok := d.p.Env.Get("SQLITE_TMPDIR"); ok && dir != "" {
		return dir
	}
	if dir, ok := d.p.Env.Get("TMPDIR"); ok && dir != "" {
		return dir
	}
	return "/tmp"
}

// systemError says which of SQLite's errors one of the system is.
func systemError(err error, otherwise error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return sqlite3.FULL
	case errors.Is(err, fs.ErrPermission):
		return sqlite3.PERM
	}
	return otherwise
}

// diskFile is an open file.
type diskFile struct {
	disk *disk
	*os.File
	path      string
	temporary bool
	lock      *lockFile // of a database
}

// usesLog reports whether the database says of itself that it has a write-ahead log.
func (f *diskFile) usesLog() bool {
	const formats, withLog = 18, 2 // where the header has the versions of the format, and the one with a log
	var b [2]byte
	n, _ := f.File.ReadAt(b[:], formats)
	return n == len(b) && b[0] == withLog && b[1] == withLog
}

// Close implements [vfs.File].
func (f *diskFile) Close() error {
	if f.lock != nil {
		f.lock.release()
	}
	err := f.File.Close()
	if f.temporary {
		err = errors.Join(err, sys.Unlink(f.path))
	}
	return systemError(err, sqlite3.IOERR_CLOSE)
}

// ReadAt implements [vfs.File].
func (f *diskFile) ReadAt(b []byte, off int64) (int, error) {
	if f.lock != nil {
		f.lock.refresh()
	}
	n, err := f.File.ReadAt(b, off)
	if err != nil && err != io.EOF {
		return n, systemError(err, sqlite3.IOERR_READ)
	}
	return n, err
}

// WriteAt implements [vfs.File].
func (f *diskFile) WriteAt(b []byte, off int64) (int, error) {
	if f.lock != nil {
		f.lock.refresh()
	}
	n, err := f.File.WriteAt(b, off)
	return n, systemError(err, sqlite3.IOERR_WRITE)
}

// Truncate implements [vfs.File].
func (f *diskFile) Truncate(size int64) error {
	return systemError(f.File.Truncate(size), sqlite3.IOERR_TRUNCATE)
}

// Sync implements [vfs.File].
func (f *diskFile) Sync(vfs.SyncFlag) error {
	if f.temporary {
		return nil
	}
	return systemError(f.File.Sync(), sqlite3.IOERR_FSYNC)
}

// Size implements [vfs.File].
func (f *diskFile) Size() (int64, error) {
	info, err := sys.Fstat(f.File)
	return info.Size, systemError(err, sqlite3.IOERR_FSTAT)
}

// Lock implements [vfs.File].
func (f *diskFile) Lock(level vfs.LockLevel) error {
	if f.lock == nil {
		return nil
	}
	return f.lock.raise(level)
}

// Unlock implements [vfs.File].
func (f *diskFile) Unlock(level vfs.LockLevel) error {
	if f.lock != nil {
		f.lock.lower(level)
	}
	return nil
}

// CheckReservedLock implements [vfs.File].
func (f *diskFile) CheckReservedLock() (bool, error) {
	return f.lock != nil && f.lock.heldByOther(), nil
}

// SectorSize implements [vfs.File].
func (f *diskFile) SectorSize() int { return 0 }

// DeviceCharacteristics implements [vfs.File].
func (f *diskFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_SUBPAGE_READ | vfs.IOCAP_POWERSAFE_OVERWRITE
}

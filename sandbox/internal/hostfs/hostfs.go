// Package hostfs makes a directory of the host a [vfs.FS] that no path, link or race can leave.
//
// # Confinement
//
// Authority is an open directory, never a string. A path is resolved one component at a time on directory handles,
// without ever following a link or the host's own "..": a link is read and its text becomes part of the path, and ".."
// goes back to the handle one level up, which is still held. Each operation then acts on one name in the last handle,
// again without following. Someone who swaps a directory for a link in the middle of it, on the host or in another
// guest, changes which of the two is seen and nothing else. Bind mounts inside the directory are part of it.
//
//   - A link that leaves the root, or is absolute, fails with EXDEV, as with Linux's openat2(RESOLVE_BENEATH); so does
//     a path with too many "..". More than [vfs.MaxLinks] links are ELOOP. Links that stay inside work, dangling ones
//     too: creating through them makes the file they name.
//   - A link with an absolute target, or one that may leave the root (judged by its text, from where the link is; a ".."
//     after a name may), cannot be made, moved or hard-linked to where it would (EPERM).
//   - FIFOs and sockets cannot be opened (ENXIO), nor devices (EPERM); no open ever waits. They can be listed, stat'ed,
//     renamed and removed. Mode and times of what is neither a file nor a directory cannot be changed.
//   - set-user-ID, set-group-ID bits never reach the host. The umask of the host process applies to what is made.
//
// # Hard links
//
// Before a file with several names is changed through one of them, that name gets its own copy, so that nothing
// outside changes with it; see [HardLinks]. This holds also for links that the guest made itself: a write through
// one of the names separates it from the others. Owner, mode and times are kept; extended attributes are not.
//
// # Protected paths
//
// What a host program would later run or obey on the user's behalf can be read but not changed; see [Protection].
//
// A rename excludes all other operations on the same root in this process, so that guests of several sessions cannot
// get around protection together. Other processes, and mounts of a directory above or below, are not held up: against
// them confinement holds, but a directory may come to be renamed to a protected place just as something is made in it.
package hostfs

import (
	"context"
	"fmt"
	"os"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// HardLinks says what happens with a file that has more than one name.
type HardLinks uint8

const (
	// CopyHardLinks lets it be read, and gives the name its own copy before it is changed.
	CopyHardLinks HardLinks = iota
	// RefuseHardLinks fails each open and change with EPERM, and the making of hard links too.
	RefuseHardLinks
)

// Options say what a mount may do. The zero value is a writable directory without limits or protection.
type Options struct {
	// ReadOnly makes each change fail with EROFS, whatever handle it is asked of.
	ReadOnly bool
	// HardLinks says how files with several names are treated.
	HardLinks HardLinks
	// Protect lists what can be read but not changed. Nil protects nothing; see [DefaultProtection].
	Protect Protection
	// Quota is charged for what the mount takes. Nil is no limit.
	Quota *quota.Quota
	// Changes notes what is changed. Nil notes nothing.
	Changes *Changes
}

// FS is a directory of the host. It is safe for concurrent use.
type FS struct {
	*mount
	ctx context.Context // of the caller: what takes long ends with it
}

// mount is what all views of a directory share.
type mount struct {
	options Options
	guards  guards
	inodes  inodeTable

	mu     *treeLock
	closed bool // guarded by mu
	base   rootDir
	root   dir
}

var (
	_ vfs.FS            = (*FS)(nil)
	_ vfs.Expander      = (*FS)(nil)
	_ vfs.Canonicalizer = (*FS)(nil)
)

// New opens the directory path of the host. The caller closes it.
func New(path string, options Options) (*FS, error) {
	guards, err := compile(options.Protect)
	if err != nil {
		return nil, fmt.Errorf("hostfs: open %s: %w", path, err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("hostfs: open %s: %w", path, err)
	}
	return newFS(root, path, guards, options)
}

// newFS takes over an open directory.
func newFS(root *os.Root, path string, guards guards, options Options) (*FS, error) {
	base, top, err := openRootDir(root)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("hostfs: open %s: %w", path, err)
	}
	lock, errno := lockOf(top, path)
	if errno != vfs.OK {
		base.Close()
		return nil, fmt.Errorf("hostfs: open %s: the directory cannot be read (WASI errno %d)", path, errno)
	}
	fs := &FS{&mount{options: options, guards: guards, mu: lock, base: base, root: top}, context.Background()}
	fs.inodes.open = make(map[inodeID]*inode)
	fs.inodes.quota = options.Quota
	fs.addTargets()
	return fs, nil
}

// For is the same directory for one caller: operations that take long (listing a large directory, giving a large file its
// own copy, judging the links in a tree that is renamed) end with ECANCELED once ctx is done.
func (fs *FS) For(ctx context.Context) *FS { return &FS{fs.mount, ctx} }

// Close gives the directory up. Operations on paths then fail with EBADF; files that are still open keep working.
func (fs *FS) Close() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return nil
	}
	fs.closed = true
	fs.mu.release()
	if err := fs.base.Close(); err != nil {
		return fmt.Errorf("hostfs: close: %w", err)
	}
	return nil
}

// changed notes a change at a canonical path.
func (fs *FS) changed(kind ChangeKind, path string) {
	fs.options.Changes.record(kind, path)
}

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"openclaw/sandbox/internal/devfs"
	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/namespace"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/zipfs"
)

// Where Grant.Tmp and the devices are mounted.
const (
	tmpDir = "/tmp"
	devDir = "/dev"
)

// tmpMode lets everybody write, as on every system; there is nobody else.
const tmpMode = 0o777

// tree is the files of a session.
type tree struct {
	grant  Grant
	mounts []openMount
	// watched are the writable mounts: those of the session, and those of programs that are kept apart.
	watched []openMount
	tmp     vfs.FS // nil when the grant has none
	quota   *quota.Quota

	cacheDir string

	mu      sync.Mutex
	refused map[Limit]int64
	own     map[string][]ownMount // of programs that have been started
}

type openMount struct {
	guest   string
	fs      *hostfs.FS
	changes *hostfs.Changes
}

// ownMount is a mount of one program: a directory, or an archive.
type ownMount struct {
	guest   string
	dir     *hostfs.FS // nil when it is an archive
	changes *hostfs.Changes
	archive *zipfs.FS
}

// For is the filesystem for a guest that ends with ctx.
func (m ownMount) For(ctx context.Context) vfs.FS {
	if m.dir != nil {
		return m.dir.For(ctx)
	}
	return m.archive
}

func (m ownMount) Close() error {
	if m.dir != nil {
		return m.dir.Close()
	}
	return m.archive.Close()
}

// openTree opens the mounts of a grant. cacheDir, when not empty, holds code that this process runs: no mount lets a
// guest change it.
func openTree(grant Grant, limits Limits, cacheDir string) (*tree, error) {
	t := &tree{grant: grant, cacheDir: cacheDir, refused: map[Limit]int64{}, own: map[string][]ownMount{}}
	t.quota = quota.New(quota.Limits{
		Bytes: limits.Disk, Files: int64(limits.Files), FileSize: limits.FileSize,
		Handles: int64(limits.Handles), Depth: int64(limits.Depth),
	}, t.onRefused)
	for _, m := range grant.Mounts {
		mounted, err := t.mount(m, t.quota)
		if err != nil {
			_ = t.close()
			return nil, err
		}
		t.mounts = append(t.mounts, mounted)
	}
	t.watched = slices.Clone(t.mounts)
	for i := range grant.Programs {
		if p := &grant.Programs[i]; p.Apart != nil {
			_, _ = t.programMounts(p) // told when the program is started
		}
	}
	if grant.Tmp {
		t.tmp = memfs.New(memfs.Options{
			Quota: t.quota, OutsideLinks: true, Now: nanoseconds(grant.Clock), RootMode: tmpMode,
		})
	}
	return t, nil
}

func (t *tree) mount(m Mount, account *quota.Quota) (openMount, error) {
	cacheDir := t.cacheDir
	protect := hostfs.Protection(slices.Clone(m.Protect))
	if m.Protect == nil {
		protect = hostfs.DefaultProtection()
	}
	protect = append(protect, t.covered(m)...)
	if cacheDir != "" {
		if _, ok := inside(cacheDir, m.place()); ok {
			return openMount{}, fmt.Errorf("sandbox: mount %q: %w: %s holds compiled programs", m.Guest, ErrBadGrant, m.Host)
		}
		leading, err := wayTo(m.Host, cacheDir)
		if err != nil {
			return openMount{}, fmt.Errorf("sandbox: mount %q: %w: cache %s: %w", m.Guest, ErrBadGrant, cacheDir, err)
		}
		protect = append(protect, leading...)
	}
	changes := hostfs.NewChanges(0) // only calls watch it
	options := hostfs.Options{
		ReadOnly: m.Access != ReadWrite, HardLinks: hostfs.HardLinks(m.HardLinks), Protect: protect,
		Quota: account, Changes: changes,
	}
	var fs *hostfs.FS
	var err error
	if m.Below != "" {
		fs, err = hostfs.NewBelow(m.Host, m.Below, options)
	} else {
		fs, err = hostfs.New(m.Host, options)
	}
	if err != nil {
		return openMount{}, fmt.Errorf("sandbox: mount %q: %w: %w", m.Guest, ErrBadGrant, err)
	}
	return openMount{guest: m.Guest, fs: fs, changes: changes}, nil
}

// programMounts opens what a program alone sees, the first time that it is started in the session.
func (t *tree) programMounts(p *NamedProgram) ([]ownMount, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if list, ok := t.own[p.Name]; ok || t.own == nil {
		return list, nil
	}
	var list []ownMount
	account := t.quota
	if p.Apart != nil && p.Apart.Disk > 0 {
		account = t.quota.Within(quota.Limits{Bytes: p.Apart.Disk})
	}
	for _, m := range p.Mounts {
		mounted, err := t.ownMount(m, account)
		if err != nil {
			_ = closeOwn(list)
			return nil, err
		}
		list = append(list, mounted)
		if m.Access == ReadWrite {
			t.watched = append(t.watched, openMount{m.Guest, mounted.dir, mounted.changes})
		}
	}
	t.own[p.Name] = list
	return list, nil
}

func (t *tree) ownMount(m Mount, account *quota.Quota) (ownMount, error) {
	st, err := os.Stat(m.Host)
	if err != nil {
		return ownMount{}, fmt.Errorf("sandbox: mount %q: %w: %w", m.Guest, ErrBadGrant, err)
	}
	if st.IsDir() {
		mounted, err := t.mount(m, account)
		return ownMount{guest: m.Guest, dir: mounted.fs, changes: mounted.changes}, err
	}
	archive, err := zipfs.Open(m.Host, t.quota)
	if err != nil {
		return ownMount{}, fmt.Errorf("sandbox: mount %q: %w: %w", m.Guest, ErrBadGrant, err)
	}
	return ownMount{guest: m.Guest, archive: archive}, nil
}

func closeOwn(list []ownMount) error {
	var all []error
	for _, m := range list {
		all = append(all, m.Close())
	}
	return errors.Join(all...)
}

// root is the tree of one guest, which ends with ctx: what the session shares, mounts of its own, and a /dev with its own
// streams.
func (t *tree) root(ctx context.Context, handles devfs.Handles, own ...ownMount) (vfs.FS, error) {
	return t.rootOf(ctx, handles, false, own)
}

// shared are the mounts that the session's guests have in common.
func (t *tree) shared(ctx context.Context) []namespace.Mount {
	var mounts []namespace.Mount
	if t.tmp != nil {
		mounts = append(mounts, namespace.Mount{Path: tmpDir, FS: t.tmp})
	}
	for _, m := range t.mounts {
		mounts = append(mounts, namespace.Mount{Path: m.guest, FS: m.fs.For(ctx)})
	}
	return mounts
}

// rootOf is root, for a guest that is kept apart without what the session shares.
func (t *tree) rootOf(ctx context.Context, handles devfs.Handles, apart bool, own []ownMount) (vfs.FS, error) {
	now := nanoseconds(t.grant.Clock)
	dev := devfs.New(devfs.Options{Handles: handles, Random: t.grant.Random, Quota: t.quota, Now: now})
	mounts := []namespace.Mount{{Path: devDir, FS: dev}}
	if !apart {
		mounts = append(mounts, t.shared(ctx)...)
	}
	for _, m := range own {
		mounts = append(mounts, namespace.Mount{Path: m.guest, FS: m.For(ctx)})
	}
	root, err := namespace.New(mounts, namespace.Options{Now: now()})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadGrant, err)
	}
	return root, nil
}

// checkDir checks that a command can work in a directory, as chdir(2) would. The directories that a command works in without
// having asked need no check: mounts and the root are always there.
func checkDir(root vfs.FS, dir string) error {
	if errno := lookDir(root, dir); errno != vfs.OK {
		return &DirectoryError{Dir: dir, Reason: reason(errno)}
	}
	return nil
}

// lookDir is the answer of chdir(2) to a directory; none is always right.
func lookDir(root vfs.FS, dir string) vfs.Errno {
	if dir == "" {
		return vfs.OK
	}
	name := strings.TrimLeft(dir, "/")
	if name == "" {
		name = "."
	}
	st, errno := root.Stat(name, true)
	if errno == vfs.OK && st.Type != vfs.TypeDirectory {
		errno = vfs.ENOTDIR
	}
	return errno
}

// reason is what a system says for the errors that looking up a path can have.
func reason(errno vfs.Errno) string {
	switch errno {
	case vfs.ENOENT:
		return "No such file or directory"
	case vfs.ENOTDIR:
		return "Not a directory"
	case vfs.EACCES:
		return "Permission denied"
	case vfs.EPERM:
		return "Operation not permitted"
	case vfs.ELOOP:
		return "Too many levels of symbolic links"
	case vfs.ENAMETOOLONG:
		return "File name too long"
	}
	return fmt.Sprintf("error %d of WASI", errno)
}

// emptyTree is what a program sees while it is initialised.
func emptyTree() (vfs.FS, error) { return namespace.New(nil, namespace.Options{}) }

func nanoseconds(clock func() time.Time) func() int64 {
	if clock == nil {
		clock = time.Now
	}
	return func() int64 { return clock().UnixNano() }
}

func (t *tree) onRefused(k quota.Kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused[Limit(k)]++
}

// hits counts how often each limit has refused something.
func (t *tree) hits() map[Limit]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.refused)
}

// watch begins to note changes. The function it returns ends that, and lists the guest paths that are not as they were,
// and whether there are more.
func (t *tree) watch() func() (paths []string, more bool) {
	t.mu.Lock()
	watched := slices.Clone(t.watched)
	t.mu.Unlock()
	var ends []func()
	var sets []*hostfs.Changes
	for _, m := range watched {
		set, end := m.changes.Watch(MaxChanged)
		sets, ends = append(sets, set), append(ends, end)
	}
	return func() (paths []string, more bool) {
		for i, m := range watched {
			ends[i]()
			list, complete := sets[i].List()
			more = more || !complete
			for _, c := range list {
				paths = append(paths, path.Join(m.guest, c.Path))
			}
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		if len(paths) > MaxChanged {
			return paths[:MaxChanged], true
		}
		return paths, more
	}
}

func (t *tree) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []error
	for _, m := range t.mounts {
		all = append(all, m.fs.Close())
	}
	for _, list := range t.own {
		all = append(all, closeOwn(list))
	}
	t.own = nil
	return errors.Join(all...)
}

// covered lists what the grant's other mounts cover in m, as protected paths: what they hide, or show read-only, cannot be
// changed through m either.
func (t *tree) covered(m Mount) []string {
	var list []string
	for _, other := range t.grant.Mounts {
		if strings.HasPrefix(other.Guest, m.Guest+"/") {
			list = append(list, path.Join("/", m.Below, strings.TrimPrefix(other.Guest, m.Guest)))
		}
	}
	return list
}

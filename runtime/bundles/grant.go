package bundles

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"openclaw/runtime/confinement"
	"openclaw/sandbox"
	"openclaw/skills/capability"
	"openclaw/toolwasm"
)

// SessionSet is what a session may do itself, as a set of capabilities.
func SessionSet(g sandbox.Grant) capability.Set {
	var env, spawn []string
	for _, v := range g.Env {
		name, _, _ := strings.Cut(v, "=")
		env = append(env, name)
	}
	for _, p := range g.Programs {
		if p.Apart == nil { // what is kept apart may do more than the one who starts it
			spawn = append(spawn, p.Name)
		}
	}
	s := capability.All(env, spawn)
	s.Workspace = capability.None
	if m, ok := mountOf(g, toolwasm.Workspace); ok {
		s.Workspace = access(m)
	}
	bound := func(set, fallback int64) int64 {
		if set > 0 {
			return set
		}
		return fallback
	}
	l := g.Limits
	s.Memory, s.Disk = bound(l.Memory, sandbox.DefaultMemory), bound(l.Disk, sandbox.DefaultDisk)
	s.Fuel = bound(l.Fuel, capability.Unbounded)
	s.Timeout = time.Duration(bound(int64(l.Timeout), int64(sandbox.DefaultTimeout)))
	return s.Normal()
}

func access(m sandbox.Mount) capability.Access {
	if m.Access == sandbox.ReadWrite {
		return capability.Write
	}
	return capability.Read
}

// mountOf finds the mount that a path of the guest lies in.
func mountOf(g sandbox.Grant, name string) (sandbox.Mount, bool) {
	best, found := sandbox.Mount{}, false
	for _, m := range g.Mounts {
		if within(name, m.Guest) && len(m.Guest) > len(best.Guest) {
			best, found = m, true
		}
	}
	return best, found
}

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// Granted is what a bundle may do in a session: what it asks for, has been allowed, and the session may do itself.
func (i *Installed) Granted(session sandbox.Grant) (capability.Set, error) {
	allowed, err := i.Check()
	if err != nil {
		return capability.Set{}, err
	}
	return capability.Intersect(allowed, SessionSet(session)), nil
}

// Grant is the grant of one call of a bundle in a session. Directories that the bundle may write in are made.
func (i *Installed) Grant(session sandbox.Grant) (sandbox.Grant, error) {
	return i.grant(session, true)
}

// Preview is Grant without touching anything.
func (i *Installed) Preview(session sandbox.Grant) (sandbox.Grant, error) {
	return i.grant(session, false)
}

func (i *Installed) grant(session sandbox.Grant, prepare bool) (sandbox.Grant, error) {
	granted, err := i.Granted(session)
	if err != nil {
		return sandbox.Grant{}, err
	}
	clock, random := i.sources(session, granted)
	return sandbox.Grant{
		Mounts: i.mounts(session, granted, prepare), Tmp: true, Env: i.env(session, granted), Limits: limits(session.Limits, granted),
		Programs: programs(session, granted), Clock: clock, Random: random,
	}, nil
}

// standstill is what the clock shows to a bundle that may not read the time.
var standstill = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// sources are the clock and the randomness of a bundle. Without leave there is a clock that stands still, and numbers that are the same in each
// call.
func (i *Installed) sources(session sandbox.Grant, granted capability.Set) (func() time.Time, io.Reader) {
	clock, random := session.Clock, session.Random
	if !granted.Time {
		clock = func() time.Time { return standstill }
	}
	if !granted.Random {
		random = &sameNumbers{from: rand.NewChaCha8(i.Digest)}
	}
	return clock, random
}

// sameNumbers is a source of numbers that many guests may read.
type sameNumbers struct {
	mu   sync.Mutex
	from *rand.ChaCha8
}

// Read implements io.Reader.
func (r *sameNumbers) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from.Read(p)
}

// env is the environment of the sandbox, which tells nothing of the host, and the variables that the bundle may read.
func (i *Installed) env(session sandbox.Grant, granted capability.Set) []string {
	env := toolwasm.BaseEnv()
	for _, v := range session.Env {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(granted.Env, name) {
			env = append(env, v)
		}
	}
	return env
}

func programs(session sandbox.Grant, granted capability.Set) []sandbox.NamedProgram {
	var list []sandbox.NamedProgram
	for _, p := range session.Programs {
		if p.Apart == nil && slices.Contains(granted.Spawn, p.Name) {
			list = append(list, p)
		}
	}
	return list
}

// limits are those of the session, with the bundle's where they are less.
func limits(session sandbox.Limits, granted capability.Set) sandbox.Limits {
	l := session
	l.Memory, l.Disk, l.Timeout, l.Output = granted.Memory, granted.Disk, granted.Timeout, granted.Output
	l.MemoryTotal = granted.Memory // also of the programs that it starts: nobody has approved more
	if granted.Fuel != capability.Unbounded {
		l.Fuel = granted.Fuel
	}
	if l.FileSize == 0 {
		l.FileSize = sandbox.DefaultFileSize
	}
	l.FileSize = min(l.FileSize, l.Disk)
	return l
}

// AssetsDir is where a bundle finds its own files.
func (i *Installed) AssetsDir() string { return path.Join(confinement.SkillsDir, i.Manifest.Name) }

// mounts are the parts of the workspace that the bundle may reach, and its own files.
func (i *Installed) mounts(session sandbox.Grant, granted capability.Set, prepare bool) []sandbox.Mount {
	list := []sandbox.Mount{}
	places := granted.Paths
	if granted.Workspace != capability.None && len(places) == 0 {
		places = []string{"."}
	}
	for _, place := range places {
		guest := path.Join(toolwasm.Workspace, place)
		if m, ok := part(session, guest, granted.Workspace, prepare); ok {
			list = append(list, m)
		}
		for _, m := range session.Mounts { // what the session sees in the place of something in it
			if m.Guest != guest && within(m.Guest, guest) {
				list = append(list, narrow(m, granted.Workspace))
			}
		}
	}
	return append(list, sandbox.Mount{Guest: i.AssetsDir(), Host: i.Dir, Access: sandbox.ReadOnly})
}

// part is the mount of a part of what the session sees.
func part(session sandbox.Grant, guest string, most capability.Access, prepare bool) (sandbox.Mount, bool) {
	m, ok := mountOf(session, guest)
	if !ok {
		return m, false
	}
	m = narrow(m, most)
	if rest := strings.TrimPrefix(guest, m.Guest); rest != "" {
		m.Below, m.Guest = path.Join(m.Below, strings.TrimPrefix(rest, "/")), guest
	}
	return m, m.Below == "" || exists(m, prepare)
}

func narrow(m sandbox.Mount, most capability.Access) sandbox.Mount {
	if most != capability.Write {
		m.Access = sandbox.ReadOnly
	}
	return m
}

// exists tells whether there is a directory to mount. One that a bundle may write in is made, unless something in the mount is protected that
// it could be: that is for the sandbox to decide, which is not asked here.
func exists(m sandbox.Mount, prepare bool) bool {
	root, err := os.OpenRoot(m.Host)
	if err != nil {
		return false
	}
	defer root.Close()
	mayMake := m.Access == sandbox.ReadWrite && !mayBeProtected(m)
	for i := range len(m.Below) + 1 {
		if i < len(m.Below) && m.Below[i] != '/' {
			continue
		}
		at := filepath.FromSlash(m.Below[:i])
		st, err := root.Lstat(at)
		switch {
		case err == nil && st.IsDir(): // and no link: what that leads to is not what was approved
			continue
		case !errors.Is(err, fs.ErrNotExist) || !mayMake:
			return false
		case !prepare:
			return true
		}
		if err := root.Mkdir(at, 0o755); err != nil {
			return false
		}
	}
	return true
}

func mayBeProtected(m sandbox.Mount) bool {
	protected := m.Protect
	if protected == nil {
		protected = sandbox.DefaultProtected()
	}
	parts := strings.Split(strings.ToLower(m.Below), "/")
	return slices.ContainsFunc(protected, func(p string) bool {
		first, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(p), "/"), "/")
		return slices.Contains(parts, first)
	})
}

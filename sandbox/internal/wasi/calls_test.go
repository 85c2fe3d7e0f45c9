package wasi_test

import (
	"context"
	"encoding/binary"
	"testing"

	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// The numbers of preview 1 that the tests use.
const (
	rightRead, rightWrite = 1 << 1, 1 << 6
	rightReaddir          = 1 << 14
	oCreat, oDirectory    = 1, 2
	oExcl, oTrunc         = 4, 8
	fdAppend, fdNonblock  = 1, 4
	followLinks           = 1
	firstPreopen          = 3
)

// guest is a guest made of nothing but memory.
type guest struct {
	t    testing.TB
	ctx  context.Context
	s    *wasi.System
	mem  []byte
	used uint32
}

var functions = func() map[string]wasi.Function {
	m := map[string]wasi.Function{}
	for _, f := range wasi.Functions() {
		m[f.Name] = f
	}
	return m
}()

func newGuest(t testing.TB, c wasi.Config) *guest {
	t.Helper()
	g := &guest{t: t, ctx: context.Background(), s: wasi.New(c), mem: make([]byte, 1<<20)}
	t.Cleanup(func() {
		if err := g.s.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// onDir is a guest that has a fresh directory of the host.
func onDir(t testing.TB) (*guest, string) {
	t.Helper()
	dir := t.TempDir()
	return newGuest(t, wasi.Config{FS: mount(t, dir)}), dir
}

// space reserves n bytes of the guest's memory.
func (g *guest) space(n int) uint64 {
	ptr := (g.used + 7) &^ 7
	g.used = ptr + uint32(n)
	if int(g.used) > len(g.mem) {
		g.t.Fatal("the guest's memory is full")
	}
	return uint64(ptr)
}

// text puts a string into memory and returns where and how long it is.
func (g *guest) text(s string) (ptr, n uint64) {
	ptr = g.space(len(s))
	copy(g.mem[ptr:], s)
	return ptr, uint64(len(s))
}

func (g *guest) u32(ptr uint64) uint32 { return binary.LittleEndian.Uint32(g.mem[ptr:]) }
func (g *guest) u64(ptr uint64) uint64 { return binary.LittleEndian.Uint64(g.mem[ptr:]) }

// iovec describes one buffer and returns the address of the array.
func (g *guest) iovec(ptr, n uint64) uint64 {
	at := g.space(8)
	binary.LittleEndian.PutUint32(g.mem[at:], uint32(ptr))
	binary.LittleEndian.PutUint32(g.mem[at+4:], uint32(n))
	return at
}

func (g *guest) try(name string, args ...uint64) (vfs.Errno, error) {
	g.t.Helper()
	f, ok := functions[name]
	if !ok || len(f.Params) != len(args) {
		g.t.Fatalf("%s takes %d arguments, not %d", name, len(f.Params), len(args))
	}
	r, err := f.Call(g.ctx, g.s, g.mem, args)
	return vfs.Errno(r), err
}

func (g *guest) call(name string, args ...uint64) vfs.Errno {
	g.t.Helper()
	e, err := g.try(name, args...)
	if err != nil {
		g.t.Fatalf("%s: %v", name, err)
	}
	return e
}

// want makes a call and checks its errno.
func (g *guest) want(e vfs.Errno, name string, args ...uint64) {
	g.t.Helper()
	if got := g.call(name, args...); got != e {
		g.t.Fatalf("%s: errno %d, want %d", name, got, e)
	}
}

// open opens a path and returns its descriptor.
func (g *guest) open(dirfd uint64, path string, lookup, oflags, rights, fdflags uint64) uint64 {
	g.t.Helper()
	fd, e := g.tryOpen(dirfd, path, lookup, oflags, rights, fdflags)
	if e != vfs.OK {
		g.t.Fatalf("open %s: errno %d", path, e)
	}
	return fd
}

func (g *guest) tryOpen(dirfd uint64, path string, lookup, oflags, rights, fdflags uint64) (uint64, vfs.Errno) {
	g.t.Helper()
	ptr, n := g.text(path)
	out := g.space(4)
	e := g.call("path_open", dirfd, lookup, ptr, n, oflags, rights, 0, fdflags, out)
	return uint64(g.u32(out)), e
}

// write writes a string and returns how much of it went out.
func (g *guest) write(fd uint64, s string) (int, vfs.Errno) {
	g.t.Helper()
	iov, out := g.iovec(g.text(s)), g.space(4)
	e := g.call("fd_write", fd, iov, 1, out)
	return int(g.u32(out)), e
}

// read reads up to n bytes.
func (g *guest) read(fd uint64, n int) (string, vfs.Errno) {
	g.t.Helper()
	buf := g.space(n)
	iov, out := g.iovec(buf, uint64(n)), g.space(4)
	e := g.call("fd_read", fd, iov, 1, out)
	return string(g.mem[buf : buf+uint64(g.u32(out))]), e
}

// path makes a call whose arguments are a directory, then a path, then others.
func (g *guest) path(name string, dirfd uint64, path string, rest ...uint64) vfs.Errno {
	g.t.Helper()
	ptr, n := g.text(path)
	return g.call(name, append([]uint64{dirfd, ptr, n}, rest...)...)
}

type dirent struct {
	next uint64
	name string
	kind vfs.FileType
}

// readdir reads entries from a cookie on with a buffer of the given size. whole
// tells whether the directory ended before the buffer.
func (g *guest) readdir(fd uint64, size int, cookie uint64) (list []dirent, whole bool) {
	g.t.Helper()
	buf, out := g.space(size), g.space(4)
	g.want(vfs.OK, "fd_readdir", fd, buf, uint64(size), cookie, out)
	b := g.mem[buf : buf+uint64(g.u32(out))]
	whole = len(b) < size
	for len(b) >= 24 {
		n := binary.LittleEndian.Uint32(b[16:])
		if uint32(len(b)-24) < n {
			break
		}
		list = append(list, dirent{binary.LittleEndian.Uint64(b), string(b[24 : 24+n]), vfs.FileType(b[20])})
		b = b[24+n:]
	}
	return list, whole
}

// subscription is one entry for poll_oneoff.
type subscription struct {
	userdata uint64
	kind     byte
	fd       uint32 // or the clock
	timeout  uint64
	flags    uint16
}

type event struct {
	userdata uint64
	err      vfs.Errno
	kind     byte
	bytes    uint64
	flags    uint16
}

func (g *guest) subscribe(subs []subscription) (in, out, n uint64) {
	in, out = g.space(48*len(subs)), g.space(32*len(subs))
	for i, s := range subs {
		b := g.mem[int(in)+48*i:]
		binary.LittleEndian.PutUint64(b, s.userdata)
		b[8] = s.kind
		binary.LittleEndian.PutUint32(b[16:], s.fd)
		binary.LittleEndian.PutUint64(b[24:], s.timeout)
		binary.LittleEndian.PutUint16(b[40:], s.flags)
	}
	return in, out, uint64(len(subs))
}

func (g *guest) poll(subs ...subscription) []event {
	g.t.Helper()
	in, out, n := g.subscribe(subs)
	count := g.space(4)
	g.want(vfs.OK, "poll_oneoff", in, out, n, count)
	var events []event
	for i := range g.u32(count) {
		b := g.mem[out+32*uint64(i):]
		events = append(events, event{
			userdata: binary.LittleEndian.Uint64(b),
			err:      vfs.Errno(binary.LittleEndian.Uint16(b[8:])),
			kind:     b[10],
			bytes:    binary.LittleEndian.Uint64(b[16:]),
			flags:    binary.LittleEndian.Uint16(b[24:]),
		})
	}
	return events
}

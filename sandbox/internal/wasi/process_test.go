package wasi_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

func TestArgumentsAndEnvironment(t *testing.T) {
	g := newGuest(t, wasi.Config{Args: []string{"prog", "", "a b"}, Env: []string{"K=v", "É=ü"}})
	for name, want := range map[string][]string{
		"args":    {"prog", "", "a b"},
		"environ": {"K=v", "É=ü"},
	} {
		count, size := g.space(4), g.space(4)
		g.want(vfs.OK, name+"_sizes_get", count, size)
		if g.u32(count) != uint32(len(want)) || int(g.u32(size)) != len(strings.Join(want, "\x00"))+1 {
			t.Errorf("%s: %d strings in %d bytes", name, g.u32(count), g.u32(size))
		}
		pointers, text := g.space(4*len(want)), g.space(int(g.u32(size)))
		g.want(vfs.OK, name+"_get", pointers, text)
		var got []string
		for i := range want {
			s, _, _ := strings.Cut(string(g.mem[g.u32(pointers+4*uint64(i)):]), "\x00")
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		g.want(vfs.EFAULT, name+"_get", uint64(len(g.mem)-4), text)
		g.want(vfs.EFAULT, name+"_get", pointers, uint64(len(g.mem)-4))
	}
}

func TestClocks(t *testing.T) {
	ticks := int64(100)
	g := newGuest(t, wasi.Config{
		Now:       func() time.Time { return time.Unix(7, 5) },
		Monotonic: func() int64 { ticks++; return ticks },
	})
	out := g.space(8)
	for id, want := range map[uint64]uint64{0: 7e9 + 5} {
		g.want(vfs.OK, "clock_time_get", id, 0, out)
		if got := g.u64(out); got != want {
			t.Errorf("clock %d shows %d, want %d", id, got, want)
		}
	}
	g.want(vfs.OK, "clock_time_get", 1, 0, out)
	before := g.u64(out)
	g.want(vfs.OK, "clock_time_get", 1, 0, out)
	if g.u64(out) != before+1 {
		t.Errorf("the monotonic clock went from %d to %d", before, g.u64(out))
	}
	g.want(vfs.OK, "clock_time_get", 2, 0, out)
	if cpu := g.u64(out); cpu == 0 || cpu > 10 {
		t.Errorf("the CPU clock shows %d", cpu)
	}
	g.want(vfs.EINVAL, "clock_time_get", 4, 0, out)
	g.want(vfs.EINVAL, "clock_res_get", 4, out)
}

func TestExitAndSignalsUnwind(t *testing.T) {
	tests := []struct {
		call string
		arg  uint64
		want vfs.Errno
		code int // -1: the call returns
	}{
		{"proc_exit", 0, 0, 0},
		{"proc_exit", 33, 0, 33},
		{"proc_raise", 0, vfs.OK, -1},
		{"proc_raise", 6, vfs.OK, 134},
		{"proc_raise", 9, vfs.OK, 137},
		{"proc_raise", 16, vfs.OK, -1},
		{"proc_raise", 18, vfs.ENOTSUP, -1},
		{"proc_raise", 31, vfs.EINVAL, -1},
	}
	g := newGuest(t, wasi.Config{})
	for _, tt := range tests {
		e, err := g.try(tt.call, tt.arg)
		var exit wasi.ExitError
		switch {
		case tt.code < 0 && (err != nil || e != tt.want):
			t.Errorf("%s(%d): errno %d, error %v", tt.call, tt.arg, e, err)
		case tt.code >= 0 && (!errors.As(err, &exit) || exit.Code != uint32(tt.code)):
			t.Errorf("%s(%d): error %v, want exit status %d", tt.call, tt.arg, err, tt.code)
		}
	}
}

func TestRandomnessComesFromItsSource(t *testing.T) {
	take := func() string {
		g := newGuest(t, wasi.Config{Rand: rand.NewChaCha8([32]byte{1})})
		ptr := g.space(100_000)
		g.want(vfs.OK, "random_get", ptr, 100_000)
		g.want(vfs.OK, "random_get", 0, 0)
		g.want(vfs.EFAULT, "random_get", 0, uint64(len(g.mem)+1))
		return string(g.mem[ptr : ptr+100_000])
	}
	if a, b := take(), take(); a != b || strings.HasSuffix(a, "\x00\x00\x00\x00\x00\x00\x00\x00") {
		t.Error("two runs with one seed differ, or the end was not filled")
	}
}

func TestHostCallsAreCounted(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	g.want(vfs.OK, "sched_yield")
	g.want(vfs.EBADF, "fd_close", 9)
	g.call("umask", 0)
	_, _ = g.try("proc_exit", 0)
	if n := g.s.Calls(); n != 4 {
		t.Errorf("%d calls, want 4", n)
	}
}

func TestExtensionStat(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"file": "12345", "link": "-> file"})
	if err := os.Chmod(filepath.Join(dir, "file"), 0o640); err != nil {
		t.Fatal(err)
	}
	ptr, n := g.text("link")
	st := g.space(72)
	for follow, want := range map[uint64]struct {
		kind vfs.FileType
		size uint64
	}{0: {vfs.TypeSymlink, 4}, 1: {vfs.TypeRegular, 5}} {
		g.want(vfs.OK, "path_stat", firstPreopen, follow, ptr, n, st)
		if kind, size := vfs.FileType(g.u32(st+68)), g.u64(st+24); kind != want.kind || size != want.size {
			t.Errorf("follow %d: type %d, size %d", follow, kind, size)
		}
	}
	if mode := g.u32(st + 64); mode != 0o640 && mode != 0o777 {
		t.Errorf("mode %o", mode)
	}
	fd := g.open(firstPreopen, "file", 0, 0, rightRead, 0)
	g.want(vfs.OK, "fd_stat", fd, st)
	old := g.space(64)
	g.want(vfs.OK, "fd_filestat_get", fd, old)
	pairs := map[string][2]uint64{
		"dev": {st, old}, "ino": {st + 8, old + 8}, "nlink": {st + 16, old + 24}, "size": {st + 24, old + 32},
		"atime": {st + 40, old + 40}, "mtime": {st + 48, old + 48}, "ctime": {st + 56, old + 56},
	}
	for field, p := range pairs {
		if g.u64(p[0]) != g.u64(p[1]) {
			t.Errorf("%s is %d here and %d in preview 1", field, g.u64(p[0]), g.u64(p[1]))
		}
	}
	if g.u32(st+64) != 0o640 {
		t.Errorf("mode %o", g.u32(st+64))
	}
	g.want(vfs.EFAULT, "fd_stat", fd, uint64(len(g.mem)-71))
}

func TestExtensionModes(t *testing.T) {
	g, dir := onDir(t)
	mode := func(name string) os.FileMode {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return st.Mode().Perm()
	}
	g.open(firstPreopen, "default", 0, oCreat, rightWrite, 0)
	if e, err := g.try("umask", 0o077); e != 0o022 || err != nil {
		t.Errorf("old umask %o, %v", e, err)
	}
	fd := g.open(firstPreopen, "private", 0, oCreat, rightWrite, 0)
	if e := g.path("path_create_directory", firstPreopen, "dir"); e != vfs.OK {
		t.Fatal(e)
	}
	for name, want := range map[string]os.FileMode{"default": 0o644, "private": 0o600, "dir": 0o700} {
		if got := mode(name); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
	ptr, n := g.text("default")
	g.want(vfs.OK, "path_chmod", firstPreopen, 1, ptr, n, 0o751)
	g.want(vfs.OK, "fd_chmod", fd, 0o400)
	g.want(vfs.EINVAL, "fd_chmod", fd, 0o10000)
	if mode("default") != 0o751 || mode("private") != 0o400 {
		t.Errorf("modes %o and %o", mode("default"), mode("private"))
	}
}

func TestExtensionStatfs(t *testing.T) {
	tree := mount(t, t.TempDir())
	want, e := tree.Statfs(".")
	if e != vfs.OK {
		t.Fatal(e)
	}
	g := newGuest(t, wasi.Config{FS: tree})
	ptr, n := g.text(".")
	out := g.space(40)
	g.want(vfs.OK, "path_statfs", firstPreopen, ptr, n, out)
	got := vfs.Statfs{
		BlockSize: g.u64(out), Blocks: g.u64(out + 8), BlocksFree: g.u64(out + 16),
		Files: g.u64(out + 24), FilesFree: g.u64(out + 32),
	}
	if got != want {
		t.Errorf("statfs %+v, want %+v", got, want)
	}
	g.want(vfs.EFAULT, "path_statfs", firstPreopen, ptr, n, uint64(len(g.mem)-39))
}

func TestPreopensAreListedInOrder(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, map[string]string{"workspace/file": "w", "tmp/": ""})
	g := newGuest(t, wasi.Config{FS: mount(t, dir), Preopens: []string{"/workspace", "/tmp", "/absent"}})
	for i, want := range []string{"/workspace", "/tmp", "/absent"} {
		fd, st := uint64(firstPreopen+i), g.space(8)
		g.want(vfs.OK, "fd_prestat_get", fd, st)
		buf := g.space(32)
		g.want(vfs.ENAMETOOLONG, "fd_prestat_dir_name", fd, buf, uint64(len(want)-1))
		g.want(vfs.OK, "fd_prestat_dir_name", fd, buf, 32)
		if got := string(g.mem[buf:][:g.u32(st+4)]); got != want {
			t.Errorf("preopen %d is %q, want %q", fd, got, want)
		}
	}
	g.open(firstPreopen, "file", 0, 0, rightRead, 0)
	g.want(vfs.ENOENT, "fd_filestat_get", firstPreopen+2, g.space(64))
	if _, e := g.tryOpen(firstPreopen, "../tmp", 0, 0, 0, 0); e != vfs.EPERM {
		t.Errorf("from one preopen to another: errno %d", e)
	}
}

func TestHotCallsDoNotAllocate(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"some/file": "x"})
	path, n := g.text("some/absent")
	iov, out := g.iovec(g.space(64), 64), g.space(64)
	fd := g.open(firstPreopen, "some/file", 0, 0, rightRead, 0)
	sub, _, _ := g.subscribe([]subscription{{kind: onWrite, fd: 1}, {kind: onClock, fd: monotonic}})
	calls := map[string][]uint64{
		"fd_read":           {fd, iov, 1, out},
		"fd_write":          {1, iov, 1, out},
		"clock_time_get":    {1, 0, out},
		"fd_fdstat_get":     {fd, out},
		"poll_oneoff":       {sub, sub, 2, out},
		"path_filestat_get": {firstPreopen, 0, path, n, out},
	}
	for name, args := range calls {
		f, ctx := functions[name], context.Background()
		allocs := testing.AllocsPerRun(100, func() { _, _ = f.Call(ctx, g.s, g.mem, args) })
		// The filesystem of the tests makes the names it hands to the kernel.
		if limit := map[string]float64{"path_filestat_get": 3}[name]; allocs > limit {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
}

package wasi_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// fakePrograms notes what it is asked for.
type fakePrograms struct {
	requests []wasi.Request
	killed   []uint32
	pipes    int
	errno    vfs.Errno
}

func (f *fakePrograms) Names() []wasi.ProgramName {
	return []wasi.ProgramName{{Name: "one"}, {Name: "two", First: true}}
}

func (f *fakePrograms) Pipe(onDemand bool) (*stream.Pipe, vfs.Errno) {
	const most = 8
	if f.pipes++; f.pipes > most {
		return nil, vfs.EMFILE
	}
	if onDemand {
		return stream.NewDemandPipe(), vfs.OK
	}
	return stream.NewPipe(), vfs.OK
}

func (f *fakePrograms) Spawn(_ context.Context, r wasi.Request) (wasi.Process, vfs.Errno) {
	if f.errno != vfs.OK {
		wasi.CloseGiven(r.Files)
		return nil, f.errno
	}
	f.requests = append(f.requests, r)
	pipe := stream.NewSmallPipe(wasi.StatusBytes)
	end := pipe.ReadEnd()
	return fakeProcess{end, end.(vfs.Poller), f, pipe}, vfs.OK
}

type fakeProcess struct {
	vfs.File
	vfs.Poller
	programs *fakePrograms
	pipe     *stream.Pipe
}

// Kill ends the program at once.
func (p fakeProcess) Kill(signal uint32) {
	p.programs.killed = append(p.programs.killed, signal)
	var status [wasi.StatusBytes]byte
	binary.LittleEndian.PutUint32(status[:], 128+signal)
	w := p.pipe.Writer()
	_, _ = w.Write(status[:])
	_ = w.Close()
}

// request encodes what docs/abi.md describes.
func request(umask uint32, name, dir string, args, env []string, files ...uint32) string {
	var b []byte
	for _, n := range []int{int(umask), len(name), len(dir), len(args), len(env), len(files) / 2} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	for _, n := range files {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	text := string(b) + name + dir
	for _, s := range slices.Concat(args, env) {
		text += s + "\x00"
	}
	return text
}

func (g *guest) spawn(text string) (uint64, vfs.Errno) {
	g.t.Helper()
	ptr, n := g.text(text)
	out := g.space(4)
	e := g.call("spawn", ptr, n, out)
	return uint64(g.u32(out)), e
}

func (g *guest) pipe(flags uint64) (r, w uint64) {
	g.t.Helper()
	out := g.space(8)
	g.want(vfs.OK, "pipe", flags, out)
	return uint64(g.u32(out)), uint64(g.u32(out + 4))
}

func TestProgramsAreListedByName(t *testing.T) {
	g := newGuest(t, wasi.Config{Programs: &fakePrograms{}})
	buf, out := g.space(64), g.space(4)
	g.want(vfs.OK, "programs", buf, 64, out)
	const want = "-one\x00+two\x00"
	if got := string(g.mem[buf : buf+uint64(g.u32(out))]); got != want {
		t.Errorf("the list is %q, want %q", got, want)
	}
	small := g.space(8)
	g.want(vfs.OK, "programs", small, uint64(len(want)-1), out)
	if g.u32(out) != uint32(len(want)) || g.mem[small] != 0 {
		t.Errorf("a list that does not fit: length %d, %q", g.u32(out), g.mem[small:small+4])
	}
	g.want(vfs.EFAULT, "programs", 1<<20-4, 64, out)
}

func TestWithoutProgramsThereAreNone(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	out := g.space(8)
	g.want(vfs.OK, "programs", 0, 0, out)
	if g.u32(out) != 0 {
		t.Errorf("a list of %d bytes", g.u32(out))
	}
	g.want(vfs.ENOSYS, "pipe", 0, out)
	if _, e := g.spawn(request(0, "one", "", nil, nil)); e != vfs.ENOSYS {
		t.Errorf("spawn: errno %d, want ENOSYS", e)
	}
}

func TestSpawnPassesTheRequestOn(t *testing.T) {
	programs := &fakePrograms{}
	g := newGuest(t, wasi.Config{Programs: programs})
	fd, e := g.spawn(request(0o77, "one", "/d", []string{"one", "", "b c"}, []string{"A=1"}, 1, 2, 7, 0))
	if e != vfs.OK || len(programs.requests) != 1 {
		t.Fatalf("errno %d, %d requests", e, len(programs.requests))
	}
	r := programs.requests[0]
	if r.Program != "one" || r.Dir != "/d" || r.Umask != 0o77 || !slices.Equal(r.Args, []string{"one", "", "b c"}) || !slices.Equal(r.Env, []string{"A=1"}) {
		t.Errorf("the request is %+v", r)
	}
	if len(r.Files) != 2 || r.Files[0].FD != 1 || r.Files[1].FD != 7 {
		t.Errorf("the files are %+v", r.Files)
	}
	if _, e := g.read(fd, 4); e != vfs.EAGAIN {
		t.Errorf("the status of a program that runs: errno %d, want EAGAIN", e)
	}
	g.want(vfs.OK, "kill", fd, 9)
	if ev := g.poll(subscription{kind: 1, fd: uint32(fd)}); len(ev) != 1 || ev[0].bytes != wasi.StatusBytes {
		t.Errorf("events %+v", ev)
	}
	if status, e := g.read(fd, 8); e != vfs.OK || status != "\x89\x00\x00\x00" {
		t.Errorf("the status is %q, errno %d", status, e)
	}
	if rest, e := g.read(fd, 8); e != vfs.OK || rest != "" {
		t.Errorf("after the status: %q, errno %d", rest, e)
	}
	wasi.CloseGiven(r.Files)
}

func TestSpawnRefusesWhatIsMalformed(t *testing.T) {
	good := request(0o22, "one", "/", []string{"one"}, []string{"A=1"}, 0, 0)
	patch := func(at int, v uint32) string {
		b := []byte(good)
		binary.LittleEndian.PutUint32(b[at:], v)
		return string(b)
	}
	for name, c := range map[string]struct {
		text string
		want vfs.Errno
	}{
		"nothing":                   {"", vfs.EINVAL},
		"half a header":             {good[:20], vfs.EINVAL},
		"a umask that is none":      {patch(0, 0o1000), vfs.EINVAL},
		"a name without end":        {patch(4, 1<<31), vfs.EINVAL},
		"lengths that overflow":     {patch(8, 1<<32-1), vfs.EINVAL},
		"more arguments than bytes": {patch(12, 100), vfs.EINVAL},
		"too many arguments":        {patch(12, wasi.MaxStrings+1), vfs.E2BIG},
		"too many variables":        {patch(16, 1<<32-1), vfs.E2BIG},
		"fewer variables":           {patch(16, 0), vfs.EINVAL},
		"files beyond the end":      {patch(20, 200), vfs.EINVAL},
		"too many files":            {patch(20, 1<<32-1), vfs.EINVAL},
		"a number that is too high": {patch(24, wasi.MaxGiven), vfs.EINVAL},
		"a file that is not open":   {patch(28, 77), vfs.EBADF},
		"a number given twice":      {request(0, "one", "/", nil, nil, 1, 0, 1, 2), vfs.EINVAL},
		"something behind it":       {good + "x", vfs.EINVAL},
		"an argument without end":   {strings.TrimSuffix(good, "\x00"), vfs.EINVAL},
	} {
		t.Run(name, func(t *testing.T) {
			programs := &fakePrograms{}
			g := newGuest(t, wasi.Config{Programs: programs})
			if _, e := g.spawn(c.text); e != c.want || len(programs.requests) != 0 {
				t.Errorf("errno %d, want %d; %d requests", e, c.want, len(programs.requests))
			}
		})
	}
	g := newGuest(t, wasi.Config{Programs: &fakePrograms{errno: vfs.ENOENT}})
	if _, e := g.spawn(good); e != vfs.ENOENT {
		t.Errorf("the host's refusal: errno %d", e)
	}
	g.want(vfs.E2BIG, "spawn", 0, wasi.MaxRequest+1, 0)
	g.want(vfs.EFAULT, "spawn", 1<<20-4, 8, 0)
	ptr, n := g.text(good)
	g.want(vfs.EFAULT, "spawn", ptr, n, 1<<20)
	g.want(vfs.ECHILD, "kill", 1, 9)
	g.want(vfs.EBADF, "kill", 99, 9)
}

func TestPipesOfGuests(t *testing.T) {
	g := newGuest(t, wasi.Config{Programs: &fakePrograms{}})
	r, w := g.pipe(0)
	if _, e := g.read(r, 4); e != vfs.EAGAIN {
		t.Errorf("read of an empty pipe: errno %d", e)
	}
	if n, e := g.write(w, "bytes"); n != 5 || e != vfs.OK {
		t.Errorf("write: %d, errno %d", n, e)
	}
	if s, _ := g.read(r, 100); s != "bytes" {
		t.Errorf("read %q", s)
	}
	if _, e := g.write(r, "x"); e == vfs.OK {
		t.Error("the reading end was written to")
	}
	g.want(vfs.OK, "fd_close", w)
	if s, e := g.read(r, 4); s != "" || e != vfs.OK {
		t.Errorf("at the end: %q, errno %d", s, e)
	}
	r, w = g.pipe(0)
	g.want(vfs.OK, "fd_close", r)
	if _, e := g.write(w, "x"); e != vfs.EPIPE {
		t.Errorf("write without a reader: errno %d, want EPIPE", e)
	}
	g.want(vfs.EINVAL, "pipe", 2, 0)
	g.want(vfs.EFAULT, "pipe", 0, 1<<20-4)
}

func TestPipeOnDemandTakesWhatItsReaderAsksFor(t *testing.T) {
	g := newGuest(t, wasi.Config{Programs: &fakePrograms{}})
	r, w := g.pipe(1)
	if _, e := g.write(w, "early"); e != vfs.EAGAIN {
		t.Errorf("write before a reader asks: errno %d, want EAGAIN", e)
	}
	if _, e := g.read(r, 3); e != vfs.EAGAIN {
		t.Errorf("read: errno %d", e)
	}
	if ev := g.poll(subscription{kind: 2, fd: uint32(w)}); len(ev) != 1 || ev[0].bytes != 3 {
		t.Errorf("what is wanted: %+v, want 3 bytes", ev)
	}
	if n, e := g.write(w, "bytes"); n != 3 || e != vfs.OK {
		t.Errorf("write: %d, errno %d; want the 3 bytes that were asked for", n, e)
	}
	if _, e := g.write(w, "es"); e != vfs.EAGAIN {
		t.Errorf("write before the reader asks again: errno %d", e)
	}
	if s, _ := g.read(r, 100); s != "byt" {
		t.Errorf("read %q", s)
	}
}

// TestGivenFilesAreThoseOfTheGuest hands files from one system to another, as a program gets them.
func TestGivenFilesAreThoseOfTheGuest(t *testing.T) {
	programs := &fakePrograms{}
	parent, _ := onDirWith(t, programs)
	file := parent.open(firstPreopen, "file", 0, oCreat, rightRead|rightWrite, 0)
	if _, e := parent.write(file, "shared text"); e != vfs.OK {
		t.Fatal(e)
	}
	parent.want(vfs.OK, "fd_seek", file, 0, 0, parent.space(8))
	r, w := parent.pipe(0)
	if _, e := parent.spawn(request(0, "one", "", nil, nil, 0, uint32(file), 1, uint32(w), 3, uint32(file))); e != vfs.OK {
		t.Fatal(e)
	}
	child := newGuest(t, wasi.Config{Given: programs.requests[0].Files, FS: mount(t, t.TempDir())})
	if s, _ := child.read(0, 6); s != "shared" {
		t.Errorf("the child read %q", s)
	}
	if s, _ := parent.read(file, 100); s != " text" {
		t.Errorf("the parent went on with %q: the offset is not shared", s)
	}
	if _, e := child.write(1, "out"); e != vfs.OK {
		t.Errorf("write: errno %d", e)
	}
	if _, e := child.write(2, "x"); e != vfs.EBADF {
		t.Errorf("a stream that was not given: errno %d, want EBADF", e)
	}
	child.want(vfs.OK, "fd_prestat_get", firstPreopen, child.space(8))
	if _, e := child.s.Dup(3); e != vfs.OK {
		t.Errorf("the file that is 3: errno %d", e)
	}
	parent.want(vfs.OK, "fd_close", w)
	if s, _ := parent.read(r, 10); s != "out" {
		t.Errorf("read %q", s)
	}
	if _, e := parent.read(r, 10); e != vfs.EAGAIN {
		t.Errorf("while the child has the pipe: errno %d, want EAGAIN", e)
	}
	child.want(vfs.OK, "fd_close", 1)
	if s, e := parent.read(r, 10); s != "" || e != vfs.OK {
		t.Errorf("after the child closed it: %q, errno %d", s, e)
	}
}

func onDirWith(t *testing.T, programs wasi.Programs) (*guest, string) {
	t.Helper()
	dir := t.TempDir()
	return newGuest(t, wasi.Config{FS: mount(t, dir), Programs: programs}), dir
}

func TestWorkingDirectoryForGuestsThatKnowNone(t *testing.T) {
	g := newGuest(t, wasi.Config{FS: mount(t, t.TempDir()), Dir: "/work/d", Places: []string{"/work"}})
	for _, d := range []string{"work", "work/d"} {
		if e := g.path("path_create_directory", firstPreopen, d); e != vfs.OK {
			t.Fatal(e)
		}
	}
	const places, here = firstPreopen + 1, firstPreopen + 2
	for fd, want := range map[uint64]string{firstPreopen: "/", places: "/work", here: "."} {
		buf := g.space(16)
		g.want(vfs.OK, "fd_prestat_dir_name", fd, buf, uint64(len(want)))
		if got := string(g.mem[buf : buf+uint64(len(want))]); got != want {
			t.Errorf("descriptor %d is %q, want %q", fd, got, want)
		}
	}
	g.want(vfs.OK, "fd_close", g.open(here, "file", 0, oCreat, rightWrite, 0))
	g.want(vfs.OK, "fd_close", g.open(firstPreopen, "work/d/file", 0, 0, rightRead, 0))
	g.want(vfs.OK, "fd_close", g.open(here, "../d/file", 0, 0, rightRead, 0))
	g.want(vfs.OK, "fd_close", g.open(here, "../../work/d/file", followLinks, 0, rightRead, 0))
	for _, out := range []string{"../../..", "../../../etc/passwd", "/etc/passwd"} {
		if _, e := g.tryOpen(here, out, followLinks, 0, rightRead, 0); e != vfs.EPERM {
			t.Errorf("open %s: errno %d, want EPERM", out, e)
		}
	}
}

func TestSIGPIPEEndsWhatGoesOnWriting(t *testing.T) {
	for name, c := range map[string]struct {
		sigpipe bool
		want    uint32
	}{"a guest that has it": {true, 141}, "a guest without": {false, 0}} {
		t.Run(name, func(t *testing.T) {
			pipe := stream.NewPipe()
			_ = pipe.Reader().Close()
			g := newGuest(t, wasi.Config{Stdout: pipe.WriteEnd(), SIGPIPE: c.sigpipe})
			iov, out := g.iovec(g.text("y\n")), g.space(4)
			var exit wasi.ExitError
			for range 100 {
				if e, err := g.try("fd_write", 1, iov, 1, out); errors.As(err, &exit) {
					break
				} else if e != vfs.EPIPE {
					t.Fatalf("errno %d, want EPIPE", e)
				}
			}
			if exit.Code != c.want {
				t.Errorf("exit status %d, want %d", exit.Code, c.want)
			}
		})
	}
}

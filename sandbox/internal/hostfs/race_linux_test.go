package hostfs_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// raceTime is how long the host swaps things under the guest: OPENCLAW_RACE_SECONDS, or a moment.
func raceTime(t *testing.T) time.Duration {
	if seconds, err := strconv.Atoi(os.Getenv("OPENCLAW_RACE_SECONDS")); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if testing.Short() {
		return 200 * time.Millisecond
	}
	return 1500 * time.Millisecond
}

// swap exchanges two names, in one step where the filesystem can.
func swap(a, b string) {
	if unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) == nil {
		return
	}
	aside := a + ".aside"
	os.Rename(a, aside)
	os.Rename(b, a)
	os.Rename(aside, b)
}

// TestNothingOutsideIsReachedWhileTheHostSwapsDirectoriesForLinks lets guests read, write, make and remove below a
// directory that is, every other moment, a link to a directory outside, a link to "/", or a file that has another name
// outside.
func TestNothingOutsideIsReachedWhileTheHostSwapsDirectoriesForLinks(t *testing.T) {
	w := newWorld(t)
	w.write("d/dir/inner", "inside")
	w.write("d/secret", "inside")
	w.write("f", "inside")
	w.write("h", "inside")
	w.must(os.Link(filepath.Join(w.out, "secret"), filepath.Join(w.out, "second")))
	w.must(os.Link(filepath.Join(w.out, "secret"), w.host("hard")))
	w.link(w.out, "evil")
	w.link("/", "slash")
	w.link("../OUT", "relative")
	w.link(filepath.Join(w.out, "dir", "inner"), "evilfile")
	w.before = snapshot(t, w.out)
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})

	deadline := time.Now().Add(raceTime(t))
	var host, guests sync.WaitGroup
	stop := make(chan struct{})
	host.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			link := []string{"evil", "slash", "relative"}[i%3]
			swap(w.host("d"), w.host(link))
			for range 4 {
				// A guest's write gives whichever of the two it finds a file of its own.
				os.Remove(w.host("hard"))
				os.Link(filepath.Join(w.out, "secret"), w.host("hard"))
				swap(w.host("f"), w.host("evilfile"))
				swap(w.host("h"), w.host("hard"))
			}
			swap(w.host("d"), w.host(link))
		}
	})
	// In the workspace "/" would be entered as "d" + the path of OUT.
	outside := strings.TrimPrefix(w.out, "/")
	var succeeded [2]int
	for id := range succeeded {
		guests.Go(func() {
			random := rand.New(rand.NewPCG(uint64(id), 1))
			g := guest{t: t, fs: fs, outside: outside}
			for time.Now().Before(deadline) {
				g.act(random)
			}
			succeeded[id] = g.succeeded
		})
	}
	guests.Wait()
	close(stop)
	host.Wait()
	w.untouched()
	for id, n := range succeeded {
		if n == 0 {
			t.Errorf("guest %d never succeeded: the race was not one", id)
		}
	}
}

// TestGuestsCannotReachTheOtherNameOfAFileByRemovingOne lets one guest change a file with a name outside while another
// removes the name inside: then the file has a single name, but not one of the guest's.
func TestGuestsCannotReachTheOtherNameOfAFileByRemovingOne(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{})
	changes := []func(name string) vfs.Errno{
		func(name string) vfs.Errno { return put(fs, name, "overwritten") },
		func(name string) vfs.Errno { return opened(fs, name, vfs.Read|vfs.Truncate) },
		func(name string) vfs.Errno { return fs.Chmod(name, 0o600, true) },
		func(name string) vfs.Errno { return fs.Utimes(name, 1, 1, vfs.SetMtime, true) },
	}
	removals := []func(name string) vfs.Errno{
		fs.Unlink,
		func(name string) vfs.Errno { return fs.Rename(name, "moved") },
	}
	var names, targets []string
	for i := range 50 {
		name := "h" + strconv.Itoa(i)
		names, targets = append(names, name), append(targets, filepath.Join(w.out, name))
		w.must(os.WriteFile(targets[i], []byte(secret), 0o644))
	}
	w.before = snapshot(t, w.out)
	deadline := time.Now().Add(raceTime(t) / 2)
	for i := 0; time.Now().Before(deadline); i++ {
		for j, name := range names {
			os.Remove(w.host(name))
			w.must(os.Link(targets[j], w.host(name)))
		}
		var guests sync.WaitGroup
		start := make(chan struct{})
		for _, act := range []func(string) vfs.Errno{changes[i%len(changes)], removals[i/len(changes)%len(removals)]} {
			guests.Go(func() {
				<-start
				for _, name := range names {
					act(name)
				}
			})
		}
		close(start)
		guests.Wait()
	}
	w.untouched()
}

// guest does things below "d" and to "f", and looks at what it gets.
type guest struct {
	t         *testing.T
	fs        vfs.FS
	outside   string
	succeeded int
}

func (g *guest) act(random *rand.Rand) {
	prefixes := []string{"d", "d/dir/..", "d/dir/../../d", "d/" + g.outside, "d/dir/../../d/" + g.outside}
	prefix := prefixes[random.IntN(len(prefixes))]
	made := prefix + "/made" + strconv.Itoa(random.IntN(3))
	file := []string{"f", "h"}[random.IntN(2)]
	switch random.IntN(11) {
	case 0:
		g.read(prefix + "/secret")
	case 1:
		g.read(prefix + "/dir/inner")
	case 2:
		g.read(file)
	case 3:
		g.count(put(g.fs, file, "overwritten"))
	case 4:
		g.count(put(g.fs, made, "made"))
		g.count(opened(g.fs, file, vfs.Write))
	case 5:
		g.count(g.fs.Mkdir(made, 0o755))
	case 6:
		g.count(g.fs.Unlink(made))
		g.count(g.fs.Rmdir(made))
	case 7:
		g.count(g.fs.Rename(made, prefix+"/moved"))
		g.count(g.fs.Unlink(prefix + "/moved"))
	case 8:
		g.count(g.fs.Chmod(file, 0o600, true))
		g.count(g.fs.Chmod(prefix+"/secret", 0o600, true))
	case 9:
		g.count(g.fs.Utimes(prefix+"/dir", 1, 1, vfs.SetMtime, true))
		g.count(g.fs.Utimes(file, 1, 1, vfs.SetMtime, true))
	case 10:
		g.count(g.fs.Symlink("x", made))
		g.list(prefix)
	}
}

func (g *guest) count(errno vfs.Errno) {
	if errno == vfs.OK {
		g.succeeded++
	}
}

// read fails the test when it gets the content of a file outside. The one with a name inside may be read there.
func (g *guest) read(path string) {
	got, errno := slurp(g.fs, path)
	g.count(errno)
	if strings.Contains(got, secret) && path != "h" {
		g.t.Errorf("read %s: got what is outside", path)
	}
}

func (g *guest) list(path string) {
	f, errno := g.fs.Open(path, vfs.Read|vfs.Directory, 0)
	if errno != vfs.OK {
		return
	}
	defer f.Close()
	entries, _ := f.Readdir()
	for _, e := range entries {
		if e.Name == "OUT" || e.Name == "etc" {
			g.t.Errorf("list %s: got what is outside", path)
		}
	}
}

// TestGuestsCannotGetAroundProtectionByRenaming lets one guest rename a directory to and fro while another writes in
// it what would be protected under one of the names.
func TestGuestsCannotGetAroundProtectionByRenaming(t *testing.T) {
	w := newWorld(t)
	w.mkdir("g")
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	other := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()}) // another session's
	deadline := time.Now().Add(raceTime(t) / 2)
	var guests sync.WaitGroup
	guests.Go(func() {
		for time.Now().Before(deadline) {
			fs.Rename("g", ".git")
			if w.exists(".git/config") || w.exists(".git/hooks") {
				t.Error("a protected path was made")
				return
			}
			fs.Rename(".git", "g")
		}
	})
	guests.Go(func() {
		for time.Now().Before(deadline) {
			for _, dir := range []string{"g", ".git"} {
				put(other, dir+"/config", "evil")
				other.Mkdir(dir+"/hooks", 0o755)
				other.Unlink(dir + "/config")
				other.Rmdir(dir + "/hooks")
			}
		}
	})
	guests.Wait()
}

// TestOverlappingMountsCannotGetAroundProtection does the same where the one who writes has another directory mounted, to
// which the protected path does not belong before it is renamed.
func TestOverlappingMountsCannotGetAroundProtection(t *testing.T) {
	w := newWorld(t)
	w.mkdir("sub/g")
	outer := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	deadline := time.Now().Add(raceTime(t) / 2)
	var guests sync.WaitGroup
	guests.Go(func() {
		for time.Now().Before(deadline) {
			if outer.Rename("sub/g", ".git") == vfs.OK && w.exists(".git/config") {
				t.Error("a protected path was made")
				return
			}
			outer.Rename(".git", "sub/g")
		}
	})
	guests.Go(func() {
		for time.Now().Before(deadline) {
			inner, err := hostfs.New(w.host("sub"), hostfs.Options{Protect: hostfs.DefaultProtection()})
			if err != nil {
				t.Error(err)
				return
			}
			for range 100 {
				put(inner, "g/config", "guest")
				inner.Unlink("g/config")
			}
			inner.Close()
		}
	})
	guests.Wait()
}

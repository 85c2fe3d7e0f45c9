package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/workspace"
)

func owner(session string) workspace.Owner {
	return workspace.Owner{Scope: workspace.ScopeSession, Agent: "main", Session: session, Workspace: "/ws"}
}

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,90}$`)

// hostileText is what keys may hold when somebody outside chooses a part of them.
func hostileText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"..", "/", "\\", "a", "A", ":", "agent", "main", "\x00", " ", "-", "é", "e\u0301", "ſ", "K", "😀", "CON", ".", "~", "\n", strings.Repeat("x", 300)})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "") })
}

func anyOwner() *rapid.Generator[workspace.Owner] {
	return rapid.Custom(func(t *rapid.T) workspace.Owner {
		text := hostileText()
		return workspace.Owner{
			Scope: rapid.SampledFrom([]workspace.Scope{workspace.ScopeSession, workspace.ScopeAgent, workspace.ScopeShared}).Draw(t, "scope"),
			Agent: text.Draw(t, "agent"), Session: text.Draw(t, "session"), Workspace: text.Draw(t, "workspace"),
		}
	})
}

func TestNamesCannotTraverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := anyOwner().Draw(t, "owner").DirName()
		if !plainName.MatchString(name) || !filepath.IsLocal(name) || filepath.Base(name) != name {
			t.Fatalf("name %q", name)
		}
	})
}

func TestNamesCannotCollide(t *testing.T) {
	// what counts of an owner
	identity := func(o workspace.Owner) workspace.Owner {
		switch o.Scope {
		case workspace.ScopeShared:
			return workspace.Owner{Scope: o.Scope}
		case workspace.ScopeAgent:
			o.Session = ""
		}
		return o
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyOwner().Draw(t, "a"), anyOwner().Draw(t, "b")
		same, equal := identity(a) == identity(b), strings.EqualFold(a.DirName(), b.DirName())
		if same != equal {
			t.Fatalf("%+v is %q, %+v is %q", a, a.DirName(), b, b.DirName())
		}
	})
	for _, pair := range [][2]workspace.Owner{
		{owner("agent:main:x:group:a/b"), owner("agent:main:x:group:a-b")},
		{owner("agent:main:x:group:A"), owner("agent:main:x:group:a")},
		{owner(""), owner("session")},
		{{Scope: "session", Agent: "a", Session: "bc"}, {Scope: "session", Agent: "ab", Session: "c"}},
	} {
		if pair[0].DirName() == pair[1].DirName() {
			t.Errorf("%+v and %+v share %q", pair[0], pair[1], pair[0].DirName())
		}
	}
}

// rooms are session directories under test.
type rooms struct {
	*testing.T
	root  string
	clock *clock
	*workspace.SessionDirs
}

func newRooms(t *testing.T) *rooms {
	c := newClock()
	return &rooms{t, filepath.Join(t.TempDir(), "sandboxes"), c, &workspace.SessionDirs{Registry: newMemory(), Now: c.now}}
}

func (r *rooms) open(o workspace.Owner) *workspace.Lease {
	r.Helper()
	lease, err := r.Open(context.Background(), r.root, o)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(lease.Release)
	return lease
}

func (r *rooms) record() []workspace.SessionDir {
	r.Helper()
	all, err := r.Registry.SessionDirs(context.Background())
	if err != nil {
		r.Fatal(err)
	}
	return all
}

func TestSessionDirectoriesArePrivate(t *testing.T) {
	r := newRooms(t)
	lease := r.open(owner("agent:main:x:direct:eve"))
	info, err := os.Stat(lease.Path)
	if err != nil || info.Mode().Perm() != 0o700 || !lease.Made {
		t.Errorf("%+v, %v, %v", lease, info.Mode(), err)
	}
	os.Chmod(lease.Path, 0o755)
	again := r.open(owner("agent:main:x:direct:eve"))
	if info, err := os.Stat(lease.Path); err != nil || info.Mode().Perm() != 0o700 || again.Made || again.Path != lease.Path {
		t.Errorf("%+v, %v, %v", again, info.Mode(), err)
	}
}

func TestALinkIsNoSessionDirectory(t *testing.T) {
	r := newRooms(t)
	o := owner("agent:main:x:direct:eve")
	os.MkdirAll(r.root, 0o700)
	target := t.TempDir()
	os.Symlink(target, filepath.Join(r.root, o.DirName()))
	if _, err := r.Open(context.Background(), r.root, o); err == nil {
		t.Error("a link was taken for the directory")
	}
}

func TestPruneByIdlenessAndAge(t *testing.T) {
	r := newRooms(t)
	policy := workspace.Prune{Idle: 24 * time.Hour, Age: 7 * 24 * time.Hour}
	old, idle, used := owner("old"), owner("idle"), owner("used")
	touch := func(o workspace.Owner) { r.open(o).Release() }
	touch(old)
	r.clock.pass(6*24*time.Hour + 12*time.Hour)
	touch(idle)
	r.clock.pass(20 * time.Hour)
	touch(old)
	touch(used)
	r.clock.pass(5 * time.Hour)
	stranger := filepath.Join(r.root, "not-ours")
	os.Mkdir(stranger, 0o700)
	put(t, filepath.Join(r.root, idle.DirName(), "deep/file"), "x")
	os.Symlink(stranger, filepath.Join(r.root, idle.DirName(), "link"))
	removed, err := r.Prune(context.Background(), r.root, policy)
	if err != nil || len(removed) != 2 {
		t.Fatalf("removed %v, %v", removed, err)
	}
	for _, o := range []workspace.Owner{old, idle} {
		if exists(filepath.Join(r.root, o.DirName())) {
			t.Errorf("%s is still there", o.Session)
		}
	}
	if !exists(filepath.Join(r.root, used.DirName())) || !exists(stranger) || len(r.record()) != 1 {
		t.Error("too much was removed")
	}
	if removed, err := r.Prune(context.Background(), r.root, workspace.Prune{}); err != nil || len(removed) != 0 {
		t.Errorf("without a policy: %v, %v", removed, err)
	}
}

func TestWhatIsInUseStays(t *testing.T) {
	r := newRooms(t)
	lease := r.open(owner("busy"))
	r.clock.pass(30 * 24 * time.Hour)
	if removed, err := r.Prune(context.Background(), r.root, workspace.Prune{Idle: time.Hour}); err != nil || len(removed) != 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
	d := r.record()[0]
	if err := r.Remove(context.Background(), d); !errors.Is(err, workspace.ErrInUse) {
		t.Errorf("error %v", err)
	}
	lease.Release()
	if err := r.Remove(context.Background(), d); err != nil || exists(lease.Path) {
		t.Errorf("error %v", err)
	}
}

func TestRemoveTakesOnlySessionDirectories(t *testing.T) {
	r := newRooms(t)
	victim := filepath.Join(filepath.Dir(r.root), "victim")
	put(t, filepath.Join(victim, "x"), "x")
	for _, name := range []string{"", ".", "..", "../victim", "victim"} {
		d := workspace.SessionDir{Root: filepath.Dir(r.root), Name: name, Owner: owner("x")}
		if err := r.Remove(context.Background(), d); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
	if !exists(filepath.Join(victim, "x")) {
		t.Error("the victim is gone")
	}
}

func TestOpeningAndRemovingAtOnce(t *testing.T) {
	r := newRooms(t)
	o := owner("contested")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				lease, err := r.Open(context.Background(), r.root, o)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(lease.Path, "f"), []byte("x"), 0o600); err != nil {
					t.Error(err) // it was removed under us
				}
				lease.Release()
			}
		})
	}
	group.Go(func() {
		for range 100 {
			err := r.Remove(context.Background(), workspace.SessionDir{Root: r.root, Name: o.DirName(), Owner: o})
			if err != nil && !errors.Is(err, workspace.ErrInUse) {
				t.Error(err)
			}
		}
	})
	group.Wait()
}

func TestCopiesAreWhatTheSessionIsGiven(t *testing.T) {
	r := newRooms(t)
	lease := r.open(owner("x"))
	put(t, filepath.Join(lease.Path, "MEMORY.md"), "forged")
	put(t, filepath.Join(lease.Path, "SOUL.md", "deep"), "forged")
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, outside, "mine")
	os.Symlink(outside, filepath.Join(lease.Path, "AGENTS.md"))
	put(t, filepath.Join(lease.Path, "own.txt"), "own")
	sources := []workspace.Source{
		{Name: "AGENTS.md", Status: workspace.StatusPresent, Text: "rules\n"},
		{Name: "SOUL.md", Status: workspace.StatusPresent, Text: "calm\n"},
		{Name: "USER.md", Status: workspace.StatusUnreadable, Reason: "x"},
	}
	for range 2 {
		if err := lease.Copy(context.Background(), sources); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, filepath.Join(lease.Path, "AGENTS.md")) != "rules\n" || read(t, filepath.Join(lease.Path, "SOUL.md")) != "calm\n" ||
		read(t, outside) != "mine" || read(t, filepath.Join(lease.Path, "own.txt")) != "own" {
		t.Error("wrong content")
	}
	if exists(filepath.Join(lease.Path, "MEMORY.md")) || exists(filepath.Join(lease.Path, "USER.md")) {
		t.Error("a file that the session is not given")
	}
}

package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/workspace"
)

// home is a workspace under test.
type home struct {
	*testing.T
	dir   string
	clock *clock
	store *memory
}

func newHome(t *testing.T) *home {
	return &home{t, filepath.Join(t.TempDir(), "ws"), newClock(), newMemory()}
}

func (h *home) trySeed(o workspace.SeedOptions) (*workspace.Seeded, error) {
	s := &workspace.Seeder{Store: h.store, Now: h.clock.now}
	return s.Seed(context.Background(), h.dir, o)
}

func (h *home) seed(o workspace.SeedOptions) *workspace.Seeded {
	h.Helper()
	result, err := h.trySeed(o)
	if err != nil {
		h.Fatal(err)
	}
	return result
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) names() []string {
	h.Helper()
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		h.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (h *home) wantNames(want ...string) {
	h.Helper()
	slices.Sort(want)
	if got := h.names(); !slices.Equal(got, want) {
		h.Errorf("the workspace holds %q, want %q", got, want)
	}
}

var allFiles = []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md"}

func TestSeedFillsANewWorkspace(t *testing.T) {
	h := newHome(t)
	result := h.seed(workspace.SeedOptions{})
	h.wantNames(allFiles...)
	if !result.BrandNew || !result.Pending || !result.SeededAt.Equal(h.clock.at) || len(result.Kept) > 0 {
		t.Errorf("result %+v", result)
	}
	for _, name := range allFiles {
		text, ok := workspace.Template(name)
		if !ok || read(t, h.path(name)) != string(text) || len(text) == 0 {
			t.Errorf("%s is not its template", name)
		}
		if info, err := os.Stat(h.path(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
	again := h.seed(workspace.SeedOptions{})
	if again.BrandNew || len(again.Made) > 0 || !again.Pending {
		t.Errorf("second time: %+v", again)
	}
}

func TestSeedOverwritesNothing(t *testing.T) {
	for _, name := range allFiles {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			put(t, h.path(name), "mine\n")
			put(t, h.path("notes.txt"), "mine too\n")
			for range 2 {
				h.seed(workspace.SeedOptions{})
				if read(t, h.path(name)) != "mine\n" || read(t, h.path("notes.txt")) != "mine too\n" {
					t.Errorf("%s was changed", name)
				}
			}
		})
	}
}

func TestSeedLeavesLinksAndDirectoriesInTheirPlace(t *testing.T) {
	h := newHome(t)
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.MkdirAll(h.path("SOUL.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AGENTS.md", "USER.md"} { // dangling, both
		if err := os.Symlink(outside, h.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	h.seed(workspace.SeedOptions{})
	if exists(outside) {
		t.Error("seeding wrote through a link to outside")
	}
	if info, err := os.Stat(h.path("SOUL.md")); err != nil || !info.IsDir() {
		t.Errorf("the directory is gone: %v", err)
	}
}

func TestBootstrapOnlyInABrandNewWorkspace(t *testing.T) {
	for _, name := range []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md", "memory/2031-01-01.md", "skills/tea/SKILL.md", ".git/HEAD"} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			put(t, h.path(name), "somebody was here\n")
			result := h.seed(workspace.SeedOptions{})
			if exists(h.path("BOOTSTRAP.md")) || result.Pending || result.Completed.IsZero() {
				t.Errorf("a workspace with %s is taken for a new one: %+v", name, result)
			}
		})
	}
}

func TestForeignFilesDoNotMakeAWorkspaceOld(t *testing.T) {
	h := newHome(t)
	put(t, h.path("main.go"), "package main\n")
	if result := h.seed(workspace.SeedOptions{}); !result.Pending || !exists(h.path("BOOTSTRAP.md")) {
		t.Errorf("result %+v", result)
	}
}

func TestCompletionIsNoticedWhenBootstrapIsGone(t *testing.T) {
	h := newHome(t)
	h.seed(workspace.SeedOptions{})
	if err := os.Remove(h.path("BOOTSTRAP.md")); err != nil {
		t.Fatal(err)
	}
	h.clock.pass(time.Hour)
	done := h.clock.at
	if result := h.seed(workspace.SeedOptions{}); result.Pending || !result.Completed.Equal(done) {
		t.Errorf("result %+v", result)
	}
	// It stays so, and an optional file that was deleted does not come back.
	if err := os.Remove(h.path("USER.md")); err != nil {
		t.Fatal(err)
	}
	put(t, h.path("IDENTITY.md"), "Name: Alba\n")
	h.clock.pass(time.Hour)
	result := h.seed(workspace.SeedOptions{})
	if !result.Completed.Equal(done) || exists(h.path("BOOTSTRAP.md")) || exists(h.path("USER.md")) {
		t.Errorf("result %+v", result)
	}
}

func TestAProfileThatIsFilledInEndsTheBeginning(t *testing.T) {
	h := newHome(t)
	h.seed(workspace.SeedOptions{})
	put(t, h.path("IDENTITY.md"), "Name: Alba\n")
	result := h.seed(workspace.SeedOptions{})
	if result.Pending || exists(h.path("BOOTSTRAP.md")) || !slices.Equal(result.Removed, []string{"BOOTSTRAP.md"}) {
		t.Errorf("result %+v", result)
	}
	h = newHome(t)
	h.seed(workspace.SeedOptions{})
	put(t, h.path("IDENTITY.md"), "Name: Alba\n")
	put(t, h.path("BOOTSTRAP.md"), "my own plan\n")
	if result := h.seed(workspace.SeedOptions{}); result.Pending || read(t, h.path("BOOTSTRAP.md")) != "my own plan\n" {
		t.Errorf("a BOOTSTRAP.md of the user's own is gone: %+v", result)
	}
}

func TestSkipOptionalFiles(t *testing.T) {
	h := newHome(t)
	result := h.seed(workspace.SeedOptions{SkipOptional: []string{"SOUL.md", "USER.md"}})
	h.wantNames("AGENTS.md", "IDENTITY.md", "BOOTSTRAP.md")
	if !slices.Equal(result.Skipped, []string{"SOUL.md", "USER.md"}) {
		t.Errorf("skipped %q", result.Skipped)
	}
}

func TestSkipMakesTheDirectoryOnly(t *testing.T) {
	h := newHome(t)
	h.seed(workspace.SeedOptions{Skip: true})
	h.wantNames()
	put(t, h.path("notes.txt"), "x")
	h.seed(workspace.SeedOptions{Skip: true})
	h.wantNames("notes.txt")
	// Seeding may be turned on later: nothing has vanished.
	if result := h.seed(workspace.SeedOptions{}); !result.BrandNew {
		t.Errorf("result %+v", result)
	}
	for _, name := range append(h.names(), "x") {
		os.RemoveAll(h.path(name))
	}
	if _, err := h.trySeed(workspace.SeedOptions{Skip: true}); !isVanished(err) {
		t.Errorf("an emptied workspace: %v", err)
	}
}

func TestAVanishedWorkspaceIsNotMadeAnew(t *testing.T) {
	for name, vanish := range map[string]func(h *home){
		"directory gone":  func(h *home) { os.RemoveAll(h.dir) },
		"empty directory": func(h *home) { os.RemoveAll(h.dir); os.Mkdir(h.dir, 0o755) },
		"another one in its place": func(h *home) {
			os.RemoveAll(h.dir)
			put(h.T, h.path("lost+found/x"), "")
		},
		"only a template left": func(h *home) {
			for _, n := range h.names() {
				if n != "SOUL.md" {
					os.RemoveAll(h.path(n))
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.seed(workspace.SeedOptions{})
			vanish(h)
			before := exists(h.dir)
			h.clock.pass(workspace.FreshFor - time.Second)
			_, err := h.trySeed(workspace.SeedOptions{})
			if !isVanished(err) || !strings.Contains(err.Error(), h.dir) || !strings.Contains(err.Error(), "--reseed") {
				t.Fatalf("error %v", err)
			}
			if exists(h.path("AGENTS.md")) || exists(h.dir) != before {
				t.Error("something was made")
			}
			// What was seen long ago does not count any more.
			h.clock.pass(2 * time.Second)
			if result := h.seed(workspace.SeedOptions{}); !exists(h.path("AGENTS.md")) || len(result.Made) == 0 {
				t.Errorf("after a day: %+v", result)
			}
		})
	}
}

func TestReseedBeginsAnew(t *testing.T) {
	h := newHome(t)
	h.seed(workspace.SeedOptions{})
	os.RemoveAll(h.dir)
	if result := h.seed(workspace.SeedOptions{Reseed: true}); !result.Pending {
		t.Errorf("result %+v", result)
	}
	h.seed(workspace.SeedOptions{})
}

func TestALifeInTheWorkspaceIsNoVanishing(t *testing.T) {
	for name, live := range map[string]func(h *home){
		"AGENTS.md edited":      func(h *home) { put(h.T, h.path("AGENTS.md"), "# Mine\n") },
		"notes":                 func(h *home) { put(h.T, h.path("memory/2031-05-17.md"), "tea\n") },
		"untouched":             func(h *home) {},
		"optional file deleted": func(h *home) { os.Remove(h.path("USER.md")) },
		"all but one deleted":   func(h *home) { put(h.T, h.path("SOUL.md"), "calm\n"); os.Remove(h.path("AGENTS.md")) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.seed(workspace.SeedOptions{})
			live(h)
			h.seed(workspace.SeedOptions{})
			h.clock.pass(48 * time.Hour)
			h.seed(workspace.SeedOptions{})
		})
	}
}

func TestARepointedNameIsRefused(t *testing.T) {
	h := newHome(t)
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	os.Mkdir(first, 0o755)
	os.Mkdir(second, 0o755)
	os.Symlink(first, h.dir)
	h.seed(workspace.SeedOptions{})
	os.Remove(h.dir)
	os.Symlink(second, h.dir)
	_, err := h.trySeed(workspace.SeedOptions{})
	var repointed *workspace.RepointedError
	if !errors.As(err, &repointed) || repointed.Now != second {
		t.Fatalf("error %v", err)
	}
	if exists(filepath.Join(second, "AGENTS.md")) {
		t.Error("files were made")
	}
	h.seed(workspace.SeedOptions{Reseed: true})
}

func TestTwoNamesAreOneWorkspace(t *testing.T) {
	h := newHome(t)
	h.seed(workspace.SeedOptions{})
	link := filepath.Join(t.TempDir(), "link")
	os.Symlink(h.dir, link)
	a, err := workspace.Identify(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := workspace.Identify(filepath.Join(link, "."))
	if err != nil || a.Key != b.Key || a.Alias == b.Alias {
		t.Errorf("%+v and %+v, %v", a, b, err)
	}
	missing, err := workspace.Identify(filepath.Join(link, "x", "y"))
	if err != nil || missing.Path != filepath.Join(a.Path, "x", "y") {
		t.Errorf("%+v, %v", missing, err)
	}
}

func TestAFileIsNoWorkspace(t *testing.T) {
	h := newHome(t)
	put(t, h.dir, "a file")
	if _, err := h.trySeed(workspace.SeedOptions{}); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("error %v", err)
	}
}

func TestASetUpThatWasEndedHalfwayBeginsAgain(t *testing.T) {
	h := newHome(t)
	text, _ := workspace.Template("BOOTSTRAP.md")
	put(t, h.path("BOOTSTRAP.md"), string(text))
	put(t, h.path(".AGENTS.md.0123456789abcdef"), "half of")
	if result := h.seed(workspace.SeedOptions{}); !result.BrandNew || !result.Pending || len(result.Made) != 4 {
		t.Errorf("result %+v", result)
	}
}

func TestTwoSetUpsAtOnce(t *testing.T) {
	h := newHome(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := h.trySeed(workspace.SeedOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	h.wantNames(allFiles...)
	for _, name := range allFiles {
		if text, _ := workspace.Template(name); read(t, h.path(name)) != string(text) {
			t.Errorf("%s is not its template", name)
		}
	}
	if result := h.seed(workspace.SeedOptions{}); !result.Pending {
		t.Errorf("result %+v", result)
	}
}

package bundles_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/skills/bundle"
	"openclaw/skills/capability"
)

func TestABundleIsInstalledWhole(t *testing.T) {
	s := newShelf(t)
	file := pack(t, skill("1.0.0", ""), "echo tea\n")
	c := s.install(file)
	if c.Before != "" || c.Carried || c.Dir != filepath.Join(s.dir, "skills", "tea") {
		t.Errorf("%+v", c)
	}
	doc, err := os.ReadFile(filepath.Join(c.Dir, "SKILL.md"))
	if err != nil || !strings.HasPrefix(string(doc), "---\nname: tea\ndescription: \"Makes: \\\"tea\\\"\"\n---\n") || !strings.Contains(string(doc), "`tea__brew`") {
		t.Errorf("%s, %v", doc, err)
	}
	if script, err := os.ReadFile(filepath.Join(c.Dir, "scripts/main.sh")); err != nil || string(script) != "echo tea\n" {
		t.Errorf("%q, %v", script, err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "scripts": 0o700, "scripts/main.sh": 0o600, ".bundle.wasm": 0o600} {
		if st, err := os.Stat(filepath.Join(c.Dir, name)); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
	s.reopen()
	list, broken, err := s.List(t.Context())
	if err != nil || len(list) != 1 || len(broken) != 0 || list[0].Digest != c.Digest {
		t.Errorf("%v, %v, %v", list, broken, err)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "skills", ".bundle-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestWhatIsNoBundleIsLeftAlone(t *testing.T) {
	s := newShelf(t)
	put(t, s.dir, "skills/tea/SKILL.md", "mine")
	if _, err := s.Install(t.Context(), pack(t, skill("1.0.0", ""), "")); !errors.Is(err, bundles.ErrTaken) {
		t.Error(err)
	}
	for _, name := range []string{"tea", "../tea", "", "none", "."} {
		if err := s.Remove(t.Context(), name); !errors.Is(err, bundles.ErrNotInstalled) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(s.dir, "skills/tea/SKILL.md")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.Install(t.Context(), []byte("not a module")); !errors.Is(err, bundle.ErrNotModule) {
		t.Error(err)
	}
}

func TestRemovingForgetsTheApproval(t *testing.T) {
	s := newShelf(t)
	file := pack(t, skill("1.0.0", ""), "")
	s.install(file)
	s.approve("tea")
	if err := s.Remove(t.Context(), "tea"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "tea"); !errors.Is(err, bundles.ErrNotInstalled) {
		t.Error(err)
	}
	if _, err := s.install(file).Check(); !errors.Is(err, bundles.ErrNotApproved) {
		t.Error(err)
	}
}

// TestApprovalsAreForOneFile follows a bundle through its versions.
func TestApprovalsAreForOneFile(t *testing.T) {
	s := newShelf(t)
	s.install(pack(t, skill("1.0.0", "workspace = 'read'\nenv = ['A', 'B']"), "echo 1\n"))
	_, err := s.get("tea").Check()
	var not *bundles.NotApprovedError
	if !errors.As(err, &not) || not.Before != "" || !strings.Contains(err.Error(), "reads the whole workspace") {
		t.Fatal(err)
	}
	s.approve("tea")
	if set, err := s.get("tea").Check(); err != nil || set.Workspace != capability.Read {
		t.Errorf("%+v, %v", set, err)
	}

	c := s.install(pack(t, skill("1.1.0", "workspace = 'read'\nenv = ['A']"), "echo 2\n"))
	if _, err := s.get("tea").Check(); err != nil || !c.Carried || c.Before != "1.0.0" {
		t.Errorf("less: %+v, %v", c, err)
	}
	// What has been given up is not there for a later version.
	c = s.install(pack(t, skill("1.2.0", "workspace = 'read'\nenv = ['A', 'B']"), "echo 3\n"))
	if _, err = s.get("tea").Check(); !errors.As(err, &not) || c.Carried || not.Before != "1.1.0" || strings.Join(not.Asked, ";") != "reads the variables B" {
		t.Errorf("as before: %+v, %v", c, err)
	}
	s.approve("tea")

	s.install(pack(t, skill("2.0.0", "workspace = 'write'\nenv = ['A', 'B']\nmemory = '128MiB'"), "echo 4\n"))
	_, err = s.get("tea").Check()
	if !errors.As(err, &not) || not.Before != "1.2.0" || len(not.Asked) != 2 || !strings.Contains(err.Error(), "reads and changes the whole workspace (until now: reads the whole workspace)") {
		t.Errorf("more: %v", err)
	}
	// Back to what was approved: that file still is.
	s.install(pack(t, skill("1.2.0", "workspace = 'read'\nenv = ['A', 'B']"), "echo 3\n"))
	if _, err := s.get("tea").Check(); err != nil {
		t.Error(err)
	}
	if was, err := s.Revoke(t.Context(), "tea"); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	if _, err := s.get("tea").Check(); !errors.Is(err, bundles.ErrNotApproved) {
		t.Error(err)
	}
}

func TestAnApprovalIsForWhatWasShown(t *testing.T) {
	s := newShelf(t)
	shown := s.install(pack(t, skill("1.0.0", ""), "echo 1\n"))
	s.install(pack(t, skill("1.0.1", "workspace = 'write'"), "echo 2\n"))
	if _, err := s.Approve(t.Context(), "tea", shown.Digest.String()); !errors.Is(err, bundles.ErrChanged) {
		t.Error(err)
	}
	if len(s.approvals) > 0 {
		t.Errorf("%+v", s.approvals)
	}
}

// TestAReplacedFileIsNotApproved changes the file where it lies, without an installation.
func TestAReplacedFileIsNotApproved(t *testing.T) {
	s := newShelf(t)
	dir := s.install(pack(t, skill("1.0.0", ""), "echo 1\n")).Dir
	s.approve("tea")
	other := newShelf(t)
	from := other.install(pack(t, skill("1.0.0", ""), "echo 2\n")).Dir
	if err := errors.Join(os.RemoveAll(dir), os.Rename(from, dir)); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	_, err := s.get("tea").Check()
	var not *bundles.NotApprovedError
	if !errors.As(err, &not) || !not.Changed || !strings.Contains(err.Error(), "another file") {
		t.Error(err)
	}
}

// TestABundleHasTheNameOfItsDirectory moves one to where another's approval would be.
func TestABundleHasTheNameOfItsDirectory(t *testing.T) {
	s := newShelf(t)
	c := s.install(pack(t, skill("1.0.0", ""), ""))
	s.approve("tea")
	if err := os.Rename(c.Dir, filepath.Join(filepath.Dir(c.Dir), "cake")); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	if _, err := s.Get(t.Context(), "cake"); !errors.Is(err, bundles.ErrChanged) || !strings.Contains(err.Error(), "it calls itself tea") {
		t.Error(err)
	}
}

func TestAnApprovalIsForOneSigner(t *testing.T) {
	s := newShelf(t)
	s.install(pack(t, skill("1.0.0", ""), "echo 1\n"))
	a := s.approve("tea").Approval
	a.Signer = "somebody"
	s.approvals["tea"] = *a
	if _, err := s.get("tea").Check(); !errors.Is(err, bundles.ErrNotApproved) {
		t.Error(err)
	}
	if c := s.install(pack(t, skill("1.0.1", ""), "echo 2\n")); c.Carried {
		t.Error("another signer's version was approved")
	}
}

// TestChangedFilesAreNotUsed changes each of the installed files.
func TestChangedFilesAreNotUsed(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"script": func(d string) error {
			return os.WriteFile(filepath.Join(d, "scripts/main.sh"), []byte("echo 2\n"), 0o600)
		},
		"longer": func(d string) error {
			return os.WriteFile(filepath.Join(d, "scripts/main.sh"), []byte("echo 1\nrm\n"), 0o600)
		},
		"instructions": func(d string) error { return os.WriteFile(filepath.Join(d, "SKILL.md"), []byte("Do evil."), 0o600) },
		"added":        func(d string) error { return os.WriteFile(filepath.Join(d, "scripts/more"), nil, 0o600) },
		"removed":      func(d string) error { return os.Remove(filepath.Join(d, "scripts/main.sh")) },
		"linked": func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, "scripts/main.sh")), os.Symlink("/etc/passwd", filepath.Join(d, "scripts/main.sh")))
		},
		"directory": func(d string) error {
			return errors.Join(os.Rename(filepath.Join(d, "scripts"), filepath.Join(filepath.Dir(d), "x")), os.Symlink("../x", filepath.Join(d, "scripts")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			c := s.install(pack(t, skill("1.0.0", ""), "echo 1\n"))
			if err := change(c.Dir); err != nil {
				t.Fatal(err)
			}
			s.reopen()
			if _, err := s.Get(t.Context(), "tea"); !errors.Is(err, bundles.ErrChanged) {
				t.Error(err)
			}
			if list, broken, err := s.List(t.Context()); len(list) != 0 || len(broken) != 1 || err != nil {
				t.Errorf("%v, %v, %v", list, broken, err)
			}
			if c := s.install(pack(t, skill("1.0.0", ""), "echo 1\n")); c.Before == "" {
				t.Error("a broken one was not replaced")
			}
			s.reopen()
			s.get("tea")
		})
	}
}

func TestInstallingAtOnceLeavesOneWhole(t *testing.T) {
	s := newShelf(t)
	files := [][]byte{pack(t, skill("1.0.0", ""), "echo 1\n"), pack(t, skill("1.0.1", ""), "echo 2\n")}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if _, err := bundles.At(s.dir, memory{}).Install(t.Context(), files[i%2]); err != nil {
				t.Error(err)
			}
		})
	}
	for range 50 {
		if _, err := bundles.At(s.dir, memory{}).Get(t.Context(), "tea"); err != nil && !errors.Is(err, bundles.ErrNotInstalled) && !errors.Is(err, bundles.ErrChanged) {
			t.Error(err)
		}
	}
	group.Wait()
	s.get("tea")
}

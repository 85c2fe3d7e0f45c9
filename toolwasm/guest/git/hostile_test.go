package git_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/git"
)

// sandboxed returns a runner for git in a new directory, for a person without any configuration.
func sandboxed(t testing.TB) *commandtest.Runner {
	r := commandtest.New(t, git.Commands())
	r.Env = append([]string{"HOME=" + t.TempDir()}, environment...)
	return r
}

// loose stores an object by hand, whatever is in it.
func loose(t testing.TB, r *commandtest.Runner, kind string, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	raw := append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...)
	z.Write(raw)
	commandtest.Must(t, z.Close())
	sum := sha1.Sum(raw)
	id := hex.EncodeToString(sum[:])
	dir := filepath.Join(r.Dir, ".git/objects", id[:2])
	commandtest.Must(t, os.MkdirAll(dir, 0o755))
	commandtest.Must(t, os.WriteFile(filepath.Join(dir, id[2:]), b.Bytes(), 0o444))
	return id
}

func treeEntry(mode, name, id string) []byte {
	raw, _ := hex.DecodeString(id)
	return append([]byte(mode+" "+name+"\x00"), raw...)
}

func commitOf(t testing.TB, r *commandtest.Runner, tree string) string {
	return loose(t, r, "commit", []byte("tree "+tree+"\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n"))
}

func TestCheckoutRefusesPathsThatLeadOut(t *testing.T) {
	outside := t.TempDir()
	for _, name := range []string{"..", ".git", ".GIT", ".Git", "git~1", ".git ", ".git.", ".g\u200cit", ".git::$INDEX_ALLOCATION", `a\..\..\x`} {
		t.Run(name, func(t *testing.T) {
			r := sandboxed(t)
			r.Run("", "git", "init", "-q")
			blob := loose(t, r, "blob", []byte("owned\n"))
			below := loose(t, r, "tree", treeEntry("100644", "escaped", blob))
			top := loose(t, r, "tree", treeEntry("40000", name, below))
			id := commitOf(t, r, top)
			got := r.Run("", "git", "checkout", "-q", id)
			if got.Status == 0 {
				t.Errorf("checkout of %q succeeded", name)
			}
			for _, p := range []string{filepath.Join(r.Dir, "../escaped"), filepath.Join(r.Dir, ".git/escaped"), filepath.Join(outside, "escaped")} {
				if _, err := os.Lstat(p); err == nil {
					t.Errorf("%q made %s", name, p)
				}
			}
		})
	}
}

func TestCheckoutDoesNotWriteThroughLinks(t *testing.T) {
	r := sandboxed(t)
	outside := t.TempDir()
	r.Run("", "git", "init", "-q")
	blob := loose(t, r, "blob", []byte("owned\n"))
	below := loose(t, r, "tree", treeEntry("100644", "f", blob))
	id := commitOf(t, r, loose(t, r, "tree", treeEntry("40000", "d", below)))
	commandtest.Must(t, os.Symlink(outside, filepath.Join(r.Dir, "d")))
	r.Run("", "git", "checkout", "-q", "-f", id)
	if _, err := os.Lstat(filepath.Join(outside, "f")); err == nil {
		t.Error("a file was written behind a link")
	}
}

func TestReferencesDoNotLeadOut(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	for _, args := range [][]string{
		{"git", "update-ref", "refs/heads/../../../escaped", "HEAD"},
		{"git", "branch", "../../../escaped"},
		{"git", "tag", "../escaped"},
		{"git", "symbolic-ref", "../escaped", "refs/heads/x"},
	} {
		if got := r.Run("", args...); got.Status == 0 {
			t.Errorf("%v succeeded", args)
		}
	}
	r.Write(".git/HEAD", "ref: refs/heads/../../../etc/passwd\n")
	if got := r.Run("", "git", "status"); strings.Contains(got.Stdout+got.Stderr, "root:") {
		t.Errorf("status shows another file: %+v", got)
	}
}

func TestReferencesInACircleEnd(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	r.Write(".git/refs/heads/a", "ref: refs/heads/b\n")
	r.Write(".git/refs/heads/b", "ref: refs/heads/a\n")
	for _, args := range [][]string{{"git", "log", "a"}, {"git", "rev-parse", "a"}, {"git", "branch"}, {"git", "log", "--all"}} {
		r.Run("", args...)
	}
}

func TestObjectsThatAreTooLargeAreRefused(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "blob %d\x00", 1<<40)
	z.Close()
	id := strings.Repeat("ab", 20)
	commandtest.Must(t, os.MkdirAll(filepath.Join(r.Dir, ".git/objects/ab"), 0o755))
	r.Write(".git/objects/ab/"+id[2:], b.String())
	got := r.Run("", "git", "cat-file", "-p", id)
	if got.Status == 0 || !strings.Contains(got.Stderr, "too large") {
		t.Errorf("got %+v", got)
	}
}

// packOf writes a pack with the given entries, already encoded, and its index.
func packOf(t testing.TB, r *commandtest.Runner, ids []string, entries [][]byte) {
	t.Helper()
	var pack bytes.Buffer
	pack.WriteString("PACK")
	binary.Write(&pack, binary.BigEndian, []uint32{2, uint32(len(entries))})
	var offsets []uint32
	for _, e := range entries {
		offsets = append(offsets, uint32(pack.Len()))
		pack.Write(e)
	}
	sum := sha1.Sum(pack.Bytes())
	pack.Write(sum[:])
	var idx bytes.Buffer
	idx.WriteString("\xfftOc")
	binary.Write(&idx, binary.BigEndian, uint32(2))
	for i := range 256 {
		n := uint32(0)
		for _, id := range ids {
			var first int
			fmt.Sscanf(id[:2], "%02x", &first)
			if first <= i {
				n++
			}
		}
		binary.Write(&idx, binary.BigEndian, n)
	}
	for _, id := range ids {
		raw, _ := hex.DecodeString(id)
		idx.Write(raw)
	}
	binary.Write(&idx, binary.BigEndian, make([]uint32, len(ids)))
	binary.Write(&idx, binary.BigEndian, offsets)
	idx.Write(sum[:])
	whole := sha1.Sum(idx.Bytes())
	idx.Write(whole[:])
	commandtest.Must(t, os.MkdirAll(filepath.Join(r.Dir, ".git/objects/pack"), 0o755))
	r.Write(".git/objects/pack/pack-x.pack", pack.String())
	r.Write(".git/objects/pack/pack-x.idx", idx.String())
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func TestDeltasThatBuildOnEachOtherEnd(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	a, b := strings.Repeat("11", 20), strings.Repeat("22", 20)
	entry := func(base string) []byte {
		raw, _ := hex.DecodeString(base)
		delta := []byte{4, 4, 0x90, 4}
		return append(append([]byte{7<<4 | byte(len(delta))}, raw...), deflated(delta)...)
	}
	packOf(t, r, []string{a, b}, [][]byte{entry(b), entry(a)})
	got := r.Run("", "git", "cat-file", "-p", a)
	if got.Status != 128 || !strings.Contains(got.Stderr, "chain of deltas") && !strings.Contains(got.Stderr, "object info") {
		t.Errorf("got %+v", got)
	}
}

func TestADeltaThatGrowsWithoutBoundIsRefused(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	base, bomb := strings.Repeat("11", 20), strings.Repeat("22", 20)
	plain := bytes.Repeat([]byte("x"), 15)
	whole := append([]byte{3<<4 | 15}, deflated(plain)...)
	size := binary.AppendUvarint(nil, 1<<38)
	delta := append(append([]byte{15}, size...), 0x90, 15)
	head := []byte{7<<4 | byte(len(delta))}
	raw, _ := hex.DecodeString(base)
	packOf(t, r, []string{base, bomb}, [][]byte{whole, append(append(head, raw...), deflated(delta)...)})
	if got := r.Run("", "git", "cat-file", "-p", base); got.Stdout != string(plain) {
		t.Errorf("the base: %+v", got)
	}
	if got := r.Run("", "git", "cat-file", "-p", bomb); got.Status != 128 {
		t.Errorf("the bomb: %+v", got)
	}
}

func TestTreesThatNestTooDeeplyAreRefused(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	id := loose(t, r, "tree", treeEntry("100644", "f", loose(t, r, "blob", nil)))
	for range 2100 {
		id = loose(t, r, "tree", treeEntry("40000", "d", id))
	}
	got := r.Run("", "git", "ls-tree", "-r", commitOf(t, r, id))
	if got.Status != 128 || !strings.Contains(got.Stderr, "tree depth") {
		t.Errorf("status %d, %s", got.Status, got.Stderr)
	}
}

func TestNothingOfTheRepositoryIsRun(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	mark := filepath.Join(t.TempDir(), "mark")
	commandtest.Must(t, os.MkdirAll(filepath.Join(r.Dir, ".git/hooks"), 0o755))
	for _, h := range []string{"pre-commit", "post-commit", "commit-msg", "post-checkout", "post-merge", "prepare-commit-msg", "post-index-change"} {
		commandtest.Must(t, os.WriteFile(filepath.Join(r.Dir, ".git/hooks", h), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755))
	}
	touch := "touch " + mark
	for key, value := range map[string]string{
		"core.pager": touch, "core.editor": touch, "core.fsmonitor": touch, "diff.external": touch, "filter.x.clean": touch, "filter.x.smudge": touch,
		"diff.x.textconv": touch, "diff.x.command": touch, "merge.x.driver": touch, "gpg.program": touch, "commit.gpgsign": "true", "alias.run": "!" + touch,
	} {
		r.Run("", "git", "config", key, value)
	}
	r.Write(".gitattributes", "* filter=x diff=x merge=x\n")
	r.Write("f", "1\n")
	for _, line := range []string{
		"add .", "commit -m 1", "commit --allow-empty", "log -p", "diff", "status", "checkout -b t", "run", "commit --allow-empty -m 2", "checkout -", "merge t",
		"show --ext-diff", "stash -u", "stash pop", "tag -a x", "rebase t",
	} {
		r.Run("", append([]string{"git"}, strings.Fields(line)...)...)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("something of the repository was run")
	}
	if got := r.Run("", "git", "log", "--format=%s"); got.Stdout != "2\n1\n" {
		t.Errorf("got %+v", got)
	}
}

func TestRemoteCommandsSayThatThereIsNoNetwork(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	for _, line := range []string{"fetch", "push origin main", "pull", "ls-remote", "clone https://example.com/x.git", "clone git@example.com:x.git"} {
		got := r.Run("", append([]string{"git"}, strings.Fields(line)...)...)
		if got.Status != 128 || !strings.Contains(got.Stderr, "no network") {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestCommitWithoutMessageSaysWhatToDo(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	r.Write("f", "1\n")
	r.Run("", "git", "add", "f")
	got := r.Run("", "git", "commit")
	if got.Status != 1 || !strings.Contains(got.Stderr, "-m MESSAGE") {
		t.Errorf("got %+v", got)
	}
	r.Env = []string{"HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	got = r.Run("", "git", "commit", "-m", "x")
	if got.Status != 128 || !strings.Contains(got.Stderr, "Please tell me who you are") || !strings.Contains(got.Stderr, "-c user.name") {
		t.Errorf("got %+v", got)
	}
}

func TestARepositoryWithoutConfigurationWorks(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	commandtest.Must(t, os.Remove(filepath.Join(r.Dir, ".git/config")))
	r.Write("f", "1\n")
	for _, line := range []string{"add f", "commit -q -m 1", "checkout -q -b t", "status"} {
		if got := r.Run("", append([]string{"git"}, strings.Fields(line)...)...); got.Status != 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := r.Run("", "git", "reflog"); strings.Count(got.Stdout, "\n") != 2 {
		t.Errorf("reflog: %+v", got)
	}
}

func TestALockIsNamedAndNothingIsLost(t *testing.T) {
	r := sandboxed(t)
	r.Run("", "git", "init", "-q")
	r.Write("f", "1\n")
	r.Run("", "git", "add", "f")
	r.Write(".git/index.lock", "")
	got := r.Run("", "git", "commit", "-m", "x")
	if got.Status != 128 || !strings.Contains(got.Stderr, filepath.Join(r.Dir, ".git/index.lock")) {
		t.Errorf("got %+v", got)
	}
	commandtest.Must(t, os.Remove(filepath.Join(r.Dir, ".git/index.lock")))
	if got := r.Run("", "git", "commit", "-q", "-m", "x"); got.Status != 0 {
		t.Errorf("got %+v", got)
	}
}

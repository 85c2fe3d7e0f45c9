package differ_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiffFormats(t *testing.T) {
	const a, b = "1\n2\n3\n4\n5\n", "1\n2\nthree\n4\n5\n6"
	for args, want := range map[string]string{
		"":                                 "3c3\n< 3\n---\n> three\n5a6\n> 6\n\\ No newline at end of file\n",
		"-u --label a --label b":           "--- a\n+++ b\n@@ -1,5 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n+6\n\\ No newline at end of file\n",
		"-U0 --label a --label b":          "--- a\n+++ b\n@@ -3 +3 @@\n-3\n+three\n@@ -5,0 +6 @@\n+6\n\\ No newline at end of file\n",
		"-C1 --label a --label b":          "*** a\n--- b\n***************\n*** 2,5 ****\n  2\n! 3\n  4\n  5\n--- 2,6 ----\n  2\n! three\n  4\n  5\n+ 6\n\\ No newline at end of file\n",
		"-n":                               "d3 1\na3 1\nthree\na5 1\n6",
		"-q":                               "Files a and b differ\n",
		"-y -W 20 --suppress-common-lines": "3     |\tthree\n      >\t6",
		"--changed-group-format=%> --unchanged-group-format=": "three\n6",
	} {
		dir := fill(t, "a = "+a, "b = "+b)
		got := run(t, dir, "", append([]string{"diff"}, append(strings.Fields(args), "a", "b")...)...)
		if got.Stdout != want || got.Status != 1 {
			t.Errorf("diff %s\n got %q %d\nwant %q", args, got.Stdout, got.Status, want)
		}
	}
}

func TestDiffIgnoresWhatItIsTold(t *testing.T) {
	for _, c := range []struct {
		args, a, b string
		status     int
	}{
		{"-b", "a  b \n", "a b\n", 0},
		{"-b", "ab\n", "a b\n", 1},
		{"-w", "ab\n", " a b\n", 0},
		{"-i", "AB\n", "ab\n", 0},
		{"-B", "a\n\n\nb\n", "a\nb\n", 0},
		{"-Z", "a  \n", "a\n", 0},
		{"-E", "a\tb\n", "a       b\n", 0},
		{"--strip-trailing-cr", "a\r\n", "a\n", 0},
		{"-I ^#", "#1\na\n", "#2\na\n", 0},
		{"-I ^#", "#1\na\n", "#2\nb\n", 1},
	} {
		dir := fill(t, "a = "+c.a, "b = "+c.b)
		got := run(t, dir, "", append([]string{"diff"}, append(strings.Fields(c.args), "a", "b")...)...)
		if got.Status != c.status {
			t.Errorf("diff %s %q %q: %+v", c.args, c.a, c.b, got)
		}
	}
}

func TestDiffComparesDirectories(t *testing.T) {
	dir := fill(t, "p/x = 1\n", "q/x = 2\n", "p/only = 1\n", "p/s/f = a\n", "q/s/f = a\n", "q/s/g = new\n")
	check(t, dir, []step{
		{Args: "diff p q", Stdout: "Only in p: only\nCommon subdirectories: p/s and q/s\ndiff p/x q/x\n1c1\n< 1\n---\n> 2\n", Status: 1},
		{Args: "diff -rq p q", Stdout: "Only in p: only\nOnly in q/s: g\nFiles p/x and q/x differ\n", Status: 1},
		{Args: "diff -r -x x -x only p q", Stdout: "Only in q/s: g\n", Status: 1},
		{Args: "diff p none", Stderr: "diff: none: No such file or directory\n", Status: 2},
	})
}

func TestCmpTellsTheFirstDifference(t *testing.T) {
	dir := fill(t, "a = one\ntwo\n", "b = one\ntoo\n", "c = one\n")
	check(t, dir, []step{
		{Args: "cmp a a"},
		{Args: "cmp a b", Stdout: "a b differ: byte 6, line 2\n", Status: 1},
		{Args: "cmp -l a b", Stdout: "6 167 157\n", Status: 1},
		{Args: "cmp a c", Stderr: "cmp: EOF on c after byte 4, line 1\n", Status: 1},
		{Args: "cmp -s a none", Status: 2},
		{Args: "cmp -n 5 a b"},
	})
}

func TestPatchAppliesAndRejects(t *testing.T) {
	const patch = "--- f\n+++ f\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"
	for name, c := range map[string]struct {
		file  string
		steps []step
	}{
		"a clean patch": {"1\n2\n3\n", []step{
			{Args: "patch", Stdin: patch, Stdout: "patching file f\n"},
			{Args: "patch -R -s", Stdin: patch},
		}},
		"an offset": {"0\n0\n1\n2\n3\n", []step{
			{Args: "patch", Stdin: patch, Stdout: "patching file f\nHunk #1 succeeded at 3 (offset 2 lines).\n"},
		}},
		"no place": {"a\nb\n", []step{
			{Args: "patch", Stdin: patch, Stdout: "patching file f\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED -- saving rejects to file f.rej\n", Status: 1},
		}},
		"already applied": {"1\ntwo\n3\n", []step{
			{Args: "patch -N", Stdin: patch, Status: 1, Stdout: "patching file f\nReversed (or previously applied) patch detected!  Skipping patch.\n1 out of 1 hunk ignored -- saving rejects to file f.rej\n"},
		}},
		"context that the file does not have any more": {"1\n2\n", []step{
			{Args: "patch", Stdin: patch, Stdout: "patching file f\nHunk #1 succeeded at 1 with fuzz 1.\n"},
			{Args: "patch -R", Stdin: patch, Stdout: "patching file f\nHunk #1 succeeded at 1 with fuzz 1.\n"},
		}},
		"an insertion before the hunk that came before it": {"1\n2\n3\n", []step{
			{
				Args: "patch -f", Stdin: "--- f\n+++ f\n@@ -3,1 +3,1 @@\n-3\n+three\n@@ -1,0 +2,1 @@\n+x\n", Status: 1,
				Stdout: "patching file f\nHunk #2 FAILED at 2.\n1 out of 2 hunks FAILED -- saving rejects to file f.rej\n",
			},
		}},
		"a dry run changes nothing": {"1\n2\n3\n", []step{
			{Args: "patch --dry-run", Stdin: patch, Stdout: "checking file f\n"},
			{Args: "patch", Stdin: patch, Stdout: "patching file f\n"},
		}},
		"garbage": {"1\n", []step{
			{Args: "patch", Stdin: "garbage\n", Stderr: "patch: **** Only garbage was found in the patch input.\n", Status: 2},
		}},
	} {
		t.Run(name, func(t *testing.T) { check(t, fill(t, "f = "+c.file), c.steps) })
	}
}

func TestPatchNeverLeavesTheDirectory(t *testing.T) {
	outer := fill(t, "in/")
	for _, name := range []string{"../evil", "/tmp/evil-of-a-patch", "a/../../evil"} {
		text := fmt.Sprintf("--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n+x\n", name)
		got := run(t, filepath.Join(outer, "in"), text, "patch", "-p0")
		if got.Status != 1 || !strings.Contains(got.Stdout, "Ignoring potentially dangerous file name") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(outer, "evil")); err == nil {
		t.Error("a patch wrote outside")
	}
}

// A patch made by diff turns the first file into the second, and back.
func TestDiffAndPatchAreInverse(t *testing.T) {
	dir := t.TempDir()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "}\n", "\n", "long line\n"}), 0, 40)
	rapid.Check(t, func(rt *rapid.T) {
		a := []byte(strings.Join(lines.Draw(rt, "a"), ""))
		b := []byte(strings.Join(lines.Draw(rt, "b"), ""))
		format := rapid.SampledFrom([]string{"-u", "-c", "-U0", "-u -d"}).Draw(rt, "format")
		must(t, os.WriteFile(filepath.Join(dir, "f"), a, 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "g"), b, 0o644))
		args := append([]string{"diff", "--label", "f", "--label", "f"}, strings.Fields(format)...)
		patch := run(t, dir, "", append(args, "f", "g")...)
		if patch.Status == 0 {
			return
		}
		if got := run(t, dir, patch.Stdout, "patch", "f"); got.Status != 0 {
			rt.Fatalf("%s\n%+v", patch.Stdout, got)
		}
		if have, _ := os.ReadFile(filepath.Join(dir, "f")); !bytes.Equal(have, b) {
			rt.Fatalf("%s\n got %q\nwant %q", patch.Stdout, have, b)
		}
		run(t, dir, patch.Stdout, "patch", "-R", "f")
		if have, _ := os.ReadFile(filepath.Join(dir, "f")); !bytes.Equal(have, a) {
			rt.Fatalf("back\n got %q\nwant %q", have, a)
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add("--- f\n+++ f\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n")
	f.Add("--- f\n+++ f\n@@ -7,3 +1,3 @@\n 1\xff\x7f2\n") // found by fuzzing: it fits, by fuzz, past the end
	f.Add("--- f\n+++ f\n@@ -1,3 +1,3 @@0 1\n-2\n+two")
	f.Add("*** f\n--- f\n***************\n*** 1,2 ****\n! 1\n  2\n--- 1,2 ----\n! x\n  2\n")
	f.Add("diff --git a/f b/g\nrename from f\nrename to g\n")
	f.Add("Index: f\n1c1\n< 1\n---\n> 2\n")
	f.Fuzz(func(t *testing.T, patch string) {
		dir := fill(t, "f = 1\n2\n3\n")
		run(t, dir, patch, "patch", "--dry-run", "-p1")
		run(t, dir, patch, "patch", "--dry-run", "f")
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\n", "-u")
	f.Add("a\tb\n", "a b\n", "-y -t")
	f.Fuzz(func(t *testing.T, a, b, args string) {
		dir := fill(t)
		must(t, os.WriteFile(filepath.Join(dir, "a"), []byte(a), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "b"), []byte(b), 0o644))
		run(t, dir, "", append([]string{"diff"}, append(strings.Fields(args), "a", "b")...)...)
	})
}

func TestDiffOfLargeBinaryFilesReadsThemInBlocks(t *testing.T) {
	long := strings.Repeat("\x00block", 100_000)
	dir := fill(t, "a = "+long+"1", "b = "+long+"2", "c = "+long+"1", "short = "+long, "t = a\n", "u = a \n", "v = a\n\n")
	check(t, dir, []step{
		{Args: "diff a b", Stdout: "Binary files a and b differ\n", Status: 1},
		{Args: "diff -q a b", Stdout: "Files a and b differ\n", Status: 1},
		{Args: "diff -q t u", Stdout: "Files t and u differ\n", Status: 1},
		{Args: "diff -q -b t u"},
		{Args: "diff -qB t v"},
		{Args: "diff -s a c", Stdout: "Files a and c are identical\n"},
		{Args: "diff --label x a short", Stdout: "Binary files x and short differ\n", Status: 1},
	})
}

package hostfs

import (
	"strings"
	"testing"
)

// GHSA-hxf5-99xg-86hw among others: names that Windows takes for devices, streams, or other files.
func TestNamesThatWindowsReadsOtherwise(t *testing.T) {
	for _, name := range []string{
		"con", "CON", "Con.txt", "nul", "NUL.tar.gz", "aux .h", "prn", "COM1", "com9.log", "lpt1", "COM¹", "com².x", "LPT³",
		"CONIN$", "conout$", "COM0", "a:b", "file::$DATA", "c:", `a\b`, "trailing.", "trailing ", "GIT~1", "git~12.ext", "LONGNA~1.TXT",
		"a?", "a*", "a|b", "a<b", `a"b`, "tab\t", "NUL ",
	} {
		if !badName(name) {
			t.Errorf("%q is taken", name)
		}
	}
	for _, name := range []string{
		"console", "common", "com", "com10", "nullable", ".git", "a.con", "lpt", "~", "~1", "a~b", "backup~", "a b", "é", "longer-name~1",
		".con", "file.txt~1",
	} {
		if badName(name) {
			t.Errorf("%q is refused", name)
		}
	}
}

func TestLinkTargetsAreJudgedByTheirText(t *testing.T) {
	for target, depth := range map[string]int{
		"x": 0, "..": 1, "../..": 2, "./../x": 1, "../a/b": 1, "..//..": 2, strings.Repeat("../", 9): 9,
	} {
		if leaves(target, depth) {
			t.Errorf("%q at depth %d is taken for one that leaves", target, depth)
		}
		if depth > 0 && !leaves(target, depth-1) {
			t.Errorf("%q at depth %d is taken for one that stays", target, depth-1)
		}
	}
	for _, target := range []string{"/", "a/..", "a/../..", "../a/../b", "a/b/./.."} {
		if !leaves(target, 100) {
			t.Errorf("%q is taken for one that stays", target)
		}
	}
}

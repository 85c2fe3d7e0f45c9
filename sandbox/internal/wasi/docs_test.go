package wasi_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

var update = flag.Bool("update", false, "write the generated tables of the documentation")

// suiteSize is how many programs the suite has.
const suiteSize = 72

func doc(name string) string { return filepath.Join("..", "..", "..", "docs", name) }

// checkGenerated compares a part of a document with what it should hold.
func checkGenerated(t *testing.T, file, part, want string) {
	t.Helper()
	content, err := os.ReadFile(doc(file))
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+part+" -->\n", "<!-- /"+part+" -->"
	before, rest, ok := strings.Cut(string(content), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("docs/%s has no part %q", file, part)
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("docs/%s: part %q is not what the code says; run go test ./sandbox/internal/wasi -update", file, part)
	}
	if err := os.WriteFile(doc(file), []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func functionTable(module string) string {
	var b strings.Builder
	b.WriteString("\n| function | parameters | result |\n|---|---|---|\n")
	for _, f := range wasi.Functions() {
		if f.Module == module {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, typeNames(f.Params), typeNames(f.Results))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func typeNames(list []wasi.ValueType) string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = map[wasi.ValueType]string{wasi.I32: "i32", wasi.I64: "i64"}[t]
	}
	return strings.Join(names, " ")
}

func TestDocumentationListsTheFunctions(t *testing.T) {
	checkGenerated(t, "abi.md", "functions", functionTable(wasi.ModuleOpenclaw))
	checkGenerated(t, "wasi.md", "functions", functionTable(wasi.ModulePreview1))
}

func TestDocumentationListsTheLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| bound | value |\n|---|---|\n")
	for _, l := range wasi.Limits {
		fmt.Fprintf(&b, "| %s | %d |\n", l.Name, l.Value)
	}
	fmt.Fprintf(&b, "| bytes in a path or in the target of a link | %d |\n", vfs.MaxPath-1)
	fmt.Fprintf(&b, "| links crossed in one resolution | %d |\n\n", vfs.MaxLinks)
	checkGenerated(t, "wasi.md", "limits", b.String())
}

// TestDocumentedLayoutOfStat checks the offsets of docs/abi.md by distinct values in each field.
func TestDocumentedLayoutOfStat(t *testing.T) {
	content, err := os.ReadFile(doc("abi.md"))
	if err != nil {
		t.Fatal(err)
	}
	st := vfs.Stat{
		Dev: 1, Ino: 2, Nlink: 3, Size: 4, Blocks: 5, Atime: 6, Mtime: 7, Ctime: 8,
		Mode: 0o644, Type: vfs.TypeRegular,
	}
	g := newGuest(t, wasi.Config{Stdin: statFile{st: st}})
	ptr := g.space(72)
	g.want(vfs.OK, "fd_stat", 0, ptr)
	want := map[string]uint64{
		"dev": 1, "ino": 2, "nlink": 3, "size": 4, "blocks": 5, "atime": 6, "mtime": 7, "ctime": 8,
		"mode": 0o644, "type": uint64(vfs.TypeRegular),
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| ([us])(\d+) \| ` + "`stat.(\\w+)`")
	rows := row.FindAllStringSubmatch(string(content), -1)
	if len(rows) != len(want) {
		t.Fatalf("%d fields documented, want %d", len(rows), len(want))
	}
	for _, r := range rows {
		var at, bits uint64
		fmt.Sscan(r[1], &at)
		fmt.Sscan(r[3], &bits)
		got := g.u64(ptr+at&^7) >> (at & 7 * 8)
		if bits < 64 {
			got &= 1<<bits - 1
		}
		if got != want[r[4]] {
			t.Errorf("%s at %d is %d, want %d", r[4], at, got, want[r[4]])
		}
	}
}

// statFile is a file that can only be described.
type statFile struct {
	vfs.StreamBase
	st vfs.Stat
}

func (f statFile) Stat() (vfs.Stat, vfs.Errno)   { return f.st, vfs.OK }
func (statFile) Read([]byte) (int, vfs.Errno)    { return 0, vfs.OK }
func (statFile) Write(p []byte) (int, vfs.Errno) { return len(p), vfs.OK }
func (statFile) Close() vfs.Errno                { return vfs.OK }

// documentedSuite reads the table of programs in docs/wasi.md.
func documentedSuite(t *testing.T) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(doc("wasi.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `([a-z]+/[^`]+)` \\| (pass|fail) \\| *(.*?) *\\|$")
	for _, r := range row.FindAllStringSubmatch(string(content), -1) {
		rows[r[1]] = r[2] == "pass"
		if (r[2] == "fail") != (r[3] != "") {
			t.Errorf("%s: a failure has a reason, and nothing else has: %q", r[1], r[0])
		}
	}
	return rows
}

func TestDocumentationListsTheWholeSuite(t *testing.T) {
	if n := len(documentedSuite(t)); n != suiteSize {
		t.Errorf("docs/wasi.md lists %d programs, want %d", n, suiteSize)
	}
}

// checkSuiteTable compares the table with what a run has shown.
func checkSuiteTable(t *testing.T, passed map[string]bool) {
	t.Helper()
	table := documentedSuite(t)
	for name, ok := range passed {
		documented, listed := table[name]
		if !listed || documented != ok {
			t.Errorf("%s passes: %t; docs/wasi.md lists it: %t, as passing: %t", name, ok, listed, documented)
		}
	}
}

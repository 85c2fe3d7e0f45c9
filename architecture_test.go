// Package openclaw_test holds the rules that the whole repository keeps.
package openclaw_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "openclaw"

// rooms lists the top-level directories; imports only go down the list.
var rooms = []string{"cmd", "runtime", "skills", "workspace", "toolwasm", "sandbox"}

// mayUse lists the packages that may import what reaches outside the process. Tests may import anything.
var mayUse = map[string][]string{
	"os/exec": {
		"toolwasm/internal/build", // compiles the toolbox, never at run time
		"skills/compile",          // calls compilers for the skills that a user writes: "openclaw skills build" alone
	},
	"net":      {},
	"net/http": {"runtime/model/wire", "runtime/model/wire/wiretest"}, // asks models; servers for tests
	"plugin":   {},
}

// file is a parsed Go file of the repository.
type file struct {
	path string // with slashes, relative to the root
	ast  *ast.File
}

func (f file) dir() string { return path.Dir(f.path) }
func (f file) test() bool  { return strings.HasSuffix(f.path, "_test.go") }
func (f file) imports() []string {
	var list []string
	for _, i := range f.ast.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			list = append(list, p)
		}
	}
	return list
}

func goFiles(t *testing.T) []file {
	t.Helper()
	var files []file
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(set, name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, file{path: filepath.ToSlash(name), ast: parsed})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestImportsGoDown keeps each room from knowing those above it.
func TestImportsGoDown(t *testing.T) {
	for _, f := range goFiles(t) {
		from := roomOf(f.path)
		for _, i := range f.imports() {
			below, ok := strings.CutPrefix(i, module+"/")
			if !ok {
				continue
			}
			if to := roomOf(below); from >= 0 && to < from {
				t.Errorf("%s imports %s, which is in a room above", f.path, i)
			}
		}
	}
}

// roomOf is the place of a path's room in the list, or -1.
func roomOf(p string) int {
	room, _, _ := strings.Cut(p, "/")
	return slices.Index(rooms, room)
}

// TestOnlyNamedPackagesReachOutside keeps processes and the network out of everything that has not been named.
func TestOnlyNamedPackagesReachOutside(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test() {
			continue
		}
		for _, i := range f.imports() {
			if allowed, restricted := mayUse[i]; restricted && !slices.Contains(allowed, f.dir()) {
				t.Errorf("%s imports %s", f.path, i)
			}
		}
	}
}

// TestGuestsDoNotUseTheHost keeps the toolbox free of what only exists outside the sandbox.
func TestGuestsDoNotUseTheHost(t *testing.T) {
	for _, f := range goFiles(t) {
		if !strings.HasPrefix(f.path, "toolwasm/guest/") || f.test() {
			continue
		}
		for _, i := range f.imports() {
			if strings.HasPrefix(i, module+"/") && !strings.HasPrefix(i, module+"/toolwasm/guest/") {
				t.Errorf("%s imports %s: guests know nothing of the host", f.path, i)
			}
		}
	}
}

// TestEveryPackageSaysWhatItPromises wants a package comment in each package.
func TestEveryPackageSaysWhatItPromises(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test() {
			continue
		}
		documented[f.dir()] = documented[f.dir()] || f.ast.Doc != nil
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// TestDependenciesAreDecided wants each direct dependency named in a decision record.
func TestDependenciesAreDecided(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	records := ""
	names, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		data, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		records += string(data)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		if !strings.Contains(records, m[1]) {
			t.Errorf("no record in docs/decisions names %s", m[1])
		}
	}
}

// TestFilesStayReadable bounds the length of a file.
func TestFilesStayReadable(t *testing.T) {
	const most = 900 // lines
	for _, f := range goFiles(t) {
		data, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d: is it still one thing?", f.path, n, most)
		}
	}
}

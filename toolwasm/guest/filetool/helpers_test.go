package filetool

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
)

// workdir is a directory with files in it, and the tools at work there.
type workdir struct {
	testing.TB
	dir string
}

// newWorkdir makes the given files; a name that ends in "/" is an empty directory.
func newWorkdir(tb testing.TB, files map[string]string) *workdir {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	w := &workdir{tb, filepath.Join(dir, "ws")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	for name, content := range files {
		w.put(name, content)
	}
	return w
}

func (w *workdir) path(name string) string { return filepath.Join(w.dir, name) }

func (w *workdir) put(name, content string) {
	w.Helper()
	full := w.path(name)
	dir := filepath.Dir(full)
	if strings.HasSuffix(name, "/") {
		dir = full
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	if dir == full {
		return
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *workdir) proc(args []string, stdin string) (*command.Proc, *bytes.Buffer, *bytes.Buffer) {
	var stdout, stderr bytes.Buffer
	return &command.Proc{
		Ctx: context.Background(), Dir: w.dir, Args: args, Umask: 0o022,
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Env: command.Vars{},
	}, &stdout, &stderr
}

// run runs a command of the package.
func (w *workdir) run(name, stdin string, args ...string) (status int, stdout, stderr string) {
	w.Helper()
	p, out, errs := w.proc(args, stdin)
	p.Name = name
	table := command.NewTable(Commands())
	p.Table = table
	status = command.Start(p, table[name])
	return status, out.String(), errs.String()
}

// answerOf is a result as the host reads it.
type answerOf struct {
	status  int
	Text    string          `json:"text"`
	Images  []attachment    `json:"images"`
	Details json.RawMessage `json:"details"`
}

func (a answerOf) detail(name string) any {
	var m map[string]any
	_ = json.Unmarshal(a.Details, &m)
	return m[name]
}

// raw calls a tool with arguments as they stand.
func (w *workdir) raw(tool, arguments string) answerOf {
	w.Helper()
	status, out, errs := w.run("openclaw-tool", arguments, tool)
	a := answerOf{status: status}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		w.Fatalf("%s %s: answer %q, standard error %q: %v", tool, arguments, out, errs, err)
	}
	return a
}

// args are the arguments of a call.
type args map[string]any

func (w *workdir) call(tool string, a args) answerOf {
	w.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		w.Fatal(err)
	}
	return w.raw(tool, string(b))
}

// edits are pairs of old and new texts.
func edits(texts ...string) []args {
	var list []args
	for i := 0; i+1 < len(texts); i += 2 {
		list = append(list, args{"oldText": texts[i], "newText": texts[i+1]})
	}
	return list
}

// patch joins lines to a patch, with its first and last line.
func patch(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// files returns everything below the directory; a directory without entries ends in "/", a link is shown by its target.
func (w *workdir) files() map[string]string {
	w.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(w.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == w.dir {
			return err
		}
		rel, _ := filepath.Rel(w.dir, name)
		switch {
		case e.IsDir():
			if list, err := os.ReadDir(name); err != nil || len(list) > 0 {
				return err
			}
			found[rel+"/"] = ""
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			found[rel] = "-> " + target
			return err
		default:
			b, err := os.ReadFile(name)
			found[rel] = string(b)
			return err
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return found
}

// wantFiles fails the test unless exactly these files are there.
func (w *workdir) wantFiles(want map[string]string) {
	w.Helper()
	got := w.files()
	for name, content := range want {
		if have, ok := got[name]; !ok {
			w.Errorf("%s is missing", name)
		} else if have != content {
			w.Errorf("%s holds %q, want %q", name, have, content)
		}
	}
	for name, content := range got {
		if _, ok := want[name]; !ok {
			w.Errorf("%s is there (%q) and should not", name, content)
		}
	}
}

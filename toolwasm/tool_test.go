package toolwasm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// call runs a tool in a session.
func (t *tools) call(tb testing.TB, session *sandbox.Session, tool string, arguments any) (*toolwasm.ToolResult, error) {
	tb.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		tb.Fatal(err)
	}
	return t.toolbox.Call(tb.Context(), session, tool, data)
}

// toolCase is a case of edit or apply_patch with its known answer.
type toolCase struct {
	ID          string            `json:"id"`
	Files       map[string]string `json:"files"`
	Path        string            `json:"path"`
	Edits       json.RawMessage   `json:"edits"`
	Patch       string            `json:"patch"`
	ExpectOK    bool              `json:"expect_ok"`
	ExpectFiles map[string]string `json:"expect_files"`
}

// TestToolCases runs the cases with known answers where there are any: OPENCLAW_CASES names their directory.
func TestToolCases(t *testing.T) {
	dir := os.Getenv("OPENCLAW_CASES")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "cases", "open")
	}
	tools := newTools(t)
	for _, tool := range []string{toolwasm.ToolEdit, toolwasm.ToolApplyPatch} {
		data, err := os.ReadFile(filepath.Join(dir, "tool-"+tool+".jsonl"))
		if err != nil {
			t.Skipf("no cases to run: %v", err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, len(data)+1)
		for lines.Scan() {
			var c toolCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			t.Run(c.ID, func(t *testing.T) { c.run(t, tools, tool) })
		}
	}
}

func (c toolCase) run(t *testing.T, tools *tools, tool string) {
	b := newBench(t, tools)
	for name, text := range c.Files {
		b.put(name, text)
	}
	var r *toolwasm.ToolResult
	var err error
	if tool == toolwasm.ToolEdit {
		r, err = b.call(tool, "path", c.Path, "edits", c.Edits)
	} else {
		r, err = b.call(tool, "input", c.Patch)
	}
	switch {
	case err != nil && !errors.Is(err, toolwasm.ErrBadArguments):
		t.Fatal(err)
	case (err == nil && !r.Failed) != c.ExpectOK:
		t.Errorf("result %+v, error %v, want success %v", r, err, c.ExpectOK)
	}
	got := map[string]string{}
	err = filepath.WalkDir(b.ws, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(b.ws, name)
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(c.ExpectFiles) {
		t.Errorf("files %q, want %q; %v", got, c.ExpectFiles, err)
	}
}

// TestEditsOfOneFileAtOnce edits one file from many calls of two sessions at once: no edit is lost.
func TestEditsOfOneFileAtOnce(t *testing.T) {
	tools := newTools(t)
	b := newBench(t, tools)
	const calls = 64
	var before, after strings.Builder
	for i := range calls {
		fmt.Fprintf(&before, "line %d.\n", i)
		fmt.Fprintf(&after, "changed %d.\n", i)
	}
	b.put("f", before.String())
	var sessions []*sandbox.Session
	for range 2 {
		session, err := tools.box.Open(b.grant)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		sessions = append(sessions, session)
	}
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			from, to := fmt.Sprintf("line %d.", i), fmt.Sprintf("changed %d.", i)
			tool, arguments := toolwasm.ToolEdit, map[string]any{"path": "f", "edits": edits(from, to)}
			if i%2 == 1 {
				tool, arguments = toolwasm.ToolApplyPatch, map[string]any{"input": patch("*** Update File: f", "@@", "-"+from, "+"+to)}
			}
			if r, err := tools.call(t, sessions[i/2%2], tool, arguments); err != nil || r.Failed {
				t.Errorf("%s %d: %+v, %v", tool, i, r, err)
			}
		})
	}
	wg.Wait()
	b.wantFile("f", after.String())
	if entries, err := os.ReadDir(b.ws); err != nil || len(entries) != 1 {
		t.Errorf("left in the workspace: %v, %v", entries, err)
	}
}

// TestToolsOnLargeFiles works on files near the tools' limits in the memory that a call has by default.
func TestToolsOnLargeFiles(t *testing.T) {
	tools := newTools(t)
	b := newBench(t, tools)
	const lines = 100_000
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "this is line number %d, “as it were”  \r\n", i)
	}
	b.does(toolwasm.ToolWrite, "path", "f", "content", text.String())
	b.does(toolwasm.ToolRead, "path", "f", "offset", lines-1)
	b.does(toolwasm.ToolEdit, "path", "f", "edits", edits("line number 7,", "line number seven,"))
	b.does(toolwasm.ToolEdit, "path", "f", "edits", edits("number 99999, \"as it were\"\n", "the last\n"))
	if got := b.fails(toolwasm.ToolEdit, "path", "f", "edits", edits("this is line nomber 9, \"as\nthis is lime number 10, \"as", "x")); !strings.Contains(got, "nearest") {
		t.Errorf("no hint: %.300q", got)
	}
	b.does(toolwasm.ToolApplyPatch, "input", patch("*** Update File: f", "@@", " this is line number 99997, \"as it were\"", "-this is line number 99998, \"as it were\"", "+y"))
	want := strings.NewReplacer(
		"number 7,", "number seven,", "line number 99999, “as it were”  \r\n", "line the last\r\n",
		"this is line number 99998, “as it were”  \r\n", "y\r\n",
	).Replace(text.String())
	if got, err := os.ReadFile(filepath.Join(b.ws, "f")); err != nil || string(got) != want {
		t.Errorf("%d bytes, want %d; %v", len(got), len(want), err)
	}
}

// TestFileToolsOnOddFiles tries files that other programs share or will run, and what is no file.
func TestFileToolsOnOddFiles(t *testing.T) {
	tools := newTools(t)
	b := newBench(t, tools)
	b.put("f", "old\n")
	b.put(".git/hooks/pre-commit", "old\n")
	if err := os.Link(filepath.Join(b.out, "victim.txt"), filepath.Join(b.ws, "shared")); err != nil {
		t.Skip(err)
	}
	hook := patch("*** Update File: f", "@@", "-old", "+new", "*** Update File: shared", "@@", "-victim", "+new", "*** Update File: .git/hooks/pre-commit", "@@", "-old", "+new")
	for tool, arguments := range map[string][]any{
		toolwasm.ToolWrite:      {"path", ".git/hooks/pre-commit", "content", "x"},
		toolwasm.ToolEdit:       {"path", ".git/hooks/pre-commit", "edits", edits("old", "new")},
		toolwasm.ToolApplyPatch: {"input", hook},
	} {
		if got := b.fails(tool, arguments...); !strings.Contains(got, "nothing was changed") || !strings.Contains(got, ".git/hooks/pre-commit") {
			t.Errorf("%s: %q", tool, got)
		}
	}
	b.wantFile("f", "old\n")
	b.wantFile("shared", "victim")
	b.wantFile(".git/hooks/pre-commit", "old\n")
	b.does(toolwasm.ToolApplyPatch, "input", patch("*** Update File: shared", "@@", "-victim", "+new", "*** Update File: f", "@@", "-old", "+new"))
	b.wantFile("f", "new\n")
	b.wantFile("shared", "new\n")
	b.wantFile("../out/victim.txt", "victim")
	if entries, err := os.ReadDir(b.ws); err != nil || len(entries) != 3 {
		t.Errorf("left in the workspace: %v, %v", entries, err)
	}
	if got := b.fails(toolwasm.ToolApplyPatch, "input", patch("*** Add File: /tmp/x", "+x")); !strings.Contains(got, "outside the workspace") {
		t.Errorf("a patch outside: %q", got)
	}
	b.does(toolwasm.ToolWrite, "path", "/tmp/x", "content", "x")
	for _, name := range []string{"/x", "../x", "/dev/null", "/etc/passwd", "/workspace/../../x"} {
		b.fails(toolwasm.ToolWrite, "path", name, "content", "x")
		b.fails(toolwasm.ToolRead, "path", name)
	}
	b.link("../out/new.txt", "dangling")
	b.link("../new.txt", "above")
	for _, name := range []string{"dangling", "above"} {
		for tool, got := range map[string]string{
			"write": b.fails(toolwasm.ToolWrite, "path", name, "content", "x"),
			"read":  b.fails(toolwasm.ToolRead, "path", name),
			"edit":  b.fails(toolwasm.ToolEdit, "path", name, "edits", edits("a", "b")),
		} {
			if !strings.Contains(got, "leads outside the workspace through a link") {
				t.Errorf("%s through a link %s: %q", tool, name, got)
			}
		}
	}
}

// TestApplyPatchInTheShell applies patches from scripts, in the workspace and below it.
func TestApplyPatchInTheShell(t *testing.T) {
	b := newBench(t, newTools(t))
	got := b.sh(`apply_patch <<'EOF' && mkdir sub && cd sub && apply_patch "$(printf '*** Begin Patch\n*** Update File: ../n\n@@\n-x\n+y\n*** End Patch\n')"
*** Begin Patch
*** Add File: n
+x
*** End Patch
EOF
cd /tmp && printf '*** Begin Patch\n*** Add File: n\n+z\n*** End Patch\n' | apply_patch && cat n; apply_patch nonsense 2>/dev/null; echo $?`)
	if !strings.Contains(got, "\nA n\n") || !strings.Contains(got, "\nM ../n\n") || !strings.HasSuffix(got, "z\n1\n") {
		t.Errorf("got %q", got)
	}
	b.wantFile("n", "y\n")
}

package filetool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// casesDir names the directory of case files, one JSON object a line.
const casesDir = "OPENCLAW_CASES"

// toolCase is one case of edit or apply_patch with its known answer.
type toolCase struct {
	ID          string            `json:"id"`
	Files       map[string]string `json:"files"`
	Path        string            `json:"path"`
	Edits       json.RawMessage   `json:"edits"`
	Patch       string            `json:"patch"`
	ExpectOK    bool              `json:"expect_ok"`
	ExpectFiles map[string]string `json:"expect_files"`
}

func readCases(t *testing.T, name string) []toolCase {
	t.Helper()
	dir := os.Getenv(casesDir)
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "cases", "open")
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("no cases to run (set %s): %v", casesDir, err)
	}
	var cases []toolCase
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, len(b)+1)
	for lines.Scan() {
		var c toolCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases = append(cases, c)
	}
	return cases
}

func TestCasesOfEdit(t *testing.T) {
	for _, c := range readCases(t, "tool-edit.jsonl") {
		t.Run(c.ID, func(t *testing.T) {
			w := newWorkdir(t, c.Files)
			c.check(w, w.call("edit", args{"path": c.Path, "edits": c.Edits}))
		})
	}
}

func TestCasesOfApplyPatch(t *testing.T) {
	for _, c := range readCases(t, "tool-apply_patch.jsonl") {
		t.Run(c.ID, func(t *testing.T) {
			w := newWorkdir(t, c.Files)
			c.check(w, w.call("apply_patch", args{"input": c.Patch}))
		})
	}
}

func (c toolCase) check(w *workdir, a answerOf) {
	w.Helper()
	w.Logf("status %d: %s", a.status, a.Text)
	if (a.status == statusDone) != c.ExpectOK {
		w.Errorf("status %d, want success %v: %s", a.status, c.ExpectOK, a.Text)
	}
	w.wantFiles(c.ExpectFiles)
}

package toolwasm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// Commands that put a file in the place of another must not cost the old one, nor leave anything behind, when there is no room
// for the new one.
func TestAFullDiskDamagesNothing(t *testing.T) {
	tools := newTools(t)
	content := strings.Repeat("some line of text\nand another\n", 20_000)
	for _, script := range []string{
		`sed -i s/some/another/ f`,
		`sort f -o f`,
		`sort -o f f f`,
		`shuf f -o f`,
		`head -c 1000000 /dev/urandom > /tmp/r; zip -q z f /tmp/r`,
		`tr a-z A-Z < f | sort -o f`,
	} {
		t.Run(script, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			grant := workspace(dir)
			grant.Limits = sandbox.Limits{Disk: 100 << 10}
			if _, _, _, err := tools.sh(t.Context(), grant, script); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "f"))
			if err != nil || string(got) != content {
				t.Errorf("f has %d bytes, had %d (%v)", len(got), len(content), err)
			}
			if list, _ := os.ReadDir(dir); len(list) != 1 {
				t.Errorf("the directory holds %v", list)
			}
		})
	}
}

// A patch that the deadline ends is applied whole, or not at all.
func TestAPatchIsNeverCutInTwo(t *testing.T) {
	tools := newTools(t)
	const files = 300
	var patch strings.Builder
	patch.WriteString("*** Begin Patch\n")
	for i := range files {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&patch, "*** Delete File: f%d\n", i)
		case 1:
			fmt.Fprintf(&patch, "*** Update File: f%d\n@@\n-old\n+new\n", i)
		default:
			fmt.Fprintf(&patch, "*** Add File: new/f%d\n+new\n", i)
		}
	}
	patch.WriteString("*** End Patch\n")
	arguments, err := json.Marshal(map[string]string{"input": patch.String()})
	if err != nil {
		t.Fatal(err)
	}
	for timeout := 4 * time.Millisecond; ; timeout = timeout * 5 / 4 {
		dir := t.TempDir()
		for i := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), []byte("old\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := contents(t, dir)
		session, err := tools.box.Open(workspace(dir))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		_, err = tools.toolbox.Call(ctx, session, toolwasm.ToolApplyPatch, arguments)
		cancel()
		session.Close()
		after := contents(t, dir)
		switch {
		case err == nil || strings.Contains(err.Error(), "the change had been made"):
			if strings.Contains(after, "f0=old") || !strings.Contains(after, "f1=new") || !strings.Contains(after, "new/f299=new") || strings.Contains(after, ".openclaw") {
				t.Errorf("after %v: not all of the patch is there: %.300s", timeout, after)
			}
			return
		case after != before:
			t.Fatalf("after %v (%v): some of the patch is there: %.300s", timeout, err, after)
		case timeout > time.Minute:
			t.Fatal(err)
		}
	}
}

// contents lists the files of a directory, and what is in them.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			fmt.Fprintf(&b, "%s/\n", name)
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s=%s", name, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

package toolwasm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/sandbox"
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

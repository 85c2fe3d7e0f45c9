package hostfs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated table of the documentation")

// TestProtectedPathsAreDocumented checks that docs/protected.md shows what is protected by default.
func TestProtectedPathsAreDocumented(t *testing.T) {
	var table strings.Builder
	table.WriteString("\n| paths | because |\n|---|---|\n")
	for _, g := range defaults {
		fmt.Fprintf(&table, "| `%s` | %s |\n", strings.Join(g.paths, "` `"), g.reason)
	}
	table.WriteString("\n")
	name := filepath.Join("..", "..", "..", "docs", "protected.md")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- defaults -->\n", "<!-- /defaults -->"
	before, rest, ok := strings.Cut(string(content), begin)
	got, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no part for the table", name)
	case got == table.String():
	case *update:
		if err := os.WriteFile(name, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the code says; run go test ./sandbox/internal/hostfs -run Documented -update", name)
	}
}

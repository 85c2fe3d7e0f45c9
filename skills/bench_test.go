package skills_test

import (
	"fmt"
	"testing"

	"openclaw/skills"
)

// BenchmarkDiscover looks through as many skills as a prompt lists, as each turn does.
func BenchmarkDiscover(b *testing.B) {
	m := newMachine(b)
	for i := range 150 {
		m.put(fmt.Sprintf("ws/skills/group%d/s%d/SKILL.md", i%10, i), head(fmt.Sprint("s", i), `metadata: {"openclaw": {"requires": {"anyBins": ["jq"]}}}`))
		m.put(fmt.Sprintf("ws/skills/group%d/s%d/scripts/go.sh", i%10, i), "echo\n")
	}
	for b.Loop() {
		found, err := skills.Discover(b.Context(), m.o)
		if err != nil || len(found.Skills) != 150 {
			b.Fatal(err)
		}
	}
}

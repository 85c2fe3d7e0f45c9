package skilltools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/runtime/confinement"
	"openclaw/runtime/tools/skilltools"
)

// TestASessionIsJoined adds commands to a session's grant, and gives back its tools and what is wrong.
func TestASessionIsJoined(t *testing.T) {
	m := newMachine(t)
	table, links := m.approved(example(t, "table")), m.approved(example(t, "links"))
	if err := os.WriteFile(filepath.Join(links.Dir, "scripts/links.sh"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.Store = bundles.At(m.state, m.approvals)
	opened := &confinement.Opened{Grant: m.session()}
	offer, err := skilltools.Join(t.Context(), m.box, m.Store, opened, []confinement.Skill{{Name: table.Manifest.Name}, {Name: links.Manifest.Name}})
	if err != nil || len(offer.Tools) != 1 || len(offer.Withheld) != 1 || !strings.Contains(offer.Withheld[0], "links: the installed files have been changed") {
		t.Errorf("%+v, %v", offer, err)
	}
	if p := opened.Grant.Programs; p[len(p)-1].Name != "to-table" || opened.Grant.Check() != nil {
		t.Errorf("%+v", p)
	}
}

package skilltools_test

import (
	"errors"
	"testing"

	"openclaw/runtime/bundles"
)

// TestAVersionThatWasReplacedDoesNotRunAnOthersScript installs another version under the feet of a session.
func TestAVersionThatWasReplacedDoesNotRunAnOthersScript(t *testing.T) {
	m := newMachine(t)
	m.put("docs/a.md", "")
	m.approved(example(t, "links"))
	i, err := m.Get(t.Context(), "links")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.call(i, "find", ""); err != nil {
		t.Fatal(err)
	}
	m.install(m.change(example(t, "links"), "1.0.0", "2.0.0"))
	if _, err := m.call(i, "find", ""); !errors.Is(err, bundles.ErrChanged) {
		t.Error(err)
	}
}

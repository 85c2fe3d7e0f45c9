package toolwasm_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"openclaw/toolwasm"
	"openclaw/toolwasm/guest/toolbox"
)

// TestCommandsAreThoseOfTheToolbox keeps commands.txt in step with the guest's table.
func TestCommandsAreThoseOfTheToolbox(t *testing.T) {
	names := slices.DeleteFunc(toolbox.Table().Names(), isTool)
	slices.Sort(names)
	if *update {
		if err := os.WriteFile("commands.txt", []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !slices.Equal(names, toolwasm.Commands()) {
		t.Error("commands.txt does not list the commands of the toolbox: go test ./toolwasm -run CommandsAre -update")
	}
	for name, want := range map[string]bool{"jq": true, "bash": true, "[": true, "": false, "ffmpeg": false, "jq\nls": false} {
		if toolwasm.HasCommand(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// isTool tells the commands that only calls of tools run.
func isTool(name string) bool { return strings.HasPrefix(name, "openclaw-") }

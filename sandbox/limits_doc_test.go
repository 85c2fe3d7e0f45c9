package sandbox_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/sandbox"
)

var update = flag.Bool("update", false, "rewrite the generated tables in docs")

// TestLimitsAreDocumented keeps docs/limits.md in step with the constants.
func TestLimitsAreDocumented(t *testing.T) {
	bytes := func(n int64) string {
		switch {
		case n%(1<<30) == 0:
			return fmt.Sprintf("%d GiB", n>>30)
		case n%(1<<20) == 0:
			return fmt.Sprintf("%d MiB", n>>20)
		}
		return fmt.Sprintf("%d bytes", n)
	}
	var b strings.Builder
	b.WriteString("# Limits\n\n")
	b.WriteString("Generated from the constants of package `sandbox` by `go test ./sandbox -run Documented -update`.\n\n")
	b.WriteString("| limit | default | flag of `exec` and `tool` | counted | what happens |\n|---|---|---|---|---|\n")
	for _, r := range [][]string{
		{string(sandbox.LimitTimeout), sandbox.DefaultTimeout.String(), "`--timeout`", "wall-clock time of a call", "ends the call, status 124"},
		{string(sandbox.LimitFuel), "none", "`--fuel`", "work of a call, about one WebAssembly instruction a unit", "ends the call, status 125"},
		{string(sandbox.LimitMemory), bytes(sandbox.DefaultMemory), "`--memory`", "linear memory of a guest", "ends the toolbox's call, status 125; other programs are told that there is no more"},
		{string(sandbox.LimitStack), "the engine's", "", "depth of calls in a guest", "ends the call, status 125"},
		{string(sandbox.LimitOutput), bytes(sandbox.DefaultOutput), "`--max-output`", "standard output and error that are kept", fmt.Sprintf("the rest is dropped; %s more end the call, status 125", bytes(sandbox.DiscardedOutput))},
		{string(sandbox.LimitDisk), bytes(sandbox.DefaultDisk), "`--disk`", "growth of the session's mounts and /tmp", "EDQUOT"},
		{string(sandbox.LimitFiles), fmt.Sprint(sandbox.DefaultFiles), "", "files, directories and links that a session adds", "EDQUOT"},
		{string(sandbox.LimitFileSize), bytes(sandbox.DefaultFileSize), "", "one file; the command line raises it to `--disk` when that is more", "EFBIG"},
		{string(sandbox.LimitHandles), fmt.Sprint(sandbox.DefaultHandles), "", "files open at once in a session", "EMFILE"},
		{string(sandbox.LimitDepth), fmt.Sprint(sandbox.DefaultDepth), "", "components of a path below its mount", "ENAMETOOLONG"},
	} {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	b.WriteString("\nA limit that only fails an operation leaves the script its own exit status; the result names it all the same.\n")
	name := filepath.Join("..", "docs", "limits.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the constants say: run with -update (%v)", name, err)
	}
}

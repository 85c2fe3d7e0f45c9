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

// fuelText explains what fuel counts. Its figures were measured on one x86-64 core at about 3 GHz.
const fuelText = `
## Units of fuel

Fuel bounds work where a clock would give another answer on each machine: the same call on the same input uses the same fuel everywhere. It is a
price, not a time. A simple WebAssembly instruction costs 1, a call 10 or more, a division 4, copying memory 1 for each 8 bytes. The
price is taken for a stretch of code before it runs; of a long stretch, of which a pass usually takes only some branches, what exceeds 64 is charged at a sixteenth. So
a unit is between a part of an instruction and 16 of them, and a nanosecond is a few units:

| work | units | a nanosecond is |
|---|---|---|
| a loop in a C-like program, 7 instructions a pass | 9 a pass | 6 units |
| the same with a load from memory, 14 instructions | 16 a pass | 12 units |
| ` + "`sha256sum`" + ` of 1 MB | 180 million | 7 units |
| ` + "`sort`" + ` of 1 MB, 17 000 lines | 200 million | 4 units |
| ` + "`grep -c`" + ` through 1 MB | 43 million | 4 units |
| a million passes of a loop in ` + "`awk`" + ` | 1 500 million | 7 units |
| 1000 passes of ` + "`while [ $i -lt 1000 ]; do i=$((i+1)); done`" + ` | 73 million | 9 units |
| an empty script | 1 million | 1 unit |

To choose a bound, run what you expect once, read ` + "`fuelUsed`" + ` of ` + "`openclaw exec --json`" + `, and allow a multiple of it. Work of the host for the guest, such as reading a
file, costs no fuel beside the guest's own instructions: the timeout bounds that.
`

// programText explains what the limits mean for programs.
const programText = `
## Programs

A program that a command starts shares what its call has left: deadline, fuel, output, and the session's disk, files and open files. When one of these ends the call,
its programs end too. Memory is counted for each guest, and for all together. A program that asks for more memory than it may have, overflows its stack,
or meets a limit of its own, is ended alone: its exit status is 125 (124 for its own timeout), its standard error names the limit, and so does the result.

Loading a program for the first time takes seconds, in which the deadline stands still. Starting one costs 1 048 576 units of fuel.
`

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
		{string(sandbox.LimitFuel), "none", "`--fuel`", "work of a call, in the units explained below", "ends the call, status 125"},
		{string(sandbox.LimitMemory), bytes(sandbox.DefaultMemory), "`--memory`", fmt.Sprintf("linear memory of a guest; all guests of a call together may have %s, or as much as one when that is more", bytes(sandbox.DefaultMemoryTotal)), "ends the toolbox's call, status 125; other programs are told that there is no more, and end with 125 only if they trap then"},
		{string(sandbox.LimitStack), "the engine's", "", "depth of calls in a guest", "ends the call, status 125"},
		{string(sandbox.LimitOutput), bytes(sandbox.DefaultOutput), "`--max-output`", "standard output and error that are kept", fmt.Sprintf("the rest is dropped; %s more end the call, status 125", bytes(sandbox.DiscardedOutput))},
		{string(sandbox.LimitDisk), bytes(sandbox.DefaultDisk), "`--disk`", "growth of the session's mounts and /tmp", "EDQUOT"},
		{string(sandbox.LimitFiles), fmt.Sprint(sandbox.DefaultFiles), "", "files, directories and links that a session adds", "EDQUOT"},
		{string(sandbox.LimitFileSize), bytes(sandbox.DefaultFileSize), "", "one file; the command line raises it to `--disk` when that is more", "EFBIG"},
		{string(sandbox.LimitHandles), fmt.Sprint(sandbox.DefaultHandles), "", "files open at once in a session", "EMFILE"},
		{string(sandbox.LimitPrograms), fmt.Sprint(sandbox.DefaultPrograms), "", "programs that a call has running at once", "EAGAIN"},
		{string(sandbox.LimitDepth), fmt.Sprint(sandbox.DefaultDepth), "", "components of a path below its mount", "ENAMETOOLONG"},
	} {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	b.WriteString("\nA limit that only fails an operation leaves the script its own exit status; the result names it all the same.\n")
	b.WriteString(programText)
	b.WriteString(fuelText)
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

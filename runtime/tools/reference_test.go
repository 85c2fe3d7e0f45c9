package tools_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/tools"
	"openclaw/toolwasm"
)

var update = flag.Bool("update", false, "rewrite the generated documents in docs")

// results is what docs/tools.md says of answers.
const results = `
## Results

The answer has a text for the model, images, and details of the tool's own.

Those of ` + "`exec`" + ` are ` + "`status`" + ` (completed, or failed when a limit ended the script), ` + "`exitCode`" + ` (null when the script was
ended), ` + "`durationMs`, `timedOut`, `truncated`, `cwd`" + `, and for an agent ` + "`aggregated`" + ` (the output as it is shown) and
` + "`outputFile`" + `. Output of more than 2000 lines, or of more characters than a result may have, is cut in the middle; all of it is in the
file that the mark names, which ` + "`read`" + ` opens until the run ends. A script that goes on in the background has ` + "`status`" + ` running,
` + "`sessionId`, `startedAt`, `cwd`, `tail` and `followUp`" + `.

Of a command in the background the last 200,000 characters are kept, and of what has not been shown yet the last 30,000 of each of its two
streams. What was written last is never lost: also after the end, or a kill, ` + "`poll`" + ` shows it; what nobody asked for until the runtime ends
is put into the transcript. 50 commands that have ended are remembered, for ` + "`tools.exec.cleanupMs`" + `.

A result has at most 16,000 characters for a model with a window of less than 100,000 tokens, 32,000 below 200,000, otherwise 64,000, and
never more than 30 % of the window. All results of a conversation together have four times as many, or half the window; older ones are
replaced by a mark when they are more.

The command ` + "`openclaw tool`" + ` ends with 0 when the tool did what it was asked, whatever the status of a script; with 1 when it
could not; with 124 when a deadline ended it; with 125 when another limit did, or the arguments were wrong.
`

// TestToolsAreDocumented keeps docs/tools.md in step with the descriptions.
func TestToolsAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Tools\n\nGenerated from the descriptions in packages `toolwasm` and `runtime/tools` by `go test ./runtime/tools -run Documented -update`.\n\n")
	b.WriteString("Each takes one JSON object, and refuses a member that is not in its table. `openclaw tool NAME --help` shows the same, except for what\n" +
		"needs an agent at work: `process`, and `yieldMs` and `background` of `exec`.\n")
	for _, tool := range tools.Described() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| argument | type | required | |\n|---|---|---|---|\n", tool.Name, tool.About)
		var rows func(where string, arguments []toolwasm.Argument)
		rows = func(where string, arguments []toolwasm.Argument) {
			for _, a := range arguments {
				required := ""
				if a.Required {
					required = "yes"
				}
				kind := a.Type
				if len(a.Enum) > 0 {
					kind = "`" + strings.Join(a.Enum, "`, `") + "`"
				}
				fmt.Fprintf(&b, "| `%s%s` | %s | %s | %s |\n", where, a.Name, kind, required, a.About)
				rows(where+a.Name+"[].", a.Items)
			}
		}
		rows("", tool.Arguments)
		fmt.Fprintf(&b, "\n    %s %s\n", tool.Name, tool.Example)
	}
	b.WriteString(results)
	name := filepath.Join("..", "..", "docs", "tools.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the descriptions say: run with -update (%v)", name, err)
	}
}

package toolwasm_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

var update = flag.Bool("update", false, "rewrite the generated documents in docs")

// TestToolsTakeWhatIsDescribed gives every tool its example, and then all the arguments that it is described to take.
func TestToolsTakeWhatIsDescribed(t *testing.T) {
	tools := newTools(t)
	values := map[string]any{"string": "x", "integer": 1, "number": 1, "boolean": true, "array": []any{}, "object": map[string]any{}}
	for _, tool := range toolwasm.Tools() {
		b := newBench(t, tools)
		b.put("README.md", "x\n")
		if tool.Name == toolwasm.ToolEdit {
			b.put("a.txt", "one\n")
		}
		b.put("docs/f", "")
		var example map[string]any
		if err := json.Unmarshal([]byte(tool.Example), &example); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if r, err := tools.call(t, b.open(), tool.Name, example); err != nil || r.Failed {
			t.Errorf("%s: its example: %+v, %v", tool.Name, r, err)
		}
		all := map[string]any{}
		for _, a := range tool.Arguments {
			all[a.Name] = values[a.Type]
		}
		if _, err := tools.call(t, b.open(), tool.Name, all); err != nil && strings.Contains(err.Error(), "unknown argument") {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
}

// TestArgumentsAreRefusedInTheSameWords names what is wrong, for all tools alike, and what was probably meant.
func TestArgumentsAreRefusedInTheSameWords(t *testing.T) {
	tools := newTools(t)
	session := newBench(t, tools).open()
	for _, c := range []struct{ tool, arguments, want string }{
		{"exec", `{"cmd":"ls"}`, "cmd: unknown argument; there are command, title, workdir, env, timeoutSeconds (did you mean command?)"},
		{"exec", `{"command":"ls","cwd":"x"}`, "(did you mean workdir?)"},
		{"exec", `{"command":"ls","timeout":5}`, "(did you mean timeoutSeconds?)"},
		{"exec", `{"command":"ls","nonsense":5}`, "nonsense: unknown argument; there are command, title, workdir, env, timeoutSeconds"},
		{"exec", `{"command":"ls","background":true}`, "background: not supported by this version"},
		{"exec", `{"command":"ls","yieldMs":1}`, "yieldMs: not supported by this version"},
		{"exec", `{"command":"ls","pty":true}`, "pty: not supported by this version"},
		{"exec", `{"command":"ls","host":"gateway"}`, "host: not supported by this version"},
		{"exec", `{"command":5}`, "command: a string is expected, not a number"},
		{"exec", `{"command":"ls","timeoutSeconds":"5"}`, "timeoutSeconds: a number is expected, not a string"},
		{"exec", `{"command":"ls","timeoutSeconds":-1}`, "timeoutSeconds: must be between 0 and 86400, is -1"},
		{"exec", `{"command":"ls","env":{"A":1}}`, "env: every value must be a string"},
		{"exec", `{"command":"ls","env":[]}`, "env: an object of strings is expected, not an array"},
		{"exec", `{"command":"ls","command":"id"}`, "command: given twice"},
		{"exec", `{}`, "command: missing"},
		{"exec", `[]`, "arguments: a JSON object is expected"},
		{"exec", `{"command":"ls"`, "it ends too early"},
		{"exec", `{"command":"ls"} x`, "arguments: something follows the JSON object"},
		{"read", `{"file_path":"a"}`, "file_path: unknown argument; there are path, offset, limit, cursor, optional (did you mean path?)"},
		{"edit", `{"path":"a","old_string":"x"}`, "old_string: unknown argument; there are path, edits (did you mean edits[0].oldText?)"},
		{"edit", `{"path":"a","edits":[{"old_string":"x","newText":"y"}]}`, "edits[0].old_string: unknown argument; there are oldText, newText (did you mean oldText?)"},
		{"edit", `{"path":"a","edits":[{"oldText":"x","new_string":"y"}]}`, "(did you mean newText?)"},
		{"apply_patch", `{"patch":"x"}`, "patch: unknown argument; there are input (did you mean input?)"},
		{"write", `{"Path":"a","content":"x"}`, "(did you mean path?)"},
	} {
		_, err := tools.toolbox.Call(t.Context(), session, c.tool, []byte(c.arguments))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s %s: %v, want %q", c.tool, c.arguments, err, c.want)
		}
	}
}

// TestExecThatIsEndedHasNoStatus gives the output until then, and no exit code that the script never had.
func TestExecThatIsEndedHasNoStatus(t *testing.T) {
	r, err := newBench(t, newTools(t)).call(toolwasm.ToolExec, "command", "echo begun; sleep 100", "timeoutSeconds", 0.3)
	if err != nil || !r.Failed || r.Limit == nil || !strings.HasPrefix(r.Text, "begun\n") {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := string(r.Details); !strings.Contains(got, `"exitCode":null`) || !strings.Contains(got, `"timedOut":true`) {
		t.Errorf("details %s", got)
	}
}

// open returns a session that lasts as long as the test.
func (b *bench) open() *sandbox.Session {
	b.t.Helper()
	session, err := b.tools.box.Open(b.grant)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = session.Close() })
	return session
}

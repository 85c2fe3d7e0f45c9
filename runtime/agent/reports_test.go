package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"openclaw/runtime/agent"
	"openclaw/runtime/session"
)

// call runs one call of a tool through a whole turn and returns its result as the model reads it.
func (h *home) call(name string, arguments any) (text string, failed bool) {
	h.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		h.t.Fatal(err)
	}
	ref := h.script(fmt.Sprintf(`{"repeat":true,"turns":[{"calls":[{"name":%q,"arguments":%s}]},{"text":"done"}]}`, name, raw))
	if _, err := h.runtime.Run(h.t.Context(), agent.Turn{Message: "go", Model: ref}); err != nil {
		h.t.Fatal(err)
	}
	type result struct {
		Message struct {
			IsError bool                    `json:"isError"`
			Content []struct{ Text string } `json:"content"`
		} `json:"message"`
	}
	for _, e := range h.entries(mainKey) {
		if e.Role() != session.RoleToolResult {
			continue
		}
		var body result
		if err := json.Unmarshal(e.Body, &body); err != nil {
			h.t.Fatal(err)
		}
		text, failed = "", body.Message.IsError
		for _, b := range body.Message.Content {
			text += b.Text
		}
	}
	return text, failed
}

func (h *home) file(name string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.conf.Workspace, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

type object = map[string]any

func TestAPipelineInALoopLeavesTheLoopItsInput(t *testing.T) {
	h := newHome(t, "")
	text, _ := h.call("exec", object{"command": `printf 'L1\nL2\nL3\n' > in; { read a; echo "a=[$a]"; true | true; read b; echo "b=[$b]"; } < in; n=0; while read x; do n=$((n+1)); echo hi | head -1 >/dev/null; done < in; echo n=$n`})
	if want := "a=[L1]\nb=[L2]\nn=3"; strings.TrimSpace(text) != want {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestOutputThatIsCutIsWholeInAFile(t *testing.T) {
	h := newHome(t, "")
	short, _ := h.call("exec", object{"command": `i=0; while [ $i -lt 200 ]; do printf '%0200d\n' $i; i=$((i+1)); done`})
	if lines := strings.Count(strings.TrimSpace(short), "\n") + 1; lines != 200 || len(strings.TrimSpace(short)) != 200*201-1 {
		t.Errorf("200 lines of 200 characters came back as %d lines, %d bytes: %.200q", lines, len(short), short)
	}
	long, _ := h.call("exec", object{"command": "seq 1 30000"})
	name := regexp.MustCompile(`/(?:tmp|workspace)/[^\s\])"']+`).FindString(long)
	if name == "" || strings.Contains(long, "\n15000\n") {
		t.Fatalf("no file with the whole output is named, or it was not cut: %.300q … %.300q", long, long[max(0, len(long)-300):])
	}
	const inOneTurn = `{"turns":[{"calls":[{"name":"exec","arguments":{"command":"seq 1 30000"}}]},{"calls":[{"name":"exec","arguments":{"command":"wc -l < $(ls -t %s* | head -1)"}}]},{"expect":{"results":["30000"]},"text":"done"}]}`
	ref := h.script(fmt.Sprintf(inOneTurn, regexp.MustCompile(`[^/]*$`).ReplaceAllString(name, "")))
	if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: "go", Session: "agent:main:cut", Model: ref}); err != nil {
		t.Error(err)
	}
}

func TestReadPastTheEndAndOneHugeLine(t *testing.T) {
	h := newHome(t, "")
	h.call("write", object{"path": "three", "content": "1\n2\n3\n"})
	h.call("write", object{"path": "empty", "content": ""})
	h.call("exec", object{"command": `awk 'BEGIN { printf "{\"k\":\""; for (i = 0; i < 120000; i++) printf "é"; print "\"}" }' > huge.json`})
	for _, test := range []struct {
		arguments object
		failed    bool
		want      string
	}{
		{object{"path": "three", "offset": 99, "limit": 10}, false, "3 lines"},
		{object{"path": "three", "offset": 0}, true, "offset"},
		{object{"path": "three", "offset": -1}, true, "offset"},
		{object{"path": "empty"}, false, ""},
		{object{"path": "huge.json"}, false, "cursor"},
	} {
		text, failed := h.call("read", test.arguments)
		if failed != test.failed || !strings.Contains(text, test.want) || len(text) > 200_000 || !utf8.ValidString(text) {
			t.Errorf("read %v: failed %v, %d bytes: %.200q", test.arguments, failed, len(text), text)
		}
	}
}

func TestWriteOfNothing(t *testing.T) {
	h := newHome(t, "")
	for name, content := range map[string]string{"a.jsonl": "", "b.jsonl": "\n"} {
		if text, failed := h.call("write", object{"path": name, "content": content}); failed || h.file(name) != content {
			t.Errorf("write %q to %s: %q", content, name, text)
		}
	}
	for name, arguments := range map[string]object{
		"content":  {"path": "c"},
		"content ": {"path": "c", "content": nil},
		"path":     {"path": "", "content": "x"},
	} {
		text, failed := h.call("write", arguments)
		if !failed || !strings.Contains(text, strings.TrimSpace(name)) {
			t.Errorf("write %v: failed %v, %q", arguments, failed, text)
		}
	}
	if _, err := os.Stat(filepath.Join(h.conf.Workspace, "c")); err == nil {
		t.Error("something was written")
	}
}

package toolwasm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// TestAProgramThatIsKeptApart sees what it was granted, whatever the session that starts it may do.
func TestAProgramThatIsKeptApart(t *testing.T) {
	box, toolbox := programTools(t)
	prog := testProgram(t, "prog", stage)
	dir := t.TempDir()
	for name, text := range map[string]string{"data/in.txt": "in\n", "private.txt": "PRIVATE\n", "ro/x": "x\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	apart := prog
	apart.Name = "apart"
	apart.Apart = &sandbox.Apart{Name: "inner", Env: []string{"SHOWN"}, Clock: func() time.Time { return time.Unix(0, 0) }}
	apart.Mounts = []sandbox.Mount{
		{Guest: "/workspace/data", Host: dir, Below: "data", Access: sandbox.ReadWrite},
		{Guest: "/workspace/ro", Host: dir, Below: "ro"},
	}
	session, err := box.Open(sandbox.Grant{
		Mounts: []sandbox.Mount{{Guest: toolwasm.Workspace, Host: dir, Access: sandbox.ReadWrite}},
		Tmp:    true, Env: []string{"SESSION=secret"},
		Programs: []sandbox.NamedProgram{prog, apart},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	for name, c := range map[string]struct{ script, want string }{
		"its part":           {`apart open /workspace/data/in.txt`, "in\n"},
		"where it is called": {`cd data; apart open in.txt; apart pwd`, "in\n/workspace/data <nil>\n"},
		"elsewhere":          {`cd /tmp; apart pwd`, "/ <nil>\n"},
		"not the rest":       {`apart open /workspace/private.txt; apart open /workspace/data/../private.txt; echo $?`, "1\n"},
		"not /tmp":           {`echo x >/tmp/x; apart open /tmp/x; echo $?`, "1\n"},
		"variables":          {`export SHOWN=a HIDDEN=b; apart env SHOWN; apart env HIDDEN; apart env SESSION; prog env HIDDEN`, "a\n\n\nb\n"},
		"what it is given":   {`apart cat <private.txt`, "PRIVATE\n"},
		"pipes":              {`echo through | apart lines | cat`, "THROUGH\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := runScript(t.Context(), toolbox, session, c.script)
			if err != nil || got.Out != c.want || strings.Contains(got.Err, "PRIVATE") {
				t.Errorf("%+v, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestWhatCannotBeMountedBelow is refused when the session is opened.
func TestWhatCannotBeMountedBelow(t *testing.T) {
	box, _ := programTools(t)
	dir := t.TempDir()
	if err := os.Symlink("/", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, below := range []string{"..", "/etc", "link", "link/etc", "missing"} {
		session, err := box.Open(sandbox.Grant{Mounts: []sandbox.Mount{{Guest: "/workspace", Host: dir, Below: below}}})
		if err == nil {
			session.Close()
			t.Errorf("%q was mounted", below)
		}
	}
}

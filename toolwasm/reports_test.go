package toolwasm_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// bench is a workspace beside a directory that no session may reach.
type bench struct {
	t       *testing.T
	tools   *tools
	ws, out string
	grant   sandbox.Grant
}

func newBench(t *testing.T, tools *tools) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{t: t, tools: tools, ws: filepath.Join(root, "ws"), out: filepath.Join(root, "out")}
	for _, d := range []string{b.ws, b.out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.grant = workspace(b.ws)
	b.put("../out/secret.txt", "SECRET")
	b.put("../out/victim.txt", "victim")
	return b
}

func (b *bench) put(name, text string) {
	b.t.Helper()
	full := filepath.Join(b.ws, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) link(target, name string) {
	b.t.Helper()
	if err := os.Symlink(target, filepath.Join(b.ws, name)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) wantFile(name, want string) {
	b.t.Helper()
	got, err := os.ReadFile(filepath.Join(b.ws, name))
	if err != nil || string(got) != want {
		b.t.Errorf("%s holds %q, want %q; %v", name, got, want, err)
	}
}

func (b *bench) wantAbsent(name string) {
	b.t.Helper()
	if _, err := os.Lstat(filepath.Join(b.ws, name)); !errors.Is(err, os.ErrNotExist) {
		b.t.Errorf("%s exists", name)
	}
}

// call runs a tool with arguments made of pairs of a name and a value.
func (b *bench) call(tool string, pairs ...any) (*toolwasm.ToolResult, error) {
	b.t.Helper()
	args := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	data, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	session, err := b.tools.box.Open(b.grant)
	if err != nil {
		b.t.Fatal(err)
	}
	defer session.Close()
	return b.tools.toolbox.Call(b.t.Context(), session, tool, data)
}

// does is a call that must do what it is asked.
func (b *bench) does(tool string, pairs ...any) string {
	b.t.Helper()
	r, err := b.call(tool, pairs...)
	if err != nil || r.Failed {
		b.t.Errorf("%s %v: %+v, %v", tool, pairs, r, err)
		return ""
	}
	return r.Text
}

// fails is a call that must not, and returns why.
func (b *bench) fails(tool string, pairs ...any) string {
	b.t.Helper()
	r, err := b.call(tool, pairs...)
	if err != nil {
		return err.Error()
	}
	if !r.Failed {
		b.t.Errorf("%s %v: succeeded with %q", tool, pairs, r.Text)
	}
	return r.Text
}

// sh runs a script and returns what it wrote to both streams.
func (b *bench) sh(script string) string {
	b.t.Helper()
	stdout, stderr, _, err := b.tools.sh(b.t.Context(), b.grant, script)
	if err != nil {
		b.t.Errorf("%s: %v", script, err)
	}
	return stdout + stderr
}

func edits(pairs ...string) []map[string]string {
	var list []map[string]string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]string{"oldText": pairs[i], "newText": pairs[i+1]})
	}
	return list
}

func patch(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// TestReports tries what comparable systems were reported to get wrong.
func TestReports(t *testing.T) {
	tools := newTools(t)
	for name, try := range map[string]func(b *bench){
		"01 links do not leave the mount": func(b *bench) {
			got := b.sh(`ln -s ../out/secret.txt l; cat l`)
			b.link("../out/secret.txt", "made-before")
			b.link("../out", "dir")
			b.link(filepath.Join(b.out, "secret.txt"), "absolute")
			b.link("../out/victim.txt", "victim")
			got += b.sh(`cat made-before; cat dir/secret.txt; cat absolute; cat /../secret.txt; echo x > victim`)
			got += b.fails(toolwasm.ToolRead, "path", "made-before")
			got += b.fails(toolwasm.ToolEdit, "path", "dir/secret.txt", "edits", edits("SECRET", "x"))
			got += b.fails(toolwasm.ToolWrite, "path", "victim", "content", "x")
			got += b.fails(toolwasm.ToolApplyPatch, "input", patch("*** Update File: made-before", "@@", "-SECRET", "+x"))
			if strings.Contains(got, "SECRET") && !strings.Contains(got, "@@") || strings.Contains(got, "victim\n") {
				b.t.Errorf("read from outside: %q", got)
			}
			b.put("inside", "fine\n")
			b.link("inside", "ok")
			if got := b.sh("cat ok") + b.does(toolwasm.ToolRead, "path", "ok"); strings.Count(got, "fine") != 2 {
				b.t.Errorf("a link that stays inside: %q", got)
			}
			b.wantFile("../out/secret.txt", "SECRET")
			b.wantFile("../out/victim.txt", "victim")
		},
		"02 a dangling link is not a new file outside": func(b *bench) {
			b.link("../out/new.txt", "a")
			b.fails(toolwasm.ToolWrite, "path", "a", "content", "x")
			b.fails(toolwasm.ToolEdit, "path", "a", "edits", edits("x", "y"))
			b.fails(toolwasm.ToolApplyPatch, "input", patch("*** Add File: a", "+x"))
			b.sh("echo x > a")
			b.wantAbsent("../out/new.txt")
		},
		"03 operands of commands follow links no further than read does": func(b *bench) {
			b.link("../out", "leak")
			got := b.sh(`cat leak/secret.txt; cp leak/secret.txt x; cat x; find -L . -name secret.txt; tar cf t leak/; tar xOf t; grep -r S leak`)
			if strings.Contains(got, "SECRET") {
				b.t.Errorf("got %q", got)
			}
		},
		"04 harmless commands are not blocked": func(b *bench) {
			b.put("skills/a/run.sh", "echo ran \"$@\"\n")
			b.put("skills/a/x.txt", "skill text\n")
			b.put("f", "are\n")
			got := b.sh(`find . -name x 2>/dev/null; echo "wttr.example/City?T"; sh ./skills/a/run.sh 165 "aaa"; cat /workspace/skills/a/x.txt; sed 's/a/b/' f; awk '/re/ {print}' f`)
			if want := "wttr.example/City?T\nran 165 aaa\nskill text\nbre\nare\n"; got != want {
				b.t.Errorf("got %q, want %q", got, want)
			}
		},
		"05 the working directory does not escape": func(b *bench) {
			b.link("../out", "link-to-out")
			for _, dir := range []string{"../out", "/etc", "link-to-out", "nothing"} {
				if got := b.fails(toolwasm.ToolExec, "command", "ls; pwd", "workdir", dir); !strings.HasPrefix(got, `workdir "`+dir+`": `) || strings.Contains(got, "secret") {
					b.t.Errorf("%s: %q, want that it is refused", dir, got)
				}
			}
			if got := b.does(toolwasm.ToolExec, "command", "ls", "workdir", "../../../.."); got != "dev\ntmp\nworkspace\n" {
				b.t.Errorf("the root of the guest: %q", got)
			}
			b.put("sub/f", "")
			if got := b.does(toolwasm.ToolExec, "command", "pwd; ls", "workdir", "sub"); got != "/workspace/sub\nf\n" {
				b.t.Errorf("a directory inside: %q", got)
			}
		},
		"08 write works where the others do": func(b *bench) {
			b.put("f", "old\n")
			b.does(toolwasm.ToolRead, "path", "f")
			b.does(toolwasm.ToolEdit, "path", "f", "edits", edits("old", "edited"))
			b.sh("echo > g")
			b.does(toolwasm.ToolWrite, "path", "f", "content", "written\n")
			b.does(toolwasm.ToolWrite, "path", "new/deep/x.txt", "content", "x")
			b.does(toolwasm.ToolWrite, "path", "/workspace/new/x.txt", "content", "y")
			b.wantFile("f", "written\n")
			b.wantFile("new/deep/x.txt", "x")
			b.wantFile("new/x.txt", "y")
		},
		"13 read past the end, before the beginning, of one huge line, of nothing": func(b *bench) {
			b.put("three", "1\n2\n3\n")
			b.put("huge", `{"a":"`+strings.Repeat("é", 60_000)+`"}`)
			b.put("empty", "")
			if got := b.does(toolwasm.ToolRead, "path", "three", "offset", 99, "limit", 10); !strings.Contains(got, "3") {
				b.t.Errorf("past the end: %q, want the number of lines", got)
			}
			for _, offset := range []int{0, -1} {
				if got := b.fails(toolwasm.ToolRead, "path", "three", "offset", offset); !strings.Contains(got, "offset") {
					b.t.Errorf("offset %d: %q", offset, got)
				}
			}
			got := b.does(toolwasm.ToolRead, "path", "huge")
			if len(got) > 60_000 || strings.ContainsRune(got, '\uFFFD') || !strings.Contains(got, "cursor") {
				b.t.Errorf("huge line: %d bytes, ending %q", len(got), got[max(0, len(got)-200):])
			}
			b.does(toolwasm.ToolRead, "path", "empty")
		},
		"14 write takes empty content and names what is missing": func(b *bench) {
			b.does(toolwasm.ToolWrite, "path", "a.jsonl", "content", "")
			b.wantFile("a.jsonl", "")
			b.does(toolwasm.ToolWrite, "path", "a.jsonl", "content", "\n")
			b.wantFile("a.jsonl", "\n")
			for _, args := range [][]any{{"path", "a.jsonl"}, {"path", "a.jsonl", "content", nil}} {
				if got := b.fails(toolwasm.ToolWrite, args...); !strings.Contains(got, "content") {
					b.t.Errorf("%v: %q", args, got)
				}
			}
			if got := b.fails(toolwasm.ToolWrite, "path", "", "content", "x"); !strings.Contains(got, "path") {
				b.t.Errorf("no path: %q", got)
			}
			b.wantFile("a.jsonl", "\n")
		},
		"17 the answer is what is on disk": func(b *bench) {
			b.put("f", "same\n")
			if got := b.fails(toolwasm.ToolEdit, "path", "f", "edits", edits("same", "same")); !strings.Contains(got, "change") {
				b.t.Errorf("an edit that changes nothing: %q", got)
			}
			b.grant.Mounts[0].Access = sandbox.ReadOnly
			if got := b.fails(toolwasm.ToolWrite, "path", "g", "content", "x"); !strings.Contains(strings.ToLower(got), "read-only") {
				b.t.Errorf("a write to a read-only mount: %q", got)
			}
			b.fails(toolwasm.ToolEdit, "path", "f", "edits", edits("same", "other"))
			b.wantFile("f", "same\n")
			b.wantAbsent("g")
		},
		"18 edit leaves every other byte alone": func(b *bench) {
			b.put("crlf", "a\r\nb\r\nc\r\n")
			b.does(toolwasm.ToolEdit, "path", "crlf", "edits", edits("b\nc\n", "B\nC\n"))
			b.wantFile("crlf", "a\r\nB\r\nC\r\n")
			b.put("bom", "\ufefftitle\nbody\n")
			b.does(toolwasm.ToolEdit, "path", "bom", "edits", edits("title", "Title"))
			b.wantFile("bom", "\ufeffTitle\nbody\n")
			b.put("mixed", "a\r\nb\nc\r\n")
			b.does(toolwasm.ToolEdit, "path", "mixed", "edits", edits("b", "B"))
			b.wantFile("mixed", "a\r\nB\nc\r\n")
		},
		"19 a mismatch says what is near": func(b *bench) {
			b.put("f.go", "func f() {\n\treturn 1\n}\n")
			got := b.fails(toolwasm.ToolEdit, "path", "f.go", "edits", edits("    return 1", "    return 2"))
			if !strings.Contains(got, "not") || !strings.Contains(got, "return 1") || !strings.Contains(got, "2") || len(got) > 2000 {
				b.t.Errorf("got %q", got)
			}
			b.wantFile("f.go", "func f() {\n\treturn 1\n}\n")
		},
		"20 a patch is applied whole or not at all": func(b *bench) {
			b.put("important.txt", "keep\n")
			b.fails(toolwasm.ToolApplyPatch, "input", patch("*** Delete File: important.txt", "*** Update File: missing.txt", "@@", "-a", "+b"))
			b.wantFile("important.txt", "keep\n")
		},
		"22 a tolerant match that is not unique is refused": func(b *bench) {
			const text = "if a:\n\tx = 1\nif b:\n\t\tx = 1\n"
			b.put("f.py", text)
			got := b.fails(toolwasm.ToolApplyPatch, "input", patch("*** Update File: f.py", "@@", "-    x = 1", "+    x = 2"))
			if !strings.Contains(got, "2") || !strings.Contains(got, "4") || !strings.Contains(got, "@@") {
				b.t.Errorf("got %q, want the lines and the way out", got)
			}
			b.wantFile("f.py", text)
			b.does(toolwasm.ToolApplyPatch, "input", patch("*** Update File: f.py", "@@", "-\t\tx = 1", "+\t\tx = 2"))
			b.wantFile("f.py", "if a:\n\tx = 1\nif b:\n\t\tx = 2\n")
		},
	} {
		t.Run(name, func(t *testing.T) { try(newBench(t, tools)) })
	}
}

package toolwasm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/sandbox"
	site "openclaw/toolwasm/programs/python"
)

// python is CPython, where there is one: OPENCLAW_PROGRAMS names the directory that holds python.wasm, and its library as
// python311.zip.
func python(tb testing.TB) []sandbox.NamedProgram {
	tb.Helper()
	dir := os.Getenv("OPENCLAW_PROGRAMS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "programs")
	}
	module, err := os.ReadFile(filepath.Join(dir, "python.wasm"))
	if err != nil {
		tb.Skipf("no CPython: %v", err)
	}
	library, err := filepath.Abs(filepath.Join(dir, "python311.zip"))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(library); err != nil {
		tb.Skipf("no library for CPython: %v", err)
	}
	home := tb.TempDir()
	if err := os.WriteFile(filepath.Join(home, "sitecustomize.py"), []byte(site.Site), 0o644); err != nil {
		tb.Fatal(err)
	}
	program := sandbox.NamedProgram{
		Name: "python3", ReadsPWD: true, Script: "cm", Source: sandbox.Module("python3", module),
		Env:    []string{"PYTHONHOME=/py", "PYTHONPATH=/site:/py/lib", "PYTHONDONTWRITEBYTECODE=1"},
		Mounts: []sandbox.Mount{{Guest: "/py/lib", Host: library}, {Guest: "/site", Host: home}},
	}
	alias := program
	alias.Name = "python"
	return []sandbox.NamedProgram{program, alias}
}

// TestPython runs CPython in the ways in which agents do.
func TestPython(t *testing.T) {
	programs := python(t)
	box, toolbox := programTools(t)
	session := programSession(t, box, sandbox.Limits{}, programs...)
	for name, c := range map[string]struct {
		script string
		want   outcome
	}{
		"-c":                        {`python3 -c 'import json, re, csv, datetime; print(json.dumps({"a": [1, 2]}))'`, outcome{`{"a": [1, 2]}` + "\n", "", 0}},
		"alias":                     {`python -c 'print(1)'`, outcome{"1\n", "", 0}},
		"version":                   {`python3 --version`, outcome{"Python 3.11.2\n", "", 0}},
		"standard input as program": {"python3 - a b <<'EOF'\nimport sys\nprint(sys.argv)\nEOF", outcome{"['-', 'a', 'b']\n", "", 0}},
		"here-document":             {"python3 <<EOF\nfor i in range(3):\n    print(i)\nEOF", outcome{"0\n1\n2\n", "", 0}},
		"middle of a pipeline": {`printf 'b 2\na 1\nc 3\n' | python3 -c 'import sys
for line in sys.stdin:
    k, v = line.split()
    print(k, int(v) * 2)' | sort | head -n 1`, outcome{"a 2\n", "", 0}},
		"script with arguments":     {"cat >s.py <<'EOF'\nimport sys\nprint(sys.argv[1:], __name__)\nEOF\npython3 s.py x 'y z'; rm s.py", outcome{"['x', 'y z'] __main__\n", "", 0}},
		"shebang":                   {"printf '#!/usr/bin/env python3\\nprint(42)\\n' >s; chmod +x s; ./s; rm s", outcome{"42\n", "", 0}},
		"import from the workspace": {"mkdir -p pkg; echo 'def f(): return 7' >pkg/__init__.py; echo 'X = 5' >mod.py; python3 -c 'import pkg, mod; print(pkg.f(), mod.X)'; rm -r pkg mod.py", outcome{"7 5\n", "", 0}},
		"exit status":               {`python3 -c 'import sys; sys.exit(3)'; echo $?; python3 -c 'raise SystemExit("no")'`, outcome{"3\n", "no\n", 1}},
		"traceback":                 {`python3 -c '1/0'`, outcome{"", "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nZeroDivisionError: division by zero\n", 1}},
		"syntax error":              {`python3 -c 'x ='`, outcome{"", "  File \"<string>\", line 1\n    x =\n       ^\nSyntaxError: invalid syntax\n", 1}},
		"json.tool":                 {`echo '{"b": [1, 2], "a": null}' | python3 -m json.tool --sort-keys --compact`, outcome{`{"a":null,"b":[1,2]}` + "\n", "", 0}},
		"files":                     {`python3 -c 'open("f", "w").write("text\n")'; cat f; python3 -c 'import os; os.rename("f", "g"); print(os.listdir("."), os.getcwd())'; rm g`, outcome{"text\n['g'] /workspace\n", "", 0}},
		"traceback of a script":     {"mkdir -p d; printf 'import sys\\ndef f():\\n    raise ValueError(sys.argv[1])\\nf()\\n' >d/s.py; cd d; python3 -W ignore s.py x; cd ..; rm -r d", outcome{"", "Traceback (most recent call last):\n  File \"/workspace/d/s.py\", line 4, in <module>\n    f()\n  File \"/workspace/d/s.py\", line 3, in f\n    raise ValueError(sys.argv[1])\nValueError: x\n", 0}},
		"missing file":              {`python3 nowhere.py`, outcome{"", "python3: can't open file '/workspace/nowhere.py': [Errno 44] No such file or directory\n", 2}},
		"environment":               {`A=1 python3 -c 'import os; print(os.environ["A"], "HOME" in os.environ)'`, outcome{"1 True\n", "", 0}},
		"large through":             {`seq 1 200000 | python3 -c 'import sys; print(sum(int(l) for l in sys.stdin))'`, outcome{"20000100000\n", "", 0}},
		"endless into head":         {"python3 -c '\nimport itertools\nfor i in itertools.count(): print(i)' 2>/dev/null | head -n 2; echo ${PIPESTATUS[0]}", outcome{"0\n1\n1\n", "", 0}},
		"unbuffered":                {`python3 -u -c 'import sys; sys.stdout.write("a"); sys.stdout.buffer.write(b"b"); print(sys.stdout.mode)'`, outcome{"abw\n", "", 0}},
		"in a loop":                 {`printf '1\n2\n' | while read x; do python3 -c "print($x * 10)"; done`, outcome{"10\n20\n", "", 0}},
		"timeout":                   {`timeout 0.2 python3 -c 'while True: pass'; echo $?`, outcome{"124\n", "", 0}},
		"memory":                    {`python3 -c 'x = "a" * (1 << 30)' 2>&1 | tail -n 1`, outcome{"MemoryError\n", "", 0}},
		"read-only library":         {`python3 -c 'open("/py/lib/x", "w")' 2>&1 | tail -n 1; ls /py`, outcome{"OSError: [Errno 69] Read-only file system: '/py/lib/x'\n", "ls: cannot access '/py': No such file or directory\n", 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := runScript(t.Context(), toolbox, session, c.script)
			if err != nil || got != c.want {
				t.Errorf("%s\ngot  %+v, %v\nwant %+v", c.script, got, err, c.want)
			}
		})
	}
}

// BenchmarkPython starts CPython and ends it.
func BenchmarkPython(b *testing.B) {
	programs := python(b)
	box, toolbox := programTools(b)
	session := programSession(b, box, sandbox.Limits{}, programs...)
	for name, script := range map[string]string{
		"pass":    `python3 -c pass`,
		"imports": `python3 -c 'import json, re, csv, datetime; print(json.dumps({"a": [1, 2]}))'`,
	} {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				if got, _, err := runScript(b.Context(), toolbox, session, script); err != nil || got.Status != 0 {
					b.Fatalf("%+v, %v", got, err)
				}
			}
		})
	}
}

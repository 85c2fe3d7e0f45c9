package js_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/js"
)

func TestCommandLine(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		stdin  string
		stdout string
		status int
	}{
		"eval":                    {[]string{"-e", "console.log(1+1)"}, "", "2\n", 0},
		"eval with =":             {[]string{"--eval=console.log(3)"}, "", "3\n", 0},
		"print":                   {[]string{"-p", "[1,{a:2}]"}, "", "[ 1, { a: 2 } ]\n", 0},
		"print and eval":          {[]string{"-pe", "'x'.repeat(3)"}, "", "xxx\n", 0},
		"print a statement":       {[]string{"-p", "const a = 5; a * 2"}, "", "10\n", 0},
		"modules by name":         {[]string{"-p", "path.basename('/a/b') + os.EOL.length + fs.existsSync('/')"}, "", "b1true\n", 0},
		"arguments":               {[]string{"-e", "console.log(process.argv.slice(1))", "a", "-b"}, "", "[ 'a', '-b' ]\n", 0},
		"arguments after --":      {[]string{"-e", "console.log(process.argv.slice(1))", "--", "-x"}, "", "[ '-x' ]\n", 0},
		"standard input":          {nil, "console.log(__filename, process.argv.length)", "[stdin] 2\n", 0},
		"dash":                    {[]string{"-", "a"}, "console.log(process.argv.slice(2))", "[ 'a' ]\n", 0},
		"module by type":          {[]string{"--input-type=module", "-e", "import p from 'path'; console.log(p.sep, await 1)"}, "", "/ 1\n", 0},
		"module by its text":      {[]string{"-e", "import { sep } from 'path'; console.log(sep)"}, "", "/\n", 0},
		"await in eval":           {[]string{"-e", "console.log(await Promise.resolve('awaited'))"}, "", "awaited\n", 0},
		"variables are global":    {[]string{"-e", "var a = 1; console.log(globalThis.a, typeof require, module.id)"}, "", "1 function [eval]\n", 0},
		"flags that do nothing":   {[]string{"--no-warnings", "--max-old-space-size=64", "--experimental-vm-modules", "-p", "1"}, "", "1\n", 0},
		"version":                 {[]string{"--version"}, "", "v20.19.0\n", 0},
		"unknown option":          {[]string{"--bogus"}, "", "", 9},
		"missing file":            {[]string{"none.js"}, "", "", 1},
		"syntax error":            {[]string{"-e", "let a = ;"}, "", "", 1},
		"error":                   {[]string{"-e", "throw new Error('x')"}, "", "", 1},
		"rejection":               {[]string{"-e", "Promise.reject(new Error('x'))"}, "", "", 1},
		"exit code":               {[]string{"-e", "process.exitCode = 300"}, "", "", 300 & 255},
		"endless recursion":       {[]string{"-e", "function f() { f() } f()"}, "", "", 1},
		"await that never ends":   {[]string{"--input-type=module", "-e", "console.log(1); await new Promise(() => {}); console.log(2)"}, "", "1\n", 0},
		"output is kept in order": {[]string{"-e", "process.stdout.write('a'); console.log('b'); process.stdout.write('c')"}, "", "ab\nc", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := commandtest.New(t, js.Commands()).Run(c.stdin, append([]string{"node"}, c.args...)...)
			if got.Stdout != c.stdout || got.Status != c.status {
				t.Errorf("got %+v, want %q, status %d", got, c.stdout, c.status)
			}
		})
	}
}

// TestErrorsNameTheirPlace looks at what is reported of errors that nobody catches.
func TestErrorsNameTheirPlace(t *testing.T) {
	r := commandtest.New(t, js.Commands())
	r.Write("a.js", "function inner() { throw new TypeError('bad thing'); }\n\ninner();\n")
	r.Write("b.js", "const x = {};\nx.missing();\n")
	r.Write("c.js", "let a = 1;\nlet b = a +;\n")
	r.Write("d.mjs", "import './a.js';\n")
	for file, want := range map[string][]string{
		"a.js":  {"/a.js:1\nfunction inner() { throw", "^\n", "TypeError: bad thing\n    at inner (", "/a.js:1:", "    at ", "/a.js:3:", "\n\nNode.js v"},
		"b.js":  {"/b.js:2\nx.missing();\n", "TypeError: x.missing is not a function\n"},
		"c.js":  {"/c.js:2\nlet b = a +;\n           ^\n", "SyntaxError: Unexpected token ';'"},
		"d.mjs": {"TypeError: bad thing"},
	} {
		got := r.Run("", "js", file)
		for _, w := range want {
			if !strings.Contains(got.Stderr, w) {
				t.Errorf("%s: %q is not in\n%s", file, w, got.Stderr)
			}
		}
		if strings.Contains(got.Stderr, "native") || strings.Contains(got.Stderr, "node:") || got.Status != 1 {
			t.Errorf("%s: status %d, stack\n%s", file, got.Status, got.Stderr)
		}
	}
}

// TestWhatIsNotGrantedSaysSo calls what would leave the sandbox.
func TestWhatIsNotGrantedSaysSo(t *testing.T) {
	r := commandtest.New(t, js.Commands())
	r.Write("a.ts", "let a: number = 1")
	for script, want := range map[string]string{
		"fetch('http://example.com').catch((e) => console.log(e.message))":                                                 "no network is granted",
		"try { require('http').get('http://example.com') } catch (e) { console.log(e.message) }":                           "no network is granted",
		"try { require('child_process').execSync('ls') } catch (e) { console.log(e.message) }":                             "cannot start other programs",
		"try { new (require('worker_threads').Worker)('x') } catch (e) { console.log(e.message) }":                         "not available in this sandbox",
		"try { require('zlib').gzipSync('x') } catch (e) { console.log(e.message) }":                                       "use gzip",
		"try { require('./a.ts') } catch (e) { console.log(e.message) }":                                                   "TypeScript is not supported",
		"try { require('fs').watch('.') } catch (e) { console.log(e.message) }":                                            "not supported in this sandbox",
		"try { process.binding('fs') } catch (e) { console.log(e.message) }":                                               "not supported in this sandbox",
		"try { require('crypto').createCipheriv('aes-256-gcm') } catch (e) { console.log(e.message) }":                     "not available in this sandbox",
		"try { new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo' }).format(0) } catch (e) { console.log(e.message) }": "UTC",
	} {
		if got := r.Run("", "js", "-e", script); !strings.Contains(got.Stdout, want) {
			t.Errorf("%s\ngot %+v, want %q", script, got, want)
		}
	}
}

// TestScriptsSeeTheirProcOnly looks for what the script could know of the machine around it.
func TestScriptsSeeTheirProcOnly(t *testing.T) {
	t.Setenv("SECRET_OF_THE_HOST", "x")
	r := commandtest.New(t, js.Commands())
	got := r.Run("", "js", "-p", "[process.env.SECRET_OF_THE_HOST, process.cwd(), os.hostname(), os.userInfo().username, process.pid]")
	want := "[ undefined, '" + r.Dir + "', 'sandbox', 'agent', 2 ]\n"
	if strings.Join(strings.Fields(got.Stdout), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got %+v, want %s", got, want)
	}
	r.Write("map.js", "//# sourceMappingURL=/etc/passwd\nthrow new Error('x')")
	if got := r.Run("", "js", "map.js"); strings.Contains(got.Stderr, "root:") || !strings.Contains(got.Stderr, "Error: x") {
		t.Errorf("%+v", got)
	}
}

// TestTimersEndWithTheCommand kills a script that waits.
func TestTimersEndWithTheCommand(t *testing.T) {
	r := commandtest.New(t, js.Commands())
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, &command.Signal{Number: 15})
	defer cancel()
	got := r.RunContext(ctx, "", "js", "-e", "console.log('begun'); setInterval(() => {}, 5)")
	if want := (commandtest.Result{Stdout: "begun\n", Status: 143}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestPreparedEnginesServeOneCommand runs two commands of one list: the second must not see what the first left.
func TestPreparedEnginesServeOneCommand(t *testing.T) {
	r := commandtest.New(t, js.Prepared())
	r.Run("", "js", "-e", "globalThis.left = 1; Array.prototype.left = 2")
	if got := r.Run("", "js", "-p", "[typeof left, [].left]"); got.Stdout != "[ 'undefined', undefined ]\n" {
		t.Errorf("%+v", got)
	}
}

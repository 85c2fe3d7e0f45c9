package toolwasm_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"openclaw/sandbox"
)

// The programs that compilers other than Go's make. One of C goes to the working directory by itself, with the source that is there
// for that, the other has only what its library gives it.
var (
	probeC    = sync.OnceValues(func() ([]byte, error) { return compileC("testdata/c/probe.c") })
	probeHere = sync.OnceValues(func() ([]byte, error) { return compileC("testdata/c/probe.c", "programs/c/workdir.c") })
	probeRust = sync.OnceValues(compileRust)
)

var errNoCompiler = errors.New("nothing that compiles it")

func compileC(sources ...string) ([]byte, error) {
	return compiled(func(out string) []*exec.Cmd {
		args := append([]string{"--target=wasm32-wasi", "-O2", "-Wall", "-Wextra", "-Werror", "-o", out}, sources...)
		return []*exec.Cmd{exec.Command("clang", args...)}
	})
}

// compileRust tries the compiler that comes first and that of the system, and both names of the target.
func compileRust() ([]byte, error) {
	return compiled(func(out string) []*exec.Cmd {
		var tries []*exec.Cmd
		for _, compiler := range []string{"rustc", "/usr/bin/rustc"} {
			for _, target := range []string{"wasm32-wasip1", "wasm32-wasi"} {
				tries = append(tries, exec.Command(compiler, "--edition", "2021", "--target", target, "-O", "-C", "strip=debuginfo", "-o", out, "testdata/rust/probe.rs"))
			}
		}
		return tries
	})
}

// compiled is the module that the first of several commands makes which can.
func compiled(tries func(out string) []*exec.Cmd) ([]byte, error) {
	dir, err := os.MkdirTemp("", "compiled-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "program.wasm")
	var text []byte
	for _, cmd := range tries(out) {
		if text, err = cmd.CombinedOutput(); err == nil {
			return os.ReadFile(out)
		}
	}
	return text, errors.Join(errNoCompiler, err)
}

// compiledProgram is one of them; where it cannot be compiled the test is skipped.
func compiledProgram(tb testing.TB, name string, build func() ([]byte, error), change func(*sandbox.NamedProgram)) sandbox.NamedProgram {
	tb.Helper()
	module, err := build()
	if err != nil {
		tb.Skipf("%v\n%s", err, module)
	}
	p := sandbox.NamedProgram{Name: name, Source: sandbox.Module(name, module)}
	if change != nil {
		change(&p)
	}
	return p
}

func readsPWD(p *sandbox.NamedProgram) { p.ReadsPWD = true }

type scriptCase struct {
	script string
	want   outcome
}

func runCases(t *testing.T, cases map[string]scriptCase, programs ...sandbox.NamedProgram) {
	t.Helper()
	box, toolbox := programTools(t)
	session := programSession(t, box, sandbox.Limits{}, programs...)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := runScript(t.Context(), toolbox, session, c.script)
			if err != nil || got != c.want {
				t.Errorf("%s\ngot  %+v, %v\nwant %+v", c.script, got, err, c.want)
			}
		})
	}
}

// TestProgramsInC runs a program of clang and wasi-libc.
func TestProgramsInC(t *testing.T) {
	runCases(
		t, map[string]scriptCase{
			"arguments":           {`probe args a 'b c' ''`, outcome{"0=[probe]\n1=[args]\n2=[a]\n3=[b c]\n4=[]\n", "", 0}},
			"environment":         {`A=é probe env A; probe env B`, outcome{"é\n(unset)\n", "", 0}},
			"standard input":      {`echo hi | probe cat; probe cat <<<there; echo file >f; probe cat <f; rm f`, outcome{"hi\nthere\nfile\n", "", 0}},
			"files":               {`probe write f one; probe append f ' two'; probe cat f; probe size f; probe rename f g; probe list .; probe remove g; ls`, outcome{"one two7 file\ng\n", "", 0}},
			"directories":         {`probe mkdir d; echo x >d/y; probe list d; probe cat d/y; rm -r d; probe list nowhere`, outcome{"y\nx\n", "probe: nowhere: No such file or directory\n", 1}},
			"redirections":        {`probe cat nope 2>e >o; cat e o; rm e o`, outcome{"probe: nope: No such file or directory\n", "", 0}},
			"appending":           {`for i in 1 2 3; do probe args >>f; done; probe words <f; rm f`, outcome{"6 6\n", "", 0}},
			"exit status":         {`probe exit 7; echo $?; probe exit 300; echo $?; probe other`, outcome{"7\n44\n", "probe: what is \"other\"?\n", 2}},
			"abort":               {`probe abort; echo $?`, outcome{"134\n", "probe: unreachable\n", 0}},
			"bad address":         {`probe segv; echo $?`, outcome{"139\n", "probe: out of bounds memory access\n", 0}},
			"in a pipeline":       {`seq 1 100000 | probe cat | probe words | tr ' ' ,`, outcome{"100000,100000\n", "", 0}},
			"reader leaves":       {`probe flood | head -n 1; echo "${PIPESTATUS[@]}"`, outcome{"y\n1 0\n", "probe: write: Broken pipe\n", 0}},
			"pipefail":            {`set -o pipefail; probe exit 3 | probe cat; echo $?; probe args | probe exit 4 | cat; echo $?`, outcome{"3\n4\n", "", 0}},
			"timeout":             {`timeout 0.1 probe spin; echo $?`, outcome{"124\n", "", 0}},
			"sleep":               {`probe sleep 10 && echo woke`, outcome{"woke\n", "", 0}},
			"memory":              {`probe eat; echo $?`, outcome{"1\n", "probe: malloc: Out of memory\n", 0}},
			"relative paths":      {`mkdir d; cd d; echo x >f; probe cat f ./f ../d/f; probe list .; cd ..; rm -r d`, outcome{"x\nx\nx\nf\n", "", 0}},
			"absolute paths":      {`echo x >f; mkdir d; cd d; probe cat /workspace/f; cd ..; rm -r d f`, outcome{"x\n", "", 0}},
			"outside":             {`probe cat /etc/passwd; probe cat ../../etc/passwd`, outcome{"", "probe: /etc/passwd: No such file or directory\nprobe: ../../etc/passwd: Operation not permitted\n", 1}},
			"its own directory":   {`probe pwd; here pwd; mkdir d; cd d; probe pwd; here pwd; cd ..; rmdir d`, outcome{"/\n/workspace\n/\n/workspace/d\n", "", 0}},
			"another directory":   {`mkdir -p d/e; echo x >d/f; cd d/e; here chdir ..; here cat ../f; cd ../..; rm -r d`, outcome{"e\nf\nx\n", "", 0}},
			"directory is gone":   {`mkdir d; cd d; rmdir ../d; here pwd; cd /workspace`, outcome{"", "here: No such file or directory\n", 0}},
			"after a loop's line": {`printf '1\n2\n' | while read x; do echo "$x" | probe cat; done`, outcome{"1\n2\n", "", 0}},
		},
		compiledProgram(t, "probe", probeC, nil), compiledProgram(t, "here", probeHere, readsPWD),
	)
}

// TestProgramsInRust runs a program of the Rust compiler and its standard library.
func TestProgramsInRust(t *testing.T) {
	runCases(
		t, map[string]scriptCase{
			"arguments":      {`probe args 'b c' é`, outcome{`["args", "b c", "é"]` + "\n", "", 0}},
			"environment":    {`A=1 probe env A; probe env B`, outcome{"Some(\"1\")\nNone\n", "", 0}},
			"in a pipeline":  {`seq 1 50000 | sed s/./a/2g | probe count | sort -rn | head -n 1`, outcome{"10000 4aaaa\n", "", 0}},
			"files":          {`probe write f text; probe read f; echo; probe list .; rm f; probe read f`, outcome{"text\nf\n", "probe: No such file or directory (os error 44)\n", 1}},
			"exit status":    {`probe exit 7; echo $?`, outcome{"7\n", "", 0}},
			"panic":          {`probe panic 2>/dev/null; echo $?`, outcome{"134\n", "", 0}},
			"reader leaves":  {`probe flood | head -n 1; echo "${PIPESTATUS[@]}"`, outcome{"y\n1 0\n", "probe: Broken pipe (os error 64)\n", 0}},
			"time":           {`probe sleep`, outcome{"true\n", "", 0}},
			"relative paths": {`mkdir d; cd d; echo x >f; probe read ./f; probe list ..; cd ..; rm -r d`, outcome{"x\nd\n", "", 0}},
		},
		compiledProgram(t, "probe", probeRust, nil),
	)
}

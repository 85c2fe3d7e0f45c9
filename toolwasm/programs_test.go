package toolwasm_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// stage and small are the programs of testdata, built once for all tests: one that starts from the beginning in each call, and
// one that starts from an image.
var (
	stage = sync.OnceValues(func() ([]byte, error) { return buildProgram("stage") })
	small = sync.OnceValues(func() ([]byte, error) { return buildProgram("reactor", "-buildmode=c-shared") })
)

func buildProgram(name string, flags ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "program.wasm")
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, flags, []string{"./testdata/" + name})...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return text, err
	}
	return os.ReadFile(out)
}

// testProgram returns one of them; without a Go command the test is skipped.
func testProgram(tb testing.TB, name string, build func() ([]byte, error)) sandbox.NamedProgram {
	tb.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		tb.Skip("no go command to build a program with")
	}
	module, err := build()
	if err != nil {
		tb.Fatalf("build the program: %v\n%s", err, module)
	}
	return sandbox.NamedProgram{Name: name, Source: sandbox.Module(name, module)}
}

// programTools is a toolbox that can start programs. OPENCLAW_TOOLBOX names one that is not the embedded one; an embedded
// one that is older than programs skips the test.
func programTools(tb testing.TB) (*sandbox.Sandbox, *toolwasm.Toolbox) {
	tb.Helper()
	src := toolwasm.Source()
	if name := os.Getenv("OPENCLAW_TOOLBOX"); name != "" {
		module, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		src = sandbox.Module("toolbox", module)
	}
	module, err := src.Open()
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Contains(module, []byte("openclaw_v1\x05spawn")) {
		tb.Skip("the embedded toolbox cannot start programs: run 'just toolbox'")
	}
	engine, err := sandbox.Wazero(tb.Context(), sandbox.EngineOptions{}) // with the user's cache: compiling takes seconds
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			tb.Errorf("close engine: %v", err)
		}
	})
	box := sandbox.New(engine)
	toolbox, err := toolwasm.LoadFrom(tb.Context(), box, src)
	if err != nil {
		tb.Fatal(err)
	}
	return box, toolbox
}

// programSession is a session with a workspace and the given programs.
func programSession(tb testing.TB, box *sandbox.Sandbox, limits sandbox.Limits, programs ...sandbox.NamedProgram) *sandbox.Session {
	tb.Helper()
	session, err := box.Open(sandbox.Grant{
		Mounts:   []sandbox.Mount{{Guest: toolwasm.Workspace, Host: tb.TempDir(), Access: sandbox.ReadWrite}},
		Tmp:      true,
		Limits:   limits,
		Programs: programs,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { session.Close() })
	return session
}

// outcome is what a script did.
type outcome struct {
	Out, Err string
	Status   int
}

func runScript(ctx context.Context, toolbox *toolwasm.Toolbox, session *sandbox.Session, script string) (outcome, *sandbox.Result, error) {
	var out, errs bytes.Buffer
	result, err := toolbox.Exec(ctx, session, toolwasm.Script{Text: script, Stdout: &out, Stderr: &errs})
	o := outcome{Out: out.String(), Err: errs.String()}
	if result != nil {
		o.Status = result.ExitCode
	}
	return o, result, err
}

// TestProgramsAreCommands runs a program in all the ways in which the shell runs commands.
func TestProgramsAreCommands(t *testing.T) {
	box, toolbox := programTools(t)
	session := programSession(t, box, sandbox.Limits{}, testProgram(t, "prog", stage), testProgram(t, "small", small))
	for name, c := range map[string]struct {
		script string
		want   outcome
	}{
		"arguments":             {`prog args a 'b c' ""`, outcome{`["a" "b c" ""]` + "\n", "", 0}},
		"environment":           {`X=1 prog env X; export Y=2; prog env Y; Z=3; prog env Z`, outcome{"1\n2\n\n", "", 0}},
		"directory":             {`mkdir -p d; cd d; prog pwd; cd ..; rmdir d`, outcome{"/workspace/d <nil>\n", "", 0}},
		"status":                {`prog exit 7; echo $?; prog exit 3`, outcome{"7\n", "", 3}},
		"and, or":               {`prog exit 1 || echo or; prog exit 0 && echo and; if ! prog exit 2; then echo not; fi`, outcome{"or\nand\nnot\n", "", 0}},
		"errexit":               {`set -e; prog exit 4; echo never`, outcome{"", "", 4}},
		"pipe into":             {`printf 'a\nb\n' | prog lines`, outcome{"A\nB\n", "", 0}},
		"pipe out of":           {`prog flood 100000 | wc -c`, outcome{"100000\n", "", 0}},
		"pipe on both sides":    {`seq 1 20000 | prog cat | tail -n 1`, outcome{"20000\n", "", 0}},
		"program to program":    {`prog flood 300000 | prog cat | prog count`, outcome{"300000\n", "", 0}},
		"early end of reader":   {`prog flood | head -n 1`, outcome{"0123456789abcde\n", "", 0}},
		"yes into program":      {`yes | prog cat | head -n 1`, outcome{"y\n", "", 0}},
		"stubborn writer":       {`prog stubborn | head -n 1; echo ${PIPESTATUS[0]}`, outcome{"y\n141\n", "", 0}},
		"early end of program":  {`yes | prog take 2; echo "${PIPESTATUS[@]}"`, outcome{"y\n141 0\n", "", 0}},
		"pipefail":              {`set -o pipefail; prog exit 3 | cat; echo $?`, outcome{"3\n", "", 0}},
		"substitution":          {`x=$(prog args x); echo "<$x>"`, outcome{"<[\"x\"]>\n", "", 0}},
		"here-document":         {"prog lines <<E\none\ntwo\nE", outcome{"ONE\nTWO\n", "", 0}},
		"here-string":           {"prog lines <<<word", outcome{"WORD\n", "", 0}},
		"to a file":             {`prog args x >f; cat f; prog args y >>f; cat f; rm f`, outcome{"[\"x\"]\n[\"x\"]\n[\"y\"]\n", "", 0}},
		"from a file":           {`echo text >f; prog cat <f; rm f`, outcome{"text\n", "", 0}},
		"shared offset":         {`seq 1 5 >f; { read a; prog take 4; read b; echo "$a $b"; } <f; rm f`, outcome{"2\n3\n1 4\n", "", 0}},
		"standard error":        {`prog err oops; prog err file 2>f; cat f; rm f`, outcome{"file\n", "oops\n", 0}},
		"2>&1":                  {`prog both 2>&1 | sort`, outcome{"err\nout\n", "", 0}},
		"2>&1 in order":         {`x=$(prog both 2>&1); echo "$x"`, outcome{"out\nerr\n", "", 0}},
		"swapped":               {`prog both 3>&1 1>&2 2>&3 | sed s/^/piped:/`, outcome{"piped:err\n", "out\n", 0}},
		"closed stdin":          {`prog cat <&-; echo $?`, outcome{"141\n", "", 0}},
		"/dev/null":             {`prog both >/dev/null 2>&1; prog count </dev/null`, outcome{"0\n", "", 0}},
		"process substitution":  {`prog open <(echo one) <(echo two)`, outcome{"one\ntwo\n", "", 0}},
		"descriptor 3":          {`echo three >f; prog open /dev/fd/3 3<f; rm f`, outcome{"three\n", "", 0}},
		"leaves what it leaves": {`printf '1\n2\n3\n' | while read x; do prog args $x; done`, outcome{"[\"1\"]\n[\"2\"]\n[\"3\"]\n", "", 0}},
		"takes what it takes":   {`printf 'aabbcc' | { prog take 2; echo; prog take 2; echo; cat; }`, outcome{"aa\nbb\ncc", "", 0}},
		"type":                  {`type prog; command -v prog; which prog; type -t prog`, outcome{"prog is /usr/bin/prog\n/usr/bin/prog\n/usr/bin/prog\nfile\n", "", 0}},
		"by path":               {`/usr/bin/prog args x`, outcome{"[\"x\"]\n", "", 0}},
		"hash":                  {`hash prog && prog args x`, outcome{"[\"x\"]\n", "", 0}},
		"function first":        {`prog() { echo function; }; prog args x; command prog args x`, outcome{"function\n[\"x\"]\n", "", 0}},
		"exec":                  {`(exec prog args x; echo never); exec prog exit 9`, outcome{"[\"x\"]\n", "", 9}},
		"xargs":                 {`seq 1 3 | xargs -n 1 prog args`, outcome{"[\"1\"]\n[\"2\"]\n[\"3\"]\n", "", 0}},
		"find -exec":            {`touch found; find . -name found -exec prog args {} \;; rm found`, outcome{"[\"./found\"]\n", "", 0}},
		"env":                   {`env A=5 prog env A; env -i prog env HOME`, outcome{"5\n\n", "", 0}},
		"timeout":               {`timeout 0.1 prog sleep 60000; echo $?`, outcome{"124\n", "", 0}},
		"timeout of a spinner":  {`timeout 0.1 prog spin; echo $?`, outcome{"124\n", "", 0}},
		"nice, nohup":           {`nice prog args x; nohup prog args y`, outcome{"[\"x\"]\n[\"y\"]\n", "", 0}},
		"shebang":               {"printf '#!/usr/bin/env -S prog args\\n' >s; chmod +x s; ./s a; rm s", outcome{"[\"./s\" \"a\"]\n", "", 0}},
		"background":            {`prog exit 5 & wait $!; echo $?`, outcome{"5\n", "", 0}},
		"kill":                  {`prog sleep 60000 & kill $!; wait $!; echo $?`, outcome{"143\n", "", 0}},
		"kill -9 of a spinner":  {`prog spin & kill -9 $!; wait $!; echo $?`, outcome{"137\n", "", 0}},
		"busy waiting":          {`prog sleep 50 & while kill -0 $! 2>/dev/null; do :; done; echo over`, outcome{"over\n", "", 0}},
		"several at once":       {`for i in 1 2 3 4; do prog args $i & done | sort; wait`, outcome{"[\"1\"]\n[\"2\"]\n[\"3\"]\n[\"4\"]\n", "", 0}},
		"awk's system, pipes":   {`awk 'BEGIN { system("prog args x"); print "q" | "prog lines"; close("prog lines"); "prog args y" | getline v; print v }'`, outcome{"[\"x\"]\nQ\n[\"y\"]\n", "", 0}},
		"umask":                 {`umask 077; prog args x >f; stat -c %a f; rm f`, outcome{"600\n", "", 0}},
		"reactor":               {`small a b; echo text | small; x=$(small c | small); echo "$x"; yes | small | head -n 1; echo ${PIPESTATUS[1]}`, outcome{"a b\ntext\nc\ny\n141\n", "", 0}},
		"reactor's descriptors": {`echo text >f; small open <(echo one) <(prog args x) /dev/fd/3 /dev/fd/9 3<f 9<f; small open /dev/fd/3; echo $?; rm f`, outcome{"one\n[\"x\"]\ntext\ntext\n1\n", "small: /dev/fd/3: No such file or directory\n", 0}},
		"more than at once":     {`for i in $(seq 1 40); do prog sleep 20 & done; wait; jobs; prog args x`, outcome{"[\"x\"]\n", "", 0}},
		"no such program":       {`programme; echo $?`, outcome{"127\n", "bash: line 1: programme: command not found\n", 0}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := runScript(t.Context(), toolbox, session, c.script)
			if err != nil || got != c.want {
				t.Errorf("%s\ngot  %+v, %v\nwant %+v", c.script, got, err, c.want)
			}
		})
	}
}

// BenchmarkPrograms starts programs in a loop of a script, and carries bytes through them.
func BenchmarkPrograms(b *testing.B) {
	box, toolbox := programTools(b)
	session := programSession(b, box, sandbox.Limits{}, testProgram(b, "prog", stage), testProgram(b, "small", small))
	const size = 100 << 20
	for _, c := range []struct {
		name, script string
		bytes        int64
		starts       int
	}{
		{"start of a reactor", "for ((i = 0; i < 100; i++)); do small x; done >/dev/null", 0, 100},
		{"start of a command", "for ((i = 0; i < 100; i++)); do prog args x; done >/dev/null", 0, 100},
		{"substitution of a reactor", "for ((i = 0; i < 100; i++)); do y=$(small x); done", 0, 100},
		{"out of a program", fmt.Sprintf("prog flood %d | wc -c", size), size, 0},
		{"into a program", fmt.Sprintf("head -c %d /dev/zero | prog count", size), size, 0},
		{"from a file", fmt.Sprintf("[ -f zeros ] || head -c %d /dev/zero >zeros; prog count <zeros", size), size, 0},
		{"program to program", fmt.Sprintf("prog flood %d | prog count", size), size, 0},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			b.SetBytes(c.bytes)
			for b.Loop() {
				if got, _, err := runScript(b.Context(), toolbox, session, c.script); err != nil || got.Status != 0 {
					b.Fatalf("%+v, %v", got, err)
				}
			}
			if c.starts > 0 {
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*c.starts), "µs/start")
			}
		})
	}
}

package shell_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
)

func TestHostileScriptsEndWithAnError(t *testing.T) {
	nest := func(open, inner, closing string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	for _, c := range []struct{ name, script, message string }{
		{"endless recursion of a function", `f() { f; }; f`, "maximum function nesting level exceeded"},
		{"endless recursion through eval", `f() { eval f; }; f`, "nesting level exceeded"},
		{"endless recursion through substitutions", `f() { echo $(f); }; f`, "Resource temporarily unavailable"},
		{"endless recursion through pipelines", `f() { f | f; }; f`, "Resource temporarily unavailable"},
		{"deep substitutions", "echo " + nest("$(", "echo x", ")", 10_000), "nested too deeply"},
		{"deep subshells", nest("( ", "echo x", " )", 10_000), "nested too deeply"},
		{"deep groups", nest("{ ", "echo x;", " }", 10_000), "nested too deeply"},
		{"deep parameters", "echo " + nest("${a:-", "x", "}", 10_000), "nested too deeply"},
		{"deep arithmetic", "echo $((" + nest("(", "1", ")", 10_000) + "))", "recursion level exceeded"},
		{"huge sequence", `echo {1..1000000000}`, "brace expansion"},
		{"exponential braces", "echo " + strings.Repeat("{a,b}", 40), "brace expansion"},
		{"string by doubling", `x=aaaaaaaa; while :; do x=$x$x; done`, "exceeds"},
		{"list by doubling", `while :; do set -- "$@" "$@" x; done`, "too many words"},
		{"variables that refer to each other", `x=y; y=x; echo $((x))`, "recursion level exceeded"},
		{"circular name references", `declare -n a=b b=a; echo $a; a=1`, "circular"},
		{"huge width", `printf %1000000000d 1`, "exceeds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs, _ := run(t, c.script)
			if !strings.Contains(errs, c.message) {
				t.Errorf("standard error lacks %q: %.300s", c.message, errs)
			}
		})
	}
}

func TestEndlessScriptsEndWhenCancelled(t *testing.T) {
	for _, script := range []string{
		`while :; do :; done`,
		`for ((;;)); do ((i++)); done`,
		`f() { f | f & }; f; while :; do f; done`,
		`trap 'kill -USR1 $$' USR1; kill -USR1 $$`,
		`trap '' TERM INT; while :; do :; done`,
		`read x < <(while :; do :; done)`,
		`until false; do x=$(echo); done`,
		`while :; do echo; done | while :; do read x; done`,
		`yes() { while :; do echo y; done; }; yes > /dev/null & wait`,
		`coproc { while read x; do :; done; }; wait`,
	} {
		t.Run(script, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan int, 1)
			go func() {
				done <- runIn(ctx, command.NewTable(shell.Commands()), t.TempDir(), script, nil, io.Discard, io.Discard)
			}()
			time.AfterFunc(50*time.Millisecond, cancel)
			select {
			case <-done:
			case <-time.After(5 * time.Second):
				buf := make([]byte, 1<<16)
				t.Fatalf("still running; goroutines:\n%s", buf[:runtime.Stack(buf, true)])
			}
		})
	}
}

func TestNoGoroutineOutlivesItsShell(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, script := range []string{
		`echo a | cat_ | true; echo b`,
		`while :; do echo y; done | { read x; echo $x; }`,
		`read x < <(while :; do echo z; done); echo $x`,
		`{ while :; do :; done; } & echo started`,
		`coproc { read x; }; echo done`,
	} {
		var out bytes.Buffer
		runIn(context.Background(), command.NewTable(shell.Commands()), t.TempDir(), script, nil, &out, io.Discard)
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines more than before:\n%s", n-before, buf[:runtime.Stack(buf, true)])
	}
}

func TestSignalsAndPipes(t *testing.T) {
	for _, c := range []struct {
		script, out string
		status      int
	}{
		{`while :; do echo y; done | { read x; echo $x; }; echo ${PIPESTATUS[@]}`, "y\n141 0\n", 0},
		{`kill -KILL $$; echo not reached`, "", 137},
		{`kill $$; echo not reached`, "", 143},
		{`while :; do :; done & kill $!; wait $!; echo $?`, "143\n", 0},
		{`trap 'echo caught; exit 3' TERM; kill $$; echo not reached`, "caught\n", 3},
		{`trap '' TERM; kill $$; echo survived`, "survived\n", 0},
		{`(kill -TERM $BASHPID; echo no); echo $?`, "143\n", 0},
		{`f() { echo "$1"; }; export -f f; bash -c 'f exported'`, "exported\n", 0},
		{`python3 -c 1 2>&1`, "bash: line 1: python3: command not found: python3 is not installed in this sandbox; use the shell, awk, sed and jq instead; the operator can install it: openclaw programs add python3 FILE.wasm --preset python\n", 127},
		{`exec 3< <(echo via; echo fd); read a <&3; read b <&3; echo $a $b`, "via fd\n", 0},
		{`printf 'one\ntwo\nthree\n' > f; { read a; bash -c 'read b; echo $b'; read c; } < f; echo $a $c`, "two\none three\n", 0},
	} {
		out, errs, status := run(t, c.script)
		if out != c.out || status != c.status {
			t.Errorf("%s: status %d, output %q, want %d, %q; stderr %s", c.script, status, out, c.status, c.out, errs)
		}
	}
}

func TestInputBeyondTheLimitIsAnErrorAndNotCutOff(t *testing.T) {
	dir := t.TempDir()
	const below, beyond = 40 << 20, 70 << 20
	for name, size := range map[string]int{"below": below, "beyond": beyond} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte{'x'}, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ script, out, message string }{
		{`read x < beyond; s=$?; echo "${#x}"; exit $s`, "0\n", "read: line exceeds"},
		{`mapfile x < beyond; s=$?; echo "${#x}"; exit $s`, "0\n", "mapfile: input exceeds"},
		{`x=$(<beyond); echo "${#x}"`, "", "command substitution: output exceeds"},
		{`x=$(<below); y=$(printf %s "$x" "$x"); echo "${#y}"`, "", "command substitution: output exceeds"},
	} {
		out, errs, status := run(t, "cd "+dir+"; "+c.script)
		if status != 2 || !strings.Contains(errs, c.message) || strings.Count(errs, "\n") != 1 || out != c.out {
			t.Errorf("%s: status %d, output %.100q, stderr %.300s", c.script, status, out, errs)
		}
	}
	out, errs, status := run(t, "cd "+dir+`; read x < below; echo $? ${#x}; y=$(<below); echo ${#y}`)
	if out != "1 41943040\n41943040\n" || status != 0 {
		t.Errorf("input below the limit: status %d, output %.100q, stderr %.200s", status, out, errs)
	}
}

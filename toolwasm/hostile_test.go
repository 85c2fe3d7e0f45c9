package toolwasm_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox"
)

// grace is how long after its limit a script may still run.
const grace = 250 * time.Millisecond

// hostileScripts do not end by themselves, or ask for more than there is. Each must end within grace of its deadline, by it or
// by another limit or by an error of its own, and leave the process as it was.
var hostileScripts = map[string]string{
	"endless loop":             `while :; do :; done`,
	"endless arithmetic":       `for ((;;)); do ((i++)); done`,
	"sleep":                    `sleep 3600`,
	"wait for nothing":         `sleep 3600 & wait`,
	"read from nobody":         `read x < <(sleep 3600)`,
	"output without end":       `yes`,
	"output into a file":       `yes > f`,
	"a million files":          `mkdir d; i=0; while :; do : > d/$((i++)) || exit; done`,
	"a million opens":          `i=0; while :; do exec {fd}> f || exit; done`,
	"functions that fork":      `f() { f | f & }; f; wait`,
	"functions without end":    `f() { f; }; f`,
	"subshells without end":    `f() { ( f ); }; f`,
	"sourcing itself":          `echo '. ./s' > s; . ./s`,
	"bash in bash":             `echo 'bash s' > s; bash s`,
	"eval in eval":             `x='eval "$x"'; eval "$x"`,
	"doubling":                 `x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done`,
	"growing array":            `while :; do a+=("${a[@]}" x); done`,
	"brace expansion":          `echo {1..1000000000}`,
	"nested brace expansion":   `echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}`,
	"printf padding":           `printf '%1000000000d' 1`,
	"seq":                      `seq 1 1000000000000`,
	"zeros":                    `cat /dev/zero`,
	"zeros in a variable":      `x=$(cat /dev/zero | tr '\0' a)`,
	"sorting zeros":            `tr '\0' '\n' < /dev/zero | sort`,
	"deep directories":         `while :; do mkdir d && cd d || exit; done`,
	"grep catastrophe":         `printf 'a%.0s' {1..40} | grep -E '^(a+)+$' ; printf 'a%.0s' {1..5000} | grep -E '(a*)*(a*)*(a*)*b'`,
	"grep back-references":     `printf 'a%.0s' {1..2000} | grep -E '^(a*)*\1(a*)*\2(a*)*\3b$'`,
	"grep -P catastrophe":      `printf 'a%.0s' {1..40} | grep -P '^(a+)+$x'`,
	"sed catastrophe":          `printf 'a%.0s' {1..2000} | sed -E 's/^((a*)*)\1((a*)*)\2b$/x/'`,
	"sed loop":                 `echo a | sed ':x; s/a/aa/; tx'`,
	"sed branch":               `echo a | sed ':x; bx'`,
	"awk loop":                 `awk 'BEGIN { while (1) i++ }'`,
	"awk recursion":            `awk 'function f(n) { return f(n+1) } BEGIN { f(0) }'`,
	"awk doubling":             `awk 'BEGIN { x = "aaaaaaaa"; while (1) x = x x }'`,
	"awk catastrophe":          `printf 'a%.0s' {1..3000} | awk '/^(a*)*(a*)*(a*)*b$/'`,
	"jq loop":                  `jq -n 'def f: f; f'`,
	"jq range":                 `jq -n '[range(1e12)]'`,
	"jq recursion":             `jq -n 'def f: 1 + f; f'`,
	"bc loop":                  `echo 'while (1) { }' | bc`,
	"bc power":                 `echo '9^9^9^9' | bc`,
	"expr power":               `echo $((2**1000000000))`,
	"find executing itself":    `mkdir -p a/b; f() { find . -exec bash -c "$x" \; ; }; x='find . -exec bash -c "$x" \;' ; export x; bash -c "$x"`,
	"xargs in xargs":           `echo x > l; y='xargs -a l bash -c "$y"'; export y; bash -c "$y"`,
	"here-document expansion":  `x=$(printf 'a%.0s' {1..1000}); while :; do x="$x$x"; cat <<E >/dev/null` + "\n$x\nE\n" + `done`,
	"trap in trap":             `trap 'kill -TERM $$' TERM; kill -TERM $$; while :; do :; done`,
	"tac of everything":        `yes | tac`,
	"tail of everything":       `yes | tail -n 1`,
	"diff of everything":       `diff <(yes a) <(yes b)`,
	"factor of a large number": `factor 170141183460469231731687303715884105727170141183460469231731687303715884105757`,
	"globs that backtrack":     `x=$(printf 'a%.0s' {1..5000}); [[ $x == *a*a*a*a*a*a*a*a*a*a*b ]]`,
	"extended globs":           `shopt -s extglob; x=$(printf 'a%.0s' {1..40}); [[ $x == +(+(+(a)))b ]]`,
	"zip of zeros":             `head -c 100000000000 /dev/zero | gzip -9 > z`,
	"dd":                       `dd if=/dev/zero of=f bs=1G count=1000`,
	"truncate":                 `truncate -s 1P f`,
	"sort of one line":         `head -c 10000000000 /dev/zero | sort`,
	"cut of one line":          `cat /dev/zero | cut -c1-10`,
	"nested substitutions":     nested(10_000, "$(", ")"),
	"nested subshells":         nested(10_000, "(", ")"),
	"nested arithmetic":        "echo $((" + nested(10_000, "(", ")") + "))",
	"nested braces":            nested(10_000, "{ ", ";}"),
	"nested quotes":            nested(10_000, `"$(echo `, `)"`),
	"nested functions":         nested(5_000, "f() { ", "; }"),
	"jq nesting":               "jq -n '" + nested(10_000, "[", "]") + "'",
	"jq input nesting":         "printf '[%.0s' {1..100000} | jq .",
	"awk nesting":              "awk 'BEGIN { x = " + nested(10_000, "(", ")") + " }'",
	"sed nesting":              "sed '" + nested(10_000, "{", "}") + "'",
	"regex nesting":            "echo a | grep -E '" + nested(10_000, "(", ")") + "'",
	"regex repetition":         `echo a | grep -E '((((a{1,200}){1,200}){1,200}){1,200}){1,200}'`,
	"find nesting":             "find . " + nested(5_000, `\( `, ` \)`),
	"expr nesting":             "expr " + nested(5_000, `\( `, ` \)`),
}

// nested is an x inside n pairs of open and shut.
func nested(n int, open, shut string) string {
	return strings.Repeat(open, n) + "1" + strings.Repeat(shut, n)
}

func TestHostileScriptsEndAtTheirLimit(t *testing.T) {
	tools := newTools(t)
	for name, script := range hostileScripts {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			goroutines := runtime.NumGoroutine()
			const deadline = 300 * time.Millisecond
			grant := workspace(dir)
			grant.Limits = sandbox.Limits{Timeout: deadline, Memory: 128 << 20, Disk: 8 << 20, Files: 1000, Handles: 200}
			var took time.Duration
			for range 3 { // a busy machine may be late once
				begun := time.Now()
				_, stderr, result, err := tools.sh(t.Context(), grant, script)
				took = time.Since(begun)
				if result == nil {
					t.Fatalf("no result: %v", err)
				}
				if strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "panic:") {
					t.Fatalf("the toolbox crashed: %.2000s", stderr)
				}
				if took <= deadline+grace {
					break
				}
			}
			if took > deadline+grace {
				t.Errorf("took %v, more than %v after its deadline", took, grace)
			}
			wantGoroutines(t, goroutines)
			stdout, _, _, err := tools.sh(t.Context(), workspace(t.TempDir()), "echo healthy | cat")
			if err != nil || stdout != "healthy\n" {
				t.Fatalf("the next call: %q, %v", stdout, err)
			}
		})
	}
}

// wantGoroutines waits for goroutines to end that were told to.
func wantGoroutines(tb testing.TB, want int) {
	tb.Helper()
	deadline := time.Now().Add(2 * time.Second)
	for runtime.NumGoroutine() > want {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			tb.Fatalf("%d goroutines, want %d:\n%s", runtime.NumGoroutine(), want, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

// TestLimitsAreNamed checks which limit ends what, as the result tells it.
func TestLimitsAreNamed(t *testing.T) {
	tools := newTools(t)
	for _, c := range []struct {
		name, script string
		limits       sandbox.Limits
		ends         sandbox.Limit // the limit that ends the call
		hit          sandbox.Limit // or only fails an operation
		status       int
	}{
		{"deadline", `sleep 100`, sandbox.Limits{Timeout: 200 * time.Millisecond}, sandbox.LimitTimeout, "", 0},
		{"fuel", `while :; do :; done`, sandbox.Limits{Fuel: 50_000_000}, sandbox.LimitFuel, "", 0},
		{"memory", `x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done`, sandbox.Limits{Memory: 64 << 20}, sandbox.LimitMemory, "", 0},
		{"output without end", `yes`, sandbox.Limits{Output: 1000}, sandbox.LimitOutput, "", 0},
		{"a little too much output", `seq 1000`, sandbox.Limits{Output: 1000}, "", sandbox.LimitOutput, 0},
		{"disk", `yes > f`, sandbox.Limits{Disk: 1 << 20}, "", sandbox.LimitDisk, 1},
		{"tmp", `yes > /tmp/f`, sandbox.Limits{Disk: 1 << 20}, "", sandbox.LimitDisk, 1},
		{"file size", `yes > f`, sandbox.Limits{FileSize: 1 << 20}, "", sandbox.LimitFileSize, 1},
		{"files", `for i in {1..20}; do : > f$i || exit 3; done`, sandbox.Limits{Files: 10}, "", sandbox.LimitFiles, 1},
		{"handles", `for i in {1..20}; do exec {fd}> f || exit 3; done`, sandbox.Limits{Handles: 10}, "", sandbox.LimitHandles, 1},
		{"depth", `for i in {1..20}; do mkdir d && cd d || exit 3; done`, sandbox.Limits{Depth: 10}, "", sandbox.LimitDepth, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			grant := workspace(t.TempDir())
			grant.Limits = c.limits
			_, stderr, result, err := tools.sh(t.Context(), grant, c.script)
			if c.ends != "" {
				if !wasLimit(err, c.ends) {
					t.Fatalf("error = %v, want that the %s limit ended it; stderr %q", err, c.ends, stderr)
				}
				return
			}
			if err != nil || len(result.Hit) != 1 || result.Hit[0] != c.hit {
				t.Fatalf("error %v, result %+v; want that it met the %s limit; stderr %q", err, result, c.hit, stderr)
			}
			if c.status != 0 && result.ExitCode == 0 || c.status == 0 && result.ExitCode != 0 {
				t.Errorf("exit code %d, stderr %q", result.ExitCode, stderr)
			}
		})
	}
}

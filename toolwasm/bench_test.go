package toolwasm_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// native returns a benchmark of the same script under the machine's bash.
func native(dir, script string) func(b *testing.B) {
	return func(b *testing.B) {
		bash, err := exec.LookPath("bash")
		if err != nil {
			b.Skip("no bash to compare with")
		}
		for b.Loop() {
			cmd := exec.Command(bash, "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			cmd.Stdout = io.Discard // through a pipe: GNU tools do less when they write to /dev/null
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// sandboxed returns a benchmark of a script in a fresh instance of a warm session.
func sandboxed(tools *tools, dir, script string) func(b *testing.B) {
	return func(b *testing.B) {
		grant := workspace(dir)
		grant.Limits = sandbox.Limits{Timeout: 1 << 40, Memory: 1 << 30}
		session, err := tools.box.Open(grant)
		if err != nil {
			b.Fatal(err)
		}
		defer session.Close()
		for b.Loop() {
			var errs bytes.Buffer
			result, err := tools.toolbox.Exec(b.Context(), session, toolwasm.Script{Text: script, Stdout: io.Discard, Stderr: &errs})
			if err != nil || result.ExitCode != 0 {
				b.Fatalf("result %+v, error %v, stderr %q", result, err, errs.String())
			}
		}
	}
}

// BenchmarkExec measures short scripts, where starting is most of the work.
func BenchmarkExec(b *testing.B) {
	tools := newTools(b)
	dir := b.TempDir()
	for _, c := range []struct{ name, script string }{
		{"echo", `echo x`},
		{"pipeline", `printf 'b\na\nb\n' | sort | uniq -c | head -1`},
		{"files", `mkdir -p d; for i in 1 2 3 4 5; do echo $i > d/$i; done; cat d/*; rm -r d`},
		{"find", `find . -name '*.none' | wc -l`},
	} {
		b.Run(c.name+"/sandbox", sandboxed(tools, dir, c.script))
		b.Run(c.name+"/bash", native(dir, c.script))
	}
}

// BenchmarkShell measures the evaluator at work.
func BenchmarkShell(b *testing.B) {
	tools := newTools(b)
	dir := b.TempDir()
	for _, c := range []struct{ name, script string }{
		{"substitution", `i=0; while ((i < 30000)); do ((i++)); x="a$i"; y=${x/a/b}; done`},
		{"functions", `f() { :; }; for ((i = 0; i < 100000; i++)); do f; done`},
		{"strings", `x=; for ((i = 0; i < 100000; i++)); do x+=0123456789; done`},
		{"arrays", `for ((i = 0; i < 100000; i++)); do a+=($i); done`},
		{"lines", `while read -r l; do n=$l; done < <(seq 100000)`},
	} {
		b.Run(c.name+"/sandbox", sandboxed(tools, dir, c.script))
		b.Run(c.name+"/bash", native(dir, c.script))
	}
}

// BenchmarkText measures commands over a larger file.
func BenchmarkText(b *testing.B) {
	tools := newTools(b)
	dir := b.TempDir()
	const size = 20 << 20
	writeText(b, filepath.Join(dir, "text"), size)
	for _, c := range []struct{ name, script string }{
		{"grep", `grep -c needle text`},
		{"grep-regex", `grep -cE '[0-9]+ (fox|dog)s?' text`},
		{"grep-class", `grep -c 'qu[a-z]*k needle' text`},
		{"grep-i", `grep -ci 'NEEDLE fox' text`},
		{"grep-lines", `grep needle text | tail -1`},
		{"wc", `wc text`},
		{"sort", `sort text | tail -1`},
		{"sed", `sed 's/fox/cat/' text | tail -1`},
		{"awk", `awk '{ s += $1 } END { print s }' text`},
		{"cut", `cut -d' ' -f2 text | tail -1`},
		{"tr", `tr a-z A-Z < text | tail -1`},
		{"md5sum", `md5sum text`},
		{"gzip", `gzip -c text | wc -c`},
	} {
		b.Run(c.name+"/sandbox", withBytes(size, sandboxed(tools, dir, c.script)))
		b.Run(c.name+"/bash", withBytes(size, native(dir, c.script)))
	}
}

func withBytes(n int64, f func(b *testing.B)) func(b *testing.B) {
	return func(b *testing.B) {
		b.SetBytes(n)
		f(b)
	}
}

// writeText makes a file of lines that begin with a number.
func writeText(tb testing.TB, name string, size int) {
	tb.Helper()
	words := []string{"quick", "brown", "fox", "jumps", "over", "lazy", "dog", "needle", "hay", "stack"}
	var b bytes.Buffer
	seed := uint32(1)
	next := func() uint32 { seed = seed*1664525 + 1013904223; return seed >> 8 }
	for b.Len() < size {
		fmt.Fprint(&b, next()%100000)
		for range 6 {
			b.WriteByte(' ')
			b.WriteString(words[next()%uint32(len(words))])
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		tb.Fatal(err)
	}
}

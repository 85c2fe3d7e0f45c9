package toolwasm_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
		var used time.Duration
		for b.Loop() {
			cmd := exec.Command(bash, "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			cmd.Stdout = io.Discard // through a pipe: GNU tools do less when they write to /dev/null
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
			used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		reportCPU(b, used)
	}
}

// sandboxed returns a benchmark of a script in a fresh instance of a warm session.
func sandboxed(tools *tools, dir, script string) func(b *testing.B) {
	return func(b *testing.B) {
		grant := workspace(dir)
		grant.Limits = sandbox.Limits{Timeout: 1 << 40, Memory: 1 << 30, Output: 1 << 30}
		session, err := tools.box.Open(grant)
		if err != nil {
			b.Fatal(err)
		}
		defer session.Close()
		var fuel int64
		start := cpuTime()
		for b.Loop() {
			var errs bytes.Buffer
			result, err := tools.toolbox.Exec(b.Context(), session, toolwasm.Script{Text: script, Stdout: io.Discard, Stderr: &errs})
			if err != nil || result.ExitCode != 0 {
				b.Fatalf("result %+v, error %v, stderr %q", result, err, errs.String())
			}
			fuel += result.Fuel
		}
		reportCPU(b, cpuTime()-start)
		b.ReportMetric(float64(fuel)/float64(b.N), "fuel/op")
	}
}

// reportCPU adds the time on the processors to a benchmark's figures: what else runs on the machine hardly changes it.
func reportCPU(b *testing.B, used time.Duration) {
	b.ReportMetric(used.Seconds()*1e3/float64(b.N), "cpu-ms/op")
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

// textCases are everyday uses of the commands that work on text, over the files of [writeInputs].
var textCases = []struct{ name, script string }{
	{"grep", `grep -c needle text`},
	{"grep-lines", `grep needle text`},
	{"grep-few", `grep 'needle needle needle' text`},
	{"grep-number", `grep -n fox text`},
	{"grep-invert", `grep -v fox text`},
	{"grep-only", `grep -o fox text`},
	{"grep-only-class", `grep -oE '[0-9]+' text`},
	{"grep-word", `grep -w hay text`},
	{"grep-i", `grep -ci 'NEEDLE fox' text`},
	{"grep-i-lines", `grep -i fox text`},
	{"grep-i-alternatives", `grep -ciE 'NEEDLE|STACK' text`},
	{"grep-list", `grep -cF -e 'needle fox' -e 'hay stack' -e 'dog dog' text`},
	{"grep-alternatives", `grep -cE 'needle fox|hay stack|dog dog' text`},
	{"grep-regex", `grep -cE '[0-9]+ (fox|dog)s?' text`},
	{"grep-class", `grep -c 'qu[a-z]*k needle' text`},
	{"grep-start", `grep -c '^12' text`},
	{"grep-end", `grep -c 'fox$' text`},
	{"grep-between", `grep -c 'fox.*needle' text`},
	{"grep-digits", `grep -cE '[0-9]{5}' text`},
	{"grep-none", `grep -cE '[A-Z]{3}' text || true`},
	{"grep-perl", `grep -cP '\d+ (?=fox)' text`},
	{"wc", `wc text`},
	{"wc-l", `wc -l text`},
	{"wc-w", `wc -w text`},
	{"wc-m", `wc -m text`},
	{"sort", `sort text`},
	{"sort-numeric", `sort -n text`},
	{"sort-key", `sort -k2,3 text`},
	{"sort-unique", `sort -u text`},
	{"sort-reverse-key", `sort -t' ' -k1,1nr text`},
	{"sed", `sed 's/fox/cat/' text`},
	{"sed-global", `sed 's/o/0/g' text`},
	{"sed-class", `sed 's/[0-9]\+/N/g' text`},
	{"sed-groups", `sed -E 's/([a-z]+) ([a-z]+)/\2 \1/g' text`},
	{"sed-print", `sed -n '/needle/p' text`},
	{"sed-delete", `sed '/fox/d' text`},
	{"sed-range", `sed -n '1000,200000p' text`},
	{"sed-start", `sed 's/^/> /' text`},
	{"sed-two", `sed -e 's/fox/cat/' -e 's/dog/bird/g' text`},
	{"awk", `awk '{ s += $1 } END { print s }' text`},
	{"awk-field", `awk -F' ' '{ print $2 }' text`},
	{"awk-compare", `awk '$1 > 50000' text`},
	{"awk-count", `awk '{ n[$2]++ } END { for (k in n) print k, n[k] }' text`},
	{"awk-match", `awk '/needle/' text`},
	{"awk-two", `awk '{ print $1, $3 }' text`},
	{"awk-nf", `awk '{ n += NF } END { print n, NR }' text`},
	{"awk-length", `awk 'length($0) > 40' text`},
	{"awk-gsub", `awk '{ gsub(/fox/, "cat"); print }' text`},
	{"awk-equal", `awk '$2 == "fox" { n++ } END { print n }' text`},
	{"awk-comma", `awk -F, '{ print $2 }' csv`},
	{"awk-comma-sum", `awk -F, -v OFS=, '$3 > 500 { $2 = "x"; print }' csv`},
	{"awk-printf", `awk '{ printf "%s %d\n", $2, $1 }' text`},
	{"cut-field", `cut -d' ' -f2 text`},
	{"cut-fields", `cut -d' ' -f2,4- text`},
	{"cut-chars", `cut -c1-10 text`},
	{"cut-bytes", `cut -b3- text`},
	{"tr", `tr a-z A-Z < text`},
	{"tr-delete", `tr -d aeiou < text`},
	{"tr-squeeze", `tr -s ' o' < text`},
	{"tr-words", `tr -cs a-z '\n' < text`},
	{"tr-lines", `tr ' ' '\n' < text`},
	{"uniq", `uniq sorted`},
	{"uniq-count", `uniq -c sorted`},
	{"cat-number", `cat -n text`},
	{"nl", `nl text`},
	{"tac", `tac text`},
	{"rev", `rev text`},
	{"head", `head -n 300000 text`},
	{"tail", `tail -n 300000 text`},
	{"tail-from", `tail -n +1000 text`},
	{"jq-field", `jq .a json`},
	{"jq-raw", `jq -r .b json`},
	{"jq-select", `jq -c 'select(.a > 50000)' json`},
	{"jq-object", `jq -c '{a, c: .c[0]}' json`},
	{"jq-identity", `jq -c . json`},
	{"md5sum", `md5sum text`},
	{"sha256sum", `sha256sum text`},
	{"base64", `base64 text`},
	{"gzip", `gzip -c text`},
	{"gunzip", `gzip -dc text.gz`},
	{"cat", `cat text`},
	{"pipeline", `cut -d' ' -f2 text | sort | uniq -c | sort -rn`},
}

// largeCases are measured over 100 MB, where what a command does once does not count.
var largeCases = []string{"grep", "grep-class", "sort", "sort-numeric", "wc", "sed", "sed-global", "awk", "jq-field", "jq-select"}

// BenchmarkLargeText measures the commands that agents use most over 100 MB.
func BenchmarkLargeText(b *testing.B) {
	tools := newTools(b)
	dir := b.TempDir()
	const size = 100 << 20
	writeInputs(b, dir, size)
	for _, c := range textCases {
		if slices.Contains(largeCases, c.name) {
			b.Run(c.name+"/sandbox", withBytes(size, sandboxed(tools, dir, c.script)))
			b.Run(c.name+"/bash", withBytes(size, native(dir, c.script)))
		}
	}
}

// BenchmarkText measures commands over larger files.
func BenchmarkText(b *testing.B) {
	tools := newTools(b)
	dir := b.TempDir()
	const size = 20 << 20
	writeInputs(b, dir, size)
	for _, c := range textCases {
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

// writeInputs makes the files that textCases read, each of about the given size: lines of words, the words sorted, comma-separated
// values, and a JSON object a line.
func writeInputs(tb testing.TB, dir string, size int) {
	tb.Helper()
	writeText(tb, filepath.Join(dir, "text"), size)
	text, err := os.ReadFile(filepath.Join(dir, "text"))
	if err != nil {
		tb.Fatal(err)
	}
	words := strings.Fields(string(text))
	var csv, json, zipped bytes.Buffer
	for i := 0; i+7 <= len(words) && csv.Len() < size; i += 7 {
		w := words[i : i+7]
		fmt.Fprintf(&csv, "%s,%s %s,%d,%s\n", w[1], w[2], w[3], i%1000, w[0])
		fmt.Fprintf(&json, "{\"a\": %s, \"b\": \"%s %s\", \"c\": [%d, true, null, {\"d\": %q}]}\n", w[0], w[1], w[2], i, w[3])
	}
	slices.Sort(words)
	gz := gzip.NewWriter(&zipped)
	_, _ = gz.Write(text) // a buffer takes everything
	if err := gz.Close(); err != nil {
		tb.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"csv": csv.Bytes(), "json": json.Bytes(), "text.gz": zipped.Bytes(),
		"sorted": []byte(strings.Join(words, "\n") + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			tb.Fatal(err)
		}
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

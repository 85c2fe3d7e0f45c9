package straighten_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"openclaw/toolwasm/internal/straighten"
)

// program exercises what Go compiles to jumps: loops in loops, continue and break with labels, switches, goroutines that
// wait for one another, deferred calls, panics that are recovered from in loops, maps, strings and floating point.
const program = `package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
)

func sieve(n int) (count int) {
	composite := make([]bool, n)
outer:
	for i := 2; i < n; i++ {
		if composite[i] {
			continue outer
		}
		count++
		for j := i * i; j < n; j += i {
			if j < 0 {
				break outer
			}
			composite[j] = true
		}
	}
	return count
}

func safe(i int, a []int) (v int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	for k := range 3 {
		v += a[i+k]
	}
	return v, nil
}

func collatz(n uint64) (steps int) {
	for n != 1 {
		switch {
		case n%2 == 0:
			n /= 2
		default:
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

type shape interface{ area() float64 }
type square float64
type circle float64

func (s square) area() float64 { return float64(s * s) }
func (c circle) area() float64 { return 3 * float64(c*c) }

func main() {
	fmt.Println(sieve(10000), collatz(97), collatz(871))
	for i := range 6 {
		fmt.Println(safe(i, []int{1, 2, 3, 4, 5}))
	}
	var missing *struct{ next *int }
	func() {
		defer func() { fmt.Println(recover()) }()
		fmt.Println(*missing.next)
	}()
	ch, done := make(chan int), make(chan string)
	go func() {
		sum := 0
		for v := range ch {
			if sum += v; sum > 1<<20 {
				break
			}
		}
		done <- fmt.Sprint("sum ", sum)
	}()
	for i := range 1000 {
		ch <- i
	}
	close(ch)
	fmt.Println(<-done)
	words := map[string]int{}
	for _, w := range strings.Fields(strings.Repeat("a bb ccc a ", 50)) {
		words[w]++
	}
	var keys []string
	for k := range words {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return words[keys[i]] > words[keys[j]] || words[keys[i]] == words[keys[j]] && keys[i] < keys[j] })
	fmt.Println(keys, words)
	total := 0.0
	for i, s := range []shape{square(2), circle(1), square(0.5)} {
		total += s.area() * float64(i+1)
	}
	fmt.Printf("%.3f %q %v\n", total, strings.ToUpper("straight"), errors.Is(os.ErrExist, os.ErrExist))
	if len(os.Args) > 5 {
		goto end
	}
	for a := 0; a < 3; a++ {
		for b := 0; b < 3; b++ {
			if a == b {
				continue
			}
			fmt.Print(a, b, ";")
		}
	}
end:
	fmt.Println()
}
`

func TestProgramDoesTheSame(t *testing.T) {
	module := compile(t, program)
	direct, err := straighten.Module(module)
	if err != nil {
		t.Fatal(err)
	}
	if len(direct) >= len(module) {
		t.Errorf("%d bytes became %d: nothing was made direct", len(module), len(direct))
	}
	want := run(t, module)
	if got := run(t, direct); got != want || want == "" {
		t.Errorf("output:\n%s\nwant:\n%s", got, want)
	}
}

func TestModuleRefusesWhatIsNone(t *testing.T) {
	header := "\x00asm\x01\x00\x00\x00"
	for name, module := range map[string]string{
		"empty": "", "text": "no module", "short section": header + "\x0a\x05\x01", "short function": header + "\x0a\x03\x01\x05\x00",
		"missing functions": header + "\x0a\x01\x05",
	} {
		if _, err := straighten.Module([]byte(module)); !errors.Is(err, straighten.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestModuleLeavesOtherFunctionsAlone(t *testing.T) {
	// A function without parameters, results or locals: its body is but its end.
	module := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x04\x01\x02\x00\x0b")
	direct, err := straighten.Module(module)
	if err != nil || !bytes.Equal(direct, module) {
		t.Errorf("module %x, error %v", direct, err)
	}
}

func compile(t *testing.T, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "main.go")
	if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "main.wasm")
	cmd := exec.Command("go", "build", "-o", out, name)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no Go to build with: %v\n%s", err, text)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func run(t *testing.T, module []byte) string {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out bytes.Buffer
	if _, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&out).WithArgs("main")); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

package meter_test

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
	"github.com/tetratelabs/wazero/sys"

	"openclaw/sandbox/internal/meter"
)

// sharedDir holds large WebAssembly programs that are not part of the repository.
func sharedDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("OPENCLAW_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("no directory of test programs; set OPENCLAW_SHARED")
	}
	return dir
}

func rewriteAndCompile(tb testing.TB, r wazero.Runtime, module []byte) *meter.Module {
	tb.Helper()
	ctx := context.Background()
	m := mustRewrite(tb, module)
	compiled, err := r.CompileModule(ctx, m.Wasm)
	if err != nil {
		tb.Fatal(err)
	}
	compiled.Close(ctx)
	return m
}

func BenchmarkRewritePython(b *testing.B) {
	module, err := os.ReadFile(filepath.Join(sharedDir(b), "programs", "python.wasm"))
	if err != nil {
		b.Skip(err)
	}
	b.SetBytes(int64(len(module)))
	b.ReportAllocs()
	for b.Loop() {
		mustRewrite(b, module)
	}
}

// goProgram builds a Go program for wasip1.
func goProgram(tb testing.TB, source string, flags ...string) []byte {
	tb.Helper()
	if testing.Short() {
		tb.Skip("builds a Go program")
	}
	dir := tb.TempDir()
	for name, content := range map[string]string{"main.go": source, "go.mod": "module guest\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", "guest.wasm"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	module, err := os.ReadFile(filepath.Join(dir, "guest.wasm"))
	if err != nil {
		tb.Fatal(err)
	}
	return module
}

const fibGo = `package main

import "fmt"

func main() { fmt.Println(fib(20)) }

//go:wasmexport fib
func fib(n int64) int64 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
`

func TestGoCommandRunsMetered(t *testing.T) {
	module := goProgram(t, fibGo)
	for engine, config := range engines {
		t.Run(engine, func(t *testing.T) {
			ctx := context.Background()
			r := newRuntime(t, config)
			wasi_snapshot_preview1.MustInstantiate(ctx, r)
			fuel := &tank{slice: 100_000, refills: -1}
			hostMeter(t, r, fuel)
			m := mustRewrite(t, module)
			compiled, err := r.CompileModule(ctx, m.Wasm)
			if err != nil {
				t.Fatal(err)
			}
			var stdout bytes.Buffer
			inst, err := r.InstantiateModule(ctx, compiled,
				wazero.NewModuleConfig().WithStartFunctions().WithStdout(&stdout))
			if err != nil {
				t.Fatal(err)
			}
			writeData(t, inst, m)
			_, err = inst.ExportedFunction("_start").Call(ctx)
			var exit *sys.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 0 {
				t.Fatalf("ended with %v", err)
			}
			if stdout.String() != "6765\n" {
				t.Errorf("wrote %q", stdout.String())
			}
			if fuel.granted == 0 {
				t.Error("used no fuel")
			}
		})
	}
}

func TestGoReactorRunsMeteredAndStops(t *testing.T) {
	module := goProgram(t, fibGo, "-buildmode=c-shared")
	ctx := context.Background()
	r := newRuntime(t, wazero.NewRuntimeConfigCompiler)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	fuel := &tank{slice: 1_000_000, refills: -1}
	hostMeter(t, r, fuel)
	m := mustRewrite(t, module)
	if len(m.Data) > 100 {
		t.Errorf("%d data segments left after merging", len(m.Data))
	}
	if m.MutatesTables || m.DropsSegments {
		t.Error("reported as impossible to snapshot")
	}
	inst := instantiate(t, r, m)
	if _, err := inst.ExportedFunction("_initialize").Call(ctx); err != nil {
		t.Fatal(err)
	}
	got, err := inst.ExportedFunction("fib").Call(ctx, 20)
	if err != nil || got[0] != 6765 {
		t.Fatalf("fib(20) = %v, %v", got, err)
	}
	fuel.refills = 20
	if _, err := inst.ExportedFunction("fib").Call(ctx, 60); !errors.Is(err, errOutOfFuel) {
		t.Fatalf("fib(60) ended with %v", err)
	}
}

func TestForeignProgramsCompileMetered(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles large programs")
	}
	dir := sharedDir(t)
	paths, err := filepath.Glob(filepath.Join(dir, "wasi-testsuite", "*", "*.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, filepath.Join(dir, "programs", "python.wasm"))
	r := newRuntime(t, wazero.NewRuntimeConfigInterpreter)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			module, err := os.ReadFile(path)
			if os.IsNotExist(err) {
				t.Skip("absent")
			}
			if err != nil {
				t.Fatal(err)
			}
			rewriteAndCompile(t, r, module)
		})
	}
}

// BenchmarkGo runs a Go program of ordinary work as it was and metered.
func BenchmarkGo(b *testing.B) {
	module := goProgram(b, workGo, "-buildmode=c-shared")
	ctx := context.Background()
	for _, metered := range []bool{false, true} {
		name := map[bool]string{false: "plain", true: "metered"}[metered]
		b.Run(name, func(b *testing.B) {
			r := newRuntime(b, wazero.NewRuntimeConfigCompiler)
			wasi_snapshot_preview1.MustInstantiate(ctx, r)
			fuel := &tank{slice: 10_000_000, refills: -1}
			hostMeter(b, r, fuel)
			m := &meter.Module{Wasm: module}
			if metered {
				m = mustRewrite(b, module)
			}
			inst := instantiate(b, r, m)
			if _, err := inst.ExportedFunction("_initialize").Call(ctx); err != nil {
				b.Fatal(err)
			}
			work := inst.ExportedFunction("work")
			for b.Loop() {
				if _, err := work.Call(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(fuel.granted)/float64(b.Elapsed().Nanoseconds()), "fuel/ns")
		})
	}
}

const workGo = `package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

func main() {}

//go:wasmexport work
func work() int64 {
	var words []string
	for i := range 50000 {
		words = append(words, fmt.Sprintf("word%d", i*7919%25013))
	}
	sort.Strings(words)
	text := strings.Join(words, " ")
	found := regexp.MustCompile("w[a-z]+([0-9]*)7 ").FindAllStringIndex(text, -1)
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	encoded, _ := json.Marshal(count)
	sum := sha256.Sum256([]byte(text))
	return int64(len(found)+len(encoded)) + int64(sum[0])
}
`

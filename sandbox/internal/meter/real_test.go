package meter_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"

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

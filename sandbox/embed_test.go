package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmbedderOutsideThisModule builds the example that is a module of its own, and has it run a program: what it needs of
// this package can be had from outside.
func TestEmbedderOutsideThisModule(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	embed, program := filepath.Join(dir, "embed.exe"), filepath.Join(dir, "greeting.wasm")
	build := exec.Command("go", "build", "-o", embed, ".")
	build.Dir = filepath.Join("..", "examples", "embed")
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.WriteFile(program, greeting(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(embed, program, dir)
	run.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "HOME="+t.TempDir())
	var errors strings.Builder
	run.Stderr = &errors
	out, err := run.Output()
	if err != nil || string(out) != "hello from inside\n" {
		t.Errorf("it says %q, %v\n%s", out, err, &errors)
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkProcess measures the command as a process, with everything compiled before, beside bash.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "openclaw")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o755); err != nil {
		b.Fatal(err)
	}
	run := func(name string, args ...string) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(name, args...)
				cmd.Dir = ws
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		}
	}
	if out, err := exec.Command(bin, "exec", "--workspace", ws, "--", "true").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Run("exec", run(bin, "exec", "--", "echo x"))
	b.Run("bash", run("bash", "-c", "echo x"))
}

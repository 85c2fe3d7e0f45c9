package compile_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/skills/compile"
	"openclaw/skills/manifest"
)

func source(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestGoIsCompiled(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	m := &manifest.Manifest{Name: "x", Module: "x.wasm", Language: "go"}
	dir := source(t, map[string]string{"go.mod": "module x\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() {}\n"})
	if err := compile.Build(t.Context(), dir, m); err != nil {
		t.Fatal(err)
	}
	if module, err := os.ReadFile(filepath.Join(dir, "x.wasm")); err != nil || !bytes.HasPrefix(module, []byte("\x00asm")) {
		t.Error(err)
	}
	dir = source(t, map[string]string{"go.mod": "module x\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() { missing() }\n"})
	var typed *compile.Error
	if err := compile.Build(t.Context(), dir, m); !errors.As(err, &typed) || !strings.Contains(typed.Said, "main.go:3:15: undefined: missing") {
		t.Error(err)
	}
	// Nothing is fetched from anywhere.
	dir = source(t, map[string]string{"go.mod": "module x\n\ngo 1.24\n\nrequire example.com/far v1.0.0\n", "main.go": "package main\n\nimport _ \"example.com/far\"\n\nfunc main() {}\n"})
	if err := compile.Build(t.Context(), dir, m); !errors.As(err, &typed) {
		t.Error(err)
	}
}

func TestWithoutACompilerNothingIsBuilt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("WASI_SDK_PATH", "")
	dir := source(t, map[string]string{"main.c": "int main(void) { return 0; }\n"})
	for _, language := range []string{"go", "c"} {
		err := compile.Build(t.Context(), dir, &manifest.Manifest{Name: "x", Module: "x.wasm", Language: language})
		if !errors.Is(err, compile.ErrNoCompiler) {
			t.Errorf("%s: %v", language, err)
		}
	}
	if err := compile.Build(t.Context(), t.TempDir(), &manifest.Manifest{Name: "x", Module: "x.wasm"}); err == nil || !strings.Contains(err.Error(), "no language") {
		t.Error(err)
	}
}

// Package compile calls the compilers that people have on their machines, for skills that they write themselves.
//
// It is the one package of the runtime's program that starts processes, and only "openclaw skills build" uses it: never an agent, and never for
// a skill that was installed. Nothing is downloaded for it: neither another version of a compiler nor modules.
package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"openclaw/skills/manifest"
)

// ErrNoCompiler reports that the machine has no compiler for a language.
var ErrNoCompiler = errors.New("the compiler is not on this machine")

// maxSaid bounds what is kept of what a compiler says.
const maxSaid = 16 << 10

// Error is why a compiler refused a skill.
type Error struct {
	Command string
	Said    string // by the compiler
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("compile: %s: %v\n%s", e.Command, e.Err, strings.TrimRight(e.Said, "\n"))
}

func (e *Error) Unwrap() error { return e.Err }

// Build compiles the skill in a directory into the module that its manifest names.
func Build(ctx context.Context, dir string, m *manifest.Manifest) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	out := filepath.Join(dir, filepath.FromSlash(m.Module))
	switch m.Language {
	case "go":
		return run(ctx, dir, "go", []string{"build", "-trimpath", "-ldflags=-s -w", "-o", out, "."}, goEnv())
	case "c":
		sources, err := filepath.Glob(filepath.Join(dir, "*.c"))
		if err != nil || len(sources) == 0 {
			return fmt.Errorf("compile: %s: no *.c files", dir)
		}
		compiler, flags := cCompiler()
		return run(ctx, dir, compiler, slices.Concat(flags, []string{"-O2", "-o", out}, sources), os.Environ())
	}
	return fmt.Errorf("compile: %s: the manifest names no language in [program]", m.Name)
}

// goEnv makes Go build for the sandbox, with what is on the machine.
func goEnv() []string {
	return append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOWORK=off", "GOPROXY=off", "GOFLAGS=")
}

// cCompiler is the one of a WASI SDK, when there is one, and else the system's clang with the system's wasi-libc.
func cCompiler() (string, []string) {
	if sdk := os.Getenv("WASI_SDK_PATH"); sdk != "" {
		return filepath.Join(sdk, "bin", "clang"), []string{"--target=wasm32-wasi"}
	}
	return "clang", []string{"--target=wasm32-wasi"}
}

func run(ctx context.Context, dir, name string, args, env []string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("compile: %s: %w", name, ErrNoCompiler)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, env
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		text := said.String()
		return &Error{Command: name, Said: text[:min(len(text), maxSaid)], Err: err}
	}
	return nil
}

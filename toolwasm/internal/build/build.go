// Package build compiles the guests, reproducibly: the same source and the same Go give the same bytes.
package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"

	"openclaw/toolwasm/internal/straighten"
)

// Guest is a guest program of this repository.
type Guest struct {
	Name    string
	Package string // its main package, relative to the module
	Dir     string // where its compiled form is committed, relative to the module
}

// Toolbox is the guest that every session has.
var Toolbox = Guest{Name: "toolbox", Package: "toolwasm/guest", Dir: "toolwasm"}

// The directories of the other guests: each directory in the first is the main package of one.
const (
	programSources = "toolwasm/guest/programs"
	programDir     = "toolwasm/embedded"
)

// Guests lists the guests of the module that root holds, the toolbox first.
func Guests(root string) ([]Guest, error) {
	list := []Guest{Toolbox}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(programSources)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("build: list guests: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, Guest{Name: e.Name(), Package: path.Join(programSources, e.Name()), Dir: programDir})
		}
	}
	return list, nil
}

// CompressedFile is the committed module, relative to the repository's module.
func (g Guest) CompressedFile() string {
	return filepath.Join(filepath.FromSlash(g.Dir), g.Name+".wasm.zst")
}

// SumFile holds the digest of the uncompressed module, its size and the version of Go that built it.
func (g Guest) SumFile() string { return filepath.Join(filepath.FromSlash(g.Dir), g.Name+".sum") }

// Compile builds the guest of the module that root holds and returns its WebAssembly module.
func (g Guest) Compile(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", g.Name+"-")
	if err != nil {
		return nil, fmt.Errorf("build: %s: %w", g.Name, err)
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./"+g.Package)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %s: %w\n%s", g.Name, err, bytes.TrimSpace(text))
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("build: %s: %w", g.Name, err)
	}
	return straighten.Module(module)
}

// Write builds the guest and writes what is committed of it. It returns the sizes of the module and of its compressed form.
func (g Guest) Write(ctx context.Context, root string) (size, packed int, err error) {
	module, err := g.Compile(ctx, root)
	if err != nil {
		return 0, 0, err
	}
	data, err := Compress(module)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{g.CompressedFile(), data}, {g.SumFile(), []byte(Sum(module))}} {
		if err := os.WriteFile(filepath.Join(root, f.name), f.data, 0o644); err != nil {
			return 0, 0, fmt.Errorf("build: %s: %w", g.Name, err)
		}
	}
	return len(module), len(data), nil
}

// Compress returns the form in which a module is committed.
func Compress(module []byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, fmt.Errorf("build: compress: %w", err)
	}
	defer enc.Close()
	return enc.EncodeAll(module, nil), nil
}

// Sum is the content of the sum file for a module built by this Go.
func Sum(module []byte) string {
	d := sha256.Sum256(module)
	return fmt.Sprintf("%s %d %s\n", hex.EncodeToString(d[:]), len(module), runtime.Version())
}

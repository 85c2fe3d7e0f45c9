// Package build compiles the toolbox guest, reproducibly: the same source and the same Go give the same bytes.
package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"

	"openclaw/toolwasm/internal/straighten"
)

// The files that a build leaves, in the directory of package toolwasm.
const (
	CompressedFile = "toolbox.wasm.zst"
	// SumFile holds the digest of the uncompressed module, its size and the version of Go that built it.
	SumFile = "toolbox.sum"
)

// guestPackage is the package of the guest, relative to the module.
const guestPackage = "./toolwasm/guest"

// Compile builds the guest of the module that root holds and returns the module.
func Compile(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolbox-")
	if err != nil {
		return nil, fmt.Errorf("build: toolbox: %w", err)
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "toolbox.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, guestPackage)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: toolbox: %w\n%s", err, bytes.TrimSpace(text))
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("build: toolbox: %w", err)
	}
	return straighten.Module(module)
}

// Compress returns the form in which the module is committed.
func Compress(module []byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, fmt.Errorf("build: compress: %w", err)
	}
	defer enc.Close()
	return enc.EncodeAll(module, nil), nil
}

// Sum is the content of SumFile for a module built by this Go.
func Sum(module []byte) string {
	d := sha256.Sum256(module)
	return fmt.Sprintf("%s %d %s\n", hex.EncodeToString(d[:]), len(module), runtime.Version())
}

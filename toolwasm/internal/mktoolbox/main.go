// Mktoolbox builds the toolbox and writes it where package toolwasm embeds it from.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"openclaw/toolwasm/internal/build"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mktoolbox:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	module, err := build.Compile(context.Background(), root)
	if err != nil {
		return err
	}
	packed, err := build.Compress(module)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "toolwasm")
	if err := os.WriteFile(filepath.Join(dir, build.CompressedFile), packed, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, build.SumFile), []byte(build.Sum(module)), 0o644); err != nil {
		return err
	}
	fmt.Printf("toolbox: %d bytes, %d compressed\n", len(module), len(packed))
	return nil
}

// moduleRoot finds go.mod in the working directory or above.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod in this directory or above")
		}
		dir = parent
	}
}

// Mktoolbox builds the toolbox and the other guests and writes them where package toolwasm embeds them from. Its arguments
// name the guests to build; without any it builds them all.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"openclaw/toolwasm/internal/build"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mktoolbox:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	guests, err := build.Guests(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(guests, func(g build.Guest) bool { return g.Name == name }) {
			return fmt.Errorf("there is no guest %q", name)
		}
	}
	for _, g := range guests {
		if len(names) > 0 && !slices.Contains(names, g.Name) {
			continue
		}
		size, packed, err := g.Write(context.Background(), root)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes, %d compressed\n", g.Name, size, packed)
	}
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

// Fuzz runs every fuzz target of the repository, one after the other, each for the given time.
package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fuzz DURATION")
		os.Exit(2)
	}
	targets, err := find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	failed := 0
	for _, t := range targets {
		fmt.Printf("== %s %s\n", t.dir, t.name)
		cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", os.Args[1], "./"+t.dir)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if cmd.Run() != nil {
			failed++
		}
	}
	fmt.Printf("%d passed, %d failed\n", len(targets)-failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

type target struct{ dir, name string }

// find lists the functions named Fuzz… in test files.
func find(root string) ([]target, error) {
	var targets []target
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), "func Fuzz"); ok {
				suffix, _, _ := strings.Cut(rest, "(")
				targets = append(targets, target{filepath.ToSlash(filepath.Dir(name)), "Fuzz" + suffix})
			}
		}
		return lines.Err()
	})
	return targets, err
}

package hostfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// errReplaced reports a directory that became something else while it was being opened.
var errReplaced = errors.New("it is a link, or has been replaced")

// NewBelow is New for a directory below another one. No link is followed on the way to it, and what is protected in the directory above is
// protected in the part of it, too: authority over a part is never more than over the whole.
func NewBelow(dir, below string, options Options) (*FS, error) {
	if !vfs.IsPlain(below) {
		return nil, fmt.Errorf("hostfs: open %q in %s: not a plain path", below, dir)
	}
	whole, err := New(dir, options)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	guards := whole.guards.inside(below)
	options.ReadOnly = options.ReadOnly || whole.guards.state(below) == protected
	root, err := openPlain(dir, below)
	if err != nil {
		return nil, fmt.Errorf("hostfs: open %q in %s: %w", below, dir, err)
	}
	return newFS(root, filepath.Join(dir, filepath.FromSlash(below)), guards, options)
}

// openPlain opens a directory below another one, a component at a time, each of which must be a directory itself.
func openPlain(dir, below string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(below, "/") {
		next, err := openChild(root, name)
		root.Close()
		if err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

func openChild(root *os.Root, name string) (*os.Root, error) {
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	// Asked afterwards, so that what has been opened is what had the name.
	named, err := root.Lstat(name)
	if err == nil {
		opened, statErr := next.Stat(".")
		if err = statErr; err == nil && !os.SameFile(named, opened) {
			err = errReplaced
		}
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// inside are the guards as they are from a directory below on.
func (g guards) inside(path string) guards {
	out := guards{}
	add := func(n guard) { out[n.names[0]] = append(out[n.names[0]], n) }
	for _, list := range g {
		for _, n := range list {
			if !n.anchored {
				add(n)
			}
		}
	}
	for _, tail := range g.below(path) {
		add(guard{tail, true})
	}
	return out
}

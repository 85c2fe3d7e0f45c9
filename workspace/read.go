package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// MaxFile bounds the size of a bootstrap file.
const MaxFile = 2 << 20

// A read that fails for a passing reason is tried again.
const (
	readAttempts = 3
	readPause    = 50 * time.Millisecond
)

// Reasons why a file is not read.
var (
	errNotRegular = errors.New("not a regular file")
	errDirectory  = errors.New("is a directory")
	errTooLarge   = fmt.Errorf("larger than %d bytes", MaxFile)
	errOutside    = errors.New("leads outside the workspace")
)

// dir is an opened workspace.
type dir struct {
	root *os.Root
	path string // with links resolved
}

func openDir(path string) (*dir, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, cause(err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, cause(err)
	}
	return &dir{root, real}, nil
}

func (d *dir) close() { _ = d.root.Close() }

// read reads a file of the top directory. A link that stays in the workspace is followed, any other is refused by name.
func (d *dir) read(ctx context.Context, name string) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		data, err := d.readOnce(name)
		passing := errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
		if !passing || attempt == readAttempts {
			return data, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(readPause):
		}
	}
}

func (d *dir) readOnce(name string) ([]byte, error) {
	data, err := d.readPlain(name)
	if err == nil {
		return data, nil
	}
	text, linkErr := d.root.Readlink(name)
	if linkErr != nil {
		return nil, cause(err)
	}
	// An absolute link into the workspace is a link inside, though the root, which knows no absolute paths, refuses it.
	real, realErr := filepath.EvalSymlinks(filepath.Join(d.path, name))
	if realErr != nil {
		return nil, fmt.Errorf("link to %s: %w", text, cause(realErr))
	}
	inside, relErr := filepath.Rel(d.path, real)
	if relErr != nil || !filepath.IsLocal(inside) {
		return nil, fmt.Errorf("link to %s: %w", text, errOutside)
	}
	data, err = d.readPlain(inside)
	if err != nil {
		return nil, fmt.Errorf("link to %s: %w", text, cause(err))
	}
	return data, nil
}

// readPlain reads a regular file of bounded size below the root. It never waits for a FIFO or a device.
func (d *dir) readPlain(name string) ([]byte, error) {
	info, err := d.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // what was opened may not be what was looked at
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		return nil, errTooLarge
	}
	return data, err
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() > MaxFile:
		return errTooLarge
	}
	return nil
}

// has reports whether something has exactly this name in the top directory.
func (d *dir) has(name string) (bool, error) {
	_, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, cause(err)
	case runtime.GOOS != "darwin" && runtime.GOOS != "windows":
		return true, nil
	}
	// The filesystem may take another case for the name.
	top, err := d.root.Open(".")
	if err != nil {
		return false, cause(err)
	}
	defer top.Close()
	for {
		names, err := top.Readdirnames(256)
		for _, n := range names {
			if n == name {
				return true, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, cause(err)
		}
	}
}

// oneLine folds a text's whitespace and bounds it.
func oneLine(text string, most int) string {
	return cut(strings.Join(strings.Fields(text), " "), most)
}

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	fileMode   = 0o600 // the file may hold keys
	maxBackups = 5     // .bak, .bak.1 … .bak.4
)

// store replaces a file as a whole. Its steps are fields so that tests can make each of them fail.
type store struct {
	create func(dir, pattern string) (tempFile, error)
	rename func(from, to string) error
	sync   func(dir string) error
}

// tempFile is what is needed of an *os.File.
type tempFile interface {
	Name() string
	Write([]byte) (int, error)
	Chmod(fs.FileMode) error
	Sync() error
	Close() error
}

func newStore() *store {
	return &store{
		create: func(dir, pattern string) (tempFile, error) { return os.CreateTemp(dir, pattern) },
		rename: os.Rename,
		sync:   syncDirectory,
	}
}

// replace writes the new content beside the file and renames it over it. What was there before becomes the newest backup.
// Everything that needs space is written before the first rename, so that a full disk changes nothing.
func (s *store) replace(file string, was, now []byte) (backup string, err error) {
	removeLeftovers(file)
	next, err := s.write(file, now)
	if err != nil {
		return "", err
	}
	defer os.Remove(next) // is gone after the rename
	if was != nil {
		if backup, err = s.backUp(file, was); err != nil {
			return "", fmt.Errorf("keep a backup: %w", err)
		}
	}
	if !same(file, was) {
		return "", ErrChanged
	}
	if err := s.rename(next, file); err != nil {
		return "", linkCause(err)
	}
	// The new content is in place: whether the directory could be synced changes only what survives a power failure now.
	if err := s.sync(filepath.Dir(file)); err != nil {
		return backup, fmt.Errorf("sync the directory after the file was replaced: %w", cause(err))
	}
	return backup, nil
}

// newInfix is in the name of what is not yet the file.
const newInfix = ".new-"

// removeLeftovers removes what a writer left that was killed. The caller holds the lock, so that nobody is writing.
func removeLeftovers(file string) {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return // they do no harm
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(file)+newInfix) {
			os.Remove(filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
}

// write puts the content into a new file beside the file, and on the disk.
func (s *store) write(file string, data []byte) (name string, err error) {
	f, err := s.create(filepath.Dir(file), filepath.Base(file)+newInfix+"*")
	if err != nil {
		return "", cause(err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(fileMode), f.Sync(), f.Close())
	if err != nil {
		return "", cause(err)
	}
	return f.Name(), nil
}

// backUp makes the content the newest backup and forgets the oldest one.
func (s *store) backUp(file string, data []byte) (string, error) {
	temp, err := s.write(file, data)
	if err != nil {
		return "", err
	}
	defer os.Remove(temp)
	for i := maxBackups - 1; i > 0; i-- {
		err := s.rename(backupName(file, i-1), backupName(file, i))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", linkCause(err)
		}
	}
	if err := s.rename(temp, backupName(file, 0)); err != nil {
		return "", linkCause(err)
	}
	return backupName(file, 0), nil
}

func backupName(file string, i int) string {
	if i == 0 {
		return file + ".bak"
	}
	return file + ".bak." + strconv.Itoa(i)
}

// linkCause is an error of a rename without the paths.
func linkCause(err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return cause(err)
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

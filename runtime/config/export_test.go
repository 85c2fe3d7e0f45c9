package config

import (
	"context"
	"io/fs"
	"os"
)

// LoadFuture reads the sections that this version refuses, too.
func LoadFuture(o Options) (*Config, error) {
	location, err := Locate(o)
	if err != nil {
		return nil, err
	}
	data, err := readFile(location.File)
	if err != nil {
		return nil, err
	}
	return parseConfig(o, location, newProblems(), data, true)
}

// Failing are the steps of a write that a test makes fail. Between is called before the file is compared and replaced.
type Failing struct {
	Create, Write, Sync, Rename, SyncDir error
	RenameAfter                          int // renames that succeed
	Between                              func()
}

// ChangeFailing is Change with steps that fail.
func ChangeFailing(o Options, e Edit, f Failing) (*Outcome, error) {
	location, err := Locate(o)
	if err != nil {
		return nil, err
	}
	s := newStore()
	create := s.create
	s.create = func(dir, pattern string) (tempFile, error) {
		if f.Create != nil {
			return nil, &fs.PathError{Op: "open", Path: dir, Err: f.Create}
		}
		t, err := create(dir, pattern)
		return failingFile{t, f}, err
	}
	renames := 0
	s.rename = func(from, to string) error {
		if renames++; f.Rename != nil && renames > f.RenameAfter {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: f.Rename}
		}
		return os.Rename(from, to)
	}
	sync := s.sync
	s.sync = func(dir string) error {
		if f.SyncDir != nil {
			return f.SyncDir
		}
		return sync(dir)
	}
	return change(o, location, e, s)
}

type failingFile struct {
	tempFile
	f Failing
}

func (t failingFile) Write(b []byte) (int, error) {
	if t.f.Write != nil {
		n, _ := t.tempFile.Write(b[:len(b)/2])
		return n, &fs.PathError{Op: "write", Path: t.Name(), Err: t.f.Write}
	}
	return t.tempFile.Write(b)
}

func (t failingFile) Sync() error {
	if t.f.Between != nil {
		t.f.Between()
	}
	if t.f.Sync != nil {
		return &fs.PathError{Op: "sync", Path: t.Name(), Err: t.f.Sync}
	}
	return t.tempFile.Sync()
}

// LockDirectory is the lock that writers take.
func LockDirectory(ctx context.Context, dir string) (func(), error) { return lockDirectory(ctx, dir) }

// ParseDotEnv reads the lines of a .env.
var ParseDotEnv = parseDotEnv

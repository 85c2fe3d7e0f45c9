package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Modes of what is made: notes of an agent are its user's own.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// publish puts a new file in place, whole or not at all. What has the name already stays, and made is false.
func publish(root *os.Root, name string, data []byte) (made bool, err error) {
	temp, err := writeTemp(root, name, data)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", name, cause(err))
	}
	defer func() { _ = root.Remove(temp) }()
	err = root.Link(temp, name) // unlike a rename it fails when the name is taken
	switch {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("put %s in place: %w", name, cause(err))
	}
	return true, nil
}

// replace puts a file in place of whatever has its name.
func replace(root *os.Root, name string, data []byte) error {
	temp, err := writeTemp(root, name, data)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, cause(err))
	}
	if err := root.Rename(temp, name); err != nil {
		_ = root.Remove(temp)
		return fmt.Errorf("put %s in place: %w", name, cause(err))
	}
	return nil
}

// writeTemp writes a file of its own beside the name.
func writeTemp(root *os.Root, name string, data []byte) (temp string, err error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	temp = "." + name + "." + hex.EncodeToString(random[:])
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = root.Remove(temp)
		return "", err
	}
	return temp, nil
}

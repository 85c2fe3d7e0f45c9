package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Identity tells one workspace from another, whatever names lead to it.
type Identity struct {
	Key   string // what it is recorded under: made from Path
	Path  string // with links resolved, as far as it exists
	Alias string // the same of Named
	Named string // as it is configured
}

// maxLinks bounds how many links lead to one path, as systems do.
const maxLinks = 40

// Identify finds out which directory a path means. It need not exist.
func Identify(dir string) (Identity, error) {
	named, err := filepath.Abs(dir)
	if err != nil {
		return Identity{}, fmt.Errorf("workspace: resolve %s: %w", dir, err)
	}
	real, err := canonical(named)
	if err != nil {
		return Identity{}, fmt.Errorf("workspace: resolve %s: %w", dir, err)
	}
	return Identity{Key: pathKey(real), Path: real, Alias: pathKey(named), Named: named}, nil
}

// canonical resolves the links of a path as far as it exists.
func canonical(name string) (string, error) {
	rest := ""
	for links := 0; ; {
		real, err := filepath.EvalSymlinks(name)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", cause(err)
		}
		// What a dangling link leads to may come to exist: it is that place which is meant.
		if text, err := os.Readlink(name); err == nil {
			if links++; links > maxLinks {
				return "", errors.New("too many links")
			}
			if !filepath.IsAbs(text) {
				text = filepath.Join(filepath.Dir(name), text)
			}
			name = filepath.Clean(text)
			continue
		}
		parent := filepath.Dir(name)
		if parent == name {
			return "", cause(err)
		}
		name, rest = parent, filepath.Join(filepath.Base(name), rest)
	}
}

// pathKey names a path in the database. Paths that some filesystem spells in two ways are one.
func pathKey(path string) string {
	path = norm.NFC.String(path)
	if runtime.GOOS == "windows" {
		path = strings.ToLower(path)
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

// cause is an error of the system without the path, which the message has already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

package sys

import (
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"strings"
)

// TempPattern is the name of a file that is to take the place of one beside it.
const TempPattern = ".openclaw-*.tmp"

// TempName is a path in dir that nobody else has: the pattern with something random for its "*". The guest is a snapshot,
// so that only the system's randomness differs from call to call.
func TempName(dir, pattern string) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	return strings.TrimSuffix(dir, "/") + "/" + strings.Replace(pattern, "*", hex.EncodeToString(random[:]), 1)
}

// CreateTemp makes a new file in dir under a name of [TempName]'s, which it returns even when it fails.
func CreateTemp(dir, pattern string, mode fs.FileMode) (*os.File, string, error) {
	name := TempName(dir, pattern)
	f, err := OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	return f, name, err
}

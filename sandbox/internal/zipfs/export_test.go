package zipfs

import (
	"bytes"
	"time"
)

// FromBytes opens an archive in memory.
func FromBytes(data []byte) (*FS, error) {
	f := &FS{archive: bytes.NewReader(data), size: uint64(len(data)), close: func() error { return nil }}
	return f, f.read(time.Time{})
}

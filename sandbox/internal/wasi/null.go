package wasi

import "openclaw/sandbox/internal/vfs"

// nullFile stands in for a stream that the host did not give: it reads as
// empty and discards what is written.
type nullFile struct{ vfs.StreamBase }

func (nullFile) Stat() (vfs.Stat, vfs.Errno) {
	return vfs.Stat{Type: vfs.TypeFIFO, Nlink: 1, Mode: 0o600}, vfs.OK
}
func (nullFile) Read([]byte) (int, vfs.Errno)    { return 0, vfs.OK }
func (nullFile) Write(p []byte) (int, vfs.Errno) { return len(p), vfs.OK }
func (nullFile) Close() vfs.Errno                { return vfs.OK }

// A nullFile never waits.
func (nullFile) Readable() (bool, int)         { return true, 0 }
func (nullFile) Writable() (bool, int)         { return true, ioChunk }
func (nullFile) Notify(chan<- struct{}) func() { return func() {} }

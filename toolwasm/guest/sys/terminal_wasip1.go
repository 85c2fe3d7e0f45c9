package sys

import "encoding/binary"

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_get
//go:noescape
func hostFdStatus(fd uint32, buf *byte) uint32

// The answer of fd_fdstat_get: the type comes first, the rights at their offset.
const (
	fdStatusSize   = 24
	fdRightsOffset = 8
	rightSeek      = 1 << 2
	rightTell      = 1 << 5
)

// terminalDescriptor knows a terminal as C libraries do: it is the character device without a position.
func terminalDescriptor(fd uintptr) bool {
	var buf [fdStatusSize]byte
	if hostFdStatus(uint32(fd), &buf[0]) != 0 || buf[0] != typeCharDevice {
		return false
	}
	return binary.LittleEndian.Uint64(buf[fdRightsOffset:])&(rightSeek|rightTell) == 0
}

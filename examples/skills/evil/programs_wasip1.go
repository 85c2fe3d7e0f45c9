package main

import (
	"fmt"
	"unsafe"
)

//go:wasmimport openclaw_v1 programs
//go:noescape
func listPrograms(buffer *byte, size uint32, length *uint32) uint32

// programs is what the host lets it start.
func programs() string {
	buffer := make([]byte, 4<<10)
	var n uint32
	errno := listPrograms(unsafe.SliceData(buffer), uint32(len(buffer)), &n)
	return fmt.Sprintf("%q %d", buffer[:min(n, uint32(len(buffer)))], errno)
}

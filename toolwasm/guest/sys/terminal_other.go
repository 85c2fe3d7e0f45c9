//go:build !linux && !wasip1

package sys

func terminalDescriptor(uintptr) bool { return false }

package main

import (
	"os"
	"syscall"
)

// peakMemory is the most memory that a process had, in bytes.
func peakMemory(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

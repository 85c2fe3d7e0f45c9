package sys

import "os"

// IsTerminal reports whether an open file is a terminal. Devices such as /dev/null are none.
func IsTerminal(f *os.File) bool {
	conn, err := f.SyscallConn() // Fd would change how the file is read
	if err != nil {
		return false
	}
	terminal := false
	err = conn.Control(func(fd uintptr) { terminal = terminalDescriptor(fd) })
	return err == nil && terminal
}

package sandbox

import "os"

// isTerminal reports whether a reader or writer is a terminal of the host. A device that is none, such as /dev/null, is not.
func isTerminal(readerOrWriter any) bool {
	file, ok := readerOrWriter.(*os.File)
	if !ok || file == nil {
		return false
	}
	conn, err := file.SyscallConn() // Fd would change how the file is read
	if err != nil {
		return false
	}
	terminal := false
	err = conn.Control(func(fd uintptr) { terminal = terminalDescriptor(fd) })
	return err == nil && terminal
}

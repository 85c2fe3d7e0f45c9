//go:build unix

package bundle

import "syscall"

// quietly keeps an open from waiting, should the file be a FIFO.
const quietly = syscall.O_NONBLOCK

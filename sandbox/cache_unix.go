//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// othersWrite are the permission bits by which users other than the owner could plant code.
const othersWrite = 0o022

func checkOwner(st fs.FileInfo) error {
	if st.Mode().Perm()&othersWrite != 0 {
		return errUntrusted
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && int(sys.Uid) != os.Geteuid() {
		return errUntrusted
	}
	return nil
}

//go:build unix

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// othersWrite are the permission bits by which users other than the owner could plant code.
const othersWrite = 0o022

func checkOwner(dir string, st fs.FileInfo) error {
	if st.Mode().Perm()&othersWrite != 0 {
		return fmt.Errorf("%w (try: chmod 700 %s)", errUntrusted, dir)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && int(sys.Uid) != os.Geteuid() {
		return fmt.Errorf("%w (it belongs to another user: set XDG_CACHE_HOME to a directory of your own)", errUntrusted)
	}
	return nil
}

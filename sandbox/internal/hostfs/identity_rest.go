//go:build !linux && !darwin && !windows

package hostfs

import "os"

// countsNames says that this system cannot tell how many names a file has: nothing is mounted on it.
const countsNames = false

func identify(*os.File) (dev, ino, nlink uint64, err error) { return 0, 0, 1, nil }

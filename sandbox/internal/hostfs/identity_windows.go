package hostfs

import (
	"os"

	"golang.org/x/sys/windows"
)

// countsNames says that this system can tell how many names a file has, without which hard links are no use to refuse.
const countsNames = true

// identify tells what makes an open file the same as another, and how many names it has.
func identify(f *os.File) (dev, ino, nlink uint64, err error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return 0, 0, 0, err
	}
	ino = uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	return uint64(info.VolumeSerialNumber), ino, uint64(info.NumberOfLinks), nil
}

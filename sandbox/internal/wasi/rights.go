package wasi

import "openclaw/sandbox/internal/vfs"

// The rights of preview 1, by bit.
const (
	rightFDDatasync uint64 = 1 << iota
	rightFDRead
	rightFDSeek
	rightFDSetFlags
	rightFDSync
	rightFDTell
	rightFDWrite
	rightFDAdvise
	rightFDAllocate
	rightPathCreateDirectory
	rightPathCreateFile
	rightPathLinkSource
	rightPathLinkTarget
	rightPathOpen
	rightFDReaddir
	rightPathReadlink
	rightPathRenameSource
	rightPathRenameTarget
	rightPathFilestatGet
	rightPathFilestatSetSize
	rightPathFilestatSetTimes
	rightFDFilestatGet
	rightFDFilestatSetSize
	rightFDFilestatSetTimes
	rightPathSymlink
	rightPathRemoveDirectory
	rightPathUnlinkFile
	rightPollFDReadwrite
	rightSockShutdown
	rightSockAccept

	rightsAll = rightSockAccept<<1 - 1
)

// What makes sense for each kind of file.
const (
	rightsStream = rightFDRead | rightFDWrite | rightFDSetFlags | rightFDSync | rightFDDatasync |
		rightFDFilestatGet | rightPollFDReadwrite

	// A character device that is not a terminal can be "sought": guests tell a
	// terminal by its lack of that right.
	rightsDevice = rightsStream | rightFDSeek | rightFDTell

	rightsRegular = rightsDevice | rightFDAdvise | rightFDAllocate |
		rightFDFilestatSetSize | rightFDFilestatSetTimes

	rightsDirectory = rightFDSetFlags | rightFDSync | rightFDDatasync | rightFDReaddir |
		rightPathCreateDirectory | rightPathCreateFile | rightPathLinkSource | rightPathLinkTarget |
		rightPathOpen | rightPathReadlink | rightPathRenameSource | rightPathRenameTarget |
		rightPathFilestatGet | rightPathFilestatSetSize | rightPathFilestatSetTimes |
		rightFDFilestatGet | rightFDFilestatSetTimes | rightPathSymlink |
		rightPathRemoveDirectory | rightPathUnlinkFile | rightPollFDReadwrite
)

func rightsOf(kind vfs.FileType, stream bool) uint64 {
	switch {
	case kind == vfs.TypeDirectory:
		return rightsDirectory
	case stream:
		return rightsStream
	case kind == vfs.TypeRegular:
		return rightsRegular
	}
	return rightsDevice
}

// guestType is the number that preview 1 knows a file type by.
func guestType(t vfs.FileType) uint8 {
	if t == vfs.TypeFIFO {
		return uint8(vfs.TypeUnknown)
	}
	return uint8(t)
}

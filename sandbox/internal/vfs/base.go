package vfs

// DirectoryBase answers the methods of File that make no sense for a directory. Embed it and add Stat, Chmod,
// Utimes, Readdir and Close.
type DirectoryBase struct{}

func (DirectoryBase) Read([]byte) (int, Errno)          { return 0, EISDIR }
func (DirectoryBase) Write([]byte) (int, Errno)         { return 0, EBADF }
func (DirectoryBase) Pread([]byte, int64) (int, Errno)  { return 0, EISDIR }
func (DirectoryBase) Pwrite([]byte, int64) (int, Errno) { return 0, EBADF }
func (DirectoryBase) Seek(Offset, int) (int64, Errno)   { return 0, EBADF }
func (DirectoryBase) Truncate(int64) Errno              { return EINVAL }
func (DirectoryBase) Allocate(int64, int64) Errno       { return EBADF }
func (DirectoryBase) Sync() Errno                       { return OK }
func (DirectoryBase) Datasync() Errno                   { return OK }
func (DirectoryBase) SetAppend(bool) Errno              { return OK }

// StreamBase answers the methods of File that make no sense for a character device or a stream. Embed it and add
// Stat, Read, Write and Close.
type StreamBase struct{}

func (StreamBase) Pread([]byte, int64) (int, Errno)    { return 0, ESPIPE }
func (StreamBase) Pwrite([]byte, int64) (int, Errno)   { return 0, ESPIPE }
func (StreamBase) Seek(Offset, int) (int64, Errno)     { return 0, ESPIPE }
func (StreamBase) Truncate(int64) Errno                { return EINVAL }
func (StreamBase) Allocate(int64, int64) Errno         { return ENODEV }
func (StreamBase) Sync() Errno                         { return EINVAL }
func (StreamBase) Datasync() Errno                     { return EINVAL }
func (StreamBase) Chmod(uint32) Errno                  { return EPERM }
func (StreamBase) Utimes(int64, int64, TimeFlag) Errno { return EPERM }
func (StreamBase) SetAppend(bool) Errno                { return OK }
func (StreamBase) Readdir() ([]Dirent, Errno)          { return nil, ENOTDIR }

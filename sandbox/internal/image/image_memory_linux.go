package image

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// New makes an image of data without a file in any directory: in anonymous memory that can be mapped like a file.
func New(data []byte) (*Image, error) {
	fd, err := unix.MemfdCreate("image", unix.MFD_CLOEXEC)
	if err != nil {
		return &Image{size: int64(len(data)), data: append([]byte(nil), data...)}, nil
	}
	f := os.NewFile(uintptr(fd), "image")
	if err := f.Truncate(int64(len(data))); err != nil {
		f.Close()
		return nil, fmt.Errorf("image: new: %w", err)
	}
	if err := writeSparse(f, data); err != nil {
		f.Close()
		return nil, fmt.Errorf("image: new: %w", err)
	}
	return &Image{size: int64(len(data)), file: f}, nil
}

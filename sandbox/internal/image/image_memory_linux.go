package image

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// New makes an image without a file in any directory: in anonymous memory that can be mapped like a file.
func New(content Content) (*Image, error) {
	fd, err := unix.MemfdCreate("image", unix.MFD_CLOEXEC)
	if err != nil {
		return &Image{size: content.Size, data: content.bytes()}, nil
	}
	f := os.NewFile(uintptr(fd), "image")
	if err := content.writeTo(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("image: new: %w", err)
	}
	return &Image{size: content.Size, file: f}, nil
}

//go:build !linux

package image

// New makes an image of data without a file in any directory.
func New(data []byte) (*Image, error) {
	return &Image{size: int64(len(data)), data: append([]byte(nil), data...)}, nil
}

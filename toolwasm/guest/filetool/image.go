package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// Limits of pictures. Models see none in more detail than maxSide pixels, and pay for what they are given.
const (
	maxSide = 1200
	// maxImage is how many bytes a picture has that is shown, so that it has 5 MiB in base64, and maxScaled how many one that can be
	// scaled down.
	maxImage  = 5 << 20 / 4 * 3
	maxScaled = 32 << 20
	// maxPixels bounds the memory that decoding takes: four bytes for a pixel, or eight.
	maxPixels = 24_000_000
	// maxLossless is how large a PNG may become before a JPEG takes its place.
	maxLossless = 2 << 20
	quality     = 85
)

// codec reads a format of pictures.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// codecOf finds the codec of a type that can be scaled.
func codecOf(mime string) (codec, bool) {
	switch mime {
	case "image/png":
		return codec{png.DecodeConfig, png.Decode}, true
	case "image/jpeg":
		return codec{jpeg.DecodeConfig, jpeg.Decode}, true
	case "image/gif":
		return codec{gif.DecodeConfig, gif.Decode}, true
	}
	return codec{}, false
}

// picture is an image that can be shown.
type picture struct {
	data          []byte
	mime          string
	width, height int // of the file; 0 when they are not known
	scaled        bool
}

// fit makes a picture small enough to be shown. The error says why it cannot be.
func fit(data []byte, mime string) (picture, error) {
	p := picture{data: data, mime: mime}
	c, ok := codecOf(mime)
	if !ok {
		return p, tooLarge(len(data))
	}
	config, err := c.config(bytes.NewReader(data))
	if err != nil {
		return p, tooLarge(len(data)) // another decoder may make something of it
	}
	p.width, p.height = config.Width, config.Height
	if max(p.width, p.height) <= maxSide && len(data) <= maxImage {
		return p, nil
	}
	if pixels := int64(p.width) * int64(p.height); pixels > maxPixels || deep(config.ColorModel) && pixels > maxPixels/2 {
		return p, fmt.Errorf("it has %d x %d pixels, more than can be scaled down", p.width, p.height)
	}
	decoded, err := c.decode(bytes.NewReader(data))
	if err != nil {
		return p, fmt.Errorf("it is damaged: %w", err)
	}
	small := shrink(decoded, maxSide)
	if p.data, p.mime, err = encode(small, mime); err != nil {
		return p, err
	}
	if mime == "image/jpeg" {
		p.data = withOrientation(p.data, data)
	}
	p.scaled = true
	return p, tooLarge(len(p.data))
}

func tooLarge(n int) error {
	if n <= maxImage {
		return nil
	}
	return fmt.Errorf("it has %d bytes; images of more than %d are not shown", n, maxImage)
}

// deep tells that a pixel takes eight bytes.
func deep(m color.Model) bool {
	return m == color.RGBA64Model || m == color.NRGBA64Model || m == color.Gray16Model
}

// shrink averages the pixels of an image so that its longer side is at most side. It works in strips, so that the image is never there
// a second time in full.
func shrink(src image.Image, side int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	longest := max(w, h, side)
	dw, dh := max(1, w*side/longest), max(1, h*side/longest)
	out := image.NewRGBA(image.Rect(0, 0, dw, dh))
	strip := image.NewRGBA(image.Rect(0, 0, w, h/dh+2))
	for y := range dh {
		y0, y1 := stretch(y, h, dh)
		draw.Draw(strip, image.Rect(0, 0, w, y1-y0), src, image.Pt(b.Min.X, b.Min.Y+y0), draw.Src)
		for x := range dw {
			x0, x1 := stretch(x, w, dw)
			average(out.Pix[out.PixOffset(x, y):], strip, x0, x1, y1-y0)
		}
	}
	return out
}

// stretch is what of n source pixels goes into pixel i of m.
func stretch(i, n, m int) (from, to int) {
	from, to = i*n/m, (i+1)*n/m
	return from, max(to, from+1)
}

// average puts the mean of the pixels from x0 to x1 in the first rows of a strip into dst. Their colours are multiplied with their
// opacity, as they must be for that.
func average(dst []byte, strip *image.RGBA, x0, x1, rows int) {
	var r, g, b, a uint32
	for y := range rows {
		line := strip.Pix[y*strip.Stride+4*x0 : y*strip.Stride+4*x1]
		for i := 0; i < len(line); i += 4 {
			r, g, b, a = r+uint32(line[i]), g+uint32(line[i+1]), b+uint32(line[i+2]), a+uint32(line[i+3])
		}
	}
	n := uint32(rows * (x1 - x0))
	half := n / 2
	dst[0], dst[1], dst[2], dst[3] = byte((r+half)/n), byte((g+half)/n), byte((b+half)/n), byte((a+half)/n)
}

// encode writes a picture in its own format, or as PNG where there is none to write; one that is too large that way as JPEG.
func encode(img *image.RGBA, mime string) (data []byte, as string, err error) {
	var b bytes.Buffer
	if mime != "image/jpeg" {
		if err := png.Encode(&b, img); err != nil {
			return nil, "", err
		}
		if b.Len() <= maxLossless {
			return b.Bytes(), "image/png", nil
		}
		b.Reset()
		flat := image.NewRGBA(img.Rect) // a JPEG has no opacity
		draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(flat, flat.Rect, img, image.Point{}, draw.Over)
		img = flat
	}
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, "", err
	}
	return b.Bytes(), "image/jpeg", nil
}

// Markers of a JPEG.
const (
	jpegStart = "\xff\xd8"
	jpegEXIF  = 0xe1 // the segment with what a camera says, which side is up among it
	jpegScan  = 0xda // the picture itself begins
)

var errNoEXIF = errors.New("no EXIF segment")

// withOrientation gives a new JPEG what the old one says of which side is up.
func withOrientation(data, old []byte) []byte {
	segment, err := exifOf(old)
	if err != nil || !bytes.HasPrefix(data, []byte(jpegStart)) {
		return data
	}
	return append(append([]byte(jpegStart), segment...), data[len(jpegStart):]...)
}

// exifOf finds the EXIF segment of a JPEG, with its marker.
func exifOf(data []byte) ([]byte, error) {
	const header = 4 // marker and length
	for at := len(jpegStart); at+header <= len(data) && data[at] == 0xff && data[at+1] != jpegScan; {
		n := 2 + int(data[at+2])<<8 + int(data[at+3])
		if n < header || at+n > len(data) {
			break
		}
		if segment := data[at : at+n]; segment[1] == jpegEXIF && bytes.HasPrefix(segment[header:], []byte("Exif\x00")) {
			return segment, nil
		}
		at += n
	}
	return nil, errNoEXIF
}

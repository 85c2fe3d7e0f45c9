package filetool

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

// striped is an image with a red left and a blue right half, and noise on top when it is asked for.
func striped(w, h int, noise bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 255, A: 255}
			if x >= w/2 {
				c = color.NRGBA{B: 255, A: 255}
			}
			if noise {
				c = color.NRGBA{byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32()), 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func encoded(t *testing.T, mime string, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch mime {
	case "image/png":
		err = png.Encode(&b, img)
	case "image/jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "image/gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLargeImagesAreShownSmaller(t *testing.T) {
	for _, c := range []struct {
		name, mime    string
		img           image.Image
		w, h          int
		as            string
		text          string
		sameAsTheFile bool
	}{
		{"small", "image/png", striped(100, 50, false), 100, 50, "image/png", "100 x 50 pixels]", true},
		{"as large as is shown", "image/png", striped(1200, 3, false), 1200, 3, "image/png", "1200 x 3 pixels]", true},
		{"wide", "image/png", striped(2400, 300, false), 1200, 150, "image/png", "2400 x 300 pixels; shown smaller, at most 1200 pixels wide and high]", false},
		{"high", "image/jpeg", striped(700, 1900, false), 442, 1200, "image/jpeg", "700 x 1900 pixels; shown smaller", false},
		{"one pixel high", "image/png", striped(5000, 1, false), 1200, 1, "image/png", "shown smaller", false},
		{"GIF", "image/gif", striped(1300, 1300, false), 1200, 1200, "image/png", "shown smaller", false},
		{"noise", "image/png", striped(1500, 1500, true), 1200, 1200, "image/jpeg", "shown smaller", false},
		{"sixteen bits", "image/png", image.NewNRGBA64(image.Rect(0, 0, 1300, 10)), 1200, 9, "image/png", "shown smaller", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := encoded(t, c.mime, c.img)
			w := newWorkdir(t, map[string]string{"f": file})
			a := w.call("read", args{"path": "f"})
			if len(a.Images) != 1 || a.Images[0].MIMEType != c.as || !strings.Contains(a.Text, c.text) {
				t.Fatalf("status %d: %s, %d images", a.status, a.Text, len(a.Images))
			}
			if same := string(a.Images[0].Data) == file; same != c.sameAsTheFile {
				t.Errorf("the file's own bytes: %v", same)
			}
			img, _, err := image.Decode(bytes.NewReader(a.Images[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() != c.w || b.Dy() != c.h {
				t.Errorf("%d x %d, want %d x %d", b.Dx(), b.Dy(), c.w, c.h)
			}
			if _, ok := c.img.(*image.NRGBA); !ok || c.name == "noise" {
				return
			}
			left, _, _, _ := img.At(c.w/4, c.h/2).RGBA()
			_, _, right, _ := img.At(c.w*3/4, c.h/2).RGBA()
			if left < 0xf000 || right < 0xf000 {
				t.Errorf("the colours are gone: %04x %04x", left, right)
			}
		})
	}
}

// TestWhichSideIsUpStaysKnown keeps the camera's word in a picture that was made smaller.
func TestWhichSideIsUpStaysKnown(t *testing.T) {
	plain := encoded(t, "image/jpeg", striped(1300, 20, false))
	exif := "\xff\xe1\x00\x10Exif\x00\x00rotated!"
	w := newWorkdir(t, map[string]string{"f": plain[:2] + exif + plain[2:], "cut": plain[:2] + "\xff\xe1\xff\xffExif\x00\x00"})
	a := w.call("read", args{"path": "f"})
	if len(a.Images) != 1 || !bytes.HasPrefix(a.Images[0].Data, []byte(plain[:2]+exif)) {
		t.Errorf("%s", a.Text)
	}
	if a := w.call("read", args{"path": "cut"}); a.status != statusDone {
		t.Errorf("%d %s", a.status, a.Text)
	}
}

func TestImagesThatAreNotShown(t *testing.T) {
	big := encoded(t, "image/png", image.NewPaletted(image.Rect(0, 0, 6000, 6000), color.Palette{color.White}))
	cut := encoded(t, "image/png", striped(1300, 1300, true))
	w := newWorkdir(t, map[string]string{"big": big, "cut": cut[:len(cut)/2], "long.webp": "RIFF\x00\x00\x00\x00WEBP" + strings.Repeat("x", maxImage)})
	for name, want := range map[string]string{
		"big":       "[big is an image (image/png) that is not shown: it has 6000 x 6000 pixels, more than can be scaled down]",
		"cut":       "[cut is an image (image/png) that is not shown: it is damaged: png: invalid format: not enough pixel data]",
		"long.webp": "[long.webp is an image (image/webp) that is not shown: it has 3932172 bytes; images of more than 3932160 are not shown]",
	} {
		if a := w.call("read", args{"path": name}); a.status != statusDone || len(a.Images) != 0 || a.Text != want {
			t.Errorf("%s: %d %q, %d images", name, a.status, a.Text, len(a.Images))
		}
	}
}

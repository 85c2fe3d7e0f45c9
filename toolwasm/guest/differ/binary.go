package differ

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"openclaw/toolwasm/guest/command"
)

// binaryFiles compares two files of which nothing more is told than whether they differ, a block at a time: files that are not
// text, and any with -q. It reports false when the lines matter, or when a file cannot be read, which is for others to say.
func (d *differ) binaryFiles(a, b node) (answer int, known bool) {
	if d.text || d.style == styleSide || d.style == styleFormats {
		return 0, false
	}
	for _, n := range []node{a, b} {
		if !n.ok || n.name == "-" || !n.info.IsRegular() {
			return 0, false
		}
	}
	fa, err := d.p.Open(a.name)
	if err != nil {
		return 0, false
	}
	defer fa.Close()
	fb, err := d.p.Open(b.name)
	if err != nil {
		return 0, false
	}
	defer fb.Close()
	equal, known, err := d.sameBytes(fa, fb)
	switch {
	case err != nil || !known:
		return 0, false
	case equal:
		return d.identicalFiles(a, b), true
	}
	form := "Binary files %s and %s differ\n"
	if d.brief {
		form = "Files %s and %s differ\n"
	}
	fmt.Fprintf(d.out, form, d.label(0, a.name), d.label(1, b.name))
	return differs, true
}

// sameBytes compares two files, if their lines do not matter.
func (d *differ) sameBytes(fa, fb command.File) (equal, known bool, err error) {
	known = d.brief && d.space.exact() && !d.blankLines && len(d.ignore) == 0
	ba, bb := make([]byte, binaryProbe), make([]byte, binaryProbe)
	for {
		na, err := fill(fa, ba)
		if err != nil {
			return false, false, err
		}
		nb, err := fill(fb, bb)
		if err != nil {
			return false, false, err
		}
		known = known || isBinary(ba[:na]) || isBinary(bb[:nb])
		switch {
		case !known:
			return false, false, nil
		case !bytes.Equal(ba[:na], bb[:nb]):
			return false, true, nil
		case na < len(ba):
			return true, true, nil
		}
		d.p.Yield()
	}
}

// fill reads until b is full or the file ends.
func fill(f io.Reader, b []byte) (int, error) {
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

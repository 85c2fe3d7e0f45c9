package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"openclaw/skills/manifest"
)

// Bounds of the assets. They are counted while the archive is read, whatever its headers say.
const (
	MaxPacked   = 32 << 20  // bytes of the archive
	MaxUnpacked = 128 << 20 // bytes of the files, with what surrounds them
	MaxAsset    = 64 << 20  // bytes of one file
	MaxEntries  = 4096
	// MaxRatio is how many bytes one of the archive may become, beyond the first mebibyte.
	MaxRatio  = 100
	freeRatio = 1 << 20

	maxWindow = 8 << 20 // bytes that the decoder looks back
)

// DocName is the name of the instructions among the files of a skill. No asset has it.
const DocName = "SKILL.md"

// Modes of assets. An archive has no others.
const (
	modeFile   fs.FileMode = 0o644
	modeScript fs.FileMode = 0o755
)

// Asset is a file in a bundle, or a directory.
type Asset struct {
	Path string
	Size int64 // zero for a directory
	Mode fs.FileMode
}

// visitError is an error of the one who visits the assets, and not of the archive.
type visitError struct{ error }

// Assets lists the assets in their order. content, which may not be kept, gives the file's bytes.
func (b *Bundle) Assets(visit func(a Asset, content io.Reader) error) error {
	if b.assets == nil {
		return nil
	}
	return readArchive(b.assets, visit)
}

// checkAssets reads all of the archive once.
func (b *Bundle) checkAssets() error {
	script := b.Manifest.Script == ""
	err := b.Assets(func(a Asset, content io.Reader) error {
		script = script || a.Path == b.Manifest.Script && !a.Mode.IsDir()
		_, err := io.Copy(io.Discard, content)
		return err
	})
	if err == nil && !script {
		err = fail("section "+SectionAssets, ErrMalformed, "the script %s is not among them", b.Manifest.Script)
	}
	return err
}

// readArchive reads an archive and refuses it as soon as it goes beyond a bound.
func readArchive(packed []byte, visit func(Asset, io.Reader) error) error {
	dec, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxUnpacked), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return &Error{Where: "section " + SectionAssets, Cause: ErrArchive, Detail: err}
	}
	defer dec.Close()
	a := &archive{in: &counted{from: dec, left: min(MaxUnpacked, int64(len(packed))*MaxRatio+freeRatio)}, seen: map[string]bool{}}
	err = a.read(visit)
	var outside visitError
	var typed *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &outside):
		return outside.error
	case errors.As(err, &typed):
		return err
	}
	cause := ErrArchive
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		cause = ErrTooLarge
	}
	return &Error{Where: "section " + SectionAssets, Cause: cause, Detail: err}
}

// counted ends a stream that goes on for too long.
type counted struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fail("section "+SectionAssets, ErrTooLarge, "it unpacks to more than %d bytes, or to more than %d times its size", MaxUnpacked, MaxRatio)
	}
	n, err := c.from.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// archive is one that is being read.
type archive struct {
	in      *counted
	seen    map[string]bool // folded paths; true for directories
	entries int
}

func (a *archive) read(visit func(Asset, io.Reader) error) error {
	in := tar.NewReader(a.in)
	for {
		h, err := in.Next()
		if err == io.EOF {
			return a.rest()
		}
		if err != nil {
			return err
		}
		asset, err := a.admit(h)
		if err != nil {
			return err
		}
		content := &entryReader{from: in}
		if err := visit(asset, content); err != nil && content.err == nil {
			return visitError{err}
		}
		if content.err != nil {
			return content.err
		}
	}
}

// entryReader remembers what went wrong while an entry was read, so that it is told from what its reader did with it.
type entryReader struct {
	from io.Reader
	err  error
}

// Read implements io.Reader.
func (r *entryReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// rest makes sure that nothing follows the end of the archive but what fills its last block up.
func (a *archive) rest() error {
	var block [4 << 10]byte
	for {
		n, err := a.in.Read(block[:])
		if len(bytes.Trim(block[:n], "\x00")) > 0 {
			return fail("section "+SectionAssets, ErrArchive, "something follows the last entry")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// admit decides on an entry before anything of it is used.
func (a *archive) admit(h *tar.Header) (Asset, error) {
	refuse := func(format string, args ...any) (Asset, error) {
		return Asset{}, fail("section "+SectionAssets, ErrArchive, "%.200q: %w", h.Name, fmt.Errorf(format, args...))
	}
	if a.entries++; a.entries > MaxEntries {
		return Asset{}, fail("section "+SectionAssets, ErrTooLarge, "more than %d entries", MaxEntries)
	}
	asset := Asset{Path: strings.TrimSuffix(h.Name, "/"), Size: h.Size, Mode: modeFile}
	for key := range h.PAXRecords {
		if key != "path" {
			return refuse("it has the attribute %s", key)
		}
	}
	switch h.Typeflag {
	case tar.TypeReg:
		if fs.FileMode(h.Mode)&0o111 != 0 {
			asset.Mode = modeScript
		}
		if asset.Path != h.Name {
			return refuse("a file with the name of a directory")
		}
	case tar.TypeDir:
		asset.Mode, asset.Size = fs.ModeDir|modeScript, 0
	default:
		return refuse("neither a file nor a directory")
	}
	if err := manifest.CheckPath(asset.Path); err != nil {
		return refuse("%w", err)
	}
	if asset.Size > MaxAsset {
		return Asset{}, fail("section "+SectionAssets, ErrTooLarge, "%s has %d bytes, more than %d", asset.Path, asset.Size, MaxAsset)
	}
	return asset, a.enter(asset)
}

// enter refuses a path that is there already, on this system or on one that tells names apart less well.
func (a *archive) enter(asset Asset) error {
	folded := fold(asset.Path)
	if _, taken := a.seen[folded]; taken || folded == fold(DocName) {
		return fail("section "+SectionAssets, ErrArchive, "%q: there are two of the name", asset.Path)
	}
	a.seen[folded] = asset.Mode.IsDir()
	if dir := path.Dir(folded); dir != "." {
		if isDir, there := a.seen[dir]; !there || !isDir {
			return fail("section "+SectionAssets, ErrArchive, "%q: its directory does not come before it", asset.Path)
		}
	}
	return nil
}

// fold makes names equal that some system takes for the same.
func fold(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }

// source is a file that is to be packed.
type source struct {
	Asset
	data []byte
}

// writeArchive packs files. The same files make the same bytes, whenever and wherever they are packed.
func writeArchive(files []source) ([]byte, error) {
	slices.SortFunc(files, func(a, b source) int { return strings.Compare(a.Path, b.Path) })
	var out bytes.Buffer
	enc, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("bundle: pack assets: %w", err)
	}
	w := tar.NewWriter(enc)
	for _, f := range files {
		h := &tar.Header{Name: f.Path, Typeflag: tar.TypeReg, Size: f.Size, Mode: int64(f.Mode.Perm())}
		if f.Mode.IsDir() {
			h.Name, h.Typeflag = f.Path+"/", tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("bundle: pack %s: %w", f.Path, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, fmt.Errorf("bundle: pack %s: %w", f.Path, err)
		}
	}
	if err := errors.Join(w.Close(), enc.Close()); err != nil {
		return nil, fmt.Errorf("bundle: pack assets: %w", err)
	}
	return out.Bytes(), nil
}

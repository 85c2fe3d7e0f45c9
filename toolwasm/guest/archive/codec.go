package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// codec is a compression format for one stream.
type codec struct {
	name     string
	suffix   string
	magic    string
	suffixes [][2]string // of compressed files, with what replaces them
	reader   func(io.Reader) (io.Reader, error)
	writer   func(w io.Writer, level int) (io.WriteCloser, error) // nil: the format cannot be written
}

// The limits of the readers: what a stream may ask for before it is refused.
const (
	zstdMaxMemory = 128 << 20
	xzMaxDict     = 64 << 20
)

// errTooMuchMemory reports a stream that needs more memory than the limits above.
var errTooMuchMemory = errors.New("memory usage limit reached")

// xzDictionary is the size of the dictionary that the first block of a stream asks for, 0 when it cannot be told: the library
// allocates whatever a stream says.
func xzDictionary(r *bufio.Reader) int64 {
	const streamHeader, maxBlockHeader, lzma2 = 12, 1024, 0x21
	head, _ := r.Peek(streamHeader + maxBlockHeader)
	if len(head) < streamHeader+2 || head[streamHeader] == 0 {
		return 0 // no block
	}
	block := head[streamHeader:]
	flags, at := block[1], 2
	for _, sized := range []bool{flags&0x40 != 0, flags&0x80 != 0} {
		for more := sized; more && at < len(block); at++ {
			more = block[at]&0x80 != 0
		}
	}
	for range flags&3 + 1 { // the filters, of which LZMA2 is the last
		if at+2 >= len(block) {
			return 0
		}
		id, size := block[at], int(block[at+1])
		if id == lzma2 && size == 1 {
			n := block[at+2] & 0x3f
			return int64(2|n&1) << (n/2 + 11)
		}
		at += 2 + size
	}
	return 0
}

var errNoCompressor = errors.New("compression is not supported, only decompression")

func gzipCodec() codec {
	return codec{
		name: "gzip", suffix: ".gz", magic: "\x1f\x8b",
		suffixes: [][2]string{{".gz", ""}, {".tgz", ".tar"}, {".taz", ".tar"}, {".z", ""}, {"-gz", ""}, {"-z", ""}, {"_z", ""}, {".Z", ""}},
		reader:   func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		writer:   func(w io.Writer, level int) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzipLevel(level)) },
	}
}

// gzipLevel maps the levels of the command line; 0 is the default.
func gzipLevel(n int) int {
	if n < 1 || n > 9 {
		return gzip.DefaultCompression
	}
	return n
}

func bzip2Codec() codec {
	return codec{
		name: "bzip2", suffix: ".bz2", magic: "BZh",
		suffixes: [][2]string{{".bz2", ""}, {".bz", ""}, {".tbz2", ".tar"}, {".tbz", ".tar"}},
		reader:   func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil },
	}
}

func xzCodec() codec {
	return codec{
		name: "xz", suffix: ".xz", magic: "\xfd7zXZ\x00",
		suffixes: [][2]string{{".xz", ""}, {".txz", ".tar"}},
		reader: func(r io.Reader) (io.Reader, error) {
			src := bufio.NewReader(r)
			if xzDictionary(src) > xzMaxDict {
				return nil, errTooMuchMemory
			}
			return xz.ReaderConfig{DictCap: xzMaxDict}.NewReader(src)
		},
		writer: func(w io.Writer, _ int) (io.WriteCloser, error) { return xz.NewWriter(w) },
	}
}

func zstdCodec() codec {
	return codec{
		name: "zstd", suffix: ".zst", magic: "\x28\xb5\x2f\xfd",
		suffixes: [][2]string{{".zst", ""}, {".tzst", ".tar"}},
		reader: func(r io.Reader) (io.Reader, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(zstdMaxMemory))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		},
		writer: func(w io.Writer, level int) (io.WriteCloser, error) {
			if level == 0 {
				level = 3
			}
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)))
		},
	}
}

func codecs() []codec { return []codec{gzipCodec(), bzip2Codec(), xzCodec(), zstdCodec()} }

func codecByName(name string) (codec, bool) {
	for _, c := range codecs() {
		if c.name == name {
			return c, true
		}
	}
	return codec{}, false
}

// sniff finds the format that a stream begins with.
func sniff(r *bufio.Reader) (codec, bool) {
	for _, c := range codecs() {
		head, _ := r.Peek(len(c.magic))
		if string(head) == c.magic {
			return c, true
		}
	}
	return codec{}, false
}

// gzipMembers decompresses the members of a gzip file one after the other, and tells whether something else
// follows the last.
type gzipMembers struct {
	src     *bufio.Reader
	z       *gzip.Reader
	garbage bool
	done    bool
}

func newGzipMembers(src *bufio.Reader) (*gzipMembers, error) {
	if head, _ := src.Peek(2); len(head) > 0 && string(head) != "\x1f\x8b" {
		return nil, gzip.ErrHeader
	}
	z, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipMembers{src: src, z: z}, nil
}

func (g *gzipMembers) Read(b []byte) (int, error) {
	for !g.done {
		n, err := g.z.Read(b)
		if n > 0 {
			if errors.Is(err, io.EOF) {
				err = nil // seen again at the next call
			}
			return n, err
		}
		if !errors.Is(err, io.EOF) {
			return 0, err
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
	return 0, io.EOF
}

// next goes on to the following member, if there is one.
func (g *gzipMembers) next() error {
	head, err := g.src.Peek(2)
	if len(head) == 0 {
		g.done = true
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	if !bytes.Equal(head, []byte("\x1f\x8b")) {
		g.done = true
		g.garbage = !g.onlyZeros()
		return nil
	}
	if err := g.z.Reset(g.src); err != nil {
		g.done, g.garbage = true, true
		return nil
	}
	g.z.Multistream(false)
	return nil
}

// onlyZeros reports padding, as tapes leave it.
func (g *gzipMembers) onlyZeros() bool {
	for {
		c, err := g.src.ReadByte()
		if err != nil {
			return true
		}
		if c != 0 {
			return false
		}
	}
}

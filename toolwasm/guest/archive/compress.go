package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const bzip2Help = `Usage: bzip2 -d [OPTION]... [FILE]...
Decompress .bz2 files (bunzip2 is bzip2 -d, bzcat is bzip2 -cd). Compression is not supported; gzip, xz and zstd
compress.

  -c, --stdout      write to standard output, keep the files
  -d, --decompress  decompress
  -f, --force       replace existing files
  -k, --keep        keep the files
  -q, --quiet       no warnings
  -s, --small       accepted
  -t, --test        check compressed files
  -v, --verbose     tell what is done
`

const xzHelp = `Usage: xz [OPTION]... [FILE]...
Compress files in place (FILE becomes FILE.xz), or standard input to standard output.
unxz is xz -d, xzcat is xz -cd.

  -c, --stdout      write to standard output, keep the files
  -d, --decompress  decompress
  -e, --extreme     accepted
  -f, --force       replace existing files
  -k, --keep        keep the files
  -q, --quiet       no warnings
  -S, --suffix=SUF  use this suffix
  -t, --test        check compressed files
  -T, --threads=N   accepted
  -v, --verbose     tell what is done
  -z, --compress    compress
  -0 … -9           accepted
`

const zstdHelp = `Usage: zstd [OPTION]... [FILE]...
Compress files (FILE becomes FILE.zst and is kept), or standard input to standard output.
unzstd is zstd -d, zstdcat is zstd -dcf.

  -c, --stdout      write to standard output
  -d, --decompress  decompress
  -f, --force       replace existing files
  -k, --keep        keep the files (the default)
  -o FILE           write to FILE
  -q, --quiet       say less
      --rm          remove the files afterwards
  -t, --test        check compressed files
  -T, --threads=N   accepted
  -v, --verbose     tell what is done
  -z, --compress    compress
  -1 … -19          speed against size
`

// compressor is a running bzip2, xz or zstd.
type compressor struct {
	p          *command.Proc
	codec      codec
	decompress bool
	stdout     bool
	force      bool
	keep       bool
	quiet      bool
	test       bool
	verbose    bool
	suffix     string
	output     string
	level      int
	status     int
	buf        []byte
}

func compressSpec() getopt.Spec {
	return getopt.Spec{
		Short: "cdefkqo:sS:tT:vz", Digits: true, Unsupported: "lCFDMBr",
		Long: []getopt.Long{
			{Name: "stdout", Short: 'c'},
			{Name: "to-stdout", Short: 'c'},
			{Name: "decompress", Short: 'd'},
			{Name: "uncompress", Short: 'd'},
			{Name: "extreme", Short: 'e'},
			{Name: "force", Short: 'f'},
			{Name: "keep", Short: 'k'},
			{Name: "quiet", Short: 'q'},
			{Name: "rm"},
			{Name: "small", Short: 's'},
			{Name: "suffix", Arg: getopt.Required, Short: 'S'},
			{Name: "test", Short: 't'},
			{Name: "threads", Arg: getopt.Required, Short: 'T'},
			{Name: "verbose", Short: 'v'},
			{Name: "compress", Short: 'z'},
			{Name: "fast", Arg: getopt.Optional},
			{Name: "best"},
			{Name: "ultra"},
			{Name: "no-progress"},
		},
		UnsupLong: []string{"list", "format", "check", "train", "long", "memlimit"},
	}
}

func compressCommand(p *command.Proc) int {
	c := &compressor{p: p}
	switch p.Name {
	case "bzip2", "bunzip2", "bzcat":
		c.codec = bzip2Codec()
	case "xz", "unxz", "xzcat":
		c.codec = xzCodec()
	default:
		c.codec = zstdCodec()
		c.keep = true
	}
	c.suffix = c.codec.suffix
	c.decompress = strings.HasPrefix(p.Name, "un") || strings.HasPrefix(p.Name, "bun") || strings.HasSuffix(p.Name, "cat")
	c.stdout = strings.HasSuffix(p.Name, "cat")
	opts, operands := p.Options(1, compressSpec())
	for _, o := range opts {
		c.option(o)
	}
	if !c.decompress && c.codec.writer == nil {
		p.Errorf("%s", errNoCompressor)
		return 1
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		c.file(name)
	}
	return c.status
}

func (c *compressor) option(o getopt.Option) {
	switch o.Name {
	case "c":
		c.stdout = true
	case "d":
		c.decompress = true
	case "z":
		c.decompress = false
	case "f":
		c.force = true
	case "k":
		c.keep = true
	case "rm":
		c.keep = false
	case "q":
		c.quiet = true
	case "S":
		c.suffix = o.Arg
	case "o":
		c.output = o.Arg
	case "t":
		c.test, c.decompress = true, true
	case "v":
		c.verbose = true
	case "NUM":
		_, _ = fmt.Sscan(o.Arg, &c.level)
	}
}

func (c *compressor) fail(format string, args ...any) {
	c.status = 1
	c.p.Errorf(format, args...)
}

func (c *compressor) file(name string) {
	p := c.p
	if name == "-" {
		c.stream(p.Stdin, p.Out(), "(stdin)")
		return
	}
	info, err := p.Stat(name)
	if err != nil {
		c.fail("%s: %s", name, sys.Strerror(err))
		return
	}
	if info.IsDir() {
		c.fail("%s: Is a directory, skipping", name)
		return
	}
	in, err := p.Open(name)
	if err != nil {
		c.fail("%s: %s", name, sys.Strerror(err))
		return
	}
	defer in.Close()
	if c.stdout || c.test {
		c.stream(in, p.Out(), name)
		return
	}
	target, ok := c.target(name)
	if !ok {
		return
	}
	c.replace(in, name, target, info)
}

func (c *compressor) target(name string) (string, bool) {
	if c.output != "" {
		return c.output, true
	}
	if !c.decompress {
		if _, has := cutSuffix(name, c.codec.suffixes); has && c.codec.name != "zstd" {
			c.fail("%s: File already has '%s' suffix, skipping", name, c.suffix)
			return "", false
		}
		return name + c.suffix, true
	}
	list := append([][2]string{{c.suffix, ""}}, c.codec.suffixes...)
	target, has := cutSuffix(name, list)
	switch {
	case has:
		return target, true
	case c.codec.name == "bzip2":
		c.p.Errorf("Can't guess original name for %s -- using %s.out", name, name)
		return name + ".out", true
	}
	c.fail("%s: Filename has an unknown suffix, skipping", name)
	return "", false
}

func (c *compressor) replace(in io.Reader, name, target string, info sys.Info) {
	p := c.p
	if c.force {
		_ = sys.Unlink(p.Path(target))
	}
	out, err := p.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist) && c.codec.name == "bzip2":
		c.fail("Output file %s already exists.", target)
		return
	case err != nil:
		c.fail("%s: %s", target, sys.Strerror(err))
		return
	}
	ok := c.stream(in, out, name)
	if err := out.Close(); err != nil && ok {
		c.fail("%s: %s", target, sys.Strerror(err))
		ok = false
	}
	if !ok {
		_ = sys.Unlink(p.Path(target))
		return
	}
	_ = sys.Chmod(p.Path(target), info.Mode)
	_ = sys.Chtimes(p.Path(target), info.Atime, info.Mtime)
	if c.verbose {
		if made, err := p.Stat(target); err == nil {
			fmt.Fprintf(p.Stderr, "%s: %d => %d bytes, %s\n", name, info.Size, made.Size, target)
		}
	}
	if !c.keep {
		if err := sys.Unlink(p.Path(name)); err != nil {
			c.fail("%s: %s", name, sys.Strerror(err))
		}
	}
}

// stream compresses or decompresses one stream.
func (c *compressor) stream(in io.Reader, out io.Writer, name string) bool {
	if in == nil {
		return true
	}
	if c.buf == nil {
		c.buf = make([]byte, copySize)
	}
	if !c.decompress {
		z, err := c.codec.writer(out, c.level)
		if err == nil {
			_, err = pump(c.p, z, in, c.buf)
			if e := z.Close(); err == nil {
				err = e
			}
		}
		if err != nil {
			c.fail("%s: %s", name, sys.Strerror(err))
		}
		return err == nil
	}
	src := bufio.NewReaderSize(in, copySize)
	head, _ := src.Peek(len(c.codec.magic))
	if string(head) != c.codec.magic {
		if c.p.Name == "zstdcat" || (c.force && c.stdout) {
			_, err := pump(c.p, out, src, c.buf)
			return err == nil
		}
		c.fail("%s: %s", name, c.notMine())
		return false
	}
	if c.test {
		out = io.Discard
	}
	z, err := c.codec.reader(src)
	if err == nil {
		_, err = pump(c.p, out, z, c.buf)
		if closer, ok := z.(io.Closer); ok {
			_ = closer.Close()
		}
	}
	if err != nil {
		c.fail("%s: %s", name, c.describe(err))
	}
	return err == nil
}

func (c *compressor) notMine() string {
	switch c.codec.name {
	case "bzip2":
		return "not a bzip2 file."
	case "xz":
		return "File format not recognized"
	}
	return "unsupported format"
}

func (c *compressor) describe(err error) string {
	switch {
	case errors.Is(err, errTooMuchMemory):
		return "Memory usage limit reached"
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "Unexpected end of input"
	case systemError(err):
		return sys.Strerror(err)
	}
	return "Compressed data is corrupt"
}

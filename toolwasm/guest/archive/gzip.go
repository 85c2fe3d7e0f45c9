package archive

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

const gzipHelp = `Usage: gzip [OPTION]... [FILE]...
Compress files in place (FILE becomes FILE.gz), or standard input to standard output.
gunzip is gzip -d, zcat is gzip -cd.

  -c, --stdout       write to standard output, keep the files
  -d, --decompress   decompress
  -f, --force        replace existing files, follow links
  -k, --keep         keep the files
  -l, --list         list what compressed files hold
  -n, --no-name      neither save nor restore name and time
  -N, --name         save, and with -d restore, name and time
  -q, --quiet        no warnings
  -r, --recursive    the files in directories too
  -S, --suffix=SUF   use this suffix
  -t, --test         check compressed files
  -v, --verbose      tell what is done
  -1, --fast … -9, --best  speed against size
      --rsyncable, --synchronous  accepted
`

// Exit statuses of gzip.
const (
	statusError   = 1
	statusWarning = 2
)

// osUnix is the system in a gzip header.
const osUnix = 3

// copySize is how much is moved at a time.
const copySize = 64 << 10

// squeezer is a running gzip.
type squeezer struct {
	p          *command.Proc
	stdout     bool
	decompress bool
	force      bool
	keep       bool
	list       bool
	noName     bool
	name       bool
	quiet      bool
	recursive  bool
	suffix     string
	test       bool
	verbose    bool
	level      int
	status     int
	totals     listTotals
	buf        []byte
}

type listTotals struct {
	files              int
	header             bool
	packed, whole, net int64
}

func gzipSpec() getopt.Spec {
	return getopt.Spec{
		Short: "123456789cdfhklnNqrS:tvLV", Unsupported: "abLVZ",
		Long: []getopt.Long{
			{Name: "stdout", Short: 'c'},
			{Name: "to-stdout", Short: 'c'},
			{Name: "decompress", Short: 'd'},
			{Name: "uncompress", Short: 'd'},
			{Name: "force", Short: 'f'},
			{Name: "keep", Short: 'k'},
			{Name: "list", Short: 'l'},
			{Name: "no-name", Short: 'n'},
			{Name: "name", Short: 'N'},
			{Name: "quiet", Short: 'q'},
			{Name: "silent", Short: 'q'},
			{Name: "recursive", Short: 'r'},
			{Name: "suffix", Arg: getopt.Required, Short: 'S'},
			{Name: "test", Short: 't'},
			{Name: "verbose", Short: 'v'},
			{Name: "fast", Short: '1'},
			{Name: "best", Short: '9'},
			{Name: "rsyncable"},
			{Name: "synchronous"},
		},
	}
}

func gzipCommand(p *command.Proc) int {
	opts, operands := p.Options(statusError, gzipSpec())
	g := &squeezer{p: p, suffix: ".gz"}
	switch p.Name {
	case "gunzip":
		g.decompress = true
	case "zcat":
		g.decompress, g.stdout = true, true
	}
	for _, o := range opts {
		g.option(o)
	}
	p.Name = "gzip" // the others are gzip under another name
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		if name == "-" {
			g.standard()
			continue
		}
		g.file(name)
	}
	if g.list && g.totals.files > 1 && !g.quiet {
		fmt.Fprintf(p.Out(), "%19d %19d %s (totals)\n", g.totals.packed, g.totals.whole, ratio(g.totals.whole, g.totals.net))
	}
	return g.status
}

func (g *squeezer) option(o getopt.Option) {
	switch o.Name {
	case "c":
		g.stdout = true
	case "d":
		g.decompress = true
	case "f":
		g.force = true
	case "h":
		_, _ = g.p.Out().WriteString(gzipHelp)
		g.p.Exit(0)
	case "k":
		g.keep = true
	case "l":
		g.list, g.decompress = true, true
	case "n":
		g.noName = true
	case "N":
		g.name, g.noName = true, false
	case "q":
		g.quiet, g.verbose = true, false
	case "r":
		g.recursive = true
	case "S":
		g.suffix = o.Arg
		if !strings.HasPrefix(g.suffix, ".") && g.suffix == "" {
			g.p.Exit(g.p.Usage(statusError, "invalid suffix '%s'", o.Arg))
		}
	case "t":
		g.test, g.decompress = true, true
	case "v":
		g.verbose = true
	default:
		if len(o.Name) == 1 && o.Name[0] >= '1' && o.Name[0] <= '9' {
			g.level = int(o.Name[0] - '0')
		}
	}
}

// warn reports something that does not make the rest fail.
func (g *squeezer) warn(format string, args ...any) {
	if !g.quiet {
		g.p.Errorf(format, args...)
	}
	if g.status == 0 {
		g.status = statusWarning
	}
}

// fail reports an error about a stream; such messages begin on a new line.
func (g *squeezer) fail(name string, err error) {
	_ = g.p.Flush()
	fmt.Fprintf(g.p.Stderr, "\n%s: %s: %s\n", g.p.Name, name, gzipError(err))
	g.status = statusError
}

// systemError tells an error of reading or writing from one in the data.
func systemError(err error) bool {
	var pe *fs.PathError
	var no syscall.Errno
	var we *writeError
	return errors.As(err, &pe) || errors.As(err, &no) || errors.As(err, &we)
}

// gzipError is the text for an error in gzip's words.
func gzipError(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "unexpected end of file"
	case errors.Is(err, gzip.ErrHeader):
		return "not in gzip format"
	case errors.Is(err, gzip.ErrChecksum):
		return "invalid compressed data--crc error"
	}
	if systemError(err) {
		return sys.Strerror(err)
	}
	return "invalid compressed data--format violated"
}

// standard works on standard input.
func (g *squeezer) standard() {
	p := g.p
	if p.Stdin == nil {
		return
	}
	in := bufio.NewReaderSize(p.Stdin, copySize)
	if !g.decompress {
		z, _ := gzip.NewWriterLevel(p.Out(), gzipLevel(g.level))
		z.OS = osUnix
		if _, err := g.pump(z, in); err != nil {
			g.fail("stdin", err)
		}
		_ = z.Close()
		return
	}
	out := io.Writer(p.Out())
	if g.test || g.list {
		out = io.Discard
	}
	g.expand(out, in, "stdin", fs.FileMode(0), time.Time{}, -1)
}

func (g *squeezer) pump(w io.Writer, r io.Reader) (int64, error) {
	if g.buf == nil {
		g.buf = make([]byte, copySize)
	}
	return pump(g.p, w, r, g.buf)
}

// writeError is an error of the side that is written: nothing is wrong with what was read.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// pump copies r to w until the end. An error of w is a *writeError.
func pump(p *command.Proc, w io.Writer, r io.Reader, buf []byte) (total int64, err error) {
	for {
		n, err := r.Read(buf)
		if n > 0 {
			total += int64(n)
			if _, e := w.Write(buf[:n]); e != nil {
				return total, &writeError{e}
			}
			p.Yield()
		}
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

func (g *squeezer) suffixes() [][2]string {
	list := gzipCodec().suffixes
	if g.suffix != ".gz" {
		list = append([][2]string{{g.suffix, ""}}, list...)
	}
	return list
}

func cutSuffix(name string, list [][2]string) (string, bool) {
	for _, s := range list {
		if stem, ok := strings.CutSuffix(name, s[0]); ok && stem != "" && !strings.HasSuffix(stem, "/") {
			return stem + s[1], true
		}
	}
	return "", false
}

func (g *squeezer) file(name string) {
	p := g.p
	info, err := p.Lstat(name)
	if err == nil && info.IsLink() && (g.force || g.stdout || g.test || g.list) {
		info, err = p.Stat(name)
	}
	if err != nil && g.decompress {
		if _, has := cutSuffix(name, g.suffixes()); !has {
			name += g.suffix
			info, err = p.Stat(name)
		}
	}
	switch {
	case err != nil:
		p.Errorf("%s: %s", name, sys.Strerror(err))
		g.status = statusError
	case info.IsDir() && g.recursive:
		g.directory(name)
	case info.IsDir():
		g.warn("%s is a directory -- ignored", name)
	case info.IsLink():
		p.Errorf("%s: Too many levels of symbolic links", name)
		g.status = statusError
	case !info.IsRegular() && !g.stdout && !g.test && !g.list:
		g.warn("%s is not a directory or a regular file - ignored", name)
	case info.Nlink > 1 && !g.stdout && !g.test && !g.list && !g.force && !g.keep:
		g.warn("%s has %d other link%s -- file ignored", name, info.Nlink-1, plural(info.Nlink-1))
	case g.decompress:
		g.unpack(name, info)
	default:
		g.pack(name, info)
	}
}

func plural(n uint64) string {
	if n == 1 {
		return " "
	}
	return "s"
}

func (g *squeezer) directory(name string) {
	entries, err := sys.ReadDir(g.p.Path(name))
	if err != nil {
		g.p.Errorf("%s: %s", name, sys.Strerror(err))
		g.status = statusError
		return
	}
	for _, e := range entries {
		child := strings.TrimSuffix(name, "/") + "/" + e.Name()
		if _, has := cutSuffix(child, g.suffixes()); has && !g.decompress {
			continue
		}
		if _, has := cutSuffix(child, g.suffixes()); !has && g.decompress && !e.IsDir() {
			continue
		}
		g.file(child)
	}
}

func (g *squeezer) pack(name string, info sys.Info) {
	p := g.p
	if _, has := cutSuffix(name, g.suffixes()); has && !g.stdout && !g.force {
		g.warn("%s already has %s suffix -- unchanged", name, name[strings.LastIndexAny(name, ".-_"):])
		return
	}
	in, err := p.Open(name)
	if err != nil {
		p.Errorf("%s: %s", name, sys.Strerror(err))
		g.status = statusError
		return
	}
	defer in.Close()
	target := name + g.suffix
	var written int64
	compress := func(w io.Writer) error {
		counted := &countWriter{w: w}
		z, _ := gzip.NewWriterLevel(counted, gzipLevel(g.level))
		z.OS = osUnix
		if !g.noName {
			z.Name = name[strings.LastIndexByte(name, '/')+1:]
			z.ModTime = info.Mtime
		}
		_, err := g.pump(z, in)
		if e := z.Close(); err == nil {
			err = e
		}
		written = counted.n
		return err
	}
	if g.stdout {
		if err := compress(p.Out()); err != nil {
			g.fail(name, err)
			return
		}
		g.sayDone(name, "", info.Size, written-gzipOverhead(name, g.noName))
		return
	}
	if g.replace(name, target, info, compress) {
		g.sayDone(name, target, info.Size, written-gzipOverhead(name, g.noName))
	}
}

// gzipOverhead is what header and trailer take; they do not count in ratios.
func gzipOverhead(name string, noName bool) int64 {
	const fixed = 18
	if noName {
		return fixed
	}
	return fixed + int64(len(name[strings.LastIndexByte(name, '/')+1:])) + 1
}

type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func ratio(whole, packed int64) string {
	r := 0.0
	if whole > 0 {
		r = float64(whole-packed) / float64(whole) * 100
	}
	return fmt.Sprintf("%5.1f%%", r)
}

func (g *squeezer) sayDone(name, target string, whole, packed int64) {
	if !g.verbose {
		return
	}
	what := "replaced with"
	if g.keep {
		what = "created"
	}
	_ = g.p.Flush()
	if target == "" {
		fmt.Fprintf(g.p.Stderr, "%s:\t%s\n", name, ratio(whole, packed))
		return
	}
	fmt.Fprintf(g.p.Stderr, "%s:\t%s -- %s %s\n", name, ratio(whole, packed), what, target)
}

// replace makes target with what fill writes, gives it the source's mode and time, and removes the source.
func (g *squeezer) replace(name, target string, info sys.Info, fill func(io.Writer) error) bool {
	p := g.p
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if g.force {
		_ = sys.Unlink(p.Path(target))
	}
	out, err := p.OpenFile(target, flags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		g.warn("%s already exists;\tnot overwritten", target)
		return false
	}
	if err != nil {
		p.Errorf("%s: %s", target, sys.Strerror(err))
		g.status = statusError
		return false
	}
	err = fill(out)
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = sys.Unlink(p.Path(target))
		g.fail(name, err)
		return false
	}
	_ = sys.Chmod(p.Path(target), info.Mode)
	_ = sys.Chtimes(p.Path(target), info.Atime, info.Mtime)
	if g.keep {
		return true
	}
	if err := sys.Unlink(p.Path(name)); err != nil {
		p.Errorf("%s: %s", name, sys.Strerror(err))
		g.status = statusError
	}
	return true
}

func (g *squeezer) unpack(name string, info sys.Info) {
	p := g.p
	target, has := cutSuffix(name, g.suffixes())
	if !has && !g.stdout && !g.test && !g.list {
		g.warn("%s: unknown suffix -- ignored", name)
		return
	}
	f, err := p.Open(name)
	if err != nil {
		p.Errorf("%s: %s", name, sys.Strerror(err))
		g.status = statusError
		return
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, copySize)
	switch {
	case g.test || g.list:
		g.expand(io.Discard, in, name, info.Mode, info.Mtime, info.Size)
		return
	case g.stdout:
		g.expand(p.Out(), in, name, info.Mode, info.Mtime, info.Size)
		return
	}
	z, err := newGzipMembers(in)
	if err != nil {
		g.fail(name, err)
		return
	}
	if g.name && z.z.Name != "" {
		target = name[:strings.LastIndexByte(name, '/')+1] + z.z.Name[strings.LastIndexByte(z.z.Name, '/')+1:]
		if !z.z.ModTime.IsZero() {
			info.Mtime = z.z.ModTime
		}
	}
	var whole int64
	ok := g.replace(name, target, info, func(w io.Writer) error {
		var err error
		whole, err = g.pump(w, z)
		return err
	})
	if !ok {
		return
	}
	if z.garbage {
		g.garbage(name)
	}
	g.sayDone(name, target, whole, info.Size-18)
}

func (g *squeezer) garbage(name string) {
	if !g.quiet {
		_ = g.p.Flush()
		fmt.Fprintf(g.p.Stderr, "\n%s: %s: decompression OK, trailing garbage ignored\n", g.p.Name, name)
	}
	if g.status == 0 {
		g.status = statusWarning
	}
}

// expand decompresses a stream, checks it or lists it.
func (g *squeezer) expand(out io.Writer, in *bufio.Reader, name string, _ fs.FileMode, mtime time.Time, size int64) {
	z, err := newGzipMembers(in)
	if errors.Is(err, gzip.ErrHeader) && g.force && g.stdout {
		_, _ = g.pump(out, in) // gzip -cdf copies what is not compressed
		return
	}
	if err != nil {
		g.fail(name, err)
		return
	}
	stamp := z.z.ModTime
	sum := crc32.NewIEEE()
	if g.list {
		out = sum
	}
	whole, err := g.pump(out, z)
	if err != nil {
		g.fail(name, err)
		return
	}
	switch {
	case g.list:
		if !stamp.IsZero() {
			mtime = stamp
		}
		g.listOne(name, whole, size, sum.Sum32(), mtime)
	case g.test && g.verbose:
		_ = g.p.Flush()
		fmt.Fprintf(g.p.Stderr, "%s:\t OK\n", name)
	}
	if z.garbage {
		g.garbage(name)
	}
}

func (g *squeezer) listOne(name string, whole, size int64, sum uint32, mtime time.Time) {
	out := g.p.Out()
	if !g.totals.header && !g.quiet {
		g.totals.header = true
		if g.verbose {
			_, _ = out.WriteString("method  crc     date  time  ")
		}
		_, _ = out.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	if g.verbose {
		when := strftime.Format("%b %e %H:%M", mtime.In(datetime.Location(g.p.Env)))
		fmt.Fprintf(out, "defla %08x %s ", sum, when)
	}
	stem, has := cutSuffix(name, g.suffixes())
	if !has {
		stem = name
	}
	net := size - gzipOverhead(stem, false)
	g.totals.files++
	g.totals.packed += size
	g.totals.whole += whole
	g.totals.net += net
	fmt.Fprintf(out, "%19d %19d %s %s\n", size, whole, ratio(whole, net), stem)
}

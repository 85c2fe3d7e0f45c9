package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const ddHelp = `Usage: dd [OPERAND]...
Copy a file in blocks, and convert it.

  bs=N       read and write N bytes at a time; ibs=N reads, obs=N writes (512)
  cbs=N      convert N bytes at a time
  conv=LIST  block unblock lcase ucase swab sync notrunc excl nocreat noerror fdatasync fsync sparse
  count=N    copy only N input blocks
  if=FILE    read from FILE
  iflag=LIST count_bytes skip_bytes fullblock append
  of=FILE    write to FILE
  oflag=LIST seek_bytes append
  seek=N     (or oseek) skip N blocks of the output first
  skip=N     (or iseek) skip N blocks of the input first
  status=LEVEL  none, noxfer or progress
N may end in c=1 w=2 b=512 kB=1000 K=1024 MB M GB G …, and be a product like 2x512.
`

// maxBlock bounds a block: it is held in memory.
const maxBlock = 1 << 30

// copyBlocks is a running dd.
type copyBlocks struct {
	p                              *command.Proc
	in, out                        string
	ibs, obs, cbs                  int64
	count, skip, seek              int64
	conv, iflag, oflag             map[string]bool
	status                         string
	fullIn, partIn, truncated      int64
	fullOut, partOut, bytesWritten int64
	file                           *os.File // the output, when it is one
	w                              io.Writer
	pending                        []byte
	column                         int64 // of unblock and block
	line                           []byte
	odd                            []byte // a byte that waits for its partner, for swab
}

func dd(p *command.Proc) int {
	d := &copyBlocks{
		p: p, ibs: 512, obs: 512, count: -1,
		conv: map[string]bool{}, iflag: map[string]bool{}, oflag: map[string]bool{},
	}
	for _, a := range p.Args {
		if a == "--" {
			continue
		}
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			return p.Usage(1, "unrecognized operand %s", quote.Locale(a))
		}
		d.operand(a, name, value)
	}
	return d.run()
}

func (d *copyBlocks) fail(format string, args ...any) {
	d.p.Errorf(format, args...)
	d.p.Exit(1)
}

func (d *copyBlocks) operand(whole, name, value string) {
	switch name {
	case "if":
		d.in = value
	case "of":
		d.out = value
	case "bs":
		d.ibs = d.block(value)
		d.obs = d.ibs
		d.iflag["\x00bs"] = true
	case "ibs":
		d.ibs = d.block(value)
	case "obs":
		d.obs = d.block(value)
	case "cbs":
		d.cbs = d.block(value)
	case "count":
		d.count = d.number(value, d.iflag)
	case "skip", "iseek":
		d.skip = d.number(value, d.iflag)
	case "seek", "oseek":
		d.seek = d.number(value, d.oflag)
	case "conv":
		d.list(d.conv, value, "conversion", "block unblock lcase ucase swab sync notrunc excl nocreat noerror fdatasync fsync sparse")
	case "iflag":
		d.list(d.iflag, value, "input flag", "count_bytes skip_bytes fullblock append direct directory dsync sync nonblock noatime nofollow nocache")
	case "oflag":
		d.list(d.oflag, value, "output flag", "seek_bytes append direct directory dsync sync nonblock nofollow nocache")
	case "status":
		if value != "none" && value != "noxfer" && value != "progress" {
			d.p.Exit(d.p.Usage(1, "invalid status level: %s", quote.Locale(value)))
		}
		d.status = value
	default:
		d.p.Exit(d.p.Usage(1, "unrecognized operand %s", quote.Locale(whole)))
	}
}

func (d *copyBlocks) list(set map[string]bool, value, what, known string) {
	for w := range strings.SplitSeq(value, ",") {
		ok := false
		for k := range strings.SplitSeq(known, " ") {
			ok = ok || k == w
		}
		if !ok {
			d.p.Exit(d.p.Usage(1, "invalid %s: %s", what, quote.Locale(w)))
		}
		set[w] = true
	}
}

// parseProduct reads a number that may be a product, like 2x512.
func parseProduct(s string) (int64, bool) {
	product := int64(1)
	for f := range strings.SplitSeq(s, "x") {
		n, err := quantity.Parse(f, "bcwB"+quantity.Units)
		if err != nil {
			return 0, false
		}
		if n != 0 && product > (1<<62)/n {
			return 0, false
		}
		product *= n
	}
	return product, s != ""
}

// number reads a count of blocks; a B at the end makes it a count of bytes.
func (d *copyBlocks) number(s string, flags map[string]bool) int64 {
	n, ok := parseProduct(s)
	if !ok {
		d.fail("invalid number: %s", quote.Locale(s))
	}
	if strings.HasSuffix(s, "B") && len(s) > 1 && isDigit(s[len(s)-2]) {
		flags["skip_bytes"], flags["count_bytes"], flags["seek_bytes"] = true, true, true
	}
	return n
}

func (d *copyBlocks) block(s string) int64 {
	n, ok := parseProduct(s)
	if !ok || n == 0 {
		d.fail("invalid number: %s", quote.Locale(s))
	}
	if n > maxBlock {
		d.fail("memory exhausted by input buffer of size %d bytes", n)
	}
	return n
}

func (d *copyBlocks) run() int {
	p := d.p
	start := time.Now()
	var in io.Reader = p.Stdin
	if d.in != "" {
		f, err := p.Open(d.in)
		if err != nil {
			d.fail("failed to open %s: %s", quote.Always(d.in), sys.Strerror(err))
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		in = strings.NewReader("")
	}
	closeOut := d.openOutput()
	status := 0
	if err := d.skipInput(in); err != nil {
		status = 1
	} else if err := d.transfer(in); err != nil {
		status = 1
	}
	if err := closeOut(); err != nil {
		p.Errorf("closing output file %s: %s", quote.Always(d.out), sys.Strerror(err))
		status = 1
	}
	d.report(time.Since(start))
	return status
}

func (d *copyBlocks) openOutput() func() error {
	p := d.p
	if d.out == "" {
		d.w = p.Out()
		d.file, _ = command.Unwrap(p.Stdout).(*os.File)
		if d.seek > 0 && d.file != nil {
			if _, err := d.file.Seek(d.seekBytes(), io.SeekCurrent); err != nil {
				d.fail("'standard output': cannot seek: %s", sys.Strerror(err))
			}
		}
		return p.Flush
	}
	flags := os.O_WRONLY | os.O_CREATE
	if d.conv["nocreat"] {
		flags = os.O_WRONLY
	}
	if d.conv["excl"] {
		flags |= os.O_EXCL
	}
	if d.oflag["append"] {
		flags |= os.O_APPEND
	}
	if !d.conv["notrunc"] && d.seek == 0 {
		flags |= os.O_TRUNC
	}
	f, err := p.OpenFile(d.out, flags, 0o666)
	if err != nil {
		d.fail("failed to open %s: %s", quote.Always(d.out), sys.Strerror(err))
	}
	d.w = f
	d.file, _ = command.Unwrap(f).(*os.File)
	if d.seek > 0 && d.file != nil {
		at := d.seekBytes()
		if !d.conv["notrunc"] {
			if info, err := sys.Fstat(d.file); err == nil && info.IsRegular() {
				if err := d.file.Truncate(at); err != nil {
					d.fail("failed to truncate to %d bytes in output file %s: %s", at, quote.Always(d.out), sys.Strerror(err))
				}
			}
		}
		if _, err := d.file.Seek(at, io.SeekStart); err != nil {
			d.fail("%s: cannot seek: %s", quote.Always(d.out), sys.Strerror(err))
		}
	}
	return f.Close
}

func (d *copyBlocks) seekBytes() int64 {
	if d.oflag["seek_bytes"] {
		return d.seek
	}
	return d.seek * d.obs
}

func (d *copyBlocks) skipInput(in io.Reader) error {
	n := d.skip * d.ibs
	if d.iflag["skip_bytes"] {
		n = d.skip
	}
	if n == 0 {
		return nil
	}
	if f, ok := command.Unwrap(in).(*os.File); ok {
		if info, err := sys.Fstat(f); err == nil && info.IsRegular() {
			if n > info.Size {
				d.p.Errorf("%s: cannot skip to specified offset", quote.File(d.inName()))
			}
			_, err := f.Seek(n, io.SeekCurrent)
			return err
		}
	}
	buf := make([]byte, min(n, copyBuffer))
	for n > 0 {
		k, err := in.Read(buf[:min(n, int64(len(buf)))])
		n -= int64(k)
		if errors.Is(err, io.EOF) {
			d.p.Errorf("%s: cannot skip to specified offset", quote.File(d.inName()))
			return nil
		}
		if err != nil {
			return d.readError(err)
		}
		d.p.Yield()
	}
	return nil
}

func (d *copyBlocks) inName() string {
	if d.in == "" {
		return "standard input"
	}
	return d.in
}

func (d *copyBlocks) readError(err error) error {
	d.p.Errorf("error reading %s: %s", quote.Always(d.inName()), sys.Strerror(err))
	return err
}

// transfer moves blocks until the end or the count.
func (d *copyBlocks) transfer(in io.Reader) error {
	block := make([]byte, d.ibs)
	left := d.count
	inBytes := d.iflag["count_bytes"] && d.count >= 0
	for left != 0 {
		d.p.Yield()
		want := block
		if inBytes && left < d.ibs {
			want = block[:left]
		}
		n, err := d.readBlock(in, want)
		if err != nil && !errors.Is(err, io.EOF) {
			_ = d.readError(err)
			if !d.conv["noerror"] {
				_ = d.flush()
				return err
			}
		}
		if n == 0 {
			break
		}
		if int64(n) == d.ibs {
			d.fullIn++
		} else {
			d.partIn++
		}
		if left > 0 {
			if inBytes {
				left -= int64(n)
			} else {
				left--
			}
		}
		if err := d.convert(d.pad(block, n)); err != nil {
			return d.writeError(err)
		}
	}
	if err := d.flush(); err != nil {
		return d.writeError(err)
	}
	if d.file != nil && (d.conv["fsync"] || d.conv["fdatasync"]) {
		_ = d.file.Sync()
	}
	return nil
}

func (d *copyBlocks) writeError(err error) error {
	name := d.out
	if name == "" {
		name = "standard output"
	}
	d.p.Errorf("error writing %s: %s", quote.Always(name), sys.Strerror(err))
	return err
}

func (d *copyBlocks) readBlock(in io.Reader, b []byte) (int, error) {
	if d.iflag["fullblock"] {
		return readFull(in, b)
	}
	return in.Read(b)
}

// pad fills a short block for conv=sync.
func (d *copyBlocks) pad(block []byte, n int) []byte {
	if !d.conv["sync"] || n == len(block) {
		return block[:n]
	}
	fill := byte(0)
	if d.conv["block"] || d.conv["unblock"] {
		fill = ' '
	}
	for i := n; i < len(block); i++ {
		block[i] = fill
	}
	return block
}

// convert applies conv= and passes the result on.
func (d *copyBlocks) convert(b []byte) error {
	if d.conv["swab"] {
		b = d.swap(b)
	}
	switch {
	case d.conv["lcase"]:
		b = bytes.ToLower(b)
	case d.conv["ucase"]:
		b = bytes.ToUpper(b)
	}
	switch {
	case d.conv["block"] && d.cbs > 0:
		b = d.toRecords(b)
	case d.conv["unblock"] && d.cbs > 0:
		b = d.fromRecords(b)
	}
	return d.write(b)
}

// swap exchanges pairs of bytes; a last odd one waits.
func (d *copyBlocks) swap(b []byte) []byte {
	b = append(d.odd, b...)
	d.odd = nil
	if len(b)%2 == 1 {
		d.odd = []byte{b[len(b)-1]}
		b = b[:len(b)-1]
	}
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return b
}

// toRecords makes lines records of cbs bytes, filled with blanks.
func (d *copyBlocks) toRecords(b []byte) []byte {
	var out []byte
	for _, c := range b {
		switch {
		case c == '\n':
			for ; d.column < d.cbs; d.column++ {
				out = append(out, ' ')
			}
			d.column = 0
			continue
		case d.column == d.cbs:
			d.truncated++
		case d.column < d.cbs:
			out = append(out, c)
		}
		d.column++
	}
	return out
}

// fromRecords makes records of cbs bytes lines without blanks at the end.
func (d *copyBlocks) fromRecords(b []byte) []byte {
	var out []byte
	for _, c := range b {
		d.line = append(d.line, c)
		if int64(len(d.line)) == d.cbs {
			out = append(out, bytes.TrimRight(d.line, " ")...)
			out = append(out, '\n')
			d.line = d.line[:0]
		}
	}
	return out
}

// write gathers output blocks. With bs= each input block is an output block.
func (d *copyBlocks) write(b []byte) error {
	if d.iflag["\x00bs"] && !d.conv["block"] && !d.conv["unblock"] && !d.conv["swab"] {
		return d.put(b)
	}
	d.pending = append(d.pending, b...)
	for int64(len(d.pending)) >= d.obs {
		if err := d.put(d.pending[:d.obs]); err != nil {
			return err
		}
		d.pending = append(d.pending[:0], d.pending[d.obs:]...)
	}
	return nil
}

func (d *copyBlocks) put(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := d.w.Write(b)
	d.bytesWritten += int64(n)
	if int64(n) == d.obs {
		d.fullOut++
	} else if n > 0 {
		d.partOut++
	}
	return err
}

// flush writes what waits.
func (d *copyBlocks) flush() error {
	var rest []byte
	switch {
	case d.conv["block"] && d.cbs > 0 && d.column > 0:
		for ; d.column < d.cbs; d.column++ {
			rest = append(rest, ' ')
		}
	case d.conv["unblock"] && len(d.line) > 0:
		rest = append(bytes.TrimRight(d.line, " "), '\n')
	}
	rest = append(rest, d.odd...)
	if err := d.write(rest); err != nil {
		return err
	}
	err := d.put(d.pending)
	d.pending = nil
	return err
}

// report writes the statistics.
func (d *copyBlocks) report(took time.Duration) {
	if d.status == "none" {
		return
	}
	_ = d.p.Flush()
	w := d.p.Stderr
	fmt.Fprintf(w, "%d+%d records in\n%d+%d records out\n", d.fullIn, d.partIn, d.fullOut, d.partOut)
	if d.truncated > 0 {
		s := "s"
		if d.truncated == 1 {
			s = ""
		}
		fmt.Fprintf(w, "%d truncated record%s\n", d.truncated, s)
	}
	if d.status == "noxfer" {
		return
	}
	n := d.bytesWritten
	s := "s"
	if n == 1 {
		s = ""
	}
	fmt.Fprintf(w, "%d byte%s", n, s)
	if n >= 1000 {
		fmt.Fprintf(w, " (%s", spacedSize(n, 1000))
		if n >= 1024 {
			fmt.Fprintf(w, ", %s", spacedSize(n, 1024))
		}
		fmt.Fprint(w, ")")
	}
	seconds := took.Seconds()
	rate := "Infinity B"
	if seconds > 0 {
		rate = spacedSize(int64(float64(n)/seconds), 1000)
	}
	fmt.Fprintf(w, " copied, %.6g s, %s/s\n", seconds, rate)
}

// spacedSize writes "1.2 kB" or "3.4 MiB".
func spacedSize(n, base int64) string {
	units, tail := "kMGTPE", "B"
	if base == 1024 {
		units, tail = "KMGTPE", "iB"
	}
	if n < base {
		return fmt.Sprintf("%d B", n)
	}
	x, i := float64(n), -1
	for x >= float64(base) && i+1 < len(units) {
		x /= float64(base)
		i++
	}
	if x < 10 {
		return fmt.Sprintf("%.1f %c%s", x, units[i], tail)
	}
	return fmt.Sprintf("%.0f %c%s", x, units[i], tail)
}

package digest

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
)

// back turns a dump into bytes again.
func (x *xxd) back(f io.Reader, out *bufio.Writer) int {
	r := bufio.NewReaderSize(f, readSize)
	if x.plain {
		return x.backPlain(r, out)
	}
	base, _ := strconv.ParseInt(strings.TrimPrefix(x.seek, "+"), 0, 64)
	w := &placer{out: out, p: x.p}
	for {
		x.p.Yield()
		line, err := r.ReadString('\n')
		if at, rest, ok := x.lineOffset(line); ok {
			if !w.moveTo(at + base) {
				x.p.Errorf("Sorry, cannot seek backwards.")
				return 5
			}
			x.backLine(rest, w)
		}
		if err != nil {
			return 0
		}
	}
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// lineOffset reads the offset at the start of a line.
func (x *xxd) lineOffset(line string) (at int64, rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	i := 0
	for i < len(line) && hexValue(line[i]) >= 0 {
		at = at<<4 | int64(hexValue(line[i]))
		i++
	}
	if i == 0 {
		return 0, "", false
	}
	return at, strings.TrimPrefix(line[i:], ":"), true
}

// backLine writes the bytes of a line: digits, with at most one blank between groups, up to the text.
func (x *xxd) backLine(s string, w *placer) {
	n := 0
	for n < x.cols {
		s = strings.TrimPrefix(s, " ")
		if len(s) < 2 {
			return
		}
		if x.bits {
			if len(s) < 8 || strings.Trim(s[:8], "01") != "" {
				return
			}
			v, _ := strconv.ParseUint(s[:8], 2, 8)
			w.write(byte(v))
			s = s[8:]
			n++
			continue
		}
		hi, lo := hexValue(s[0]), hexValue(s[1])
		if hi < 0 || lo < 0 {
			return
		}
		w.write(byte(hi<<4 | lo))
		s = s[2:]
		n++
	}
}

// backPlain reads plain digits. What is no digit is passed over, but three such in a row end the line.
func (x *xxd) backPlain(r *bufio.Reader, out *bufio.Writer) int {
	older, hi, v := -1, -1, -1
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0
		}
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			continue
		}
		older, hi, v = hi, v, hexValue(c)
		switch {
		case hi >= 0 && v >= 0:
			_ = out.WriteByte(byte(hi<<4 | v))
			v = -1
		case v < 0 && hi < 0 && older < 0:
			if _, err := r.ReadString('\n'); err != nil {
				return 0
			}
		}
	}
}

// placer writes bytes at offsets. Gaps are filled with NULs where the output cannot be positioned.
type placer struct {
	p   *command.Proc
	out *bufio.Writer
	at  int64
}

// maxGap bounds how many NULs an offset may ask for.
const maxGap = 1 << 32

func (w *placer) moveTo(at int64) bool {
	if at < w.at || at-w.at > maxGap {
		return false
	}
	for ; w.at < at; w.at++ {
		if w.at&0xffff == 0 {
			w.p.Yield()
		}
		_ = w.out.WriteByte(0)
	}
	return true
}

func (w *placer) write(c byte) {
	_ = w.out.WriteByte(c)
	w.at++
}

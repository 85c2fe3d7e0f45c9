package digest

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/quote"
)

// odFormat is one TYPE of od.
type odFormat struct {
	kind   byte // a c d f o u x
	size   int
	text   bool // z
	width  int  // of a field, without the blank before it
	fields int  // of a line
	pad    int  // blanks to spread over the fields, so that all TYPEs are equally wide
}

// addTypes reads a TYPE string: letters with sizes.
func (d *dumper) addTypes(s string) {
	for rest := s; rest != ""; {
		f := odFormat{kind: rest[0]}
		n := 1
		switch f.kind {
		case 'a', 'c':
			f.size, f.width = 1, 3
		case 'd', 'o', 'u', 'x':
			var ok bool
			f.size, n, ok = integerSize(rest)
			if !ok {
				d.die("invalid type string %s;\nthis system doesn't provide a %s-byte integral type", quote.Locale(s), leadingDigits(rest[1:]))
			}
			f.width = fieldWidth(f.kind, f.size)
		case 'f':
			var ok bool
			f.size, n, ok = floatSize(rest)
			if !ok {
				d.die("invalid type string %s;\nthis system doesn't provide a %s-byte floating point type", quote.Locale(s), leadingDigits(rest[1:]))
			}
			f.width = map[int]int{4: 15, 8: 24, 16: 27}[f.size]
		default:
			d.die("invalid character '%c' in type string %s", rest[0], quote.Locale(s))
		}
		rest = rest[n:]
		if strings.HasPrefix(rest, "z") {
			f.text, rest = true, rest[1:]
		}
		d.formats = append(d.formats, f)
	}
}

func leadingDigits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}

func integerSize(s string) (size, used int, ok bool) {
	if len(s) > 1 {
		switch s[1] {
		case 'C':
			return 1, 2, true
		case 'S':
			return 2, 2, true
		case 'I':
			return 4, 2, true
		case 'L':
			return 8, 2, true
		}
	}
	digits := leadingDigits(s[1:])
	if digits == "" {
		return 4, 1, true
	}
	n, _ := strconv.Atoi(digits)
	return n, 1 + len(digits), n == 1 || n == 2 || n == 4 || n == 8
}

func floatSize(s string) (size, used int, ok bool) {
	if len(s) > 1 {
		switch s[1] {
		case 'F':
			return 4, 2, true
		case 'D':
			return 8, 2, true
		case 'L':
			return 16, 2, true
		}
	}
	digits := leadingDigits(s[1:])
	if digits == "" {
		return 8, 1, true
	}
	n, _ := strconv.Atoi(digits)
	return n, 1 + len(digits), n == 4 || n == 8 || n == 16
}

// fieldWidth is how wide the largest number of a size is.
func fieldWidth(kind byte, size int) int {
	i := map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[size]
	switch kind {
	case 'd':
		return [...]int{4, 6, 11, 20}[i]
	case 'o':
		return [...]int{3, 6, 11, 22}[i]
	case 'u':
		return [...]int{3, 5, 10, 20}[i]
	}
	return 2 * size
}

// align makes the lines of all formats equally wide.
func (d *dumper) align(width int) {
	widest := 0
	for i := range d.formats {
		f := &d.formats[i]
		f.fields = width / f.size
		widest = max(widest, (f.width+1)*f.fields)
	}
	for i := range d.formats {
		f := &d.formats[i]
		f.pad = widest - f.width*f.fields
	}
}

// line writes a block of which n bytes are there in every format.
func (d *dumper) line(at int64, block []byte, n int) {
	out := d.p.Out()
	prefix := d.address(at)
	for i := range d.formats {
		f := &d.formats[i]
		_, _ = out.WriteString(prefix)
		if i == 0 {
			prefix = strings.Repeat(" ", len(prefix))
		}
		blank := (len(block) - n) / f.size
		left := f.pad
		for k := f.fields; k > blank; k-- {
			next := f.pad * (k - 1) / f.fields
			field := f.field(block[(f.fields-k)*f.size:], d.big)
			for pad := left - next + f.width - len(field); pad > 0; pad-- {
				_ = out.WriteByte(' ')
			}
			_, _ = out.WriteString(field)
			left = next
		}
		if f.text {
			_, _ = out.WriteString(strings.Repeat(" ", blank*f.width+left) + "  >")
			for _, c := range block[:n] {
				if c < ' ' || c > '~' {
					c = '.'
				}
				_ = out.WriteByte(c)
			}
			_ = out.WriteByte('<')
		}
		_ = out.WriteByte('\n')
	}
}

func (f *odFormat) field(b []byte, big bool) string {
	switch f.kind {
	case 'a':
		return namedChar(b[0] & 0x7f)
	case 'c':
		return shownChar(b[0])
	}
	if f.size == 16 {
		return longDouble(b, big)
	}
	v := loadUint(b[:f.size], big)
	switch f.kind {
	case 'd':
		shift := 64 - 8*f.size
		return strconv.FormatInt(int64(v<<shift)>>shift, 10)
	case 'u':
		return strconv.FormatUint(v, 10)
	case 'f':
		if f.size == 4 {
			return shortestFloat(float64(math.Float32frombits(uint32(v))), 32)
		}
		return shortestFloat(math.Float64frombits(v), 64)
	}
	base := 16
	if f.kind == 'o' {
		base = 8
	}
	s := strconv.FormatUint(v, base)
	return strings.Repeat("0", f.width-len(s)) + s
}

func loadUint(b []byte, big bool) uint64 {
	var v uint64
	for i := range b {
		if big {
			v = v<<8 | uint64(b[i])
		} else {
			v |= uint64(b[i]) << (8 * i)
		}
	}
	return v
}

// shortestFloat writes as %g does, with as many digits as tell the value from its neighbours.
func shortestFloat(v float64, bits int) string {
	switch {
	case math.IsNaN(v) && math.Signbit(v):
		return "-nan"
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v == 0 && math.Signbit(v):
		return "-0"
	}
	digits, normal := 6, 0x1p-126
	if bits == 64 {
		digits, normal = 15, 0x1p-1022
	}
	if math.Abs(v) < normal {
		digits = 1
	}
	for ; digits < 17; digits++ {
		s := strconv.FormatFloat(v, 'g', digits, 64)
		if back, err := strconv.ParseFloat(s, bits); err == nil && back == v {
			break
		}
	}
	return general(strconv.FormatFloat(v, 'e', digits-1, 64), digits)
}

// general turns d.ddde±xx into the form of C's %g with the given number of digits.
func general(s string, digits int) string {
	mantissa, e, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(e)
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	ds := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	if ds == "" {
		return sign + "0"
	}
	if exp < -4 || exp >= digits {
		out := ds[:1]
		if len(ds) > 1 {
			out += "." + ds[1:]
		}
		es := strconv.Itoa(max(exp, -exp))
		if len(es) < 2 {
			es = "0" + es
		}
		if exp < 0 {
			return sign + out + "e-" + es
		}
		return sign + out + "e+" + es
	}
	switch {
	case exp < 0:
		return sign + "0." + strings.Repeat("0", -exp-1) + ds
	case len(ds) <= exp+1:
		return sign + ds + strings.Repeat("0", exp+1-len(ds))
	}
	return sign + ds[:exp+1] + "." + ds[exp+1:]
}

// longDouble writes the 80-bit extended format that x86 stores in 16 bytes, rounded to a float64's digits.
func longDouble(b []byte, big bool) string {
	var raw [16]byte
	copy(raw[:], b)
	if big {
		for i, j := 0, 15; i < j; i, j = i+1, j-1 {
			raw[i], raw[j] = raw[j], raw[i]
		}
	}
	mantissa := binary.LittleEndian.Uint64(raw[:])
	se := binary.LittleEndian.Uint16(raw[8:])
	exp := int(se & 0x7fff)
	v := math.Ldexp(float64(mantissa), exp-16383-63)
	switch {
	case exp == 0x7fff && mantissa<<1 == 0:
		v = math.Inf(1)
	case exp == 0x7fff:
		v = math.NaN()
	}
	if se&0x8000 != 0 {
		v = math.Copysign(v, -1)
	}
	return shortestFloat(v, 64)
}

func namedChar(c byte) string {
	const names = "nulsohstxetxeotenqackbel bs ht nl vt ff cr so sidledc1dc2dc3dc4naksynetbcan emsubesc fs gs rs us sp"
	switch {
	case c <= ' ':
		return strings.TrimLeft(names[3*int(c):3*int(c)+3], " ")
	case c == 0x7f:
		return "del"
	}
	return string([]byte{c})
}

func shownChar(c byte) string {
	switch {
	case c == 0:
		return `\0`
	case strings.IndexByte("\a\b\f\n\r\t\v", c) >= 0:
		return escapedChar(c)
	case c < ' ' || c > '~':
		return string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
	}
	return string([]byte{c})
}

package digest

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

func baseHelp(name, what string) string {
	kinds := ""
	if name == "basenc" {
		kinds = `      --base64, --base64url, --base32, --base32hex, --base16, --base2msbf, --base2lsbf, --z85
                        which encoding to use
`
	}
	return "Usage: " + name + " [OPTION]... [FILE]\nWrite FILE, or standard input, in " + what + ` or back from it.

  -d, --decode          decode
  -i, --ignore-garbage  when decoding ignore characters that do not belong to the alphabet
  -w, --wrap=COLS       break lines after COLS characters (76); 0 for no breaks
` + kinds
}

// code is a way to write bytes as characters that stand for bits each.
type code struct {
	alphabet string
	bits     int  // of a character
	group    int  // characters that stand for whole bytes
	pad      bool // groups are filled with "="
	lsb      bool // the lowest bit of a byte comes first
	fold     bool // small letters may stand for capitals
}

const (
	alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	alphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

func codeNamed(name string) *code {
	switch name {
	case "base64":
		return &code{alphabet: alphabet64 + "+/", bits: 6, group: 4, pad: true}
	case "base64url":
		return &code{alphabet: alphabet64 + "-_", bits: 6, group: 4, pad: true}
	case "base32":
		return &code{alphabet: alphabet32, bits: 5, group: 8, pad: true}
	case "base32hex":
		return &code{alphabet: "0123456789ABCDEFGHIJKLMNOPQRSTUV", bits: 5, group: 8, pad: true}
	case "base16":
		return &code{alphabet: "0123456789ABCDEF", bits: 4, group: 2, fold: true}
	case "base2msbf":
		return &code{alphabet: "01", bits: 1, group: 8}
	case "base2lsbf":
		return &code{alphabet: "01", bits: 1, group: 8, lsb: true}
	}
	return nil
}

type baser struct {
	p       *command.Proc
	code    *code
	z85     bool
	decode  bool
	garbage bool
	wrap    int
}

func baseCommand(name string) command.Func {
	return func(p *command.Proc) int {
		spec := getopt.Spec{
			Short: "diw:",
			Long: []getopt.Long{
				{Name: "decode", Short: 'd'}, {Name: "ignore-garbage", Short: 'i'}, {Name: "wrap", Arg: getopt.Required, Short: 'w'},
			},
		}
		if name == "basenc" {
			spec.Short += "D"
			for _, n := range []string{"base64", "base64url", "base32", "base32hex", "base16", "base2msbf", "base2lsbf", "z85"} {
				spec.Long = append(spec.Long, getopt.Long{Name: n})
			}
		}
		opts, operands := p.Options(1, spec)
		b := baser{p: p, code: codeNamed(name), wrap: 76}
		for _, o := range opts {
			switch o.Name {
			case "d", "D":
				b.decode = true
			case "i":
				b.garbage = true
			case "w":
				n, err := strconv.Atoi(o.Arg)
				if o.Arg == "" || strings.Trim(o.Arg, "0123456789") != "" {
					p.Errorf("invalid wrap size: %s", quote.Locale(o.Arg))
					return 1
				}
				if err != nil {
					n = 0
				}
				b.wrap = n
			case "z85":
				b.z85, b.code = true, nil
			default:
				b.z85, b.code = false, codeNamed(o.Name)
			}
		}
		if b.code == nil && !b.z85 {
			return p.Usage(1, "missing encoding type")
		}
		if len(operands) > 1 {
			return p.Usage(1, "extra operand %s", quote.Locale(operands[1]))
		}
		file := "-"
		if len(operands) == 1 {
			file = operands[0]
		}
		return b.run(file)
	}
}

func (b *baser) run(name string) int {
	f, err := b.p.OpenArg(name)
	if err != nil {
		return b.p.Fail(quote.File(name), err)
	}
	defer f.Close()
	out := &wrapper{w: b.p.Out(), wrap: b.wrap}
	var step transcoder
	switch {
	case b.z85 && b.decode:
		step = &z85Decoder{w: b.p.Out(), garbage: b.garbage}
	case b.z85:
		step = &z85Encoder{w: out}
	case b.decode:
		step = newDecoder(b.code, b.p.Out(), b.garbage)
	default:
		step = &encoder{c: b.code, w: out}
	}
	buf := make([]byte, readSize)
	for {
		b.p.Yield()
		n, err := f.Read(buf)
		msg := step.put(buf[:n])
		if msg == "" && err == io.EOF {
			msg = step.end()
		}
		if msg != "" {
			b.p.Errorf("%s", msg)
			return 1
		}
		if err == io.EOF {
			out.finish()
			return 0
		}
		if err != nil {
			b.p.Errorf("read error: %s", sys.Strerror(err))
			return 1
		}
	}
}

// transcoder turns a stream into another; put and end return a message when the input is wrong.
type transcoder interface {
	put(b []byte) string
	end() string
}

const invalidInput = "invalid input"

// wrapper breaks what is written into lines.
type wrapper struct {
	w      *bufio.Writer
	wrap   int
	column int
	any    bool
}

func (w *wrapper) write(b []byte) {
	for len(b) > 0 {
		w.any = true
		if w.wrap == 0 {
			_, _ = w.w.Write(b)
			return
		}
		if w.column == w.wrap {
			_ = w.w.WriteByte('\n')
			w.column = 0
		}
		n := min(len(b), w.wrap-w.column)
		_, _ = w.w.Write(b[:n])
		w.column += n
		b = b[n:]
	}
}

func (w *wrapper) finish() {
	if w.any && w.wrap > 0 {
		_ = w.w.WriteByte('\n')
	}
}

type encoder struct {
	c     *code
	w     *wrapper
	acc   uint64
	nbits int
	chars int // of the current group
	out   []byte
}

func (e *encoder) put(b []byte) string {
	out := e.out[:0]
	if e.c.bits == base64Bits {
		// What is left of a group comes first, so that groups can be taken as a whole.
		head := min((base64Bytes-e.nbits/(8-base64Bits))%base64Bytes, len(b))
		out = e.encode(out, b[:head])
		out, b = e.threes(out, b[head:])
	}
	out = e.encode(out, b)
	e.w.write(out)
	e.out = out
	return ""
}

// encode encodes byte by byte.
func (e *encoder) encode(out, b []byte) []byte {
	mask := uint64(1)<<e.c.bits - 1
	for _, x := range b {
		if e.c.lsb {
			x = reverseBits(x)
		}
		e.acc = e.acc<<8 | uint64(x)
		e.nbits += 8
		for e.nbits >= e.c.bits {
			e.nbits -= e.c.bits
			out = append(out, e.c.alphabet[e.acc>>e.nbits&mask])
			e.chars++
		}
	}
	e.chars %= e.c.group
	return out
}

// Three bytes make four characters of base64.
const (
	base64Bits  = 6
	base64Mask  = 1<<base64Bits - 1
	base64Bytes = 3
)

// threes encodes what there is of whole groups of base64 and returns the rest.
func (e *encoder) threes(out, b []byte) (text, rest []byte) {
	alphabet := e.c.alphabet[:base64Mask+1]
	for len(b) >= base64Bytes {
		x := uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
		out = append(out, alphabet[x>>18&base64Mask], alphabet[x>>12&base64Mask], alphabet[x>>6&base64Mask], alphabet[x&base64Mask])
		b = b[base64Bytes:]
	}
	return out, b
}

func (e *encoder) end() string {
	var out []byte
	if e.nbits > 0 {
		mask := uint64(1)<<e.c.bits - 1
		out = append(out, e.c.alphabet[e.acc<<(e.c.bits-e.nbits)&mask])
		e.chars++
	}
	for e.c.pad && e.chars%e.c.group != 0 {
		out = append(out, '=')
		e.chars++
	}
	e.w.write(out)
	return ""
}

func reverseBits(x byte) byte {
	var r byte
	for range 8 {
		r = r<<1 | x&1
		x >>= 1
	}
	return r
}

type decoder struct {
	c       *code
	w       *bufio.Writer
	garbage bool
	value   [256]int8
	group   []byte // values; padding is 0xff
	pads    int
	out     []byte
}

func newDecoder(c *code, w *bufio.Writer, garbage bool) *decoder {
	d := &decoder{c: c, w: w, garbage: garbage}
	for i := range d.value {
		d.value[i] = -1
	}
	for i := range len(c.alphabet) {
		d.value[c.alphabet[i]] = int8(i)
		if c.fold && c.alphabet[i] >= 'A' {
			d.value[c.alphabet[i]|0x20] = int8(i)
		}
	}
	return d
}

func (d *decoder) put(b []byte) string {
	d.out = d.out[:0]
	msg := ""
	for i := 0; i < len(b); i++ {
		if len(d.group) == 0 && d.pads == 0 && d.c.bits == base64Bits {
			if i += d.fours(b[i:]); i == len(b) {
				break
			}
		}
		x := b[i]
		v := d.value[x]
		switch {
		case v >= 0 && d.pads == 0:
			d.group = append(d.group, byte(v))
		case x == '=' && d.c.pad:
			d.pads++
		case x == '\n' || v < 0 && d.garbage:
			continue
		default:
			d.partial()
			msg = invalidInput
		}
		if msg == "" && len(d.group)+d.pads == d.c.group {
			msg = d.flush()
		}
		if msg != "" {
			break
		}
	}
	_, _ = d.w.Write(d.out)
	return msg
}

// fours decodes what there is of whole groups of base64 without padding and returns how many characters they are.
func (d *decoder) fours(b []byte) int {
	n := 0
	for ; len(b)-n >= 4; n += 4 {
		g := b[n : n+4]
		v0, v1, v2, v3 := d.value[g[0]], d.value[g[1]], d.value[g[2]], d.value[g[3]]
		if v0|v1|v2|v3 < 0 {
			break
		}
		x := uint32(v0)<<18 | uint32(v1)<<12 | uint32(v2)<<6 | uint32(v3)
		d.out = append(d.out, byte(x>>16), byte(x>>8), byte(x))
	}
	return n
}

// flush writes a whole group.
func (d *decoder) flush() string {
	used := len(d.group) * d.c.bits
	ok := d.pads == 0 || used >= 8 && used%8 < d.c.bits
	if ok {
		d.bytes()
	} else {
		d.partial()
	}
	d.group, d.pads = d.group[:0], 0
	if !ok {
		return invalidInput
	}
	return ""
}

// partial writes what there is of a group that is wrong, as GNU does for base64 only.
func (d *decoder) partial() {
	if d.c.bits == 6 {
		d.bytes()
	}
}

// bytes writes the bytes that the characters of a group make.
func (d *decoder) bytes() {
	var acc uint64
	nbits := 0
	for _, v := range d.group {
		acc = acc<<d.c.bits | uint64(v)
		nbits += d.c.bits
		if nbits >= 8 {
			nbits -= 8
			x := byte(acc >> nbits)
			if d.c.lsb {
				x = reverseBits(x)
			}
			d.out = append(d.out, x)
		}
	}
}

func (d *decoder) end() string {
	if len(d.group) == 0 && d.pads == 0 {
		return ""
	}
	d.out = d.out[:0]
	d.partial()
	_, _ = d.w.Write(d.out)
	return invalidInput
}

const z85Alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

type z85Encoder struct {
	w    *wrapper
	rest []byte
}

func (e *z85Encoder) put(b []byte) string {
	e.rest = append(e.rest, b...)
	var out []byte
	for len(e.rest) >= 4 {
		v := uint32(e.rest[0])<<24 | uint32(e.rest[1])<<16 | uint32(e.rest[2])<<8 | uint32(e.rest[3])
		var g [5]byte
		for i := 4; i >= 0; i-- {
			g[i] = z85Alphabet[v%85]
			v /= 85
		}
		out = append(out, g[:]...)
		e.rest = e.rest[4:]
	}
	e.rest = append([]byte{}, e.rest...)
	e.w.write(out)
	return ""
}

func (e *z85Encoder) end() string {
	if len(e.rest) > 0 {
		return "invalid input (length must be multiple of 4 characters)"
	}
	return ""
}

type z85Decoder struct {
	w       *bufio.Writer
	garbage bool
	group   []byte
}

func (d *z85Decoder) put(b []byte) string {
	for _, x := range b {
		v := strings.IndexByte(z85Alphabet, x)
		if v < 0 {
			if x == '\n' || d.garbage {
				continue
			}
			return invalidInput
		}
		d.group = append(d.group, byte(v))
		if len(d.group) < 5 {
			continue
		}
		var n uint64
		for _, g := range d.group {
			n = n*85 + uint64(g)
		}
		if n > 0xffffffff {
			return invalidInput
		}
		_, _ = d.w.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		d.group = d.group[:0]
	}
	return ""
}

func (d *z85Decoder) end() string {
	if len(d.group) > 0 {
		return invalidInput
	}
	return ""
}

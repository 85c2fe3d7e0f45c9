package text

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const iconvHelp = `Usage: iconv [OPTION]... [-f ENCODING] [-t ENCODING] [FILE]...
Convert text from one encoding to another: UTF-8 (the default), ASCII, ISO-8859-1, ISO-8859-15, WINDOWS-1252, UTF-16,
UTF-16LE, UTF-16BE, UTF-32, UTF-32LE, UTF-32BE.

  -f, --from-code=ENCODING   the encoding of the input
  -t, --to-code=ENCODING     the encoding of the output; //TRANSLIT after it spells what it lacks in ASCII, //IGNORE nothing
  -c                         leave out what cannot be converted
  -l, --list                 write the names of the encodings
  -o, --output=FILE          write FILE, not standard output
  -s, --silent               accepted
`

// codec is how characters are bytes.
type codec struct {
	unit   int            // the bytes of a unit; 0 for UTF-8
	little bool           // the byte order of units
	mark   bool           // a byte order mark is written, and obeyed when read
	high   func(int) rune // the character of a byte from 0x80 on, utf8.RuneError for none; nil for ASCII
}

// incomplete is what a character that the input ends in the middle of is told by.
const incomplete = -1

var errInput = errors.New("cannot convert")

// findCodec knows an encoding by its name, without regard to case and punctuation.
func findCodec(name string) (c codec, ok bool) {
	switch strings.NewReplacer("-", "", "_", "", ".", "", ":", "").Replace(strings.ToUpper(name)) {
	case "", "UTF8":
		return codec{}, true
	case "ASCII", "USASCII", "ANSIX341968", "646", "C", "POSIX":
		return codec{unit: 1}, true
	case "ISO88591", "LATIN1", "L1", "88591":
		return codec{unit: 1, high: latin1}, true
	case "ISO885915", "LATIN9", "885915":
		return codec{unit: 1, high: latin9}, true
	case "WINDOWS1252", "CP1252", "MSANSI":
		return codec{unit: 1, high: windows1252}, true
	case "UTF16", "UCS2", "UNICODE":
		return codec{unit: 2, little: true, mark: true}, true
	case "UTF16LE", "UCS2LE":
		return codec{unit: 2, little: true}, true
	case "UTF16BE", "UCS2BE":
		return codec{unit: 2}, true
	case "UTF32", "UCS4":
		return codec{unit: 4, little: true, mark: true}, true
	case "UTF32LE", "UCS4LE":
		return codec{unit: 4, little: true}, true
	case "UTF32BE", "UCS4BE":
		return codec{unit: 4}, true
	}
	return codec{}, false
}

func latin1(b int) rune { return rune(b) }

func latin9(b int) rune {
	const bytes = "\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe"
	if at := strings.IndexByte(bytes, byte(b)); at >= 0 {
		return [...]rune{'€', 'Š', 'š', 'Ž', 'ž', 'Œ', 'œ', 'Ÿ'}[at]
	}
	return rune(b)
}

func windows1252(b int) rune {
	const none = utf8.RuneError
	if b >= 0xa0 {
		return rune(b)
	}
	return [...]rune{
		'€', none, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', none, 'Ž', none,
		none, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', none, 'ž', 'Ÿ',
	}[b-0x80]
}

// decode reads the character at the beginning of b: size is 0 when it is none, and incomplete when more is needed to tell.
func (c *codec) decode(b []byte) (r rune, size int) {
	switch {
	case c.unit == 0:
		r, size = utf8.DecodeRune(b)
		if r == utf8.RuneError && size <= 1 {
			if !utf8.FullRune(b) {
				return 0, incomplete
			}
			return 0, 0
		}
		return r, size
	case c.unit == 1 && b[0] < utf8.RuneSelf:
		return rune(b[0]), 1
	case c.unit == 1 && c.high == nil:
		return 0, 0
	case c.unit == 1:
		if r = c.high(int(b[0])); r == utf8.RuneError {
			return 0, 0
		}
		return r, 1
	case len(b) < c.unit:
		return 0, incomplete
	}
	r = rune(c.load(b))
	if c.unit == 2 && r&0xfc00 == 0xd800 {
		if len(b) < 4 {
			return 0, incomplete
		}
		low := rune(c.load(b[2:]))
		if low&0xfc00 != 0xdc00 {
			return 0, 0
		}
		return (r&0x3ff)<<10 | low&0x3ff + 0x10000, 4
	}
	if !utf8.ValidRune(r) {
		return 0, 0
	}
	return r, c.unit
}

func (c *codec) load(b []byte) (v uint32) {
	for i := range c.unit {
		if c.little {
			v |= uint32(b[i]) << (8 * i)
		} else {
			v = v<<8 | uint32(b[i])
		}
	}
	return v
}

func (c *codec) store(dst []byte, v uint32) []byte {
	for i := range c.unit {
		shift := 8 * (c.unit - 1 - i)
		if c.little {
			shift = 8 * i
		}
		dst = append(dst, byte(v>>shift))
	}
	return dst
}

// encode appends a character; ok is false when the encoding lacks it.
func (c *codec) encode(dst []byte, r rune) (_ []byte, ok bool) {
	switch {
	case c.unit == 0:
		return utf8.AppendRune(dst, r), true
	case c.unit == 1 && r < utf8.RuneSelf:
		return append(dst, byte(r)), true
	case c.unit == 1:
		for b := 0x80; c.high != nil && b <= 0xff; b++ {
			if c.high(b) == r {
				return append(dst, byte(b)), true
			}
		}
		return dst, false
	case c.unit == 2 && r >= 0x10000:
		r -= 0x10000
		return c.store(c.store(dst, 0xd800|uint32(r>>10)), 0xdc00|uint32(r&0x3ff)), true
	}
	return c.store(dst, uint32(r)), true
}

// converter is a running iconv.
type converter struct {
	p        *command.Proc
	from, to codec
	skip     bool // what cannot be converted is left out
	replace  bool // what the output lacks is spelled otherwise
	out      *bufio.Writer
	skipped  bool
}

func iconvCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "f:t:clo:s",
		Long: []getopt.Long{
			{Name: "from-code", Arg: getopt.Required, Short: 'f'},
			{Name: "to-code", Arg: getopt.Required, Short: 't'},
			{Name: "list", Short: 'l'},
			{Name: "output", Arg: getopt.Required, Short: 'o'},
			{Name: "silent", Short: 's'},
		},
	})
	c := &converter{p: p, out: p.Out()}
	output := ""
	for _, o := range opts {
		var ok bool
		switch o.Name {
		case "f":
			name, _, _ := strings.Cut(o.Arg, "//")
			if c.from, ok = findCodec(name); !ok {
				return p.Usage(1, "conversion from %s is not supported", quote.Locale(name))
			}
		case "t":
			name, mode, _ := strings.Cut(o.Arg, "//")
			if c.to, ok = findCodec(name); !ok {
				return p.Usage(1, "conversion to %s is not supported", quote.Locale(name))
			}
			mode = strings.ToUpper(mode)
			c.replace = strings.Contains(mode, "TRANSLIT")
			c.skip = c.skip || strings.Contains(mode, "IGNORE")
		case "c":
			c.skip = true
		case "l":
			_, _ = c.out.WriteString("ASCII\nISO-8859-1\nISO-8859-15\nUTF-16\nUTF-16BE\nUTF-16LE\nUTF-32\nUTF-32BE\nUTF-32LE\nUTF-8\nWINDOWS-1252\n")
			return 0
		case "o":
			output = o.Arg
		}
	}
	if output == "" {
		return c.run(operands)
	}
	file, err := newOutputFile(p, output)
	if err != nil {
		return fail(p, output, err)
	}
	c.out = file.buf
	status := c.run(operands)
	if err := file.close(); err != nil {
		return fail(p, output, err)
	}
	return status
}

func (c *converter) run(operands []string) int {
	if c.to.mark {
		_, _ = c.out.Write(c.to.store(nil, 0xfeff))
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		err := withInput(c.p, name, func(f command.File) error { return c.convert(f) })
		switch {
		case errors.Is(err, errInput):
			return 1
		case err != nil:
			c.p.Errorf("cannot open input file %s: %s", quote.Locale(name), sys.Strerror(err))
			return 1
		}
	}
	if c.skipped {
		return 1
	}
	return 0
}

// convert copies one input. It stops at what cannot be converted, unless that is left out.
func (c *converter) convert(in io.Reader) error {
	from := c.from
	first := from.mark
	buf := make([]byte, copyBuffer)
	var dst []byte
	have, done, offset := 0, false, 0
	for !done || have > 0 {
		if !done {
			n, err := in.Read(buf[have:])
			have += n
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			done = err != nil
		}
		if first && have >= from.unit {
			first = false
			swapped := from
			swapped.little = !from.little
			if swapped.load(buf) == 0xfeff {
				from = swapped
			}
			if from.load(buf) == 0xfeff {
				have = copy(buf, buf[from.unit:have])
				offset += from.unit
			}
		}
		used, bad := 0, false
		dst, used, bad = c.piece(dst[:0], &from, buf[:have], done)
		if _, err := c.out.Write(dst); err != nil {
			return err
		}
		offset += used
		if bad && used < have && done && from.short(buf[used:have]) {
			c.p.Errorf("incomplete character or shift sequence at end of buffer")
			return errInput
		}
		if bad {
			c.p.Errorf("cannot convert: illegal input sequence at position %d", offset)
			return errInput
		}
		have = copy(buf, buf[used:have])
		c.p.Yield()
	}
	return nil
}

// short reports whether b is the beginning of a character only.
func (c *codec) short(b []byte) bool {
	_, size := c.decode(b)
	return size == incomplete
}

// similar spells a character in ASCII; "?" stands for what has no such spelling.
func similar(r rune) string {
	const letters = "ÀAÁAÂAÃAÄAÅAÇCÈEÉEÊEËEÌIÍIÎIÏIÑNÒOÓOÔOÕOÖOØOÙUÚUÛUÜUÝYàaáaâaãaäaåaçcèeéeêeëeìiíiîiïiñnòoóoôoõoöoøoùuúuûuüuýyÿy" +
		"ĀAāaĂAăaĄAąaĆCćcČCčcĎDďdĐDđdĒEēeĘEęeĚEěeĞGğgĪIīiİIıiŁLłlŃNńnŇNňnŌOōoŐOőoŘRřrŚSśsŞSşsŠSšsŢTţtŤTťtŪUūuŮUůuŰUűuŸYŹZźzŻZżzŽZžz" +
		"\u00a0 ‘'’'‚,“\"”\"„,‐-‑-–-—-−-•o"
	if at := strings.IndexRune(letters, r); at >= 0 && r >= utf8.RuneSelf {
		at += utf8.RuneLen(r)
		return letters[at : at+1]
	}
	switch r {
	case 'ß':
		return "ss"
	case 'Æ':
		return "AE"
	case 'æ':
		return "ae"
	case 'Œ':
		return "OE"
	case 'œ':
		return "oe"
	case '…':
		return "..."
	case '€':
		return "EUR"
	case '©':
		return "(C)"
	case '®':
		return "(R)"
	case '«':
		return "<<"
	case '»':
		return ">>"
	}
	return "?"
}

// piece converts what is whole of b; bad tells that it stopped at what cannot be converted.
func (c *converter) piece(dst []byte, from *codec, b []byte, last bool) (_ []byte, used int, bad bool) {
	for used < len(b) {
		r, size := from.decode(b[used:])
		if size == incomplete && !last {
			return dst, used, false
		}
		if size <= 0 {
			if !c.skip || size == incomplete {
				return dst, used, true
			}
			c.skipped = true
			used += min(max(from.unit, 1), len(b)-used)
			continue
		}
		var ok bool
		if dst, ok = c.to.encode(dst, r); !ok {
			switch {
			case c.replace:
				for _, s := range similar(r) {
					dst, _ = c.to.encode(dst, s)
				}
			case c.skip:
				c.skipped = true
			default:
				return dst, used, true
			}
		}
		used += size
	}
	return dst, used, false
}

package text

import (
	"io"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/columns"
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const wcHelp = `Usage: wc [OPTION]... [FILE]...
Count the lines, words and bytes of each FILE, and in all when there are several. Without FILE, or where FILE is -, read
standard input. The counts come in the order lines, words, characters, bytes, longest line.

  -c, --bytes            count bytes
  -m, --chars            count characters
  -l, --lines            count newlines
  -L, --max-line-length  the width of the longest line
  -w, --words            count words
      --files0-from=F    count the files whose names, each ended by NUL, are in F
      --total=WHEN       when to write the total: auto, always, only, never
`

// tally is what wc counts of one file.
type tally struct {
	lines, words, chars, bytes, longest int64
}

type counter struct {
	p                                   *command.Proc
	lines, words, chars, bytes, longest bool
	width                               int
	streamed                            bool // the names came through a pipe, and nothing is known of the files
	total                               tally
}

func wcCommand(p *command.Proc) int {
	c := counter{p: p}
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cmlLw",
		Long: []getopt.Long{
			{Name: "bytes", Short: 'c'},
			{Name: "chars", Short: 'm'},
			{Name: "lines", Short: 'l'},
			{Name: "max-line-length", Short: 'L'},
			{Name: "words", Short: 'w'},
			{Name: "files0-from", Arg: getopt.Required},
			{Name: "total", Arg: getopt.Required},
		},
	})
	when, from := "auto", ""
	for _, o := range opts {
		switch o.Name {
		case "c":
			c.bytes = true
		case "m":
			c.chars = true
		case "l":
			c.lines = true
		case "L":
			c.longest = true
		case "w":
			c.words = true
		case "files0-from":
			from = o.Arg
		case "total":
			when = o.Arg
		}
	}
	if !c.lines && !c.words && !c.chars && !c.bytes && !c.longest {
		c.lines, c.words, c.bytes = true, true, true
	}
	switch when {
	case "auto", "always", "only", "never":
	default:
		return p.Usage(1, "invalid argument %s for %s", quote.Locale(when), quote.Locale("--total"))
	}
	status := 0
	if from != "" {
		if len(operands) > 0 {
			p.Errorf("extra operand %s", quote.Locale(operands[0]))
			p.Errorf("file operands cannot be combined with --files0-from")
			return 1
		}
		operands, status = names0(p, from)
		if status != 0 {
			return status
		}
		if len(operands) == 0 {
			return 0
		}
	}
	if from != "" {
		info, err := c.stat(from)
		c.streamed = err == nil && !info.IsRegular()
	}
	return max(status, c.run(operands, when))
}

// names0 reads a list of file names that end with NUL.
func names0(p *command.Proc, from string) ([]string, int) {
	f, err := p.OpenArg(from)
	if err != nil {
		p.Errorf("cannot open %s for reading: %s", quote.Always(from), sys.Strerror(err))
		return nil, 1
	}
	defer f.Close()
	var names []string
	r := lines.New(p, f, 0)
	for {
		name, ok := r.Next()
		if !ok {
			return names, 0
		}
		if len(name) == 0 {
			p.Errorf("%s:%d: invalid zero-length file name", from, len(names)+1)
			continue
		}
		names = append(names, string(name))
	}
}

func (c *counter) run(operands []string, when string) int {
	c.width = c.columnWidth(operands)
	if when == "only" {
		c.width = 1
	}
	status := 0
	files := operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		t, err := c.count(name)
		if err != nil {
			status = fail(c.p, name, err)
			if !isDirectory(err) {
				continue
			}
		}
		c.total.add(t)
		if when == "only" {
			continue
		}
		label := name
		if len(operands) == 0 {
			label = ""
		}
		c.print(t, label)
	}
	switch {
	case when == "only":
		c.print(c.total, "")
	case when == "always", when == "auto" && len(files) > 1:
		c.print(c.total, "total")
	}
	return status
}

func (t *tally) add(u tally) {
	t.lines += u.lines
	t.words += u.words
	t.chars += u.chars
	t.bytes += u.bytes
	t.longest = max(t.longest, u.longest)
}

func (c *counter) kinds() int {
	n := 0
	for _, on := range []bool{c.lines, c.words, c.chars, c.bytes, c.longest} {
		if on {
			n++
		}
	}
	return n
}

// columnWidth is how wide GNU makes the counts: as wide as the sum of the files' sizes, at least 7 when
// something is not a regular file, and 1 when there is a single count.
func (c *counter) columnWidth(operands []string) int {
	if c.streamed || len(operands) <= 1 && c.kinds() == 1 {
		return 1
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	const unknown = 7
	least, total := 1, int64(0)
	for _, name := range operands {
		info, err := c.stat(name)
		if err != nil {
			continue
		}
		if info.IsRegular() {
			total += info.Size
		} else {
			least = unknown
		}
	}
	return max(least, len(strconv.FormatInt(total, 10)))
}

func (c *counter) stat(name string) (sys.Info, error) {
	if name == "-" {
		name = "/dev/stdin"
	}
	return c.p.Stat(name)
}

func (c *counter) print(t tally, name string) {
	var b []byte
	column := func(on bool, n int64) {
		if !on {
			return
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = appendPadded(b, int(n), c.width)
	}
	column(c.lines, t.lines)
	column(c.words, t.words)
	column(c.chars, t.chars)
	column(c.bytes, t.bytes)
	column(c.longest, t.longest)
	if name != "" {
		b = append(b, ' ')
		if strings.Contains(name, "\n") {
			name = quote.Always(name)
		}
		b = append(b, name...)
	}
	b = append(b, '\n')
	_, _ = c.p.Out().Write(b)
}

func (c *counter) count(name string) (tally, error) {
	var t tally
	f, err := c.p.OpenArg(name)
	if err != nil {
		return t, err
	}
	defer f.Close()
	if c.bytes && !c.words && !c.lines && !c.chars && !c.longest {
		if file, info, ok := regular(f); ok && info.Size > 0 {
			at, err := file.Seek(0, io.SeekCurrent)
			if err == nil {
				_, err = file.Seek(0, io.SeekEnd)
				t.bytes = max(info.Size-at, 0)
				return t, err
			}
		}
	}
	if c.longest {
		return t, c.measure(f, &t)
	}
	s := scanner{words: c.words, chars: c.chars}
	buf := make([]byte, copyBuffer)
	for {
		c.p.Yield()
		n, err := f.Read(buf)
		t.bytes += int64(n)
		s.scan(&t, buf[:n])
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

// scanner counts lines, words and characters of a stream that comes in pieces.
type scanner struct {
	words, chars bool
	inWord       bool
	rest         [utf8.UTFMax]byte // the beginning of a character that a piece ended in
	nrest        int
}

func (s *scanner) scan(t *tally, b []byte) {
	if !s.words {
		t.lines += int64(countByte(b, '\n'))
		if s.chars {
			s.countChars(t, b)
		}
		return
	}
	for len(b) > 0 {
		if s.nrest > 0 {
			b = s.finishRune(t, b)
			continue
		}
		n := s.ascii(t, b)
		b = b[n:]
		if len(b) > 0 {
			b = s.rune(t, b)
		}
	}
}

// ascii counts up to the first byte that is not ASCII and returns its index.
func (s *scanner) ascii(t *tally, b []byte) int {
	in := s.inWord
	lines, words := 0, 0
	i := 0
	for ; i < len(b); i++ {
		c := b[i]
		if c > ' ' {
			if c >= 0x7f {
				if c > 0x7f {
					break
				}
				continue
			}
			if !in {
				words++
				in = true
			}
			continue
		}
		if c == ' ' || c-'\t' <= '\r'-'\t' {
			in = false
			if c == '\n' {
				lines++
			}
		}
	}
	s.inWord = in
	t.lines += int64(lines)
	t.words += int64(words)
	t.chars += int64(i)
	return i
}

// rune counts the character at the start of b and returns what follows it.
func (s *scanner) rune(t *tally, b []byte) []byte {
	if !utf8.FullRune(b) {
		s.nrest = copy(s.rest[:], b)
		return nil
	}
	r, n := utf8.DecodeRune(b)
	s.char(t, r, n)
	return b[n:]
}

func (s *scanner) char(t *tally, r rune, n int) {
	if r == utf8.RuneError && n == 1 {
		return // not a character: neither counted nor part of a word
	}
	t.chars++
	switch {
	case isSpaceRune(r):
		s.inWord = false
	case columns.Rune(r) >= 0 && !s.inWord:
		s.inWord = true
		t.words++
	}
}

// finishRune completes a character that began in the piece before.
func (s *scanner) finishRune(t *tally, b []byte) []byte {
	k := copy(s.rest[s.nrest:], b)
	whole := s.rest[:s.nrest+k]
	if !utf8.FullRune(whole) {
		s.nrest += k
		return b[k:]
	}
	r, n := utf8.DecodeRune(whole)
	used := n - s.nrest
	if used < 0 { // an invalid byte among those kept
		copy(s.rest[:], s.rest[n:s.nrest])
		s.nrest -= n
		s.char(t, r, n)
		return b
	}
	s.nrest = 0
	s.char(t, r, n)
	return b[used:]
}

// countChars counts characters and nothing else: every byte that does not continue one, unless it is invalid.
func (s *scanner) countChars(t *tally, b []byte) {
	for len(b) > 0 {
		if s.nrest > 0 {
			b = s.finishRune(t, b)
			continue
		}
		i := 0
		for i < len(b) && b[i] < utf8.RuneSelf {
			i++
		}
		t.chars += int64(i)
		b = b[i:]
		if len(b) > 0 {
			b = s.rune(t, b)
		}
	}
}

// countByte counts the bytes of b that are c, eight at a time: bytes.Count has no fast path on WebAssembly.
func countByte(b []byte, c byte) int {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	n, i := 0, 0
	mask := uint64(c) * ones
	for ; i+8 <= len(b); i += 8 {
		w := b[i : i+8 : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		x ^= mask
		// The high bit of each byte that is zero, exactly.
		x = ^((x&^high + ^uint64(high)) | x) & high
		n += bits.OnesCount64(x)
	}
	for ; i < len(b); i++ {
		if b[i] == c {
			n++
		}
	}
	return n
}

// measure counts a stream with the width of its longest line.
func (c *counter) measure(f io.Reader, t *tally) error {
	s := scanner{words: true}
	r := lines.New(c.p, f, '\n')
	newline := []byte{'\n'}
	for {
		line, ok := r.Next()
		if !ok {
			return r.Err()
		}
		s.scan(t, line)
		t.bytes += int64(len(line))
		if r.Terminated() {
			s.scan(t, newline)
			t.bytes++
		}
		t.longest = max(t.longest, lineWidth(line))
	}
}

// lineWidth is the greatest column that a line reaches: tabs go to the next multiple of 8, a carriage return
// or form feed begins again.
func lineWidth(b []byte) int64 {
	var at, most int64
	for len(b) > 0 {
		switch c := b[0]; {
		case c == '\t':
			at += 8 - at%8
			b = b[1:]
		case c == '\r' || c == '\f':
			most = max(most, at)
			at = 0
			b = b[1:]
		case c < utf8.RuneSelf:
			if c >= ' ' && c < 0x7f {
				at++
			}
			b = b[1:]
		default:
			r, n := utf8.DecodeRune(b)
			if r != utf8.RuneError || n > 1 {
				at += int64(max(columns.Rune(r), 0))
			}
			b = b[n:]
		}
	}
	return max(most, at)
}

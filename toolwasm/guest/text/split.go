package text

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const splitHelp = `Usage: split [OPTION]... [FILE [PREFIX]]
Write pieces of FILE to PREFIXaa, PREFIXab, ... ; a piece has 1000 lines and PREFIX is x unless said otherwise. Without
FILE, or where FILE is -, read standard input.

  -a, --suffix-length=N      suffixes of N characters (2)
      --additional-suffix=S  names end with S
  -b, --bytes=SIZE           pieces of SIZE bytes
  -C, --line-bytes=SIZE      pieces of at most SIZE bytes of whole lines
  -d, --numeric-suffixes[=FROM]  suffixes are numbers, from 0 or FROM
  -e, --elide-empty-files    with -n make no empty files
      --filter=COMMAND       write to a shell COMMAND, whose $FILE is the name
  -l, --lines=NUMBER         pieces of NUMBER lines
  -n, --number=CHUNKS        N pieces of equal size; l/N of whole lines; r/N lines in turn; K/N, l/K/N, r/K/N write piece
                             K of these to standard output
  -t, --separator=SEP        lines end with SEP; '\0' is NUL
  -u, --unbuffered           accepted; lines of r/N are written as they come
  -x, --hex-suffixes[=FROM]  suffixes are hexadecimal numbers
      --verbose              tell the name of each file
`

const outOfRange = ": Numerical result out of range"

type splitMode int

const (
	byLines splitMode = iota
	byBytes
	byLineBytes
	byChunks
	byLineChunks
	byRoundRobin
)

type splitter struct {
	p          *command.Proc
	mode       splitMode
	modeSet    bool
	size       int64 // lines, bytes or chunks
	chunk      int64 // which one goes to standard output, 0 for none
	elide      bool
	filter     string
	verbose    bool
	eol        byte
	names      suffixes
	out        io.WriteCloser
	name       string
	filterFail int
}

// suffixes makes the names of the pieces.
type suffixes struct {
	prefix, extra string
	alphabet      string
	digits        []int // indices in the alphabet
	auto          bool  // grow when nearly used up
	started       bool
}

func (s *suffixes) next() (string, bool) {
	if !s.started {
		s.started = true
		return s.text(), true
	}
	for i := len(s.digits) - 1; i >= 0; i-- {
		s.digits[i]++
		if i == 0 && s.auto && s.digits[0] == len(s.alphabet)-1 {
			// The last letter as the first is kept for longer suffixes: yz is followed by zaaa.
			s.prefix += s.alphabet[len(s.alphabet)-1:]
			s.digits = make([]int, len(s.digits)+1)
			return s.text(), true
		}
		if s.digits[i] < len(s.alphabet) {
			return s.text(), true
		}
		s.digits[i] = 0
	}
	return "", false
}

func (s *suffixes) text() string {
	b := []byte(s.prefix)
	for _, d := range s.digits {
		b = append(b, s.alphabet[d])
	}
	return string(b) + s.extra
}

func splitCommand(p *command.Proc) int {
	s := splitter{p: p, size: 1000, eol: '\n', names: suffixes{prefix: "x", alphabet: "abcdefghijklmnopqrstuvwxyz", auto: true}}
	req, opt := getopt.Required, getopt.Optional
	opts, operands := p.Options(1, getopt.Spec{
		Short: "a:b:C:del:n:t:ux", Digits: true,
		Long: []getopt.Long{
			{Name: "suffix-length", Arg: req, Short: 'a'},
			{Name: "additional-suffix", Arg: req},
			{Name: "bytes", Arg: req, Short: 'b'},
			{Name: "line-bytes", Arg: req, Short: 'C'},
			{Name: "numeric-suffixes", Arg: opt},
			{Name: "hex-suffixes", Arg: opt},
			{Name: "elide-empty-files", Short: 'e'},
			{Name: "filter", Arg: req},
			{Name: "lines", Arg: req, Short: 'l'},
			{Name: "number", Arg: req, Short: 'n'},
			{Name: "separator", Arg: req, Short: 't'},
			{Name: "unbuffered", Short: 'u'},
			{Name: "verbose"},
		},
	})
	length, from := 0, ""
	for _, o := range opts {
		switch o.Name {
		case "a":
			n, err := strconv.Atoi(o.Arg)
			const longest = 255
			if err != nil || n < 0 || n > longest {
				s.die("invalid suffix length: %s", quote.Locale(o.Arg))
			}
			length = n
		case "additional-suffix":
			if strings.Contains(o.Arg, "/") {
				return p.Usage(1, "invalid suffix %s, contains directory separator", quote.Locale(o.Arg))
			}
			s.names.extra = o.Arg
		case "d", "numeric-suffixes":
			s.names.alphabet, from = "0123456789", o.Arg
		case "x", "hex-suffixes":
			s.names.alphabet, from = "0123456789abcdef", o.Arg
		default:
			s.set(o)
		}
	}
	if len(operands) > 2 {
		return p.Usage(1, "extra operand %s", quote.Locale(operands[2]))
	}
	name := "-"
	if len(operands) > 0 {
		name = operands[0]
	}
	if len(operands) > 1 {
		s.names.prefix = operands[1]
	}
	s.settleNames(length, from)
	return s.run(name)
}

func (s *splitter) die(format string, args ...any) {
	s.p.Errorf(format, args...)
	s.p.Exit(1)
}

func (s *splitter) set(o getopt.Option) {
	switch o.Name {
	case "b":
		s.setMode(byBytes, s.number(o.Arg, "invalid number of bytes"))
	case "C":
		s.setMode(byLineBytes, s.number(o.Arg, "invalid number of bytes"))
	case "l", "NUM":
		s.setMode(byLines, s.number(o.Arg, "invalid number of lines"))
	case "n":
		s.chunks(o.Arg)
	case "e":
		s.elide = true
	case "filter":
		s.filter = o.Arg
	case "verbose":
		s.verbose = true
	case "t":
		switch {
		case o.Arg == "":
			s.die("empty record separator")
		case o.Arg == `\0`:
			s.eol = 0
		case len(o.Arg) > 1:
			s.die("multi-character separator %s", quote.Locale(o.Arg))
		default:
			s.eol = o.Arg[0]
		}
	}
}

func (s *splitter) setMode(m splitMode, size int64) {
	if s.modeSet {
		s.p.Exit(s.p.Usage(1, "cannot split in more than one way"))
	}
	s.mode, s.size, s.modeSet = m, size, true
}

func (s *splitter) number(text, msg string) int64 {
	n, err := quantity.Parse(text, quantity.Count)
	if err == nil && n == 0 {
		s.die("%s: %s%s", msg, quote.Locale(text), outOfRange)
	}
	if err != nil && err != quantity.ErrRange {
		s.die("%s: %s", msg, quote.Locale(text))
	}
	return n
}

// chunks reads N, K/N, l/N, l/K/N, r/N and r/K/N.
func (s *splitter) chunks(text string) {
	mode, rest := byChunks, text
	switch {
	case strings.HasPrefix(text, "l/"):
		mode, rest = byLineChunks, text[2:]
	case strings.HasPrefix(text, "r/"):
		mode, rest = byRoundRobin, text[2:]
	}
	k, n, both := strings.Cut(rest, "/")
	if !both {
		k, n = "", k
	}
	count, err := strconv.ParseInt(n, 10, 64)
	if err == nil && count < 1 {
		s.die("invalid number of chunks: %s%s", quote.Locale(n), outOfRange)
	}
	if err != nil {
		s.die("invalid number of chunks: %s", quote.Locale(n))
	}
	if both {
		s.chunk, err = strconv.ParseInt(k, 10, 64)
		if err == nil && (s.chunk < 1 || s.chunk > count) {
			s.die("invalid chunk number: %s%s", quote.Locale(k), outOfRange)
		}
		if err != nil {
			s.die("invalid chunk number: %s", quote.Locale(k))
		}
	}
	s.setMode(mode, count)
}

func (s *splitter) settleNames(length int, from string) {
	base := int64(len(s.names.alphabet))
	start := int64(0)
	if from != "" {
		var err error
		if start, err = strconv.ParseInt(from, int(base), 64); err != nil || start < 0 {
			s.die("invalid start value for numerical suffix: %s", quote.Locale(from))
		}
		s.names.auto = false
	}
	needed := 0
	if s.mode >= byChunks {
		last := s.size - 1
		if start < s.size {
			last += start
		}
		for ; last > 0; last /= base {
			needed++
		}
		s.names.auto = false
	}
	switch {
	case length > 0 && needed > length:
		s.die("the suffix length needs to be at least %d", needed)
	case length > 0:
		s.names.auto = false
	default:
		const usual = 2
		length = max(usual, needed)
	}
	s.names.digits = make([]int, length)
	for i := length - 1; i >= 0; i-- {
		s.names.digits[i] = int(start % base)
		start /= base
	}
	if start > 0 {
		s.die("numerical suffix start value is too large for the suffix length")
	}
}

func (s *splitter) run(name string) int {
	f, err := s.p.OpenArg(name)
	if err != nil {
		s.die("cannot open %s for reading: %s", quote.Always(name), sys.Strerror(err))
	}
	defer f.Close()
	switch s.mode {
	case byLines:
		err = s.lines(f)
	case byBytes:
		err = s.bytes(f)
	case byLineBytes:
		err = s.lineBytes(f)
	case byRoundRobin:
		err = s.roundRobin(f)
	default:
		err = s.fileChunks(f)
	}
	if err != nil {
		s.die("%s: %s", name, sys.Strerror(err))
	}
	s.close()
	return s.filterFail
}

// open begins the next piece.
func (s *splitter) open() {
	s.close()
	name, ok := s.names.next()
	if !ok {
		s.die("output file suffixes exhausted")
	}
	s.name = name
	s.out = s.create(name)
}

func (s *splitter) create(name string) io.WriteCloser {
	if s.verbose {
		verb := "creating file"
		if s.filter != "" {
			verb = "executing with FILE="
			fmt.Fprintf(s.p.Out(), "%s%s\n", verb, quote.Always(name))
		} else {
			fmt.Fprintf(s.p.Out(), "%s %s\n", verb, quote.Always(name))
		}
	}
	if s.filter != "" {
		return s.startFilter(name)
	}
	f, err := newOutputFile(s.p, name)
	if err != nil {
		s.die("%s: %s", name, sys.Strerror(err))
	}
	return &piecewise{f}
}

// piecewise is an output file as an io.WriteCloser.
type piecewise struct{ f *outputFile }

func (w *piecewise) Write(b []byte) (int, error) { return w.f.buf.Write(b) }
func (w *piecewise) Close() error                { return w.f.close() }

// filterPipe feeds the command of --filter; closing it waits for the command.
type filterPipe struct {
	w      *pipe.Writer
	done   chan int
	s      *splitter
	broken bool
}

func (s *splitter) startFilter(name string) io.WriteCloser {
	_ = s.p.Flush()
	r, w := pipe.New()
	f := &filterPipe{w: w, done: make(chan int, 1), s: s}
	env := command.Vars(append(append([]string{}, s.p.Env.List()...), "FILE="+name))
	go func() {
		status := s.p.Shell(s.p, s.filter, command.Spec{Stdin: r, Env: env})
		_ = r.Close()
		f.done <- status
	}()
	return f
}

func (f *filterPipe) Write(b []byte) (int, error) {
	if f.broken {
		return len(b), nil
	}
	if _, err := f.w.WriteContext(f.s.p.Ctx, b); err != nil {
		f.s.p.Yield()
		f.broken = true // the command has read enough
	}
	return len(b), nil
}

func (f *filterPipe) Close() error {
	_ = f.w.Close()
	if status := <-f.done; status != 0 {
		f.s.filterFail = status
	}
	return nil
}

func (s *splitter) close() {
	if s.out == nil {
		return
	}
	if err := s.out.Close(); err != nil {
		s.die("%s: %s", s.name, sys.Strerror(err))
	}
	s.out = nil
}

func (s *splitter) write(b []byte) {
	if _, err := s.out.Write(b); err != nil {
		s.die("%s: %s", s.name, sys.Strerror(err))
	}
}

func (s *splitter) lines(f io.Reader) error {
	var n int64
	buf := make([]byte, copyBuffer)
	for {
		s.p.Yield()
		k, err := f.Read(buf)
		for b := buf[:k]; len(b) > 0; {
			if s.out == nil || n == s.size {
				s.open()
				n = 0
			}
			end := 0
			for n < s.size {
				i := bytes.IndexByte(b[end:], s.eol)
				if i < 0 {
					end = len(b)
					break
				}
				end += i + 1
				n++
			}
			s.write(b[:end])
			b = b[end:]
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *splitter) bytes(f io.Reader) error {
	left := int64(0)
	buf := make([]byte, copyBuffer)
	for {
		s.p.Yield()
		k, err := f.Read(buf)
		for b := buf[:k]; len(b) > 0; {
			if left == 0 {
				s.open()
				left = s.size
			}
			n := min(int64(len(b)), left)
			s.write(b[:n])
			b, left = b[n:], left-n
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineBytes puts whole lines into a piece while they fit; a line that is longer than a piece is cut.
func (s *splitter) lineBytes(f io.Reader) error {
	r := lines.New(s.p, f, s.eol)
	left := int64(0)
	for {
		line, ok := r.Next()
		if !ok {
			return r.Err()
		}
		if r.Terminated() {
			line = append(line[:len(line):len(line)], s.eol)
		}
		if int64(len(line)) > left && left < s.size {
			left = 0
		}
		for len(line) > 0 {
			if left == 0 {
				s.open()
				left = s.size
			}
			n := min(int64(len(line)), left)
			s.write(line[:n])
			line, left = line[n:], left-n
		}
	}
}

// fileChunks splits by the size of the whole input.
func (s *splitter) fileChunks(f io.Reader) error {
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	// A file with fewer bytes than there are pieces gives one byte to each of the first.
	size := max(int64(len(data)), s.size) / s.size
	var start int64
	for k := int64(1); k <= s.size; k++ {
		end := min(k*size, int64(len(data)))
		if k == s.size {
			end = int64(len(data))
		}
		if s.mode == byLineChunks {
			end = max(s.lineEnd(data, end), start)
		}
		s.piece(k, data[start:end])
		start = end
	}
	return nil
}

// lineEnd is the end of the line that the byte before at belongs to.
func (s *splitter) lineEnd(data []byte, at int64) int64 {
	if at == 0 {
		return 0
	}
	i := bytes.IndexByte(data[at-1:], s.eol)
	if i < 0 {
		return int64(len(data))
	}
	return at + int64(i)
}

func (s *splitter) piece(k int64, b []byte) {
	switch {
	case s.chunk == k:
		_, _ = s.p.Out().Write(b)
	case s.chunk == 0 && !(s.elide && len(b) == 0):
		s.open()
		s.write(b)
	}
}

// roundRobin deals lines out to the pieces in turn.
func (s *splitter) roundRobin(f io.Reader) error {
	const most = 1 << 16
	if s.size > most {
		s.die("invalid number of chunks: %s", quote.Locale(strconv.FormatInt(s.size, 10)))
	}
	var outs []io.WriteCloser
	if s.chunk == 0 && !s.elide {
		for range s.size {
			outs = append(outs, s.nextOutput())
		}
	}
	r := lines.New(s.p, f, s.eol)
	for n := int64(0); ; n++ {
		line, ok := r.Next()
		if !ok {
			break
		}
		k := n % s.size
		if r.Terminated() {
			line = append(line[:len(line):len(line)], s.eol)
		}
		if s.chunk > 0 {
			if s.chunk == k+1 {
				_, _ = s.p.Out().Write(line)
			}
			continue
		}
		if k == int64(len(outs)) {
			outs = append(outs, s.nextOutput())
		}
		if _, err := outs[k].Write(line); err != nil {
			return err
		}
	}
	for _, o := range outs {
		if err := o.Close(); err != nil {
			return err
		}
	}
	return r.Err()
}

func (s *splitter) nextOutput() io.WriteCloser {
	name, ok := s.names.next()
	if !ok {
		s.die("output file suffixes exhausted")
	}
	return s.create(name)
}

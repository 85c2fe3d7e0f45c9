package text

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const shufHelp = `Usage: shuf [OPTION]... [FILE]
  or:  shuf -e [OPTION]... [ARG]...
  or:  shuf -i LO-HI [OPTION]...
Write the lines of FILE (or standard input) in random order.

  -e, --echo                the lines are the ARGs
  -i, --input-range=LO-HI   the lines are the numbers LO to HI
  -n, --head-count=COUNT    write at most COUNT lines
  -o, --output=FILE         write to FILE
      --random-source=FILE  take random bytes from FILE
  -r, --repeat              lines may come more than once
  -z, --zero-terminated     lines end with NUL
`

type shuffler struct {
	p        *command.Proc
	echo     bool
	ranged   bool
	lo, hi   uint64
	count    int
	repeat   bool
	output   string
	source   string
	delim    byte
	operands []string
}

func shufCommand(p *command.Proc) int {
	s := shuffler{p: p, count: math.MaxInt, delim: '\n'}
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "ei:n:o:rz",
		Long: []getopt.Long{
			{Name: "echo", Short: 'e'},
			{Name: "input-range", Arg: req, Short: 'i'},
			{Name: "head-count", Arg: req, Short: 'n'},
			{Name: "output", Arg: req, Short: 'o'},
			{Name: "random-source", Arg: req},
			{Name: "repeat", Short: 'r'},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	s.operands = operands
	for _, o := range opts {
		s.set(o)
	}
	switch {
	case s.echo && s.ranged:
		return p.Usage(1, "cannot combine -e and -i options")
	case s.ranged && len(operands) > 0:
		return p.Usage(1, "extra operand %s", quote.Locale(operands[0]))
	case !s.echo && len(operands) > 1:
		return p.Usage(1, "extra operand %s", quote.Locale(operands[1]))
	}
	return s.run()
}

func (s *shuffler) die(msg string, args ...any) {
	s.p.Errorf(msg, args...)
	s.p.Exit(1)
}

func (s *shuffler) set(o getopt.Option) {
	switch o.Name {
	case "e":
		s.echo = true
	case "i":
		lo, hi, ok := strings.Cut(o.Arg, "-")
		var err1, err2 error
		s.lo, err1 = strconv.ParseUint(lo, 10, 64)
		s.hi, err2 = strconv.ParseUint(hi, 10, 64)
		if !ok || err1 != nil || err2 != nil || s.lo > s.hi && s.lo-s.hi != 1 {
			s.die("invalid input range: %s", quote.Locale(o.Arg))
		}
		if s.ranged {
			s.die("multiple -i options specified")
		}
		s.ranged = true
	case "n":
		n, err := strconv.Atoi(o.Arg)
		if o.Arg == "" || trimDigits(o.Arg) != "" {
			s.die("invalid line count: %s", quote.Locale(o.Arg))
		}
		if err == nil {
			s.count = min(s.count, n)
		}
	case "o":
		s.output = o.Arg
	case "random-source":
		s.source = o.Arg
	case "r":
		s.repeat = true
	case "z":
		s.delim = 0
	}
}

func (s *shuffler) run() int {
	input, n := s.input()
	var src io.Reader = rand.Reader
	if s.source != "" {
		f, err := s.p.Open(s.source)
		if err != nil {
			return fail(s.p, s.source, err)
		}
		defer f.Close()
		src = f
	}
	r := randomInts{r: bufio.NewReader(src)}
	if s.output == "" {
		return s.report(s.write(s.p.Out(), input, n, &r))
	}
	file, err := s.p.Replace(s.output) // only now, as it may be the input
	if err != nil {
		return fail(s.p, s.output, err)
	}
	defer file.Abort()
	out := bufio.NewWriterSize(file, copyBuffer)
	if err := s.write(out, input, n, &r); err != nil {
		return s.report(err)
	}
	if err = out.Flush(); err == nil {
		err = file.Commit()
	}
	if err != nil {
		return fail(s.p, s.output, err)
	}
	return 0
}

// report says why the lines could not be shuffled.
func (s *shuffler) report(err error) int {
	switch err {
	case nil:
		return 0
	case io.EOF:
		s.p.Errorf("%s: end of file", quote.Always(s.source))
	default:
		s.p.Errorf("%s", err)
	}
	return 1
}

// input returns a function that appends line i, and how many lines there are.
func (s *shuffler) input() (line func(b []byte, i uint64) []byte, n uint64) {
	switch {
	case s.ranged:
		return func(b []byte, i uint64) []byte { return strconv.AppendUint(b, s.lo+i, 10) }, s.hi - s.lo + 1
	case s.echo:
		return func(b []byte, i uint64) []byte { return append(b, s.operands[i]...) }, uint64(len(s.operands))
	}
	name := "-"
	if len(s.operands) == 1 {
		name = s.operands[0]
	}
	var all []byte
	ends := []int{0}
	err := withInput(s.p, name, func(f command.File) error {
		r := lines.New(s.p, f, s.delim)
		for {
			l, ok := r.Next()
			if !ok {
				return r.Err()
			}
			all = append(all, l...)
			ends = append(ends, len(all))
		}
	})
	if err != nil {
		s.die("%s: %s", name, sys.Strerror(err))
	}
	return func(b []byte, i uint64) []byte { return append(b, all[ends[i]:ends[i+1]]...) }, uint64(len(ends) - 1)
}

// maxShuffle bounds how many numbers of a range are shuffled in memory.
const maxShuffle = 1 << 26

func (s *shuffler) write(out *bufio.Writer, line func([]byte, uint64) []byte, n uint64, r *randomInts) error {
	if s.repeat {
		if s.count > 0 && n == 0 {
			return errors.New("no lines to repeat")
		}
		return s.writeRepeated(out, line, n, r)
	}
	h := uint64(s.count)
	h = min(h, n)
	if h > maxShuffle {
		return errors.New("memory exhausted")
	}
	var b []byte
	moved := map[uint64]uint64{} // a permutation of 0 … n-1, where it differs
	at := func(i uint64) uint64 {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	for i := range h {
		if i%yieldEvery == 0 {
			s.p.Yield()
		}
		k, err := r.below(n - i)
		if err != nil {
			return err
		}
		j := i + k
		v, w := at(i), at(j)
		moved[j] = v
		delete(moved, i)
		b = append(line(b[:0], w), s.delim)
		_, _ = out.Write(b)
	}
	return nil
}

func (s *shuffler) writeRepeated(out *bufio.Writer, line func([]byte, uint64) []byte, n uint64, r *randomInts) error {
	var b []byte
	for i := range s.count {
		if i%yieldEvery == 0 {
			s.p.Yield()
		}
		k, err := r.below(n)
		if err != nil {
			return err
		}
		b = append(line(b[:0], k), s.delim)
		_, _ = out.Write(b)
	}
	return nil
}

// randomInts makes uniform integers of random bytes, in the way of GNU's programs, so that the same source of bytes
// gives the same choices.
type randomInts struct {
	r        io.ByteReader
	num, max uint64
}

func (r *randomInts) below(n uint64) (uint64, error) {
	genmax := n - 1
	num, most := r.num, r.max
	for {
		for most < genmax {
			c, err := r.r.ReadByte()
			if err != nil {
				return 0, err
			}
			num = num<<8 + uint64(c)
			most = most<<8 + 0xff
		}
		if most == genmax {
			r.num, r.max = 0, 0
			return num, nil
		}
		excess := most - genmax
		unusable := excess % n
		last := most - unusable
		if num <= last {
			r.num, r.max = num/n, excess/n
			return num % n, nil
		}
		num -= last + 1
		most = unusable - 1
	}
}

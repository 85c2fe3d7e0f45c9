package text

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const sortHelp = `Usage: sort [OPTION]... [FILE]...
Write the lines of all FILEs in order. Without FILE, or where FILE is -, read standard input.

Order:
  -b, --ignore-leading-blanks  do not compare leading blanks
  -d, --dictionary-order       compare blanks, letters and digits only
  -f, --ignore-case            small letters count as capitals
  -g, --general-numeric-sort   by floating-point value
  -h, --human-numeric-sort     by numbers with a unit (2K 1G)
  -i, --ignore-nonprinting     compare printable characters only
  -M, --month-sort             JAN < ... < DEC, others first
  -n, --numeric-sort           by decimal value
  -R, --random-sort            shuffle, equal keys together
  -r, --reverse                the other way round
  -V, --version-sort           by version numbers
      --sort=WORD              general-numeric, human-numeric, month, numeric, random, version
Other:
  -c, --check, -C, --check=quiet  only tell whether the input is in order
      --files0-from=F          sort the files whose names, each ended by NUL, are in F
  -k, --key=KEYDEF             sort by a key: F[.C][OPTS][,F[.C][OPTS]], field and character, with letters from above
  -m, --merge                  the FILEs are in order already; merge them
  -o, --output=FILE            write to FILE, which may be one of those read
  -s, --stable                 leave lines with equal keys in the order they came in
  -S, -T, --parallel, --batch-size, --compress-program  accepted; how much memory is used is decided here
  -t, --field-separator=SEP    fields are parted by SEP, not by blanks
  -u, --unique                 of lines with equal keys write the first only
  -z, --zero-terminated        lines end with NUL
`

// statusTrouble is what sort exits with when it fails; 1 means that --check found disorder.
const statusTrouble = 2

type sorter struct {
	p       *command.Proc
	c       comparer
	delim   byte
	check   bool
	quiet   bool
	merge   bool
	output  string
	toFile  bool
	tempDir string
}

func sortSpec() getopt.Spec {
	req := getopt.Required
	return getopt.Spec{
		Short: "bdfghik:mMno:rRsS:t:T:uVy:zcC",
		Long: []getopt.Long{
			{Name: "ignore-leading-blanks", Short: 'b'},
			{Name: "dictionary-order", Short: 'd'},
			{Name: "ignore-case", Short: 'f'},
			{Name: "general-numeric-sort", Short: 'g'},
			{Name: "human-numeric-sort", Short: 'h'},
			{Name: "ignore-nonprinting", Short: 'i'},
			{Name: "key", Arg: req, Short: 'k'},
			{Name: "merge", Short: 'm'},
			{Name: "month-sort", Short: 'M'},
			{Name: "numeric-sort", Short: 'n'},
			{Name: "output", Arg: req, Short: 'o'},
			{Name: "reverse", Short: 'r'},
			{Name: "random-sort", Short: 'R'},
			{Name: "stable", Short: 's'},
			{Name: "buffer-size", Arg: req, Short: 'S'},
			{Name: "field-separator", Arg: req, Short: 't'},
			{Name: "temporary-directory", Arg: req, Short: 'T'},
			{Name: "unique", Short: 'u'},
			{Name: "version-sort", Short: 'V'},
			{Name: "zero-terminated", Short: 'z'},
			{Name: "check", Arg: getopt.Optional},
			{Name: "sort", Arg: req},
			{Name: "files0-from", Arg: req},
			{Name: "parallel", Arg: req},
			{Name: "batch-size", Arg: req},
			{Name: "compress-program", Arg: req},
			{Name: "random-source", Arg: req},
		},
		UnsupLong: []string{"debug"},
	}
}

func sortCommand(p *command.Proc) int {
	s := sorter{p: p, delim: '\n', c: comparer{tab: -1}, tempDir: "/tmp"}
	if dir, ok := p.Env.Get("TMPDIR"); ok && dir != "" {
		s.tempDir = dir
	}
	p.Args = obsoleteKeys(p.Args)
	opts, operands := p.Options(statusTrouble, sortSpec())
	var global ordering
	from := ""
	for _, o := range opts {
		if o.Name == "files0-from" {
			from = o.Arg
			continue
		}
		s.set(o, &global)
	}
	if from != "" {
		if len(operands) > 0 {
			p.Errorf("extra operand %s", quote.Locale(operands[0]))
			_, _ = io.WriteString(p.Stderr, "file operands cannot be combined with --files0-from\nTry 'sort --help' for more information.\n")
			return statusTrouble
		}
		var status int
		if operands, status = names0(p, from); status != 0 {
			return statusTrouble
		}
		if len(operands) == 0 {
			p.Errorf("no input from %s", quote.Locale(from))
			return statusTrouble
		}
	}
	s.applyGlobal(global)
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	if s.check && s.toFile {
		s.die("options '-%so' are incompatible", s.checkLetter())
	}
	if s.check {
		return s.checkOrder(operands)
	}
	return s.run(operands)
}

// obsoleteKeys turns +POS1 [-POS2], which count from 0, into -k.
func obsoleteKeys(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) < 2 || a[0] != '+' || a[1] < '0' || a[1] > '9' {
			out = append(out, a)
			continue
		}
		key := obsoletePosition(a[1:], true)
		if i+1 < len(args) && len(args[i+1]) > 1 && args[i+1][0] == '-' && args[i+1][1] >= '0' && args[i+1][1] <= '9' {
			i++
			key += "," + obsoletePosition(args[i][1:], false)
		}
		out = append(out, "-k", key)
	}
	return out
}

func obsoletePosition(s string, start bool) string {
	rest := trimDigits(s)
	field := atoi(s[:len(s)-len(rest)])
	char := 0
	if strings.HasPrefix(rest, ".") {
		digits := rest[1:]
		rest = trimDigits(digits)
		char = atoi(digits[:len(digits)-len(rest)])
	}
	switch {
	case start:
		return fmt.Sprintf("%d.%d%s", field+1, char+1, rest)
	case char > 0:
		return fmt.Sprintf("%d.%d%s", field+1, char, rest)
	}
	return fmt.Sprintf("%d%s", max(field, 1), rest)
}

func atoi(s string) int {
	n := 0
	for _, c := range []byte(s) {
		n = min(n*10+int(c-'0'), lineEnd)
	}
	return n
}

func (s *sorter) die(format string, args ...any) {
	s.p.Errorf(format, args...)
	s.p.Exit(statusTrouble)
}

func (s *sorter) set(o getopt.Option, global *ordering) {
	switch o.Name {
	case "k":
		k, err := parseSortKey(o.Arg)
		if err != nil {
			s.die("%s", err)
		}
		s.checkOrdering(&k.ordering)
		s.c.keys = append(s.c.keys, k)
	case "c", "C":
		s.check, s.quiet = true, o.Name == "C"
	case "check":
		s.check = true
		s.quiet = choice(s.p, o, "--check", "diagnose-first", "quiet", "silent", "diagnose-first") != "diagnose-first"
	case "m":
		s.merge = true
	case "o":
		if s.toFile && s.output != o.Arg {
			s.die("multiple output files specified")
		}
		s.output, s.toFile = o.Arg, true
	case "s":
		s.c.stable = true
	case "t":
		s.separator(o.Arg)
	case "T":
		s.tempDir = o.Arg
	case "u":
		s.c.unique = true
	case "z":
		s.delim = 0
	case "sort":
		word := choice(s.p, o, "--sort", "", "general-numeric", "human-numeric", "month", "numeric", "random", "version")
		global.set(map[string]byte{
			"general-numeric": 'g', "human-numeric": 'h', "month": 'M', "numeric": 'n', "random": 'R', "version": 'V',
		}[word])
	default:
		if len(o.Name) == 1 {
			global.set(o.Name[0])
		}
	}
}

func (s *sorter) separator(arg string) {
	switch {
	case arg == "":
		s.die("empty tab")
	case arg == `\0`:
		s.c.tab = 0
	case len(arg) > 1:
		s.die("multi-character tab %s", quote.Locale(arg))
	default:
		s.c.tab = int(arg[0])
	}
}

func (s *sorter) checkOrdering(o *ordering) {
	if letters := o.incompatible(); letters != "" {
		s.die("options '-%s' are incompatible", letters)
	}
}

// applyGlobal gives the global ordering to keys that have none of their own, or to the whole line.
func (s *sorter) applyGlobal(global ordering) {
	s.checkOrdering(&global)
	for i := range s.c.keys {
		k := &s.c.keys[i]
		if !k.own {
			k.ordering = global
		}
	}
	reverseOnly := ordering{reverse: global.reverse}
	if len(s.c.keys) == 0 && global != reverseOnly {
		s.c.keys = []sortKey{{ordering: global, eword: lineEnd}}
	}
	s.c.reverse = global.reverse
	for _, k := range s.c.keys {
		if k.random {
			s.c.seed = randomSeed()
		}
	}
}

func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

func (s *sorter) checkLetter() string {
	if s.quiet {
		return "C"
	}
	return "c"
}

// checkOrder implements -c.
func (s *sorter) checkOrder(operands []string) int {
	if len(operands) > 1 {
		s.p.Errorf("extra operand %s not allowed with -%s", quote.Locale(operands[1]), s.checkLetter())
		return statusTrouble
	}
	name := operands[0]
	f := s.open(name)
	defer f.Close()
	r := lines.New(s.p, f, s.delim)
	var last []byte
	for n := 1; ; n++ {
		line, ok := r.Next()
		if !ok {
			break
		}
		if n > 1 {
			if d := s.c.lines(last, line); d > 0 || d == 0 && s.c.unique {
				if !s.quiet {
					s.p.Errorf("%s:%d: disorder: %s", name, n, line)
				}
				return 1
			}
		}
		last = append(last[:0], line...)
	}
	if err := r.Err(); err != nil {
		s.die("read failed: %s: %s", name, sys.Strerror(err))
	}
	return 0
}

func (s *sorter) open(name string) command.File {
	f, err := s.p.OpenArg(name)
	if err != nil {
		s.die("cannot read: %s: %s", name, sys.Strerror(err))
	}
	return f
}

func (s *sorter) run(operands []string) int {
	if s.merge {
		return s.mergeFiles(operands)
	}
	for _, name := range operands {
		if name != "-" {
			s.open(name).Close() // a file that cannot be read ends sort before it has written anything
		}
	}
	sp := spill{s: s}
	defer sp.remove()
	m := newMemory(s.p, &s.c, s.delim)
	for _, name := range operands {
		f := s.open(name)
		for {
			eof, err := m.read(s.p, f, func() bool { return m.footprint() > sortMemory })
			if err != nil {
				s.die("read failed: %s: %s", name, sys.Strerror(err))
			}
			if eof {
				break
			}
			m = sp.run(m)
		}
		f.Close()
	}
	m.sort()
	s.writeTo(func(w *bufio.Writer) {
		if len(sp.files) > 0 {
			sp.merge(m, w)
			return
		}
		m.write(w)
	})
	m.release()
	return 0
}

// write writes the sorted lines.
func (m *memory) write(w *bufio.Writer) {
	for i := range m.entries {
		if m.c.unique && i > 0 && m.c.lines(m.line(&m.entries[i-1]), m.line(&m.entries[i])) == 0 {
			continue
		}
		if i&0xffff == 0 {
			m.p.Yield()
		}
		e := &m.entries[i]
		slot := m.slots[e.off>>slotBits]
		at := e.off & slotMask
		_, _ = w.Write(slot[at : at+e.len+1]) // with the delimiter that follows it
	}
}

// writeTo runs write on the output, which is opened only now because it may be one of the inputs.
func (s *sorter) writeTo(write func(*bufio.Writer)) {
	if !s.toFile {
		write(s.p.Out())
		return
	}
	f, err := s.p.Replace(s.output)
	if err != nil {
		s.die("open failed: %s: %s", s.output, sys.Strerror(err))
	}
	defer f.Abort()
	w := bufio.NewWriterSize(f, copyBuffer)
	write(w)
	err = w.Flush()
	if err == nil {
		err = f.Commit()
	}
	if err != nil {
		s.die("write failed: %s: %s", s.output, sys.Strerror(err))
	}
}

package digest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

// readSize is the size of the pieces in which files are read.
const readSize = 64 << 10

// algorithm is a way to make a checksum.
type algorithm struct {
	name string // of cksum -a
	tag  string // in "TAG (file) = sum"
	bits int
	make func(bits int) hash.Hash
}

func algorithms() []algorithm {
	fixed := func(f func() hash.Hash) func(int) hash.Hash { return func(int) hash.Hash { return f() } }
	return []algorithm{
		{"md5", "MD5", 128, fixed(md5.New)},
		{"sha1", "SHA1", 160, fixed(sha1.New)},
		{"sha224", "SHA224", 224, fixed(sha256.New224)},
		{"sha256", "SHA256", 256, fixed(sha256.New)},
		{"sha384", "SHA384", 384, fixed(sha512.New384)},
		{"sha512", "SHA512", 512, fixed(sha512.New)},
		{"blake2b", "BLAKE2b", 512, func(bits int) hash.Hash { return newBlake2b(bits / 8) }},
	}
}

func findAlgorithm(name string) (algorithm, bool) {
	for _, a := range algorithms() {
		if a.name == name {
			return a, true
		}
	}
	return algorithm{}, false
}

// sumHelp is the help text of a checksum command.
func sumHelp(name, what string) string {
	length := ""
	if name == "b2sum" {
		length = "  -l, --length=BITS   checksums of BITS bits, a multiple of 8\n"
	}
	return "Usage: " + name + " [OPTION]... [FILE]...\nWrite or check " + what + ` checksums. Without FILE, or where FILE is -, read standard input.

  -b, --binary         mark the file as binary
  -c, --check          read checksums from the FILEs and check them
` + length + `      --tag            write in the form of BSD
  -t, --text           mark the file as text (the default)
  -z, --zero           lines end with NUL
With --check:
      --ignore-missing  do not report files that are not there
      --quiet          do not write OK for each file that is right
      --status         write nothing; the exit status tells
      --strict         fail when a line is not in the right form
  -w, --warn           report lines that are not in the right form
`
}

type summer struct {
	p      *command.Proc
	alg    algorithm
	bits   int
	auto   bool // cksum -c: the tag tells the algorithm
	binary bool
	tag    bool
	zero   bool

	check, quiet, status, strict, warn, ignoreMissing bool
}

func sumSpec(length bool) getopt.Spec {
	s := getopt.Spec{
		Short: "bctwz",
		Long: []getopt.Long{
			{Name: "binary", Short: 'b'},
			{Name: "check", Short: 'c'},
			{Name: "ignore-missing"},
			{Name: "quiet"},
			{Name: "status"},
			{Name: "strict"},
			{Name: "tag"},
			{Name: "text", Short: 't'},
			{Name: "warn", Short: 'w'},
			{Name: "zero", Short: 'z'},
		},
	}
	if length {
		s.Short += "l:"
		s.Long = append(s.Long, getopt.Long{Name: "length", Arg: getopt.Required, Short: 'l'})
	}
	return s
}

// sumCommand returns the command that makes checksums by one algorithm.
func sumCommand(name string) command.Func {
	return func(p *command.Proc) int {
		alg, _ := findAlgorithm(name)
		s := summer{p: p, alg: alg, bits: alg.bits}
		opts, operands := p.Options(1, sumSpec(name == "blake2b"))
		textGiven := false
		for _, o := range opts {
			textGiven = textGiven || o.Name == "b" || o.Name == "t"
			s.set(o)
		}
		if status := s.validate(textGiven); status != 0 {
			return status
		}
		return s.run(operands)
	}
}

func (s *summer) set(o getopt.Option) {
	switch o.Name {
	case "b":
		s.binary = true
	case "t":
		s.binary = false
	case "c":
		s.check = true
	case "l":
		s.setLength(o.Arg)
	case "w":
		s.warn, s.quiet, s.status = true, false, false
	case "z":
		s.zero = true
	case "ignore-missing":
		s.ignoreMissing = true
	case "quiet":
		s.quiet, s.status, s.warn = true, false, false
	case "status":
		s.status, s.quiet, s.warn = true, false, false
	case "strict":
		s.strict = true
	case "tag":
		s.tag, s.binary = true, true
	}
}

func (s *summer) setLength(arg string) {
	n, err := strconv.Atoi(arg)
	const most = 512
	switch {
	case err != nil || n < 0 || n > most:
		s.p.Errorf("invalid length: %s", quote.Locale(arg))
		if err == nil {
			s.p.Errorf("maximum digest length for %s is %d bits", quote.Locale("BLAKE2b"), most)
		}
		s.p.Exit(1)
	case n%8 != 0:
		s.p.Errorf("invalid length: %s", quote.Locale(arg))
		s.p.Errorf("length is not a multiple of 8")
		s.p.Exit(1)
	case n == 0:
		n = most
	}
	s.bits = n
}

func (s *summer) validate(textGiven bool) int {
	switch {
	case s.check && s.tag:
		return s.p.Usage(1, "the --tag option is meaningless when verifying checksums")
	case s.check && s.zero:
		return s.p.Usage(1, "the --zero option is not supported when verifying checksums")
	case s.check && textGiven:
		return s.p.Usage(1, "the --binary and --text options are meaningless when verifying checksums")
	case s.check:
		return 0
	}
	for _, x := range []struct {
		on   bool
		name string
	}{{s.ignoreMissing, "ignore-missing"}, {s.status, "status"}, {s.warn, "warn"}, {s.quiet, "quiet"}, {s.strict, "strict"}} {
		if x.on {
			return s.p.Usage(1, "the --%s option is meaningful only when verifying checksums", x.name)
		}
	}
	return 0
}

func (s *summer) run(operands []string) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	status := 0
	for _, name := range operands {
		ok := true
		if s.check {
			ok = s.checkFile(name)
		} else {
			ok = s.writeSum(name)
		}
		if !ok {
			status = 1
		}
	}
	return status
}

func (s *summer) writeSum(name string) bool {
	sum, err := s.sum(name, s.alg, s.bits)
	if err != nil {
		s.p.Fail(quote.File(name), err)
		return false
	}
	out := s.p.Out()
	shown, escaped := name, false
	if !s.zero {
		shown, escaped = escapeName(name)
	}
	if escaped {
		_ = out.WriteByte('\\')
	}
	if s.tag {
		fmt.Fprintf(out, "%s (%s) = %s", s.tagName(), shown, sum)
	} else {
		mark := byte(' ')
		if s.binary {
			mark = '*'
		}
		fmt.Fprintf(out, "%s %c%s", sum, mark, shown)
	}
	end := byte('\n')
	if s.zero {
		end = 0
	}
	_ = out.WriteByte(end)
	return true
}

func (s *summer) tagName() string {
	if s.bits != s.alg.bits {
		return s.alg.tag + "-" + strconv.Itoa(s.bits)
	}
	return s.alg.tag
}

// escapeName makes a name fit on one line.
func escapeName(name string) (string, bool) {
	if !strings.ContainsAny(name, "\\\n\r") {
		return name, false
	}
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name), true
}

func unescapeName(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			b.WriteByte(name[i])
			continue
		}
		i++
		if i == len(name) {
			return "", false
		}
		switch name[i] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '\\':
			b.WriteByte('\\')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// sum is the checksum of a file in hexadecimal.
func (s *summer) sum(name string, alg algorithm, bits int) (string, error) {
	h := alg.make(bits)
	if _, err := copyTo(s.p, h, name); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// copyTo feeds a file to w and returns its size.
func copyTo(p *command.Proc, w io.Writer, name string) (int64, error) {
	f, err := p.OpenArg(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, readSize)
	var size int64
	for {
		p.Yield()
		n, err := f.Read(buf)
		_, _ = w.Write(buf[:n])
		size += int64(n)
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}

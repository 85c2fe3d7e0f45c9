package digest

import (
	"fmt"
	"io"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const cksumHelp = `Usage: cksum [OPTION]... [FILE]...
Write the checksum and size of each FILE. Without FILE, or where FILE is -, read standard input.

  -a, --algorithm=TYPE  bsd, sysv, crc (the default), md5, sha1, sha224, sha256, sha384, sha512, blake2b
  -c, --check           read checksums from the FILEs and check them
  -l, --length=BITS     with -a blake2b, checksums of BITS bits
      --tag             write in the form of BSD, as is done anyway
      --untagged        write checksum and name only
  -z, --zero            lines end with NUL
With --check:
      --ignore-missing  do not report files that are not there
      --quiet           do not write OK for each file that is right
      --status          write nothing; the exit status tells
      --strict          fail when a line is not in the right form
  -w, --warn            report lines that are not in the right form
`

const sumLegacyHelp = `Usage: sum [OPTION]... [FILE]...
Write the checksum and the number of blocks of each FILE. Without FILE, or where FILE is -, read standard input.

  -r             the algorithm of BSD, and blocks of 1024 bytes (the default)
  -s, --sysv     the algorithm of System V, and blocks of 512 bytes
`

// legacy is a checksum of the time before cryptographic ones.
type legacy interface {
	io.Writer
	// report is what is written before the name, for a file of the given size.
	report(size int64) string
}

func newLegacy(name string) legacy {
	switch name {
	case "bsd":
		return new(bsdSum)
	case "sysv":
		return new(sysvSum)
	case "crc":
		return newCRC()
	}
	return nil
}

type bsdSum struct{ sum uint16 }

func (s *bsdSum) Write(b []byte) (int, error) {
	sum := s.sum
	for _, c := range b {
		sum = sum>>1 + sum<<15 + uint16(c)
	}
	s.sum = sum
	return len(b), nil
}

func (s *bsdSum) report(size int64) string { return fmt.Sprintf("%05d %5d", s.sum, (size+1023)/1024) }

type sysvSum struct{ sum uint32 }

func (s *sysvSum) Write(b []byte) (int, error) {
	sum := s.sum
	for _, c := range b {
		sum += uint32(c)
	}
	s.sum = sum
	return len(b), nil
}

func (s *sysvSum) report(size int64) string {
	r := s.sum&0xffff + s.sum>>16
	return fmt.Sprintf("%d %d", r&0xffff+r>>16, (size+511)/512)
}

// posixCRC is the CRC of POSIX cksum, which ends with the bytes of the length.
type posixCRC struct {
	crc   uint32
	table [256]uint32
}

func newCRC() *posixCRC {
	const polynomial = 0x04c11db7
	c := &posixCRC{}
	for i := range c.table {
		r := uint32(i) << 24
		for range 8 {
			if r&0x80000000 != 0 {
				r = r<<1 ^ polynomial
			} else {
				r <<= 1
			}
		}
		c.table[i] = r
	}
	return c
}

func (c *posixCRC) Write(b []byte) (int, error) {
	crc := c.crc
	for _, x := range b {
		crc = crc<<8 ^ c.table[byte(crc>>24)^x]
	}
	c.crc = crc
	return len(b), nil
}

func (c *posixCRC) report(size int64) string {
	crc := c.crc
	for n := size; n > 0; n >>= 8 {
		crc = crc<<8 ^ c.table[byte(crc>>24)^byte(n)]
	}
	return fmt.Sprintf("%d %d", ^crc, size)
}

func sumLegacyCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Short: "rs", Long: []getopt.Long{{Name: "sysv", Short: 's'}}})
	name := "bsd"
	for _, o := range opts {
		name = map[string]string{"r": "bsd", "s": "sysv"}[o.Name]
	}
	return legacySums(p, name, operands, '\n')
}

func legacySums(p *command.Proc, alg string, operands []string, end byte) int {
	named := len(operands) > 0
	if !named {
		operands = []string{"-"}
	}
	status := 0
	for _, name := range operands {
		l := newLegacy(alg)
		size, err := copyTo(p, l, name)
		if err != nil {
			status = p.Fail(quote.File(name), err)
			continue
		}
		line := l.report(size)
		if named {
			line += " " + name
		}
		_, _ = p.Out().WriteString(line)
		_ = p.Out().WriteByte(end)
	}
	return status
}

func cksumCommand(p *command.Proc) int {
	spec := sumSpec(true)
	spec.Short = "a:bcl:twz"
	spec.Long = append(spec.Long, getopt.Long{Name: "algorithm", Arg: getopt.Required, Short: 'a'}, getopt.Long{Name: "untagged"})
	spec.UnsupLong = []string{"debug"}
	opts, operands := p.Options(1, spec)
	s := summer{p: p}
	name, tag := "", true
	for _, o := range opts {
		switch o.Name {
		case "a":
			name = o.Arg
		case "untagged":
			tag = false
		case "tag":
			tag = true
		case "b", "t":
			s.binary = o.Name == "b"
		default:
			s.set(o)
		}
	}
	if newLegacy(name) != nil || name == "" {
		if s.check && name != "" {
			p.Errorf("--check is not supported with --algorithm={bsd,sysv,crc}")
			return 1
		}
		if !s.check {
			return legacySums(p, cksumDefault(name), operands, endByte(s.zero))
		}
		s.auto = true
		return s.run(operands)
	}
	alg, ok := findAlgorithm(name)
	if !ok {
		return badAlgorithm(p, name)
	}
	s.alg = alg
	if s.bits == 0 || name != "blake2b" {
		s.bits = alg.bits
	}
	if status := s.validate(false); status != 0 {
		return status
	}
	s.tag = tag && !s.check
	return s.run(operands)
}

func cksumDefault(name string) string {
	if name == "" {
		return "crc"
	}
	return name
}

func endByte(zero bool) byte {
	if zero {
		return 0
	}
	return '\n'
}

func badAlgorithm(p *command.Proc, name string) int {
	p.Errorf("invalid argument %s for %s", quote.Locale(name), quote.Locale("--algorithm"))
	msg := "Valid arguments are:\n"
	for _, n := range []string{"bsd", "sysv", "crc"} {
		msg += "  - " + quote.Locale(n) + "\n"
	}
	for _, a := range algorithms() {
		msg += "  - " + quote.Locale(a.name) + "\n"
	}
	_, _ = io.WriteString(p.Stderr, msg+"Try '"+p.Name+" --help' for more information.\n")
	return 1
}

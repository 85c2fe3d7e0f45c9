package files

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

const statHelp = `Usage: stat [OPTION]... FILE...
Show what there is to know about files, or about filesystems.

  -c, --format=FORMAT  use FORMAT, and a newline after each
  -f, --file-system    about the filesystem that holds the file
  -L, --dereference    follow links
      --printf=FORMAT  like -c with backslash escapes and no newline
  -t, --terse          in one line of numbers

FORMAT for files: %a %A mode, %b blocks, %B their size, %C context, %d %D device, %f raw mode, %F type, %g %G group,
  %h links, %i inode, %m mount point, %n %N name, %o best I/O size, %s size, %t %T device numbers, %u %U owner,
  %w %W birth, %x %X access, %y %Y modification, %z %Z change (lower case readable, upper case seconds).
FORMAT for filesystems: %a %f %b blocks (available, free, total), %c %d inodes, %i id, %l longest name, %n name,
  %s %S block size, %t %T type.
`

// The layouts that stat uses without a format.
const (
	statLayout = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n" +
		"Device: %Hd,%Ld\tInode: %-10i  Links: %h\n" +
		"Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n" +
		"Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"
	statTerse   = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
	statfLayout = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n" +
		"Block size: %-10s Fundamental block size: %S\n" +
		"Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n"
	statfTerse = "%n %i %l %t %s %S %b %f %a %c %d\n"
)

// printer is a running stat.
type printer struct {
	p       *command.Proc
	loc     *time.Location
	format  string
	escapes bool // interpret backslashes
	follow  bool
	fsInfo  bool
}

func statCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "c:fLt",
		Long: []getopt.Long{
			{Name: "format", Arg: getopt.Required, Short: 'c'},
			{Name: "file-system", Short: 'f'},
			{Name: "dereference", Short: 'L'},
			{Name: "printf", Arg: getopt.Required},
			{Name: "terse", Short: 't'},
			{Name: "cached", Arg: getopt.Required},
		},
	})
	s := &printer{p: p, loc: datetime.Location(p.Env)}
	terse, given := false, false
	for _, o := range opts {
		switch o.Name {
		case "c":
			s.format, s.escapes, given = o.Arg+"\n", false, true
		case "printf":
			s.format, s.escapes, given = o.Arg, true, true
		case "f":
			s.fsInfo = true
		case "L":
			s.follow = true
		case "t":
			terse = true
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	if !given {
		s.format = map[[2]bool]string{
			{false, false}: statLayout, {false, true}: statTerse, {true, false}: statfLayout, {true, true}: statfTerse,
		}[[2]bool{s.fsInfo, terse}]
	}
	failed := false
	for _, name := range operands {
		failed = !s.one(name, !given && !terse) || failed
	}
	return statusOf(failed)
}

func (s *printer) one(name string, whole bool) bool {
	p := s.p
	if s.fsInfo {
		space, err := sys.Statfs(p.Path(name))
		if err != nil {
			p.Errorf("cannot read file system information for %s: %s", quote.Always(name), sys.Strerror(err))
			return false
		}
		s.expand(func(c byte, _ string) (string, bool) { return s.fsField(c, name, space) })
		return true
	}
	info, err := p.Lstat(name)
	if s.follow || (name == "-" && err != nil) {
		info, err = p.Stat(name)
		if name == "-" {
			info, err = p.Stat("/dev/stdin")
		}
	}
	if err != nil {
		p.Errorf("cannot statx %s: %s", quote.Always(name), sys.Strerror(err))
		return false
	}
	s.expand(func(c byte, mod string) (string, bool) { return s.field(c, mod, name, info, whole) })
	return true
}

// expand writes the format with its directives replaced by what field says.
func (s *printer) expand(field func(c byte, mod string) (string, bool)) {
	out := s.p.Out()
	f := s.format
	for i := 0; i < len(f); i++ {
		switch {
		case f[i] == '\\' && s.escapes:
			n, text := statEscape(f[i:])
			_, _ = out.WriteString(text)
			i += n - 1
		case f[i] != '%':
			_ = out.WriteByte(f[i])
		case i+1 >= len(f) || (f[i+1] == '\n' && i+2 == len(f)):
			_ = out.WriteByte('%')
		default:
			i += s.directive(f[i:], field) - 1
		}
	}
}

// statEscape reads a backslash escape of --printf.
func statEscape(s string) (int, string) {
	if strings.HasPrefix(s, `\x`) {
		n := 2
		for n < 4 && n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
			n++
		}
		if v, err := strconv.ParseUint(s[2:n], 16, 8); err == nil {
			return n, string([]byte{byte(v)})
		}
	}
	if strings.HasPrefix(s, `\"`) {
		return 2, `"`
	}
	if strings.HasPrefix(s, `\e`) {
		return 2, "\x1b"
	}
	n, text, _ := printfEscape(s)
	return n, text
}

// directive writes one %-directive and returns its length.
func (s *printer) directive(f string, field func(byte, string) (string, bool)) int {
	out := s.p.Out()
	i := 1
	for i < len(f) && strings.IndexByte("-+ 0#'", f[i]) >= 0 {
		i++
	}
	flags := f[1:i]
	number := func() int {
		n := 0
		for i < len(f) && isDigit(f[i]) {
			n = min(n*10+int(f[i]-'0'), maxWidth)
			i++
		}
		return n
	}
	width, prec := number(), -1
	if i < len(f) && f[i] == '.' {
		i++
		prec = number()
	}
	mod := ""
	if i+1 < len(f) && (f[i] == 'H' || f[i] == 'L') && (f[i+1] == 'd' || f[i+1] == 'r') {
		mod = f[i : i+1]
		i++
	}
	if i >= len(f) {
		_, _ = out.WriteString(f)
		return len(f)
	}
	c := f[i]
	if c == '%' {
		_ = out.WriteByte('%')
		return i + 1
	}
	text, ok := field(c, mod)
	if !ok {
		text = "?"
	}
	if prec >= 0 && strings.IndexByte("XYZW", c) >= 0 {
		text = withFraction(text, prec)
	} else {
		text, _, _ = strings.Cut(text, "\x00")
		if prec >= 0 && prec < len(text) && strings.IndexByte("nNAFUGyxzw", c) >= 0 {
			text = text[:prec]
		}
	}
	if strings.Contains(flags, "#") && c == 'a' && !strings.HasPrefix(text, "0") {
		text = "0" + text
	}
	pad := &piece{verb: 's', flags: flags, width: width, prec: -1}
	if strings.IndexByte("nNAFUGyxzw", c) < 0 {
		pad.verb = 'd' // numbers may be padded with zeros
	}
	padText(out, text, pad)
	return i + 1
}

// withFraction writes seconds (with nanoseconds after a NUL) with so many digits.
func withFraction(text string, digits int) string {
	seconds, nanos, _ := strings.Cut(text, "\x00")
	if digits == 0 {
		return seconds
	}
	for len(nanos) < digits {
		nanos += "0"
	}
	return seconds + "." + nanos[:digits]
}

func (s *printer) field(c byte, mod, name string, i sys.Info, whole bool) (string, bool) {
	const deviceBits = 8
	switch c {
	case 'n':
		return name, true
	case 'N':
		q := quote.Always(name)
		if whole {
			q = quote.File(name)
		}
		if i.IsLink() {
			target, _ := sys.Readlink(s.p.Path(name))
			if whole {
				return q + " -> " + quote.File(target), true
			}
			return q + " -> " + quote.Always(target), true
		}
		return q, true
	case 'a':
		return strconv.FormatUint(uint64(perm.Bits(i.Mode)), 8), true
	case 'A':
		return perm.String(i.Mode), true
	case 'f':
		return strconv.FormatUint(uint64(rawMode(i.Mode)), 16), true
	case 'F':
		return typeName(i), true
	case 's':
		return strconv.FormatInt(i.Size, 10), true
	case 'b':
		return strconv.FormatInt(i.Blocks, 10), true
	case 'B':
		return "512", true
	case 'o':
		return strconv.Itoa(ioBlock), true
	case 'h':
		return strconv.FormatUint(i.Nlink, 10), true
	case 'i':
		return strconv.FormatUint(i.Ino, 10), true
	case 'd':
		switch mod {
		case "H":
			return strconv.FormatUint(i.Dev>>deviceBits, 10), true
		case "L":
			return strconv.FormatUint(i.Dev&(1<<deviceBits-1), 10), true
		}
		return strconv.FormatUint(i.Dev, 10), true
	case 'D':
		return strconv.FormatUint(i.Dev, 16), true
	case 'u':
		return strconv.Itoa(i.UID), true
	case 'U':
		return sys.User, true
	case 'g':
		return strconv.Itoa(i.GID), true
	case 'G':
		return sys.Group, true
	case 't', 'T', 'r', 'R':
		return "0", true
	case 'm':
		return mountPoint(s.p, name), true
	case 'w':
		return "-", true
	case 'W':
		return "0", true
	case 'x', 'y', 'z', 'X', 'Y', 'Z':
		return s.time(c, i), true
	}
	return "", false
}

func (s *printer) time(c byte, i sys.Info) string {
	which := map[byte]byte{'x': 'a', 'y': 'm', 'z': 'c'}[c|0x20]
	t := fileTime(i, which)
	if c >= 'a' {
		return strftime.Format("%Y-%m-%d %H:%M:%S.%N %z", t.In(s.loc))
	}
	return fmt.Sprintf("%d\x00%09d", t.Unix(), t.Nanosecond())
}

// rawMode is st_mode as Linux has it.
func rawMode(m fs.FileMode) uint32 {
	kinds := map[byte]uint32{'-': 0o100000, 'd': 0o40000, 'l': 0o120000, 'p': 0o10000, 's': 0o140000, 'c': 0o20000, 'b': 0o60000}
	return kinds[perm.TypeLetter(m)] | perm.Bits(m)
}

// mountPoint is the highest directory above name that is on the same device.
func mountPoint(p *command.Proc, name string) string {
	full, err := resolve(p, name, resolveAllButLast)
	if err != nil {
		return "/"
	}
	info, err := sys.Stat(full)
	if err != nil {
		return "/"
	}
	for full != "/" {
		up := dirName(full)
		above, err := sys.Stat(up)
		if err != nil || above.Dev != info.Dev {
			return full
		}
		full = up
	}
	return full
}

func (s *printer) fsField(c byte, name string, space sys.Space) (string, bool) {
	number := func(n uint64) (string, bool) { return strconv.FormatUint(n, 10), true }
	switch c {
	case 'n':
		return name, true
	case 'i', 't':
		return "0", true
	case 'T':
		return filesystemType, true
	case 'l':
		return number(nameMax)
	case 's', 'S':
		return number(space.BlockSize)
	case 'b':
		return number(space.Blocks)
	case 'f', 'a':
		return number(space.BlocksFree)
	case 'c':
		return number(space.Files)
	case 'd':
		return number(space.FilesFree)
	}
	return "", false
}

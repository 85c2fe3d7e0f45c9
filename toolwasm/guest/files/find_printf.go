package files

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

// piece is a part of a -printf format: fixed text, or a directive.
type piece struct {
	text  string
	verb  byte // 0 for text
	time  byte // the second letter of %A, %C and %T
	flags string
	width int
	prec  int // -1: none
}

// printf reads a format and returns the action that writes it.
func (q *findParser) printf(w *bufio.Writer, format string) (test, error) {
	pieces, flush, err := parsePrintf(format)
	if err != nil {
		return nil, err
	}
	f := q.f
	return func(v *visit) bool {
		for i := range pieces {
			f.writePiece(w, &pieces[i], v)
		}
		if flush {
			_ = w.Flush()
		}
		return true
	}, nil
}

// parsePrintf splits a format. flush says that \c ended it.
func parsePrintf(format string) (pieces []piece, flush bool, err error) {
	var text strings.Builder
	end := func() {
		if text.Len() > 0 {
			pieces = append(pieces, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(format); {
		switch c := format[i]; {
		case c == '\\':
			n, b, stop := printfEscape(format[i:])
			if stop {
				end()
				return pieces, true, nil
			}
			text.WriteString(b)
			i += n
		case c != '%':
			text.WriteByte(c)
			i++
		case strings.HasPrefix(format[i:], "%%"):
			text.WriteByte('%')
			i += 2
		default:
			pc, n, perr := parseDirective(format[i:])
			if perr != nil {
				return nil, false, perr
			}
			if pc.verb == 0 {
				text.WriteString(pc.text)
			} else {
				end()
				pieces = append(pieces, pc)
			}
			i += n
		}
	}
	end()
	return pieces, false, nil
}

func printfEscape(s string) (n int, text string, stop bool) {
	if len(s) < 2 {
		return 1, "\\", false
	}
	const letters, values = "abfnrtv\\", "\a\b\f\n\r\t\v\\"
	if i := strings.IndexByte(letters, s[1]); i >= 0 {
		return 2, values[i : i+1], false
	}
	if s[1] == 'c' {
		return 2, "", true
	}
	if s[1] < '0' || s[1] > '7' {
		return 2, s[:2], false
	}
	v := 0
	n = 1
	for n < 4 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		v = v*8 + int(s[n]-'0')
		n++
	}
	return n, string([]byte{byte(v)}), false
}

// maxWidth bounds the width and precision of a directive.
const maxWidth = 1 << 16

func parseDirective(s string) (pc piece, n int, err error) {
	pc.prec = -1
	i := 1
	for i < len(s) && strings.IndexByte("-+ 0#", s[i]) >= 0 {
		i++
	}
	pc.flags = s[1:i]
	number := func() int {
		v := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			v = min(v*10+int(s[i]-'0'), maxWidth)
			i++
		}
		return v
	}
	pc.width = number()
	if i < len(s) && s[i] == '.' {
		i++
		pc.prec = number()
	}
	if i >= len(s) {
		if len(s) == 1 {
			return pc, 0, complain("error: %s at end of format string", "%")
		}
		return piece{text: s}, len(s), nil
	}
	verb := s[i]
	switch {
	case strings.IndexByte("AaBbcCDdfFgGhHiklmMnpPsStTuUyYZ", verb) < 0:
		return piece{text: s[:i+1]}, i + 1, nil
	case verb == 'A' || verb == 'B' || verb == 'C' || verb == 'T':
		if i+1 >= len(s) {
			return piece{text: s}, len(s), nil
		}
		i++
		pc.time = s[i]
	}
	pc.verb = verb
	return pc, i + 1, nil
}

func (f *finder) writePiece(w *bufio.Writer, pc *piece, v *visit) {
	if pc.verb == 0 {
		_, _ = w.WriteString(pc.text)
		return
	}
	if !strings.ContainsRune("fhHpPdy", rune(pc.verb)) {
		f.stat(v)
	}
	padText(w, f.directive(pc, v), pc)
}

// padText writes s in the width of the directive.
func padText(w *bufio.Writer, s string, pc *piece) {
	if pc.prec >= 0 && pc.prec < len(s) && !numericVerb(pc.verb) {
		s = s[:pc.prec]
	}
	n := pc.width - len(s)
	left := strings.Contains(pc.flags, "-")
	fill := byte(' ')
	if strings.Contains(pc.flags, "0") && !left && numericVerb(pc.verb) {
		fill = '0'
	}
	if !left {
		for range n {
			_ = w.WriteByte(fill)
		}
	}
	_, _ = w.WriteString(s)
	if left {
		for range n {
			_ = w.WriteByte(' ')
		}
	}
}

func numericVerb(c byte) bool { return c == 'd' || c == 'm' }

func (f *finder) directive(pc *piece, v *visit) string {
	i := &v.info
	switch pc.verb {
	case 'p':
		return v.path
	case 'f':
		return baseName(v.path)
	case 'h':
		return leadingDirs(v.path)
	case 'H':
		return v.start
	case 'P':
		return strings.TrimPrefix(strings.TrimPrefix(v.path, v.start), "/")
	case 'd':
		return strconv.Itoa(v.depth)
	case 'y':
		return string(v.kind)
	case 'Y':
		return f.targetKind(v)
	case 'l':
		if v.kind != 'l' {
			return ""
		}
		target, _ := sys.Readlink(f.p.Path(v.path))
		return target
	case 's':
		return strconv.FormatInt(i.Size, 10)
	case 'b':
		return strconv.FormatInt(i.Blocks, 10)
	case 'k':
		return strconv.FormatInt((i.Blocks+1)/2, 10)
	case 'S':
		return sparseness(i)
	case 'm':
		m := strconv.FormatUint(uint64(perm.Bits(i.Mode)), 8)
		if strings.Contains(pc.flags, "#") {
			m = "0" + strings.TrimPrefix(m, "0")
		}
		return m
	case 'M':
		return perm.String(i.Mode)
	case 'n':
		return strconv.FormatUint(i.Nlink, 10)
	case 'i':
		return strconv.FormatUint(i.Ino, 10)
	case 'D':
		return strconv.FormatUint(i.Dev, 10)
	case 'u':
		return sys.User
	case 'g':
		return sys.Group
	case 'U':
		return strconv.Itoa(i.UID)
	case 'G':
		return strconv.Itoa(i.GID)
	case 'F':
		return filesystemType
	case 'a', 'c', 't':
		which := pc.verb
		if which == 't' {
			which = 'm'
		}
		return ctimeWithFraction(fileTime(*i, which).In(f.loc))
	case 'A', 'C', 'T', 'B':
		which := pc.verb | ('a' - 'A')
		return timeDirective(pc.time, fileTime(*i, which).In(f.loc))
	}
	return ""
}

// leadingDirs is %h: everything before the last component.
func leadingDirs(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "."
	}
	return path[:i]
}

func (f *finder) targetKind(v *visit) string {
	if v.kind != 'l' {
		return string(v.kind)
	}
	info, err := f.p.Stat(v.path)
	switch {
	case err == nil:
		return string(kindLetter(info))
	case sys.Strerror(err) == "Too many levels of symbolic links":
		return "L"
	}
	return "N"
}

func sparseness(i *sys.Info) string {
	if i.Size == 0 {
		if i.Blocks == 0 {
			return "1"
		}
		return "0"
	}
	return strconv.FormatFloat(float64(i.Blocks)*512/float64(i.Size), 'g', 6, 64)
}

// fraction is the part of a second in the ten digits that find prints.
func fraction(t time.Time) string { return fmt.Sprintf(".%09d0", t.Nanosecond()) }

func ctimeWithFraction(t time.Time) string {
	return strftime.Format("%a %b %e %H:%M:%S", t) + fraction(t) + strftime.Format(" %Y", t)
}

func timeDirective(c byte, t time.Time) string {
	switch c {
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + fraction(t)
	case '+':
		return strftime.Format("%Y-%m-%d+%H:%M:%S", t) + fraction(t)
	case 'S', 'T', 'X':
		return strftime.Format("%"+string(c), t) + fraction(t)
	}
	return strftime.Format("%"+string(c), t)
}

// list returns the action -ls, which writes to w.
func (f *finder) list(w *bufio.Writer) test {
	return func(v *visit) bool {
		f.stat(v)
		i := v.info
		const halfYear = 182 * 24 * time.Hour
		layout := "%b %e %H:%M"
		if age := f.now.Sub(i.Mtime); age > halfYear || age < -time.Hour {
			layout = "%b %e  %Y"
		}
		fmt.Fprintf(w, "%9d %6d %s %3d %-8s %-8s %8d %s %s", i.Ino, (i.Blocks+1)/2, perm.String(i.Mode), i.Nlink,
			sys.User, sys.Group, i.Size, strftime.Format(layout, i.Mtime.In(f.loc)), quote.Escape(v.path))
		if v.kind == 'l' {
			target, _ := sys.Readlink(f.p.Path(v.path))
			_, _ = w.WriteString(" -> " + quote.Escape(target))
		}
		_ = w.WriteByte('\n')
		return true
	}
}

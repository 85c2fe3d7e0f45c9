// Package perm reads, applies and writes permission bits as chmod and ls do.
package perm

import (
	"io/fs"
	"strconv"
	"strings"
)

// The permission bits as chmod's octal numbers have them.
const (
	Setuid     = 0o4000
	Setgid     = 0o2000
	Sticky     = 0o1000
	All        = 0o7777
	RWX        = 0o777
	AnyX       = 0o111
	octalExact = 5 // so many octal digits also clear a directory's set-id bits
)

// Bits returns the octal permission bits of mode.
func Bits(mode fs.FileMode) uint32 {
	b := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		b |= Setuid
	}
	if mode&fs.ModeSetgid != 0 {
		b |= Setgid
	}
	if mode&fs.ModeSticky != 0 {
		b |= Sticky
	}
	return b
}

// FromBits is the inverse of Bits.
func FromBits(b uint32) fs.FileMode {
	mode := fs.FileMode(b & RWX)
	if b&Setuid != 0 {
		mode |= fs.ModeSetuid
	}
	if b&Setgid != 0 {
		mode |= fs.ModeSetgid
	}
	if b&Sticky != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// change is one step of a mode expression: "u+x" or an octal number.
type change struct {
	op        byte
	affected  uint32 // the bits of the classes named; 0 when none was, and the umask applies
	value     uint32
	mentioned uint32
	copyFrom  bool // value holds the class whose permissions are copied
	condX     bool // X: execute where it makes sense
}

// Expr is a parsed mode operand.
type Expr []change

// Parse reads an octal or symbolic mode.
func Parse(s string) (Expr, bool) {
	if s == "" {
		return nil, false
	}
	if s[0] >= '0' && s[0] <= '7' {
		n, err := strconv.ParseUint(s, 8, 32)
		if err != nil || n > All {
			return nil, false
		}
		mentioned := uint32(All)
		if len(s) < octalExact {
			mentioned = uint32(n)&(Setuid|Setgid) | Sticky | RWX
		}
		return Expr{{op: '=', affected: All, value: uint32(n), mentioned: mentioned}}, true
	}
	var expr Expr
	for clause := range strings.SplitSeq(s, ",") {
		steps, ok := parseClause(clause)
		if !ok {
			return nil, false
		}
		expr = append(expr, steps...)
	}
	return expr, true
}

func parseClause(s string) (Expr, bool) {
	var affected uint32
	for s != "" {
		class := classBits(s[0])
		if class == 0 && s[0] != 'a' {
			break
		}
		if s[0] == 'a' {
			class = All
		}
		affected |= class
		s = s[1:]
	}
	if s == "" {
		return nil, false
	}
	var expr Expr
	for s != "" {
		if !strings.ContainsRune("+-=", rune(s[0])) {
			return nil, false
		}
		end := 1
		for end < len(s) && !strings.ContainsRune("+-=", rune(s[end])) {
			end++
		}
		step, ok := parseStep(s[0], affected, s[1:end])
		if !ok {
			return nil, false
		}
		expr = append(expr, step)
		s = s[end:]
	}
	return expr, true
}

// classBits are the bits of a class of users.
func classBits(c byte) uint32 {
	switch c {
	case 'u':
		return Setuid | 0o700
	case 'g':
		return Setgid | 0o070
	case 'o':
		return Sticky | 0o007
	}
	return 0
}

func parseStep(op byte, affected uint32, perms string) (change, bool) {
	c := change{op: op, affected: affected}
	if perms != "" && perms[0] >= '0' && perms[0] <= '7' {
		n, err := strconv.ParseUint(perms, 8, 32)
		if err != nil || n > All || affected != 0 {
			return c, false
		}
		c.value, c.affected, c.mentioned = uint32(n), All, All
		return c, true
	}
	if len(perms) == 1 && classBits(perms[0]) != 0 {
		c.copyFrom = true
		c.value = classBits(perms[0]) & RWX
		c.mentioned = affected & RWX
		return c, true
	}
	for i := range len(perms) {
		switch perms[i] {
		case 'r':
			c.value |= 0o444
		case 'w':
			c.value |= 0o222
		case 'x':
			c.value |= AnyX
		case 'X':
			c.condX = true
		case 's':
			c.value |= Setuid | Setgid
		case 't':
			c.value |= Sticky
		default:
			return c, false
		}
	}
	c.mentioned = c.value
	if affected != 0 {
		c.mentioned &= affected
	}
	return c, true
}

// Apply returns the mode that the expression makes of old.
func (e Expr) Apply(old uint32, dir bool, umask uint32) uint32 {
	mode, _ := e.Adjust(old, dir, umask)
	return mode
}

// Adjust is Apply that also tells which bits the expression decided about.
func (e Expr) Adjust(old uint32, dir bool, umask uint32) (mode, decided uint32) {
	mode = old & All
	for _, c := range e {
		value := c.value
		if c.copyFrom {
			value = spread(mode & value)
		}
		if c.condX && (dir || mode&AnyX != 0) {
			value |= AnyX
		}
		var omit uint32 // set-id bits of directories change only when they are named
		if dir {
			omit = (Setuid | Setgid) &^ c.mentioned
		}
		reach := c.affected
		if reach == 0 {
			reach = All &^ umask
		}
		value &= reach &^ omit
		switch c.op {
		case '+':
			mode |= value
			decided |= value
		case '-':
			mode &^= value
			decided |= value
		case '=':
			keep := omit
			if c.affected != 0 {
				keep |= All &^ c.affected
			}
			mode = mode&keep | value
			decided |= All &^ keep
		}
	}
	return mode, decided
}

// spread gives each permission that one class has to all classes.
func spread(b uint32) uint32 {
	var all uint32
	for _, perm := range []uint32{0o444, 0o222, AnyX} {
		if b&perm != 0 {
			all |= perm
		}
	}
	return all
}

// String writes mode as ls does: "drwxr-xr-x".
func String(m fs.FileMode) string {
	b := []byte{TypeLetter(m)}
	const rwx = "rwxrwxrwx"
	bits := Bits(m)
	for i := range len(rwx) {
		if bits&(1<<(8-i)) != 0 {
			b = append(b, rwx[i])
		} else {
			b = append(b, '-')
		}
	}
	special := func(at int, bit uint32, lower, upper byte) {
		if bits&bit == 0 {
			return
		}
		if b[at] == 'x' {
			b[at] = lower
		} else {
			b[at] = upper
		}
	}
	special(3, Setuid, 's', 'S')
	special(6, Setgid, 's', 'S')
	special(9, Sticky, 't', 'T')
	return string(b)
}

// TypeLetter is the letter of a file type, as ls -l shows it first.
func TypeLetter(m fs.FileMode) byte {
	switch {
	case m&fs.ModeDir != 0:
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&fs.ModeNamedPipe != 0:
		return 'p'
	case m&fs.ModeSocket != 0:
		return 's'
	case m&fs.ModeCharDevice != 0:
		return 'c'
	case m&fs.ModeDevice != 0:
		return 'b'
	}
	return '-'
}

// Exactly is the expression that sets all bits to b.
func Exactly(b uint32) Expr {
	return Expr{{op: '=', affected: All, value: b, mentioned: All}}
}

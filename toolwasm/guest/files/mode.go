package files

import (
	"io/fs"
	"strconv"
	"strings"
)

// The permission bits as chmod's octal numbers have them.
const (
	bitSetuid  = 0o4000
	bitSetgid  = 0o2000
	bitSticky  = 0o1000
	bitsAll    = 0o7777
	bitsRWX    = 0o777
	bitsAnyX   = 0o111
	octalExact = 5 // so many octal digits also clear a directory's set-id bits
)

// modeBits returns the octal permission bits of mode.
func modeBits(mode fs.FileMode) uint32 {
	b := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		b |= bitSetuid
	}
	if mode&fs.ModeSetgid != 0 {
		b |= bitSetgid
	}
	if mode&fs.ModeSticky != 0 {
		b |= bitSticky
	}
	return b
}

// bitsMode is the inverse of modeBits.
func bitsMode(b uint32) fs.FileMode {
	mode := fs.FileMode(b & bitsRWX)
	if b&bitSetuid != 0 {
		mode |= fs.ModeSetuid
	}
	if b&bitSetgid != 0 {
		mode |= fs.ModeSetgid
	}
	if b&bitSticky != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// modeChange is one step of a mode expression: "u+x" or an octal number.
type modeChange struct {
	op        byte
	affected  uint32 // the bits of the classes named; 0 when none was, and the umask applies
	value     uint32
	mentioned uint32
	copyFrom  bool // value holds the class whose permissions are copied
	condX     bool // X: execute where it makes sense
}

// modeExpr is a parsed mode operand.
type modeExpr []modeChange

// parseMode reads an octal or symbolic mode.
func parseMode(s string) (modeExpr, bool) {
	if s == "" {
		return nil, false
	}
	if s[0] >= '0' && s[0] <= '7' {
		n, err := strconv.ParseUint(s, 8, 32)
		if err != nil || n > bitsAll {
			return nil, false
		}
		mentioned := uint32(bitsAll)
		if len(s) < octalExact {
			mentioned = uint32(n)&(bitSetuid|bitSetgid) | bitSticky | bitsRWX
		}
		return modeExpr{{op: '=', affected: bitsAll, value: uint32(n), mentioned: mentioned}}, true
	}
	var expr modeExpr
	for clause := range strings.SplitSeq(s, ",") {
		steps, ok := parseClause(clause)
		if !ok {
			return nil, false
		}
		expr = append(expr, steps...)
	}
	return expr, true
}

func parseClause(s string) (modeExpr, bool) {
	var affected uint32
	for s != "" {
		class := classBits(s[0])
		if class == 0 && s[0] != 'a' {
			break
		}
		if s[0] == 'a' {
			class = bitsAll
		}
		affected |= class
		s = s[1:]
	}
	if s == "" {
		return nil, false
	}
	var expr modeExpr
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
		return bitSetuid | 0o700
	case 'g':
		return bitSetgid | 0o070
	case 'o':
		return bitSticky | 0o007
	}
	return 0
}

func parseStep(op byte, affected uint32, perms string) (modeChange, bool) {
	c := modeChange{op: op, affected: affected}
	if perms != "" && perms[0] >= '0' && perms[0] <= '7' {
		n, err := strconv.ParseUint(perms, 8, 32)
		if err != nil || n > bitsAll || affected != 0 {
			return c, false
		}
		c.value, c.affected, c.mentioned = uint32(n), bitsAll, bitsAll
		return c, true
	}
	if len(perms) == 1 && classBits(perms[0]) != 0 {
		c.copyFrom = true
		c.value = classBits(perms[0]) & bitsRWX
		c.mentioned = affected & bitsRWX
		return c, true
	}
	for i := range len(perms) {
		switch perms[i] {
		case 'r':
			c.value |= 0o444
		case 'w':
			c.value |= 0o222
		case 'x':
			c.value |= bitsAnyX
		case 'X':
			c.condX = true
		case 's':
			c.value |= bitSetuid | bitSetgid
		case 't':
			c.value |= bitSticky
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

// apply returns the mode that the expression makes of old.
func (e modeExpr) apply(old uint32, dir bool, umask uint32) uint32 {
	mode, _ := e.adjust(old, dir, umask)
	return mode
}

// adjust is apply that also tells which bits the expression decided about.
func (e modeExpr) adjust(old uint32, dir bool, umask uint32) (mode, decided uint32) {
	mode = old & bitsAll
	for _, c := range e {
		value := c.value
		if c.copyFrom {
			value = spread(mode & value)
		}
		if c.condX && (dir || mode&bitsAnyX != 0) {
			value |= bitsAnyX
		}
		var omit uint32 // set-id bits of directories change only when they are named
		if dir {
			omit = (bitSetuid | bitSetgid) &^ c.mentioned
		}
		reach := c.affected
		if reach == 0 {
			reach = bitsAll &^ umask
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
				keep |= bitsAll &^ c.affected
			}
			mode = mode&keep | value
			decided |= bitsAll &^ keep
		}
	}
	return mode, decided
}

// spread gives each permission that one class has to all classes.
func spread(b uint32) uint32 {
	var all uint32
	for _, perm := range []uint32{0o444, 0o222, bitsAnyX} {
		if b&perm != 0 {
			all |= perm
		}
	}
	return all
}

// modeString writes mode as ls does: "drwxr-xr-x".
func modeString(m fs.FileMode) string {
	b := []byte{typeLetter(m)}
	const rwx = "rwxrwxrwx"
	perm := modeBits(m)
	for i := range len(rwx) {
		if perm&(1<<(8-i)) != 0 {
			b = append(b, rwx[i])
		} else {
			b = append(b, '-')
		}
	}
	special := func(at int, bit uint32, lower, upper byte) {
		if perm&bit == 0 {
			return
		}
		if b[at] == 'x' {
			b[at] = lower
		} else {
			b[at] = upper
		}
	}
	special(3, bitSetuid, 's', 'S')
	special(6, bitSetgid, 's', 'S')
	special(9, bitSticky, 't', 'T')
	return string(b)
}

func typeLetter(m fs.FileMode) byte {
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

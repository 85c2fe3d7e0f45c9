package sed

import "openclaw/toolwasm/guest/regex"

// program is a script that has been read.
type program struct {
	cmds  []*cmd
	quiet bool // it begins with #n
}

// addrKind says how an address is matched.
type addrKind uint8

const (
	addrNone     addrKind = iota
	addrLine              // the line with number n
	addrStep              // line n and each step-th after it
	addrLast              // the last line
	addrRegex             // lines that match
	addrPlus              // the next n lines: as an end only
	addrMultiple          // up to a multiple of n: as an end only
	addrZero              // before the first line: as a beginning of 0,/regex/
)

type address struct {
	kind addrKind
	n    int
	step int
	re   *pattern
}

// pattern is a regular expression of the script; re is nil for the empty one, which stands for the last one used.
type pattern struct {
	re    *regex.Regexp
	src   string
	flags regex.Flags
}

// cmd is one command. Blocks are flattened: { jumps past its } when its addresses do not match.
type cmd struct {
	name   byte
	a1, a2 address
	negate bool
	active bool // the range is open
	closed bool // the range began at a line number and has ended: it does not begin again
	end    int  // the line where it closes, when that is known

	text   []byte // a i c
	label  string
	target int // index of the command that follows the jump
	n      int // q Q l: the number, or -1
	file   string
	out    *output
	sub    *substitution
	table  *translation
}

// substitution is what s holds.
type substitution struct {
	pat    *pattern
	parts  []part
	refs   int // the highest group that the replacement names
	global bool
	print  bool
	nth    int
	out    *output
	plain  []byte // the replacement when it is the same for each match
	simple bool   // plain is valid
}

// part is a piece of a replacement.
type part struct {
	kind  partKind
	text  []byte
	group int
}

type partKind uint8

const (
	partText partKind = iota
	partGroup
	partUpper     // \U
	partLower     // \L
	partUpperOnce // \u
	partLowerOnce // \l
	partEnd       // \E
)

// translation is what y holds: a table of bytes and, when characters beyond ASCII occur, of characters.
type translation struct {
	bytes [256]byte
	runes map[rune]rune // nil when the table of bytes is enough
}

// Package regex matches POSIX regular expressions in GNU's dialects.
//
// It promises: the leftmost and, among those, the longest match; groups set as GNU's matcher
// sets them; time linear in the input for every pattern without back-references, with memory bounded by constants;
// and for patterns with them, a search that calls the function given to [Regexp.SetYield] as it goes, so that it can be
// ended from outside. Text is UTF-8; a byte that is not part of valid UTF-8 matches only itself written in the pattern.
//
// A Regexp builds its automaton while it matches, so it must not be used by two goroutines at once.
package regex

import "strings"

// Flags select a dialect and how to match.
type Flags uint32

const (
	// ERE makes ( ) | + ? { } operators; without it the pattern is basic and they are when escaped.
	ERE Flags = 1 << iota
	// IgnoreCase matches letters in either case.
	IgnoreCase
	// Newline lets ^ and $ match at newlines, and keeps . and [^x] from matching one.
	Newline
	// NoSub says that the groups are not asked for: Find returns the bounds of the match alone.
	NoSub
	// Lenient takes doubtful patterns as grep does: a repetition without operand is ignored in an ERE, an invalid
	// interval and an unmatched ) stand for themselves, "a**" is no error in a BRE.
	Lenient
	// Awk makes an ERE of awk's kind: no back-references, C escapes outside and inside brackets, \y for a
	// word boundary, a repetition without operand stands for itself.
	Awk
	// Emacs is the dialect of find -regex: groups and alternation escaped, + and ? bare, no intervals.
	Emacs
	// Lines promises that only single lines are looked for: no part of the pattern, not even \s, matches a newline, so
	// that a buffer of many lines can be searched at once. It implies Newline.
	Lines
	// Fixed takes the pattern as a string of characters.
	Fixed
	// RepeatAny lets a BRE repeat a repetition, and takes one without operand for itself, as expr, csplit, nl and tac do.
	RepeatAny
	// WholeLine accepts a match only if it is a whole line (or, without Newline, the whole text).
	WholeLine
	// WholeWord accepts a match only if no word character stands before or after it.
	WholeWord
)

// Error is a mistake in a pattern, in the words of GNU's library.
type Error struct{ Msg string }

func (e *Error) Error() string { return e.Msg }

// The messages of [Error].
const (
	msgUnmatchedBracket = "Unmatched [, [^, [:, [., or [="
	msgUnmatchedOpen    = `Unmatched ( or \(`
	msgUnmatchedClose   = `Unmatched ) or \)`
	msgUnmatchedBrace   = `Unmatched \{`
	msgBadInterval      = `Invalid content of \{\}`
	msgBadRange         = "Invalid range end"
	msgBadClass         = "Invalid character class name"
	msgBadCollation     = "Invalid collation character"
	msgBadBackref       = "Invalid back reference"
	msgBadRepeat        = "Invalid preceding regular expression"
	msgTrailing         = "Trailing backslash"
	msgTooBig           = "Regular expression too big"
)

// Regexp is a compiled pattern.
type Regexp struct {
	prog  *program
	nsub  int
	noSub bool
	lines bool
	yield func()

	lit    literals
	rarity rarity
	scan   *dfa // finds whether there is a match from here on
	match  *dfa // finds the longest match that begins here
	bt     backtracker
	nfa    simulation
}

// Compile reads a pattern. The error is an *[Error].
func Compile(pattern string, flags Flags) (*Regexp, error) {
	return CompileList([]string{pattern}, flags)
}

// CompileList makes a Regexp that matches what any of the patterns does. Back-references count the groups of their own
// pattern.
func CompileList(patterns []string, flags Flags) (*Regexp, error) {
	if flags&Lines != 0 {
		flags |= Newline
	}
	if flags&Awk != 0 {
		flags |= ERE
	}
	root, groups := &node{kind: nodeAlt}, 0
	for _, pattern := range patterns {
		n, err := parse(pattern, flags, &groups)
		if err != nil {
			return nil, err
		}
		root.subs = append(root.subs, n)
	}
	if len(root.subs) == 1 {
		root = root.subs[0]
	}
	root = bounded(factor(root), flags)
	prog, err := compile(root, groups, flags)
	if err != nil {
		return nil, err
	}
	return &Regexp{
		prog: prog, nsub: groups, noSub: flags&NoSub != 0, lines: flags&Lines != 0,
		lit: findLiterals(root, prog),
	}, nil
}

// bounded puts the places around a pattern that WholeLine and WholeWord ask for.
func bounded(n *node, flags Flags) *node {
	around := func(left, right assertion) *node {
		return &node{kind: nodeConcat, subs: []*node{
			{kind: nodeAssert, assert: left}, n, {kind: nodeAssert, assert: right},
		}}
	}
	switch {
	case flags&WholeLine != 0:
		return around(assertLineStart, assertLineEnd)
	case flags&WholeWord != 0:
		return around(assertNoWordBefore, assertNoWordAfter)
	}
	return n
}

// SetYield makes long searches call f every few thousand steps. f may panic to end the search; the Regexp is then not to be
// used again.
func (re *Regexp) SetYield(f func()) { re.yield = f }

// NumSubexp is the number of groups in the pattern.
func (re *Regexp) NumSubexp() int { return re.nsub }

// Literal returns the bytes that the pattern stands for when it is nothing but a string of literal characters.
func (re *Regexp) Literal() ([]byte, bool) {
	if re.lit.whole == nil || re.lit.whole.caseBits != nil {
		return nil, false
	}
	return re.lit.whole.lit, true
}

// Quote returns a pattern, for both basic and extended dialects, that matches s.
func Quote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '.', '*', '[', ']', '$', '\\', '+', '?', '{', '}', '(', ')', '|':
			// In brackets: an escape would make an operator of some of them in a basic pattern.
			if c == '\\' {
				b.WriteString(`\\`)
				continue
			}
			b.WriteByte('[')
			b.WriteByte(c)
			b.WriteByte(']')
		case '^':
			b.WriteString(`\^`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// HasBackrefs reports whether the pattern has back-references, which are searched for line by line at best.
func (re *Regexp) HasBackrefs() bool { return re.prog.backrefs }

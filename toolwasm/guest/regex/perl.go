package regex

import (
	"errors"
	"unicode/utf8"
)

// ErrTooManySteps reports that a search with a Perl pattern was given up.
var ErrTooManySteps = errors.New("exceeded PCRE's backtracking limit")

// Limits of a Perl pattern's search: steps in one search, nested calls, and pending choices.
const (
	maxPerlSteps   = 50_000_000
	maxPerlDepth   = 500
	maxPerlPending = 4 << 20
)

// Perl is a compiled pattern in Perl's language, as PCRE2 has it: matched by backtracking, the first way that works wins. What
// costs too many steps is given up with [ErrTooManySteps]. As with [Regexp], one goroutine at a time.
type Perl struct {
	prog  perlProgram
	names map[string]int
	nsub  int
	yield func()
	vm    perlMachine
	first *[256]bool
	need  *finder // every match contains this
	lines *Regexp // matches in every line that holds a match, and perhaps in others; nil when there is none that is simple enough
	exact bool    // it matches in no others
}

type perlOp uint8

const (
	plMatch perlOp = iota
	plSet          // a character of set, then the next instruction
	plAny          // any character
	plAlt          // try out first, then alt
	plJump
	plSave
	plMark     // the position goes to slot n
	plProgress // continue at out if the position moved since mark n, else at alt
	plAssert
	plBackref
	plStarGreedy // characters of set, as many as there are between min and max; then fewer
	plStarLazy   // as few as min, then more
	plStarAtomic // as many as there are
	plLook       // the subprogram at out matches here (negated: does not); continue at alt
	plBehind     // the subprogram matches behind: n characters back
	plAtomic     // the first match of the subprogram at out; continue at alt
	plCall       // the subprogram of group n, at out; continue at alt
	plReturn     // the end of a subprogram
	plKeep       // the match is to begin here
	plIfGroup    // out if group n is set, else alt
	plFail
	plNewline // \R
)

type perlInst struct {
	op       perlOp
	set      *set
	n        int
	min, max int
	out, alt int32
	negate   bool
	fold     bool
	assert   perlAssert
}

type perlAssert uint8

const (
	plLineStart perlAssert = iota
	plLineEnd
	plTextStart
	plTextEnd
	plTextEndNewline // \Z: or before a final newline
	plWordBoundary
	plNoWordBoundary
	plSearchStart // \G
	plMultiStart  // ^ with (?m)
	plMultiEnd
)

type perlProgram struct {
	insts  []perlInst
	slots  int
	groups []int32 // by group: where its subprogram begins, for calls
}

// CompilePerl reads a pattern. Of the flags, IgnoreCase, Newline (^ and $ match at newlines), WholeLine and WholeWord count.
func CompilePerl(pattern string, flags Flags) (*Perl, error) {
	root, ps, err := parsePerl(pattern, flags)
	if err != nil {
		return nil, err
	}
	re := &Perl{names: ps.names, nsub: ps.ngroups}
	if err := compilePerl(&re.prog, root, ps); err != nil {
		return nil, err
	}
	re.first = re.prog.firstBytes()
	if lit := perlLiteral(root); len(lit) > 0 {
		re.need = plainFinder(lit)
	}
	re.lines, re.exact = perlLines(root)
	return re, nil
}

// NumSubexp is the number of groups in the pattern.
func (re *Perl) NumSubexp() int { return re.nsub }

// SubexpIndex returns the number of a named group, or -1.
func (re *Perl) SubexpIndex(name string) int {
	if n, ok := re.names[name]; ok {
		return n
	}
	return -1
}

// SetYield makes long searches call f every few thousand steps, as [Regexp.SetYield] does.
func (re *Perl) SetYield(f func()) {
	re.yield = f
	if re.lines != nil {
		re.lines.SetYield(f)
	}
}

// Find returns the bounds of the first match that begins at from or later, and of its groups, as [Regexp.Find] does.
func (re *Perl) Find(dst []int, b []byte, from int) ([]int, error) {
	vm := &re.vm
	vm.re, vm.b, vm.origin = re, b, from
	vm.steps, vm.depth = 0, 0
	for p := from; p <= len(b); {
		if re.first != nil {
			for p < len(b) && !re.first[b[p]] {
				p++
			}
			if p == len(b) {
				return nil, nil
			}
		}
		vm.reset(p)
		end, err := vm.run(0, p)
		if err != nil {
			return nil, err
		}
		if end >= 0 {
			dst = append(dst[:0], vm.keep, end)
			return append(dst, vm.slots[:2*re.nsub]...), nil
		}
		if p == len(b) {
			break
		}
		p += text{b: b}.width(p)
	}
	return nil, nil
}

// firstBytes returns the bytes a match can begin with, or nil when that is not known.
func (prog *perlProgram) firstBytes() *[256]bool {
	var first [256]bool
	seen := make([]bool, len(prog.insts))
	stack := []int32{0}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		in := &prog.insts[pc]
		switch in.op {
		case plSet:
			in.set.addFirst(&first)
		case plStarGreedy, plStarLazy, plStarAtomic:
			in.set.addFirst(&first)
			if in.min == 0 {
				stack = append(stack, pc+1)
			}
		case plAlt:
			stack = append(stack, in.out, in.alt)
		case plJump:
			stack = append(stack, in.out)
		case plSave, plMark, plAssert, plKeep:
			stack = append(stack, pc+1)
		case plProgress, plIfGroup:
			stack = append(stack, in.out, in.alt)
		case plLook, plBehind:
			stack = append(stack, in.alt)
		case plFail:
		default:
			return nil
		}
	}
	return &first
}

// Candidate returns a place at or after from that lies in the first line of b that can match, or -1 when no line can. It
// may be wrong about that line, but not about those before it.
func (re *Perl) Candidate(b []byte, from int) int {
	if re.need == nil {
		return from
	}
	i := re.need.index(b[from:])
	if i < 0 {
		return -1
	}
	return from + i
}

// CandidateLine is Candidate for lines that end with newlines. sure says that the line does hold a match.
func (re *Perl) CandidateLine(b []byte, from int) (at int, sure bool) {
	if re.lines == nil {
		return re.Candidate(b, from), false
	}
	return re.lines.MatchEnd(b, from, false), re.exact
}

// perlLiteral returns the longest string of single characters in the outermost sequence of a pattern.
func perlLiteral(n *perlNode) []byte {
	var run, best []byte
	end := func() {
		if len(run) > len(best) {
			best = append(best[:0], run...)
		}
		run = run[:0]
	}
	var walk func(n *perlNode)
	walk = func(n *perlNode) {
		switch n.kind {
		case pnConcat:
			for _, s := range n.subs {
				walk(s)
			}
		case pnGroup, pnAtomic:
			walk(n.subs[0])
		case pnAssert, pnKeep:
		case pnLook, pnBehind:
			// What is looked for around the match stands in its line too.
			if !n.negate {
				kept := run
				run = nil
				walk(n.subs[0])
				end()
				run = kept
			}
		case pnSet:
			r, ok := n.set.single()
			if !ok || len(run) >= maxLiteral || r == '\n' {
				end()
				return
			}
			run = utf8.AppendRune(run, r)
		default:
			end()
		}
	}
	walk(n)
	end()
	return best
}

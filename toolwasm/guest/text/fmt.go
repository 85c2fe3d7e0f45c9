package text

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const fmtHelp = `Usage: fmt [-WIDTH] [OPTION]... [FILE]...
Reformat each paragraph of the FILEs, so that its lines are of about equal length. Without FILE, or where FILE is -, read
standard input.

  -c, --crown-margin    the first two lines of a paragraph keep their indentation
  -g, --goal=WIDTH      the length to aim at (93% of the width)
  -p, --prefix=STRING   reformat only lines that begin with STRING, and put it back
  -s, --split-only      break long lines, do not fill short ones
  -t, --tagged-paragraph  as -c, and the first line's indentation must differ from the second's
  -u, --uniform-spacing one space between words, two after sentences
  -w, --width=WIDTH     the greatest length of a line (75)
`

// The size of the window in which lines are chosen, and the weights of the choice. A line costs the more the further
// its length is from the goal and from that of the line before, and breaks are cheap at the ends of sentences.
const (
	fmtMaxChars = 5000
	fmtMaxWords = 1000
	fmtLeeway   = 7
	fmtTab      = 8
	fmtIndent   = 3 // of the other lines of a tagged paragraph

	fmtLineCost      = 70 * 70
	fmtSentenceBonus = 50 * 50
	fmtNoBreakCost   = 600 * 600
	fmtParenBonus    = 40 * 40
	fmtPunctBonus    = 40 * 40
	fmtLineCredit    = 3 * 3
)

func fmtShortCost(n int) int  { return 100 * n * n }
func fmtRaggedCost(n int) int { return fmtShortCost(n) / 2 }
func fmtWidowCost(n int) int  { return 200 * 200 / (n + 2) }
func fmtOrphanCost(n int) int { return 150 * 150 / (n + 2) }

type fmtWord struct {
	text                        []byte
	space                       int // after it
	paren, period, punct, final bool

	length int
	width  int // of the line that begins with it
	cost   int // of everything from it on
	next   int // the word that begins the next line
}

type formatter struct {
	out                         *bufio.Writer
	in                          *bufio.Reader
	crown, tagged, split        bool
	uniform                     bool
	width, goal                 int
	prefix                      string
	lead, fullPrefix            int
	tabs                        bool
	inColumn, outColumn         int
	prefixIndent, nextPrefixIn  int
	firstIndent, otherIndent    int
	lastLength, nextChar, chars int
	words                       []fmtWord
	yield                       func()
}

const fmtEOF = -1

func fmtCommand(p *command.Proc) int {
	if len(p.Args) > 0 && len(p.Args[0]) > 1 && p.Args[0][0] == '-' && p.Args[0][1] >= '0' && p.Args[0][1] <= '9' {
		p.Args = append([]string{"-w", p.Args[0][1:]}, p.Args[1:]...)
	}
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cg:p:stuw:",
		Long: []getopt.Long{
			{Name: "crown-margin", Short: 'c'},
			{Name: "goal", Arg: req, Short: 'g'},
			{Name: "prefix", Arg: req, Short: 'p'},
			{Name: "split-only", Short: 's'},
			{Name: "tagged-paragraph", Short: 't'},
			{Name: "uniform-spacing", Short: 'u'},
			{Name: "width", Arg: req, Short: 'w'},
		},
	})
	f := formatter{out: p.Out(), width: -1, goal: -1, yield: p.Yield}
	for _, o := range opts {
		switch o.Name {
		case "c":
			f.crown = true
		case "g":
			f.goal = fmtWidth(p, o.Arg)
		case "p":
			f.setPrefix(o.Arg)
		case "s":
			f.split = true
		case "t":
			f.tagged = true
		case "u":
			f.uniform = true
		case "w":
			f.width = fmtWidth(p, o.Arg)
		}
	}
	f.settleWidths(p)
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	status := 0
	for _, name := range operands {
		file, err := p.OpenArg(name)
		if err != nil {
			p.Errorf("cannot open %s for reading: %s", quote.Always(name), sys.Strerror(err))
			status = 1
			continue
		}
		f.file(file)
		file.Close()
	}
	return status
}

const fmtMaxWidth = fmtMaxChars / 2

func fmtWidth(p *command.Proc, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > fmtMaxWidth {
		why := ""
		if err == nil || trimDigits(s) == "" && s != "" {
			why = ": Numerical result out of range"
		}
		p.Errorf("invalid width: %s%s", quote.Locale(s), why)
		p.Exit(1)
	}
	return n
}

func (f *formatter) settleWidths(p *command.Proc) {
	const usual, room = 75, 10
	switch {
	case f.width < 0 && f.goal < 0:
		f.width = usual
	case f.width < 0:
		f.width = f.goal + room
	case f.goal > f.width:
		p.Errorf("invalid width: %s: Numerical result out of range", quote.Locale(strconv.Itoa(f.goal)))
		p.Exit(1)
	}
	if f.goal < 0 {
		f.goal = f.width * (2*(100-fmtLeeway) + 1) / 200
	}
}

func (f *formatter) setPrefix(s string) {
	t := strings.TrimLeft(s, " ")
	f.lead = len(s) - len(t)
	f.fullPrefix = len(t)
	f.prefix = strings.TrimRight(t, " ")
}

func (f *formatter) file(r io.Reader) {
	f.in = bufio.NewReaderSize(r, copyBuffer)
	f.tabs, f.otherIndent = false, 0
	f.nextChar = f.readPrefix()
	for f.paragraph() {
		f.yield()
		f.choose()
		f.put(len(f.words))
	}
}

func (f *formatter) getc() int {
	c, err := f.in.ReadByte()
	if err != nil {
		return fmtEOF
	}
	return int(c)
}

func (f *formatter) skipSpace(c int) int {
	for {
		switch c {
		case ' ':
			f.inColumn++
		case '\t':
			f.tabs = true
			f.inColumn = (f.inColumn/fmtTab + 1) * fmtTab
		default:
			return c
		}
		c = f.getc()
	}
}

// readPrefix reads the indentation and the prefix of a line and returns the character after them.
func (f *formatter) readPrefix() int {
	f.inColumn = 0
	c := f.skipSpace(f.getc())
	if f.prefix == "" {
		f.nextPrefixIn = min(f.lead, f.inColumn)
		return c
	}
	f.nextPrefixIn = f.inColumn
	for i := range len(f.prefix) {
		if c != int(f.prefix[i]) {
			return c
		}
		f.inColumn++
		c = f.getc()
	}
	return f.skipSpace(c)
}

// paragraph reads the next paragraph, copying what stands before it and is not to be touched.
func (f *formatter) paragraph() bool {
	f.lastLength = 0
	c := f.nextChar
	for c == '\n' || c == fmtEOF || f.nextPrefixIn < f.lead || f.inColumn < f.nextPrefixIn+f.fullPrefix {
		c = f.copyRest(c)
		if c == fmtEOF {
			f.nextChar = fmtEOF
			return false
		}
		_ = f.out.WriteByte('\n')
		c = f.readPrefix()
	}
	f.prefixIndent, f.firstIndent = f.nextPrefixIn, f.inColumn
	f.words, f.chars = f.words[:0], 0
	c = f.line(c)
	f.setOtherIndent(f.same(c))
	switch {
	case f.split:
	case f.crown:
		if f.same(c) {
			c = f.line(c)
			for f.same(c) && f.inColumn == f.otherIndent {
				c = f.line(c)
			}
		}
	case f.tagged:
		if f.same(c) && f.inColumn != f.firstIndent {
			c = f.line(c)
			for f.same(c) && f.inColumn == f.otherIndent {
				c = f.line(c)
			}
		}
	default:
		for f.same(c) && f.inColumn == f.otherIndent {
			c = f.line(c)
		}
	}
	last := &f.words[len(f.words)-1]
	last.period, last.final = true, true
	f.nextChar = c
	return true
}

func (f *formatter) same(c int) bool {
	return f.nextPrefixIn == f.prefixIndent && f.inColumn >= f.nextPrefixIn+f.fullPrefix && c != '\n' && c != fmtEOF
}

func (f *formatter) setOtherIndent(same bool) {
	switch {
	case f.split:
		f.otherIndent = f.firstIndent
	case f.crown:
		f.otherIndent = f.firstIndent
		if same {
			f.otherIndent = f.inColumn
		}
	case f.tagged:
		if same && f.inColumn != f.firstIndent {
			f.otherIndent = f.inColumn
		} else if f.otherIndent == f.firstIndent {
			f.otherIndent = 0
			if f.firstIndent == 0 {
				f.otherIndent = fmtIndent
			}
		}
	default:
		f.otherIndent = f.firstIndent
	}
}

// copyRest copies a line that is not part of a paragraph.
func (f *formatter) copyRest(c int) int {
	f.outColumn = 0
	if f.inColumn > f.nextPrefixIn || c != '\n' && c != fmtEOF {
		f.putSpace(f.nextPrefixIn)
		for i := 0; f.outColumn != f.inColumn && i < len(f.prefix); i++ {
			_ = f.out.WriteByte(f.prefix[i])
			f.outColumn++
		}
		if c != fmtEOF && c != '\n' {
			f.putSpace(f.inColumn - f.outColumn)
		}
		if c == fmtEOF && f.inColumn >= f.nextPrefixIn+len(f.prefix) {
			_ = f.out.WriteByte('\n')
		}
	}
	for c != '\n' && c != fmtEOF {
		_ = f.out.WriteByte(byte(c))
		c = f.getc()
	}
	return c
}

// line reads the words of a line, and the prefix of the next one.
func (f *formatter) line(c int) int {
	for {
		var w fmtWord
		for {
			if f.chars == fmtMaxChars {
				f.setOtherIndent(true)
				f.words = append(f.words, w)
				f.flush(true)
				w = f.words[len(f.words)-1]
				f.words = f.words[:len(f.words)-1]
			}
			w.text = append(w.text, byte(c))
			f.chars++
			if c = f.getc(); c == fmtEOF || isSpaceByte(c) {
				break
			}
		}
		w.length = len(w.text)
		f.inColumn += w.length
		w.punctuation()
		start := f.inColumn
		c = f.skipSpace(c)
		w.space = f.inColumn - start
		w.final = c == fmtEOF || w.period && (c == '\n' || w.space > 1)
		if c == '\n' || c == fmtEOF || f.uniform {
			w.space = 1
			if w.final {
				w.space = 2
			}
		}
		if len(f.words) == fmtMaxWords-2 {
			f.setOtherIndent(true)
			f.flush(false)
		}
		f.words = append(f.words, w)
		if c == '\n' || c == fmtEOF {
			return f.readPrefix()
		}
	}
}

func isSpaceByte(c int) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (w *fmtWord) punctuation() {
	w.paren = isOneOf(w.text[0], "(['`\"")
	end := len(w.text) - 1
	last := w.text[end]
	w.punct = last > ' ' && last < 0x7f && !(last >= '0' && last <= '9' || last|0x20 >= 'a' && last|0x20 <= 'z')
	for end > 0 && isOneOf(w.text[end], ")]'\"") {
		end--
	}
	w.period = isOneOf(w.text[end], ".?!")
}

// flush writes part of a paragraph that is too long for the window. With partial, the last of the words is not complete.
func (f *formatter) flush(partial bool) {
	rest := f.words
	if partial {
		f.words = rest[:len(rest)-1]
	}
	if len(f.words) == 0 {
		w := &rest[0]
		_, _ = f.out.Write(w.text)
		w.text = w.text[:0]
		f.words, f.chars = rest, 0
		return
	}
	f.choose()
	cut := len(f.words)
	best := math.MaxInt
	for i := f.words[0].next; i != len(f.words); i = f.words[i].next {
		w := &f.words[i]
		after := 0
		if w.next < len(f.words) {
			after = f.words[w.next].cost
		}
		if w.cost-after < best {
			cut, best = i, w.cost-after
		}
		if best <= math.MaxInt-fmtLineCredit {
			best += fmtLineCredit
		}
	}
	f.put(cut)
	f.words = append(f.words[:0], rest[cut:]...)
	f.chars = 0
	for i := range f.words {
		f.chars += len(f.words[i].text)
	}
}

// choose finds the breaks of least cost, from the last word to the first.
func (f *formatter) choose() {
	n := len(f.words)
	for start := n - 1; start >= 0; start-- {
		best := math.MaxInt
		length := f.otherIndent
		if start == 0 {
			length = f.firstIndent
		}
		s := &f.words[start]
		length += s.length
		for w := start + 1; ; w++ {
			cost := f.lineCost(w, length)
			if w < n {
				cost += f.words[w].cost
			}
			if start == 0 && f.lastLength > 0 {
				cost += fmtRaggedCost(length - f.lastLength)
			}
			if cost < best {
				best, s.next, s.width = cost, w, length
			}
			if w == n {
				break
			}
			length += f.words[w-1].space + f.words[w].length
			if length >= f.width {
				break
			}
		}
		s.cost = best + f.baseCost(start)
	}
}

func (f *formatter) baseCost(i int) int {
	cost := fmtLineCost
	w := &f.words[i]
	if i > 0 {
		prev := &f.words[i-1]
		switch {
		case prev.period && prev.final:
			cost -= fmtSentenceBonus
		case prev.period:
			cost += fmtNoBreakCost
		case prev.punct:
			cost -= fmtPunctBonus
		case i > 1 && f.words[i-2].final:
			cost += fmtWidowCost(prev.length)
		}
	}
	if w.paren {
		cost -= fmtParenBonus
	} else if w.final {
		cost += fmtOrphanCost(w.length)
	}
	return cost
}

// lineCost is the cost of a line of the given length before the word next.
func (f *formatter) lineCost(next, length int) int {
	if next == len(f.words) {
		return 0
	}
	cost := fmtShortCost(f.goal - length)
	if w := &f.words[next]; w.next != len(f.words) {
		cost += fmtRaggedCost(length - w.width)
	}
	return cost
}

// put writes the lines up to the word end.
func (f *formatter) put(end int) {
	indent := f.firstIndent
	for i := 0; i != end; i = f.words[i].next {
		f.putLine(i, indent)
		indent = f.otherIndent
	}
}

func (f *formatter) putLine(i, indent int) {
	f.outColumn = 0
	f.putSpace(f.prefixIndent)
	_, _ = f.out.WriteString(f.prefix)
	f.outColumn += len(f.prefix)
	f.putSpace(indent - f.outColumn)
	end := f.words[i].next
	for ; i < end; i++ {
		w := &f.words[i]
		_, _ = f.out.Write(w.text)
		f.outColumn += w.length
		if i < end-1 {
			f.putSpace(w.space)
		}
	}
	f.lastLength = f.outColumn
	_ = f.out.WriteByte('\n')
}

// putSpace writes blanks, as tabs when the input has some.
func (f *formatter) putSpace(n int) {
	target := f.outColumn + n
	if f.tabs {
		tab := target / fmtTab * fmtTab
		if f.outColumn+1 < tab {
			for f.outColumn < tab {
				_ = f.out.WriteByte('\t')
				f.outColumn = (f.outColumn/fmtTab + 1) * fmtTab
			}
		}
	}
	for ; f.outColumn < target; f.outColumn++ {
		_ = f.out.WriteByte(' ')
	}
}

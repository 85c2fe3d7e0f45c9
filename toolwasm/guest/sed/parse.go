package sed

import (
	"fmt"
	"strings"
)

// chunk is a part of the script: an -e or an -f option.
type chunk struct {
	text       string
	expression int    // number of the -e option
	file       string // name of the -f option
}

// scriptError is a mistake in a script, with the place.
type scriptError struct {
	msg    string
	status int
}

func (e *scriptError) Error() string { return e.msg }

// atEnd is what next returns at the end of a chunk.
const atEnd = -1

// parser reads a script. Mistakes unwind it.
type parser struct {
	opts   *options
	outs   *outputs
	chunks []chunk
	at     int // current chunk
	pos    int // in it
	line   int

	prog   *program
	blocks []int // commands { that are open
	labels map[string]int
}

// parseScript reads a script and opens the files that it writes.
func parseScript(chunks []chunk, o *options, outs *outputs) (prog *program, err *scriptError) {
	ps := &parser{opts: o, outs: outs, chunks: chunks, line: 1, prog: &program{}, labels: map[string]int{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *scriptError:
			prog, err = nil, e
		default:
			panic(e)
		}
	}()
	first := chunks[0].text
	ps.prog.quiet = strings.HasPrefix(first, "#n\n") || first == "#n"
	for ps.at < len(chunks) {
		for ps.command() {
		}
		ps.at++
		ps.pos, ps.line = 0, 1
	}
	ps.at = len(chunks) - 1
	if len(ps.blocks) > 0 {
		ps.failAt(0, "unmatched `{'")
	}
	ps.resolve()
	return ps.prog, nil
}

func (ps *parser) fail(format string, args ...any) { ps.failAt(ps.pos, format, args...) }

func (ps *parser) failAt(pos int, format string, args ...any) {
	c := ps.chunks[min(ps.at, len(ps.chunks)-1)]
	msg := fmt.Sprintf(format, args...)
	if c.file != "" {
		panic(&scriptError{fmt.Sprintf("file %s line %d: %s", c.file, ps.line, msg), statusUsage})
	}
	panic(&scriptError{fmt.Sprintf("-e expression #%d, char %d: %s", c.expression, min(pos, len(c.text)), msg), statusUsage})
}

// next reads a byte, or atEnd.
func (ps *parser) next() int {
	text := ps.chunks[ps.at].text
	if ps.pos >= len(text) {
		ps.pos = len(text) + 1
		return atEnd
	}
	c := text[ps.pos]
	ps.pos++
	if c == '\n' {
		ps.line++
	}
	return int(c)
}

func (ps *parser) back() {
	ps.pos--
	if text := ps.chunks[ps.at].text; ps.pos < len(text) && text[ps.pos] == '\n' {
		ps.line--
	}
}

func (ps *parser) peek() int {
	c := ps.next()
	ps.back()
	return c
}

// blank reads past white space within a line and returns what follows.
func (ps *parser) blank() int {
	c := ps.next()
	for c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' {
		c = ps.next()
	}
	return c
}

// space reads past white space, newlines among it.
func (ps *parser) space() int {
	c := ps.blank()
	for c == '\n' {
		c = ps.blank()
	}
	return c
}

// command reads one command. It reports false at the end of the chunk.
func (ps *parser) command() bool {
	c := ps.space()
	for c == ';' {
		c = ps.space()
	}
	if c == atEnd {
		return false
	}
	ps.back()
	cmd := &cmd{n: -1}
	ps.addresses(cmd)
	c = ps.blank()
	if c == '!' {
		cmd.negate = true
		if c = ps.blank(); c == '!' {
			ps.fail("multiple `!'s")
		}
	}
	if c == atEnd || c == '\n' {
		if c == atEnd {
			ps.back()
		}
		ps.fail("missing command")
	}
	cmd.name = byte(c)
	ps.body(cmd)
	return true
}

func (ps *parser) add(c *cmd) { ps.prog.cmds = append(ps.prog.cmds, c) }

// body reads what follows the name of a command.
func (ps *parser) body(c *cmd) {
	switch c.name {
	case '#':
		if c.a1.kind != addrNone {
			ps.fail("comments don't accept any addresses")
		}
		ps.restOfLine()
		return
	case '{':
		ps.blocks = append(ps.blocks, len(ps.prog.cmds))
		ps.add(c)
		return
	case '}':
		ps.closeBlock(c)
		return
	case ':':
		ps.defineLabel(c)
		return
	case 'e':
		ps.fail("the command `e' is not supported: it would run a program")
	case 'a', 'i', 'c':
		ps.text(c)
	case 'b', 't', 'T':
		c.label = ps.label()
		ps.end()
	case 'r', 'R', 'w', 'W':
		ps.fileCommand(c)
	case 'q', 'Q':
		if c.a2.kind != addrNone {
			ps.fail("command only uses one address")
		}
		c.n = ps.number(0)
		ps.end()
	case 'l', 'L':
		c.n = ps.number(-1)
		ps.end()
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'z', 'x':
		ps.end()
	case 's':
		ps.substitute(c)
	case 'y':
		ps.translate(c)
	case 'v':
		ps.version()
		return
	default:
		ps.fail("unknown command: `%c'", c.name)
	}
	ps.add(c)
}

func (ps *parser) closeBlock(c *cmd) {
	if len(ps.blocks) == 0 {
		ps.fail("unexpected `}'")
	}
	if c.a1.kind != addrNone {
		ps.fail("} doesn't want any addresses")
	}
	open := ps.blocks[len(ps.blocks)-1]
	ps.blocks = ps.blocks[:len(ps.blocks)-1]
	ps.end()
	ps.prog.cmds[open].target = len(ps.prog.cmds)
}

func (ps *parser) defineLabel(c *cmd) {
	if c.a1.kind != addrNone {
		ps.fail(": doesn't want any addresses")
	}
	label := ps.label()
	if label == "" {
		ps.fail("\":\" lacks a label")
	}
	if _, dup := ps.labels[label]; dup {
		ps.fail("duplicate label `%s'", label)
	}
	ps.labels[label] = len(ps.prog.cmds)
}

// label reads a label, which may be empty.
func (ps *parser) label() string {
	var b strings.Builder
	c := ps.blank()
	for c != atEnd && c != '\n' && c != ';' && c != '}' && c != ' ' && c != '\t' && c != '\r' {
		b.WriteByte(byte(c))
		c = ps.next()
	}
	ps.back()
	return b.String()
}

// resolve turns labels into places.
func (ps *parser) resolve() {
	for _, c := range ps.prog.cmds {
		if c.name != 'b' && c.name != 't' && c.name != 'T' {
			continue
		}
		c.target = len(ps.prog.cmds)
		if c.label == "" {
			continue
		}
		target, ok := ps.labels[c.label]
		if !ok {
			panic(&scriptError{fmt.Sprintf("can't find label for jump to `%s'", c.label), statusPanic})
		}
		c.target = target
	}
}

// end reads the end of a command.
func (ps *parser) end() {
	switch c := ps.blank(); c {
	case atEnd, '\n', ';':
	case '}', '#':
		ps.back()
	default:
		ps.fail("extra characters after command")
	}
}

func (ps *parser) restOfLine() {
	for c := ps.next(); c != atEnd && c != '\n'; c = ps.next() {
	}
}

// number reads an optional number.
func (ps *parser) number(absent int) int {
	c := ps.blank()
	ps.back()
	if c < '0' || c > '9' {
		return absent
	}
	return ps.digits()
}

// maxNumber keeps line numbers from overflowing.
const maxNumber = 1 << 40

func (ps *parser) digits() int {
	n := 0
	c := ps.next()
	for ; c >= '0' && c <= '9'; c = ps.next() {
		n = min(n*10+c-'0', maxNumber)
	}
	ps.back()
	return n
}

func (ps *parser) version() {
	c := ps.blank()
	var b strings.Builder
	for ; c != atEnd && c != '\n' && c != ';' && c != '}' && c != ' '; c = ps.next() {
		b.WriteByte(byte(c))
	}
	ps.back()
	var major, minor int
	if _, err := fmt.Sscanf(b.String()+".0", "%d.%d", &major, &minor); b.Len() > 0 && err != nil {
		ps.fail("invalid version")
	}
	const ourMajor, ourMinor = 4, 9
	if major > ourMajor || major == ourMajor && minor > ourMinor {
		ps.fail("expected newer version of sed")
	}
	ps.end()
}

func (ps *parser) fileCommand(c *cmd) {
	if ps.opts.sandbox {
		ps.fail("e/r/w commands disabled in sandbox mode")
	}
	c.file = ps.fileName()
	if c.name == 'w' || c.name == 'W' {
		c.out = ps.open(c.file)
	}
}

// fileName reads a name that goes to the end of the line.
func (ps *parser) fileName() string {
	var b strings.Builder
	for c := ps.blank(); c != atEnd && c != '\n'; c = ps.next() {
		b.WriteByte(byte(c))
	}
	if b.Len() == 0 {
		ps.back()
		ps.fail("missing filename in r/R/w/W commands")
	}
	return b.String()
}

func (ps *parser) open(name string) *output {
	out, err := ps.outs.open(name)
	if err != nil {
		panic(&scriptError{err.Error(), statusUsage})
	}
	return out
}

// text reads the text of a, i or c: after a backslash and a newline or, as GNU has it, on the same line.
func (ps *parser) text(c *cmd) {
	ch := ps.blank()
	if ch == atEnd || ch == '\n' {
		ps.back()
		ps.fail("expected \\ after `a', `c' or `i'")
	}
	if ch == '\\' {
		if ch = ps.blank(); ch == '\n' {
			ps.rawText(c)
			return
		}
		if ch == atEnd {
			// The text is the next chunk.
			ps.back()
			c.text = []byte{}
			if ps.at+1 < len(ps.chunks) {
				ps.nextChunk()
				ps.rawText(c)
			}
			return
		}
		// White space after the backslash belongs to the text.
		ps.back()
		for ps.pos > 0 && ps.chunks[ps.at].text[ps.pos-1] != '\\' {
			ps.back()
		}
		// The character after the backslash stands for itself.
		if ch = ps.next(); ch != '\\' {
			c.text = append(c.text, byte(ch))
		} else {
			ps.back()
		}
		ps.rawText(c)
		return
	}
	ps.back()
	ps.rawText(c)
}

func (ps *parser) nextChunk() {
	ps.at++
	ps.pos, ps.line = 0, 1
}

// rawText reads text to the end of the line that does not end in a backslash.
func (ps *parser) rawText(c *cmd) {
	for {
		ch := ps.next()
		switch ch {
		case '\n':
			c.text = append(c.text, '\n')
			return
		case atEnd:
			c.text = append(c.text, '\n')
			return
		case '\\':
			ch = ps.next()
			if ch == atEnd {
				if ps.at+1 == len(ps.chunks) {
					c.text = append(c.text, '\n')
					return
				}
				c.text = append(c.text, '\n')
				ps.nextChunk()
				continue
			}
			ps.back()
			if b, ok := ps.escape(); ok {
				c.text = append(c.text, b)
				continue
			}
			if b, ok := ps.newlineEscape(); ok {
				c.text = append(c.text, b)
				continue
			}
			c.text = append(c.text, byte(ps.next()))
		default:
			c.text = append(c.text, byte(ch))
		}
	}
}

// newlineEscape reads the n of \n.
func (ps *parser) newlineEscape() (byte, bool) {
	if ps.peek() != 'n' {
		return 0, false
	}
	ps.next()
	return '\n', true
}

// escape reads what follows a backslash when it stands for one byte: \a \f \r \t \v \cX \dNNN \oNNN \xHH.
func (ps *parser) escape() (byte, bool) {
	text := ps.chunks[ps.at].text
	if ps.pos >= len(text) || ps.opts.posix {
		return 0, false
	}
	b, n, ok := escapeByte(text[ps.pos:])
	if ok {
		ps.pos += n
	}
	return b, ok
}

// escapeByte decodes an escape without its backslash and returns how long it is.
func escapeByte(s string) (b byte, n int, ok bool) {
	switch s[0] {
	case 'a':
		return '\a', 1, true
	case 'f':
		return '\f', 1, true
	case 'r':
		return '\r', 1, true
	case 't':
		return '\t', 1, true
	case 'v':
		return '\v', 1, true
	case 'c':
		if len(s) < 2 || s[1] == '\\' && len(s) < 3 {
			return 0, 0, false
		}
		n = 2
		if s[1] == '\\' {
			n = 3 // \c\\ is control-backslash
		}
		c := s[1]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		return c ^ 0x40, n, true
	case 'd':
		return numericEscape(s, 10, 3)
	case 'o':
		return numericEscape(s, 8, 3)
	case 'x':
		return numericEscape(s, 16, 2)
	}
	return 0, 0, false
}

func numericEscape(s string, base, digits int) (b byte, n int, ok bool) {
	v := 0
	for n = 1; n < len(s) && n <= digits; n++ {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
	}
	return byte(v), n, n > 1
}

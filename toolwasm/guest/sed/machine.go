package sed

import (
	"bytes"
	"io"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/sys"
)

// space is the pattern space or the hold space.
type space struct {
	b          []byte
	terminated bool // the line that it holds had its newline
}

// machine runs a program over its input.
type machine struct {
	p    *command.Proc
	opts *options
	prog *program
	outs *outputs
	out  *output // where lines go: standard output or the file that is edited
	in   input

	pat, hold space
	appends   []appended
	delim     byte
	replaced  bool // a substitution since the last line was read or t was taken
	keep      bool // the next cycle begins with what is in the pattern space
	lastRe    *regex.Regexp
	loc       []int
	build     []byte
	readers   map[string]*lineReader // files that R reads
	steps     int
	status    int
}

// appended is something to be written at the end of the cycle.
type appended struct {
	text []byte
	file string // a file to be copied, when text is nil
}

// yieldCommands is how many commands run between calls of Yield.
const yieldCommands = 1 << 12

func newMachine(p *command.Proc, o *options, prog *program, outs *outputs, files []string) *machine {
	m := &machine{
		p: p, opts: o, prog: prog, outs: outs, out: outs.stdout, delim: '\n',
		pat: space{terminated: true}, hold: space{terminated: true}, readers: map[string]*lineReader{},
	}
	if o.null {
		m.delim = 0
	}
	m.in = input{m: m, files: files}
	return m
}

// fatal reports an error that ends the program.
func (m *machine) fatal(err error) {
	m.cleanUp()
	m.p.Errorf("%s", err.Error())
	m.p.Exit(statusPanic)
}

// cleanUp closes what is open. A file whose editing was cut short stays as it was.
func (m *machine) cleanUp() {
	if m.in.place != nil {
		m.in.place.abort()
		m.in.place = nil
	}
	_ = m.outs.close()
}

func (m *machine) resetRanges() {
	for _, c := range m.prog.cmds {
		c.active, c.closed = c.a1.kind == addrZero, false
	}
	clear(m.readers)
}

// verdict is what becomes of the program after a command.
type verdict uint8

const (
	goOn      verdict = iota
	nextCycle         // print the pattern space, then begin the next cycle
	dropCycle         // begin the next cycle without printing
	restart           // begin a cycle with the pattern space as it is
	quit              // print and end
	endInput          // the same, for want of a line to go on with
	quitNow           // end
)

func (m *machine) run() int {
	if passes := m.passes(); passes != nil {
		return m.runPasses(passes)
	}
	for m.keep || m.readCycle() {
		m.keep = false
		switch v := m.cycle(); v {
		case nextCycle:
			m.autoPrint()
			m.flushAppends()
		case dropCycle:
			m.flushAppends()
		case restart:
			m.flushAppends()
			m.keep = true
		case quit, endInput:
			m.autoPrint()
			m.flushAppends()
			if v == quit {
				m.out.complete(m.delim)
			}
			return m.finish()
		case quitNow:
			return m.finish()
		}
	}
	return m.finish()
}

func (m *machine) finish() int {
	m.in.finish()
	if err := m.outs.close(); err != nil {
		m.p.Errorf("couldn't write: %s", sys.Strerror(err))
		return statusPanic
	}
	if m.status == 0 && m.in.failed {
		return statusInput
	}
	return m.status
}

func (m *machine) readCycle() bool {
	m.pat.b = m.pat.b[:0]
	m.replaced = false
	return m.in.read(&m.pat)
}

func (m *machine) autoPrint() {
	if !m.opts.quiet {
		m.out.line(m.pat.b, m.delim, m.pat.terminated)
	}
}

// cycle runs the script once.
func (m *machine) cycle() verdict {
	cmds := m.prog.cmds
	for pc := 0; pc < len(cmds); {
		c := cmds[pc]
		pc++
		if m.steps++; m.steps%yieldCommands == 0 {
			m.p.Yield()
		}
		if c.a1.kind != addrNone || c.negate {
			if m.selects(c) == c.negate {
				if c.name == '{' {
					pc = c.target
				}
				continue
			}
		}
		switch c.name {
		case '{':
		case 's':
			m.substitute(c.sub)
		case 'b':
			pc = c.target
		case 't':
			if m.replaced {
				m.replaced = false
				pc = c.target
			}
		case 'T':
			if !m.replaced {
				pc = c.target
			}
			m.replaced = false
		default:
			if v := m.execute(c); v != goOn {
				return v
			}
		}
	}
	return nextCycle
}

// execute runs a command that does not jump.
func (m *machine) execute(c *cmd) verdict {
	switch c.name {
	case 'p':
		m.out.line(m.pat.b, m.delim, m.pat.terminated)
	case 'd':
		return dropCycle
	case 'D':
		i := bytes.IndexByte(m.pat.b, m.delim)
		if i < 0 {
			return dropCycle
		}
		m.pat.b = append(m.pat.b[:0], m.pat.b[i+1:]...)
		return restart
	case 'P':
		m.printFirst(m.out)
	case 'n', 'N':
		return m.nextLine(c.name == 'N')
	case 'g':
		m.pat.set(&m.hold)
	case 'G':
		m.pat.join(&m.hold, m.delim)
	case 'h':
		m.hold.set(&m.pat)
	case 'H':
		m.hold.join(&m.pat, m.delim)
	case 'x':
		m.pat, m.hold = m.hold, m.pat
	case 'y':
		m.translate(c.table)
	case 'a':
		m.appends = append(m.appends, appended{text: c.text})
	case 'i':
		m.out.text(c.text, m.delim)
	case 'c':
		return m.change(c)
	case 'q':
		m.status = c.n
		return quit
	case 'Q':
		m.status = c.n
		return quitNow
	default:
		m.executeRare(c)
	}
	return goOn
}

func (m *machine) executeRare(c *cmd) {
	switch c.name {
	case '=':
		m.out.raw(append(strconv.AppendInt(nil, int64(m.in.line), 10), m.delim), m.delim)
	case 'F':
		m.out.raw(append([]byte(m.in.name), m.delim), m.delim)
	case 'l', 'L':
		width := c.n
		if width < 0 {
			width = m.opts.lineLength
		}
		m.out.raw(append(list(m.pat.b, width, m.delim), m.delim), m.delim)
	case 'z':
		m.pat.b = m.pat.b[:0]
	case 'w':
		c.out.line(m.pat.b, m.delim, m.pat.terminated)
	case 'W':
		m.printFirst(c.out)
	case 'r':
		m.appends = append(m.appends, appended{file: c.file})
	case 'R':
		m.queueLine(c.file)
	}
}

func (m *machine) printFirst(out *output) {
	i := bytes.IndexByte(m.pat.b, m.delim)
	if i < 0 {
		out.line(m.pat.b, m.delim, m.pat.terminated)
		return
	}
	out.line(m.pat.b[:i], m.delim, true)
}

func (s *space) set(from *space) {
	s.b = append(s.b[:0], from.b...)
	s.terminated = from.terminated
}

func (s *space) join(from *space, delim byte) {
	s.b = append(s.b, delim)
	s.b = append(s.b, from.b...)
	s.terminated = from.terminated
}

// nextLine is n and, when it joins the line to the pattern space, N.
func (m *machine) nextLine(join bool) verdict {
	if m.in.last() {
		if m.opts.separate && m.in.at < len(m.in.files) && !join {
			// The next line is in another file, which is another text.
			return m.lineOfNextFile()
		}
		if join && m.opts.posix {
			return quitNow
		}
		return endInput
	}
	if join {
		m.flushAppends()
		m.pat.b = append(m.pat.b, m.delim)
	} else {
		m.autoPrint()
		m.flushAppends()
		m.pat.b = m.pat.b[:0]
	}
	m.in.read(&m.pat)
	return goOn
}

func (m *machine) lineOfNextFile() verdict {
	m.autoPrint()
	m.flushAppends()
	m.pat.b = m.pat.b[:0]
	if !m.in.read(&m.pat) {
		return quitNow
	}
	return goOn
}

// change is c: in a range the text is printed at its end.
func (m *machine) change(c *cmd) verdict {
	if c.a2.kind == addrNone || c.negate || !c.active {
		m.out.text(c.text, m.delim)
	}
	return dropCycle
}

// queueLine is R.
func (m *machine) queueLine(name string) {
	r, ok := m.readers[name]
	if !ok {
		f, err := m.openQuietly(name)
		if err == nil {
			r = newLineReader(f, m.delim)
		}
		m.readers[name] = r
	}
	if r == nil {
		return
	}
	line, terminated, ok := r.next()
	if !ok {
		return
	}
	text := bytes.Clone(line)
	if terminated {
		text = append(text, m.delim)
	}
	m.appends = append(m.appends, appended{text: text})
}

func (m *machine) openQuietly(name string) (io.ReadCloser, error) {
	return m.p.Open(name)
}

// flushAppends writes what a, r and R have queued.
func (m *machine) flushAppends() {
	if len(m.appends) == 0 {
		return
	}
	for _, a := range m.appends {
		if a.text != nil {
			m.out.raw(a.text, m.delim)
			continue
		}
		m.copyFile(a.file)
	}
	m.appends = m.appends[:0]
}

// copyFile is r; a file that cannot be read counts as empty.
func (m *machine) copyFile(name string) {
	m.out.complete(m.delim)
	f, err := m.openQuietly(name)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = io.Copy(m.out.w, f)
}

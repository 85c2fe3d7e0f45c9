package awk

import (
	"fmt"
	"io"
	"math/rand"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

const (
	// yieldEvery is how many loop rounds and calls pass between two looks at the rest of the guest.
	yieldEvery = 4096
	// maxCallDepth bounds recursion.
	maxCallDepth = 20_000
	// frameChunk is how many locals are allocated at once.
	frameChunk = 4096
	// statusFatal is the exit status after a fatal error, statusSyntax after a mistake in the program.
	statusFatal  = 2
	statusSyntax = 1
)

// Slots of the variables that the language gives a meaning.
const (
	slotNF = iota
	slotNR
	slotFNR
	slotFS
	slotOFS
	slotORS
	slotRS
	slotRT
	slotSUBSEP
	slotCONVFMT
	slotOFMT
	slotRSTART
	slotRLENGTH
	slotFILENAME
	slotENVIRON
	slotARGC
	slotARGV
	slotARGIND
	slotIGNORECASE
	slotFPAT
	slotFIELDWIDTHS
	slotERRNO
	slotPROCINFO
	slotSYMTAB
	slotFUNCTAB
	slotLINT
	slotBINMODE
	slotTEXTDOMAIN
	specialSlots
)

const specialNames = "NF NR FNR FS OFS ORS RS RT SUBSEP CONVFMT OFMT RSTART RLENGTH FILENAME ENVIRON ARGC ARGV ARGIND" +
	" IGNORECASE FPAT FIELDWIDTHS ERRNO PROCINFO SYMTAB FUNCTAB LINT BINMODE TEXTDOMAIN"

// interp is a running program.
type interp struct {
	p    *command.Proc
	code *compiled

	vars  []value // globals by slot
	frame []value // locals of the current call
	ret   value
	depth int

	pushed []value // arguments that are being evaluated; see push
	steps  int

	chunk, spare []value // where frames are allocated
	top          int

	nr, fnr    float64
	ofs, ors   string
	rs         string
	subsep     string
	convfmt    string
	ofmt       string
	ignoreCase bool
	split      splitter
	splitBy    int // slot of the variable that split comes from

	rec     record
	loc     []int // scratch for matches
	buf     []byte
	scratch []span
	regexps map[regexpKey]*regexp

	io       streams
	main     *recordReader // the current input file
	mainFile command.File
	argIndex int
	args     bool // some operand was a file
	status   int
	exiting  bool
	random   *rand.Rand
	seed     float64
	bytes    bool // -b
}

// fatalError ends the program with a message.
type fatalError struct{ msg string }

// leave unwinds a function for next, nextfile and exit.
type leave struct{ c control }

func (in *interp) fatal(format string, args ...any) {
	panic(fatalError{fmt.Sprintf(format, args...)})
}

func (in *interp) warn(format string, args ...any) {
	in.p.Errorf("%swarning: %s", in.place(), fmt.Sprintf(format, args...))
}

// place says where in the input the program is, for messages.
func (in *interp) place() string {
	if in.nr == 0 {
		return ""
	}
	name := in.vars[slotFILENAME]
	if name.s == "" {
		name.s = "-"
	}
	return fmt.Sprintf("(FILENAME=%s FNR=%.0f) ", name.s, in.fnr)
}

// tick counts a step of a loop or a call.
func (in *interp) tick() {
	in.steps++
	if in.steps&(yieldEvery-1) == 0 {
		in.p.Yield()
	}
}

// newInterp makes an interpreter with the variables' initial values.
func newInterp(p *command.Proc, c *compiled) *interp {
	in := &interp{
		p: p, code: c, vars: make([]value, len(c.globals)), ofs: " ", ors: "\n", rs: "\n", subsep: "\x1c",
		convfmt: "%.6g", ofmt: "%.6g", regexps: map[regexpKey]*regexp{}, splitBy: slotFS,
	}
	in.io.in = in
	for slot, s := range map[int]string{
		slotFS: " ", slotOFS: in.ofs, slotORS: in.ors, slotRS: in.rs, slotSUBSEP: in.subsep, slotCONVFMT: in.convfmt, slotOFMT: in.ofmt,
		slotFPAT: "[^[:space:]]+", slotTEXTDOMAIN: "messages", slotFILENAME: "", slotFIELDWIDTHS: "", slotERRNO: "", slotRT: "",
	} {
		in.vars[slot] = text(s)
	}
	for _, slot := range []int{slotRSTART, slotARGC, slotARGIND, slotIGNORECASE, slotLINT, slotBINMODE} {
		in.vars[slot] = number(0)
	}
	in.vars[slotRLENGTH] = number(-1)
	for _, slot := range []int{slotENVIRON, slotARGV, slotPROCINFO, slotSYMTAB, slotFUNCTAB} {
		in.vars[slot] = value{k: kArray, a: newArray()}
	}
	in.environment()
	return in
}

func (in *interp) environment() {
	env := in.vars[slotENVIRON].a
	if in.p.Env != nil {
		for _, kv := range in.p.Env.List() {
			name, v, _ := strings.Cut(kv, "=")
			*env.at(stringKey(name)) = input(v)
		}
	}
	info := in.vars[slotPROCINFO].a
	for _, f := range []struct {
		name string
		v    value
	}{
		{"version", text(gawkVersion)},
		{"strftime", text(defaultTimeFormat)},
		{"platform", text("posix")},
		{"FS", text("FS")},
		{"pid", number(float64(in.p.PID))},
		{"ppid", number(1)},
		{"uid", number(sys.UID)},
		{"euid", number(sys.UID)},
		{"gid", number(sys.GID)},
		{"egid", number(sys.GID)},
	} {
		*info.at(stringKey(f.name)) = f.v
	}
	funcs := in.vars[slotFUNCTAB].a
	for name := range in.code.funcIndex {
		*funcs.at(stringKey(name)) = text(name)
	}
}

// assign gives a global a value, with what follows from it for the language's own variables.
func (in *interp) assign(slot int, v value) {
	if slot >= specialSlots {
		in.vars[slot] = in.keep(v)
		return
	}
	if in.vars[slot].k == kArray {
		in.fatal("attempt to use array `%s' in a scalar context", in.code.globals[slot])
	}
	v = in.keep(v)
	in.vars[slot] = v
	switch slot {
	case slotNF:
		in.setNF(v.num())
	case slotNR:
		in.nr = v.num()
	case slotFNR:
		in.fnr = v.num()
	case slotOFS:
		// A record whose fields have been changed is joined with the separator of the time.
		in.recordText()
		in.ofs = in.str(&v)
	case slotORS:
		in.ors = in.str(&v)
	case slotSUBSEP:
		in.subsep = in.str(&v)
	case slotCONVFMT:
		in.convfmt = in.str(&v)
	case slotOFMT:
		in.ofmt = in.str(&v)
	case slotRS:
		in.setRS(in.str(&v))
	case slotIGNORECASE:
		in.ignoreCase = v.truth()
		in.useFS()
	case slotFS, slotFPAT, slotFIELDWIDTHS:
		in.splitBy = slot
		in.useFS()
		*in.vars[slotPROCINFO].a.at(stringKey("FS")) = text(in.code.globals[slot])
	}
}

func (in *interp) setRS(rs string) {
	paragraph := rs == ""
	changed := paragraph != (in.rs == "")
	in.rs = rs
	if changed {
		in.useFS()
	}
}

// keep makes a value fit for storage: its text must not hold on to a whole input buffer.
func (in *interp) keep(v value) value {
	switch v.k {
	case kInput, kStrNum, kStr:
		if r := in.main; r != nil && within(v.s, r.buf) {
			v.s = strings.Clone(v.s)
		}
	case kUntyped:
		return value{}
	case kArray:
		in.fatal("attempt to use array in a scalar context")
	}
	return v
}

// pushFrame allocates n locals; popFrame(chunk, top) frees them.
func (in *interp) pushFrame(n int) []value {
	if in.top+n > len(in.chunk) {
		if len(in.spare) >= n {
			in.chunk, in.spare = in.spare, nil
		} else {
			in.chunk = make([]value, max(frameChunk, n))
		}
		in.top = 0
	}
	f := in.chunk[in.top : in.top+n : in.top+n]
	in.top += n
	clear(f)
	return f
}

func (in *interp) popFrame(chunk []value, top int) {
	if len(chunk) != 0 && &chunk[0] != &in.chunk[0] {
		in.spare = in.chunk
	}
	if len(chunk) != 0 {
		in.chunk = chunk
	}
	in.top = top
}

// run executes the whole program and returns the exit status.
func (in *interp) run() (status int) {
	defer func() {
		// However it ends, the commands that it started must not be left behind.
		if e := recover(); e != nil {
			in.io.abandon()
			panic(e)
		}
	}()
	ended := in.guard(in.beginAndRules)
	if ended != ctlFatal && (!in.exiting || len(in.code.rules)+len(in.code.end) > 0) {
		if in.guard(in.finish) == ctlFatal {
			ended = ctlFatal
		}
	}
	if ended == ctlFatal {
		in.status = statusFatal
	}
	in.closeMain()
	if failed := in.io.closeAll(); failed && in.status == 0 {
		in.status = statusFatal
	}
	return in.status
}

// guard runs a part of the program and turns an unwinding into how it ended.
func (in *interp) guard(f func() control) (c control) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case leave:
			in.frame, in.depth, in.top = nil, 0, 0
			c = e.c
		case fatalError:
			_ = in.p.Flush()
			fmt.Fprintf(in.p.Stderr, "%s: cmd. line:1: %sfatal: %s\n", in.p.Name, in.place(), e.msg)
			c = ctlFatal
		default:
			panic(e)
		}
	}()
	return f()
}

func (in *interp) beginAndRules() control {
	for _, b := range in.code.begin {
		if c := b(in); c != ctlNone {
			return c
		}
	}
	c := in.code
	if len(c.rules) == 0 && len(c.end) == 0 && len(c.beginFile) == 0 && len(c.endFile) == 0 {
		return ctlNone
	}
	return in.records()
}

func (in *interp) finish() control {
	for _, b := range in.code.end {
		if c := b(in); c != ctlNone {
			return c
		}
	}
	return ctlNone
}

// records runs the rules on every record of the main input.
func (in *interp) records() control {
	for in.nextMain() {
		c := in.guardRecord()
		switch c {
		case ctlNone, ctlNext:
		case ctlNextFile:
			in.skipFile()
		default:
			return c
		}
	}
	return ctlNone
}

// guardRecord runs rules until they are through, without the cost of a guard for each record.
func (in *interp) guardRecord() (c control) {
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		l, ok := e.(leave)
		if !ok {
			panic(e)
		}
		in.frame, in.depth, in.top, in.pushed = nil, 0, 0, in.pushed[:0]
		c = l.c
	}()
	for {
		if c := in.rules(); c != ctlNone && c != ctlNext {
			return c
		}
		if !in.nextMain() {
			return ctlNone
		}
	}
}

func (in *interp) rules() control {
	for i := range in.code.rules {
		r := &in.code.rules[i]
		if !r.applies(in) {
			continue
		}
		if r.action == nil {
			in.printRecord()
			continue
		}
		if c := r.action(in); c != ctlNone {
			return c
		}
	}
	return ctlNone
}

func (in *interp) printRecord() {
	w := in.p.Out()
	_, _ = w.WriteString(in.recordText())
	_, err := w.WriteString(in.ors)
	in.checkWrite(err, "standard output")
}

func (in *interp) checkWrite(err error, name string) {
	if err != nil {
		in.fatal("print to \"%s\" failed (%s)", name, sys.Strerror(err))
	}
}

// nextMain reads the next record of the main input into $0.
func (in *interp) nextMain() bool {
	rec, ok := in.readMain()
	if ok {
		in.setRecord(rec)
	}
	return ok
}

// readMain returns the next record of the main input, going through the operands.
func (in *interp) readMain() (string, bool) {
	for {
		if in.main == nil && !in.openNext() {
			return "", false
		}
		rec, term, ok := in.main.read(in)
		if ok {
			in.vars[slotRT] = text(term)
			in.nr++
			in.fnr++
			return rec, true
		}
		if err := in.main.err; err != nil && err != io.EOF {
			in.warn("error reading input file `%s': %s", in.vars[slotFILENAME].s, sys.Strerror(err))
			in.status = statusFatal
		}
		in.endFile()
	}
}

func (in *interp) endFile() {
	in.closeMain()
	for _, b := range in.code.endFile {
		in.special(b)
	}
}

// special runs BEGINFILE or ENDFILE; what would leave it goes to the main loop.
func (in *interp) special(b stmt) {
	if c := b(in); c != ctlNone {
		panic(leave{c})
	}
}

func (in *interp) skipFile() {
	if in.main != nil {
		in.endFile()
	}
}

func (in *interp) closeMain() {
	if in.mainFile != nil {
		_ = in.mainFile.Close()
	}
	in.main, in.mainFile = nil, nil
}

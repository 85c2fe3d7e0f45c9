package shell

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/shell/syntax"
)

// reading is the options of read.
type reading struct {
	raw     bool
	array   string
	delim   byte
	limit   int // characters, -1 for none
	exact   bool
	fd      int
	timeout time.Duration
	timed   bool
	prompt  string
}

const readUsage = "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]"

// builtinRead is read.
func builtinRead(sh *Shell, args []string) int {
	opts, names, ok := sh.options(args, "ersa:d:i:n:N:p:t:u:", readUsage)
	if !ok {
		return 2
	}
	r := reading{delim: '\n', limit: -1}
	for _, o := range opts {
		if !r.option(sh, o) {
			return 1
		}
	}
	for _, n := range names {
		base, _, _ := strings.Cut(n, "[")
		if !syntax.IsName(base) {
			sh.errorf("read: `%s': not a valid identifier", n)
			return 1
		}
	}
	f := sh.fd(r.fd)
	if f == nil {
		sh.errorf("read: %d: invalid file descriptor: Bad file descriptor", r.fd)
		return 1
	}
	if r.timed && r.timeout == 0 {
		return r.poll(f)
	}
	line, status := r.line(sh, f)
	if sh.ctl != ctlNone {
		return sh.status
	}
	if status == statusTooLarge {
		sh.errorf("read: line exceeds %d bytes", maxValue)
		return status
	}
	if err := r.store(sh, line, names); err != nil {
		return 1
	}
	return status
}

func (r *reading) option(sh *Shell, o opt) bool {
	var err error
	switch o.letter {
	case 'r':
		r.raw = true
	case 'a':
		r.array = o.arg
	case 'd':
		r.delim = 0
		if o.arg != "" {
			r.delim = o.arg[0]
		}
	case 'n', 'N':
		r.limit, err = strconv.Atoi(o.arg)
		if err != nil || r.limit < 0 {
			sh.errorf("read: %s: invalid number", o.arg)
			return false
		}
		r.exact = o.letter == 'N'
	case 'p':
		r.prompt = o.arg
	case 't':
		s, err := strconv.ParseFloat(o.arg, 64)
		if err != nil || s < 0 {
			sh.errorf("read: %s: invalid timeout specification", o.arg)
			return false
		}
		r.timed, r.timeout = true, time.Duration(s*float64(time.Second))
	case 'u':
		r.fd, err = strconv.Atoi(o.arg)
		if err != nil || r.fd < 0 {
			sh.errorf("read: %s: invalid file descriptor specification", o.arg)
			return false
		}
	}
	return true
}

// poll is read -t 0: whether input is there.
func (r *reading) poll(f *file) int {
	if p, ok := f.stream.(*pipe.Reader); ok {
		if _, ready := p.Buffered(); !ready {
			return 1
		}
	}
	return 0
}

// quotedMark precedes a character that a backslash has quoted, so that it does not separate.
const quotedMark = mark

// line reads one line. Quoted characters are marked.
func (r *reading) line(sh *Shell, f *file) (line []byte, status int) {
	if r.timed {
		ctx, cancel := withCancel(sh.ctx)
		timer := time.AfterFunc(r.timeout, func() { cancel(errTimeout) })
		old := sh.ctx
		sh.ctx = ctx
		defer func() {
			sh.ctx = old
			timer.Stop()
			cancel(nil)
		}()
	}
	if r.limit >= 0 {
		return r.chars(sh, f)
	}
	var raw []byte
	for {
		var err error
		start := len(raw)
		raw, err = sh.readValue(raw, f, r.delim)
		if err != nil {
			return r.ended(sh, raw, err)
		}
		if r.raw {
			return markRaw(raw[:len(raw)-1]), 0
		}
		if n := len(raw) - 1; n >= start && oddBackslashes(raw[:n]) {
			if r.delim == '\n' {
				raw = raw[:n-1] // the line continues
			}
			continue
		}
		return unbackslash(raw[:len(raw)-1]), 0
	}
}

var errTimeout = errors.New("shell: read: timeout")

// ended is what happens at the end of the input or after the timeout.
func (r *reading) ended(sh *Shell, raw []byte, err error) ([]byte, int) {
	const timeoutStatus = command.StatusSignalBase + 14
	if errors.Is(err, errValueTooLarge) {
		return nil, statusTooLarge
	}
	if !r.raw {
		raw = unbackslash(raw)
	} else {
		raw = markRaw(raw)
	}
	if errors.Is(err, errTimeout) {
		return raw, timeoutStatus
	}
	if !errors.Is(err, io.EOF) && sh.ctx.Err() == nil {
		sh.errorf("read: read error: %d: %s", r.fd, strerror(err))
	}
	return raw, 1
}

func markRaw(b []byte) []byte {
	if bytes.IndexByte(b, quotedMark) < 0 && bytes.IndexByte(b, 0) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+8)
	for _, c := range b {
		if c == 0 {
			continue
		}
		if c == quotedMark {
			out = append(out, quotedMark)
		}
		out = append(out, c)
	}
	return out
}

func oddBackslashes(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// unbackslash marks the characters that backslashes quote.
func unbackslash(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return markRaw(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == 0:
			continue
		case b[i] == '\\':
			i++
			if i >= len(b) {
				return out
			}
			if b[i] == '\n' {
				continue
			}
			out = append(out, quotedMark)
		case b[i] == quotedMark:
			out = append(out, quotedMark)
		}
		out = append(out, b[i])
	}
	return out
}

// chars is read -n and -N.
func (r *reading) chars(sh *Shell, f *file) (line []byte, status int) {
	delim := r.delim
	var raw []byte
	for n := 0; n < r.limit; n++ {
		before := len(raw)
		if before > maxValue {
			return r.ended(sh, nil, errValueTooLarge)
		}
		var err error
		if raw, err = sh.readThrough(raw, f, 0, 1); err != nil {
			if len(raw) == before {
				return r.ended(sh, raw, err)
			}
		}
		for !utf8.FullRune(raw[before:]) && len(raw)-before < utf8.UTFMax {
			if raw, err = sh.readThrough(raw, f, 0, 1); err != nil {
				break
			}
		}
		if !r.exact && len(raw) == before+1 && raw[before] == delim {
			raw = raw[:before]
			break
		}
		if !r.raw && raw[before] == '\\' && !oddBackslashes(raw[:before]) {
			n--
		}
	}
	if r.raw {
		return markRaw(raw), 0
	}
	return unbackslash(raw), 0
}

// store assigns the fields of a line to the names.
func (r *reading) store(sh *Shell, line []byte, names []string) error {
	if r.array != "" {
		return sh.setArray(r.array, sh.readFields(line, -1))
	}
	if len(names) == 0 {
		return sh.set("REPLY", unmark(line))
	}
	if r.exact {
		for i, n := range names {
			value := ""
			if i == 0 {
				value = unmark(line)
			}
			if err := sh.setName(n, value); err != nil {
				return err
			}
		}
		return nil
	}
	fields := sh.readFields(line, len(names))
	for i, n := range names {
		value := ""
		if i < len(fields) {
			value = fields[i]
		}
		if err := sh.setName(n, value); err != nil {
			return err
		}
	}
	return nil
}

// setName assigns to a name or an element of an array.
func (sh *Shell) setName(name, value string) error {
	base, sub, indexed := strings.Cut(name, "[")
	if indexed {
		return sh.assignElement(base, syntax.NewSubscript(strings.TrimSuffix(sub, "]"), sh.line), value, false)
	}
	return sh.set(name, value)
}

// readFields splits a marked line at IFS into at most most fields, the last of which takes the rest; most < 0 is no limit.
func (sh *Shell) readFields(line []byte, most int) []string {
	if !sh.ifsValid {
		sh.loadIFS()
	}
	class := func(i int) ifsClass {
		if line[i] == quotedMark {
			return ifsNone
		}
		return sh.ifs[line[i]]
	}
	next := func(i int) int {
		if line[i] == quotedMark && i+1 < len(line) {
			return i + 2
		}
		return i + 1
	}
	i := 0
	skipBlank := func() {
		for i < len(line) && class(i) == ifsBlank {
			i++
		}
	}
	var fields []string
	skipBlank()
	for i < len(line) {
		if most > 0 && len(fields) == most-1 {
			return append(fields, sh.lastField(line, i))
		}
		start := i
		for i < len(line) && class(i) == ifsNone {
			i = next(i)
		}
		fields = append(fields, unmark(line[start:i]))
		skipBlank()
		if i < len(line) && class(i) == ifsSolid {
			i++
			skipBlank()
		}
	}
	return fields
}

// lastField is the rest of a line without trailing blanks of IFS; one separator at its end vanishes when it is the only
// one.
func (sh *Shell) lastField(line []byte, from int) string {
	end := len(line)
	trim := func() {
		for end > from && sh.ifs[line[end-1]] == ifsBlank && !(end-1 > from && line[end-2] == quotedMark) {
			end--
		}
	}
	trim()
	if end > from && sh.ifs[line[end-1]] == ifsSolid && !(end-1 > from && line[end-2] == quotedMark) {
		only := true
		for i := from; i < end-1; i++ {
			if line[i] == quotedMark {
				i++
				continue
			}
			if sh.ifs[line[i]] == ifsSolid {
				only = false
			}
			if sh.ifs[line[i]] == ifsBlank && hasField(sh, line[i:end-1]) {
				only = false
			}
		}
		if only {
			end--
			trim()
		}
	}
	return unmark(line[from:end])
}

func hasField(sh *Shell, b []byte) bool {
	for _, c := range b {
		if sh.ifs[c] == ifsNone {
			return true
		}
	}
	return false
}

const mapfileUsage = "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"

// builtinMapfile is mapfile.
func builtinMapfile(sh *Shell, args []string) int {
	opts, names, ok := sh.options(args, "d:n:O:s:tu:C:c:", mapfileUsage)
	if !ok {
		return 2
	}
	m := mapping{delim: '\n', name: "MAPFILE", quantum: 5000}
	for _, o := range opts {
		if !m.option(sh, args[0], o) {
			return 1
		}
	}
	if len(names) > 0 {
		m.name = names[0]
	}
	if !syntax.IsName(m.name) {
		sh.errorf("%s: `%s': not a valid identifier", args[0], m.name)
		return 1
	}
	f := sh.fd(m.fd)
	if f == nil {
		sh.errorf("%s: %d: invalid file descriptor: Bad file descriptor", args[0], m.fd)
		return 1
	}
	return m.run(sh, f)
}

// mapping is the options of mapfile.
type mapping struct {
	delim    byte
	count    int
	origin   int
	hasOrig  bool
	skip     int
	trim     bool
	fd       int
	callback string
	quantum  int
	name     string
}

func (m *mapping) option(sh *Shell, name string, o opt) bool {
	n := 0
	if strings.IndexByte("nOsuc", o.letter) >= 0 {
		var err error
		if n, err = strconv.Atoi(o.arg); err != nil || n < 0 {
			sh.errorf("%s: %s: invalid number", name, o.arg)
			return false
		}
	}
	switch o.letter {
	case 'd':
		m.delim = 0
		if o.arg != "" {
			m.delim = o.arg[0]
		}
	case 'n':
		m.count = n
	case 'O':
		m.origin, m.hasOrig = n, true
	case 's':
		m.skip = n
	case 't':
		m.trim = true
	case 'u':
		m.fd = n
	case 'C':
		m.callback = o.arg
	case 'c':
		m.quantum = max(n, 1)
	}
	return true
}

func (m *mapping) run(sh *Shell, f *file) int {
	v, real, _ := sh.target(m.name)
	if err := sh.assignable(v, real); err != nil {
		return 1
	}
	if !m.hasOrig || v.arr == nil {
		if err := sh.setArray(m.name, nil); err != nil {
			return 1
		}
	}
	v, _, _ = sh.target(m.name)
	v.own()
	total := 0
	for n := 0; m.count == 0 || n < m.count; {
		line, err := sh.readValue(nil, f, m.delim)
		if total += len(line); errors.Is(err, errValueTooLarge) || total > maxValue {
			sh.errorf("mapfile: input exceeds %d bytes", maxValue)
			return statusTooLarge
		}
		if len(line) == 0 && err != nil {
			break
		}
		if m.skip > 0 {
			m.skip--
			total -= len(line)
			continue
		}
		if m.trim && line[len(line)-1] == m.delim {
			line = line[:len(line)-1]
		}
		at := m.origin + n
		n++
		if m.callback != "" && n%m.quantum == 0 {
			sh.runSource(source{text: m.callback + " " + itoa(at) + " " + quote(string(line)), line: sh.line})
		}
		v.arr.set(int64(at), strings.ReplaceAll(string(line), "\x00", ""))
		if !sh.step() {
			return sh.status
		}
	}
	return 0
}

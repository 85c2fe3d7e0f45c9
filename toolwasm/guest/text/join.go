package text

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/text/lines"
)

const joinHelp = `Usage: join [OPTION]... FILE1 FILE2
For each pair of lines of two sorted files that have the same join field, write that field and the other fields of both.
A FILE of - is standard input.

  -a FILENUM             write the lines of file FILENUM (1 or 2) that have no partner too
      --check-order      fail when an input is not sorted
  -e STRING              put STRING in place of missing fields
      --header           the first lines are headers: write them joined
  -i, --ignore-case      capitals and small letters are the same
  -j FIELD               the same as -1 FIELD -2 FIELD
      --nocheck-order    do not look whether the inputs are sorted
  -o FORMAT              write these fields: FILENUM.FIELD or 0 (the join field), with commas or blanks; or auto
  -t CHAR                fields are parted by CHAR, not by blanks
  -v FILENUM             like -a, without the joined lines
  -1 FIELD, -2 FIELD     the join field of file 1, of file 2
  -z, --zero-terminated  lines end with NUL
`

// outField is a field to be written: of file 0 or 1, or the join field (file -1).
type outField struct{ file, field int }

type joiner struct {
	p          *command.Proc
	names      []string
	out        *bufio.Writer
	key        [2]int // from 0; -1 until given
	unpaired   [2]bool
	pairs      bool
	empty      []byte
	format     []outField
	auto       bool
	autoFields [2]int
	tab        int
	fold       bool
	header     bool
	eol        byte
	check      orderCheck
	warned     [2]bool
	anyUnpair  bool
}

func joinCommand(p *command.Proc) int {
	j := joiner{p: p, out: p.Out(), key: [2]int{-1, -1}, pairs: true, tab: -1, eol: '\n'}
	p.Args = joinFormatWords(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "a:e:ij:o:t:v:1:2:z",
		Long: []getopt.Long{
			{Name: "check-order"},
			{Name: "nocheck-order"},
			{Name: "header"},
			{Name: "ignore-case", Short: 'i'},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	for _, o := range opts {
		j.set(o)
	}
	if status := twoOperands(p, operands); status != 0 {
		return status
	}
	for i := range j.key {
		j.key[i] = max(j.key[i], 0)
	}
	if operands[0] == "-" && operands[1] == "-" {
		p.Errorf("both files cannot be standard input")
		return 1
	}
	j.names = operands
	return j.run(operands)
}

// joinFormatWords puts the words of an old form, -o 1.1 2.2 FILE FILE, together.
func joinFormatWords(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		out = append(out, args[i])
		if args[i] != "-o" || i+1 >= len(args) {
			continue
		}
		i++
		out = append(out, args[i])
		for i+1 < len(args)-2 && isJoinField(args[i+1]) {
			i++
			out[len(out)-1] += "," + args[i]
		}
	}
	return out
}

func isJoinField(s string) bool {
	if s == "0" {
		return true
	}
	return len(s) > 2 && (s[0] == '1' || s[0] == '2') && s[1] == '.' && trimDigits(s[2:]) == ""
}

func (j *joiner) die(format string, args ...any) {
	j.p.Errorf(format, args...)
	j.p.Exit(1)
}

func (j *joiner) set(o getopt.Option) {
	switch o.Name {
	case "a", "v":
		j.pairs = j.pairs && o.Name == "a"
		if o.Arg != "1" && o.Arg != "2" {
			j.die("invalid field number: %s", quote.Locale(o.Arg))
		}
		j.unpaired[o.Arg[0]-'1'] = true
	case "e":
		if j.empty != nil && string(j.empty) != o.Arg {
			j.die("conflicting empty-field replacement strings")
		}
		j.empty = []byte(o.Arg)
	case "i":
		j.fold = true
	case "1", "2":
		j.setKey(int(o.Name[0]-'1'), j.field(o.Arg))
	case "j":
		n := j.field(o.Arg)
		j.setKey(0, n)
		j.setKey(1, n)
	case "o":
		j.setFormat(o.Arg)
	case "t":
		j.setTab(o.Arg)
	case "z":
		j.eol = 0
	case "header":
		j.header = true
	case "check-order":
		j.check = checkAlways
	case "nocheck-order":
		j.check = checkNever
	}
}

func (j *joiner) setKey(file, n int) {
	if j.key[file] >= 0 && j.key[file] != n {
		j.die("incompatible join fields %d, %d", j.key[file]+1, n+1)
	}
	j.key[file] = n
}

func (j *joiner) field(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil && trimDigits(s) == "" && s != "" {
		return lineEnd
	}
	if err != nil || n < 1 {
		j.die("invalid field number: %s", quote.Locale(s))
	}
	return n - 1
}

func (j *joiner) setTab(s string) {
	tab := 0
	switch {
	case s == "":
		tab = int(j.eol) // the whole line is the field
	case s == `\0`:
	case len(s) > 1:
		j.die("multi-character tab %s", quote.Locale(s))
	default:
		tab = int(s[0])
	}
	if j.tab >= 0 && j.tab != tab {
		j.die("incompatible tabs")
	}
	j.tab = tab
}

func (j *joiner) setFormat(s string) {
	if s == "auto" {
		j.auto = true
		return
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if w == "0" {
			j.format = append(j.format, outField{file: -1})
			continue
		}
		if w[0] != '1' && w[0] != '2' {
			j.die("invalid file number in field spec: %s", quote.Locale(w))
		}
		if len(w) < 2 || w[1] != '.' {
			j.die("invalid field specifier: %s", quote.Locale(w))
		}
		j.format = append(j.format, outField{file: int(w[0] - '1'), field: j.field(w[2:])})
	}
}

// joinLine is a line cut into fields.
type joinLine struct {
	text   []byte
	fields [][]byte
}

// joinInput reads one file. It owns its lines, because groups of them are kept.
type joinInput struct {
	r    *lines.Reader
	file int
	cur  *joinLine
	prev []byte // join field of the line before
	n    int
}

func (j *joiner) next(in *joinInput) {
	line, ok := in.r.Next()
	if !ok {
		in.cur = nil
		return
	}
	in.n++
	if in.cur != nil {
		in.prev = append(in.prev[:0], j.keyOf(in.cur, in.file)...)
	}
	l := &joinLine{text: bytes.Clone(line)}
	l.fields = j.split(l.text)
	first := in.cur == nil
	in.cur = l
	if !first {
		j.inOrder(in)
	}
}

func (j *joiner) inOrder(in *joinInput) {
	if j.check == checkNever || j.warned[in.file] || j.check == checkDefault && !j.anyUnpair {
		return
	}
	if j.header && in.n == 2 {
		return
	}
	if j.compare(in.prev, j.keyOf(in.cur, in.file)) <= 0 {
		return
	}
	j.warned[in.file] = true
	j.p.Errorf("%s:%d: is not sorted: %s", j.names[in.file], in.n, in.cur.text)
	if j.check == checkAlways {
		j.p.Exit(1)
	}
}

func (j *joiner) split(line []byte) [][]byte {
	fields := make([][]byte, 0, 4)
	if j.tab >= 0 {
		if byte(j.tab) == j.eol {
			return append(fields, line)
		}
		for {
			i := bytes.IndexByte(line, byte(j.tab))
			if i < 0 {
				return append(fields, line)
			}
			fields = append(fields, line[:i])
			line = line[i+1:]
		}
	}
	at := skipBlanks(line, 0)
	if at == len(line) {
		return fields
	}
	for {
		start := at
		for at < len(line) && !isBlank(line[at]) && line[at] != '\n' {
			at++
		}
		fields = append(fields, line[start:at])
		if at == len(line) {
			return fields
		}
		if at = skipBlanks(line, at); at == len(line) {
			return append(fields, nil) // blanks at the end of a line begin another field
		}
	}
}

func (j *joiner) keyOf(l *joinLine, file int) []byte {
	if k := j.key[file]; k < len(l.fields) {
		return l.fields[k]
	}
	return nil
}

func (j *joiner) compare(a, b []byte) int {
	if !j.fold {
		return bytes.Compare(a, b)
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if d := int(lowerByte(a[i])) - int(lowerByte(b[i])); d != 0 {
			return d
		}
	}
	return len(a) - len(b)
}

func (j *joiner) run(names []string) int {
	var in [2]joinInput
	for i, name := range names {
		f, err := j.p.OpenArg(name)
		if err != nil {
			return fail(j.p, name, err)
		}
		defer f.Close()
		in[i] = joinInput{r: lines.New(j.p, f, j.eol), file: i}
		j.next(&in[i])
	}
	if j.auto {
		for i := range in {
			if in[i].cur != nil {
				j.autoFields[i] = len(in[i].cur.fields)
			}
		}
	}
	if j.header {
		j.joinHeaders(&in)
	}
	j.merge(&in)
	for i, name := range names {
		if err := in[i].r.Err(); err != nil {
			return fail(j.p, name, err)
		}
	}
	if j.warned[0] || j.warned[1] {
		if j.check == checkDefault {
			j.p.Errorf("input is not in sorted order")
		}
		return 1
	}
	return 0
}

func (j *joiner) joinHeaders(in *[2]joinInput) {
	if in[0].cur != nil || in[1].cur != nil {
		j.write(in[0].cur, in[1].cur)
	}
	for i := range in {
		if in[i].cur != nil {
			j.next(&in[i])
		}
	}
}

// merge walks through both inputs, joining groups of lines with equal fields.
func (j *joiner) merge(in *[2]joinInput) {
	a, b := &in[0], &in[1]
	for a.cur != nil && b.cur != nil {
		switch d := j.compare(j.keyOf(a.cur, 0), j.keyOf(b.cur, 1)); {
		case d < 0:
			j.alone(a)
		case d > 0:
			j.alone(b)
		default:
			ga, gb := j.group(a), j.group(b)
			if !j.pairs {
				continue
			}
			for _, la := range ga {
				for _, lb := range gb {
					j.write(la, lb)
				}
			}
		}
	}
	for a.cur != nil {
		j.alone(a)
	}
	for b.cur != nil {
		j.alone(b)
	}
}

func (j *joiner) alone(in *joinInput) {
	if j.unpaired[in.file] {
		if in.file == 0 {
			j.write(in.cur, nil)
		} else {
			j.write(nil, in.cur)
		}
	}
	j.next(in)
	j.anyUnpair = true
}

// group takes the lines that have the same join field as the current one.
func (j *joiner) group(in *joinInput) []*joinLine {
	first := in.cur
	g := []*joinLine{first}
	for {
		j.next(in)
		if in.cur == nil || j.compare(j.keyOf(first, in.file), j.keyOf(in.cur, in.file)) != 0 {
			return g
		}
		g = append(g, in.cur)
	}
}

// write writes the line made of a and b; one of them may be missing.
func (j *joiner) write(a, b *joinLine) {
	sep := byte(' ')
	if j.tab >= 0 {
		sep = byte(j.tab)
	}
	pair := [2]*joinLine{a, b}
	n := 0
	put := func(f []byte) {
		if n > 0 {
			_ = j.out.WriteByte(sep)
		}
		n++
		if len(f) == 0 {
			f = j.empty
		}
		_, _ = j.out.Write(f)
	}
	switch {
	case j.auto:
		put(j.joinField(pair))
		for i, l := range pair {
			for k := range j.autoFields[i] {
				if k != j.key[i] {
					put(fieldOf(l, k))
				}
			}
		}
	case len(j.format) > 0:
		for _, f := range j.format {
			if f.file < 0 {
				put(j.joinField(pair))
			} else {
				put(fieldOf(pair[f.file], f.field))
			}
		}
	default:
		put(j.joinField(pair))
		for i, l := range pair {
			if l == nil {
				continue
			}
			for k, f := range l.fields {
				if k != j.key[i] {
					put(f)
				}
			}
		}
	}
	_ = j.out.WriteByte(j.eol)
}

func fieldOf(l *joinLine, k int) []byte {
	if l == nil || k >= len(l.fields) {
		return nil
	}
	return l.fields[k]
}

func (j *joiner) joinField(pair [2]*joinLine) []byte {
	for i, l := range pair {
		if l != nil {
			return j.keyOf(l, i)
		}
	}
	return nil
}

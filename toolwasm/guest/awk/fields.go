package awk

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFields bounds NF and field numbers.
const maxFields = 10_000_000

// span is where a field lies in the record.
type span struct{ start, end int32 }

// splitter says how a text is cut into fields.
type splitter struct {
	mode   splitMode
	sep    byte
	re     *regexp
	widths []width
}

type splitMode uint8

const (
	splitBlanks splitMode = iota
	splitByte
	splitByteOrNewline // a single character when RS is ""
	splitChars
	splitRegexp
	splitPattern // FPAT
	splitWidths  // FIELDWIDTHS
)

// width is an element of FIELDWIDTHS: so many characters are skipped, then so many make a field.
type width struct{ skip, take int }

// restOfRecord is the width that "*" stands for.
const restOfRecord = 1 << 30

// record is the current record and its fields. Fields are found when they are asked for, and only as many as needed.
type record struct {
	text  string
	stale bool // text must be rebuilt from the fields

	spans []span // fields as found in text
	nf    int    // number of fields found so far
	full  bool   // all have been found
	pos   int    // where the search goes on

	vals  []value // the fields, once one has been assigned to
	owned bool    // vals counts, not spans
}

func (in *interp) setRecord(s string) {
	r := &in.rec
	r.text, r.stale = s, false
	r.nf, r.full, r.pos, r.owned = 0, false, 0, false
}

// recordText is $0.
func (in *interp) recordText() string {
	if in.rec.stale {
		in.rebuild()
	}
	return in.rec.text
}

// recordValue is $0 with its kind.
func (in *interp) recordValue() value { return input(in.recordText()) }

func (in *interp) rebuild() {
	r := &in.rec
	const slack = 32
	b := make([]byte, 0, len(r.text)+slack)
	for i := range r.vals[:r.nf] {
		if i > 0 {
			b = append(b, in.ofs...)
		}
		v := &r.vals[i]
		if v.k == kNum {
			b = in.appendNumber(b, v.n, in.convfmt)
			continue
		}
		b = append(b, v.s...)
	}
	r.text, r.stale = stringOf(b), false
}

// need finds fields until there are n or the record ends.
func (in *interp) need(n int) {
	r := &in.rec
	if r.full || r.nf >= n {
		return
	}
	if in.split.mode == splitBlanks {
		in.needBlanks(n)
		return
	}
	r.spans = in.cut(r.spans[:0], r.text, &in.split, nil)
	r.nf, r.full = len(r.spans), true
}

// needBlanks is the usual case: fields between blanks.
func (in *interp) needBlanks(n int) {
	r := &in.rec
	s, i := r.text, r.pos
	spans := r.spans[:r.nf]
	for len(spans) < n {
		for i < len(s) && isBlank(s[i]) {
			i++
		}
		if i == len(s) {
			r.full = true
			break
		}
		start := i
		for i < len(s) && !isBlank(s[i]) {
			i++
		}
		spans = append(spans, span{int32(start), int32(i)})
	}
	r.spans, r.nf, r.pos = spans, len(spans), i
}

// isBlank reports whether c separates fields by default.
func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n') }

const allFields = maxFields + 1

func (in *interp) numFields() int {
	if !in.rec.full && !in.rec.owned {
		in.need(allFields)
	}
	return in.rec.nf
}

// fieldText is the text of $i.
func (in *interp) fieldText(i int) string {
	if i == 0 {
		return in.recordText()
	}
	r := &in.rec
	if r.owned {
		if i > r.nf {
			return ""
		}
		return in.str(&r.vals[i-1])
	}
	if i > r.nf {
		in.need(i)
		if i > r.nf {
			return ""
		}
	}
	sp := r.spans[i-1]
	return r.text[sp.start:sp.end]
}

// field is $i with its kind. One that is not there is an empty string, which is compared as such.
func (in *interp) field(i int) value {
	if i == 0 {
		return in.recordValue()
	}
	r := &in.rec
	if r.owned {
		if i > r.nf {
			return text("")
		}
		return r.vals[i-1]
	}
	if i > r.nf {
		in.need(i)
		if i > r.nf {
			return text("")
		}
	}
	sp := r.spans[i-1]
	return input(r.text[sp.start:sp.end])
}

// hasField reports whether there is a field i.
func (in *interp) hasField(i int) bool {
	in.need(i)
	return i <= in.rec.nf
}

// fieldNum is the numeric value of $i.
func (in *interp) fieldNum(i int) float64 {
	if in.rec.owned {
		v := in.field(i)
		return v.num()
	}
	return toNumber(in.fieldText(i))
}

// own makes the fields values of their own, so that they can be assigned to.
func (in *interp) own() {
	r := &in.rec
	if r.owned {
		return
	}
	in.need(allFields)
	vals := r.vals[:0]
	for _, sp := range r.spans[:r.nf] {
		vals = append(vals, input(r.text[sp.start:sp.end]))
	}
	r.vals, r.owned, r.full = vals, true, true
}

// setField assigns to $i.
func (in *interp) setField(i int, v value) {
	if i == 0 {
		s := in.str(&v)
		in.setRecord(s)
		return
	}
	in.own()
	r := &in.rec
	if i > r.nf {
		in.resize(i)
	}
	switch v.k {
	case kUninit, kUntyped:
		v = text("")
	case kRegex:
		v = text(v.s)
	}
	r.vals[i-1] = v
	r.stale = true
}

// setNF changes the number of fields.
func (in *interp) setNF(n float64) {
	if n < 0 {
		in.fatal("NF set to negative value")
	}
	if n > maxFields {
		in.fatal("NF set to a value that is too large: %.0f", n)
	}
	in.own()
	in.resize(int(n))
	in.rec.stale = true
}

func (in *interp) resize(n int) {
	r := &in.rec
	for len(r.vals) < n {
		r.vals = append(r.vals, value{})
	}
	for i := r.nf; i < n; i++ {
		r.vals[i] = text("")
	}
	r.vals, r.nf = r.vals[:n], n
}

// fieldIndex checks a field number.
func (in *interp) fieldIndex(n float64) int {
	if n < 0 {
		in.fatal("attempt to access field %d", int64(n))
	}
	if n > maxFields {
		in.fatal("attempt to access field %.0f: too large", n)
	}
	return int(n)
}

// fieldSplitter makes the splitter that a value of FS or the third argument of split stands for.
func (in *interp) fieldSplitter(fs string) splitter {
	paragraph := in.rs == ""
	switch {
	case fs == " ":
		return splitter{mode: splitBlanks}
	case fs == "":
		return splitter{mode: splitChars}
	case len(fs) == 1 && fs != "\\":
		if paragraph && fs != "\n" {
			return splitter{mode: splitByteOrNewline, sep: fs[0]}
		}
		return splitter{mode: splitByte, sep: fs[0]}
	case fs == "\\":
		return splitter{mode: splitByte, sep: '\\'}
	}
	if paragraph {
		fs = "(" + fs + ")|\n"
	}
	return splitter{mode: splitRegexp, re: in.compileRegexp(fs)}
}

// useFS makes FS, FPAT or FIELDWIDTHS, whichever was assigned last, what cuts records. The current record is cut by the old one.
func (in *interp) useFS() {
	if !in.rec.owned {
		in.need(allFields)
	}
	switch in.splitBy {
	case slotFPAT:
		in.split = splitter{mode: splitPattern, re: in.compileRegexp(in.str(&in.vars[slotFPAT]))}
	case slotFIELDWIDTHS:
		in.split = splitter{mode: splitWidths, widths: in.parseWidths(in.str(&in.vars[slotFIELDWIDTHS]))}
	default:
		in.split = in.fieldSplitter(in.str(&in.vars[slotFS]))
	}
}

func (in *interp) parseWidths(s string) []width {
	var ws []width
	for w := range strings.FieldsSeq(s) {
		skip, take, ok := strings.Cut(w, ":")
		if !ok {
			skip, take = "0", w
		}
		n, err := strconv.Atoi(skip)
		if err != nil || n < 0 {
			in.fatal("invalid FIELDWIDTHS value, for field %d, near `%s'", len(ws)+1, w)
		}
		if take == "*" {
			ws = append(ws, width{n, restOfRecord})
			continue
		}
		m, err := strconv.Atoi(take)
		if err != nil || m < 0 {
			in.fatal("invalid FIELDWIDTHS value, for field %d, near `%s'", len(ws)+1, w)
		}
		ws = append(ws, width{n, m})
	}
	return ws
}

// cut appends the fields of s to spans. When seps is not nil it gets the separators: one before the first field (blanks
// only), one after each.
func (in *interp) cut(spans []span, s string, sp *splitter, seps *[]span) []span {
	if s == "" {
		return spans
	}
	switch sp.mode {
	case splitBlanks:
		return cutBlanks(spans, s, seps)
	case splitByte:
		return cutByte(spans, s, sp.sep, sp.sep, seps)
	case splitByteOrNewline:
		return cutByte(spans, s, sp.sep, '\n', seps)
	case splitChars:
		for i := 0; i < len(s); {
			_, n := utf8.DecodeRuneInString(s[i:])
			spans = append(spans, span{int32(i), int32(i + n)})
			i += n
		}
		return spans
	case splitRegexp:
		return in.cutRegexp(spans, s, sp.re, seps)
	case splitPattern:
		return in.cutPattern(spans, s, sp.re, seps)
	}
	return cutWidths(spans, s, sp.widths)
}

func cutBlanks(spans []span, s string, seps *[]span) []span {
	i := 0
	for {
		start := i
		for i < len(s) && isBlank(s[i]) {
			i++
		}
		if seps != nil {
			*seps = append(*seps, span{int32(start), int32(i)})
		}
		if i == len(s) {
			return spans
		}
		start = i
		for i < len(s) && !isBlank(s[i]) {
			i++
		}
		spans = append(spans, span{int32(start), int32(i)})
		if i == len(s) {
			return spans
		}
	}
}

func cutByte(spans []span, s string, sep, other byte, seps *[]span) []span {
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] != sep && s[i] != other {
			continue
		}
		spans = append(spans, span{int32(start), int32(i)})
		if seps != nil {
			*seps = append(*seps, span{int32(i), int32(i + 1)})
		}
		start = i + 1
	}
	return append(spans, span{int32(start), int32(len(s))})
}

// cutRegexp cuts at the matches that are not empty.
func (in *interp) cutRegexp(spans []span, s string, re *regexp, seps *[]span) []span {
	start := 0
	for from := 0; from < len(s); {
		in.loc = re.find(in.loc, s, from)
		if in.loc == nil {
			break
		}
		b, e := in.loc[0], in.loc[1]
		if b == e {
			from = nextChar(s, e)
			continue
		}
		spans = append(spans, span{int32(start), int32(b)})
		if seps != nil {
			*seps = append(*seps, span{int32(b), int32(e)})
		}
		start, from = e, e
	}
	return append(spans, span{int32(start), int32(len(s))})
}

// nextChar is the offset after the character at i.
func nextChar(s string, i int) int {
	if i >= len(s) {
		return i + 1
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}

// cutPattern makes the matches the fields. An empty match counts except right after a field.
func (in *interp) cutPattern(spans []span, s string, re *regexp, seps *[]span) []span {
	sepStart, from, nonEmpty := 0, 0, false
	for from <= len(s) {
		in.loc = re.find(in.loc, s, from)
		if in.loc == nil {
			break
		}
		b, e := in.loc[0], in.loc[1]
		if b == e && nonEmpty && b == sepStart {
			from = nextChar(s, e)
			nonEmpty = false
			continue
		}
		if seps != nil {
			*seps = append(*seps, span{int32(sepStart), int32(b)})
		}
		spans = append(spans, span{int32(b), int32(e)})
		sepStart, from, nonEmpty = e, e, e > b
		if b == e {
			from = nextChar(s, e)
		}
	}
	if seps != nil {
		*seps = append(*seps, span{int32(sepStart), int32(len(s))})
	}
	return spans
}

func cutWidths(spans []span, s string, ws []width) []span {
	i := 0
	for _, w := range ws {
		i += charsLen(s[i:], w.skip)
		if i >= len(s) {
			break
		}
		n := charsLen(s[i:], w.take)
		spans = append(spans, span{int32(i), int32(i + n)})
		i += n
	}
	return spans
}

// charsLen is the number of bytes of the first n characters.
func charsLen(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return i
}

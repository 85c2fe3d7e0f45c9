package shell

import (
	"strings"

	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/shell/syntax"
)

// ifsClass says what a byte is to word splitting.
type ifsClass uint8

const (
	ifsNone  ifsClass = iota
	ifsBlank          // white space of IFS: runs of it separate, at the ends it vanishes
	ifsSolid          // another character of IFS: each separates
)

// loadIFS makes the table of IFS.
func (sh *Shell) loadIFS() {
	sh.ifsValid = true
	sh.ifs = [256]ifsClass{}
	s, set := sh.get("IFS")
	if !set {
		s = " \t\n"
	}
	sh.ifsFirst = ""
	if s != "" {
		sh.ifsFirst = s[:1]
		if s[0] >= 0xc0 {
			sh.ifsFirst = string([]rune(s)[:1])
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n':
			sh.ifs[s[i]] = ifsBlank
		default:
			sh.ifs[s[i]] = ifsSolid
		}
	}
}

// joiner is what separates the elements of "$*".
func (sh *Shell) joiner() string {
	if !sh.ifsValid {
		sh.loadIFS()
	}
	return sh.ifsFirst
}

// mode says what a word is expanded for.
type mode uint8

const (
	modeFields  mode = iota // arguments: split, then matched with file names
	modeStr                 // one string, quotes removed
	modePattern             // one pattern: quoted characters are escaped
	modeRegex               // one regular expression: quoted characters are escaped
)

// mark precedes, in a field that is being made, a quoted character that would otherwise be special.
const mark = '\x01'

// expander expands one word.
type expander struct {
	sh   *Shell
	mode mode
	out  []string
	cur  []byte
	open bool     // the field exists even if it is empty
	glob bool     // an unquoted pattern character is in cur
	mark bool     // a mark is in cur
	sep  ifsClass // what the latest separator was, when nothing has followed it
	// atEmpty tells that a "$@" without elements has been expanded in the double quotes that are being read.
	atEmpty bool
}

// fields expands a word to arguments, appending them to dst.
func (sh *Shell) fields(dst []string, w *syntax.Word) []string {
	if w.Plain {
		return append(dst, w.Lit)
	}
	if w.Brace && sh.opt.has(optBraceExpand) {
		if out, ok := sh.plainSequence(dst, w); ok {
			return out
		}
		if words, ok := sh.braces(w); ok {
			for _, b := range words {
				dst = sh.fieldsOf(dst, b)
			}
			return dst
		}
	}
	return sh.fieldsOf(dst, w)
}

func (sh *Shell) fieldsOf(dst []string, w *syntax.Word) []string {
	if w.Plain {
		return append(dst, w.Lit)
	}
	if len(w.Parts) == 1 {
		if s, ok := sh.simpleQuoted(w.Parts[0]); ok {
			return append(dst, s)
		}
	}
	x := expander{sh: sh, out: dst}
	for _, p := range w.Parts {
		x.part(p, false)
		if sh.ctl != ctlNone {
			return x.out
		}
	}
	x.finish()
	return x.out
}

// simpleQuoted expands "$name" and "text $name text" without the machinery of fields.
func (sh *Shell) simpleQuoted(p syntax.Part) (string, bool) {
	q, ok := p.(*syntax.DblQuoted)
	if !ok {
		return "", false
	}
	for _, p := range q.Parts {
		if x, ok := p.(*syntax.Param); ok && mayBeList(x) {
			return "", false
		}
	}
	return sh.joinParts(q.Parts), true
}

// mayBeList reports whether a parameter in double quotes may yield any number of fields.
func mayBeList(x *syntax.Param) bool {
	if x.Index != nil {
		return x.Index.At || x.Indirect
	}
	return x.Name == "@" || x.Indirect || x.Op == syntax.OpNames || x.Op == syntax.OpKeys || x.Arg != nil && !x.Arg.Plain || x.Repl != nil && !x.Repl.Plain
}

// joinParts expands the inside of double quotes to one string.
func (sh *Shell) joinParts(parts []syntax.Part) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return sh.partStr(parts[0])
	}
	const usual = 8
	var few [usual]string
	list, total := few[:0], 0
	for _, p := range parts {
		s := sh.partStr(p)
		list = append(list, s)
		total += len(s)
	}
	if total > maxValue {
		_ = sh.tooLarge("word")
		return ""
	}
	return strings.Join(list, "")
}

// takeBuf and giveBuf lend a scratch buffer: expansions nest, so it is taken away while it is used.
func (sh *Shell) takeBuf() []byte {
	b := sh.scratch
	sh.scratch = nil
	return b[:0]
}

func (sh *Shell) giveBuf(b []byte) {
	const keep = 64 << 10
	if cap(b) <= keep {
		sh.scratch = b
	}
}

// str expands a word to one string: no splitting, no file names.
func (sh *Shell) str(w *syntax.Word) string {
	if w.Plain {
		return w.Lit
	}
	if len(w.Parts) == 1 {
		return sh.wordPartStr(w.Parts[0])
	}
	x := expander{sh: sh, mode: modeStr, cur: sh.takeBuf()}
	for _, p := range w.Parts {
		x.part(p, false)
	}
	s := string(x.cur)
	sh.giveBuf(x.cur)
	return s
}

// wordPartStr expands the only part of a word to a string.
func (sh *Shell) wordPartStr(p syntax.Part) string {
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Text
	case *syntax.DblQuoted:
		if s, ok := sh.simpleQuoted(p); ok {
			return s
		}
	case *syntax.Param:
		if p.Op == syntax.OpNone && !p.Special && p.Index == nil && !p.Indirect {
			return sh.partStr(p)
		}
	}
	x := expander{sh: sh, mode: modeStr}
	x.part(p, false)
	return string(x.cur)
}

// assignValue expands the value of an assignment.
func (sh *Shell) assignValue(w *syntax.Word) string { return sh.str(w) }

// quotedStr expands the text of a here-document or an arithmetic expression.
func (sh *Shell) quotedStr(w *syntax.Word) string {
	if w.Plain {
		return w.Lit
	}
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.DblQuoted); ok {
			return sh.joinParts(q.Parts)
		}
	}
	return sh.str(w)
}

// partStr expands a part that stands in double quotes to a string.
func (sh *Shell) partStr(p syntax.Part) string {
	switch p := p.(type) {
	case *syntax.Quoted:
		return p.Text
	case *syntax.Param:
		if p.Op == syntax.OpNone && !p.Special && p.Index == nil && !p.Indirect {
			s, set := sh.get(p.Name)
			if !set && sh.opt.has(optNounset) {
				sh.unbound(p.Name)
			}
			return s
		}
	case *syntax.CmdSubst:
		return sh.substitute(p)
	}
	x := expander{sh: sh, mode: modeStr}
	x.part(p, true)
	return string(x.cur)
}

// patternText expands a word to a pattern.
func (sh *Shell) patternText(w *syntax.Word) string {
	x := expander{sh: sh, mode: modePattern, cur: sh.takeBuf()}
	for _, p := range w.Parts {
		x.part(p, false)
	}
	s := string(x.cur)
	sh.giveBuf(x.cur)
	return s
}

// pattern expands and compiles a pattern; one without expansions is compiled once per word.
func (sh *Shell) pattern(w *syntax.Word, flags glob.Flags) *glob.Pattern {
	static := isStatic(w)
	if static {
		if c, ok := w.Cache.Load().(*cachedPattern); ok && c.flags == flags {
			return c.pattern
		}
	}
	text := sh.patternText(w)
	p := sh.compile(text, flags)
	if static {
		w.Cache.Store(&cachedPattern{flags, p})
	}
	return p
}

type cachedPattern struct {
	flags   glob.Flags
	pattern *glob.Pattern
}

// isStatic reports whether a word always expands to the same text.
func isStatic(w *syntax.Word) bool {
	if w.Plain {
		return true
	}
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.Quoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, ok := q.(*syntax.Quoted); !ok {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// compile returns a compiled pattern from the shell's cache.
func (sh *Shell) compile(text string, flags glob.Flags) *glob.Pattern {
	key := text
	if flags != glob.Extglob {
		key = text + "\x00" + string(rune('a'+flags))
	}
	if p := sh.patterns[key]; p != nil {
		return p
	}
	p, err := glob.Compile(text, flags)
	if err != nil {
		p, _ = glob.Compile(glob.Quote(text), flags)
	}
	if sh.patterns == nil {
		sh.patterns = map[string]*glob.Pattern{}
	}
	if len(sh.patterns) >= cacheSize {
		clear(sh.patterns)
	}
	sh.patterns[key] = p
	return p
}

// part expands one part.
func (x *expander) part(p syntax.Part, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		x.literal(p.Text)
	case *syntax.Quoted:
		x.quoted(p.Text)
	case *syntax.DblQuoted:
		x.dblQuoted(p.Parts)
	case *syntax.Param:
		x.param(p, quoted)
	case *syntax.CmdSubst:
		x.value(x.sh.substitute(p), quoted)
	case *syntax.ArithSubst:
		x.value(x.sh.arithText(p.X), quoted)
	case *syntax.Tilde:
		x.quoted(x.sh.tilde(p.User))
	case *syntax.ProcSubst:
		x.quoted(x.sh.procSubst(p))
	}
}

func (x *expander) dblQuoted(parts []syntax.Part) {
	was := x.atEmpty
	x.atEmpty = false
	before := len(x.cur)
	for _, p := range parts {
		x.part(p, true)
	}
	if !x.atEmpty || len(x.cur) > before {
		x.open = true
		x.sep = ifsNone
	}
	x.atEmpty = was
}

// isSpecial reports whether a character means something in a pattern, so that its quoting must be remembered.
func isSpecial(c byte) bool {
	switch c {
	case '*', '?', '[', ']', '\\', '!', '-', '^', '+', '@', '(', ')', '|', mark, ':', '.', '=':
		return true
	}
	return false
}

// literal adds unquoted text of the script: it is not split.
func (x *expander) literal(s string) {
	x.sep = ifsNone
	switch x.mode {
	case modeStr, modePattern, modeRegex:
		x.cur = append(x.cur, s...)
		return
	}
	x.unquoted(s)
}

// unquoted adds text in which pattern characters are special.
func (x *expander) unquoted(s string) {
	if x.mode != modeFields {
		x.cur = append(x.cur, s...)
		return
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '[':
			x.glob = true
		case '(':
			if len(x.cur) > 0 && strings.IndexByte("+@!", x.cur[len(x.cur)-1]) >= 0 {
				x.glob = x.glob || x.sh.shopt.has(shoptExtglob)
			}
		case mark:
			x.cur = append(x.cur, mark)
			x.mark = true
		}
		x.cur = append(x.cur, s[i])
	}
}

// quoted adds text in which no character is special.
func (x *expander) quoted(s string) {
	x.open = true
	x.sep = ifsNone
	switch x.mode {
	case modeStr:
		x.cur = append(x.cur, s...)
	case modePattern:
		for i := 0; i < len(s); i++ {
			if isSpecial(s[i]) {
				x.cur = append(x.cur, '\\')
			}
			x.cur = append(x.cur, s[i])
		}
	case modeRegex:
		x.quotedRegex(s)
	default:
		for i := 0; i < len(s); i++ {
			if isSpecial(s[i]) {
				x.cur = append(x.cur, mark)
				x.mark = true
			}
			x.cur = append(x.cur, s[i])
		}
	}
}

func (x *expander) quotedRegex(s string) {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`\.[]{}()*+?|^$`, s[i]) >= 0 {
			x.cur = append(x.cur, '\\')
		}
		x.cur = append(x.cur, s[i])
	}
}

// value adds the result of an expansion.
func (x *expander) value(s string, quoted bool) {
	switch {
	case quoted:
		x.quotedValue(s)
	case x.mode != modeFields:
		x.cur = append(x.cur, s...)
	default:
		x.split(s)
	}
}

func (x *expander) quotedValue(s string) {
	open, sep := x.open, x.sep
	x.quoted(s)
	if s == "" {
		x.open, x.sep = open, sep // the double quotes around decide
	}
}

// split adds the unquoted result of an expansion, splitting it at IFS.
func (x *expander) split(s string) {
	sh := x.sh
	if !sh.ifsValid {
		sh.loadIFS()
	}
	start := 0
	for i := 0; i < len(s); i++ {
		class := sh.ifs[s[i]]
		if class == ifsNone {
			x.sep = ifsNone
			continue
		}
		if i > start {
			x.unquoted(s[start:i])
		}
		start = i + 1
		switch {
		case x.open || len(x.cur) > 0:
			x.flush()
			x.sep = class
		case class == ifsBlank:
		case x.sep == ifsBlank:
			x.sep = ifsSolid
		default:
			x.open = true
			x.flush()
			x.sep = ifsSolid
		}
	}
	if start < len(s) {
		x.unquoted(s[start:])
	}
}

// list adds a list of values as $@ does: each is a field of its own.
func (x *expander) list(vals []string, quoted bool) {
	if x.mode != modeFields {
		sep := " "
		x.value(strings.Join(vals, sep), quoted)
		return
	}
	if len(vals) == 0 {
		x.atEmpty = true
		return
	}
	for i, v := range vals {
		if i > 0 {
			if quoted {
				x.open = true
			}
			if join := x.sh.joiner(); !quoted && join != "" && x.sh.ifs[join[0]] == ifsSolid {
				x.split(join)
			} else {
				if x.open || len(x.cur) > 0 {
					x.flush()
				}
				x.sep = ifsNone
			}
		}
		x.value(v, quoted)
	}
	if quoted {
		x.open = true
	}
}

// flush ends the current field.
func (x *expander) flush() {
	if len(x.out) >= maxWords {
		if x.sh.ctl == ctlNone {
			x.sh.errorf("too many words: the limit is %d", maxWords)
			x.sh.abort()
		}
		return
	}
	if x.glob && !x.sh.opt.has(optNoglob) {
		x.out = x.sh.pathnames(x.out, x.cur)
	} else {
		x.out = append(x.out, x.text())
	}
	x.cur = x.cur[:0]
	x.open, x.glob, x.mark = false, false, false
}

// text is the current field without marks.
func (x *expander) text() string {
	if !x.mark {
		return string(x.cur)
	}
	return unmark(x.cur)
}

func unmark(b []byte) string {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == mark && i+1 < len(b) {
			i++
		}
		out = append(out, b[i])
	}
	return string(out)
}

func (x *expander) finish() {
	if x.open || len(x.cur) > 0 {
		x.flush()
	}
}

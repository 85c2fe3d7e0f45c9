package shell

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/shell/syntax"
)

// pvalue is the value of a parameter: a string, or a list for $@, $* and whole arrays.
type pvalue struct {
	str  string
	set  bool
	many bool
	star bool // joined by IFS in double quotes
	list []string
	v    *variable
	name string
}

// null reports whether ${x:-…} takes the default.
func (v *pvalue) null(joiner string) bool {
	if !v.many {
		return v.str == ""
	}
	switch len(v.list) {
	case 0:
		return true
	case 1:
		return v.list[0] == ""
	}
	return v.star && joiner == "" && strings.Join(v.list, "") == ""
}

// param expands a parameter.
func (x *expander) param(p *syntax.Param, quoted bool) {
	sh := x.sh
	if p.Op == syntax.OpNone && !p.Special && p.Index == nil && !p.Indirect {
		s, set := sh.get(p.Name)
		if !set && sh.opt.has(optNounset) {
			sh.unbound(p.Name)
			return
		}
		x.value(s, quoted)
		return
	}
	switch p.Op {
	case syntax.OpBad:
		sh.badSubst(p)
		return
	case syntax.OpNames:
		x.add(pvalue{many: true, star: p.Mod == '*', list: sh.namesWithPrefix(p.Name), set: true}, quoted)
		return
	case syntax.OpKeys:
		x.add(pvalue{many: true, star: p.Mod == '*', list: sh.keysOf(p.Name), set: true}, quoted)
		return
	}
	v := sh.parameter(p)
	if sh.ctl != ctlNone {
		return
	}
	if p.Indirect {
		var ok bool
		if v, ok = sh.indirect(p, v); !ok {
			return
		}
	}
	x.operate(p, v, quoted)
}

func (sh *Shell) badSubst(p *syntax.Param) {
	sh.errorf("%s: bad substitution", p.Src)
	sh.abort()
}

// add adds a value to the word.
func (x *expander) add(v pvalue, quoted bool) {
	if !v.many {
		x.value(v.str, quoted)
		return
	}
	switch {
	case v.star && (quoted || x.mode != modeFields):
		x.value(strings.Join(v.list, x.sh.joiner()), quoted)
	default:
		x.list(v.list, quoted)
	}
}

// parameter returns the value of the parameter itself.
func (sh *Shell) parameter(p *syntax.Param) pvalue {
	if p.Special {
		return sh.specialParam(p.Name)
	}
	v, target, sub := sh.lookup(p.Name)
	if p.Index != nil {
		sub = p.Index
	}
	out := pvalue{v: v, name: target}
	if sub == nil {
		if v != nil {
			out.str, out.set = sh.value(v)
		}
		return out
	}
	out.name += "[" + sub.Src + "]"
	if sub.At || sub.Star {
		out.many, out.star = true, sub.Star
		out.list = sh.elements(v)
		out.set = len(out.list) > 0
		return out
	}
	if v != nil {
		out.str, out.set = sh.element(v, sub)
	} else {
		sh.index(sub)
	}
	return out
}

// elements lists the values of an array; a scalar is an array of one.
func (sh *Shell) elements(v *variable) []string {
	if v == nil {
		return nil
	}
	if v.dyn != dynNone {
		sh.refresh(v)
	}
	switch {
	case v.arr != nil:
		return v.arr.vals
	case v.dict != nil:
		keys := v.dict.keys()
		vals := make([]string, len(keys))
		for i, k := range keys {
			vals[i] = v.dict.vals[k]
		}
		return vals
	case v.set:
		return []string{v.str}
	}
	return nil
}

// keysOf lists the subscripts of an array.
func (sh *Shell) keysOf(name string) []string {
	v, _, _ := sh.lookup(name)
	if v == nil {
		return nil
	}
	if v.dyn != dynNone {
		sh.refresh(v)
	}
	switch {
	case v.arr != nil:
		keys := make([]string, v.arr.len())
		for i := range keys {
			keys[i] = strconv.FormatInt(v.arr.key(i), 10)
		}
		return keys
	case v.dict != nil:
		return v.dict.keys()
	case v.set:
		return []string{"0"}
	}
	return nil
}

func (sh *Shell) namesWithPrefix(prefix string) []string {
	return sh.names(func(n string, v *variable) bool { return strings.HasPrefix(n, prefix) && v.set })
}

// specialParam returns $1, $@, $? and their kin.
func (sh *Shell) specialParam(name string) pvalue {
	one := func(s string) pvalue { return pvalue{str: s, set: true, name: name} }
	switch name[0] {
	case '@':
		return pvalue{many: true, list: sh.params, set: len(sh.params) > 0, name: name}
	case '*':
		return pvalue{many: true, star: true, list: sh.params, set: len(sh.params) > 0, name: name}
	case '#':
		return one(strconv.Itoa(len(sh.params)))
	case '?':
		return one(strconv.Itoa(sh.status))
	case '$':
		return one(strconv.Itoa(sh.pid))
	case '!':
		if sh.jobs.last == 0 {
			return pvalue{name: name}
		}
		return one(strconv.Itoa(sh.jobs.last))
	case '-':
		return one(sh.opt.letters() + sh.startFlag)
	}
	n, err := strconv.Atoi(name)
	switch {
	case err != nil:
	case n == 0:
		return one(sh.arg0)
	case n <= len(sh.params):
		return one(sh.params[n-1])
	}
	return pvalue{name: name}
}

// indirect follows ${!x}.
func (sh *Shell) indirect(p *syntax.Param, v pvalue) (pvalue, bool) {
	if !p.Special && p.Index == nil {
		if ref := sh.find(p.Name); ref != nil && ref.attrs&attrNameref != 0 {
			return pvalue{str: ref.str, set: ref.set, name: p.Name}, true
		}
	}
	name := v.str
	if v.many {
		name = strings.Join(v.list, " ")
	}
	if !v.set && !v.many || name == "" {
		if v.many && p.Special {
			return pvalue{name: p.Name}, true
		}
		if v.set {
			sh.errorf("%s: invalid variable name", name)
		} else {
			sh.errorf("%s: invalid indirect expansion", p.Name)
		}
		sh.abort()
		return pvalue{}, false
	}
	target := &syntax.Param{Name: name, Line: p.Line}
	switch base, sub, indexed := strings.Cut(name, "["); {
	case indexed && strings.HasSuffix(sub, "]") && syntax.IsName(base):
		target.Name, target.Index = base, syntax.NewSubscript(sub[:len(sub)-1], p.Line)
	case syntax.IsName(name):
	case isNumber(name) || len(name) == 1 && strings.Contains("@*#?-$!", name):
		target.Special = true
	default:
		sh.errorf("%s: invalid variable name", name)
		sh.abort()
		return pvalue{}, false
	}
	return sh.parameter(target), true
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// unbound reports an unset parameter under set -u, which ends the shell.
func (sh *Shell) unbound(name string) {
	sh.errorf("%s: unbound variable", name)
	sh.fatal()
}

// fatal ends a shell that is not interactive because of a failed expansion.
func (sh *Shell) fatal() {
	status := 1
	if sh.subshells == 0 {
		status = statusExpansion
	}
	sh.exit(status)
}

// statusExpansion is the exit status of a shell that an expansion error ends.
const statusExpansion = 127

// operate applies the operation of ${…}.
func (x *expander) operate(p *syntax.Param, v pvalue, quoted bool) {
	sh := x.sh
	switch p.Op {
	case syntax.OpDefault, syntax.OpAlt, syntax.OpAssign, syntax.OpError:
		x.conditional(p, v, quoted)
		return
	case syntax.OpLength:
		x.value(sh.length(p, v), quoted)
		return
	}
	if !v.set && !v.many && sh.opt.has(optNounset) {
		sh.unbound(v.name)
		return
	}
	switch p.Op {
	case syntax.OpSlice:
		v = sh.slice(p, v)
	case syntax.OpTrimPrefix, syntax.OpTrimSuffix:
		pat := sh.pattern(p.Arg, sh.patternFlags())
		v.each(func(s string) string { return trim(pat, s, p) })
	case syntax.OpReplace:
		v = sh.replace(p, v)
	case syntax.OpUpper, syntax.OpLower, syntax.OpToggle:
		var pat *glob.Pattern
		if len(p.Arg.Parts) > 0 {
			pat = sh.pattern(p.Arg, sh.patternFlags())
		}
		v.each(func(s string) string { return changeCase(s, p, pat) })
	case syntax.OpTransform:
		v = sh.transform(p, v)
	}
	if sh.ctl == ctlNone {
		x.add(v, quoted)
	}
}

// each applies f to every element.
func (v *pvalue) each(f func(string) string) {
	if !v.many {
		v.str = f(v.str)
		return
	}
	list := make([]string, len(v.list))
	for i, s := range v.list {
		list[i] = f(s)
	}
	v.list = list
}

// patternFlags are those of patterns that are not file names.
func (sh *Shell) patternFlags() glob.Flags {
	if sh.shopt.has(shoptExtglob) {
		return glob.Extglob
	}
	return 0
}

// conditional is ${x:-w} ${x:+w} ${x:=w} ${x:?w}.
func (x *expander) conditional(p *syntax.Param, v pvalue, quoted bool) {
	sh := x.sh
	there := v.set && !(p.Colon && v.null(sh.joiner()))
	switch p.Op {
	case syntax.OpAlt:
		if there {
			x.argument(p.Arg, quoted)
		} else if v.many && !v.star && quoted {
			x.atEmpty = true
		}
		return
	case syntax.OpDefault:
		if !there {
			x.argument(p.Arg, quoted)
			return
		}
	case syntax.OpAssign:
		if !there {
			sh.assignDefault(x, p, v, quoted)
			return
		}
	case syntax.OpError:
		if !there {
			sh.paramError(p, v)
			return
		}
	}
	x.add(v, quoted)
}

// argument expands the word of an operation in place: its own quotes count.
func (x *expander) argument(w *syntax.Word, quoted bool) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			x.value(part.Text, quoted)
		default:
			x.part(part, quoted)
		}
	}
}

// argumentStr expands the word of an operation to a string.
func (sh *Shell) argumentStr(w *syntax.Word, quoted bool) string {
	if w.Plain {
		return w.Lit
	}
	x := expander{sh: sh, mode: modeStr}
	x.argument(w, quoted)
	return string(x.cur)
}

func (sh *Shell) assignDefault(x *expander, p *syntax.Param, v pvalue, quoted bool) {
	if p.Special || v.many {
		sh.errorf("$%s: cannot assign in this way", p.Name)
		sh.abort()
		return
	}
	s := sh.argumentStr(p.Arg, quoted)
	if sh.ctl != ctlNone {
		return
	}
	var err error
	if p.Index != nil && !p.Indirect {
		err = sh.assignElement(p.Name, p.Index, s, false)
	} else {
		name, sub, indexed := strings.Cut(v.name, "[")
		if indexed {
			err = sh.assignElement(name, syntax.NewSubscript(strings.TrimSuffix(sub, "]"), sh.line), s, false)
		} else {
			err = sh.set(v.name, s)
		}
	}
	if err != nil {
		sh.abort()
		return
	}
	if p.Index == nil {
		s, _ = sh.get(v.name)
	}
	x.value(s, quoted)
}

func (sh *Shell) paramError(p *syntax.Param, v pvalue) {
	msg := sh.argumentStr(p.Arg, false)
	if msg == "" {
		msg = "parameter not set"
		if p.Colon {
			msg = "parameter null or not set"
		}
	}
	sh.errorf("%s: %s", v.name, msg)
	sh.fatal()
}

// length is ${#x}.
func (sh *Shell) length(p *syntax.Param, v pvalue) string {
	if v.many {
		return strconv.Itoa(len(v.list))
	}
	if !v.set && sh.opt.has(optNounset) {
		sh.unbound(v.name)
		return ""
	}
	return strconv.Itoa(sh.charCount(v.str))
}

// charCount counts the characters of a string in the shell's locale.
func (sh *Shell) charCount(s string) int {
	if sh.bytes {
		return len(s)
	}
	return runeCount(s)
}

// runeCount counts characters; each byte that is not UTF-8 is one.
func runeCount(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i + utf8.RuneCountInString(s[i:])
		}
	}
	return len(s)
}

// slice is ${x:offset:length}.
func (sh *Shell) slice(p *syntax.Param, v pvalue) pvalue {
	off := sh.arith(p.Offset)
	n, hasLen := int64(0), p.Length != nil
	if hasLen && sh.ctl == ctlNone {
		n = sh.arith(p.Length)
	}
	if sh.ctl != ctlNone {
		return v
	}
	if v.many {
		return sh.sliceList(p, v, off, n, hasLen)
	}
	total := int64(sh.charCount(v.str))
	if off < 0 {
		off += total
	}
	if off < 0 || off > total {
		v.str = ""
		return v
	}
	end := total
	if hasLen {
		if n < 0 {
			end = total + n
			if end < off {
				sh.errorf("%s: substring expression < 0", p.Length.Src)
				sh.abort()
				return v
			}
		} else {
			end = min(total, off+n)
		}
	}
	v.str = sh.substring(v.str, int(off), int(end))
	return v
}

// substring cuts by characters.
func (sh *Shell) substring(s string, from, to int) string {
	if sh.charCount(s) == len(s) {
		return s[from:to]
	}
	start, n := len(s), 0
	for i := range s {
		if n == from {
			start = i
		}
		if n == to {
			return s[start:i]
		}
		n++
	}
	return s[start:]
}

func (sh *Shell) sliceList(p *syntax.Param, v pvalue, off, n int64, hasLen bool) pvalue {
	if hasLen && n < 0 {
		sh.errorf("%s: substring expression < 0", p.Length.Src)
		sh.abort()
		return v
	}
	list := v.list
	start := int64(0)
	switch {
	case p.Special: // positional parameters: $0 is element 0
		if off == 0 {
			list = append([]string{sh.arg0}, list...)
		} else if off > 0 {
			start = off - 1
		} else {
			start = int64(len(list)) + off
		}
		if off < 0 && start < 0 {
			if start == -1 {
				list = append([]string{sh.arg0}, list...)
				start = 0
			} else {
				v.list = nil
				return v
			}
		}
	case v.v != nil && v.v.arr != nil:
		if off < 0 {
			off += v.v.arr.next()
		}
		if off < 0 {
			v.list = nil
			return v
		}
		at, _ := v.v.arr.find(off)
		if v.v.arr.keys == nil {
			at = int(min(off, int64(len(list))))
		}
		start = int64(at)
	default:
		start = off
		if off < 0 {
			start = int64(len(list)) + off
		} else if v.v != nil && v.v.dict != nil && off > 0 {
			start = off - 1
		}
	}
	if start < 0 || start >= int64(len(list)) {
		v.list = nil
		return v
	}
	list = list[start:]
	if hasLen && n < int64(len(list)) {
		list = list[:n]
	}
	v.list = list
	return v
}

func trim(pat *glob.Pattern, s string, p *syntax.Param) string {
	if p.Op == syntax.OpTrimPrefix {
		n := 0
		if p.Double {
			n = pat.LongestPrefix(s)
		} else {
			n = pat.ShortestPrefix(s)
		}
		return s[max(n, 0):]
	}
	at := 0
	if p.Double {
		at = pat.LongestSuffix(s)
	} else {
		at = pat.ShortestSuffix(s)
	}
	if at < 0 {
		return s
	}
	return s[:at]
}

// replace is ${x/pattern/text}.
func (sh *Shell) replace(p *syntax.Param, v pvalue) pvalue {
	flags := sh.patternFlags()
	if sh.shopt.has(shoptNocasematch) {
		flags |= glob.IgnoreCase
	}
	pat := sh.pattern(p.Arg, flags)
	if lit, ok := pat.Literal(); ok && lit == "" && p.Anchor == 0 {
		return v
	}
	with, amps := "", false
	if p.HasRepl {
		with, amps = sh.replacement(p.Repl)
	}
	if sh.ctl != ctlNone {
		return v
	}
	v.each(func(s string) string {
		out := replaceIn(pat, s, with, amps, p)
		if len(out) > maxValue {
			_ = sh.tooLarge(v.name)
			return ""
		}
		return out
	})
	return v
}

// replacement expands the text to replace by. When it has an unquoted & every \ and quoted & in it is escaped.
func (sh *Shell) replacement(w *syntax.Word) (string, bool) {
	if w.Plain && strings.IndexByte(w.Lit, '&') < 0 {
		return w.Lit, false
	}
	if !sh.shopt.has(shoptPatsubReplacement) {
		return sh.str(w), false
	}
	var plain, escaped strings.Builder
	special := false
	for _, part := range w.Parts {
		x := expander{sh: sh, mode: modeStr}
		x.part(part, false)
		s := string(x.cur)
		plain.WriteString(s)
		switch part.(type) {
		case *syntax.Quoted, *syntax.DblQuoted:
			for i := 0; i < len(s); i++ {
				if s[i] == '&' || s[i] == '\\' {
					escaped.WriteByte('\\')
				}
				escaped.WriteByte(s[i])
			}
		default:
			special = special || strings.ContainsAny(s, `&\`)
			escaped.WriteString(s)
		}
	}
	if !special {
		return plain.String(), false
	}
	return escaped.String(), true
}

func replaceIn(pat *glob.Pattern, s, with string, amps bool, p *syntax.Param) string {
	put := func(b *strings.Builder, match string) {
		if !amps {
			b.WriteString(with)
			return
		}
		for i := 0; i < len(with); i++ {
			switch {
			case with[i] == '\\' && i+1 < len(with) && (with[i+1] == '&' || with[i+1] == '\\'):
				i++
				b.WriteByte(with[i])
			case with[i] == '&':
				b.WriteString(match)
			default:
				b.WriteByte(with[i])
			}
		}
	}
	var b strings.Builder
	switch p.Anchor {
	case '#':
		n := pat.LongestPrefix(s)
		if n < 0 {
			return s
		}
		put(&b, s[:n])
		return b.String() + s[n:]
	case '%':
		at := pat.LongestSuffix(s)
		if at < 0 {
			return s
		}
		put(&b, s[at:])
		return s[:at] + b.String()
	}
	pos := 0
	for pos <= len(s) {
		start, end := pat.Find(s, pos)
		if start < 0 || start == len(s) && start > 0 && start == end {
			break
		}
		if pos == 0 && start == 0 && end == len(s) && !amps {
			return with
		}
		b.WriteString(s[pos:start])
		put(&b, s[start:end])
		pos = end
		if start == end {
			if end >= len(s) {
				break
			}
			_, n := utf8.DecodeRuneInString(s[end:])
			b.WriteString(s[end : end+n])
			pos = end + n
		}
		if !p.Double || b.Len() > maxValue {
			break
		}
	}
	if pos == 0 {
		return s
	}
	b.WriteString(s[min(pos, len(s)):])
	return b.String()
}

// changeCase is ${x^pattern} and its kin.
func changeCase(s string, p *syntax.Param, pat *glob.Pattern) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && !p.Double {
			b.WriteString(s[i:])
			break
		}
		if pat != nil && !pat.Match(string(r)) {
			b.WriteRune(r)
			continue
		}
		switch {
		case p.Op == syntax.OpUpper, p.Op == syntax.OpToggle && unicode.IsLower(r):
			b.WriteRune(unicode.ToUpper(r))
		case p.Op == syntax.OpLower, p.Op == syntax.OpToggle:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

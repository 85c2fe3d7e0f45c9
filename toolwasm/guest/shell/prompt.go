package shell

import (
	"strings"
	"time"

	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

// prompt expands the escapes of a prompt string, then what stands in it as in double quotes.
func (sh *Shell) prompt(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'e', 'n', 'r':
			b.WriteByte(simpleEscape(c))
		case 'u':
			b.WriteString(sys.User)
		case 'h', 'H':
			b.WriteString(sys.Host)
		case 'w':
			b.WriteString(sh.shorten(sh.dir))
		case 'W':
			b.WriteString(baseOf(sh.shorten(sh.dir)))
		case 's':
			b.WriteString(baseOf(sh.arg0))
		case 'v':
			b.WriteString("5.2")
		case 'V':
			b.WriteString("5.2.21")
		case '$':
			b.WriteByte('$')
		case 't', 'T', '@', 'A', 'd':
			layout := map[byte]string{'t': "%H:%M:%S", 'T': "%I:%M:%S", '@': "%I:%M %p", 'A': "%H:%M", 'd': "%a %b %d"}[c]
			b.WriteString(strftime.Format(layout, sh.inZone(time.Now())))
		case 'j':
			b.WriteString(itoa(len(sh.jobs.list)))
		case 'D':
			layout, rest, ok := strings.Cut(s[i+1:], "}")
			if !ok || !strings.HasPrefix(layout, "{") {
				b.WriteString("\\D")
				continue
			}
			if layout = layout[1:]; layout == "" {
				layout = "%X"
			}
			b.WriteString(strftime.Format(layout, sh.inZone(time.Now())))
			i = len(s) - len(rest) - 1
		case '!', '#':
			b.WriteByte('1')
		case '[', ']':
		case '\\':
			b.WriteByte('\\')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, n := octal(s[i:], 3)
			b.WriteByte(byte(v))
			i += n - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return sh.quotedStr(syntax.ParseDoc(b.String(), sh.line, 0))
}

// trace writes a line of set -x.
func (sh *Shell) trace(text string) {
	if sh.tracing {
		return
	}
	sh.tracing = true
	defer func() { sh.tracing = false }()
	ps4, set := sh.get("PS4")
	if !set {
		ps4 = "+ "
	}
	opt, subst, status, ctl := sh.opt, sh.substStatus, sh.status, sh.ctl
	sh.opt &^= optXtrace
	ps4 = sh.prompt(ps4)
	sh.opt, sh.substStatus, sh.status, sh.ctl = opt, subst, status, ctl
	if ps4 != "" {
		r := []rune(ps4)
		ps4 = strings.Repeat(string(r[0]), min(sh.traceLevel, maxTraceDepth)) + ps4
	}
	fd := 2
	if s, ok := sh.get("BASH_XTRACEFD"); ok {
		if n, ok := plainInt(s); ok && sh.fd(int(n)) != nil {
			fd = int(n)
		}
	}
	sh.flush()
	sh.write(fd, ps4+text+"\n")
}

// maxTraceDepth bounds how often the first character of PS4 is repeated.
const maxTraceDepth = 20

// traceCommand shows a simple command with its assignments.
func (sh *Shell) traceCommand(c *syntax.Simple, args []string) {
	for _, a := range c.Assigns {
		sh.traceAssign(a)
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = quoteWord(a)
		if assign, value := markedAssign(c, a); assign != nil {
			words[i] = assign.Name
			if !assign.IsArray {
				words[i] = quoteWord(assignTarget(assign) + value)
			}
		}
	}
	sh.trace(strings.Join(words, " "))
}

// assignTarget is the left side of an assignment with its operator.
func assignTarget(a *syntax.Assign) string {
	s := a.Name
	if a.Index != nil {
		s += "[" + a.Index.Src + "]"
	}
	if a.Append {
		return s + "+="
	}
	return s + "="
}

// traceValue shows an assignment with its expanded value.
func (sh *Shell) traceValue(a *syntax.Assign, value string) {
	if value != "" {
		value = quoteWord(value)
	}
	sh.trace(assignTarget(a) + value)
}

// traceItems shows the assignment of an array with its expanded elements.
func (sh *Shell) traceItems(a *syntax.Assign, items []arrayItem) {
	words := make([]string, len(items))
	for i, item := range items {
		if item.sub != nil {
			op := "="
			if item.add {
				op = "+="
			}
			words[i] = "[" + quote(item.sub.Src) + "]" + op
		}
		words[i] += quote(item.value)
	}
	sh.trace(assignTarget(a) + "(" + strings.Join(words, " ") + ")")
}

// traceAssign shows an assignment as it has been made.
func (sh *Shell) traceAssign(a *syntax.Assign) {
	if a.IsArray {
		sh.trace(a.Src)
		return
	}
	value := ""
	switch {
	case a.Value == nil:
	case isStatic(a.Value) || !hasSubst(a.Value):
		value = sh.assignValue(a.Value)
	case a.Index != nil:
		if v, _, _ := sh.lookup(a.Name); v != nil {
			value, _ = sh.element(v, a.Index)
		}
	default:
		value, _ = sh.get(a.Name)
	}
	sh.traceValue(a, value)
}

// hasSubst reports whether expanding a word runs commands or may change variables.
func hasSubst(w *syntax.Word) bool {
	var in func(parts []syntax.Part) bool
	in = func(parts []syntax.Part) bool {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithSubst:
				return true
			case *syntax.DblQuoted:
				if in(p.Parts) {
					return true
				}
			case *syntax.Param:
				if p.Op != syntax.OpNone || p.Name == "RANDOM" {
					return true
				}
			}
		}
		return false
	}
	return in(w.Parts)
}

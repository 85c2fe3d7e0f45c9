package sed

import (
	"strings"

	"openclaw/toolwasm/guest/regex"
)

// pass is a substitution that is made in many lines at once.
type pass struct {
	sub *substitution
	re  *regex.Regexp
}

// passes returns the substitutions that the script consists of, when it comes to the same to make each in many lines at once
// before the next is made; nil when it does not.
func (m *machine) passes() []pass {
	if m.opts.quiet || m.opts.unbuffered || m.opts.null || m.opts.posix {
		return nil
	}
	var list []pass
	for i, c := range m.prog.cmds {
		last := i == len(m.prog.cmds)-1
		if c.name != 's' || c.a1.kind != addrNone || c.negate || !c.sub.staysInLine(last) {
			return nil
		}
		re, err := regex.Compile(c.sub.pat.src, c.sub.pat.flags|regex.Lines)
		if err != nil {
			return nil
		}
		re.SetYield(m.p.Yield)
		list = append(list, pass{c.sub, re})
	}
	return list
}

// staysInLine reports whether nothing shows that a substitution is made in more than one line at once. Only the last one may
// make lines of its own.
func (s *substitution) staysInLine(last bool) bool {
	const ofText = "`'B" // what these stand for depends on where the text begins and ends
	switch {
	case s.print || s.out != nil || s.nth > 1 || s.pat.re == nil || s.pat.re.HasBackrefs():
		return false
	case strings.ContainsAny(s.pat.src, "\n") || strings.Contains(s.pat.src, `\n`):
		return false
	}
	for i := range len(s.pat.src) - 1 {
		if s.pat.src[i] == '\\' && strings.IndexByte(ofText, s.pat.src[i+1]) >= 0 {
			return false
		}
	}
	for i := range s.parts {
		if !last && strings.Contains(string(s.parts[i].text), "\n") {
			return false
		}
	}
	return true
}

// runPasses runs a script of such substitutions.
func (m *machine) runPasses(passes []pass) int {
	for m.in.cur != nil || m.in.open() {
		lines, terminated, ok := m.in.cur.block()
		if !ok {
			m.in.finish()
			continue
		}
		m.pat.b = append(m.pat.b[:0], lines...)
		for _, s := range passes {
			if out, done := m.rewrite(s.re, s.sub, m.pat.b, true); done {
				m.build, m.pat.b = m.pat.b, out
			}
		}
		m.out.line(m.pat.b, m.delim, terminated)
	}
	return m.finish()
}

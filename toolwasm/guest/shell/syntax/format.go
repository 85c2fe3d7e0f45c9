package syntax

import "strings"

// Format returns a command in bash's own layout, as declare -f, jobs and BASH_COMMAND show it.
func Format(c Command) string {
	var f formatter
	f.command(c)
	f.flushDocs()
	return strings.TrimSuffix(f.b.String(), "\n")
}

// Head returns the text of a command as BASH_COMMAND has it: of a loop or case only what stands before the body.
func Head(c Command) string {
	switch c := c.(type) {
	case *For:
		word := "for "
		if c.Select {
			word = "select "
		}
		if !c.In {
			return word + c.Name + " in \"$@\""
		}
		return word + c.Name + " in " + c.WordsText()
	case *Case:
		return "case " + c.Word.Src + " in "
	case *ArithFor:
		return "((" + c.Init.Src + "))"
	case *Subshell:
		return "( " + c.Body.inline() + " )"
	}
	return Format(c)
}

// inline returns the commands of a list on one line.
func (l *List) inline() string {
	text := ""
	for i, item := range l.Items {
		switch {
		case i == 0:
		case l.Items[i-1].Background:
			text += " "
		default:
			text += "; "
		}
		text += Format(item.Cmd)
		if item.Background {
			text += " &"
		}
	}
	return text
}

// FormatBody returns the body of a function in braces.
func FormatBody(def *Func) string {
	var f formatter
	f.body(def)
	return f.b.String()
}

// WordsText is the words of a loop as written.
func (c *For) WordsText() string {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Src
	}
	return strings.Join(words, " ")
}

type formatter struct {
	b      strings.Builder
	indent int
	docs   []*Redir
}

const indentWidth = 4

func (f *formatter) newline() {
	f.flushDocs()
	if !strings.HasSuffix(f.b.String(), "\n") {
		f.b.WriteByte('\n')
	}
	f.b.WriteString(strings.Repeat(" ", f.indent*indentWidth))
}

func (f *formatter) put(s string) { f.b.WriteString(s) }

// flushDocs writes the bodies of the here-documents that are due.
func (f *formatter) flushDocs() {
	docs := f.docs
	f.docs = nil
	for _, r := range docs {
		delim, _ := Unquote(r.Target)
		f.put("\n" + r.DocText + delim + "\n")
	}
}

// body writes a function's body.
func (f *formatter) body(def *Func) {
	c := def.Body
	var redirs []*Redir
	if r, ok := c.(*Redirected); ok {
		c, redirs = r.Cmd, r.Redirs
	}
	f.put(strings.Repeat(" ", f.indent*indentWidth) + "{ ")
	f.indent++
	if g, ok := c.(*Group); ok {
		f.lines(g.Body)
	} else {
		f.newline()
		f.command(c)
	}
	f.indent--
	f.newline()
	f.put("}")
	f.redirs(redirs)
	f.flushDocs()
}

// lines writes a list with one command on each line.
func (f *formatter) lines(l *List) {
	for i, it := range l.Items {
		if i > 0 && l.Items[i-1].Background {
			f.put(" ")
		} else {
			f.newline()
		}
		f.command(it.Cmd)
		switch {
		case it.Background:
			f.put(" &")
		case i < len(l.Items)-1:
			f.put(";")
		}
	}
}

// block writes an indented list that ends in ";".
func (f *formatter) block(l *List) {
	f.indent++
	f.lines(l)
	if n := len(l.Items); n > 0 && !l.Items[n-1].Background {
		f.put(";")
	}
	f.indent--
	f.newline()
}

// subshell writes a list that begins on the line of its parenthesis.
func (f *formatter) subshell(l *List) {
	for i, it := range l.Items {
		f.command(it.Cmd)
		switch {
		case it.Background:
			f.put(" &")
			if i < len(l.Items)-1 {
				f.put(" ")
			}
		case i < len(l.Items)-1:
			f.put(";")
			f.newline()
		}
	}
}

// inline writes a list on one line.
func (f *formatter) inline(l *List) {
	for i, it := range l.Items {
		f.command(it.Cmd)
		switch {
		case it.Background && i < len(l.Items)-1:
			f.put(" & ")
		case it.Background:
			f.put(" &")
		case i < len(l.Items)-1:
			f.put("; ")
		}
	}
}

func (f *formatter) command(c Command) {
	switch c := c.(type) {
	case *Simple:
		f.simple(c)
	case *AndOr:
		f.command(c.First)
		for _, p := range c.Rest {
			op := " && "
			if p.Or {
				op = " || "
			}
			f.put(op)
			f.command(p.Cmd)
		}
	case *Pipeline:
		f.pipeline(c)
	case *Redirected:
		f.command(c.Cmd)
		f.redirs(c.Redirs)
	case *Group:
		f.put("{ ")
		f.indent++
		f.lines(c.Body)
		f.indent--
		f.newline()
		f.put("}")
	case *Subshell:
		f.put("( ")
		f.subshell(c.Body)
		f.put(" )")
	case *Arith:
		f.put("((" + c.X.Src + "))")
	case *Cond:
		f.put("[[ ")
		f.cond(c.X)
		f.put(" ]]")
	case *Coproc:
		f.put("coproc " + c.Name + " ")
		f.command(c.Cmd)
	case *Func:
		f.put("function " + c.Name + " () \n")
		f.body(c)
	default:
		f.compound(c)
	}
}

func (f *formatter) compound(c Command) {
	switch c := c.(type) {
	case *If:
		f.ifClause(c, "if ")
	case *While:
		word := "while "
		if c.Until {
			word = "until "
		}
		f.put(word)
		f.inline(c.Cond)
		f.put("; do")
		f.block(c.Body)
		f.put("done")
	case *For:
		word := "for "
		if c.Select {
			word = "select "
		}
		f.put(word + c.Name)
		if c.In {
			f.put(" in " + c.WordsText() + ";")
		} else {
			f.put(" in \"$@\";")
		}
		f.newline()
		f.put("do")
		f.block(c.Body)
		f.put("done")
	case *ArithFor:
		f.put("for ((" + c.Init.Src + "; " + strings.TrimSpace(c.Cond.Src) + "; " + strings.TrimSpace(c.Step.Src) + "))")
		f.newline()
		f.put("do")
		f.block(c.Body)
		f.put("done")
	case *Case:
		f.caseClause(c)
	}
}

func (f *formatter) simple(c *Simple) {
	first := true
	word := func(s string) {
		if !first {
			f.put(" ")
		}
		first = false
		f.put(s)
	}
	for _, a := range c.Assigns {
		word(a.Src)
	}
	for _, w := range c.Words {
		word(w.Src)
	}
	if first && len(c.Redirs) > 0 {
		f.put(strings.TrimPrefix(redirText(c.Redirs[0]), " "))
		f.doc(c.Redirs[0])
		f.redirs(c.Redirs[1:])
		return
	}
	f.redirs(c.Redirs)
}

func (f *formatter) redirs(list []*Redir) {
	for _, r := range list {
		f.put(redirText(r))
		f.doc(r)
	}
}

func (f *formatter) doc(r *Redir) {
	if r.Doc != nil {
		f.docs = append(f.docs, r)
	}
}

func redirText(r *Redir) string {
	fd := ""
	if r.FD >= 0 {
		fd = string(rune('0' + r.FD%10))
		if r.FD >= 10 {
			fd = string(rune('0'+r.FD/10%10)) + fd
		}
	}
	if r.FDVar != "" {
		fd = "{" + r.FDVar + "}"
	}
	switch r.Op {
	case "<&", ">&":
		if fd == "" {
			fd = "0"
			if r.Op == ">&" {
				fd = "1"
			}
		}
		return " " + fd + r.Op + r.Target.Src
	case "<<", "<<-":
		return " " + fd + r.Op + r.Target.Src
	}
	return " " + fd + r.Op + " " + r.Target.Src
}

func (f *formatter) pipeline(c *Pipeline) {
	if c.Timed {
		f.put("time ")
		if c.TimedPosix {
			f.put("-p ")
		}
	}
	if c.Negate {
		f.put("! ")
	}
	for i, cmd := range c.Cmds {
		if i > 0 {
			f.put(" | ")
		}
		f.command(cmd)
	}
}

func (f *formatter) ifClause(c *If, word string) {
	f.put(word)
	f.inline(c.Cond)
	f.put("; then")
	f.block(c.Then)
	switch {
	case c.Elif != nil:
		f.put("else")
		f.indent++
		f.newline()
		f.ifClause(c.Elif, "if ")
		f.put(";")
		f.indent--
		f.newline()
	case c.Else != nil:
		f.put("else")
		f.block(c.Else)
	}
	f.put("fi")
}

func (f *formatter) caseClause(c *Case) {
	f.put("case " + c.Word.Src + " in ")
	f.indent++
	for _, item := range c.Items {
		f.newline()
		for i, p := range item.Patterns {
			if i > 0 {
				f.put(" | ")
			}
			f.put(p.Src)
		}
		f.put(")")
		f.indent++
		f.lines(item.Body)
		f.indent--
		f.newline()
		f.put(item.Op)
	}
	f.indent--
	f.newline()
	f.put("esac")
}

func (f *formatter) cond(x CondExpr) {
	switch x := x.(type) {
	case *CondUnary:
		op := x.Op
		if op == "" {
			op = "-n"
		}
		f.put(op + " " + x.X.Src)
	case *CondBinary:
		f.put(x.X.Src + " " + x.Op + " " + x.Y.Src)
	case *CondNot:
		f.put("! ")
		f.cond(x.X)
	case *CondGroup:
		f.put("( ")
		f.cond(x.X)
		f.put(" )")
	case *CondLogic:
		f.cond(x.X)
		op := " && "
		if x.Or {
			op = " || "
		}
		f.put(op)
		f.cond(x.Y)
	}
}

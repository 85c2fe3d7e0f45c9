package shell

import (
	"strings"

	"openclaw/toolwasm/guest/shell/syntax"
)

// text is the function as declare -f shows it.
func (f *function) text() string {
	head := f.name + " () \n"
	if !syntax.IsName(f.name) && f.def.Keyword {
		head = "function " + head
	}
	return head + syntax.FormatBody(f.def) + "\n"
}

// exportText is the function as the environment carries it.
func (f *function) exportText() string {
	return "() " + syntax.FormatBody(f.def)
}

// exportedFunction returns the name of the function that a variable of the environment carries.
func exportedFunction(name string) (string, bool) {
	s, ok := strings.CutPrefix(name, "BASH_FUNC_")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, "%%")
}

// importFunction defines a function from the environment.
func (sh *Shell) importFunction(name, value string) {
	if !strings.HasPrefix(value, "() {") {
		return
	}
	l, err := syntax.ParseAll(name+" "+value, 1, syntax.Options{})
	if err != nil || len(l.Items) != 1 {
		return
	}
	if def, ok := l.Items[0].Cmd.(*syntax.Func); ok {
		sh.funcs[name] = &function{name: name, def: def, exported: true, source: "environment"}
	}
}

// commandText is a command as one line of text.
func commandText(c syntax.Command) string { return syntax.Format(c) }

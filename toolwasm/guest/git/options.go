package git

import (
	"strings"

	"openclaw/toolwasm/guest/getopt"
)

// flags are the options of a subcommand as given, in order.
type flags struct {
	g    *git
	list []getopt.Option
}

// has reports whether an option was given.
func (f flags) has(name string) bool {
	for _, o := range f.list {
		if o.Name == name {
			return true
		}
	}
	return false
}

// get returns the argument that an option was given last.
func (f flags) get(name string) (string, bool) {
	for i := len(f.list) - 1; i >= 0; i-- {
		if f.list[i].Name == name {
			return f.list[i].Arg, true
		}
	}
	return "", false
}

// str is get for options whose absence means the empty string.
func (f flags) str(name string) string {
	s, _ := f.get(name)
	return s
}

// all returns the arguments of every use of an option.
func (f flags) all(name string) []string {
	var list []string
	for _, o := range f.list {
		if o.Name == name {
			list = append(list, o.Arg)
		}
	}
	return list
}

// on reports whether of an option and its "no-" form the first was given last.
func (f flags) on(name string, otherwise bool) bool {
	for i := len(f.list) - 1; i >= 0; i-- {
		switch f.list[i].Name {
		case name:
			return true
		case "no-" + name:
			return false
		}
	}
	return otherwise
}

// line is a parsed command line.
type line struct {
	flags
	args  []string // before "--"
	paths []string // after it
	dash  bool     // there was a "--"
}

// operands are all words that are no options.
func (l line) operands() []string { return append(append([]string{}, l.args...), l.paths...) }

// parse reads the arguments of the subcommand. spec lists the options, separated by blanks: names separated by commas of
// which the first is the one to ask for, then "=" when an argument is required, "?" when it may follow directly.
func (g *git) parse(spec string) line { return g.parseArgs(g.args, spec) }

func (g *git) parseArgs(args []string, spec string) line {
	l := line{}
	before := args
	for i, a := range args {
		if a == "--" && !g.takesNext(args[:i], spec) {
			before, l.paths, l.dash = args[:i], args[i+1:], true
			break
		}
	}
	s, canonical := makeSpec(spec)
	opts, operands, err := getopt.Parse(before, s)
	if err != nil {
		g.usageError(err.Error())
	}
	for i := range opts {
		if name, ok := canonical[opts[i].Name]; ok {
			opts[i].Name = name
		}
	}
	l.flags = flags{g, opts}
	l.args = operands
	return l
}

// takesNext reports whether the last word is a letter that takes the next one for its argument, "--" too.
func (g *git) takesNext(words []string, spec string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if len(last) != 2 || last[0] != '-' || last[1] == '-' {
		return false
	}
	return strings.Contains(" "+strings.ReplaceAll(spec, ",", " ")+" ", " "+last[1:]+"= ")
}

// makeSpec turns a list of options into getopt's, and says which name to ask for stands for each.
func makeSpec(spec string) (getopt.Spec, map[string]string) {
	var s getopt.Spec
	canonical := map[string]string{}
	for _, word := range strings.Fields(spec) {
		if word == "NUM" {
			s.Digits = true
			continue
		}
		arg, colons := getopt.None, ""
		switch word[len(word)-1] {
		case '=':
			arg, colons, word = getopt.Required, ":", word[:len(word)-1]
		case '?':
			arg, colons, word = getopt.Optional, "::", word[:len(word)-1]
		}
		names := strings.Split(word, ",")
		for _, n := range names {
			canonical[n] = names[0]
			if len(n) == 1 {
				s.Short += n + colons
			} else {
				s.Long = append(s.Long, getopt.Long{Name: n, Arg: arg})
			}
		}
	}
	return s, canonical
}

// usageError ends the program with a mistake in the command line.
func (g *git) usageError(message string) {
	switch g.name {
	case "log", "show", "rev-list", "reflog":
		g.die("unrecognized argument: %s", message)
	}
	g.errorf("error: %s\nusage: git %s %s\n", message, g.name, usageOf(g.name))
	g.close()
	g.p.Exit(statusUsage)
}

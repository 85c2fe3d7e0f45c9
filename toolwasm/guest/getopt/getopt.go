// Package getopt parses command lines as GNU getopt_long does: short options may be bundled,
// long ones abbreviated, options and operands mixed, "--" ends the options.
package getopt

import (
	"fmt"
	"strings"
)

// Arg says whether an option takes an argument.
type Arg int

const (
	None     Arg = iota
	Required     // -n 5, -n5, --lines=5, --lines 5
	Optional     // -i.bak, --color=auto; never the next word
)

// Long is a long option. Short, when not zero, is the letter it stands for: parsing then yields that letter.
type Long struct {
	Name  string
	Arg   Arg
	Short rune
}

// Spec is what a command accepts.
type Spec struct {
	// Short lists the letters, each followed by ":" when it requires and "::" when it may take an argument.
	// A leading "+" stops at the first operand, as POSIXLY_CORRECT does.
	Short string
	Long  []Long
	// Digits, when set, makes -NUM (head -5) an option named "NUM" with the digits as its argument.
	Digits bool
	// Unsupported lists letters and long names that GNU knows and this command does not, so that the error says so.
	Unsupported string   // letters
	UnsupLong   []string // long names
}

// Option is one option as given. Name is the letter, or the long name when the option has no letter.
type Option struct {
	Name string
	Arg  string
	// HasArg tells an empty argument from none.
	HasArg bool
}

// Error is a mistake in a command line, in GNU's words, without the command's name.
type Error struct{ Msg string }

func (e *Error) Error() string { return e.Msg }

func fail(format string, args ...any) error { return &Error{Msg: fmt.Sprintf(format, args...)} }

// Parse splits args into options, in order, and operands.
func Parse(args []string, spec Spec) (opts []Option, operands []string, err error) {
	stop := strings.HasPrefix(spec.Short, "+")
	p := parser{spec: spec, short: strings.TrimPrefix(spec.Short, "+"), args: args}
	for p.i < len(p.args) {
		a := p.args[p.i]
		p.i++
		switch {
		case a == "--":
			return p.opts, append(p.operands, p.args[p.i:]...), nil
		case strings.HasPrefix(a, "--"):
			err = p.long(a[2:])
		case len(a) > 1 && a[0] == '-':
			err = p.bundle(a[1:])
		case stop:
			return p.opts, append(p.operands, p.args[p.i-1:]...), nil
		default:
			p.operands = append(p.operands, a)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return p.opts, p.operands, nil
}

type parser struct {
	spec     Spec
	short    string
	args     []string
	i        int
	opts     []Option
	operands []string
}

func (p *parser) next() (string, bool) {
	if p.i >= len(p.args) {
		return "", false
	}
	p.i++
	return p.args[p.i-1], true
}

func (p *parser) long(s string) error {
	name, val, hasVal := strings.Cut(s, "=")
	l, err := p.find(name)
	if err != nil {
		return err
	}
	o := Option{Name: l.Name}
	if l.Short != 0 {
		o.Name = string(l.Short)
	}
	switch {
	case l.Arg == None && hasVal:
		return fail("option '--%s' doesn't allow an argument", l.Name)
	case hasVal:
		o.Arg, o.HasArg = val, true
	case l.Arg == Required:
		v, ok := p.next()
		if !ok {
			return fail("option '--%s' requires an argument", l.Name)
		}
		o.Arg, o.HasArg = v, true
	}
	p.opts = append(p.opts, o)
	return nil
}

func (p *parser) find(name string) (Long, error) {
	var found []Long
	for _, l := range p.spec.Long {
		if l.Name == name {
			return l, nil
		}
		if strings.HasPrefix(l.Name, name) {
			found = append(found, l)
		}
	}
	for _, u := range p.spec.UnsupLong {
		if u == name {
			return Long{}, fail("unsupported option '--%s'", name)
		}
	}
	switch {
	case len(found) == 0:
		return Long{}, fail("unrecognized option '--%s'", name)
	case len(found) == 1 || same(found):
		return found[0], nil
	}
	var b strings.Builder
	for _, l := range found {
		fmt.Fprintf(&b, " '--%s'", l.Name)
	}
	return Long{}, fail("option '--%s' is ambiguous; possibilities:%s", name, b.String())
}

// same reports whether all candidates mean the same option, in which case an abbreviation is not ambiguous.
func same(ls []Long) bool {
	for _, l := range ls {
		if l.Short == 0 || l.Short != ls[0].Short || l.Arg != ls[0].Arg {
			return false
		}
	}
	return true
}

func (p *parser) bundle(s string) error {
	for i, r := range s {
		if p.spec.Digits && r >= '0' && r <= '9' && !strings.ContainsRune(p.short, r) {
			n := i
			for n < len(s) && s[n] >= '0' && s[n] <= '9' {
				n++
			}
			p.opts = append(p.opts, Option{Name: "NUM", Arg: s[i:n], HasArg: true})
			if n == len(s) {
				return nil
			}
			return p.bundle(s[n:])
		}
		at := strings.IndexRune(p.short, r)
		if at < 0 || r == ':' {
			if strings.ContainsRune(p.spec.Unsupported, r) {
				return fail("unsupported option -- '%c'", r)
			}
			return fail("invalid option -- '%c'", r)
		}
		after := p.short[at+len(string(r)):]
		if !strings.HasPrefix(after, ":") {
			p.opts = append(p.opts, Option{Name: string(r)})
			continue
		}
		rest := s[i+len(string(r)):]
		o := Option{Name: string(r), Arg: rest, HasArg: rest != ""}
		if rest == "" && !strings.HasPrefix(after, "::") {
			v, ok := p.next()
			if !ok {
				return fail("option requires an argument -- '%c'", r)
			}
			o.Arg, o.HasArg = v, true
		}
		p.opts = append(p.opts, o)
		return nil
	}
	return nil
}

package getopt_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/getopt"
)

// spec has an option of each kind.
func spec() getopt.Spec {
	return getopt.Spec{
		Short: "abn:o::é",
		Long: []getopt.Long{
			{Name: "all", Short: 'a'},
			{Name: "lines", Arg: getopt.Required, Short: 'n'},
			{Name: "link", Arg: getopt.Required},
			{Name: "colour", Arg: getopt.Optional},
			{Name: "color", Arg: getopt.Optional},
			{Name: "verbose", Short: 'v'},
			{Name: "version", Short: 'v'},
		},
		Unsupported: "Z",
		UnsupLong:   []string{"context"},
	}
}

// show writes options as "a", "n=5" or "n=" and the operands after a bar.
func show(opts []getopt.Option, operands []string) string {
	var words []string
	for _, o := range opts {
		w := o.Name
		if o.HasArg {
			w += "=" + o.Arg
		}
		words = append(words, w)
	}
	return strings.Join(append(append(words, "|"), operands...), " ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "|"},
		{"x -a y -b", "a b | x y"},
		{"-ab", "a b |"},
		{"-abn5 x", "a b n=5 | x"},
		{"-n 5 x", "n=5 | x"},
		{"-n -5", "n=-5 |"},
		{"-o x", "o | x"},
		{"-ox", "o=x |"},
		{"-éa", "é a |"},
		{"-a -- -b --", "a | -b --"},
		{"- -a", "a | -"},
		{"--all", "a |"},
		{"--al", "a |"},
		{"--lines=5 --lines 6 --lines=", "n=5 n=6 n= |"},
		{"--link x", "link=x |"},
		{"--color x", "color | x"},
		{"--color=x", "color=x |"},
		{"--colou=", "colour= |"},
		{"--ver", "v |"}, // both mean the same
	} {
		opts, operands, err := getopt.Parse(strings.Fields(c.args), spec())
		if got := show(opts, operands); err != nil || strings.TrimSpace(got) != c.want {
			t.Errorf("Parse(%q) = %s, %v; want %s", c.args, got, err, c.want)
		}
	}
}

func TestParseStopsAtTheFirstOperandWhenTold(t *testing.T) {
	opts, operands, err := getopt.Parse([]string{"-a", "x", "-b", "--", "y"}, getopt.Spec{Short: "+ab"})
	if got, want := show(opts, operands), "a | x -b -- y"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestParseNumbersAsOptions(t *testing.T) {
	for _, c := range []struct{ short, args, want string }{
		{"ac:", "-5 x", "NUM=5 | x"},
		{"ac:", "-12a3", "NUM=12 a NUM=3 |"},
		{"ac:", "-ac -5", "a c=-5 |"},
		{"a5", "-5a", "5 a |"}, // a digit that is an option itself
	} {
		opts, operands, err := getopt.Parse(strings.Fields(c.args), getopt.Spec{Short: c.short, Digits: true})
		if got := show(opts, operands); err != nil || strings.TrimSpace(got) != c.want {
			t.Errorf("Parse(%q) = %s, %v; want %s", c.args, got, err, c.want)
		}
	}
}

func TestParseReportsMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"-x":        "invalid option -- 'x'",
		"-ax":       "invalid option -- 'x'",
		"-:":        "invalid option -- ':'",
		"-5":        "invalid option -- '5'",
		"-Z":        "unsupported option -- 'Z'",
		"-an":       "option requires an argument -- 'n'",
		"--lines":   "option '--lines' requires an argument",
		"--all=x":   "option '--all' doesn't allow an argument",
		"--foo":     "unrecognized option '--foo'",
		"--context": "unsupported option '--context'",
		"--col=x":   "option '--col' is ambiguous; possibilities: '--colour' '--color'",
		"--li":      "option '--li' is ambiguous; possibilities: '--lines' '--link'",
	} {
		opts, operands, err := getopt.Parse([]string{args}, spec())
		var mistake *getopt.Error
		if !errors.As(err, &mistake) || mistake.Msg != want || opts != nil || operands != nil {
			t.Errorf("Parse(%q): %v, want %s", args, err, want)
		}
	}
}

func TestParseLeavesItsArgumentsAlone(t *testing.T) {
	args := []string{"x", "-a", "--", "y"}
	before := slices.Clone(args)
	if _, operands, err := getopt.Parse(args, spec()); err != nil {
		t.Fatal(err)
	} else {
		_ = append(operands, "z")
	}
	if !slices.Equal(args, before) {
		t.Errorf("args became %q", args)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-abn5 --lines=3 -- x")
	f.Add("--colo=é -é -o")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		opts, operands, err := getopt.Parse(args, spec())
		if err != nil {
			return
		}
		size := 0
		for _, o := range opts {
			size += len(o.Arg)
		}
		for _, o := range operands {
			size += len(o)
		}
		if size > len(line) {
			t.Errorf("Parse(%q) made %v %q out of it", line, opts, operands)
		}
	})
}

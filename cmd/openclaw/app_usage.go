package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/sandbox"
)

// The mistakes that the flag package tells in words of its own, with one dash whatever was written.
var (
	unknownFlag  = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	missingValue = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	badValue     = regexp.MustCompile(`^invalid (?:boolean )?value "((?s).*)" for (?:flag )?-([^:]+): (?:.*)$`)
)

// flagError puts a mistake in an option into the words that all commands use.
func flagError(flags []cli.Flag, err error) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		return errUnknownFlag(flags, m[1])
	}
	if m := missingValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("option %s needs a value", dashed(m[1]))
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		return errBadValue(flags, m[2], m[1])
	}
	return err
}

func errUnknownFlag(flags []cli.Flag, name string) error {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	if near := nearest(name, append(names, "help")); near != "" {
		return fmt.Errorf("unknown option %s: did you mean %s?", dashed(name), dashed(near))
	}
	return fmt.Errorf("unknown option %s", dashed(name))
}

func errBadValue(flags []cli.Flag, name, value string) error {
	switch flagNamed(flags, name).(type) {
	case *cli.BoolFlag:
		return fmt.Errorf("option %s takes no value but true or false", dashed(name))
	case *cli.DurationFlag:
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			return fmt.Errorf("%s %q: a duration needs a unit: write %ss for %s seconds", dashed(name), value, value, value)
		}
		return fmt.Errorf("%s %q: not a duration (examples: 500ms, 5s, 2m, 1m30s)", dashed(name), value)
	}
	return fmt.Errorf("%s %q: not a value of this option", dashed(name), value)
}

// dashed writes an option as people do.
func dashed(name string) string {
	name = strings.TrimLeft(name, "-")
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

// flagKind tells whether there is an option of a name, and whether it is a switch.
func flagKind(flags []cli.Flag, name string) (isSwitch, known bool) {
	f := flagNamed(flags, name)
	_, isSwitch = f.(*cli.BoolFlag)
	return isSwitch, f != nil
}

// errUnknownCommand names the command that was probably meant.
func errUnknownCommand(name string, commands []*cli.Command) error {
	var names []string
	for _, c := range commands {
		names = append(names, c.Names()...)
	}
	if near := nearest(name, names); near != "" {
		return fmt.Errorf("unknown command %q: did you mean %s? (try 'openclaw --help')", name, near)
	}
	return fmt.Errorf("unknown command %q (try 'openclaw --help')", name)
}

// nearest returns the one of names that somebody who wrote name is likely to have meant, or "".
func nearest(name string, names []string) string {
	best, least := "", len(name)/3+1 // more edits than this are another word
	for _, candidate := range names {
		if len(candidate) < 2 {
			continue
		}
		d := distance(name, candidate)
		if len(name) > 1 && strings.HasPrefix(candidate, name) {
			d = 1
		}
		if d <= least && (best == "" || d < least) {
			best, least = candidate, d
		}
	}
	return best
}

// distance is how many bytes must be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// plainText is an error for the one who typed the command: without the names of packages, and with those of options.
func plainText(err error) string {
	text := err.Error()
	var signal signalError
	switch {
	case errors.Is(err, sandbox.ErrBadGrant):
		text = limitOfGrant.ReplaceAllString(text, "--$1: ")
		text = strings.Replace(text, `sandbox: mount "/workspace": `, "workspace: ", 1)
		text = strings.Replace(text, sandbox.ErrBadGrant.Error()+": ", "", 1)
	case errors.Is(err, sandbox.ErrBadCommand):
		text = strings.Replace(text, sandbox.ErrBadCommand.Error()+": ", "", 1)
		text = ofToolbox.ReplaceAllString(text, "")
	case errors.As(err, &signal):
		text = ofToolbox.ReplaceAllString(text, "")
	}
	return strings.Replace(text, "toolwasm: call ", "tool ", 1)
}

var (
	limitOfGrant = regexp.MustCompile(`sandbox: limit ([a-z]+): bad grant: `)
	ofToolbox    = regexp.MustCompile(`sandbox: (?:run|load) toolbox: `)
)

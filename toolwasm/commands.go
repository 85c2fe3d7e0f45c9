package toolwasm

import (
	_ "embed"
	"slices"
	"strings"

	"openclaw/sandbox"
)

// commands.txt has the names of the toolbox's commands, sorted, one on a line. A test writes it and keeps it true.
//
//go:embed commands.txt
var commandNames string

// Commands lists the commands that scripts find in the toolbox, sorted.
func Commands() []string { return strings.Fields(commandNames) }

// HasCommand tells whether scripts find a command in the toolbox, or a program that comes with it.
func HasCommand(name string) bool {
	_, ok := slices.BinarySearch(Commands(), name)
	return ok || slices.ContainsFunc(Programs(), func(p sandbox.NamedProgram) bool { return p.Name == name })
}

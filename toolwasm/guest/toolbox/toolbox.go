// Package toolbox puts the commands together into the one program that a session's tools run in.
package toolbox

import (
	"openclaw/toolwasm/guest/archive"
	"openclaw/toolwasm/guest/awk"
	"openclaw/toolwasm/guest/bc"
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/differ"
	"openclaw/toolwasm/guest/digest"
	"openclaw/toolwasm/guest/files"
	"openclaw/toolwasm/guest/filetool"
	"openclaw/toolwasm/guest/jq"
	"openclaw/toolwasm/guest/reactor"
	"openclaw/toolwasm/guest/search"
	"openclaw/toolwasm/guest/sed"
	"openclaw/toolwasm/guest/shell"
	"openclaw/toolwasm/guest/system"
	"openclaw/toolwasm/guest/text"
)

// Table returns every command of the toolbox.
func Table() command.Table {
	return command.NewTable(
		shell.Commands(), search.Commands(), sed.Commands(), awk.Commands(), jq.Commands(), bc.Commands(),
		files.Commands(), archive.Commands(), text.Commands(), digest.Commands(), differ.Commands(),
		system.Commands(), filetool.Commands(),
	)
}

// Program is the toolbox as one program, whose commands run each other by the rules of the shell.
func Program() *reactor.Program {
	table := Table()
	return reactor.WithSpawner("toolbox", table, shell.NewSpawner(table))
}

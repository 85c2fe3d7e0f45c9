// Package text holds the commands that pass text through: cat, sort, cut, tr and their kin.
//
// They stream: memory is bounded wherever GNU's is, and what a pipe brings is passed on as it comes.
package text

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "cat", Run: catCommand, Help: catHelp},
		{Name: "cut", Run: cutCommand, Help: cutHelp},
		{Name: "head", Run: headCommand, Help: headHelp},
		{Name: "paste", Run: pasteCommand, Help: pasteHelp},
		{Name: "rev", Run: revCommand, Help: revHelp},
		{Name: "sort", Run: sortCommand, Help: sortHelp},
		{Name: "tac", Run: tacCommand, Help: tacHelp},
		{Name: "tail", Run: tailCommand, Help: tailHelp},
		{Name: "tr", Run: trCommand, Help: trHelp},
		{Name: "uniq", Run: uniqCommand, Help: uniqHelp},
		{Name: "wc", Run: wcCommand, Help: wcHelp},
	}
}

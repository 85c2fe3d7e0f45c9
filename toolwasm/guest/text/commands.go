// Package text holds the commands that pass text through: cat, sort, cut, tr and their kin.
//
// They stream: memory is bounded wherever GNU's is, and what a pipe brings is passed on as it comes.
package text

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "cat", Run: catCommand, Help: catHelp},
		{Name: "column", Run: columnCommand, Help: columnHelp},
		{Name: "comm", Run: commCommand, Help: commHelp},
		{Name: "csplit", Run: csplitCommand, Help: csplitHelp},
		{Name: "cut", Run: cutCommand, Help: cutHelp},
		{Name: "dos2unix", Run: dos2unixCommand, Help: dos2unixHelp},
		{Name: "expand", Run: expandCommand, Help: expandHelp},
		{Name: "fmt", Run: fmtCommand, Help: fmtHelp},
		{Name: "fold", Run: foldCommand, Help: foldHelp},
		{Name: "head", Run: headCommand, Help: headHelp},
		{Name: "iconv", Run: iconvCommand, Help: iconvHelp},
		{Name: "join", Run: joinCommand, Help: joinHelp},
		{Name: "less", Run: pagerCommand, Help: lessHelp},
		{Name: "more", Run: pagerCommand, Help: moreHelp},
		{Name: "nl", Run: nlCommand, Help: nlHelp},
		{Name: "numfmt", Run: numfmtCommand, Help: numfmtHelp},
		{Name: "paste", Run: pasteCommand, Help: pasteHelp},
		{Name: "rev", Run: revCommand, Help: revHelp},
		{Name: "seq", Run: seqCommand, Help: seqHelp},
		{Name: "shuf", Run: shufCommand, Help: shufHelp},
		{Name: "sort", Run: sortCommand, Help: sortHelp},
		{Name: "split", Run: splitCommand, Help: splitHelp},
		{Name: "sponge", Run: spongeCommand, Help: spongeHelp},
		{Name: "strings", Run: stringsCommand, Help: stringsHelp},
		{Name: "tac", Run: tacCommand, Help: tacHelp},
		{Name: "tail", Run: tailCommand, Help: tailHelp},
		{Name: "tee", Run: teeCommand, Help: teeHelp},
		{Name: "tr", Run: trCommand, Help: trHelp},
		{Name: "tsort", Run: tsortCommand, Help: tsortHelp},
		{Name: "unexpand", Run: unexpandCommand, Help: unexpandHelp},
		{Name: "uniq", Run: uniqCommand, Help: uniqHelp},
		{Name: "unix2dos", Run: unix2dosCommand, Help: unix2dosHelp},
		{Name: "wc", Run: wcCommand, Help: wcHelp},
		{Name: "yes", Run: yesCommand, Help: yesHelp},
	}
}

// Package program makes commands of the programs that run outside of the guest, in instances of their own: CPython, git.
//
// To the shell, and to whatever else runs commands, they are commands like those of the toolbox: with arguments, directory,
// environment, umask, and any number of streams. A stream that the host knows (a file, the standard streams of the call) is
// handed on as it is. For one that lives in the guest alone (a pipe of a pipeline, a here-document, the output of a
// substitution) a goroutine carries the bytes. It takes from the guest's side only what the program asks for, so that
// what the program leaves is there for the next command, and it ends a program's writing when nobody reads any more.
package program

import "openclaw/toolwasm/guest/command"

// Install adds the programs of the host to a table. A command of the table goes before a program of the same name, unless
// the program says otherwise. Natively there is no host that has any.
func Install(table command.Table) { install(table) }

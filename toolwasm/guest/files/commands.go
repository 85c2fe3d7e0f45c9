// Package files holds the commands that make, move, list and describe files.
//
// Each behaves as its GNU namesake does for the options that people use. Directories are walked in the order of their
// names, so that two runs over one tree say the same.
package files

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "basename", Run: basename, Help: basenameHelp},
		{Name: "chgrp", Run: chown, Help: chownHelp},
		{Name: "chmod", Run: chmod, Help: chmodHelp},
		{Name: "chown", Run: chown, Help: chownHelp},
		{Name: "cp", Run: cp, Help: cpHelp},
		{Name: "dd", Run: dd, Help: ddHelp},
		{Name: "df", Run: df, Help: dfHelp},
		{Name: "dir", Run: dir, Help: dirHelp},
		{Name: "dirname", Run: dirname, Help: dirnameHelp},
		{Name: "du", Run: du, Help: duHelp},
		{Name: "file", Run: fileCommand, Help: fileHelp},
		{Name: "find", Run: find, Help: findHelp},
		{Name: "install", Run: install, Help: installHelp},
		{Name: "link", Run: link, Help: linkHelp},
		{Name: "ln", Run: ln, Help: lnHelp},
		{Name: "ls", Run: ls, Help: lsHelp},
		{Name: "mkdir", Run: mkdir, Help: mkdirHelp},
		{Name: "mkfifo", Run: mkfifo, Help: mkfifoHelp},
		{Name: "mktemp", Run: mktemp, Help: mktempHelp},
		{Name: "mv", Run: mv, Help: mvHelp},
		{Name: "pathchk", Run: pathchk, Help: pathchkHelp},
		{Name: "readlink", Run: readlink, Help: readlinkHelp},
		{Name: "realpath", Run: realpath, Help: realpathHelp},
		{Name: "rm", Run: rm, Help: rmHelp},
		{Name: "rmdir", Run: rmdir, Help: rmdirHelp},
		{Name: "shred", Run: shred, Help: shredHelp},
		{Name: "stat", Run: statCommand, Help: statHelp},
		{Name: "sync", Run: syncCommand, Help: syncHelp},
		{Name: "touch", Run: touch, Help: touchHelp},
		{Name: "tree", Run: tree, Help: treeHelp},
		{Name: "truncate", Run: truncate, Help: truncateHelp},
		{Name: "unlink", Run: unlink, Help: unlinkHelp},
		{Name: "vdir", Run: vdir, Help: vdirHelp},
	}
}

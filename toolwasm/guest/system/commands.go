// Package system holds the commands about the environment, time and processes: env, xargs, date, timeout, id and their
// kin, and the calculators expr and factor.
//
// What they say of the system is about the sandbox; nothing of the host is visible.
package system

import (
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "arch", Run: fact(machine), Help: factHelp("arch", "the kind of machine")},
		{Name: "cal", Run: calCommand, Help: calHelp},
		{Name: "clear", Run: clearCommand, Help: clearHelp},
		{Name: "date", Run: dateCommand, Help: dateHelp},
		{Name: "env", Run: envCommand, Help: envHelp},
		{Name: "envsubst", Run: envsubstCommand, Help: envsubstHelp},
		{Name: "expr", Run: exprCommand, Help: exprHelp},
		{Name: "factor", Run: factorCommand, Help: factorHelp},
		{Name: "free", Run: freeCommand, Help: freeHelp},
		{Name: "getconf", Run: getconfCommand, Help: getconfHelp},
		{Name: "groups", Run: fact(sys.Group), Help: factHelp("groups", "the groups of the user")},
		{Name: "hostname", Run: hostnameCommand, Help: hostnameHelp},
		{Name: "id", Run: idCommand, Help: idHelp},
		{Name: "locale", Run: localeCommand, Help: localeHelp},
		{Name: "logname", Run: fact(sys.User), Help: factHelp("logname", "the name of the user")},
		{Name: "man", Run: manCommand, Help: manHelp},
		{Name: "nice", Run: niceCommand, Help: niceHelp},
		{Name: "nohup", Run: nohupCommand, Help: nohupHelp},
		{Name: "nproc", Run: nprocCommand, Help: nprocHelp},
		{Name: "printenv", Run: printenvCommand, Help: printenvHelp},
		{Name: "ps", Run: psCommand, Help: psHelp},
		{Name: "reset", Run: resetCommand, Help: resetHelp},
		{Name: "setsid", Run: setsidCommand, Help: setsidHelp},
		{Name: "sleep", Run: sleepCommand, Help: sleepHelp},
		{Name: "stdbuf", Run: stdbufCommand, Help: stdbufHelp},
		{Name: "stty", Run: sttyCommand, Help: sttyHelp},
		{Name: "time", Run: timeCommand, Help: timeHelp},
		{Name: "timeout", Run: timeoutCommand, Help: timeoutHelp},
		{Name: "tput", Run: tputCommand, Help: tputHelp},
		{Name: "tty", Run: ttyCommand, Help: ttyHelp},
		{Name: "uname", Run: unameCommand, Help: unameHelp},
		{Name: "uptime", Run: uptimeCommand, Help: uptimeHelp},
		{Name: "uuidgen", Run: uuidgenCommand, Help: uuidgenHelp},
		{Name: "which", Run: whichCommand, Help: whichHelp},
		{Name: "whoami", Run: fact(sys.User), Help: factHelp("whoami", "the name of the user")},
		{Name: "xargs", Run: xargsCommand, Help: xargsHelp},
	}
}

package system

import (
	"os"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// Exit statuses of commands that run others.
const (
	statusTimedOut  = 124
	statusCannot    = 125
	statusCannotRun = 126
	statusNoCommand = 127
)

// findCommand reports why a command cannot be run, with the status for it; 0 when it can.
func findCommand(p *command.Proc, name string) (status int, cause string) {
	if _, ok := p.LookPath(p, name); ok {
		return 0, ""
	}
	if !strings.Contains(name, "/") {
		return statusNoCommand, "No such file or directory"
	}
	info, err := p.Stat(name)
	switch {
	case err != nil && os.IsNotExist(err):
		return statusNoCommand, sys.Strerror(err)
	case err != nil:
		return statusCannotRun, sys.Strerror(err)
	case info.IsDir() || info.Mode&0o111 == 0:
		return statusCannotRun, "Permission denied"
	}
	return 0, ""
}

// runCommand runs the rest of a command line, reporting in the given words what cannot be run.
func runCommand(p *command.Proc, argv []string, spec command.Spec, message string) int {
	if status, cause := findCommand(p, argv[0]); status != 0 {
		name := quote.Locale(argv[0])
		if p.Name == "nohup" {
			name = quote.Always(argv[0])
		}
		p.Errorf("%s%s: %s", message, name, cause)
		return status
	}
	_ = p.Flush()
	spec.Argv = argv
	return p.Spawn(p, spec)
}

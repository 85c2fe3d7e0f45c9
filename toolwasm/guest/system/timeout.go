package system

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const sleepHelp = `Usage: sleep NUMBER[SUFFIX]...
Wait for the sum of the NUMBERs. SUFFIX is s for seconds, m for minutes, h for hours, d for days.
`

const timeoutHelp = `Usage: timeout [OPTION]... DURATION COMMAND [ARG]...
Run COMMAND and end it after DURATION, a number with a suffix s, m, h or d. The exit status is then 124.

  -f, --foreground       accepted
  -k, --kill-after=TIME  accepted: a command that is ended cannot go on
  -p, --preserve-status  the exit status is that of COMMAND
  -s, --signal=SIGNAL    the signal that the command ends by (TERM)
  -v, --verbose          tell when COMMAND is ended
`

// parseDuration reads a number of seconds, or of minutes, hours or days.
func parseDuration(s string) (time.Duration, bool) {
	unit := 1.0
	digits := s
	if s != "" {
		switch s[len(s)-1] {
		case 's':
			digits = s[:len(s)-1]
		case 'm':
			unit, digits = 60, s[:len(s)-1]
		case 'h':
			unit, digits = 3600, s[:len(s)-1]
		case 'd':
			unit, digits = 24*3600, s[:len(s)-1]
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil && !math.IsInf(n, 0) || math.IsNaN(n) || n < 0 || strings.ContainsAny(digits, "_") {
		return 0, false
	}
	ns := n * unit * float64(time.Second)
	if ns >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return time.Duration(math.Ceil(ns)), true
}

func sleepCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{})
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	var total time.Duration
	bad := false
	for _, s := range operands {
		d, ok := parseDuration(s)
		if !ok {
			p.Errorf("invalid time interval %s", quote.Locale(s))
			bad = true
			continue
		}
		if total+d < total {
			total = math.MaxInt64
			continue
		}
		total += d
	}
	if bad {
		_, _ = p.Stderr.Write([]byte("Try 'sleep --help' for more information.\n"))
		return 1
	}
	timer := time.NewTimer(total)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.Ctx.Done():
		p.Yield()
	}
	return 0
}

func timeoutCommand(p *command.Proc) int {
	opts, operands := p.Options(statusCannot, getopt.Spec{
		Short: "+fk:ps:v",
		Long: []getopt.Long{
			{Name: "foreground", Short: 'f'},
			{Name: "kill-after", Arg: getopt.Required, Short: 'k'},
			{Name: "preserve-status", Short: 'p'},
			{Name: "signal", Arg: getopt.Required, Short: 's'},
			{Name: "verbose", Short: 'v'},
		},
	})
	const term = 15
	sig, preserve, verbose := term, false, false
	for _, o := range opts {
		switch o.Name {
		case "k":
			if _, ok := parseDuration(o.Arg); !ok {
				return p.Usage(statusCannot, "invalid time interval %s", quote.Locale(o.Arg))
			}
		case "p":
			preserve = true
		case "s":
			var ok bool
			if sig, ok = signalNumber(o.Arg); !ok {
				return p.Usage(statusCannot, "%s: invalid signal", quote.Locale(o.Arg))
			}
		case "v":
			verbose = true
		}
	}
	if len(operands) < 2 {
		_, _ = p.Stderr.Write([]byte("Try 'timeout --help' for more information.\n"))
		return statusCannot
	}
	d, ok := parseDuration(operands[0])
	if !ok {
		return p.Usage(statusCannot, "invalid time interval %s", quote.Locale(operands[0]))
	}
	return runFor(p, operands[1:], d, sig, preserve, verbose)
}

func runFor(p *command.Proc, argv []string, d time.Duration, sig int, preserve, verbose bool) int {
	ctx, cancel := context.WithCancelCause(p.Ctx)
	defer cancel(nil)
	expired := make(chan struct{})
	if d > 0 {
		timer := time.AfterFunc(d, func() {
			close(expired)
			cancel(&command.Signal{Number: sig})
		})
		defer timer.Stop()
	}
	status := runCommand(p, argv, command.Spec{Ctx: ctx}, "failed to run command ")
	select {
	case <-expired:
	default:
		return status
	}
	if verbose {
		p.Errorf("sending signal %s to command %s", signalName(sig), quote.Locale(argv[0]))
	}
	const kill = 9
	if preserve || sig == kill {
		return command.StatusSignalBase + sig
	}
	return statusTimedOut
}

var signalNames = [...]string{
	1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE", 9: "KILL", 10: "USR1", 11: "SEGV",
	12: "USR2", 13: "PIPE", 14: "ALRM", 15: "TERM", 16: "STKFLT", 17: "CHLD", 18: "CONT", 19: "STOP", 20: "TSTP", 21: "TTIN",
	22: "TTOU", 23: "URG", 24: "XCPU", 25: "XFSZ", 26: "VTALRM", 27: "PROF", 28: "WINCH", 29: "POLL", 30: "PWR", 31: "SYS",
}

func signalName(n int) string {
	if n > 0 && n < len(signalNames) {
		return signalNames[n]
	}
	return strconv.Itoa(n)
}

func signalNumber(s string) (int, bool) {
	const most = 64
	if n, err := strconv.Atoi(s); err == nil {
		return n, n >= 0 && n <= most
	}
	s = strings.TrimPrefix(strings.ToUpper(s), "SIG")
	for n, name := range signalNames {
		if name != "" && name == s {
			return n, true
		}
	}
	return 0, false
}

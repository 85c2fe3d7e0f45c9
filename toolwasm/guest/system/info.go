package system

import (
	"fmt"
	"path"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// What the sandbox says of itself. Nothing of it is the host's.
const (
	kernelName    = "Linux"
	kernelRelease = "6.1.0"
	kernelVersion = "#1 SMP"
	machine       = "wasm32"
	osName        = "GNU/Linux"
	processors    = 1
	columns       = 80
	rows          = 24
)

const unameHelp = `Usage: uname [OPTION]...
Write what the system says of itself: of the sandbox, not of the machine it runs on.

  -a, --all                all of it
  -s, --kernel-name        the name of the kernel (the default)
  -n, --nodename           the name of the host
  -r, --kernel-release     the release of the kernel
  -v, --kernel-version     the version of the kernel
  -m, --machine            the kind of machine
  -p, --processor          the kind of processor
  -i, --hardware-platform  the platform
  -o, --operating-system   the operating system
`

func unameCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "asnrvmpio",
		Long: []getopt.Long{
			{Name: "all", Short: 'a'},
			{Name: "kernel-name", Short: 's'},
			{Name: "nodename", Short: 'n'},
			{Name: "kernel-release", Short: 'r'},
			{Name: "kernel-version", Short: 'v'},
			{Name: "machine", Short: 'm'},
			{Name: "processor", Short: 'p'},
			{Name: "hardware-platform", Short: 'i'},
			{Name: "operating-system", Short: 'o'},
		},
	})
	if len(operands) > 0 {
		return p.Usage(1, "extra operand %s", quote.Locale(operands[0]))
	}
	asked := ""
	for _, o := range opts {
		asked += strings.Replace(o.Name, "a", "snrvmo", 1)
	}
	if asked == "" {
		asked = "s"
	}
	var words []string
	for _, f := range []struct{ letter, value string }{
		{"s", kernelName},
		{"n", sys.Host},
		{"r", kernelRelease},
		{"v", kernelVersion},
		{"m", machine},
		{"p", machine},
		{"i", machine},
		{"o", osName},
	} {
		if strings.Contains(asked, f.letter) {
			words = append(words, f.value)
		}
	}
	_, _ = p.Out().WriteString(strings.Join(words, " ") + "\n")
	return 0
}

// fact returns a command that writes one line.
func fact(line string) command.Func {
	return func(p *command.Proc) int {
		_, operands := p.Options(1, getopt.Spec{})
		if len(operands) > 0 {
			return p.Usage(1, "extra operand %s", quote.Locale(operands[0]))
		}
		_, _ = p.Out().WriteString(line + "\n")
		return 0
	}
}

func factHelp(name, what string) string {
	return "Usage: " + name + "\nWrite " + what + ".\n"
}

const hostnameHelp = `Usage: hostname [OPTION]
Write the name of the sandbox.

  -s, --short, -f, --fqdn, -i, --ip-address  accepted
`

func hostnameCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "sfiIdA",
		Long: []getopt.Long{
			{Name: "short", Short: 's'},
			{Name: "fqdn", Short: 'f'},
			{Name: "long", Short: 'f'},
			{Name: "ip-address", Short: 'i'},
			{Name: "domain", Short: 'd'},
			{Name: "all-ip-addresses", Short: 'I'},
		},
	})
	if len(operands) > 0 {
		p.Errorf("you must be root to change the host name")
		return 1
	}
	line := sys.Host
	for _, o := range opts {
		switch o.Name {
		case "i", "I":
			line = "127.0.0.1"
		case "d":
			line = ""
		}
	}
	_, _ = p.Out().WriteString(line + "\n")
	return 0
}

const idHelp = `Usage: id [OPTION]... [USER]
Write who the user and the groups are.

  -g, --group   the group only
  -G, --groups  all groups
  -n, --name    names instead of numbers
  -r, --real    accepted
  -u, --user    the user only
  -z, --zero    end with NUL
`

func idCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "agGnruz",
		Long: []getopt.Long{
			{Name: "group", Short: 'g'},
			{Name: "groups", Short: 'G'},
			{Name: "name", Short: 'n'},
			{Name: "real", Short: 'r'},
			{Name: "user", Short: 'u'},
			{Name: "zero", Short: 'z'},
		},
		Unsupported: "Z", UnsupLong: []string{"context"},
	})
	kind, names, end := "", false, "\n"
	for _, o := range opts {
		switch o.Name {
		case "g", "G", "u":
			if kind != "" && kind != o.Name {
				p.Errorf("cannot print \"only\" of more than one choice")
				return 1
			}
			kind = o.Name
		case "n":
			names = true
		case "z":
			end = "\x00"
		}
	}
	if names && kind == "" {
		p.Errorf("cannot print only names or real IDs in default format")
		return 1
	}
	for _, u := range operands {
		if u != sys.User && u != strconv.Itoa(sys.UID) {
			p.Errorf("%s: no such user", quote.Locale(u))
			return 1
		}
	}
	number, name := sys.GID, sys.Group
	if kind == "u" {
		number, name = sys.UID, sys.User
	}
	switch {
	case kind == "":
		fmt.Fprintf(p.Out(), "uid=%d(%s) gid=%d(%s) groups=%d(%s)%s", sys.UID, sys.User, sys.GID, sys.Group, sys.GID, sys.Group, end)
	case names:
		_, _ = p.Out().WriteString(name + end)
	default:
		_, _ = p.Out().WriteString(strconv.Itoa(number) + end)
	}
	return 0
}

const nprocHelp = `Usage: nproc [OPTION]...
Write how many processors there are.

      --all       all there are
      --ignore=N  N fewer, if possible
`

func nprocCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Long: []getopt.Long{{Name: "all"}, {Name: "ignore", Arg: getopt.Required}}})
	for _, o := range opts {
		if _, err := strconv.ParseUint(o.Arg, 10, 64); o.Name == "ignore" && err != nil {
			p.Errorf("invalid number: %s", quote.Locale(o.Arg))
			return 1
		}
	}
	if len(operands) > 0 {
		return p.Usage(1, "extra operand %s", quote.Locale(operands[0]))
	}
	_, _ = p.Out().WriteString(strconv.Itoa(processors) + "\n")
	return 0
}

const whichHelp = `Usage: which [-as] COMMAND...
Write which file each COMMAND stands for.

  -a  all of them
  -s  write nothing; the exit status tells
`

func whichCommand(p *command.Proc) int {
	opts, operands := p.Options(2, getopt.Spec{Short: "as"})
	all, silent := false, false
	for _, o := range opts {
		all = all || o.Name == "a"
		silent = silent || o.Name == "s"
	}
	status := 0
	for _, name := range operands {
		found := lookAll(p, name, all)
		if len(found) == 0 {
			status = 1
		}
		for _, f := range found {
			if !silent {
				_, _ = p.Out().WriteString(f + "\n")
			}
		}
	}
	if len(operands) == 0 {
		return 1
	}
	return status
}

// lookAll lists what a name stands for, the first or all of it.
func lookAll(p *command.Proc, name string, all bool) []string {
	first, ok := p.LookPath(p, name)
	if !ok {
		return nil
	}
	found := []string{first}
	if !all || strings.Contains(name, "/") {
		return found
	}
	dirs, _ := p.Env.Get("PATH")
	for _, dir := range strings.Split(dirs, ":") {
		file := path.Join(dir, name)
		info, err := p.Stat(file)
		if err == nil && info.IsRegular() && info.Mode&0o111 != 0 && file != first {
			found = append(found, file)
		}
	}
	return found
}

const getconfHelp = `Usage: getconf NAME [PATH]
Write the value of a configuration variable.
`

func getconfCommand(p *command.Proc) int {
	values := map[string]string{
		"ARG_MAX": "2097152", "CHAR_BIT": "8", "CHILD_MAX": "1024", "CLK_TCK": "100", "HOST_NAME_MAX": "64", "INT_MAX": "2147483647",
		"INT_MIN": "-2147483648", "LINE_MAX": "2048", "LOGIN_NAME_MAX": "256", "LONG_BIT": "64", "NAME_MAX": "255",
		"OPEN_MAX": "1024", "PAGESIZE": "65536", "PAGE_SIZE": "65536", "PATH": "/usr/bin:/bin", "PATH_MAX": "4096",
		"PIPE_BUF": "4096", "UINT_MAX": "4294967295", "_NPROCESSORS_CONF": strconv.Itoa(processors),
		"_NPROCESSORS_ONLN": strconv.Itoa(processors), "_POSIX_VERSION": "200809", "SSIZE_MAX": "32767",
	}
	if len(p.Args) == 1 && p.Args[0] == "-a" {
		names := make([]string, 0, len(values))
		for n := range values {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			fmt.Fprintf(p.Out(), "%-34s %s\n", n, values[n])
		}
		return 0
	}
	if len(p.Args) < 1 || len(p.Args) > 2 {
		_, _ = p.Stderr.Write([]byte("Usage: getconf NAME [PATH]\n"))
		return 2
	}
	v, ok := values[p.Args[0]]
	if !ok {
		p.Errorf("Unrecognized variable `%s'", p.Args[0])
		return 2
	}
	_, _ = p.Out().WriteString(v + "\n")
	return 0
}

const localeHelp = `Usage: locale [-a | -m | NAME...]
Write the locale.

  -a  all locales there are
  -m  all character maps there are
`

func localeCommand(p *command.Proc) int {
	if len(p.Args) == 0 {
		lang, _ := p.Env.Get("LANG")
		all, _ := p.Env.Get("LC_ALL")
		effective := "C.UTF-8"
		if all != "" {
			effective = all
		} else if lang != "" {
			effective = lang
		}
		fmt.Fprintf(p.Out(), "LANG=%s\n", lang)
		for _, c := range []string{
			"CTYPE", "NUMERIC", "TIME", "COLLATE", "MONETARY", "MESSAGES", "PAPER", "NAME", "ADDRESS", "TELEPHONE", "MEASUREMENT", "IDENTIFICATION",
		} {
			fmt.Fprintf(p.Out(), "LC_%s=%q\n", c, effective)
		}
		fmt.Fprintf(p.Out(), "LC_ALL=%s\n", all)
		return 0
	}
	switch p.Args[0] {
	case "-a", "--all-locales":
		_, _ = p.Out().WriteString("C\nC.utf8\nPOSIX\n")
	case "-m", "--charmaps":
		_, _ = p.Out().WriteString("UTF-8\n")
	case "charmap":
		_, _ = p.Out().WriteString("UTF-8\n")
	default:
		p.Errorf("unknown name %q", p.Args[0])
		return 1
	}
	return 0
}

const psHelp = `Usage: ps [OPTION]...
Write the processes of the sandbox: the shell that this command runs in. Options are accepted.
`

func psCommand(p *command.Proc) int {
	full := false
	for _, a := range p.Args {
		full = full || strings.Contains(a, "f") || strings.Contains(a, "u")
	}
	if full {
		_, _ = p.Out().WriteString("UID          PID    PPID  C STIME TTY          TIME CMD\n")
		fmt.Fprintf(p.Out(), "%-8s %7d %7d  0 00:00 ?        00:00:00 sh\n", sys.User, 1, 0)
		fmt.Fprintf(p.Out(), "%-8s %7d %7d  0 00:00 ?        00:00:00 ps\n", sys.User, p.PID, 1)
		return 0
	}
	_, _ = p.Out().WriteString("    PID TTY          TIME CMD\n")
	fmt.Fprintf(p.Out(), "%7d ?        00:00:00 sh\n%7d ?        00:00:00 ps\n", 1, p.PID)
	return 0
}

const freeHelp = `Usage: free [-bkmgh]
Write how much memory the sandbox has taken and uses, in KiB or in the unit of the letter.
`

func freeCommand(p *command.Proc) int {
	opts, _ := p.Options(1, getopt.Spec{Short: "bkmghtw", Long: []getopt.Long{{Name: "human", Short: 'h'}}})
	shift, suffix := 10, ""
	for _, o := range opts {
		switch o.Name {
		case "b":
			shift = 0
		case "m":
			shift = 20
		case "g":
			shift = 30
		case "h":
			shift, suffix = 20, "Mi"
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	show := func(n uint64) string { return strconv.FormatUint(n>>shift, 10) + suffix }
	out := p.Out()
	fmt.Fprintf(out, "%-7s %11s %11s %11s %11s %11s %11s\n", "", "total", "used", "free", "shared", "buff/cache", "available")
	used := m.Sys - m.HeapIdle
	// What the call may have is the machine; natively nobody says.
	total := max(uint64(sys.MemoryLimit()), m.Sys)
	free := total - used
	fmt.Fprintf(out, "%-7s %11s %11s %11s %11s %11s %11s\n", "Mem:", show(total), show(used), show(free), show(0), show(0), show(free))
	fmt.Fprintf(out, "%-7s %11s %11s %11s\n", "Swap:", show(0), show(0), show(0))
	return 0
}

const uptimeHelp = `Usage: uptime [-ps]
Write the time. The sandbox begins with the call that it runs, and has no load.
`

func uptimeCommand(p *command.Proc) int {
	opts, _ := p.Options(1, getopt.Spec{Short: "ps", Long: []getopt.Long{{Name: "pretty", Short: 'p'}, {Name: "since", Short: 's'}}})
	now := time.Now().In(datetime.Location(p.Env))
	line := now.Format(" 15:04:05") + " up 0 min,  0 users,  load average: 0.00, 0.00, 0.00"
	for _, o := range opts {
		switch o.Name {
		case "p":
			line = "up 0 minutes"
		case "s":
			line = now.Format("2006-01-02 15:04:05")
		}
	}
	_, _ = p.Out().WriteString(line + "\n")
	return 0
}

const manHelp = `Usage: man NAME...
There are no manual pages here: this says how to get a command's help text.
`

func manCommand(p *command.Proc) int {
	const noEntry = 16
	_, operands := p.Options(1, getopt.Spec{Short: "akf"})
	if len(operands) == 0 {
		_, _ = p.Stderr.Write([]byte("What manual page do you want?\n"))
		return 1
	}
	for _, name := range operands {
		if _, ok := p.Table[name]; ok {
			fmt.Fprintf(p.Stderr, "No manual entry for %s; try '%s --help'.\n", name, name)
			continue
		}
		fmt.Fprintf(p.Stderr, "No manual entry for %s\n", name)
	}
	return noEntry
}

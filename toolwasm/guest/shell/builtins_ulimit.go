package shell

import (
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// resource is what ulimit knows of one resource.
type resource struct {
	letter byte
	name   string
	unit   string // "" for a plain count
}

const pipeBlocks = 8 // of 512 bytes

// resources lists them in the order of ulimit -a.
func resources() []resource {
	return []resource{
		{'c', "core file size", "blocks"},
		{'d', "data seg size", "kbytes"},
		{'e', "scheduling priority", ""},
		{'f', "file size", "blocks"},
		{'i', "pending signals", ""},
		{'l', "max locked memory", "kbytes"},
		{'m', "max memory size", "kbytes"},
		{'n', "open files", ""},
		{'p', "pipe size", "512 bytes"},
		{'q', "POSIX message queues", "bytes"},
		{'r', "real-time priority", ""},
		{'s', "stack size", "kbytes"},
		{'t', "cpu time", "seconds"},
		{'u', "max user processes", ""},
		{'v', "virtual memory", "kbytes"},
		{'x', "file locks", ""},
	}
}

// unlimited is the value of a resource that has no limit.
const unlimited int64 = -1

// resourceLimit is the limits of a resource.
type resourceLimit struct{ soft, hard int64 }

// usualLimit is what a guest may use as long as the script has set nothing.
func usualLimit(letter byte) resourceLimit {
	n := unlimited
	switch letter {
	case 'c', 'e', 'r', 'q':
		n = 0
	case 'n':
		n = maxFD
	case 'p':
		n = pipeBlocks
	case 'u':
		n = maxProcesses
	case 'm', 'v':
		if limit := sys.MemoryLimit(); limit > 0 {
			n = limit >> 10
		}
	}
	return resourceLimit{n, n}
}

func (sh *Shell) limit(letter byte) resourceLimit {
	if l, ok := sh.limits[letter]; ok {
		return l
	}
	return usualLimit(letter)
}

// builtinUlimit is ulimit: it shows what a guest may use, which the host enforces, and keeps what a script sets below that.
func builtinUlimit(sh *Shell, args []string) int {
	type request struct {
		letter  byte
		operand string
	}
	var asked []request
	hard, soft, all := false, false, false
	for _, a := range args[1:] {
		if len(a) < 2 || a[0] != '-' {
			if len(asked) == 0 {
				asked = append(asked, request{letter: 'f'})
			}
			asked[len(asked)-1].operand = a
			continue
		}
		for _, c := range []byte(a[1:]) {
			switch {
			case c == 'H':
				hard = true
			case c == 'S':
				soft = true
			case c == 'a':
				all = true
			case resourceOf(c) != nil:
				asked = append(asked, request{letter: c})
			default:
				return sh.usage("ulimit", "-"+string(c)+": invalid option", "ulimit [-SHacdefilmnpqrstuvx] [limit]")
			}
		}
	}
	if all {
		for _, r := range resources() {
			sh.showLimit(r, hard, true)
		}
		return 0
	}
	if len(asked) == 0 {
		asked = []request{{letter: 'f'}}
	}
	status := 0
	for _, a := range asked {
		r := *resourceOf(a.letter)
		if a.operand == "" {
			sh.showLimit(r, hard, len(asked) > 1)
			continue
		}
		status = max(status, sh.setLimit(r, a.operand, hard, soft))
	}
	return status
}

func resourceOf(letter byte) *resource {
	for _, r := range resources() {
		if r.letter == letter {
			return &r
		}
	}
	return nil
}

func (sh *Shell) showLimit(r resource, hard, named bool) {
	l := sh.limit(r.letter)
	n := l.soft
	if hard {
		n = l.hard
	}
	value := "unlimited"
	if n != unlimited {
		value = strconv.FormatInt(n, 10)
	}
	if !named {
		sh.print(value + "\n")
		return
	}
	unit := "-" + string(r.letter)
	if r.unit != "" {
		unit = r.unit + ", " + unit
	}
	const width = 38
	sh.printf("%s%*s %s\n", r.name, width+len("(-n)")-len(r.name), "("+unit+")", value)
}

// setLimit lowers a limit, or raises the soft one up to the hard one.
func (sh *Shell) setLimit(r resource, operand string, hard, soft bool) int {
	l := sh.limit(r.letter)
	n := unlimited
	switch operand {
	case "unlimited":
	case "hard":
		n = l.hard
	case "soft":
		n = l.soft
	default:
		var err error
		if n, err = strconv.ParseInt(operand, 10, 64); err != nil || n < 0 {
			sh.errorf("ulimit: %s: invalid number", strings.TrimSpace(operand))
			return 1
		}
	}
	if !hard && !soft {
		hard, soft = true, true
	}
	above := func(a, b int64) bool { return b != unlimited && (a == unlimited || a > b) }
	if above(n, l.hard) || hard && !soft && above(l.soft, n) {
		sh.errorf("ulimit: %s: cannot modify limit: Operation not permitted", r.name)
		return 1
	}
	if hard {
		l.hard = n
	}
	if soft {
		l.soft = n
	}
	if sh.limits == nil {
		sh.limits = map[byte]resourceLimit{}
	}
	sh.limits[r.letter] = l
	return 0
}

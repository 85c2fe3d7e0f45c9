package files

import (
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// backupControl says which backup names cp, mv, ln and install make.
type backupControl int

const (
	backupNone backupControl = iota
	backupSimple
	backupNumbered
	backupExisting
)

// backups is the state of --backup and --suffix.
type backups struct {
	control backupControl
	suffix  string
}

// backupSpec are the options that the commands with backups share.
const backupShort = "bS:"

func backupLong() []getopt.Long {
	return []getopt.Long{{Name: "backup", Arg: getopt.Optional}, {Name: "suffix", Arg: getopt.Required, Short: 'S'}}
}

// option takes o when it is about backups.
func (b *backups) option(p *command.Proc, o getopt.Option) bool {
	switch o.Name {
	case "b", "backup":
		control := o.Arg
		if !o.HasArg {
			control, _ = p.Env.Get("VERSION_CONTROL")
		}
		c, ok := parseControl(control)
		if !ok {
			p.Exit(p.Usage(1, "invalid argument %s for %s", quote.Locale(control), quote.Locale("backup type")))
		}
		b.control = c
	case "S":
		b.suffix = o.Arg
		if b.control == backupNone {
			b.control = backupExisting
		}
	default:
		return false
	}
	return true
}

func parseControl(s string) (backupControl, bool) {
	switch s {
	case "", "existing", "nil":
		return backupExisting, true
	case "none", "off":
		return backupNone, true
	case "simple", "never":
		return backupSimple, true
	case "numbered", "t":
		return backupNumbered, true
	}
	return backupNone, false
}

func (b *backups) name(p *command.Proc, dst string) string {
	suffix := b.suffix
	if suffix == "" {
		suffix, _ = p.Env.Get("SIMPLE_BACKUP_SUFFIX")
	}
	if suffix == "" || strings.Contains(suffix, "/") {
		suffix = "~"
	}
	if b.control == backupSimple {
		return dst + suffix
	}
	highest := highestBackup(p, dst)
	if b.control == backupExisting && highest == 0 {
		return dst + suffix
	}
	return dst + ".~" + strconv.Itoa(highest+1) + "~"
}

// highestBackup is the largest N of an existing dst.~N~.
func highestBackup(p *command.Proc, dst string) int {
	highest := 0
	entries, err := sys.ReadDir(p.Path(dirName(dst)))
	if err != nil {
		return 0
	}
	prefix := baseName(dst) + ".~"
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || !strings.HasSuffix(number, "~") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(number, "~")); err == nil && n > highest {
			highest = n
		}
	}
	return highest
}

// save moves dst to its backup name and returns that; "" when no backups are made.
func (b *backups) save(p *command.Proc, dst string) (string, error) {
	if b.control == backupNone {
		return "", nil
	}
	name := b.name(p, dst)
	return name, sys.Rename(p.Path(dst), p.Path(name))
}

package files

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const touchHelp = `Usage: touch [OPTION]... FILE...
Set the times of files to now, making files that do not exist.

  -a                   only the access time
  -c, --no-create      make no files
  -d, --date=TEXT      use the time that TEXT names instead of now
  -f                   ignored
  -h, --no-dereference set the times of a symbolic link itself
  -m                   only the modification time
  -r, --reference=FILE use FILE's times instead of now
  -t STAMP             use [[CC]YY]MMDDhhmm[.ss] instead of now
      --time=WORD      access, atime, use: like -a; modify, mtime: like -m
`

// toucher is a running touch.
type toucher struct {
	p            *command.Proc
	atime, mtime time.Time
	onlyA, onlyM bool
	noCreate     bool
	noDeref      bool
}

func touch(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "acd:fhmr:t:",
		Long: []getopt.Long{
			{Name: "no-create", Short: 'c'},
			{Name: "date", Arg: getopt.Required, Short: 'd'},
			{Name: "no-dereference", Short: 'h'},
			{Name: "reference", Arg: getopt.Required, Short: 'r'},
			{Name: "time", Arg: getopt.Required},
		},
	})
	t := &toucher{p: p}
	date, reference, stamp := "", "", ""
	haveDate := false
	for _, o := range opts {
		switch o.Name {
		case "a":
			t.onlyA = true
		case "m":
			t.onlyM = true
		case "c":
			t.noCreate = true
		case "d":
			date, haveDate = o.Arg, true
		case "h":
			t.noDeref = true
		case "r":
			reference = o.Arg
		case "t":
			stamp = o.Arg
		case "time":
			switch o.Arg {
			case "access", "atime", "use":
				t.onlyA = true
			case "modify", "mtime":
				t.onlyM = true
			default:
				return p.Usage(1, "invalid argument %s for %s", quote.Locale(o.Arg), quote.Locale("--time"))
			}
		}
	}
	if stamp != "" && (haveDate || reference != "") {
		return p.Usage(1, "cannot specify times from more than one source")
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing file operand")
	}
	if !t.times(date, haveDate, reference, stamp) {
		return 1
	}
	failed := false
	for _, name := range operands {
		failed = !t.touch(name) || failed
	}
	return statusOf(failed)
}

// times works out which times are set.
func (t *toucher) times(date string, haveDate bool, reference, stamp string) bool {
	p := t.p
	loc := datetime.Location(p.Env)
	now := time.Now().In(loc)
	t.atime, t.mtime = now, now
	if reference != "" {
		info, err := stat(p, reference, !t.noDeref)
		if err != nil {
			p.Errorf("failed to get attributes of %s: %s", quote.Always(reference), sys.Strerror(err))
			return false
		}
		t.atime, t.mtime = info.Atime, info.Mtime
	}
	if stamp != "" {
		when, ok := parseStamp(stamp, now)
		if !ok {
			p.Errorf("invalid date format %s", quote.Locale(stamp))
			return false
		}
		t.atime, t.mtime = when, when
	}
	if haveDate {
		a, err := datetime.Parse(date, t.atime.In(loc), loc)
		m, err2 := datetime.Parse(date, t.mtime.In(loc), loc)
		if err != nil || err2 != nil {
			p.Errorf("invalid date format %s", quote.Locale(date))
			return false
		}
		t.atime, t.mtime = a, m
	}
	if t.onlyA && !t.onlyM {
		t.mtime = time.Time{}
	}
	if t.onlyM && !t.onlyA {
		t.atime = time.Time{}
	}
	return true
}

// parseStamp reads touch -t's [[CC]YY]MMDDhhmm[.ss].
func parseStamp(s string, now time.Time) (time.Time, bool) {
	const pivot = 69 // two-digit years from here on are of the last century
	digits, seconds, hasSeconds := strings.Cut(s, ".")
	sec := 0
	if hasSeconds {
		n, err := strconv.Atoi(seconds)
		if err != nil || len(seconds) != 2 || n > 60 {
			return time.Time{}, false
		}
		sec = n
	}
	for _, r := range digits {
		if r < '0' || r > '9' {
			return time.Time{}, false
		}
	}
	year := now.Year()
	switch len(digits) {
	case 8:
	case 10:
		year, _ = strconv.Atoi(digits[:2])
		if year < pivot {
			year += 100
		}
		year += 1900
		digits = digits[2:]
	case 12:
		year, _ = strconv.Atoi(digits[:4])
		digits = digits[4:]
	default:
		return time.Time{}, false
	}
	num := func(i int) int { return int(digits[i]-'0')*10 + int(digits[i+1]-'0') }
	month, day, hour, minute := num(0), num(2), num(4), num(6)
	when := time.Date(year, time.Month(month), day, hour, minute, sec, 0, now.Location())
	ok := month >= 1 && month <= 12 && int(when.Month()) == month && when.Day() == day && hour < 24 && minute < 60
	return when, ok
}

func (t *toucher) touch(name string) bool {
	p := t.p
	if name == "-" {
		return true
	}
	full := p.Path(name)
	_, err := stat(p, name, !t.noDeref)
	if errors.Is(err, fs.ErrNotExist) {
		if t.noCreate || t.noDeref {
			return t.noCreate || !t.report("setting times of", name, err)
		}
		f, err := p.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return !t.report("cannot touch", name, err)
		}
		_ = f.Close()
	} else if err != nil {
		return !t.report("setting times of", name, err)
	}
	set := sys.Chtimes
	if t.noDeref {
		set = sys.Lchtimes
	}
	if err := set(full, t.atime, t.mtime); err != nil {
		return !t.report("setting times of", name, err)
	}
	return true
}

// report says what failed and returns true.
func (t *toucher) report(what, name string, err error) bool {
	t.p.Errorf("%s %s: %s", what, quote.Always(name), sys.Strerror(err))
	return true
}

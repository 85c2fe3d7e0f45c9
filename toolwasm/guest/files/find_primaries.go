package files

import (
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/sys"
)

// tested reads a test with an argument.
func (q *findParser) tested(name, arg string) (test, error) {
	switch name {
	case "-name", "-iname":
		return q.byName(name, arg)
	case "-path", "-ipath", "-wholename", "-iwholename":
		return q.byPath(name, arg)
	case "-lname", "-ilname":
		return q.byTarget(name, arg)
	case "-regex", "-iregex":
		return q.byRegex(name, arg)
	case "-type", "-xtype":
		return q.byType(name, arg)
	case "-size":
		return q.bySize(arg)
	case "-perm":
		return q.byPerm(arg)
	case "-newer", "-anewer", "-cnewer":
		return q.newer(name, arg)
	case "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-used":
		return q.byAge(name, arg)
	case "-links", "-inum", "-uid", "-gid":
		return q.byNumber(name, arg)
	case "-user", "-group":
		return q.byOwner(name, arg)
	case "-samefile":
		return q.sameFile(arg)
	case "-fstype":
		return func(*visit) bool { return arg == filesystemType }, nil
	}
	return q.newerXY(name, arg)
}

// filesystemType is what every mount of the sandbox calls itself.
const filesystemType = "sandbox"

func globFlags(fold bool) glob.Flags {
	if fold {
		return glob.IgnoreCase
	}
	return 0
}

func compileGlob(name, arg string) (*glob.Pattern, error) {
	pattern, err := glob.Compile(arg, globFlags(strings.HasPrefix(name, "-i")))
	if err != nil {
		return nil, invalid(name, arg)
	}
	return pattern, nil
}

func (q *findParser) byName(name, arg string) (test, error) {
	pattern, err := compileGlob(name, arg)
	if err != nil {
		return nil, err
	}
	return func(v *visit) bool { return pattern.Match(baseName(v.path)) }, nil
}

func (q *findParser) byPath(name, arg string) (test, error) {
	pattern, err := compileGlob(name, arg)
	if err != nil {
		return nil, err
	}
	return func(v *visit) bool { return pattern.Match(v.path) }, nil
}

func (q *findParser) byTarget(name, arg string) (test, error) {
	pattern, err := compileGlob(name, arg)
	if err != nil {
		return nil, err
	}
	p := q.f.p
	return func(v *visit) bool {
		if v.kind != 'l' {
			return false
		}
		target, err := sys.Readlink(p.Path(v.path))
		return err == nil && pattern.Match(target)
	}, nil
}

// dialects is the list that the error for an unknown -regextype shows.
const dialects = "‘findutils-default’, ‘ed’, ‘emacs’, ‘gnu-awk’, ‘grep’, ‘posix-awk’, ‘awk’, ‘posix-basic’, " +
	"‘posix-egrep’, ‘egrep’, ‘posix-extended’, ‘posix-minimal-basic’, ‘sed’"

func dialectFlags(name string) (regex.Flags, bool) {
	switch name {
	case "", "findutils-default", "emacs":
		return regex.Emacs, true
	case "ed", "sed", "grep", "posix-basic", "posix-minimal-basic":
		return 0, true
	case "posix-extended":
		return regex.ERE, true
	case "egrep", "posix-egrep":
		return regex.ERE | regex.Lenient, true
	case "awk", "gnu-awk", "posix-awk":
		return regex.ERE | regex.Awk, true
	}
	return 0, false
}

func (q *findParser) byRegex(name, arg string) (test, error) {
	flags, _ := dialectFlags(q.dialect)
	if name == "-iregex" {
		flags |= regex.IgnoreCase
	}
	re, err := regex.Compile(arg, flags|regex.NoSub)
	if err != nil {
		return nil, complain("failed to compile regular expression '%s': %s", arg, err.Error())
	}
	re.SetYield(q.f.p.Yield)
	var where []int
	return func(v *visit) bool {
		b := []byte(v.path)
		where = re.Find(where[:0], b, 0, false)
		return where != nil && where[0] == 0 && where[1] == len(b)
	}, nil
}

func (q *findParser) byType(name, arg string) (test, error) {
	if arg == "" {
		return nil, complain("Arguments to %s should contain at least one letter", name)
	}
	var kinds []byte
	for part := range strings.SplitSeq(arg, ",") {
		if len(part) == 0 {
			return nil, complain("Last file type in list argument to %s is missing, i.e., list is ending on: ','", name)
		}
		if !strings.ContainsRune("bcdpflsD", rune(part[0])) {
			return nil, complain("Unknown argument to %s: %c", name, part[0])
		}
		if len(part) > 1 {
			return nil, complain("Must separate multiple arguments to %s using: ','", name)
		}
		kinds = append(kinds, part[0])
	}
	has := func(k byte) bool { return strings.IndexByte(string(kinds), k) >= 0 }
	f := q.f
	if name == "-type" {
		return func(v *visit) bool { return has(v.kind) }, nil
	}
	return func(v *visit) bool { return has(f.otherKind(v)) }, nil
}

// otherKind is the type of the file seen the other way: through the link when links are not followed, and the link
// itself when they are.
func (f *finder) otherKind(v *visit) byte {
	follows := f.follow != followAlways
	info, err := stat(f.p, v.path, follows)
	if err != nil {
		if follows {
			return 'l'
		}
		return 0
	}
	return kindLetter(info)
}

// comparison is the sign of a numeric argument.
type comparison struct {
	sign byte // '+', '-' or 0
	n    int64
	frac float64
}

func parseComparison(s string) (comparison, bool) {
	c := comparison{}
	if s != "" && (s[0] == '+' || s[0] == '-') {
		c.sign = s[0]
		s = s[1:]
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || s == "" || strings.Trim(s, "0123456789.") != "" || x > math.MaxInt64/2 {
		return c, false
	}
	c.n, c.frac = int64(x), x
	return c, true
}

func (c comparison) match(n int64) bool {
	switch c.sign {
	case '+':
		return n > c.n
	case '-':
		return n < c.n
	}
	return n == c.n
}

func (q *findParser) bySize(arg string) (test, error) {
	unit := int64(512)
	number := arg
	if arg != "" {
		switch arg[len(arg)-1] {
		case 'b':
		case 'c':
			unit = 1
		case 'w':
			unit = 2
		case 'k':
			unit = 1 << 10
		case 'M':
			unit = 1 << 20
		case 'G':
			unit = 1 << 30
		default:
			if c := arg[len(arg)-1]; c < '0' || c > '9' {
				return nil, complain("invalid -size type %s", quoteTick(arg[len(arg)-1:]))
			}
			number += "b"
		}
		number = number[:len(number)-1]
	}
	if arg == "" {
		return nil, complain("invalid null argument to -size")
	}
	c, ok := parseComparison(number)
	if !ok || strings.Contains(number, ".") {
		return nil, complain("Invalid argument %s to -size", quoteTick(arg))
	}
	f := q.f
	return func(v *visit) bool {
		f.stat(v)
		return v.err == nil && c.match((v.info.Size+unit-1)/unit)
	}, nil
}

func (q *findParser) byPerm(arg string) (test, error) {
	kind := byte(0)
	text := arg
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		kind, text = arg[0], arg[1:]
	}
	expr, ok := perm.Parse(text)
	if !ok {
		return nil, complain("invalid mode %s", quote.Locale(arg))
	}
	file, dir := expr.Apply(0, false, 0), expr.Apply(0, true, 0)
	f := q.f
	return func(v *visit) bool {
		f.stat(v)
		if v.err != nil {
			return false
		}
		want := file
		if v.kind == 'd' {
			want = dir
		}
		have := perm.Bits(v.info.Mode)
		switch kind {
		case '-':
			return have&want == want
		case '/':
			return want == 0 || have&want != 0
		}
		return have == want
	}, nil
}

// fileTime picks one of a file's times: a, c or m. Where births are not recorded, the modification stands for them.
func fileTime(i sys.Info, which byte) time.Time {
	switch which {
	case 'a':
		return i.Atime
	case 'c':
		return i.Ctime
	}
	return i.Mtime
}

func (q *findParser) newer(name, arg string) (test, error) {
	x := byte('m')
	if name != "-newer" {
		x = name[1]
	}
	return q.newerThanFile(x, 'm', arg)
}

func (q *findParser) newerThanFile(x, y byte, name string) (test, error) {
	info, err := stat(q.f.p, name, q.f.follow != followNever)
	if err != nil {
		return nil, complain("%s: %s", quote.Locale(name), sys.Strerror(err))
	}
	return q.after(x, fileTime(info, y)), nil
}

func (q *findParser) after(x byte, when time.Time) test {
	f := q.f
	return func(v *visit) bool {
		f.stat(v)
		return v.err == nil && fileTime(v.info, x).After(when)
	}
}

func (q *findParser) newerXY(name, arg string) (test, error) {
	x, y := name[len("-newer")], name[len("-newer")+1]
	if y != 't' {
		return q.newerThanFile(x, y, arg)
	}
	when, err := datetime.Parse(arg, q.f.now, q.f.loc)
	if err != nil {
		return nil, complain("I cannot figure out how to interpret %s as a date or time", quote.Locale(arg))
	}
	return q.after(x, when), nil
}

// byAge reads -mtime and its kin: whole units since the time, fractions dropped.
func (q *findParser) byAge(name, arg string) (test, error) {
	c, ok := parseComparison(arg)
	if !ok {
		return nil, invalid(name, arg)
	}
	f := q.f
	if name == "-used" {
		return func(v *visit) bool {
			f.stat(v)
			return v.err == nil && c.match(int64(v.info.Atime.Sub(v.info.Ctime)/(24*time.Hour)))
		}, nil
	}
	unit := 24 * time.Hour
	origin := q.dayEnd
	if strings.HasSuffix(name, "min") {
		unit = time.Minute
	} else if !q.fromDay {
		origin = f.now
	}
	which := name[1]
	return func(v *visit) bool {
		f.stat(v)
		if v.err != nil {
			return false
		}
		return c.matchAge(origin.Sub(fileTime(v.info, which)), unit)
	}, nil
}

// matchAge compares an age: +N means more than N whole units and -N less than N, both exactly; N means that the age
// lies in the unit that ends at N+1 (for minutes: that begins after N-1).
func (c comparison) matchAge(age, unit time.Duration) bool {
	units := age.Seconds() / unit.Seconds()
	minutes := unit == time.Minute
	switch {
	case c.sign == '+' && minutes:
		return units > c.frac
	case c.sign == '+':
		return units >= c.frac+1
	case c.sign == '-':
		return units < c.frac
	case minutes:
		return units > c.frac-1 && units <= c.frac
	}
	return units >= c.frac && units < c.frac+1
}

func (q *findParser) byNumber(name, arg string) (test, error) {
	c, ok := parseComparison(arg)
	if !ok || strings.Contains(arg, ".") {
		return nil, invalid(name, arg)
	}
	f := q.f
	pick := func(i sys.Info) int64 {
		switch name {
		case "-links":
			return int64(i.Nlink)
		case "-inum":
			return int64(i.Ino)
		case "-uid":
			return int64(i.UID)
		}
		return int64(i.GID)
	}
	return func(v *visit) bool {
		f.stat(v)
		return v.err == nil && c.match(pick(v.info))
	}, nil
}

func (q *findParser) byOwner(name, arg string) (test, error) {
	known, id := sys.User, sys.UID
	if name == "-group" {
		known, id = sys.Group, sys.GID
	}
	if arg == known {
		return always, nil
	}
	if n, err := strconv.Atoi(arg); err == nil {
		return func(*visit) bool { return n == id }, nil
	}
	if arg == "root" {
		return func(*visit) bool { return false }, nil
	}
	if name == "-group" {
		return nil, complain("%s is not the name of an existing group", quote.Locale(arg))
	}
	return nil, complain("%s is not the name of a known user", quote.Locale(arg))
}

func (q *findParser) sameFile(arg string) (test, error) {
	f := q.f
	want, err := stat(f.p, arg, f.follow != followNever)
	if err != nil {
		return nil, complain("%s: %s", quote.Locale(arg), sys.Strerror(err))
	}
	return func(v *visit) bool {
		f.stat(v)
		return v.err == nil && v.info.Same(want)
	}, nil
}

// empty is true for regular files of size zero and directories without entries.
func (f *finder) empty(v *visit) bool {
	switch v.kind {
	case 'f':
		f.stat(v)
		return v.err == nil && v.info.Size == 0
	case 'd':
		entries, err := sys.ReadDir(f.p.Path(v.path))
		if err != nil {
			f.errorf("%s: %s", quote.Locale(v.path), sys.Strerror(err))
		}
		return err == nil && len(entries) == 0
	}
	return false
}

// access tests what the one user of the sandbox may do, by the bits for the owner.
func (f *finder) access(name string) test {
	bit := fs.FileMode(0o400)
	switch name {
	case "-writable":
		bit = 0o200
	case "-executable":
		bit = 0o100
	}
	return func(v *visit) bool {
		info, err := f.p.Stat(v.path)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		return err == nil && info.Mode&bit != 0
	}
}

package datetime

import (
	"strings"
	"time"

	_ "time/tzdata" // the sandbox has no zoneinfo directory
)

// Environ is where the zone of a command is looked up.
type Environ interface {
	Get(name string) (string, bool)
}

// Location returns the zone that TZ in the environment names; UTC when it is not set.
func Location(env Environ) *time.Location {
	if env == nil {
		return time.UTC
	}
	tz, ok := env.Get("TZ")
	if !ok {
		return time.UTC
	}
	return Zone(tz)
}

// Zone returns the zone for a value of TZ as the C library understands it: the name of a zone (Europe/Berlin), or a
// POSIX rule (EST5EDT,M3.2.0,M11.1.0). What is neither is UTC under the name it begins with.
func Zone(tz string) *time.Location {
	tz = strings.TrimPrefix(tz, ":")
	if tz == "" || tz == "UTC" || tz == "UTC0" {
		return time.UTC
	}
	if tz != "Local" {
		if loc, err := time.LoadLocation(tz); err == nil {
			return loc
		}
	}
	if loc := posixZone(tz); loc != nil {
		return loc
	}
	return time.FixedZone(fallbackName(tz), 0)
}

// fallbackName is the abbreviation the C library shows for a zone that it cannot make sense of.
func fallbackName(tz string) string {
	n := 0
	for n < len(tz) && isAlpha(tz[n]) {
		n++
	}
	if n < 3 {
		return "UTC"
	}
	return tz[:n]
}

// posixZone makes a zone of a POSIX TZ rule. The time package understands such rules only as the footer of a
// zoneinfo file, so it is given a file with one zone and that footer.
func posixZone(tz string) *time.Location {
	if len(tz) > 255 || strings.ContainsAny(tz, "\n\x00") {
		return nil
	}
	name, off, ok := posixStandard(tz)
	if !ok {
		return nil
	}
	loc, err := time.LoadLocationFromTZData(tz, zoneFile(name, off, tz))
	if err != nil {
		return nil
	}
	return loc
}

// posixStandard reads the name and the offset in seconds east of UTC that a POSIX rule begins with.
func posixStandard(tz string) (name string, off int, ok bool) {
	rest := ""
	if strings.HasPrefix(tz, "<") {
		end := strings.IndexByte(tz, '>')
		if end < 4 {
			return "", 0, false
		}
		name, rest = tz[1:end], tz[end+1:]
	} else {
		n := 0
		for n < len(tz) && isAlpha(tz[n]) {
			n++
		}
		if n < 3 {
			return "", 0, false
		}
		name, rest = tz[:n], tz[n:]
	}
	if rest == "" {
		return "", 0, false
	}
	sign := -1 // POSIX counts west of Greenwich as positive
	switch rest[0] {
	case '-':
		sign, rest = 1, rest[1:]
	case '+':
		rest = rest[1:]
	}
	if rest == "" || !isDigit(rest[0]) {
		return "", 0, false
	}
	unit := 3600
	for unit > 0 {
		n, i := 0, 0
		for i < len(rest) && i < 3 && isDigit(rest[i]) {
			n = n*10 + int(rest[i]-'0')
			i++
		}
		off += n * unit
		rest = rest[i:]
		if rest == "" || rest[0] != ':' {
			break
		}
		rest = rest[1:]
		unit /= 60
	}
	return name, sign * off, true
}

// zoneFile builds a version 2 zoneinfo file: an empty version 1 block, a block with one zone, and the rule.
func zoneFile(name string, off int, rule string) []byte {
	header := func(types, chars int) []byte {
		b := make([]byte, 44)
		copy(b, "TZif2")
		b[39] = byte(types)
		b[43] = byte(chars)
		return b
	}
	out := append(header(1, 1), 0, 0, 0, 0, 0, 0, 0)
	out = append(out, header(1, len(name)+1)...)
	out = append(out, byte(off>>24), byte(off>>16), byte(off>>8), byte(off), 0, 0)
	out = append(append(out, name...), 0)
	return append(append(append(out, '\n'), rule...), '\n')
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

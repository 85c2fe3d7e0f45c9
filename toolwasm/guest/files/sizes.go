package files

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"openclaw/toolwasm/guest/quantity"
)

// sizeUnit is how sizes are written: in multiples of size, or for people in powers of human.
type sizeUnit struct {
	size   int64
	human  int64 // 1000 or 1024; 0 for none
	suffix string
}

// format writes n bytes, rounded up.
func (u sizeUnit) format(n int64) string {
	if u.human != 0 {
		return humanSize(n, u.human)
	}
	if u.size <= 1 {
		return strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt((n+u.size-1)/u.size, 10) + u.suffix
}

// humanSize writes n with one digit after the point below ten of a unit, rounded up as GNU does.
func humanSize(n, base int64) string {
	units := "KMGTPE"
	if base == 1000 {
		units = "kMGTPE"
	}
	if n < base {
		return strconv.FormatInt(n, 10)
	}
	unit := int64(1)
	at := -1
	for n/unit >= base && at < len(units)-1 {
		unit *= base
		at++
	}
	if tenths := ceilDiv(n, unit, 10); tenths < 100 {
		return fmt.Sprintf("%d.%d%c", tenths/10, tenths%10, units[at])
	}
	whole := ceilDiv(n, unit, 1)
	if whole >= base && at < len(units)-1 {
		return fmt.Sprintf("1.0%c", units[at+1])
	}
	return fmt.Sprintf("%d%c", whole, units[at])
}

// ceilDiv is n*times/unit rounded up, without overflow.
func ceilDiv(n, unit, times int64) int64 {
	q, r := n/unit, n%unit
	extra := int64(0)
	if r > 0 {
		x := float64(r) * float64(times) / float64(unit)
		extra = int64(x)
		if float64(extra) < x {
			extra++
		}
	}
	return q*times + extra
}

// parseUnit reads the argument of --block-size.
func parseUnit(s string) (sizeUnit, bool) {
	switch s {
	case "human-readable":
		return sizeUnit{human: 1024}, true
	case "si":
		return sizeUnit{human: 1000}, true
	}
	s = strings.TrimPrefix(s, "'")
	n, err := quantity.Parse(s, quantity.Loose)
	if err != nil || n <= 0 {
		return sizeUnit{}, false
	}
	u := sizeUnit{size: n}
	if s[0] < '0' || s[0] > '9' {
		u.suffix = s // a unit without a number is shown with each size
	}
	return u, true
}

// displayWidth is how many columns s takes on a terminal.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < ' ' || (r >= 0x7f && r < 0xa0):
		return 0
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f900 && r <= 0x1f9ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

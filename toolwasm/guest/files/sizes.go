package files

import (
	"fmt"
	"strconv"
	"strings"

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

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

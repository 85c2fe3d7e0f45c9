package awk

import (
	"math"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/strftime"
)

// defaultTimeFormat is what strftime() uses without a format.
const defaultTimeFormat = "%a %b %e %H:%M:%S %Z %Y"

// location is the time zone of the environment.
func (in *interp) location() *time.Location {
	if in.p.Env == nil {
		return time.UTC
	}
	return datetime.Location(in.p.Env)
}

func (c *compiler) strftime(n *node) *expr {
	args := c.exprs(n.kids)
	return strExpr(func(in *interp) string {
		format, now, loc := defaultTimeFormat, time.Now(), in.location()
		if f := in.vars[slotPROCINFO].a.find(key{s: "strftime"}); f != nil {
			format = in.str(f)
		}
		if len(args) > 0 {
			format = args[0].str(in)
		}
		if len(args) > 1 {
			n := math.Floor(args[1].num(in))
			now = time.Unix(int64(n), 0)
		}
		if len(args) > 2 && args[2].truth(in) {
			loc = time.UTC
		}
		return strftime.Format(format, now.In(loc))
	})
}

// mktime reads "YYYY MM DD HH MM SS [DST]"; anything else is -1.
func (c *compiler) mktime(n *node) *expr {
	spec := c.expr(n.kids[0]).str
	var utc *expr
	if len(n.kids) > 1 {
		utc = c.expr(n.kids[1])
	}
	return numExpr(func(in *interp) float64 {
		loc := in.location()
		fields := strings.Fields(spec(in))
		if utc != nil && utc.truth(in) {
			loc = time.UTC
		}
		const least = 6
		if len(fields) < least {
			return -1
		}
		var v [least]int
		for i := range v {
			x, err := strconv.Atoi(fields[i])
			if err != nil {
				return -1
			}
			v[i] = x
		}
		return float64(time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], 0, loc).Unix())
	})
}

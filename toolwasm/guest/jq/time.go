package jq

import (
	"math"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/strftime"
)

// fieldsOfTime is how many numbers make a broken down time.
const fieldsOfTime = 8

func (r *run) location() *time.Location {
	if r.p.Env == nil {
		return time.UTC
	}
	return datetime.Location(r.p.Env)
}

// brokenDown is a time as jq's functions exchange it: year, month from 0, day, hours, minutes, seconds, weekday, day of the year.
func brokenDown(t time.Time, fraction float64) *array {
	return newArray([]any{
		float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()),
		float64(t.Second()) + fraction, float64(t.Weekday()), float64(t.YearDay() - 1),
	})
}

func breakDown(v any, name string, loc *time.Location) (any, error) {
	f, ok := toFloat(v)
	if !ok {
		return nil, errorf("%s() requires a number", name)
	}
	const limit = 1e14
	if math.IsNaN(f) || math.Abs(f) > limit {
		return nil, errorf("error converting number of seconds since epoch to datetime")
	}
	whole := math.Floor(f)
	return brokenDown(time.Unix(int64(whole), 0).In(loc), f-whole), nil
}

func gmtime(v any) (any, error) { return breakDown(v, "gmtime", time.UTC) }

// fromBroken makes a time of broken down numbers.
func fromBroken(v any, name string, loc *time.Location) (time.Time, error) {
	a, ok := v.(*array)
	const least = 6
	if !ok || len(a.items) < least {
		return time.Time{}, errorf("%s requires array of 6 numbers", name)
	}
	var n [fieldsOfTime]int
	for i := range min(len(a.items), fieldsOfTime) {
		f, ok := toFloat(a.items[i])
		if !ok {
			return time.Time{}, errorf("%s requires parsed datetime inputs", name)
		}
		n[i] = int(math.Max(math.MinInt32, math.Min(math.MaxInt32, math.Floor(f))))
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, loc), nil
}

func mktime(v any) (any, error) {
	if _, ok := v.(*array); !ok {
		return nil, errorf("mktime requires array of 6 numbers")
	}
	t, err := fromBroken(v, "mktime", time.UTC)
	if err != nil {
		return nil, err
	}
	return float64(t.Unix()), nil
}

// timeFormat is strftime and strflocaltime.
func timeFormat(v, format any, name string, loc *time.Location) (any, error) {
	switch v.(type) {
	case float64, *literal:
		var err error
		if v, err = breakDown(v, name, loc); err != nil {
			return nil, err
		}
	case *array:
	default:
		return nil, errorf("%s/1 requires parsed datetime inputs", name)
	}
	f, ok := format.(string)
	if !ok {
		return nil, errorf("%s/1 requires a string format", name)
	}
	t, err := fromBroken(v, name+"/1", loc)
	if err != nil {
		return nil, err
	}
	return strftime.Format(f, t), nil
}

func strptime(v, format any) (any, error) {
	s, ok1 := v.(string)
	f, ok2 := format.(string)
	if !ok1 || !ok2 {
		return nil, errorf("strptime/1 requires string inputs and arguments")
	}
	p := timeParser{s: s, year: 1900, day: 0}
	if !p.parse(f) || p.s != "" {
		return nil, errorf("date \"%s\" does not match format \"%s\"", s, f)
	}
	return brokenDown(p.time(), 0), nil
}

// timeParser reads a time by a format as strptime of the C library does.
type timeParser struct {
	s                            string
	year, month, day             int
	hour, minute, second         int
	pm, hour12, hasDay, hasMonth bool
	yday                         int
	hasYday                      bool
	unix                         int64
	hasUnix                      bool
	offset                       int
}

func (p *timeParser) time() time.Time {
	if p.hasUnix {
		return time.Unix(p.unix, 0).UTC()
	}
	hour := p.hour
	if p.hour12 {
		hour %= 12
		if p.pm {
			hour += 12
		}
	}
	month, day := p.month, p.day
	if !p.hasDay {
		day = 1
	}
	if p.hasYday && !p.hasDay {
		month, day = 0, p.yday
	}
	return time.Date(p.year, time.Month(month+1), day, hour, p.minute, p.second, 0, time.UTC)
}

// number reads up to width digits between lo and hi.
func (p *timeParser) number(width, lo, hi int) (int, bool) {
	p.s = strings.TrimLeft(p.s, " ")
	n := 0
	for n < len(p.s) && n < width && isDigit(p.s[n]) {
		n++
	}
	v, err := strconv.Atoi(p.s[:n])
	if err != nil || v < lo || v > hi {
		return 0, false
	}
	p.s = p.s[n:]
	return v, true
}

// name reads one of the names, long or with three letters, in any case.
func (p *timeParser) name(full func(int) string, count int) (int, bool) {
	const short = 3
	for i := range count {
		for _, n := range []string{full(i), full(i)[:short]} {
			if len(p.s) >= len(n) && strings.EqualFold(p.s[:len(n)], n) {
				p.s = p.s[len(n):]
				return i, true
			}
		}
	}
	return 0, false
}

func (p *timeParser) parse(format string) bool {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			p.s = strings.TrimLeft(p.s, " \t\n\v\f\r")
		case c != '%' || i+1 == len(format):
			if p.s == "" || p.s[0] != c {
				return false
			}
			p.s = p.s[1:]
		default:
			i++
			for i+1 < len(format) && strings.IndexByte("EO-_0^#", format[i]) >= 0 {
				i++
			}
			if !p.directive(format[i]) {
				return false
			}
		}
	}
	return true
}

// compound are the directives that stand for others.
func compound(c byte) string {
	switch c {
	case 'D', 'x':
		return "%m/%d/%y"
	case 'T', 'X':
		return "%H:%M:%S"
	case 'R':
		return "%H:%M"
	case 'F':
		return "%Y-%m-%d"
	case 'c':
		return "%a %b %e %H:%M:%S %Y"
	case 'r':
		return "%I:%M:%S %p"
	}
	return ""
}

func (p *timeParser) directive(c byte) (ok bool) {
	if f := compound(c); f != "" {
		return p.parse(f)
	}
	switch c {
	case 'Y':
		p.year, ok = p.number(4, 0, 9999)
	case 'y':
		p.year, ok = p.number(2, 0, 99)
		const pivot = 69
		if p.year < pivot {
			p.year += 100
		}
		p.year += 1900
	case 'm':
		p.month, ok = p.number(2, 1, 12)
		p.month--
		p.hasMonth = true
	case 'd', 'e':
		p.day, ok = p.number(2, 1, 31)
		p.hasDay = true
	case 'H', 'k':
		p.hour, ok = p.number(2, 0, 23)
	case 'I', 'l':
		p.hour, ok = p.number(2, 1, 12)
		p.hour12 = true
	case 'M':
		p.minute, ok = p.number(2, 0, 59)
	case 'S':
		p.second, ok = p.number(2, 0, 61)
	case 'j':
		p.yday, ok = p.number(3, 1, 366)
		p.hasYday = true
	case 'u', 'w', 'U', 'W', 'V', 'g', 'C':
		_, ok = p.number(2, 0, 99)
	case 'G':
		_, ok = p.number(4, 0, 9999)
	case 'b', 'B', 'h':
		p.month, ok = p.name(func(i int) string { return time.Month(i + 1).String() }, 12)
		p.hasMonth = true
	case 'a', 'A':
		_, ok = p.name(func(i int) string { return time.Weekday(i).String() }, 7)
	case 'p', 'P':
		ok = p.meridian()
	case 's':
		ok = p.epoch()
	case 'z':
		ok = p.zone()
	case 'Z':
		n := 0
		for n < len(p.s) && isIdentStart(p.s[n]) {
			n++
		}
		p.s, ok = p.s[n:], true
	case 'n', 't':
		p.s, ok = strings.TrimLeft(p.s, " \t\n\v\f\r"), true
	case '%':
		p.s, ok = strings.CutPrefix(p.s, "%")
	}
	return ok
}

func (p *timeParser) meridian() bool {
	const size = 2
	if len(p.s) < size {
		return false
	}
	switch strings.ToUpper(p.s[:size]) {
	case "AM":
	case "PM":
		p.pm = true
	default:
		return false
	}
	p.s = p.s[size:]
	return true
}

func (p *timeParser) epoch() bool {
	n := 0
	for n < len(p.s) && (isDigit(p.s[n]) || n == 0 && p.s[n] == '-') {
		n++
	}
	v, err := strconv.ParseInt(p.s[:n], 10, 64)
	if err != nil {
		return false
	}
	p.unix, p.hasUnix, p.s = v, true, p.s[n:]
	return true
}

// zone reads Z, +hh, +hhmm or +hh:mm.
func (p *timeParser) zone() bool {
	if s, ok := strings.CutPrefix(p.s, "Z"); ok {
		p.s = s
		return true
	}
	if p.s == "" || p.s[0] != '+' && p.s[0] != '-' {
		return false
	}
	sign := 1
	if p.s[0] == '-' {
		sign = -1
	}
	p.s = p.s[1:]
	h, ok := p.number(2, 0, 99)
	if !ok {
		return false
	}
	p.s = strings.TrimPrefix(p.s, ":")
	m := 0
	if p.s != "" && isDigit(p.s[0]) {
		if m, ok = p.number(2, 0, 59); !ok {
			return false
		}
	}
	p.offset = sign * (h*60 + m)
	return true
}

// Package datetime reads dates as people write them and as `date -d`, `touch -d` and
// `find -newermt` accept them: the date strings of GNU, and the values of TZ.
//
// The words of a date may come in any order: a calendar date, a time of day, a zone, a day of the week, and
// displacements such as "2 weeks ago". What is not said is taken from now, in the caller's zone.
package datetime

import (
	"errors"
	"strings"
	"time"
)

// ErrSyntax reports a text that is not a date, or names a time that does not exist.
var ErrSyntax = errors.New("datetime: parse: invalid date")

// maxLength bounds the text of a date.
const maxLength = 4096

// Parse returns the time that s names, seen from now in zone loc. The result is in loc.
func Parse(s string, now time.Time, loc *time.Location) (time.Time, error) {
	if len(s) > maxLength || strings.IndexByte(s, 0) >= 0 {
		return time.Time{}, ErrSyntax
	}
	out := loc
	s, zone := zonePrefix(strings.TrimLeft(s, " \t\n\v\f\r"))
	if zone != nil {
		loc = zone
	}
	p := newParser(s, now, loc)
	if !p.parse() {
		return time.Time{}, ErrSyntax
	}
	t, ok := p.result()
	if !ok {
		return time.Time{}, ErrSyntax
	}
	return t.In(out), nil
}

// zonePrefix takes a leading TZ="rule" off s, in which a backslash guards a quote or a backslash.
func zonePrefix(s string) (rest string, zone *time.Location) {
	const prefix = `TZ="`
	if !strings.HasPrefix(s, prefix) {
		return s, nil
	}
	var tz strings.Builder
	for i := len(prefix); i < len(s); i++ {
		switch s[i] {
		case '"':
			return s[i+1:], Zone(tz.String())
		case '\\':
			i++
			if i == len(s) || s[i] != '\\' && s[i] != '"' {
				return s, nil
			}
		}
		tz.WriteByte(s[i])
	}
	return s, nil
}

// relative is a displacement.
type relative struct {
	year, month, day, hour, minute, second, nsec int64
}

type parser struct {
	lex  lexer
	tok  token
	bad  bool // the lexer met something that means nothing
	now  time.Time
	loc  *time.Location
	zone *time.Location // the zone the text names

	localSeen bool // the text names the caller's zone, with localOff
	localOff  int64

	epoch   bool // the text is @SECONDS
	instant time.Time

	year, month, day   int64
	yearDigits         int
	hour, min, sec     int64
	nsec               int64
	meridian           int64
	weekday, dayOrd    int64
	rel                relative
	dates, times, days int
	zones, dsts        int
	rels               bool
}

func newParser(s string, now time.Time, loc *time.Location) *parser {
	p := &parser{now: now.In(loc), loc: loc, meridian: h24}
	p.lex = lexer{s: s, local: p.localZone}
	p.year, p.month, p.day = int64(p.now.Year()), int64(p.now.Month()), int64(p.now.Day())
	p.hour, p.min, p.sec = int64(p.now.Hour()), int64(p.now.Minute()), int64(p.now.Second())
	p.nsec = int64(p.now.Nanosecond())
	return p
}

// localZone knows the abbreviations that the caller's zone uses in winter and in summer.
func (p *parser) localZone(abbr string) (int, bool) {
	for quarter := range 4 {
		name, off := p.now.AddDate(0, 3*quarter, 0).Zone()
		if strings.EqualFold(name, abbr) {
			return off, true
		}
	}
	return 0, false
}

func (p *parser) advance() {
	t, ok := p.lex.next()
	if !ok {
		p.bad = true
		t = token{kind: tEOF}
	}
	p.tok = t
}

// accept takes the token when it is of kind k.
func (p *parser) accept(k kind) (token, bool) {
	if p.tok.kind != k {
		return token{}, false
	}
	t := p.tok
	p.advance()
	return t, true
}

func (p *parser) acceptChar(c byte) bool {
	if p.tok.kind != tChar || p.tok.ch != c {
		return false
	}
	p.advance()
	return true
}

func (p *parser) parse() bool {
	p.advance()
	if p.acceptChar('@') {
		return p.seconds() && p.tok.kind == tEOF && !p.bad
	}
	for p.tok.kind != tEOF {
		if !p.item() {
			return false
		}
	}
	return !p.bad
}

// seconds reads what follows "@".
func (p *parser) seconds() bool {
	t := p.tok
	switch t.kind {
	case tUNumber, tSNumber, tUDecimal, tSDecimal:
	default:
		return false
	}
	p.advance()
	p.epoch = true
	p.instant = time.Unix(t.value, t.nsec)
	return true
}

func (p *parser) item() bool {
	t := p.tok
	p.advance()
	switch t.kind {
	case tUNumber:
		return p.afterNumber(t)
	case tSNumber:
		return p.afterSigned(t)
	case tUDecimal, tSDecimal:
		if _, ok := p.accept(tSecUnit); !ok {
			return false
		}
		return p.relative(relative{second: t.value, nsec: t.nsec})
	case tMonth:
		return p.afterMonth(t)
	case tDay:
		p.acceptChar(',')
		return p.setDay(t.value, 0)
	case tOrdinal:
		return p.afterOrdinal(t)
	case tYearUnit, tMonthUnit, tDayUnit, tHourUnit, tMinUnit, tSecUnit:
		return p.relative(units(t, 1))
	case tDayShift:
		p.rels = true
		p.rel.day += t.value
		return true
	case tZone, tDayZone, tLocalZone:
		return p.afterZone(t)
	case tChar:
		if t.ch == 'T' {
			const tango = -7 * 3600
			return p.afterZone(token{kind: tZone, value: tango})
		}
	}
	return false
}

func isUnit(k kind) bool { return k >= tYearUnit && k <= tSecUnit }

// units is n of the unit t.
func units(t token, n int64) relative {
	switch t.kind {
	case tYearUnit:
		return relative{year: n}
	case tMonthUnit:
		return relative{month: n}
	case tDayUnit:
		return relative{day: n * t.value}
	case tHourUnit:
		return relative{hour: n}
	case tMinUnit:
		return relative{minute: n}
	}
	return relative{second: n}
}

// relative adds a displacement, turned round by a following "ago".
func (p *parser) relative(r relative) bool {
	sign := int64(1)
	if t, ok := p.accept(tAgo); ok {
		sign = t.value
	}
	p.rels = true
	p.rel.year += sign * r.year
	p.rel.month += sign * r.month
	p.rel.day += sign * r.day
	p.rel.hour += sign * r.hour
	p.rel.minute += sign * r.minute
	p.rel.second += sign * r.second
	p.rel.nsec += sign * r.nsec
	return true
}

func (p *parser) setDay(day, ordinal int64) bool {
	p.days++
	p.weekday, p.dayOrd = day, ordinal
	return true
}

func (p *parser) setTime(h, m, s, ns, meridian int64) bool {
	p.times++
	p.hour, p.min, p.sec, p.nsec, p.meridian = h, m, s, ns, meridian
	return true
}

func (p *parser) setDate(y, m, d int64, digits int) bool {
	p.dates++
	if digits > 0 {
		p.year, p.yearDigits = fullYear(y, digits), digits
	}
	p.month, p.day = m, d
	return true
}

// fullYear gives a year of two digits its century, by POSIX: 69–99 are in the twentieth.
func fullYear(y int64, digits int) int64 {
	if y < 0 {
		y = -y
	}
	if digits != 2 {
		return y
	}
	if y < 69 {
		return y + 2000
	}
	return y + 1900
}

func (p *parser) setZone(seconds int64) bool {
	p.zones++
	p.zone = time.FixedZone("", int(seconds))
	return true
}

// afterNumber reads what begins with an unsigned number.
func (p *parser) afterNumber(n token) bool {
	switch {
	case p.tok.kind == tMeridian:
		m, _ := p.accept(tMeridian)
		return p.setTime(n.value, 0, 0, 0, m.value)
	case p.acceptChar(':'):
		return p.clock(n.value)
	case p.acceptChar('/'):
		return p.slashDate(n)
	case p.tok.kind == tMonth:
		return p.dayMonth(n)
	case p.tok.kind == tDay:
		d, _ := p.accept(tDay)
		return p.setDay(d.value, n.value)
	case isUnit(p.tok.kind):
		u := p.tok
		p.advance()
		return p.relative(units(u, n.value))
	case p.tok.kind == tSNumber:
		s, _ := p.accept(tSNumber)
		return p.numberSigned(n, s)
	case p.tok.kind == tSDecimal:
		return false
	}
	return p.bareNumber(n)
}

// clock reads what follows "hh:".
func (p *parser) clock(hour int64) bool {
	m, ok := p.accept(tUNumber)
	if !ok {
		return false
	}
	var s token
	if p.acceptChar(':') {
		s = p.tok
		if s.kind != tUNumber && s.kind != tUDecimal {
			return false
		}
		p.advance()
	}
	meridian := int64(h24)
	if t, ok := p.accept(tMeridian); ok {
		meridian = t.value
	} else if t, ok := p.accept(tSNumber); ok {
		if !p.offset(t) {
			return false
		}
	}
	return p.setTime(hour, m.value, s.value, s.nsec, meridian)
}

// offset reads the rest of a zone given as +hh, +hhmm or +hh:mm.
func (p *parser) offset(t token) bool {
	minutes := int64(-1)
	if p.acceptChar(':') {
		m, ok := p.accept(tUNumber)
		if !ok {
			return false
		}
		minutes = m.value
	}
	off, ok := hoursMinutes(t, minutes)
	return ok && p.setZone(off)
}

// hoursMinutes turns a zone's number into seconds; minutes is what stood after a colon, or -1.
func hoursMinutes(t token, minutes int64) (int64, bool) {
	n := t.value
	if t.digits <= 2 && minutes < 0 {
		n *= 60
	} else if minutes < 0 {
		n = n/100*60 + n%100
	} else if t.neg {
		n = n*60 - minutes
	} else {
		n = n*60 + minutes
	}
	const day = 24 * 60
	return n * 60, n >= -day && n <= day
}

// slashDate reads what follows "n/": month/day, month/day/year or year/month/day.
func (p *parser) slashDate(n token) bool {
	second, ok := p.accept(tUNumber)
	if !ok {
		return false
	}
	if !p.acceptChar('/') {
		return p.setDate(0, n.value, second.value, 0)
	}
	third, ok := p.accept(tUNumber)
	if !ok {
		return false
	}
	if n.digits >= 4 {
		return p.setDate(n.value, second.value, third.value, n.digits)
	}
	return p.setDate(third.value, n.value, second.value, third.digits)
}

// dayMonth reads what follows a day number: "17 June", "17 June 1992", "17-JUN-1992".
func (p *parser) dayMonth(n token) bool {
	m, _ := p.accept(tMonth)
	if y := p.tok; y.kind == tUNumber || y.kind == tSNumber {
		p.advance()
		return p.setDate(y.value, m.value, n.value, y.digits)
	}
	return p.setDate(0, m.value, n.value, 0)
}

// numberSigned reads what begins with "n±n": an ISO date, a number with a displacement, or an hour with a zone.
func (p *parser) numberSigned(n, s token) bool {
	if d, ok := p.accept(tSNumber); ok {
		if !p.setDate(n.value, -s.value, -d.value, n.digits) {
			return false
		}
		if p.acceptChar('T') {
			return p.isoTime()
		}
		return true
	}
	if isUnit(p.tok.kind) {
		u := p.tok
		p.advance()
		return p.bareNumber(n) && p.relative(units(u, s.value))
	}
	return p.offset(s) && p.setTime(n.value, 0, 0, 0, h24)
}

// isoTime reads the time after the T of an ISO 8601 date.
func (p *parser) isoTime() bool {
	h, ok := p.accept(tUNumber)
	if !ok {
		return false
	}
	if p.acceptChar(':') {
		return p.clock(h.value)
	}
	if s, ok := p.accept(tSNumber); ok {
		return p.offset(s) && p.setTime(h.value, 0, 0, 0, h24)
	}
	return false
}

// bareNumber gives a number that stands alone its meaning: the year of a date already read, YYYYMMDD, or HHMM.
func (p *parser) bareNumber(n token) bool {
	if p.dates > 0 && p.yearDigits == 0 && !p.rels && (p.times > 0 || n.digits > 2) {
		p.year, p.yearDigits = fullYear(n.value, n.digits), n.digits
		return true
	}
	if n.digits > 4 {
		return p.setDate(n.value/10000, n.value/100%100, n.value%100, n.digits-4)
	}
	if n.digits <= 2 {
		return p.setTime(n.value, 0, 0, 0, h24)
	}
	return p.setTime(n.value/100, n.value%100, 0, 0, h24)
}

func (p *parser) afterSigned(n token) bool {
	if !isUnit(p.tok.kind) {
		return false
	}
	u := p.tok
	p.advance()
	return p.relative(units(u, n.value))
}

func (p *parser) afterMonth(m token) bool {
	if d, ok := p.accept(tUNumber); ok {
		if !p.acceptChar(',') {
			return p.setDate(0, m.value, d.value, 0)
		}
		y, ok := p.accept(tUNumber)
		return ok && p.setDate(y.value, m.value, d.value, y.digits)
	}
	d, ok := p.accept(tSNumber)
	if !ok {
		return false
	}
	y, ok := p.accept(tSNumber)
	return ok && p.setDate(y.value, m.value, -d.value, y.digits)
}

func (p *parser) afterOrdinal(o token) bool {
	if d, ok := p.accept(tDay); ok {
		return p.setDay(d.value, o.value)
	}
	if !isUnit(p.tok.kind) {
		return false
	}
	u := p.tok
	p.advance()
	return p.relative(units(u, o.value))
}

// afterZone reads what may follow the name of a zone: "DST", an offset, or a displacement.
func (p *parser) afterZone(z token) bool {
	const hour = 3600
	switch z.kind {
	case tDayZone:
		return p.setZone(z.value + hour)
	case tLocalZone:
		p.zones++
		p.localSeen, p.localOff = true, z.value
		if _, ok := p.accept(tDST); ok {
			p.dsts++
			p.localOff += hour
		}
		return true
	}
	if _, ok := p.accept(tDST); ok {
		return p.setZone(z.value + hour)
	}
	s, ok := p.accept(tSNumber)
	if !ok {
		return p.setZone(z.value)
	}
	if isUnit(p.tok.kind) {
		u := p.tok
		p.advance()
		return p.setZone(z.value) && p.relative(units(u, s.value))
	}
	if !p.offset(s) {
		return false
	}
	_, off := p.now.In(p.zone).Zone()
	p.zone = time.FixedZone("", off+int(z.value))
	return true
}

// result puts the parts together.
func (p *parser) result() (time.Time, bool) {
	if p.epoch {
		return p.instant, true
	}
	if p.dates > 1 || p.times > 1 || p.days > 1 || p.zones > 1 || p.dsts > 1 {
		return time.Time{}, false
	}
	if !p.settleClock() || !p.inRange() {
		return time.Time{}, false
	}
	loc := p.loc
	if p.zone != nil {
		loc = p.zone
	}
	t := p.civil(p.year, p.month, p.day, loc)
	if !p.exact(t) {
		return time.Time{}, false
	}
	if p.days > 0 && p.dates == 0 {
		today := int64(t.Weekday())
		weeks := p.dayOrd
		if p.dayOrd > 0 && today != p.weekday {
			weeks--
		}
		p.day += (p.weekday-today+7)%7 + 7*weeks
		t = p.civil(p.year, p.month, p.day, loc)
	}
	if p.rel.year != 0 || p.rel.month != 0 || p.rel.day != 0 {
		t = p.civil(p.year+p.rel.year, p.month+p.rel.month, p.day+p.rel.day, loc)
	}
	return p.shift(t), true
}

// settleClock decides which time of day is meant.
func (p *parser) settleClock() bool {
	if p.times == 0 && !(p.rels && p.dates == 0 && p.days == 0) {
		p.hour, p.min, p.sec, p.nsec = 0, 0, 0, 0
		return true
	}
	switch p.meridian {
	case am:
		if p.hour == 12 {
			p.hour = 0
		} else if p.hour < 1 || p.hour > 11 {
			return false
		}
	case pm:
		if p.hour < 1 || p.hour > 12 {
			return false
		}
		if p.hour != 12 {
			p.hour += 12
		}
	}
	return true
}

// inRange rules out numbers that could overflow below.
func (p *parser) inRange() bool {
	const limit = 1e11
	r := p.rel
	for _, n := range []int64{
		p.year, p.month, p.day, p.hour, p.min, p.sec, r.year, r.month, r.day, r.hour, r.minute, r.second / 100, p.dayOrd,
	} {
		if n > limit || n < -limit {
			return false
		}
	}
	const years = 2147483647
	return p.year <= years && r.year <= years && r.year >= -years
}

func (p *parser) civil(y, m, d int64, loc *time.Location) time.Time {
	return time.Date(int(y), time.Month(m), int(d), int(p.hour), int(p.min), int(p.sec), int(p.nsec), loc)
}

// exact reports whether t is the civil time that was asked for: 30 February is not, nor is an hour that the
// clock skipped, nor one that the named half of the caller's zone (EST in July) does not have.
func (p *parser) exact(t time.Time) bool {
	if _, off := t.Zone(); p.localSeen && int64(off) != p.localOff {
		return false
	}
	return int64(t.Year()) == p.year && int64(t.Month()) == p.month && int64(t.Day()) == p.day &&
		int64(t.Hour()) == p.hour && int64(t.Minute()) == p.min && int64(t.Second()) == p.sec
}

// shift adds hours and less, which count elapsed time and not the clock's.
func (p *parser) shift(t time.Time) time.Time {
	r := p.rel
	sec := r.hour*3600 + r.minute*60 + r.second
	if sec == 0 && r.nsec == 0 {
		return t
	}
	return time.Unix(t.Unix()+sec, int64(t.Nanosecond())+r.nsec)
}

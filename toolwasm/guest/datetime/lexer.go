package datetime

import (
	"strings"
	"time"
)

type kind uint8

const (
	tEOF       kind = iota
	tUNumber        // digits
	tSNumber        // a sign and digits
	tUDecimal       // digits with a fraction
	tSDecimal       // a sign and digits with a fraction
	tMonth          // value: 1–12
	tDay            // value: 0–6
	tMeridian       // value: am, pm
	tYearUnit       // units carry a factor in value
	tMonthUnit      //
	tDayUnit        //
	tHourUnit       //
	tMinUnit        //
	tSecUnit        //
	tDayShift       // tomorrow, yesterday, today, now
	tOrdinal        // last, this, next, first …
	tAgo            // ago, hence
	tZone           // value: seconds east of UTC
	tDayZone        // value: seconds east of UTC, without the hour of summer time
	tLocalZone      // an abbreviation of the caller's zone; value: seconds east of UTC
	tDST            // "DST" after a zone
	tChar           // ch
)

const (
	am = iota
	pm
	h24
)

// maxDigits bounds a number, so that arithmetic on it does not overflow.
const maxDigits = 15

// token is one word of a date. Digits counts those of a number; nsec is its fraction.
type token struct {
	kind   kind
	value  int64
	nsec   int64
	digits int
	neg    bool
	ch     byte
}

type lexer struct {
	s     string
	i     int
	local func(abbreviation string) (seconds int, ok bool)
}

// next returns the next token; ok is false for a word or number that means nothing.
func (l *lexer) next() (t token, ok bool) {
	for {
		for l.i < len(l.s) && isSpace(l.s[l.i]) {
			l.i++
		}
		if l.i >= len(l.s) {
			return token{kind: tEOF}, true
		}
		c := l.s[l.i]
		switch {
		case isDigit(c):
			return l.number(0)
		case c == '-' || c == '+':
			l.i++
			for l.i < len(l.s) && isSpace(l.s[l.i]) {
				l.i++
			}
			if l.i < len(l.s) && isDigit(l.s[l.i]) {
				return l.number(c)
			}
			continue // a sign without a number means nothing: 17-JUN-1992
		case isAlpha(c):
			return l.word()
		case c == '(':
			l.comment()
			continue
		}
		l.i++
		return token{kind: tChar, ch: c}, true
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// comment skips text in parentheses, which may be nested.
func (l *lexer) comment() {
	depth := 0
	for l.i < len(l.s) {
		c := l.s[l.i]
		l.i++
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return
		}
	}
}

func (l *lexer) number(sign byte) (token, bool) {
	t := token{kind: tUNumber, neg: sign == '-'}
	if sign != 0 {
		t.kind = tSNumber
	}
	for l.i < len(l.s) && isDigit(l.s[l.i]) {
		t.value = t.value*10 + int64(l.s[l.i]-'0')
		t.digits++
		l.i++
		if t.digits > maxDigits {
			return t, false
		}
	}
	if l.i+1 < len(l.s) && (l.s[l.i] == '.' || l.s[l.i] == ',') && isDigit(l.s[l.i+1]) {
		l.i++
		t.nsec = l.fraction()
		t.kind += tUDecimal - tUNumber
	}
	if t.neg {
		t.value, t.nsec = -t.value, -t.nsec
	}
	return t, true
}

// fraction reads the digits after a decimal point as nanoseconds, cutting off what is finer.
func (l *lexer) fraction() int64 {
	var ns int64
	scale := int64(time.Second)
	for l.i < len(l.s) && isDigit(l.s[l.i]) {
		scale /= 10
		ns += int64(l.s[l.i]-'0') * scale
		l.i++
	}
	return ns
}

func (l *lexer) word() (token, bool) {
	start := l.i
	for l.i < len(l.s) && (isAlpha(l.s[l.i]) || l.s[l.i] == '.') {
		l.i++
	}
	return lookup(strings.ToUpper(l.s[start:l.i]), l.local)
}

// lookup finds what a word in capitals stands for.
func lookup(w string, local func(string) (int, bool)) (token, bool) {
	switch w {
	case "AM", "A.M.":
		return token{kind: tMeridian, value: am}, true
	case "PM", "P.M.":
		return token{kind: tMeridian, value: pm}, true
	}
	if t, ok := monthOrDay(w); ok {
		return t, true
	}
	if t, ok := zoneWord(w, local); ok {
		return t, true
	}
	if w == "DST" {
		return token{kind: tDST}, true
	}
	if t, ok := unitWord(w); ok {
		return t, true
	}
	if t, ok := relativeWord(w); ok {
		return t, true
	}
	if len(w) == 1 {
		return militaryZone(w[0])
	}
	if strings.Contains(w, ".") {
		return zoneWord(strings.ReplaceAll(w, ".", ""), local)
	}
	return token{}, false
}

func monthOrDay(w string) (token, bool) {
	short := len(w) == 3 || len(w) == 4 && w[3] == '.'
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToUpper(m.String()); w == name || short && w[:3] == name[:3] {
			return token{kind: tMonth, value: int64(m)}, true
		}
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := strings.ToUpper(d.String()); w == name || short && w[:3] == name[:3] {
			return token{kind: tDay, value: int64(d)}, true
		}
	}
	switch w {
	case "SEPT", "SEPT.":
		return token{kind: tMonth, value: int64(time.September)}, true
	case "TUES", "TUES.":
		return token{kind: tDay, value: int64(time.Tuesday)}, true
	case "WEDNES", "WEDNES.":
		return token{kind: tDay, value: int64(time.Wednesday)}, true
	case "THUR", "THUR.", "THURS", "THURS.":
		return token{kind: tDay, value: int64(time.Thursday)}, true
	}
	return token{}, false
}

func unitWord(w string) (token, bool) {
	for _, s := range []string{w, strings.TrimSuffix(w, "S")} {
		switch s {
		case "YEAR":
			return token{kind: tYearUnit, value: 1}, true
		case "MONTH":
			return token{kind: tMonthUnit, value: 1}, true
		case "FORTNIGHT":
			return token{kind: tDayUnit, value: 14}, true
		case "WEEK":
			return token{kind: tDayUnit, value: 7}, true
		case "DAY":
			return token{kind: tDayUnit, value: 1}, true
		case "HOUR":
			return token{kind: tHourUnit, value: 1}, true
		case "MINUTE", "MIN":
			return token{kind: tMinUnit, value: 1}, true
		case "SECOND", "SEC":
			return token{kind: tSecUnit, value: 1}, true
		}
	}
	return token{}, false
}

func relativeWord(w string) (token, bool) {
	ordinal := func(n int64) (token, bool) { return token{kind: tOrdinal, value: n}, true }
	switch w {
	case "TOMORROW":
		return token{kind: tDayShift, value: 1}, true
	case "YESTERDAY":
		return token{kind: tDayShift, value: -1}, true
	case "TODAY", "NOW":
		return token{kind: tDayShift}, true
	case "AGO":
		return token{kind: tAgo, value: -1}, true
	case "HENCE":
		return token{kind: tAgo, value: 1}, true
	case "LAST":
		return ordinal(-1)
	case "THIS":
		return ordinal(0)
	case "NEXT", "FIRST":
		return ordinal(1)
	case "THIRD":
		return ordinal(3)
	case "FOURTH":
		return ordinal(4)
	case "FIFTH":
		return ordinal(5)
	case "SIXTH":
		return ordinal(6)
	case "SEVENTH":
		return ordinal(7)
	case "EIGHTH":
		return ordinal(8)
	case "NINTH":
		return ordinal(9)
	case "TENTH":
		return ordinal(10)
	case "ELEVENTH":
		return ordinal(11)
	case "TWELFTH":
		return ordinal(12)
	}
	return token{}, false
}

// militaryZone is a zone of one letter; T is left to the grammar, where it parts date from time.
func militaryZone(c byte) (token, bool) {
	zone := func(hours int64) (token, bool) { return token{kind: tZone, value: hours * 3600}, true }
	switch {
	case c == 'Z':
		return zone(0)
	case c == 'T':
		return token{kind: tChar, ch: 'T'}, true
	case c == 'J':
		return token{}, false
	case c >= 'A' && c <= 'I':
		return zone(int64(c-'A') + 1)
	case c >= 'K' && c <= 'M':
		return zone(int64(c-'K') + 10)
	case c >= 'N' && c <= 'Y':
		return zone(-int64(c-'N') - 1)
	}
	return token{}, false
}

func zoneWord(w string, local func(string) (int, bool)) (token, bool) {
	if w == "GMT" || w == "UT" || w == "UTC" {
		return token{kind: tZone}, true
	}
	if off, ok := local(w); ok {
		return token{kind: tLocalZone, value: int64(off)}, true
	}
	minutes, summer, ok := namedZone(w)
	if !ok {
		return token{}, false
	}
	if summer {
		return token{kind: tDayZone, value: minutes * 60}, true
	}
	return token{kind: tZone, value: minutes * 60}, true
}

// namedZone gives the standard offset in minutes of an abbreviation, and whether it names summer time.
func namedZone(w string) (minutes int64, summer, ok bool) {
	const hour = 60
	switch w {
	case "WET":
		return 0, false, true
	case "WEST", "BST":
		return 0, true, true
	case "ART", "BRT":
		return -3 * hour, false, true
	case "BRST":
		return -3 * hour, true, true
	case "NST":
		return -(3*hour + 30), false, true
	case "NDT":
		return -(3*hour + 30), true, true
	case "AST", "CLT":
		return -4 * hour, false, true
	case "ADT", "CLST":
		return -4 * hour, true, true
	case "EST":
		return -5 * hour, false, true
	case "EDT":
		return -5 * hour, true, true
	case "CST":
		return -6 * hour, false, true
	case "CDT":
		return -6 * hour, true, true
	case "MST":
		return -7 * hour, false, true
	case "MDT":
		return -7 * hour, true, true
	case "PST":
		return -8 * hour, false, true
	case "PDT":
		return -8 * hour, true, true
	case "AKST":
		return -9 * hour, false, true
	case "AKDT":
		return -9 * hour, true, true
	case "HST":
		return -10 * hour, false, true
	case "HAST":
		return -10 * hour, false, true
	case "HADT":
		return -10 * hour, true, true
	case "SST":
		return -12 * hour, false, true
	case "WAT", "CET", "MET", "MEZ":
		return hour, false, true
	case "CEST", "MEST", "MESZ":
		return hour, true, true
	case "EET", "CAT", "SAST":
		return 2 * hour, false, true
	case "EEST":
		return 2 * hour, true, true
	case "EAT", "MSK":
		return 3 * hour, false, true
	case "MSD":
		return 3 * hour, true, true
	case "IST":
		return 5*hour + 30, false, true
	case "SGT":
		return 8 * hour, false, true
	case "KST", "JST":
		return 9 * hour, false, true
	case "GST":
		return 10 * hour, false, true
	case "NZST":
		return 12 * hour, false, true
	case "NZDT":
		return 12 * hour, true, true
	}
	return 0, false, false
}

package text

import (
	"errors"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/quote"
)

// ordering says how a key is compared.
type ordering struct {
	numeric, general, human, month, version, random bool
	dictionary, printable, fold, reverse            bool
	blanksStart, blanksEnd                          bool
}

// plain reports whether keys are compared byte by byte.
func (o *ordering) plain() bool {
	return !o.numeric && !o.general && !o.human && !o.month && !o.version && !o.random && !o.transforms()
}

// transforms reports whether some bytes are left out or replaced before keys are compared.
func (o *ordering) transforms() bool { return o.dictionary || o.printable || o.fold }

// sortKey is one -k: from character schar of field sword up to character echar of field eword, counted from 0.
// An echar of 0 means the end of the field before eword.
type sortKey struct {
	ordering
	sword, schar int
	eword, echar int
	own          bool // the key has letters of its own, and does not take the global ones
}

// lineEnd stands for "to the end of the line".
const lineEnd = 1 << 30

// parseSortKey reads POS1[,POS2] with letters. The error is in GNU's words.
func parseSortKey(s string) (sortKey, error) {
	k := sortKey{eword: lineEnd}
	rest, n, err := keyNumber(s, s, "invalid number at field start")
	if err != nil {
		return k, err
	}
	if n == 0 {
		return k, badKey("field number is zero", s)
	}
	k.sword = n - 1
	if strings.HasPrefix(rest, ".") {
		if rest, n, err = keyNumber(rest[1:], s, "invalid number after '.'"); err != nil {
			return k, err
		}
		if n == 0 {
			return k, badKey("character offset is zero", s)
		}
		k.schar = n - 1
	}
	rest = k.letters(rest, true)
	if rest == "" {
		return k, nil
	}
	if rest[0] != ',' {
		return k, badKey("stray character in field spec", s)
	}
	if rest, n, err = keyNumber(rest[1:], s, "invalid number after ','"); err != nil {
		return k, err
	}
	if n == 0 {
		return k, badKey("field number is zero", s)
	}
	k.eword = n - 1
	if strings.HasPrefix(rest, ".") {
		if rest, k.echar, err = keyNumber(rest[1:], s, "invalid number after '.'"); err != nil {
			return k, err
		}
	}
	if k.echar == 0 {
		k.eword++
	}
	if rest = k.letters(rest, false); rest != "" {
		return k, badKey("stray character in field spec", s)
	}
	return k, nil
}

func badKey(what, spec string) error {
	return errors.New(what + ": invalid field specification " + quote.Locale(spec))
}

func keyNumber(s, _ string, what string) (rest string, n int, err error) {
	rest = trimDigits(s)
	if len(rest) == len(s) {
		return s, 0, errors.New(what + ": invalid count at start of " + quote.Locale(s))
	}
	n, err = strconv.Atoi(s[:len(s)-len(rest)])
	if err != nil || n > lineEnd {
		n = lineEnd
	}
	return rest, n, nil
}

// letters takes ordering letters off s; a "b" is about the start or the end of the key.
func (k *sortKey) letters(s string, start bool) string {
	for s != "" {
		if s[0] == 'b' {
			k.own = true
			if start {
				k.blanksStart = true
			} else {
				k.blanksEnd = true
			}
		} else if !k.set(s[0]) {
			return s
		} else {
			k.own = true
		}
		s = s[1:]
	}
	return s
}

// set turns on what an ordering letter means.
func (o *ordering) set(c byte) bool {
	switch c {
	case 'b':
		o.blanksStart, o.blanksEnd = true, true
	case 'd':
		o.dictionary = true
	case 'f':
		o.fold = true
	case 'g':
		o.general = true
	case 'h':
		o.human = true
	case 'i':
		o.printable = true
	case 'M':
		o.month = true
	case 'n':
		o.numeric = true
	case 'r':
		o.reverse = true
	case 'R':
		o.random = true
	case 'V':
		o.version = true
	default:
		return false
	}
	return true
}

// incompatible returns the letters of orderings that exclude each other.
func (o *ordering) incompatible() string {
	letters := ""
	n := 0
	for _, x := range []struct {
		on     bool
		letter string
	}{{o.general, "g"}, {o.human, "h"}, {o.month, "M"}, {o.numeric, "n"}, {o.random, "R"}, {o.version, "V"}} {
		if x.on {
			letters += x.letter
			n++
		}
	}
	if o.random || o.version {
		n = max(n, len(letters))
	}
	if n > 1 {
		return letters
	}
	if n == 1 && !o.random && !o.version && (o.dictionary || o.printable) {
		out := ""
		if o.dictionary {
			out += "d"
		}
		out += letters
		if o.printable {
			out = strings.Replace(out, letters, "", 1)
			out += "i" + letters
		}
		return out
	}
	return ""
}

// find returns where the key is in line.
func (k *sortKey) find(line []byte, tab int) (from, to int) {
	from = k.begin(line, tab)
	to = k.limit(line, tab)
	return from, max(from, to)
}

func (k *sortKey) begin(line []byte, tab int) int {
	at := 0
	if tab >= 0 {
		for n := k.sword; n > 0 && at < len(line); n-- {
			for at < len(line) && line[at] != byte(tab) {
				at++
			}
			if at < len(line) {
				at++
			}
		}
	} else {
		at = skipFields(line, k.sword)
	}
	if k.blanksStart {
		at = skipBlanks(line, at)
	}
	return min(len(line), at+k.schar)
}

func (k *sortKey) limit(line []byte, tab int) int {
	if k.eword >= lineEnd {
		return len(line)
	}
	at := 0
	if tab >= 0 {
		for n := k.eword; n > 0 && at < len(line); n-- {
			for at < len(line) && line[at] != byte(tab) {
				at++
			}
			if at < len(line) && (n > 1 || k.echar > 0) {
				at++
			}
		}
	} else {
		at = skipFields(line, k.eword)
	}
	if k.echar == 0 {
		return at
	}
	if k.blanksEnd {
		at = skipBlanks(line, at)
	}
	return min(len(line), at+k.echar)
}

// skipFields returns where field n (from 0) begins, with the blanks before it.
func skipFields(line []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(line); n-- {
		at = skipBlanks(line, at)
		for at < len(line) && !isBlank(line[at]) && line[at] != '\n' {
			at++
		}
	}
	return at
}

func skipBlanks(line []byte, at int) int {
	for at < len(line) && (isBlank(line[at]) || line[at] == '\n') {
		at++
	}
	return at
}

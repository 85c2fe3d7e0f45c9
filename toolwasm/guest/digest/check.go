package digest

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/text/lines"
)

// expected is a line of a file of checksums.
type expected struct {
	sum  string
	name string
	alg  algorithm
	bits int
}

// checkFile checks the files that a list of checksums names.
func (s *summer) checkFile(list string) bool {
	f, err := s.p.OpenArg(list)
	if err != nil {
		s.p.Fail(quote.File(list), err)
		return false
	}
	defer f.Close()
	shown := list
	if list == "-" {
		shown = "standard input"
	}
	shown = quote.File(shown)
	var good, bad, unread, wrong, matched int
	r := lines.New(s.p, f, '\n')
	for n := 1; ; n++ {
		line, ok := r.Next()
		if !ok {
			break
		}
		if len(line) == 0 || line[0] == '#' {
			if len(line) == 0 {
				bad++
			}
			continue
		}
		e, ok := s.parse(strings.TrimSuffix(string(line), "\r"))
		if !ok {
			bad++
			if s.warn {
				s.p.Errorf("%s: %d: improperly formatted %s checksum line", shown, n, s.alg.tag)
			}
			continue
		}
		good++
		switch s.checkOne(e) {
		case checkOK:
			matched++
		case checkWrong:
			wrong++
		case checkUnread:
			unread++
		}
	}
	if err := r.Err(); err != nil {
		s.p.Fail(shown, err)
		return false
	}
	if good == 0 {
		s.p.Errorf("%s: no properly formatted checksum lines found", shown)
		return false
	}
	s.summary(shown, bad, unread, wrong, matched)
	return unread == 0 && wrong == 0 && (matched > 0 || !s.ignoreMissing) && (bad == 0 || !s.strict)
}

func (s *summer) summary(list string, bad, unread, wrong, matched int) {
	if s.status {
		return
	}
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			s.p.Errorf("WARNING: 1 %s", one)
		case n > 1:
			s.p.Errorf("WARNING: %d %s", n, many)
		}
	}
	count(bad, "line is improperly formatted", "lines are improperly formatted")
	count(unread, "listed file could not be read", "listed files could not be read")
	count(wrong, "computed checksum did NOT match", "computed checksums did NOT match")
	if s.ignoreMissing && matched == 0 {
		s.p.Errorf("%s: no file was verified", list)
	}
}

type checkResult int

const (
	checkOK checkResult = iota
	checkWrong
	checkUnread
	checkMissing
)

func (s *summer) checkOne(e expected) checkResult {
	sum, err := s.sum(e.name, e.alg, e.bits)
	shown, escaped := escapeName(e.name)
	if escaped {
		shown = `\` + shown
	}
	say := func(result string) {
		if !s.status {
			fmt.Fprintf(s.p.Out(), "%s: %s\n", shown, result)
		}
	}
	switch {
	case err != nil && s.ignoreMissing && errors.Is(err, fs.ErrNotExist):
		return checkMissing
	case err != nil:
		s.p.Fail(quote.File(e.name), err)
		say("FAILED open or read")
		return checkUnread
	case !strings.EqualFold(sum, e.sum):
		say("FAILED")
		return checkWrong
	}
	if !s.quiet {
		say("OK")
	}
	return checkOK
}

// parse reads "sum  name", "sum *name" and "TAG (name) = sum".
func (s *summer) parse(line string) (expected, bool) {
	line = strings.TrimLeft(line, " \t")
	escaped := strings.HasPrefix(line, `\`)
	line = strings.TrimPrefix(line, `\`)
	e, ok := s.parseTagged(line)
	if !ok && !s.auto {
		e, ok = s.parsePlain(line)
	}
	if ok && escaped {
		e.name, ok = unescapeName(e.name)
	}
	return e, ok
}

func (s *summer) parseTagged(line string) (expected, bool) {
	for _, alg := range algorithms() {
		if !s.auto && alg.name != s.alg.name {
			continue
		}
		rest, ok := strings.CutPrefix(line, alg.tag)
		if !ok {
			continue
		}
		bits := alg.bits
		if strings.HasPrefix(rest, "-") && alg.name == "blake2b" {
			num, after, _ := strings.Cut(rest[1:], " ")
			n, err := strconv.Atoi(num)
			if err != nil || n < 8 || n > alg.bits || n%8 != 0 {
				continue
			}
			bits, rest = n, " "+after
		}
		rest = strings.TrimPrefix(rest, " ")
		if !strings.HasPrefix(rest, "(") {
			continue
		}
		end := strings.LastIndexByte(rest, ')')
		if end < 0 {
			continue
		}
		sum := strings.TrimLeft(rest[end+1:], " \t")
		if !strings.HasPrefix(sum, "=") {
			continue
		}
		sum = strings.TrimLeft(sum[1:], " \t")
		if len(sum) == bits/4 && isHex(sum) {
			return expected{sum: sum, name: rest[1:end], alg: alg, bits: bits}, true
		}
	}
	return expected{}, false
}

func (s *summer) parsePlain(line string) (expected, bool) {
	n := 0
	for n < len(line) && isHex(line[n:n+1]) {
		n++
	}
	bits := s.bits
	if s.alg.name == "blake2b" && n > 0 && n%2 == 0 && n*4 <= s.alg.bits {
		bits = n * 4
	}
	if n*4 != bits || n+2 > len(line) || line[n] != ' ' && line[n] != '\t' {
		return expected{}, false
	}
	name := line[n+1:]
	if name[0] == ' ' || name[0] == '*' {
		name = name[1:]
	}
	if name == "" {
		return expected{}, false
	}
	return expected{sum: line[:n], name: name, alg: s.alg, bits: bits}, true
}

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

package queue

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxDebounce bounds how long messages are gathered.
const maxDebounce = time.Hour

// Directive is what "/queue …" in a message asks for.
type Directive struct {
	Override
	Clear    bool     // the session's own settings go
	Problems []string // what could not be understood
}

// Show tells that nothing is to be changed: the settings are asked for.
func (d *Directive) Show() bool { return d.IsZero() && !d.Clear && len(d.Problems) == 0 }

var (
	directiveStart = regexp.MustCompile(`(?i)(?:^|\s)/queue(?::|\s|$)`)
	directiveWord  = regexp.MustCompile(`^\s*(\S+)`)
)

// ParseDirective takes "/queue …" out of a message. rest is the message without it. It is not ok when there is none.
func ParseDirective(text string) (d Directive, rest string, ok bool) {
	at := directiveStart.FindStringIndex(text)
	if at == nil {
		return d, text, false
	}
	before, after := text[:at[0]], text[at[1]:]
	if strings.HasSuffix(text[:at[1]], "\n") { // what is asked for ends with its line
		after = "\n" + after
	}
	alone := strings.TrimSpace(before) == ""
	for first := true; ; first = false {
		word := directiveWord.FindStringSubmatchIndex(after)
		if word == nil || strings.ContainsAny(after[:word[2]], "\n") {
			break
		}
		known, problem := d.word(after[word[2]:word[3]])
		if !known && (!first || !alone || directiveWord.MatchString(after[word[3]:])) {
			break // it is the message's
		}
		if !known {
			problem = fmt.Sprintf("there is no queue mode %q: steer, followup, collect or interrupt", after[word[2]:word[3]])
		}
		if problem != "" {
			d.Problems = append(d.Problems, problem)
		}
		after = after[word[3]:]
	}
	return d, join(before, after), true
}

// join puts what was around a directive together.
func join(before, after string) string {
	before, after = strings.TrimRight(before, " \t"), strings.TrimLeft(after, " \t")
	if before != "" && after != "" && !strings.HasSuffix(before, "\n") && !strings.HasPrefix(after, "\n") {
		before += " "
	}
	return strings.TrimSpace(before + after)
}

// word reads a word behind /queue. problem says what is wrong with one that is meant for it.
func (d *Directive) word(word string) (known bool, problem string) {
	name, value, isOption := cutOption(word)
	switch {
	case isOption:
		return true, d.option(name, value)
	case isClear(word):
		d.Clear = true
		return true, ""
	}
	mode, known := ParseMode(word)
	if known {
		d.Mode = mode
	}
	return known, ""
}

func isClear(word string) bool {
	switch strings.ToLower(word) {
	case "default", "reset", "clear":
		return true
	}
	return false
}

func cutOption(word string) (name, value string, ok bool) {
	i := strings.IndexAny(word, ":=")
	if i < 0 {
		return "", "", false
	}
	name = strings.ToLower(word[:i])
	return name, word[i+1:], name == "debounce" || name == "cap" || name == "drop"
}

func (d *Directive) option(name, value string) (problem string) {
	switch name {
	case "debounce":
		t, ok := parseDuration(value)
		if !ok {
			return fmt.Sprintf("debounce %q is not a time up to an hour, such as 500ms, 2s or 1m", value)
		}
		ms := t.Milliseconds()
		d.DebounceMs = &ms
	case "cap":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Sprintf("cap %q is not a number from 1", value)
		}
		d.Cap = n
	case "drop":
		drop, ok := ParseDrop(value)
		if !ok {
			return fmt.Sprintf("there is no policy %q: summarize, old or new", value)
		}
		d.Drop = drop
	}
	return ""
}

// parseDuration reads a time; a number without a unit is in milliseconds.
func parseDuration(text string) (time.Duration, bool) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "ms"
	}
	t, err := time.ParseDuration(strings.ToLower(text))
	return t, err == nil && t >= 0 && t <= maxDebounce
}

// String is the settings as /queue shows them.
func (s Settings) String() string {
	return fmt.Sprintf("mode %s, debounce %s, cap %d, drop %s", s.Mode, s.Debounce, s.Cap, s.Drop)
}

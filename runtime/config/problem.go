package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/config/json5"
)

// maxProblems bounds how many mistakes are kept of one configuration.
const maxProblems = 50

// Reason is the kind of a mistake.
type Reason string

// The kinds of mistakes.
const (
	ReasonSyntax       Reason = "syntax"        // the text is not JSON5
	ReasonFile         Reason = "file"          // a file cannot be read, or must not be
	ReasonInclude      Reason = "include"       // a wrong $include
	ReasonEnvironment  Reason = "environment"   // a variable that is not set
	ReasonDuplicate    Reason = "duplicate-key" // a key twice in one object
	ReasonUnknown      Reason = "unknown-key"   // no such key
	ReasonNotSupported Reason = "not-supported" // a key or value of the format that this version does not act on
	ReasonType         Reason = "wrong-type"
	ReasonRange        Reason = "out-of-range"
	ReasonValue        Reason = "bad-value" // not one of the values, or not of the form
	ReasonMissing      Reason = "missing-key"
	ReasonConflict     Reason = "conflict" // two settings that exclude each other
)

// Problem is one mistake.
type Problem struct {
	json5.Position        // the line is 0 when the mistake is the file itself
	Path           string // of the key; empty for the whole file
	Reason         Reason
	Message        string
	Nearest        string // the known key or value that is most like the unknown one, if one is
	order          int    // of the file among those read
}

// String is FILE:LINE:COLUMN: PATH: MESSAGE, with the nearest key behind.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Nearest != "" {
		fmt.Fprintf(&b, " (did you mean %q?)", p.Nearest)
	}
	return b.String()
}

// InvalidError lists what is wrong with a configuration, in the order of the files and of the places in them.
type InvalidError struct {
	File     string
	Problems []Problem
	More     int  // mistakes that were not kept
	Refused  bool // of an edit that was refused: places are those in the text that would have been written
}

// Error has one line for each mistake.
func (e *InvalidError) Error() string {
	var b strings.Builder
	if e.Refused {
		fmt.Fprintf(&b, "config: %s would not be valid, nothing was written:", e.File)
	} else {
		fmt.Fprintf(&b, "config: %s is not valid:", e.File)
	}
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.More)
	}
	return b.String()
}

// problems collects mistakes.
type problems struct {
	list  []Problem
	more  int
	files map[*json5.Document]int // the order in which files were read
}

func newProblems() *problems { return &problems{files: map[*json5.Document]int{}} }

func (p *problems) opened(doc *json5.Document) { p.files[doc] = len(p.files) }

func (p *problems) add(problem Problem) {
	if len(p.list) == maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, problem)
}

// maxShown bounds how much of a user's text a message repeats.
const maxShown = 120

// shownText quotes a user's text, or the beginning of it.
func shownText(s string) string {
	if runes := []rune(s); len(runes) > maxShown {
		s = string(runes[:maxShown]) + "…"
	}
	return json5.Quote(s)
}

// shownPath is a path, or the beginning of it.
func shownPath(path json5.Path) string {
	s := path.String()
	if runes := []rune(s); len(runes) > 2*maxShown {
		return string(runes[:2*maxShown]) + "…"
	}
	return s
}

// at notes a mistake at a place in a file.
func (p *problems) at(span json5.Span, path json5.Path, reason Reason, format string, args ...any) {
	p.add(Problem{
		Position: span.Position(), Path: shownPath(path), Reason: reason, Message: fmt.Sprintf(format, args...), order: p.files[span.Doc],
	})
}

// err is nil when there is no mistake.
func (p *problems) err(file string) error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &InvalidError{File: file, Problems: p.list, More: p.more}
}

package workspace

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Budgets of bootstrap files in a prompt, in units of [Chars], when [Budget] does not say otherwise.
const (
	DefaultFileChars  = 20_000
	DefaultTotalChars = 60_000
	// MaxUserChars bounds USER.md whatever the budget of a file is.
	MaxUserChars = 4000
	// minRemaining is what must be left of the total for another file to be worth it.
	minRemaining = 64
	// nearPercent is how full a budget is when that is worth a remark.
	nearPercent = 85
)

// Budget bounds what bootstrap files take in a prompt. Values that are not positive mean the default.
type Budget struct{ File, Total int }

func (b Budget) withDefaults() Budget {
	if b.File <= 0 {
		b.File = DefaultFileChars
	}
	if b.Total <= 0 {
		b.Total = DefaultTotalChars
	}
	return b
}

// limit is the budget of one file.
func (b Budget) limit(name string) int {
	if name == FileUser {
		return min(b.File, MaxUserChars)
	}
	return b.File
}

// Cause says which budget shortened a file.
type Cause string

// What shortens a file.
const (
	CauseFile  Cause = "per-file-limit"
	CauseTotal Cause = "total-limit"
)

// Injected is a bootstrap file as a prompt has it.
type Injected struct {
	Name   string
	Path   string // how the prompt calls it
	Status Status
	Reason string
	Text   string // empty: it is not in the prompt
	// RawChars is the size of the file, without the white space at its end; InjectedChars that of Text.
	RawChars, InjectedChars int
	Truncated               bool
	Causes                  []Cause
	Near                    bool // its budget is nearly used up
	Skipped                 bool // nothing was left for it
	Invalid                 bool
}

// Warning is something about the bootstrap files that somebody should know.
type Warning struct {
	Name    string `json:"name"` // of the file
	Message string `json:"message"`
}

func (w Warning) String() string { return w.Name + ": " + w.Message }

// Fitted are the bootstrap files as a prompt has them.
type Fitted struct {
	Files     []Injected
	Budget    Budget
	Chars     int // of all texts
	Truncated bool
	NearTotal bool
	Warnings  []Warning
}

// Fit shortens bootstrap files to their budgets. dir is where the session finds them, such as "/workspace"; empty when it
// cannot read them, so that no marker tells it to.
func Fit(sources []Source, dir string, budget Budget) Fitted {
	f := Fitted{Budget: budget.withDefaults()}
	remaining := f.Budget.Total
	for _, s := range sources {
		file := Injected{Name: s.Name, Path: path.Join(dir, s.Name), Status: s.Status, Reason: s.Reason, Invalid: s.Invalid}
		f.place(&file, s, dir != "", remaining)
		remaining -= file.InjectedChars
		f.Chars += file.InjectedChars
		f.Truncated = f.Truncated || file.Truncated
		f.Files = append(f.Files, file)
	}
	f.NearTotal = f.Chars*100 >= f.Budget.Total*nearPercent
	f.warn()
	return f
}

// place decides what of a file is in the prompt when so much of the total is left.
func (f *Fitted) place(file *Injected, s Source, readable bool, remaining int) {
	text := ""
	switch s.Status {
	case StatusMissing:
		text = "[MISSING] Expected at: " + file.Path
	case StatusUnreadable:
		text = fmt.Sprintf("[UNREADABLE: %s: %s]", s.Name, s.Reason)
	default:
		text = strings.TrimRightFunc(s.Text, unicode.IsSpace)
	}
	file.RawChars = Chars(text)
	if text == "" {
		return
	}
	if s.Status != StatusPresent {
		file.Text = Clamp(text, remaining)
		file.RawChars = 0
		file.InjectedChars = Chars(file.Text)
		return
	}
	own := f.Budget.limit(s.Name)
	if remaining < minRemaining {
		file.Skipped, file.Truncated, file.Causes = true, true, []Cause{CauseTotal}
		return
	}
	if file.RawChars > own {
		file.Causes = append(file.Causes, CauseFile)
	}
	if min(file.RawChars, own) > remaining {
		file.Causes = append(file.Causes, CauseTotal)
	}
	file.Text = trim(s.Name, text, min(own, remaining), readable)
	file.InjectedChars = Chars(file.Text)
	file.Truncated = len(file.Causes) > 0
	file.Near = !file.Truncated && file.RawChars*100 >= own*nearPercent
}

// Clamp cuts a line to so many units and shows that it did.
func Clamp(line string, n int) string {
	const more = "…"
	if Chars(line) <= n {
		return line
	}
	if n <= len(more) { // hardly anything would be left of the line
		return cut(line, n)
	}
	return cut(line, n-Chars(more)) + more
}

// warn puts into words what the prompt does not have.
func (f *Fitted) warn() {
	add := func(name, format string, args ...any) {
		f.Warnings = append(f.Warnings, Warning{name, fmt.Sprintf(format, args...)})
	}
	for _, file := range f.Files {
		switch {
		case file.Status == StatusMissing:
			add(file.Name, "is missing")
		case file.Status == StatusUnreadable:
			add(file.Name, "cannot be read: %s", file.Reason)
		case file.Skipped:
			add(file.Name, "is not in the prompt: nothing of the total of %d characters is left for its %d", f.Budget.Total, file.RawChars)
		case file.Truncated:
			add(file.Name, "is cut to %d of %d characters (%s)", file.InjectedChars, file.RawChars, joinCauses(file.Causes))
		case file.Near:
			add(file.Name, "has %d characters, and more than %d are cut", file.RawChars, f.Budget.limit(file.Name))
		}
		if file.Invalid {
			add(file.Name, "is not UTF-8 in places")
		}
	}
}

func joinCauses(causes []Cause) string {
	var names []string
	for _, c := range causes {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

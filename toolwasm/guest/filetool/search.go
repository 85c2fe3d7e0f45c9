package filetool

import (
	"errors"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/search"
	"openclaw/toolwasm/guest/sys"
)

const (
	// defaultMatches is how many lines that match grep shows without being told.
	defaultMatches = 100
	// defaultFound is how many paths find shows.
	defaultFound = 1000
	// maxContext bounds the lines around a match.
	maxContext = 50
)

// grepDetails are the details of a grep.
type grepDetails struct {
	Path    string `json:"path"`
	Matches int64  `json:"matches"`
	Files   int    `json:"files"`
	More    bool   `json:"more,omitempty"` // it was ended before all was searched
}

// grepTool searches files for lines.
func grepTool(c *call, raw []byte) (*result, error) {
	o, err := parseObject(raw, "", "pattern", "path", "glob", "ignoreCase", "literal", "context", "limit")
	if err != nil {
		return nil, err
	}
	q, name, limit, err := parseGrep(o)
	if err != nil {
		return nil, err
	}
	if err := c.searchable(name); err != nil {
		return nil, fmt.Errorf("grep %s: %s", name, reason(err))
	}
	r, err := c.grep(q, name, limit)
	if errors.Is(err, search.ErrPattern) {
		return nil, badArgument("pattern: %s", err)
	}
	return r, err
}

func parseGrep(o object) (q search.Query, name string, limit int64, err error) {
	if q.Pattern, err = o.text("pattern"); err != nil {
		return q, "", 0, err
	}
	if q.Pattern == "" {
		return q, "", 0, badArgument("pattern: missing (empty)")
	}
	if name, err = o.optionalPath(); err != nil {
		return q, "", 0, err
	}
	if q.Glob, err = o.optionalText("glob"); err != nil {
		return q, "", 0, err
	}
	if q.IgnoreCase, err = o.flag("ignoreCase"); err != nil {
		return q, "", 0, err
	}
	if q.Literal, err = o.flag("literal"); err != nil {
		return q, "", 0, err
	}
	around, err := o.number("context", 0, 0)
	if err != nil {
		return q, "", 0, err
	}
	q.Context = int(min(around, maxContext))
	limit, err = o.number("limit", 1, defaultMatches)
	return q, name, min(limit, maxEntries), err
}

// searchable refuses a path that is not there, or is neither a directory nor a file.
func (c *call) searchable(name string) error {
	info, err := sys.Stat(c.p.Path(name))
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return nil
	}
	return location{exists: true, info: info}.regular()
}

// grep shows matches as FILE:LINE: TEXT, and the lines around them with a "-" in place of the colon behind the number.
func (c *call) grep(q search.Query, name string, limit int64) (*result, error) {
	d := &grepDetails{Path: name}
	l := newLister(c.p, maxEntries*maxContext)
	var trouble troubles
	last, ended := "", ""
	err := q.Run(c.p, name, func(f search.Found) bool {
		if f.Selected && d.Matches == limit {
			d.More, ended = true, moreThanLimit(limit)
			return true
		}
		line := fmt.Sprintf("%s:%d- %s", f.File, f.Line, shownLine(f.Text))
		if f.Selected {
			line = fmt.Sprintf("%s:%d: %s", f.File, f.Line, shownLine(f.Text))
		}
		if q.Context > 0 && last != "" && (f.Gap || f.File != last) && !l.add("--") || !l.add(line) {
			d.More, ended = true, moreThanPage(d.Matches)
			return true
		}
		if f.Selected {
			d.Matches++
		}
		if f.File != last {
			d.Files++
		}
		last = f.File
		return false
	}, trouble.add)
	if err != nil {
		return nil, err
	}
	text := l.text.String()
	if d.Matches == 0 && !d.More {
		text = "[no match]"
	}
	return &result{Text: joinNotes(text, ended, trouble.String()), Details: d}, nil
}

func moreThanLimit(n int64) string {
	return fmt.Sprintf("[%d shown, and there are more: give a higher limit, or a narrower pattern]", n)
}

func moreThanPage(n int64) string {
	return fmt.Sprintf("[%d shown, and there are more than fit: search a smaller path, or with a narrower pattern]", n)
}

// joinNotes puts notes behind a text, each on a line of its own.
func joinNotes(text string, notes ...string) string {
	for _, n := range notes {
		if n == "" {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += n
	}
	return text
}

// findDetails are the details of a find.
type findDetails struct {
	Path  string `json:"path"`
	Found int64  `json:"found"`
	More  bool   `json:"more,omitempty"`
}

// findTool finds files and directories by their names.
func findTool(c *call, raw []byte) (*result, error) {
	o, err := parseObject(raw, "", "pattern", "path", "limit")
	if err != nil {
		return nil, err
	}
	pattern, err := o.text("pattern")
	if err != nil {
		return nil, err
	}
	name, err := o.optionalPath()
	if err != nil {
		return nil, err
	}
	limit, err := o.number("limit", 1, defaultFound)
	if err != nil {
		return nil, err
	}
	names, err := search.CompileNames(pattern)
	if err != nil {
		return nil, badArgument("pattern: %s", err)
	}
	info, err := sys.Stat(c.p.Path(name))
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file, not a directory")
	}
	if err != nil {
		return nil, fmt.Errorf("find %s: %s", name, reason(err))
	}
	return c.findNames(names, name, min(limit, maxEntries)), nil
}

func (c *call) findNames(names *search.Names, name string, limit int64) *result {
	d := &findDetails{Path: name}
	l := newLister(c.p, limit)
	var trouble troubles
	search.Walk(c.p, name, func(e search.Entry) bool {
		if !names.Match(e.Rel, e.Dir) {
			return false
		}
		line := strings.ToValidUTF8(e.Name, "\uFFFD")
		if e.Dir {
			line += "/"
		}
		return !l.add(line)
	}, trouble.add)
	d.Found, d.More = l.lines, l.full
	text, ended := l.text.String(), ""
	switch {
	case l.cut:
		ended = moreThanPage(l.lines)
	case l.full:
		ended = moreThanLimit(l.lines)
	case l.lines == 0:
		text = "[nothing found]"
	}
	return &result{Text: joinNotes(text, ended, trouble.String()), Details: d}
}

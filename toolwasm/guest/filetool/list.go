package filetool

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// defaultEntries is how many entries of a directory ls shows without being told.
const defaultEntries = 500

// maxEntries bounds what can be asked for of ls, grep and find.
const maxEntries = 10_000

// listDetails are the details of an ls.
type listDetails struct {
	Path    string `json:"path"`
	Entries int64  `json:"entries"` // shown
	Total   int    `json:"total"`   // in the directory
	After   string `json:"after,omitempty"`
	Next    string `json:"next,omitempty"` // what to give as after, when there is more
}

// optionalPath returns the path member, "." when there is none.
func (o object) optionalPath() (string, error) {
	if raw, ok := o.fields["path"]; !ok || string(raw) == "null" {
		return ".", nil
	}
	return o.path()
}

// optionalText returns a string member, empty when there is none.
func (o object) optionalText(name string) (string, error) {
	if raw, ok := o.fields[name]; !ok || string(raw) == "null" {
		return "", nil
	}
	return o.text(name)
}

// lsTool lists a directory in the order of the names' bytes.
func lsTool(c *call, raw []byte) (*result, error) {
	o, err := parseObject(raw, "", "path", "limit", "after")
	if err != nil {
		return nil, err
	}
	name, err := o.optionalPath()
	if err != nil {
		return nil, err
	}
	limit, err := o.number("limit", 1, defaultEntries)
	if err != nil {
		return nil, err
	}
	after, err := o.optionalText("after")
	if err != nil {
		return nil, err
	}
	r, err := c.list(name, min(limit, maxEntries), strings.TrimSuffix(after, "/"))
	if err != nil {
		return nil, fmt.Errorf("ls %s: %s", name, reason(err))
	}
	return r, nil
}

func (c *call) list(name string, limit int64, after string) (*result, error) {
	at, err := locate(c.p.Path(name))
	switch {
	case err != nil:
		return nil, err
	case !at.exists:
		return nil, fs.ErrNotExist
	case !at.info.IsDir():
		return nil, fmt.Errorf("it is a file, not a directory")
	}
	entries, err := sys.ReadDir(at.path)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	d := &listDetails{Path: name, Total: len(entries), After: after}
	l := newLister(c.p, limit)
	last := ""
	for _, e := range entries {
		if after != "" && e.Name() <= after {
			continue
		}
		if !l.add(entryLine(at.path, e)) {
			d.Next = last
			break
		}
		last = e.Name()
	}
	d.Entries = l.lines
	text := l.text.String()
	switch {
	case len(entries) == 0:
		text = fmt.Sprintf("[%s is empty]", name)
	case l.full:
		text += fmt.Sprintf("[%d of %d entries; go on with after=%s]", l.lines, len(entries), quoted(last))
	case l.lines == 0:
		text = fmt.Sprintf("[no entries after %s: there are %d]", quoted(after), len(entries))
	}
	return &result{Text: text, Details: d}, nil
}

// entryLine is an entry as JSON, so that no name can be taken for something else: a directory's name ends in "/", and behind a link's
// stands where it leads.
func entryLine(dir string, e fs.DirEntry) string {
	switch {
	case e.IsDir():
		return quoted(e.Name() + "/")
	case e.Type()&fs.ModeSymlink != 0:
		if target, err := sys.Readlink(path.Join(dir, e.Name())); err == nil {
			return quoted(e.Name()) + " -> " + quoted(target)
		}
	}
	return quoted(e.Name())
}

// quoted is a text as JSON.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(strings.ToValidUTF8(s, "\uFFFD")); err != nil {
		return s
	}
	return strings.TrimSuffix(b.String(), "\n")
}

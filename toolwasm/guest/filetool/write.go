package filetool

import (
	"errors"
	"fmt"
)

// writeDetails are the details of a write.
type writeDetails struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
	Changed bool   `json:"changed"`
}

// writeTool makes a file hold exactly the given text.
func writeTool(c *call, raw []byte) (*result, error) {
	args, err := parseObject(raw, "", "path", "content")
	if err != nil {
		return nil, err
	}
	name, err := args.path()
	if err != nil {
		return nil, err
	}
	content, err := args.text("content")
	if err != nil {
		return nil, err
	}
	return c.write(name, []byte(content))
}

func (c *call) write(name string, content []byte) (*result, error) {
	at, err := c.target(name)
	if err != nil {
		return nil, failure("write", name, err)
	}
	d := writeDetails{Path: name, Bytes: len(content), Created: !at.exists}
	if at.exists && at.info.Size == int64(len(content)) && verify(at.path, content) == nil {
		return &result{Text: fmt.Sprintf("No change: %s already holds exactly these %s.", name, count(len(content), "byte")), Details: d}, nil
	}
	if err := commit(c.disk, c.p.Umask, c.journal, []change{{name: name, at: at, content: content}}); err != nil {
		return nil, failure("write", name, err)
	}
	d.Changed = true
	verb := "Wrote"
	if d.Created {
		verb = "Created"
	}
	return &result{Text: fmt.Sprintf("%s %s: %s.", verb, name, count(len(content), "byte")), Details: d}, nil
}

// failure is the error of a tool that could not do its work on a file, and says what that leaves on disk.
func failure(tool, name string, err error) error {
	var c *commitError
	switch {
	case !errors.As(err, &c):
	case c.left != nil:
		return fmt.Errorf("%s %w", tool, err)
	default:
		name, err = c.name, c.cause
	}
	return fmt.Errorf("%s %s: nothing was changed: %w", tool, name, err)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package json5

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxPathSteps bounds a path. No document is deeper.
const MaxPathSteps = MaxDepth

// Step is one key or index of a path.
type Step struct {
	name  string
	index bool // was written as an index
}

// Key is the step to an object's value.
func Key(name string) Step { return Step{name: name} }

// At is the step to a list's item.
func At(index int) Step { return Step{name: strconv.Itoa(index), index: true} }

// Name is the step as a key.
func (s Step) Name() string { return s.name }

// Index is the step as the index of a list. A key of digits is one too: lists.0 and lists[0] are the same.
func (s Step) Index() (int, bool) {
	if s.name == "" || len(s.name) > 1 && s.name[0] == '0' {
		return 0, false
	}
	i, err := strconv.ParseUint(s.name, 10, 31)
	return int(i), err == nil
}

// Path leads from a document's root to one of its values.
type Path []Step

// String writes the path as ParsePath reads it.
func (p Path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case step.index:
			b.WriteString("[" + step.name + "]")
		case !plainStep(step.name):
			b.WriteString("[" + Quote(step.name) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step.name)
		}
	}
	return b.String()
}

// plainStep reports whether a key can stand in a path without brackets.
func plainStep(name string) bool {
	for _, r := range name {
		if r <= ' ' || strings.ContainsRune(`.[]"'\`, r) || !strconv.IsPrint(r) {
			return false
		}
	}
	return name != ""
}

// Join is the path with one more step; the receiver stays as it is.
func (p Path) Join(step Step) Path {
	return append(p[:len(p):len(p)], step)
}

// ParsePath reads a path such as agents.entries.main, list[0].id or models["a/b.c"].alias.
func ParsePath(text string) (Path, error) {
	path, err := parsePath(text)
	if err != nil {
		return nil, fmt.Errorf("json5: path %q: %w", text, err)
	}
	return path, nil
}

func parsePath(text string) (Path, error) {
	if text == "" {
		return nil, errors.New("is empty")
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("is not valid UTF-8")
	}
	var path Path
	for rest := text; rest != ""; {
		step, after, err := nextStep(rest, len(path) == 0)
		if err != nil {
			return nil, err
		}
		if path = append(path, step); len(path) > MaxPathSteps {
			return nil, fmt.Errorf("has more than %d steps", MaxPathSteps)
		}
		rest = after
	}
	return path, nil
}

func nextStep(text string, first bool) (step Step, rest string, err error) {
	if text[0] == '[' {
		return bracketStep(text[1:])
	}
	if !first {
		if text[0] != '.' {
			return Step{}, "", fmt.Errorf("wants '.' or '[' before %q", text)
		}
		text = text[1:]
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	if end == 0 {
		return Step{}, "", errors.New("has an empty step")
	}
	if i := strings.IndexAny(text[:end], "]\"'"); i >= 0 {
		return Step{}, "", fmt.Errorf("has a stray %q", text[i:i+1])
	}
	return Key(text[:end]), text[end:], nil
}

// bracketStep reads what follows a '[': an index or a quoted key, and the ']'.
func bracketStep(text string) (step Step, rest string, err error) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		return quotedStep(text)
	}
	inner, rest, closed := strings.Cut(text, "]")
	if !closed {
		return Step{}, "", errors.New("has a '[' without ']'")
	}
	step = Step{name: inner, index: true}
	if _, ok := step.Index(); !ok {
		return Step{}, "", fmt.Errorf("has %q where an index or a quoted key is wanted", inner)
	}
	return step, rest, nil
}

func quotedStep(text string) (step Step, rest string, err error) {
	p := parser{doc: &Document{Text: text, lines: lineStarts(text)}}
	name, err := p.str()
	if err != nil {
		return Step{}, "", errors.New("has a wrong quoted key")
	}
	if p.at == len(text) || text[p.at] != ']' {
		return Step{}, "", errors.New("has a '[' without ']'")
	}
	return Key(name), text[p.at+1:], nil
}

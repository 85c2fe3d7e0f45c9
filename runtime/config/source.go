package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"openclaw/runtime/config/json5"
)

// Limits of $include.
const (
	maxIncludeDepth = 10
	maxIncludes     = 100  // files read for one configuration
	maxIncludePath  = 4096 // bytes of a path
)

const includeKey = "$include"

// source reads a configuration's files into one tree.
type source struct {
	*problems
	file     string
	roots    []string
	included int
}

// errNotRegular is the cause when a file is a directory, a device or the like.
var errNotRegular = errors.New("is not a regular file")

// readFile reads a configuration file, which must be a regular one and no symbolic link. A file that does not exist is nil.
func readFile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, cause(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("is a symbolic link: put the file itself there, or name it with " + EnvConfigPath)
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.New("changed while it was opened")
	}
	return readBounded(f)
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, json5.MaxSize+1))
	if err != nil {
		return nil, cause(err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// cause is an error without the path, which the message has already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// parse reads a text and notes its mistakes. It is nil when the text cannot be read.
func (s *source) parse(name, text string) *json5.Document {
	doc, err := json5.Parse(name, text)
	var syntax *json5.SyntaxError
	if errors.As(err, &syntax) {
		s.add(Problem{Position: syntax.Position, Reason: ReasonSyntax, Message: syntax.Reason, order: len(s.files)})
		return nil
	}
	s.opened(doc)
	for _, d := range doc.Duplicates {
		first := d.First.Position()
		s.at(d.Key, d.Path, ReasonDuplicate, "is set twice: first at line %d, column %d", first.Line, first.Column)
	}
	return doc
}

// resolve is the tree with its $includes replaced. Nodes keep the place where they were written.
func (s *source) resolve(at json5.Path, n *json5.Node, stack []string) *json5.Node {
	switch n.Kind {
	case json5.Array:
		return s.resolveItems(at, n, stack)
	case json5.Object:
		own := s.resolveMembers(at, n, stack)
		m := n.Member(includeKey)
		if m == nil {
			return own
		}
		included := s.include(at.Join(json5.Key(includeKey)), m, stack)
		switch {
		case included == nil, included.Kind == json5.Object:
			return merge(included, own)
		case len(own.Members) == 0:
			return included
		}
		s.at(m.Value.Span, at.Join(json5.Key(includeKey)), ReasonInclude,
			"%s holds %v, which cannot be merged with the keys beside it", shownText(m.Value.Str), included.Kind)
		return own
	}
	return n
}

func (s *source) resolveItems(at json5.Path, n *json5.Node, stack []string) *json5.Node {
	items := make([]*json5.Node, len(n.Items))
	for i, item := range n.Items {
		items[i] = s.resolve(at.Join(json5.At(i)), item, stack)
	}
	return &json5.Node{Span: n.Span, Kind: json5.Array, Items: items}
}

func (s *source) resolveMembers(at json5.Path, n *json5.Node, stack []string) *json5.Node {
	resolved := &json5.Node{Span: n.Span, Kind: json5.Object}
	for _, m := range n.Members {
		if m.Name == includeKey {
			continue
		}
		value := s.resolve(at.Join(json5.Key(m.Name)), m.Value, stack)
		resolved.Members = append(resolved.Members, &json5.Member{Name: m.Name, Key: m.Key, Value: value})
	}
	return resolved
}

// merge lays one value over another: objects key by key, lists one behind the other, of anything else the later wins.
func merge(below, above *json5.Node) *json5.Node {
	switch {
	case below == nil:
		return above
	case below.Kind == json5.Array && above.Kind == json5.Array:
		items := append(append([]*json5.Node(nil), below.Items...), above.Items...)
		return &json5.Node{Span: above.Span, Kind: json5.Array, Items: items}
	case below.Kind != json5.Object || above.Kind != json5.Object:
		return above
	}
	merged := &json5.Node{Span: above.Span, Kind: json5.Object, Members: append([]*json5.Member(nil), below.Members...)}
	places := make(map[string]int, len(below.Members))
	for i, m := range below.Members {
		places[m.Name] = i
	}
	for _, m := range above.Members {
		i, both := places[m.Name]
		if !both {
			merged.Members = append(merged.Members, m)
			continue
		}
		value := merge(below.Members[i].Value, m.Value)
		merged.Members[i] = &json5.Member{Name: m.Name, Key: m.Key, Value: value}
	}
	return merged
}

// include reads what an $include names, or notes why it cannot.
func (s *source) include(at json5.Path, m *json5.Member, stack []string) *json5.Node {
	switch m.Value.Kind {
	case json5.String:
		return s.includeFile(at, m.Value, stack)
	case json5.Array:
		var all *json5.Node
		for i, item := range m.Value.Items {
			path := at.Join(json5.At(i))
			if item.Kind != json5.String {
				s.at(item.Span, path, ReasonType, "must be the path of a file, not %v", item.Kind)
				continue
			}
			if one := s.includeFile(path, item, stack); one != nil {
				all = merge(all, one)
			}
		}
		return all
	}
	s.at(m.Value.Span, at, ReasonType, "must be the path of a file or a list of paths, not %v", m.Value.Kind)
	return nil
}

func (s *source) includeFile(at json5.Path, n *json5.Node, stack []string) *json5.Node {
	fail := func(format string, args ...any) *json5.Node {
		s.at(n.Span, at, ReasonInclude, "%s "+format, append([]any{shownText(n.Str)}, args...)...)
		return nil
	}
	name := n.Str
	switch {
	case name == "" || len(name) >= maxIncludePath || strings.ContainsRune(name, 0):
		return fail("is not the path of a file")
	case len(stack) > maxIncludeDepth:
		return fail("is included more than %d levels deep", maxIncludeDepth)
	case s.included == maxIncludes:
		return fail("is one of more than %d included files", maxIncludes)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(stack[len(stack)-1]), name)
	}
	name = filepath.Clean(name)
	for _, open := range stack {
		if open == name {
			return fail("includes itself")
		}
	}
	s.included++
	text, err := s.readIncluded(name)
	if err != nil {
		return fail("%v", err)
	}
	doc := s.parse(name, text)
	if doc == nil {
		return nil
	}
	return s.resolve(at[:len(at)-includeSteps(at)], doc.Root, append(stack[:len(stack):len(stack)], name))
}

// includeSteps is how many steps at the end of a path lead to an $include or an item of it.
func includeSteps(at json5.Path) int {
	if at[len(at)-1].Name() == includeKey {
		return 1
	}
	return 2
}

// readIncluded reads a file below one of the roots. Links are followed within the root only.
func (s *source) readIncluded(name string) (string, error) {
	for _, dir := range s.roots {
		rel, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		return readBelow(dir, rel)
	}
	return "", fmt.Errorf("is outside %s (other directories: %s)", filepath.Dir(s.file), EnvIncludeRoots)
}

func readBelow(dir, rel string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", cause(err)
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errNotRegular
	}
	f, err := root.Open(rel)
	if err != nil {
		return "", cause(err)
	}
	defer f.Close()
	data, err := readBounded(f)
	return string(data), err
}

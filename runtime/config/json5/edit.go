package json5

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound is the cause when a path to be removed does not exist.
var ErrNotFound = errors.New("is not set")

// EditError says why a text cannot be edited.
type EditError struct {
	Path  Path
	Cause error
}

func (e *EditError) Error() string { return fmt.Sprintf("json5: edit %v: %v", e.Path, e.Cause) }
func (e *EditError) Unwrap() error { return e.Cause }

// Set returns the document's text with the value at the path. Objects that are missing on the way are made; the index one past
// the end of a list appends to it. Nothing outside the value changes.
func Set(doc *Document, path Path, value *Node) (string, error) {
	text, err := set(doc, path, value)
	if err == nil {
		err = verify(doc, text, func(root *Node) *Node { return with(root, path, value) })
	}
	if err != nil {
		return "", &EditError{Path: path, Cause: err}
	}
	return text, nil
}

// Unset returns the document's text without the value at the path. Comments around it stay.
func Unset(doc *Document, path Path) (string, error) {
	text, err := unset(doc, path)
	if err == nil {
		err = verify(doc, text, func(root *Node) *Node { return without(root, path) })
	}
	if err != nil {
		return "", &EditError{Path: path, Cause: err}
	}
	return text, nil
}

// verify holds the edited text against the edited tree, so that a fault of the editor damages no file.
func verify(doc *Document, text string, edit func(*Node) *Node) error {
	after, err := Parse(doc.Name, text)
	if err != nil {
		return fmt.Errorf("the result cannot be read: %w", err)
	}
	if !edit(doc.Root).Equal(after.Root) {
		return errors.New("the result would hold something else than was asked for")
	}
	return nil
}

func set(doc *Document, path Path, value *Node) (string, error) {
	if len(path) == 0 {
		return "", errors.New("the path is empty")
	}
	var parent *Node
	node, depth := doc.Root, 0
	for ; depth < len(path); depth++ {
		child := node.child(path[depth])
		if child == nil {
			break
		}
		parent, node = node, child
	}
	if depth == len(path) {
		s := styleOf(doc, parent)
		s.indent = lineIndent(doc.Text, node.Start)
		return splice(doc.Text, edit{node.Start, node.End, render(value, s)}), nil
	}
	if err := canInsert(node, path, depth); err != nil {
		return "", err
	}
	return insert(doc, parent, node, path[depth], nest(path[depth+1:], value)), nil
}

// canInsert checks that the container that the path ends in takes the next step.
func canInsert(node *Node, path Path, depth int) error {
	for _, step := range path[depth+1:] {
		if i, ok := step.Index(); step.index && (!ok || i != 0) {
			return fmt.Errorf("%v does not exist, and a new list begins at 0", path[:depth+1])
		}
	}
	switch step := path[depth]; node.Kind {
	case Object:
		if step.index {
			return fmt.Errorf("%s is an object, not a list", pathName(path[:depth]))
		}
		return nil
	case Array:
		if i, ok := step.Index(); !ok || i != len(node.Items) {
			return fmt.Errorf("%s is a list of %d: the next index is %d", pathName(path[:depth]), len(node.Items), len(node.Items))
		}
		return nil
	}
	return fmt.Errorf("%s is %v", pathName(path[:depth]), node.Kind)
}

func pathName(path Path) string {
	if len(path) == 0 {
		return "the whole"
	}
	return path.String()
}

// nest wraps a value in the containers that lead to it.
func nest(path Path, value *Node) *Node {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].index {
			value = &Node{Kind: Array, Items: []*Node{value}}
			continue
		}
		value = &Node{Kind: Object, Members: []*Member{{Name: path[i].Name(), Value: value}}}
	}
	return value
}

// edit replaces a piece of the text.
type edit struct {
	start, end int
	text       string
}

// splice applies edits that are in order and do not overlap.
func splice(text string, edits ...edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start] + e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// insert adds an element at the end of a container.
func insert(doc *Document, parent, n *Node, step Step, value *Node) string {
	if n.count() == 0 {
		return insertFirst(doc, parent, n, step, value)
	}
	text, last := doc.Text, n.count()-1
	_, valueEnd := n.element(last)
	comma := n.commas[last]
	at := valueEnd
	if comma != noComma {
		at = comma + 1
	}
	at, breaks := afterLineComments(text, at)
	first, _ := n.element(0)
	breaks = breaks || hasBreak(text[n.Start:first]) || hasBreak(text[at:n.End])

	s := styleOf(doc, n)
	s.indent = lineIndent(text, first)
	separator := " "
	if s.newline == separator {
		s.indent = ""
	}
	if breaks {
		s = multiline(s, doc)
		s.indent = elementIndent(doc, n)
		separator = s.newline + s.indent
	}
	added := separator + renderElement(n, step, value, s)
	if comma != noComma {
		return splice(text, edit{at, at, added + ","})
	}
	return splice(text, edit{valueEnd, valueEnd, ","}, edit{at, at, added})
}

// insertFirst adds the first element of an empty container, after the comments that are in it.
func insertFirst(doc *Document, parent, n *Node, step Step, value *Node) string {
	text := doc.Text
	inner := text[n.Start+1 : n.End-1]
	kept := strings.TrimRight(inner, " \t\r\n")
	s := styleOf(doc, parent)
	if parent == nil || hasBreak(inner) || strings.Contains(kept, "//") {
		s = multiline(s, doc)
	}
	base := lineIndent(text, n.Start)
	if s.newline != " " {
		s.indent = base + s.unit
	}
	element := renderElement(n, step, value, s)
	if s.newline == " " {
		return splice(text, edit{n.Start + 1 + len(kept), n.End - 1, " " + element + " "})
	}
	return splice(text, edit{n.Start + 1 + len(kept), n.End - 1, s.newline + s.indent + element + s.newline + base})
}

func renderElement(n *Node, step Step, value *Node, s style) string {
	if n.Kind == Array {
		return render(value, s)
	}
	return s.key(step.Name()) + ": " + render(value, s)
}

func render(value *Node, s style) string {
	var b strings.Builder
	value.write(&b, s, false)
	return b.String()
}

func (n *Node) count() int {
	if n.Kind == Object {
		return len(n.written)
	}
	return len(n.Items)
}

// element is the extent of an item or of a member.
func (n *Node) element(i int) (start, end int) {
	if n.Kind == Object {
		return n.written[i].Key.Start, n.written[i].Value.End
	}
	return n.Items[i].Start, n.Items[i].End
}

// maxDuplicates bounds how often a key that is removed may stand in its object.
const maxDuplicates = 10

// unset removes every member that has the path's name, so that no earlier duplicate comes to light.
func unset(doc *Document, path Path) (string, error) {
	for removed := 0; ; removed++ {
		parent, i := locate(doc.Root, path)
		switch {
		case i < 0 && removed == 0:
			return "", ErrNotFound
		case i < 0:
			return doc.Text, nil
		case parent.Kind == Array:
			return remove(doc.Text, parent, i), nil
		case parent.times(path[len(path)-1].Name()) > maxDuplicates:
			return "", fmt.Errorf("stands there more than %d times", maxDuplicates)
		}
		after, err := Parse(doc.Name, remove(doc.Text, parent, i))
		if err != nil {
			return "", fmt.Errorf("the result cannot be read: %w", err)
		}
		doc = after
	}
}

// times counts the members with a name, duplicates and all.
func (n *Node) times(name string) int {
	count := 0
	for _, m := range n.written {
		if m.Name == name {
			count++
		}
	}
	return count
}

// locate finds the container of the path's value and the element's number in it, or a negative one.
func locate(root *Node, path Path) (parent *Node, element int) {
	if len(path) == 0 {
		return nil, -1
	}
	parent, step := root.At(path[:len(path)-1]), path[len(path)-1]
	if parent == nil || parent.child(step) == nil {
		return nil, -1
	}
	if parent.Kind == Array {
		i, _ := step.Index()
		return parent, i
	}
	for i, m := range parent.written {
		if m.Name == step.Name() {
			return parent, i
		}
	}
	return nil, -1
}

// remove cuts one element, its comma, and the white space that nobody misses.
func remove(text string, n *Node, i int) string {
	start, end := n.element(i)
	comma := n.commas[i]
	if comma != noComma && blank(text[end:comma]) {
		end, comma = comma+1, noComma
	}
	var cuts []edit
	if last := i == n.count()-1; last && i > 0 && n.commas[i] == noComma {
		before := n.commas[i-1]
		cuts = append(cuts, edit{start: before, end: before + 1})
		if sameLine := strings.TrimLeft(text[before+1:start], " \t") == ""; sameLine {
			start, cuts = before, nil
		}
	}
	start, end = widen(text, start, end)
	if len(cuts) > 0 && cuts[0].end > start {
		start = cuts[0].end
	}
	cuts = append(cuts, edit{start: start, end: end})
	if comma != noComma {
		cuts = append(cuts, edit{start: comma, end: comma + 1})
	}
	return splice(text, cuts...)
}

// widen takes whole lines if nothing else is on them, else the blanks that follow if there are some on both sides.
func widen(text string, start, end int) (int, int) {
	lineStart := start - len(trailingBlanks(text[:start]))
	after := end + len(leadingBlanks(text[end:]))
	if (lineStart == 0 || text[lineStart-1] == '\n') && strings.HasPrefix(strings.TrimPrefix(text[after:], "\r"), "\n") {
		return lineStart, after + strings.IndexByte(text[after:], '\n') + 1
	}
	opened := lineStart > 0 && strings.IndexByte("{[", text[lineStart-1]) >= 0
	closes := strings.IndexByte("}]", text[after]) >= 0
	if opened || lineStart < start && !closes {
		return start, after
	}
	return start, end
}

func leadingBlanks(s string) string  { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }
func trailingBlanks(s string) string { return s[len(strings.TrimRight(s, " \t")):] }
func blank(s string) bool            { return strings.TrimLeft(s, " \t") == "" }

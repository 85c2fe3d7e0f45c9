// Package json5 reads JSON5 with the position of everything, and edits JSON5 text without touching the rest of it.
//
// Parse accepts the JSON5 language: comments, trailing commas, single quotes, unquoted keys, line continuations, hexadecimal and
// signed numbers, Infinity and NaN. It keeps each value's place in the text, reports duplicate keys, and bounds the depth and the
// size of what it reads. It never panics, whatever the text.
//
// Set and Unset change one value in the text. Everything outside that value stays as it was written: comments, order,
// indentation, line endings, quoting and trailing commas.
package json5

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// Kind says what a Node is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind with its article, as messages need it.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// Document is a text and the value that it holds.
type Document struct {
	Name       string // what positions call the text, such as the name of its file
	Text       string
	Root       *Node
	Duplicates []Duplicate

	lines []int // offset of the start of each line
}

// Duplicate is a key that an object holds twice. The object's value has the later one.
type Duplicate struct {
	Path       Path
	Key, First Span
}

// Span is a piece of a document's text.
type Span struct {
	Doc        *Document
	Start, End int // byte offsets
}

// Text is the source text of the span.
func (s Span) Text() string { return s.Doc.Text[s.Start:s.End] }

// Position is the place where the span begins.
func (s Span) Position() Position {
	if s.Doc == nil {
		return Position{}
	}
	return s.Doc.position(s.Start)
}

// Position is a place in a text. Lines and columns count from one; a column is a character, not a byte.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

func (d *Document) position(offset int) Position {
	line := sort.SearchInts(d.lines, offset+1) - 1
	column := utf8.RuneCountInString(d.Text[d.lines[line]:offset]) + 1
	return Position{File: d.Name, Line: line + 1, Column: column}
}

// Node is a value. It must not be changed once it is part of a document; trees built from several documents share nodes.
type Node struct {
	Span
	Kind    Kind
	Bool    bool
	Str     string    // of a String: what it holds; of a Number: its source text
	Items   []*Node   // of an Array
	Members []*Member // of an Object, in source order, without the earlier ones of duplicates

	index   map[string]*Member // of an Object that was read, when it has many members
	written []*Member          // Members with the earlier ones of duplicates
	commas  []int              // offset of the comma after each item or written member; noComma where there is none
}

// Member is a key and its value in an object.
type Member struct {
	Name  string
	Key   Span
	Value *Node
}

const noComma = -1

// Get is the value of a key, or nil.
func (n *Node) Get(name string) *Node {
	if m := n.Member(name); m != nil {
		return m.Value
	}
	return nil
}

// Member is the member with a name, or nil.
func (n *Node) Member(name string) *Member {
	if n.index != nil {
		return n.index[name]
	}
	for _, m := range n.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// At is the value at a path below the node, or nil.
func (n *Node) At(path Path) *Node {
	for _, step := range path {
		if n = n.child(step); n == nil {
			return nil
		}
	}
	return n
}

func (n *Node) child(step Step) *Node {
	switch n.Kind {
	case Object:
		return n.Get(step.Name())
	case Array:
		if i, ok := step.Index(); ok && i < len(n.Items) {
			return n.Items[i]
		}
	}
	return nil
}

// Equal reports whether two values are the same, whatever their text. The order of keys does not matter. Numbers are
// compared by value; NaN equals NaN.
func (n *Node) Equal(m *Node) bool {
	if n == nil || m == nil {
		return n == m
	}
	if n.Kind != m.Kind || n.Bool != m.Bool || len(n.Items) != len(m.Items) || len(n.Members) != len(m.Members) {
		return false
	}
	switch n.Kind {
	case String:
		return n.Str == m.Str
	case Number:
		return sameNumber(n, m)
	}
	for i, item := range n.Items {
		if !item.Equal(m.Items[i]) {
			return false
		}
	}
	for _, member := range n.Members {
		if other := m.Get(member.Name); other == nil || !member.Value.Equal(other) {
			return false
		}
	}
	return true
}

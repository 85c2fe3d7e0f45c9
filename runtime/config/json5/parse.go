package json5

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is read.
const (
	MaxSize  = 2 << 20 // bytes of a text
	MaxDepth = 64      // containers within containers
)

// SyntaxError says where a text stops being JSON5.
type SyntaxError struct {
	Position
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("json5: %v: %s", e.Position, e.Reason) }

// Parse reads a text. Its error is a *SyntaxError.
func Parse(name, text string) (*Document, error) {
	doc := &Document{Name: name, Text: text, lines: lineStarts(text)}
	p := parser{doc: doc}
	root, err := p.document()
	if err != nil {
		return nil, err
	}
	doc.Root = root
	return doc, nil
}

// lineStarts finds the lines as editors do: LF, CR LF and CR end one.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

type parser struct {
	doc  *Document
	at   int
	path Path // to the value being read
}

func (p *parser) document() (*Node, error) {
	if len(p.doc.Text) > MaxSize {
		p.at = 0
		return nil, p.fail("the text has more than %d bytes", MaxSize)
	}
	for i, r := range p.doc.Text {
		if r == utf8.RuneError && !strings.HasPrefix(p.doc.Text[i:], "\uFFFD") {
			p.at = i
			return nil, p.fail("invalid UTF-8")
		}
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	root, err := p.value()
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(p.doc.Text) {
		return nil, p.fail("%s after the end of the value", p.next())
	}
	return root, nil
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{Position: p.doc.position(p.at), Reason: fmt.Sprintf(format, args...)}
}

// next describes the character at hand.
func (p *parser) next() string {
	if p.at >= len(p.doc.Text) {
		return "the end of the text"
	}
	r, _ := utf8.DecodeRuneInString(p.doc.Text[p.at:])
	return fmt.Sprintf("%q", r)
}

func (p *parser) peek() byte {
	if p.at < len(p.doc.Text) {
		return p.doc.Text[p.at]
	}
	return 0
}

func (p *parser) rest() string { return p.doc.Text[p.at:] }

// space skips white space and comments.
func (p *parser) space() error {
	for p.at < len(p.doc.Text) {
		if n := spaceWidth(p.rest()); n > 0 {
			p.at += n
			continue
		}
		if p.peek() != '/' {
			return nil
		}
		n := commentWidth(p.rest())
		switch {
		case n == 0:
			return p.fail("'/' that begins no comment")
		case n < 0:
			return p.fail("a comment that does not end")
		}
		p.at += n
	}
	return nil
}

// spaceWidth is the length of the white space character that text begins with, or 0.
func spaceWidth(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case r == ' ', r == '\t', r == '\n', r == '\r', r == '\v', r == '\f', r == '\uFEFF', r == '\u2028', r == '\u2029':
		return n
	case r >= 0x80 && unicode.Is(unicode.Zs, r):
		return n
	}
	return 0
}

// commentWidth is the length of the comment that text begins with: 0 if it is none, negative if it does not end. The end of
// line is not part of a comment.
func commentWidth(text string) int {
	switch {
	case strings.HasPrefix(text, "//"):
		if end := strings.IndexAny(text, "\n\r\u2028\u2029"); end >= 0 {
			return end
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		end := strings.Index(text[2:], "*/")
		if end < 0 {
			return -1
		}
		return end + 4
	}
	return 0
}

func (p *parser) value() (*Node, error) {
	if len(p.path) > MaxDepth {
		return nil, p.fail("more than %d levels", MaxDepth)
	}
	n := &Node{Span: Span{Doc: p.doc, Start: p.at}}
	err := p.fill(n)
	n.End = p.at
	return n, err
}

func (p *parser) fill(n *Node) (err error) {
	switch c := p.peek(); {
	case p.at == len(p.doc.Text):
		return p.fail("a value is missing at the end of the text")
	case c == '{':
		return p.object(n)
	case c == '[':
		return p.array(n)
	case c == '"' || c == '\'':
		n.Kind = String
		n.Str, err = p.str()
		return err
	case c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9':
		n.Kind = Number
		n.Str, err = p.number()
		return err
	}
	return p.word(n)
}

// word reads one of the values that are written as a word.
func (p *parser) word(n *Node) error {
	name, width := identifier(p.rest())
	switch name {
	case "null":
		n.Kind = Null
	case "true", "false":
		n.Kind, n.Bool = Bool, name == "true"
	case "Infinity", "NaN":
		n.Kind, n.Str = Number, name
	case "":
		return p.fail("%s where a value is wanted", p.next())
	default:
		return p.fail("%q is no value: a string needs quotes", name)
	}
	p.at += width
	return nil
}

// fewMembers are searched one by one.
const fewMembers = 16

func (p *parser) object(n *Node) error {
	n.Kind = Object
	seen := map[string]*Member{}
	err := p.container('}', func() error {
		m, err := p.member()
		if err != nil {
			return err
		}
		if first := seen[m.Name]; first != nil {
			p.doc.Duplicates = append(p.doc.Duplicates, Duplicate{Path: p.path.Join(Key(m.Name)), Key: m.Key, First: first.Key})
		}
		seen[m.Name] = m
		n.written = append(n.written, m)
		return nil
	}, &n.commas)
	if err != nil {
		return err
	}
	n.Members = n.written
	if len(seen) > fewMembers {
		n.index = seen
	}
	if len(seen) == len(n.written) {
		return nil
	}
	n.Members = nil
	for _, m := range n.written {
		if seen[m.Name] == m {
			n.Members = append(n.Members, m)
		}
	}
	return nil
}

func (p *parser) array(n *Node) error {
	n.Kind = Array
	return p.container(']', func() error {
		item, err := p.below(At(len(n.Items)))
		n.Items = append(n.Items, item)
		return err
	}, &n.commas)
}

// container reads from the opening bracket to the closing one.
func (p *parser) container(closing byte, element func() error, commas *[]int) error {
	p.at++
	for {
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == closing {
			p.at++
			return nil
		}
		if n := len(*commas); n > 0 && (*commas)[n-1] == noComma {
			return p.fail("%s where ',' or '%c' is wanted", p.next(), closing)
		}
		if err := element(); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() != ',' {
			*commas = append(*commas, noComma)
			continue
		}
		*commas = append(*commas, p.at)
		p.at++
	}
}

func (p *parser) member() (*Member, error) {
	m := &Member{Key: Span{Doc: p.doc, Start: p.at}}
	var err error
	if m.Name, err = p.key(); err != nil {
		return nil, err
	}
	m.Key.End = p.at
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.peek() != ':' {
		return nil, p.fail("%s where ':' is wanted", p.next())
	}
	p.at++
	if err := p.space(); err != nil {
		return nil, err
	}
	m.Value, err = p.below(Key(m.Name))
	return m, err
}

func (p *parser) below(step Step) (*Node, error) {
	p.path = append(p.path, step)
	n, err := p.value()
	p.path = p.path[:len(p.path)-1]
	return n, err
}

func (p *parser) key() (string, error) {
	if c := p.peek(); c == '"' || c == '\'' {
		return p.str()
	}
	name, width := identifier(p.rest())
	if width == 0 {
		return "", p.fail("%s where a key is wanted", p.next())
	}
	p.at += width
	return name, nil
}

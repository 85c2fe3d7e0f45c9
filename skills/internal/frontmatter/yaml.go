package frontmatter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxDepth bounds how deep values are nested.
const maxDepth = 32

// tabWidth is what a tab in an indentation is taken for.
const tabWidth = 2

// fields reads the head: as YAML, else as YAML with its tabs replaced, else line by line.
func (h header) fields(add func(Problem)) ([]field, bool) {
	body, problem := h.parse(h.text())
	if problem == nil {
		return h.convert(body, add)
	}
	problem.Level = Warning
	if text, changed := withoutTabs(h.lines); changed {
		if body, again := h.parse(text); again == nil {
			problem.Message += "; the tabs are taken for spaces"
			add(*problem)
			return h.convert(body, add)
		}
	}
	list := h.singleLines()
	if len(list) == 0 {
		problem.Level = Error
		add(*problem)
		return nil, false
	}
	problem.Message += "; it was read line by line (a value with ': ' or '#' in it belongs in quotes)"
	add(*problem)
	return list, true
}

// withoutTabs replaces the tabs in indentations.
func withoutTabs(lines []string) (text string, changed bool) {
	var b strings.Builder
	for _, line := range lines {
		content := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(content)]
		changed = changed || strings.Contains(indent, "\t")
		b.WriteString(strings.ReplaceAll(indent, "\t", strings.Repeat(" ", tabWidth)) + content + "\n")
	}
	return b.String(), changed
}

// parse reads a text as YAML. The parser gets hostile texts: should it panic on one, that is the text's mistake.
func (h header) parse(text string) (body ast.Node, problem *Problem) {
	fail := func(line int, message string) *Problem {
		return &Problem{Line: h.first + line - 1, Code: CodeYAML, Message: "not valid YAML: " + cut(message, maxQuoted)}
	}
	defer func() {
		if r := recover(); r != nil {
			body, problem = nil, fail(1, "the parser cannot read it")
		}
	}()
	file, err := parser.ParseBytes([]byte(text), 0)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil:
		return nil, fail(syntax.Token.Position.Line, syntax.Message)
	case err != nil:
		return nil, fail(1, err.Error())
	case len(file.Docs) > 1:
		return nil, fail(1, "it has more than one document")
	case len(file.Docs) == 0:
		return nil, nil
	}
	return file.Docs[0].Body, nil
}

// convert makes plain values of a document.
func (h header) convert(body ast.Node, add func(Problem)) ([]field, bool) {
	c := converter{head: h, add: add}
	if err := c.restricted(body); err != nil {
		add(*err)
		return nil, false
	}
	members, ok := c.members(body)
	if !ok {
		line := h.first
		if body != nil {
			line = c.line(body)
		}
		add(Problem{line, Error, CodeMapping, "", "the front matter must be fields, each a line such as name: value"})
		return nil, false
	}
	var list []field
	for _, m := range members {
		key, ok := c.value(m.Key, 0).(string)
		if !ok {
			add(Problem{c.line(m.Key), Error, CodeYAML, "", "the name of a field must be a text"})
			return nil, false
		}
		list = append(list, field{name: key, line: c.line(m.Key), value: c.value(m.Value, 0)})
	}
	if c.deep {
		add(Problem{h.first, Error, CodeSize, "", "the front matter is nested too deep"})
		return nil, false
	}
	return list, true
}

// converter makes plain values of YAML: every scalar is a text, as the specification has it.
type converter struct {
	head header
	add  func(Problem)
	deep bool
}

func (c *converter) line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return c.head.first + t.Position.Line - 1
	}
	return c.head.first
}

// restricted refuses what makes a small text large, or something else than a text, and notes what only some readers take.
func (c *converter) restricted(body ast.Node) *Problem {
	if body == nil {
		return nil
	}
	v := &visitor{converter: c}
	ast.Walk(v, body)
	if v.refused == nil && v.flow > 0 {
		c.add(Problem{v.flow, Note, CodeYAML, "", "values in braces or brackets are not in the Agent Skills specification"})
	}
	return v.refused
}

type visitor struct {
	*converter
	refused *Problem
	flow    int // the first line with braces or brackets
}

func (v *visitor) Visit(n ast.Node) ast.Visitor {
	if v.refused != nil {
		return nil
	}
	refuse := func(what string) {
		v.refused = &Problem{v.line(n), Error, CodeYAML, "", what + " are not taken in front matter"}
	}
	flow := false
	switch n := n.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		refuse("anchors and aliases")
	case *ast.MergeKeyNode:
		refuse("merge keys")
	case *ast.TagNode:
		refuse("tags")
	case *ast.DirectiveNode:
		refuse("directives")
	case *ast.MappingNode:
		flow = n.IsFlowStyle
	case *ast.SequenceNode:
		flow = n.IsFlowStyle
	}
	if flow && v.flow == 0 {
		v.flow = v.line(n)
	}
	return v
}

func (c *converter) members(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func (c *converter) value(n ast.Node, depth int) any {
	if depth > maxDepth {
		c.deep = true
		return ""
	}
	if members, ok := c.members(n); ok {
		object := make(map[string]any, len(members))
		for _, m := range members {
			key, _ := c.value(m.Key, depth+1).(string)
			object[key] = c.value(m.Value, depth+1)
		}
		return object
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return ""
	case *ast.SequenceNode:
		list := make([]any, len(n.Values))
		for i, item := range n.Values {
			list[i] = c.value(item, depth+1)
		}
		return list
	case *ast.MappingKeyNode:
		return c.value(n.Value, depth+1)
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	if t := n.GetToken(); t != nil {
		return t.Value
	}
	return fmt.Sprint(n)
}

// parseText reads a text as one YAML value, as metadata in one line is. It is not ok when it is none, or a plain text.
func parseText(text string, line int) (value any, ok bool) {
	lines := strings.Split(text, "\n")
	h := header{lines: lines, first: line}
	if !h.check(func(Problem) {}) {
		return nil, false
	}
	body, problem := h.parse(text)
	if problem != nil || body == nil {
		return nil, false
	}
	c := converter{head: h, add: func(Problem) {}}
	if c.restricted(body) != nil {
		return nil, false
	}
	value = c.value(body, 0)
	_, plain := value.(string)
	return value, !plain && !c.deep
}

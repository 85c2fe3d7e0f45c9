package json5

import "strings"

// defaultUnit indents texts that show no habit of their own.
const defaultUnit = "  "

// styleOf is the way in which the elements of a container are written: on one line if the container is, with bare keys if its
// first key is bare. Without a container it is the document's way.
func styleOf(doc *Document, n *Node) style {
	s := style{bare: bareKeys(doc, n), compact: true}
	if n != nil && !hasBreak(n.Text()) {
		s.newline = " "
		return s
	}
	return multiline(s, doc)
}

func multiline(s style, doc *Document) style {
	s.newline, s.unit = "\n", defaultUnit
	if strings.Contains(doc.Text, "\r\n") {
		s.newline = "\r\n"
	}
	if doc.Root.count() == 0 {
		return s
	}
	first, _ := doc.Root.element(0)
	base := lineIndent(doc.Text, doc.Root.Start)
	if indent, own := ownIndent(doc.Text, first); own && len(indent) > len(base) && strings.HasPrefix(indent, base) {
		s.unit = indent[len(base):]
	}
	return s
}

func bareKeys(doc *Document, n *Node) bool {
	for _, candidate := range []*Node{n, doc.Root} {
		if candidate != nil && len(candidate.written) > 0 {
			key := candidate.written[0].Key
			return strings.IndexByte(`"'`, doc.Text[key.Start]) < 0
		}
	}
	return false
}

// elementIndent is the indentation for a new element of a container: that of the last one that begins a line.
func elementIndent(doc *Document, n *Node) string {
	for i := n.count() - 1; i >= 0; i-- {
		start, _ := n.element(i)
		if indent, own := ownIndent(doc.Text, start); own {
			return indent
		}
	}
	return lineIndent(doc.Text, n.Start) + multiline(style{}, doc).unit
}

// ownIndent is the white space before an offset, and whether there is nothing else on its line before it.
func ownIndent(text string, offset int) (string, bool) {
	indent := trailingBlanks(text[:offset])
	at := offset - len(indent)
	return indent, at == 0 || text[at-1] == '\n' || text[at-1] == '\r'
}

// lineIndent is the white space at the start of an offset's line.
func lineIndent(text string, offset int) string {
	start := strings.LastIndexAny(text[:offset], "\r\n") + 1
	return leadingBlanks(text[start:offset])
}

func hasBreak(s string) bool { return strings.ContainsAny(s, "\r\n\u2028\u2029") }

// afterLineComments is the place after the comments that follow on the same line, and whether a line break must come next.
func afterLineComments(text string, at int) (int, bool) {
	for {
		blanks := len(leadingBlanks(text[at:]))
		width := commentWidth(text[at+blanks:])
		if width <= 0 {
			return at, false
		}
		comment := text[at+blanks : at+blanks+width]
		at += blanks + width
		if strings.HasPrefix(comment, "//") {
			return at, true
		}
	}
}

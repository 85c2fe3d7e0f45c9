package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a front matter. Real ones have a few hundred bytes and three levels.
const (
	MaxSize     = 16 << 10
	maxBrackets = 256 // '[' and '{', wherever they stand
	maxNesting  = 16  // sequences that begin on one line
)

const (
	fence = "---"
	bom   = "\uFEFF"
)

// header is the text between the two lines of hyphens.
type header struct {
	lines []string
	first int // the number of the first of them
	body  int // the number of the line behind the second ---
}

func (h header) text() string { return strings.Join(h.lines, "\n") + "\n" }

// split finds the front matter. It looks at no more of the data than a front matter can take.
func split(data []byte, add func(Problem)) (header, bool) {
	h := header{first: 2}
	rest, hasBOM := bytes.CutPrefix(data, []byte(bom))
	if hasBOM {
		add(Problem{1, Warning, CodeOpening, "", "the file begins with a byte order mark"})
	}
	for {
		line, after, found := cutLine(rest)
		if text := strings.TrimSpace(line); !found || text != "" {
			if text != fence || line[0] != fence[0] {
				add(Problem{h.first - 1, Error, CodeOpening, "", "the file must begin with a line ---, its front matter and another line ---"})
				return h, false
			}
			rest = after
			break
		}
		if rest = after; len(data)-len(rest) > MaxSize {
			add(Problem{h.first - 1, Error, CodeOpening, "", "the file has no front matter"})
			return h, false
		}
		h.first++
	}
	if h.first > 2 {
		add(Problem{1, Warning, CodeOpening, "", "there are empty lines before the front matter"})
	}
	return h.take(rest, add)
}

// take collects the lines up to the closing ---.
func (h header) take(rest []byte, add func(Problem)) (header, bool) {
	for size := 0; ; {
		line, after, found := cutLine(rest)
		switch {
		case !found:
			add(Problem{h.first - 1, Error, CodeClosing, "", "the front matter that begins here has no closing line ---"})
			return h, false
		case strings.TrimRight(line, " \t") == fence:
			h.body = h.first + len(h.lines) + 1
			return h, h.check(add)
		}
		if size += len(line) + 1; size > MaxSize {
			add(Problem{h.first - 1, Error, CodeSize, "", fmt.Sprintf("the front matter has more than %d bytes, or no closing line ---", MaxSize)})
			return h, false
		}
		h.lines = append(h.lines, line)
		rest = after
	}
}

// check refuses what no parser should be given.
func (h header) check(add func(Problem)) bool {
	brackets := 0
	for i, line := range h.lines {
		if !utf8.ValidString(line) {
			add(Problem{h.first + i, Error, CodeEncoding, "", "the line is not UTF-8"})
			return false
		}
		brackets += strings.Count(line, "[") + strings.Count(line, "{")
		if brackets > maxBrackets || nesting(line) > maxNesting {
			add(Problem{h.first + i, Error, CodeSize, "", "the front matter is nested too deep"})
			return false
		}
	}
	return true
}

// nesting counts the sequences and keys that begin a line, as in "- - ? - x".
func nesting(line string) int {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '-', '?':
			depth++
		case ' ', '\t':
		default:
			return depth
		}
	}
	return depth
}

// cutLine splits off a line, without its end; found is false when there is none. A carriage return within a line is a blank: YAML would
// count another line.
func cutLine(data []byte) (line string, rest []byte, found bool) {
	if len(data) == 0 {
		return "", nil, false
	}
	before, rest, _ := bytes.Cut(data, []byte("\n"))
	line = strings.TrimSuffix(string(before), "\r")
	return strings.ReplaceAll(line, "\r", " "), rest, true
}

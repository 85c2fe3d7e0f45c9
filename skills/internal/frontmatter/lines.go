package frontmatter

import (
	"regexp"
	"strings"
)

// keyLine is a field on a line of its own.
var keyLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):(?:[ \t]+(.*))?$`)

// blockMark is what begins a value on the lines below.
var blockMark = regexp.MustCompile(`^[|>][+-]?[0-9]?$`)

// singleLines reads a head that is no YAML: each line that begins with "key: " is a field, and its value is the rest of the line. Of
// values that go on below, the lines are put together. The first of two fields with one name counts.
func (h header) singleLines() []field {
	var list []field
	seen := map[string]bool{}
	current := -1
	for i, line := range h.lines {
		if m := keyLine.FindStringSubmatch(line); m != nil {
			current = -1
			if name := m[1]; !seen[name] {
				seen[name] = true
				list = append(list, field{name: name, line: h.first + i, value: unquote(strings.TrimSpace(m[2]))})
				current = len(list) - 1
			}
			continue
		}
		text := strings.TrimSpace(line)
		if current < 0 || text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		list[current].goOn(text)
	}
	return list
}

// goOn adds a line to a value.
func (f *field) goOn(text string) {
	before, _ := f.value.(string)
	if blockMark.MatchString(before) {
		before = ""
	}
	f.value = strings.TrimSpace(before + " " + text)
}

// unquote removes a pair of quotes around a value.
func unquote(text string) string {
	for _, q := range []string{`"`, `'`} {
		if len(text) > 1 && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) {
			return text[1 : len(text)-1]
		}
	}
	return text
}

package frontmatter

import "fmt"

// Level says what a problem does.
type Level string

// The levels.
const (
	Error   Level = "error"   // the file is not a skill, or one that must not be used
	Warning Level = "warning" // it was read as far as it could be
	Note    Level = "note"    // it is fine here, and outside the Agent Skills specification
)

// Code is the kind of a problem.
type Code string

// The kinds.
const (
	CodeOpening     Code = "opening"      // there is no --- at the very beginning
	CodeClosing     Code = "closing"      // there is no --- behind the front matter
	CodeSize        Code = "size"         // the front matter is larger, or nested deeper, than any is
	CodeEncoding    Code = "encoding"     // it is not UTF-8
	CodeYAML        Code = "yaml"         // it is not YAML, or a part of YAML that the specification leaves out
	CodeMapping     Code = "mapping"      // it is not a list of keys and values
	CodeMissing     Code = "missing"      // a field that must be there is not
	CodeEmpty       Code = "empty"        // it is, and is empty
	CodeType        Code = "type"         // a value is of the wrong kind
	CodeNameLength  Code = "name-length"  // has too many characters
	CodeNameCase    Code = "name-case"    // has letters in upper case
	CodeNameEdge    Code = "name-edge"    // begins or ends with a hyphen
	CodeNameHyphens Code = "name-hyphens" // has two hyphens in a row
	CodeNameChars   Code = "name-chars"   // has other characters than letters, digits and hyphens
	CodeNameDir     Code = "name-dir"     // differs from the directory's
	CodeNameUnsafe  Code = "name-unsafe"  // cannot be the name of a directory
	CodeDescription Code = "description-length"
	CodeCompat      Code = "compatibility-length"
	CodeFields      Code = "fields" // has fields that the specification does not know
)

// Problem is something that is wrong with a SKILL.md.
type Problem struct {
	Line    int    `json:"line"` // counted from 1
	Level   Level  `json:"level"`
	Code    Code   `json:"code"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// String is LINE: LEVEL: MESSAGE.
func (p Problem) String() string { return fmt.Sprintf("%d: %s: %s", p.Line, p.Level, p.Message) }

// fatal tells that the specification's own reader would give nothing at all.
func (p Problem) fatal() bool {
	switch p.Code {
	case CodeOpening, CodeClosing, CodeSize, CodeEncoding, CodeYAML, CodeMapping, CodeMissing, CodeEmpty:
		return true
	case CodeType:
		return p.Field == "name" || p.Field == "description"
	}
	return false
}

// Package frontmatter reads the head of a SKILL.md: the fields of the Agent Skills specification, those that this runtime adds, and the
// requirements under metadata.openclaw.
//
// It is lenient where people err and strict where a mistake could widen what a skill is offered for: a head that is no YAML is read
// line by line, but requirements that cannot be read are an error. It promises that
//
//   - whatever the bytes are, reading them ends soon, takes little memory and does not panic;
//   - each problem names its line;
//   - a document without problems is valid by the specification, and one with problems is not.
package frontmatter

import (
	"slices"
	"strconv"
	"strings"
)

// Document is what a SKILL.md says about itself.
type Document struct {
	// The fields of the specification. A pointer is nil when the field is absent.
	Name          string
	Description   string
	License       *string
	Compatibility *string
	AllowedTools  *Texts
	Metadata      map[string]any // its values are texts, lists ([]any) and such maps

	// The fields that this runtime knows besides.
	Homepage               string
	UserInvocable          bool
	DisableModelInvocation bool
	CommandDispatch        string
	CommandTool            string
	CommandArgMode         string

	// OpenClaw is metadata.openclaw.
	OpenClaw OpenClaw

	// Body is the line that the instructions begin at.
	Body     int
	Problems []Problem
}

// Texts is a text, or a list of them.
type Texts struct {
	List  []string
	Plain bool // it was one text
}

// Usable tells that there is no error among the problems.
func (d *Document) Usable() bool {
	return !slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Level == Error })
}

// Valid tells that the specification has nothing against the document.
func (d *Document) Valid() bool { return len(d.Problems) == 0 }

// Readable tells that a reader that keeps to the specification gets the fields, too.
func (d *Document) Readable() bool { return !slices.ContainsFunc(d.Problems, Problem.fatal) }

func (d *Document) add(p Problem) { d.Problems = append(d.Problems, p) }

// Parse reads the beginning of a SKILL.md that lies in a directory of the given name. It always returns a document.
func Parse(data []byte, dir string) *Document {
	d := &Document{UserInvocable: true}
	h, ok := split(data, d.add)
	if !ok {
		return d
	}
	d.Body = h.body
	fields, ok := h.fields(d.add)
	if !ok {
		return d
	}
	r := reader{d, fields, h}
	r.specified(dir)
	r.added()
	r.unknown()
	slices.SortStableFunc(d.Problems, func(a, b Problem) int { return a.Line - b.Line })
	return d
}

// specFields are those of the specification, addedFields the ones of this runtime.
var (
	specFields  = []string{"allowed-tools", "compatibility", "description", "license", "metadata", "name"}
	addedFields = []string{
		"command-arg-mode", "command-dispatch", "command-tool", "disable-model-invocation", "homepage", "user-invocable",
	}
)

// reader takes the fields of a head apart.
type reader struct {
	*Document
	fields []field
	head   header
}

// field is a key with its value.
type field struct {
	name  string
	line  int
	value any // string, []any or map[string]any
}

func (r *reader) find(name string) *field {
	i := slices.IndexFunc(r.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &r.fields[i]
}

// text reads a field that must be a text. It is not ok when it is absent or something else, which is as bad as level says.
func (r *reader) text(name string, level Level) (text string, line int, ok bool) {
	f := r.find(name)
	if f == nil {
		return "", 0, false
	}
	text, ok = f.value.(string)
	if !ok {
		r.add(Problem{f.line, level, CodeType, name, name + " must be a text"})
	}
	return text, f.line, ok
}

func (r *reader) specified(dir string) {
	r.required("name", &r.Name, Warning, "the directory's name is taken")
	r.required("description", &r.Description, Error, "it tells the model when to use the skill")
	if r.Name != "" {
		r.checkName(dir)
	}
	if n := chars(r.Description); n > MaxDescription {
		r.add(Problem{r.find("description").line, Warning, CodeDescription, "description", tooLong("the description", n, MaxDescription)})
	}
	if text, _, ok := r.text("license", Warning); ok {
		r.License = &text
	}
	if text, line, ok := r.text("compatibility", Warning); ok {
		r.Compatibility = &text
		if n := chars(text); n > MaxCompatibility {
			r.add(Problem{line, Warning, CodeCompat, "compatibility", tooLong("compatibility", n, MaxCompatibility)})
		}
	}
	r.allowedTools()
	r.metadata()
}

// required reads a text that must be there. level is what its absence means.
func (r *reader) required(name string, into *string, level Level, why string) {
	f := r.find(name)
	if f == nil {
		r.add(Problem{r.head.first - 1, level, CodeMissing, name, "there is no " + name + ": " + why})
		return
	}
	text, line, ok := r.text(name, level)
	if !ok {
		return
	}
	if *into = strings.TrimSpace(text); *into == "" {
		r.add(Problem{line, level, CodeEmpty, name, "the " + name + " is empty: " + why})
	}
}

func (r *reader) allowedTools() {
	f := r.find("allowed-tools")
	if f == nil {
		return
	}
	list, plain, ok := texts(f.value)
	if !ok {
		r.add(Problem{f.line, Warning, CodeType, f.name, "allowed-tools must be a text or a list of texts"})
		return
	}
	r.AllowedTools = &Texts{list, plain}
}

// texts reads a text as a list of one, or a list of texts.
func texts(v any) (list []string, plain, ok bool) {
	switch v := v.(type) {
	case string:
		return []string{v}, true, true
	case []any:
		list = make([]string, len(v))
		for i, item := range v {
			if list[i], ok = item.(string); !ok {
				return nil, false, false
			}
		}
		return list, false, true
	}
	return nil, false, false
}

// added reads the fields of this runtime.
func (r *reader) added() {
	r.Homepage, _, _ = r.text("homepage", Warning)
	r.CommandDispatch, _, _ = r.text("command-dispatch", Warning)
	r.CommandTool, _, _ = r.text("command-tool", Warning)
	r.CommandArgMode, _, _ = r.text("command-arg-mode", Warning)
	r.truth("user-invocable", &r.UserInvocable)
	r.truth("disable-model-invocation", &r.DisableModelInvocation)
}

// truth reads a yes or no. Anything else is an error: who meant to hide a skill does not see it offered.
func (r *reader) truth(name string, into *bool) {
	text, line, ok := r.text(name, Error)
	if !ok {
		return
	}
	v, ok := truth(text)
	if !ok {
		r.add(Problem{line, Error, CodeType, name, name + " must be true or false"})
		return
	}
	*into = v
}

func truth(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// unknown notes the fields that other readers may refuse.
func (r *reader) unknown() {
	var names []string
	line := 0
	for _, f := range r.fields {
		if !slices.Contains(specFields, f.name) {
			names = append(names, f.name)
			if line == 0 {
				line = f.line
			}
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	what := "fields that the Agent Skills specification does not have: "
	if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(addedFields, n) }) {
		what = "fields that are read here and not in the Agent Skills specification: "
	}
	r.add(Problem{line, Note, CodeFields, strings.Join(names, ", "), what + quoted(names)})
}

// maxQuoted bounds what of a foreign text is repeated in a message.
const maxQuoted = 80

// quoted lists names for a message.
func quoted(names []string) string {
	var list []string
	for _, n := range names {
		list = append(list, quote(n))
	}
	return cut(strings.Join(list, ", "), 4*maxQuoted)
}

// quote is a foreign text for a message: in one line, and short.
func quote(text string) string { return strconv.Quote(cut(text, maxQuoted)) }

func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

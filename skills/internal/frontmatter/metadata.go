package frontmatter

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// OpenClaw is metadata.openclaw: what a skill needs, and how it is shown.
type OpenClaw struct {
	Always     bool // offered whatever it requires
	OS         []string
	Requires   Requires
	PrimaryEnv string
	Key        string // of its entry in the configuration; empty: its name
	Emoji      string
	Homepage   string
}

// Requires is what must be there for a skill to be offered.
type Requires struct {
	Bins    []string `json:"bins,omitempty"`
	AnyBins []string `json:"anyBins,omitempty"` // one of them is enough
	Env     []string `json:"env,omitempty"`
	Config  []string `json:"config,omitempty"` // paths of the configuration that must be set and not be false
}

// openClawKeys are the names of the section, the older ones last.
var openClawKeys = []string{"openclaw", "clawdbot", "clawdis"}

// Bounds of requirements. More would say nothing more.
const (
	maxRequired     = 64
	maxRequiredName = 256
)

// metadata reads the field metadata: a map, or a text that holds one.
func (r *reader) metadata() {
	f := r.find("metadata")
	if f == nil {
		return
	}
	fail := func(message string) { r.add(Problem{f.line, Error, CodeType, f.name, message}) }
	value := f.value
	if text, ok := value.(string); ok {
		if strings.TrimSpace(text) == "" {
			return
		}
		if value, ok = parseText(text, f.line); !ok {
			fail("metadata cannot be read, and may hold what the skill requires")
			return
		}
	}
	object, ok := value.(map[string]any)
	if !ok {
		fail("metadata must be keys and values")
		return
	}
	r.Metadata = object
	for _, key := range openClawKeys {
		value, ok := object[key]
		if !ok {
			continue
		}
		s := section{reader: r, line: f.line, path: "metadata." + key}
		if s.object, ok = asObject(value); !ok {
			fail(s.path + " must be keys and values")
			return
		}
		s.read(&r.OpenClaw)
		return
	}
}

// asObject is a map, or a text that holds one, as the values of metadata are texts by the specification.
func asObject(v any) (map[string]any, bool) {
	if text, ok := v.(string); ok {
		v, _ = parseText(text, 1)
	}
	object, ok := v.(map[string]any)
	return object, ok
}

// section is an object within metadata.
type section struct {
	*reader
	object map[string]any
	path   string
	line   int
}

func (s section) fail(key, want string) {
	s.add(Problem{s.line, Error, CodeType, s.path + "." + key, fmt.Sprintf("%s.%s must be %s", s.path, key, want)})
}

func (s section) read(o *OpenClaw) {
	s.truth("always", &o.Always)
	s.list("os", &o.OS)
	s.text("primaryEnv", &o.PrimaryEnv)
	s.text("skillKey", &o.Key)
	s.text("emoji", &o.Emoji)
	s.text("homepage", &o.Homepage)
	requires, there := s.object["requires"]
	if !there || requires == "" {
		return
	}
	object, ok := asObject(requires)
	if !ok {
		s.fail("requires", "keys and lists")
		return
	}
	inner := section{s.reader, object, s.path + ".requires", s.line}
	known := map[string]*[]string{"bins": &o.Requires.Bins, "anyBins": &o.Requires.AnyBins, "env": &o.Requires.Env, "config": &o.Requires.Config}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if into, ok := known[key]; ok {
			inner.list(key, into)
			continue
		}
		s.add(Problem{s.line, Warning, CodeType, inner.path, fmt.Sprintf("%s has an unknown key %s (known: bins, anyBins, env, config)", inner.path, quote(key))})
	}
}

func (s section) text(key string, into *string) {
	v, ok := s.object[key]
	if !ok {
		return
	}
	if *into, ok = v.(string); !ok {
		s.fail(key, "a text")
	}
}

func (s section) truth(key string, into *bool) {
	v, ok := s.object[key]
	if !ok {
		return
	}
	text, _ := v.(string)
	if *into, ok = truth(text); !ok {
		s.fail(key, "true or false")
	}
}

// list reads a list of names.
func (s section) list(key string, into *[]string) {
	v, ok := s.object[key]
	if !ok || v == "" {
		return
	}
	list, _, ok := texts(v)
	if !ok || len(list) > maxRequired || slices.ContainsFunc(list, func(t string) bool { return t == "" || len(t) > maxRequiredName }) {
		s.fail(key, fmt.Sprintf("a list of at most %d names", maxRequired))
		return
	}
	*into = list
}

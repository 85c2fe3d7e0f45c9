package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of a JSON Schema.
const (
	MaxSchema      = 16 << 10 // bytes
	maxSchemaDepth = 8
	maxSchemaNodes = 512
)

// emptySchema is that of a tool without arguments.
const emptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

// keyword reads the value of one keyword of a schema.
type keyword func(v *schemaWalk, raw json.RawMessage, depth int) error

// keywordOf is how the value of a keyword is read: of those that are checked when a tool is called, and of those that only say
// something. Others would promise what is not kept.
func keywordOf(name string) keyword {
	switch name {
	case "$schema", "title", "description":
		return valueOf[string]
	case "default", "examples", "const":
		return anyValue
	case "type":
		return checkType
	case "enum":
		return checkEnum
	case "properties":
		return checkProperties
	case "required":
		return valueOf[[]string]
	case "additionalProperties":
		return checkAdditional
	case "items":
		return checkSchema
	case "anyOf", "oneOf":
		return checkSchemas
	case "minimum", "maximum":
		return valueOf[float64]
	case "minLength", "maxLength", "minItems", "maxItems":
		return valueOf[uint32]
	}
	return nil
}

// readSchema checks the schema of an object, which is written as JSON.
func readSchema(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		text = emptySchema
	}
	if len(text) > MaxSchema {
		return nil, fmt.Errorf("%d bytes, more than %d", len(text), MaxSchema)
	}
	if err := oneValue(text); err != nil {
		return nil, err
	}
	if err := checkSchema(&schemaWalk{}, json.RawMessage(text), 0); err != nil {
		return nil, err
	}
	var top struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal([]byte(text), &top); err != nil || top.Type != "object" {
		return nil, errors.New(`want the schema of an object: {"type": "object", …}`)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return compact.Bytes(), nil
}

// oneValue refuses what is not exactly one JSON value in which no member is given twice, as readers differ in which of the
// two counts.
func oneValue(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	var open []map[string]bool // members of the objects around; nil for an array
	name := false              // a member's name comes next
	for {
		t, err := dec.Token()
		if err != nil {
			return fmt.Errorf("not valid JSON: %w", err)
		}
		switch t := t.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				if len(open) > 4*maxSchemaDepth {
					return errors.New("nested too deeply")
				}
				var members map[string]bool
				if t == '{' {
					members = map[string]bool{}
				}
				open = append(open, members)
			default:
				open = open[:len(open)-1]
			}
		case string:
			if name {
				if open[len(open)-1][t] {
					return fmt.Errorf("%q is given twice", t)
				}
				open[len(open)-1][t] = true
				name = false
				continue
			}
		}
		if len(open) == 0 {
			if dec.More() {
				return errors.New("something follows the schema")
			}
			return nil
		}
		name = open[len(open)-1] != nil
	}
}

// schemaWalk counts what has been seen of a schema.
type schemaWalk struct{ nodes int }

func checkSchema(v *schemaWalk, raw json.RawMessage, depth int) error {
	if v.nodes++; v.nodes > maxSchemaNodes || depth > maxSchemaDepth {
		return errors.New("the schema is too large, or too deep")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return errors.New("a schema is a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		check := keywordOf(name)
		if check == nil {
			return fmt.Errorf("keyword %q: %w", name, errKeyword)
		}
		if err := check(v, members[name], depth+1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

var errKeyword = errors.New("it is not checked here, so it cannot be used")

func valueOf[T any](_ *schemaWalk, raw json.RawMessage, _ int) error {
	var value *T
	if err := json.Unmarshal(raw, &value); err != nil || value == nil {
		return fmt.Errorf("want a %T", *new(T))
	}
	return nil
}

func anyValue(*schemaWalk, json.RawMessage, int) error { return nil }

func checkEnum(_ *schemaWalk, raw json.RawMessage, _ int) error {
	var list []any
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return errors.New("want a list of values")
	}
	return nil
}

// types are the types of JSON values.
var types = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

func checkType(_ *schemaWalk, raw json.RawMessage, _ int) error {
	var one string
	list := []string{}
	if json.Unmarshal(raw, &one) == nil {
		list = append(list, one)
	} else if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return errors.New("want a type, or a list of types")
	}
	for _, t := range list {
		if !slices.Contains(types, t) {
			return fmt.Errorf("there is no type %q", t)
		}
	}
	return nil
}

func checkProperties(v *schemaWalk, raw json.RawMessage, depth int) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return errors.New("want an object of schemas")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := checkSchema(v, members[name], depth); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func checkAdditional(v *schemaWalk, raw json.RawMessage, depth int) error {
	if valueOf[bool](v, raw, depth) == nil {
		return nil
	}
	return checkSchema(v, raw, depth)
}

func checkSchemas(v *schemaWalk, raw json.RawMessage, depth int) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return errors.New("want a list of schemas")
	}
	for _, s := range list {
		if err := checkSchema(v, s, depth); err != nil {
			return err
		}
	}
	return nil
}

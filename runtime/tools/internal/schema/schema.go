// Package schema checks the arguments of tools against their JSON Schemas.
//
// It knows the keywords that descriptions of tools use: type, properties, required, additionalProperties, items, enum, const,
// minimum, maximum, minLength, maxLength, minItems, maxItems, anyOf and oneOf. Others it takes to be met. It promises messages that name the
// member that is wrong, in the words in which the toolbox speaks of arguments.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Schema is a JSON Schema that can be asked.
type Schema struct {
	Type       types              `json:"type"`
	Properties map[string]*Schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional *additional        `json:"additionalProperties"`
	Items      *Schema            `json:"items"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  *int               `json:"minLength"`
	MaxLength  *int               `json:"maxLength"`
	MinItems   *int               `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	AnyOf      []*Schema          `json:"anyOf"`
	OneOf      []*Schema          `json:"oneOf"`
}

// types are one type or several.
type types []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *types) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// additional is what members may be that are not listed: anything, nothing, or what a schema says.
type additional struct {
	refused bool
	schema  *Schema
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *additional) UnmarshalJSON(raw []byte) error {
	var allowed bool
	if json.Unmarshal(raw, &allowed) == nil {
		a.refused = !allowed
		return nil
	}
	a.schema = &Schema{}
	return json.Unmarshal(raw, a.schema)
}

// Parse reads a schema. One that is empty lets any object pass.
func Parse(raw json.RawMessage) (*Schema, error) {
	s := &Schema{Type: types{"object"}}
	if len(raw) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("schema: parse: %w", err)
	}
	return s, nil
}

// Check tells what is wrong with arguments. A member that is null and need not be there is as if it were not.
func (s *Schema) Check(arguments json.RawMessage) error {
	if !utf8.Valid(arguments) {
		return errors.New("arguments: not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(arguments))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return notJSON(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("arguments: something follows the JSON object")
	}
	if _, ok := v.(map[string]any); !ok {
		return errors.New("arguments: a JSON object is expected")
	}
	return s.check("", v)
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("arguments: not valid JSON: it ends too early")
	}
	return fmt.Errorf("arguments: not valid JSON: %w", err)
}

// check looks at one value. where is its path, empty for the arguments themselves.
func (s *Schema) check(where string, v any) error {
	if err := s.checkType(where, v); err != nil {
		return err
	}
	if err := s.checkChoice(where, v); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		return s.checkObject(where, v)
	case []any:
		return s.checkArray(where, v)
	case string:
		return s.checkString(where, v)
	case json.Number:
		return s.checkNumber(where, v)
	}
	return nil
}

func (s *Schema) checkType(where string, v any) error {
	if len(s.Type) == 0 {
		return nil
	}
	var wanted []string
	for _, t := range s.Type {
		if is(v, t) {
			return nil
		}
		wanted = append(wanted, typeNames[t])
	}
	got := typeNames[typeOf(v)]
	if n, ok := v.(json.Number); ok && s.Type[0] == "integer" {
		got = n.String()
	}
	return fmt.Errorf("%s: %s is expected, not %s", named(where), strings.Join(wanted, " or "), got)
}

var typeNames = map[string]string{
	"string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "an array",
	"object": "an object", "null": "null",
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func is(v any, name string) bool {
	if n, ok := v.(json.Number); ok && name == "integer" {
		f, err := n.Float64()
		return err == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53
	}
	return typeOf(v) == name
}

func named(where string) string {
	if where == "" {
		return "arguments"
	}
	return where
}

func (s *Schema) checkChoice(where string, v any) error {
	if len(s.Enum) > 0 {
		var words []string
		for _, e := range s.Enum {
			if same(e, v) {
				return nil
			}
			words = append(words, shown(e))
		}
		return fmt.Errorf("%s: one of %s is expected, not %s", named(where), strings.Join(words, ", "), shown(v))
	}
	if s.Const != nil && !same(s.Const, v) {
		return fmt.Errorf("%s: must be %s, not %s", named(where), shown(s.Const), shown(v))
	}
	for _, choices := range [][]*Schema{s.AnyOf, s.OneOf} {
		if err := anyOf(choices, where, v); err != nil {
			return err
		}
	}
	return nil
}

// anyOf wants one of several schemas to hold. The message is about the one that fails latest in the list.
func anyOf(choices []*Schema, where string, v any) (err error) {
	for _, c := range choices {
		if err = c.check(where, v); err == nil {
			return nil
		}
	}
	return err
}

// same compares a value of a schema with one of the arguments, whose numbers are not read.
func same(want, got any) bool {
	if n, ok := got.(json.Number); ok {
		f, err := n.Float64()
		return err == nil && want == any(f)
	}
	return reflect.DeepEqual(want, got)
}

// maxShown bounds how much of a value a message repeats.
const maxShown = 80

func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return typeNames[typeOf(v)]
	}
	if len(raw) > maxShown {
		return strings.ToValidUTF8(string(raw[:maxShown]), "") + "…"
	}
	return string(raw)
}

func (s *Schema) checkObject(where string, v map[string]any) error {
	prefix := where
	if prefix != "" {
		prefix += "."
	}
	for _, name := range s.Required {
		switch member, ok := v[name]; {
		case !ok:
			return fmt.Errorf("%s%s: missing", prefix, name)
		case member == nil && s.Properties[name] != nil && !s.Properties[name].takesNull():
			return fmt.Errorf("%s%s: missing (null)", prefix, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		member, known := v[name], s.Properties[name]
		switch {
		case known != nil && member == nil: // as if it were not there; what must be there has been looked for
			continue
		case known == nil && s.Additional != nil && s.Additional.refused:
			return fmt.Errorf("%s%s: unknown argument", prefix, name)
		case known == nil && (s.Additional == nil || s.Additional.schema == nil):
			continue
		case known == nil:
			known = s.Additional.schema
		}
		if err := known.check(prefix+name, member); err != nil {
			return err
		}
	}
	return nil
}

// takesNull tells whether a value may be null.
func (s *Schema) takesNull() bool { return len(s.Type) == 0 || slices.Contains(s.Type, "null") }

func (s *Schema) checkArray(where string, v []any) error {
	if s.MinItems != nil && len(v) < *s.MinItems {
		return fmt.Errorf("%s: at least %d elements are expected, not %d", named(where), *s.MinItems, len(v))
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		return fmt.Errorf("%s: at most %d elements are expected, not %d", named(where), *s.MaxItems, len(v))
	}
	if s.Items == nil {
		return nil
	}
	for i, e := range v {
		if err := s.Items.check(where+"["+strconv.Itoa(i)+"]", e); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schema) checkString(where, v string) error {
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		return fmt.Errorf("%s: at least %d characters are expected, not %d", named(where), *s.MinLength, n)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		return fmt.Errorf("%s: at most %d characters are expected, not %d", named(where), *s.MaxLength, n)
	}
	return nil
}

func (s *Schema) checkNumber(where string, v json.Number) error {
	f, err := v.Float64()
	if err != nil {
		return fmt.Errorf("%s: %s is too large", named(where), v)
	}
	if s.Minimum != nil && f < *s.Minimum {
		return fmt.Errorf("%s: must be at least %s, is %s", named(where), number(*s.Minimum), v)
	}
	if s.Maximum != nil && f > *s.Maximum {
		return fmt.Errorf("%s: must be at most %s, is %s", named(where), number(*s.Maximum), v)
	}
	return nil
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

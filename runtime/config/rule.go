package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"openclaw/runtime/config/json5"
)

// rule says what a value may be: how it is read into a V, how it is described, and how a default is written.
type rule[V any] struct {
	read   func(d *decoder, at json5.Path, n *json5.Node, into *V)
	show   func(V) string // the value as JSON5, "" for none
	kind   string         // for the reference, such as "whole number from 1"
	schema map[string]any // JSON Schema
	keys   func(prefix string, visit func(Key))
	open   bool // an object with keys of the user's own
}

// decoder reads values and notes mistakes.
type decoder struct {
	*problems
	lookup  func(name string) (string, bool)
	options Options
	secrets map[*json5.Node]bool // values that are never shown
	future  bool                 // read what this version refuses, too; only tests do
}

// wrongType notes that a value has not the type it must have.
func (d *decoder) wrongType(at json5.Path, n *json5.Node, want string) {
	d.at(n.Span, at, ReasonType, "must be %s, not %v", want, n.Kind)
}

// text reads a string with its variables replaced.
func (d *decoder) text(at json5.Path, n *json5.Node, want string) (string, bool) {
	if n.Kind != json5.String {
		d.wrongType(at, n, want)
		return "", false
	}
	return d.expand(at, n)
}

func boolean() rule[bool] {
	return rule[bool]{
		kind:   "true or false",
		schema: map[string]any{"type": "boolean"},
		show:   strconv.FormatBool,
		read: func(d *decoder, at json5.Path, n *json5.Node, into *bool) {
			if n.Kind != json5.Bool {
				d.wrongType(at, n, "true or false")
				return
			}
			*into = n.Bool
		},
	}
}

// noLimit is the upper bound of whole numbers that have none of their own.
const noLimit = 1 << 53

func integer(least, most int64) rule[int64] {
	kind := fmt.Sprintf("whole number from %d to %d", least, most)
	schema := map[string]any{"type": "integer", "minimum": least, "maximum": most}
	if most == noLimit {
		kind = fmt.Sprintf("whole number from %d", least)
		delete(schema, "maximum")
	}
	return rule[int64]{
		kind: kind, schema: schema,
		show: func(v int64) string {
			if v < least {
				return "" // stands for no value
			}
			return strconv.FormatInt(v, 10)
		},
		read: func(d *decoder, at json5.Path, n *json5.Node, into *int64) {
			if n.Kind != json5.Number {
				d.wrongType(at, n, "a "+kind)
				return
			}
			v, ok := n.Int64()
			if !ok || v < least || v > most {
				d.at(n.Span, at, ReasonRange, "must be a %s, not %s", kind, shownNumber(n))
				return
			}
			*into = v
		},
	}
}

func shownNumber(n *json5.Node) string {
	if len(n.Str) > maxShown {
		return n.Str[:maxShown] + "…"
	}
	return n.Str
}

func number(least, most float64) rule[float64] {
	kind := fmt.Sprintf("number from %g to %g", least, most)
	return rule[float64]{
		kind: kind, schema: map[string]any{"type": "number", "minimum": least, "maximum": most},
		show: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
		read: func(d *decoder, at json5.Path, n *json5.Node, into *float64) {
			if n.Kind != json5.Number {
				d.wrongType(at, n, "a "+kind)
				return
			}
			if v := n.Float64(); v >= least && v <= most {
				*into = v
				return
			}
			d.at(n.Span, at, ReasonRange, "must be a %s, not %s", kind, shownNumber(n))
		},
	}
}

// oneOf is one of a few words.
func oneOf[V ~string](values ...V) rule[V] {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	list := quotedList(names)
	return rule[V]{
		kind: list, schema: map[string]any{"type": "string", "enum": names},
		show: func(v V) string { return showText(string(v)) },
		read: func(d *decoder, at json5.Path, n *json5.Node, into *V) {
			text, ok := d.text(at, n, list)
			if !ok {
				return
			}
			if !slices.Contains(names, text) {
				d.add(Problem{
					Position: n.Position(), Path: shownPath(at), Reason: ReasonValue, order: d.files[n.Doc],
					Message: fmt.Sprintf("must be %s, not %s", list, shownText(n.Str)), Nearest: nearest(text, names),
				})
				return
			}
			*into = V(text)
		},
	}
}

// quotedList is "a", "b" or "c".
func quotedList(names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(json5.Quote(n))
	}
	return b.String()
}

func showText(s string) string {
	if s == "" {
		return ""
	}
	return json5.Quote(s)
}

// text is a string that a check accepts; the check's error says what it must be. Messages never hold the value when it is secret.
func text(kind string, check func(string) error) rule[string] {
	return rule[string]{
		kind: kind, schema: map[string]any{"type": "string"}, show: showText,
		read: func(d *decoder, at json5.Path, n *json5.Node, into *string) {
			s, ok := d.text(at, n, "a string")
			if !ok {
				return
			}
			if check != nil {
				if err := check(s); err != nil {
					d.at(n.Span, at, ReasonValue, "%v", err)
					return
				}
			}
			*into = s
		},
	}
}

// secret is a string that is never shown.
func secret() rule[string] {
	plain := text("string, never shown", nil)
	r := plain
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *string) {
		if n.Kind == json5.String && n.Str == Redacted {
			d.at(n.Span, at, ReasonValue, "is %q, which stands for a secret when it is shown, not a secret", Redacted)
			return
		}
		d.secrets[n] = true
		plain.read(d, at, n, into)
	}
	return r
}

// listOf is a list of values that replaces what was there before.
func listOf[V any](item rule[V]) rule[[]V] {
	return rule[[]V]{
		kind: "list: " + item.kind, schema: map[string]any{"type": "array", "items": item.schema},
		show: func(list []V) string {
			if list == nil {
				return ""
			}
			texts := make([]string, len(list))
			for i, v := range list {
				texts[i] = item.show(v)
			}
			return "[" + strings.Join(texts, ", ") + "]"
		},
		keys: below(item.keys, "[]"),
		read: func(d *decoder, at json5.Path, n *json5.Node, into *[]V) {
			if n.Kind != json5.Array {
				d.wrongType(at, n, "a list")
				return
			}
			list := make([]V, len(n.Items))
			for i, it := range n.Items {
				item.read(d, at.Join(json5.At(i)), it, &list[i])
			}
			*into = list
		},
	}
}

// mapOf is an object with the user's own keys. It adds to, and overrides by key, what was there before.
func mapOf[V any](key string, checkKey func(string) error, item rule[V]) rule[map[string]V] {
	return rule[map[string]V]{
		open: true, kind: "object: " + item.kind + " for each " + key, schema: map[string]any{"type": "object", "additionalProperties": item.schema},
		show: func(map[string]V) string { return "" },
		keys: below(item.keys, ".<"+key+">"),
		read: func(d *decoder, at json5.Path, n *json5.Node, into *map[string]V) {
			if n.Kind != json5.Object {
				d.wrongType(at, n, "an object")
				return
			}
			all := make(map[string]V, len(*into)+len(n.Members))
			for k, v := range *into {
				all[k] = v
			}
			for _, m := range n.Members {
				path := at.Join(json5.Key(m.Name))
				if checkKey != nil {
					if err := checkKey(m.Name); err != nil {
						d.at(m.Key, path, ReasonValue, "%v", err)
						continue
					}
				}
				v := all[m.Name]
				item.read(d, path, m.Value, &v)
				all[m.Name] = v
			}
			*into = all
		},
	}
}

func below(keys func(string, func(Key)), suffix string) func(string, func(Key)) {
	if keys == nil {
		return nil
	}
	return func(prefix string, visit func(Key)) { keys(prefix+suffix, visit) }
}

// units of durations, longest first.
var durationUnits = []struct {
	name string
	unit time.Duration
}{
	{"w", 7 * 24 * time.Hour},
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
}

// parseAmount reads a whole number with a unit behind it.
func parseAmount(s string, unit func(string) (int64, bool)) (int64, bool) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	u, ok := unit(strings.ToLower(strings.TrimSpace(s[len(digits):])))
	v, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || v < 0 || v > (1<<62)/u {
		return 0, false
	}
	return v * u, true
}

func durationUnit(name string) (int64, bool) {
	for _, u := range durationUnits {
		if u.name == name {
			return int64(u.unit), true
		}
	}
	return 0, false
}

func showDuration(v time.Duration) string {
	if v == 0 {
		return "false"
	}
	for _, u := range durationUnits {
		if v%u.unit == 0 {
			return json5.Quote(fmt.Sprintf("%d%s", v/u.unit, u.name))
		}
	}
	return json5.Quote(v.String())
}

// duration is a time such as "30d". Where it can be switched off, false is zero.
func duration(canBeOff bool) rule[time.Duration] {
	const form = `a duration such as "30d", "12h", "90s" or "500ms"`
	var schema map[string]any = map[string]any{"type": "string", "pattern": `^[0-9]+ ?(w|d|h|m|s|ms)$`}
	r := amount(form, canBeOff, durationUnit)
	if canBeOff {
		schema = map[string]any{"anyOf": []any{schema, map[string]any{"const": false}}}
	}
	return rule[time.Duration]{
		kind: r.kind, schema: schema, show: showDuration,
		read: func(d *decoder, at json5.Path, n *json5.Node, into *time.Duration) {
			v := int64(*into)
			r.read(d, at, n, &v)
			*into = time.Duration(v)
		},
	}
}

var sizeUnits = map[string]int64{
	"b": 1, "": 1,
	"k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
	"t": 1 << 40, "tb": 1 << 40, "tib": 1 << 40,
}

// size is a number of bytes, plain or such as "500mb"; false is zero where it can be switched off.
func size(canBeOff bool) rule[int64] {
	r := amount(`a size such as "500mb" or "10gb"`, canBeOff, func(name string) (int64, bool) {
		u, ok := sizeUnits[name]
		return u, ok
	})
	plain := integer(0, noLimit)
	read := r.read
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *int64) {
		if n.Kind == json5.Number {
			plain.read(d, at, n, into)
			return
		}
		read(d, at, n, into)
	}
	options := []any{plain.schema, map[string]any{"type": "string", "pattern": `^[0-9]+ ?([kKmMgGtT]?([iI]?[bB])?)$`}}
	if canBeOff {
		options = append(options, map[string]any{"const": false})
	}
	r.schema = map[string]any{"anyOf": options}
	r.show = func(v int64) string {
		if v > 0 && v%(1<<30) == 0 {
			return json5.Quote(fmt.Sprintf("%dgb", v>>30))
		}
		return strconv.FormatInt(v, 10)
	}
	return r
}

func amount(form string, canBeOff bool, unit func(string) (int64, bool)) rule[int64] {
	if canBeOff {
		form += ", or false"
	}
	return rule[int64]{
		kind: strings.TrimPrefix(form, "a "),
		read: func(d *decoder, at json5.Path, n *json5.Node, into *int64) {
			if canBeOff && n.Kind == json5.Bool && !n.Bool {
				*into = 0
				return
			}
			s, ok := d.text(at, n, form)
			if !ok {
				return
			}
			v, ok := parseAmount(s, unit)
			if !ok {
				d.at(n.Span, at, ReasonValue, "must be %s, not %s", form, shownText(n.Str))
				return
			}
			*into = v
		},
	}
}

// free is any object: settings that are handed on as they are, with variables replaced.
func free() rule[map[string]any] {
	return rule[map[string]any]{
		kind: "object", schema: map[string]any{"type": "object"},
		show: func(map[string]any) string { return "" },
		read: func(d *decoder, at json5.Path, n *json5.Node, into *map[string]any) {
			if n.Kind != json5.Object {
				d.wrongType(at, n, "an object")
				return
			}
			merged := make(map[string]any, len(*into)+len(n.Members))
			for k, v := range *into {
				merged[k] = v
			}
			for _, m := range n.Members {
				merged[m.Name] = d.any(at.Join(json5.Key(m.Name)), m.Value)
			}
			*into = merged
		},
	}
}

// any is a value as encoding/json has it, except that whole numbers are int64.
func (d *decoder) any(at json5.Path, n *json5.Node) any {
	switch n.Kind {
	case json5.Bool:
		return n.Bool
	case json5.Number:
		if v, ok := n.Int64(); ok {
			return v
		}
		v := n.Float64()
		if _, err := json.Marshal(v); err != nil {
			d.at(n.Span, at, ReasonRange, "must be a finite number, not %s", n.Str)
		}
		return v
	case json5.String:
		s, _ := d.expand(at, n)
		return s
	case json5.Array:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = d.any(at.Join(json5.At(i)), item)
		}
		return list
	case json5.Object:
		object := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			object[m.Name] = d.any(at.Join(json5.Key(m.Name)), m.Value)
		}
		return object
	}
	return nil
}

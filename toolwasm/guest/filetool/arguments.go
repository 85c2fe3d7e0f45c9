package filetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// argumentError is a mistake in what a tool was given; nothing has been done then.
type argumentError struct{ text string }

func (e *argumentError) Error() string { return e.text }

func badArgument(format string, args ...any) error {
	return &argumentError{fmt.Sprintf(format, args...)}
}

func isArgumentError(err error) bool {
	var e *argumentError
	return errors.As(err, &e)
}

// object is a JSON object whose members are read one by one, each with its own type: encoding/json alone would fold the
// case of names, let null pass for anything and lose the name of what is wrong.
type object struct {
	where  string // how messages name the object, with a dot at its end, or ""
	fields map[string]json.RawMessage
}

// parseObject takes an object that has no member but those allowed.
func parseObject(raw []byte, where string, allowed ...string) (object, error) {
	o := object{where: where, fields: map[string]json.RawMessage{}}
	what := strings.TrimSuffix(where, ".")
	if what == "" {
		what = "arguments"
	}
	if !utf8.Valid(raw) {
		return o, badArgument("%s: not valid UTF-8", what)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return o, badArgument("%s: a JSON object is expected", what)
	}
	for dec.More() {
		if err := o.member(dec, allowed); err != nil {
			return o, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return o, badArgument("%s: not valid JSON: %s", what, syntax(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return o, badArgument("%s: something follows the JSON object", what)
	}
	return o, nil
}

func (o object) member(dec *json.Decoder, allowed []string) error {
	t, err := dec.Token()
	if err != nil {
		return badArgument("%sarguments: not valid JSON: %s", o.where, syntax(err))
	}
	name, _ := t.(string)
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return badArgument("%s%s: not valid JSON: %s", o.where, name, syntax(err))
	}
	if !slices.Contains(allowed, name) {
		return badArgument("%s%s: unknown argument; there are %s", o.where, name, strings.Join(allowed, ", "))
	}
	if _, twice := o.fields[name]; twice {
		return badArgument("%s%s: given twice", o.where, name)
	}
	o.fields[name] = value
	return nil
}

func syntax(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return err.Error()
}

// required returns a member that must be there.
func (o object) required(name string) (json.RawMessage, error) {
	raw, ok := o.fields[name]
	switch {
	case !ok:
		return nil, badArgument("%s%s: missing", o.where, name)
	case string(raw) == "null":
		return nil, badArgument("%s%s: missing (null)", o.where, name)
	}
	return raw, nil
}

// text returns a string member that must be there.
func (o object) text(name string) (string, error) {
	raw, err := o.required(name)
	if err != nil {
		return "", err
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", badArgument("%s%s: a string is expected, not %s", o.where, name, kind(raw))
	}
	if loneSurrogate(raw) {
		return "", badArgument("%s%s: half of a surrogate pair cannot be written", o.where, name)
	}
	return s, nil
}

// path returns the path member of a tool.
func (o object) path() (string, error) {
	s, err := o.text("path")
	switch {
	case err != nil:
		return "", err
	case s == "":
		return "", badArgument("path: missing (empty)")
	case strings.IndexByte(s, 0) >= 0:
		return "", badArgument("path: holds a NUL byte")
	}
	return s, nil
}

// number returns a whole number that is at least least, or absent when there is none.
func (o object) number(name string, least, absent int64) (int64, error) {
	raw, ok := o.fields[name]
	if !ok || string(raw) == "null" {
		return absent, nil
	}
	if k := kind(raw); k != "a number" {
		return 0, badArgument("%s%s: a whole number is expected, not %s", o.where, name, k)
	}
	n, ok := wholeNumber(string(raw))
	if !ok {
		return 0, badArgument("%s%s: a whole number is expected, not %s", o.where, name, raw)
	}
	if n < least {
		return 0, badArgument("%s%s: must be at least %d, is %d", o.where, name, least, n)
	}
	return n, nil
}

// wholeNumber also takes 3.0 and 1e3, which are whole numbers in JSON.
func wholeNumber(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	const exact = 1 << 53
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}

// flag returns a boolean that is false when it is absent.
func (o object) flag(name string) (bool, error) {
	switch raw := string(o.fields[name]); raw {
	case "", "null", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, badArgument("%s%s: true or false is expected, not %s", o.where, name, kind([]byte(raw)))
	}
}

// list returns the elements of an array that must be there.
func (o object) list(name string) ([]json.RawMessage, error) {
	raw, err := o.required(name)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, badArgument("%s%s: an array is expected, not %s", o.where, name, kind(raw))
	}
	return list, nil
}

func kind(raw []byte) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// loneSurrogate reports whether a JSON string escapes half of a surrogate pair. Decoding would turn it into U+FFFD without
// a word, and the file would not hold what it was told to.
func loneSurrogate(raw []byte) bool {
	high := false // the last thing was the first half of a pair
	for i := 0; i < len(raw); {
		unit, n := escapedUnit(raw[i:])
		low := unit >= 0xDC00 && unit < 0xE000
		if high != low {
			return true
		}
		high = unit >= 0xD800 && unit < 0xDC00
		i += n
	}
	return high
}

// escapedUnit returns the UTF-16 unit that a \u escape at the start of b stands for, or -1, and the length of what is
// there.
func escapedUnit(b []byte) (unit, n int) {
	const escape = len(`\uXXXX`)
	if b[0] != '\\' {
		return -1, 1
	}
	if len(b) < escape || b[1] != 'u' {
		return -1, 2
	}
	v, err := strconv.ParseUint(string(b[2:escape]), 16, 16)
	if err != nil {
		return -1, 2
	}
	return int(v), escape
}

package jq_test

import (
	"strings"
	"testing"
)

// needInputs are values of every kind, whose members are of every kind.
var needInputs = strings.Join([]string{
	`{"a":1,"b":"x","c":[1,2,{"d":3}],"d":{"a":{"b":7}}}`, `{"a":{"b":{"c":1}},"b":null}`, `{"a":null}`, `{"a":false,"b":true}`, `{}`, `[]`,
	`[1,2,3]`, `[{"a":1,"b":2},{"b":3},{"a":[5]}]`, `{"a":[{"a":1}],"b":[[1],[2]]}`, `"text"`, `12`, `null`, `true`, `[[1,[2]],{"a":2}]`,
	`{"a":1,"b":2,"a":3}`, `{"b":{"a":1,"a":2}, "a": "\u00e9\n", "n": 1.50}`, `{"a":  [ 1 , {"z" : null} ] , "q" : {  } }`,
}, "\n")

var needFilters = []string{
	`.`, `.a`, `.a.b`, `.a.b.c`, `.a?`, `.a.b?`, `.["a"]`, `.[0]`, `.[-1]`, `.[0].a`, `.c[2].d`, `.[1:]`, `.a[1:]`, `.[]`, `.[]?`, `.[].a`, `.[]?.a?`, `.a[]`,
	`.a | length`, `length`, `.a, .b`, `[.a, .b]`, `{a, b}`, `{a: .b, c: .c[0]}`, `{(.b | tostring): .a}`, `"\(.a) and \(.b)"`, `.a + .b`, `.a == .b`, `-.a`,
	`.a and .b`, `.a or .b`, `.a // .b`, `.a // "none"`, `.x // .`, `(.a | not)`, `not`, `type`, `.a | type`, `[.[] | type]`, `empty`, `.a | empty`,
	`select(.a)`, `select(.a == 1)`, `select(.a == 1) | .b`, `select(.a == 1 and .b == "x")`, `select(type == "object")`, `select(.a, .b)`, `select(.[0] == 1)`,
	`select(.a > 0) | select(.b)`, `if .a then .b else .c end`, `if .a then . else empty end`, `if .a == 1 then . end`, `., .`, `. | .`,
	`map(.a)`, `map(.a)?`, `map(select(.a))`, `map(.b) | length`, `.[] | select(.a?)`, `[.[]?] | length`, `keys?`, `has("a")?`, `to_entries?`, `.. | .a?`,
	`. as $v | .a`, `. as {a: $v} | $v`, `reduce .[]? as $v (0; . + 1)`, `.a = 1`, `.a |= 2`, `del(.a)`, `path(..)`, `[paths]`, `tojson`, `@json`, `@text "\(.)"`,
	`def f: .a; f`, `def select(f): f; select(.a)`, `def not: .; not`, `try .a catch .`, `try error(.) catch .a`, `.a | error`, `error`, `input`, `[., input]`, `select(.a) | input`,
	`first(.a, .b)`, `limit(1; .[]?)`, `$ENV | type`, `.a as [$x] | $x`, `label $out | .a, break $out`, `.[.a]?`, `.c[.a]?`, `input_line_number`, `@base64`, `.a | @csv`,
	`.[("a", "b")]?`, `.a.b |= 3`, `getpath(["a", "b"])?`, `walk(.)`, `any`, `.a |= empty`, `if empty then . else . end`, `if (.a, .b) then . else empty end`,
}

// TestProgramsSeeAllThatTheyLookAt compares programs with the same ones that are given their input whole, by a variable.
func TestProgramsSeeAllThatTheyLookAt(t *testing.T) {
	dir := t.TempDir()
	for _, f := range needFilters {
		for _, option := range []string{"-c", "-r", "--tab", "-S", "-ac", "-C", "-sc", "-e", "-rj"} {
			got := runJQ(t, dir, needInputs, option, f)
			want := runJQ(t, dir, needInputs, option, ". as $whole | "+f)
			if got != want {
				t.Errorf("jq %s '%s':\ngot  %+v\nwant %+v", option, f, got, want)
			}
		}
	}
}

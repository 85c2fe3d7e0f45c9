package json5_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"openclaw/runtime/config/json5"
)

func TestParseReadsTheLanguage(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`[]`, `[]`},
		{` null `, `null`},
		{`true`, `true`},
		{`{a: 1, 'b': 2, "c": 3,}`, `{"a":1,"b":2,"c":3}`},
		{"// head\n{ /* in */ a /* x */ : /* y */ 1 /* z */ , } // tail", `{"a":1}`},
		{`{$a_1: 1, ünï: 2, \u0061b: 3}`, `{"$a_1":1,"ünï":2,"ab":3}`},
		{`[0x1F, +5, -0x10, .5, 5., 1e3, -1.5E-2]`, `[31,5,-16,0.5,5,1000,-0.015]`},
		{`['it\'s', "say \"x\"", 'a\
b']`, `["it's","say \"x\"","ab"]`},
		{"'a\\\r\nb'", `"ab"`},
		{`"\x41\u0042\u{}"`, ""},
		{`"\x41\u0042\0\v\q"`, `"AB\u0000\u000bq"`},
		{`"\ud83d\ude00"`, `"😀"`},
		{"\uFEFF\u00a0\u2003{\u2028a:1\u2029}", `{"a":1}`},
		{"{a:1, b:2, a:3}", `{"b":2,"a":3}`},
		{"'tab\there'", `"tab\there"`},
		{`9007199254740993`, `9007199254740993`},
		{`{null: 1, true: 2, Infinity: 3}`, `{"null":1,"true":2,"Infinity":3}`},
	} {
		doc, err := json5.Parse("t", c.text)
		if c.want == "" {
			if err == nil {
				t.Errorf("Parse(%q) accepts it", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", c.text, err)
			continue
		}
		if got := compact(doc.Root.JSON()); got != c.want {
			t.Errorf("Parse(%q) = %s, want %s", c.text, got, c.want)
		}
	}
}

// compact removes the layout; the tests' strings hold no runs of blanks.
func compact(s string) string {
	s = strings.ReplaceAll(s, "\n", "")
	s = strings.ReplaceAll(s, "  ", "")
	return strings.ReplaceAll(s, ": ", ":")
}

func TestParseSaysWhereTheTextIsWrong(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, `json5: f:1:1: a value is missing at the end of the text`},
		{"// only\n", `json5: f:2:1: a value is missing at the end of the text`},
		{`{`, `json5: f:1:2: the end of the text where a key is wanted`},
		{"{\n  a 1\n}", `json5: f:2:5: '1' where ':' is wanted`},
		{"{\n  a: 1\n  b: 2\n}", `json5: f:3:3: 'b' where ',' or '}' is wanted`},
		{`[1 2]`, `json5: f:1:4: '2' where ',' or ']' is wanted`},
		{`[,]`, `json5: f:1:2: ',' where a value is wanted`},
		{`{,}`, `json5: f:1:2: ',' where a key is wanted`},
		{`{a: b}`, `json5: f:1:5: "b" is no value: a string needs quotes`},
		{`{a: "x`, `json5: f:1:5: a string that does not end`},
		{"{a: 'x\n'}", `json5: f:1:7: a string that goes over the end of its line`},
		{`/* x`, `json5: f:1:1: a comment that does not end`},
		{`/ x`, `json5: f:1:1: '/' that begins no comment`},
		{`{} x`, `json5: f:1:4: 'x' after the end of the value`},
		{`010`, `json5: f:1:1: a number with leading zeros`},
		{`0x`, `json5: f:1:3: the end of the text where a hexadecimal digit is wanted`},
		{`1.2.3`, `json5: f:1:4: '.' in a number`},
		{`1e`, `json5: f:1:3: the end of the text where a digit is wanted`},
		{`-`, `json5: f:1:2: the end of the text where a digit is wanted`},
		{`5px`, `json5: f:1:2: 'p' in a number`},
		{`"\ud800"`, `json5: f:1:2: half of a surrogate pair`},
		{`"\u12"`, `json5: f:1:2: \u without four hexadecimal digits`},
		{`"\xg1"`, `json5: f:1:2: \x without two hexadecimal digits`},
		{`"\01"`, `json5: f:1:2: an octal escape`},
		{"'äöü' 'x'", `json5: f:1:7: '\'' after the end of the value`},
		{"{a: \"\xff\"}", `json5: f:1:6: invalid UTF-8`},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), ``},
		{strings.Repeat("[", 66) + strings.Repeat("]", 66), `json5: f:1:66: more than 64 levels`},
		{`"` + strings.Repeat("x", json5.MaxSize) + `"`, `json5: f:1:1: the text has more than 2097152 bytes`},
	} {
		_, err := json5.Parse("f", c.text)
		got := ""
		if err != nil {
			got = err.Error()
			var syntax *json5.SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("%T is no SyntaxError", err)
			}
		}
		if got != c.want {
			t.Errorf("Parse(%.40q): %s, want %s", c.text, got, c.want)
		}
	}
}

func TestDuplicateKeysAreReportedWithTheirPlaces(t *testing.T) {
	doc, err := json5.Parse("f", "{\n a: {b: 1,\n  b: 2},\n c: [{d: 1, 'd': 2}]}")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range doc.Duplicates {
		got = append(got, d.Path.String()+" "+d.First.Position().String()+" "+d.Key.Position().String())
	}
	if want := "a.b f:2:6 f:3:3,c[0].d f:4:7 f:4:13"; strings.Join(got, ",") != want {
		t.Errorf("duplicates %v, want %s", got, want)
	}
}

func TestNumbersKeepTheirValue(t *testing.T) {
	for _, c := range []struct {
		text  string
		whole int64
		ok    bool
		float float64
	}{
		{"5", 5, true, 5},
		{"5.0", 5, true, 5},
		{"5e2", 500, true, 500},
		{"-0x10", -16, true, -16},
		{"9223372036854775807", math.MaxInt64, true, math.MaxInt64},
		{"-9223372036854775808", math.MinInt64, true, math.MinInt64},
		{"9223372036854775808", 0, false, 9223372036854775808},
		{"1.5", 0, false, 1.5},
		{"1e300", 0, false, 1e300},
		{"1e999", 0, false, math.Inf(1)},
		{"-Infinity", 0, false, math.Inf(-1)},
		{"0xFFFFFFFFFFFFFFFFFF", 0, false, 4722366482869645213695},
	} {
		doc, err := json5.Parse("f", c.text)
		if err != nil {
			t.Fatal(err)
		}
		whole, ok := doc.Root.Int64()
		if whole != c.whole || ok != c.ok || doc.Root.Float64() != c.float {
			t.Errorf("%s is %d (%v), %g", c.text, whole, ok, doc.Root.Float64())
		}
	}
}

func TestPathsAreReadAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct{ text, canonical string }{
		{"a", "a"},
		{"a.b-c.$d", "a.b-c.$d"},
		{"a[0].b", "a[0].b"},
		{"a.0.b", "a.0.b"},
		{`models["openai/gpt-5.1"].alias`, `models["openai/gpt-5.1"].alias`},
		{`['a b']`, `["a b"]`},
		{`a["b"]`, `a.b`},
		{`a["\"]"]`, `a["\"]"]`},
	} {
		path, err := json5.ParsePath(c.text)
		if err != nil || path.String() != c.canonical {
			t.Errorf("ParsePath(%q) = %v, %v; want %s", c.text, path, err, c.canonical)
		}
	}
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[01]", "a[-1]", "a]b", `a["b`, `a["b"`, "a[0]b", strings.Repeat("a.", 64) + "a"} {
		if path, err := json5.ParsePath(bad); err == nil {
			t.Errorf("ParsePath(%q) = %v", bad, path)
		}
	}
}

// FuzzParse wants no panic, and of what is accepted that its JSON reads the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{a:1,/*c*/'b':[.5,0x1,+Infinity,],}`, "// x\n\"\\u0041\\\n\"", `[NaN,-1e-3,null,true]`, "{a:{a:{}},a:2}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := json5.Parse("f", text)
		if err != nil {
			return
		}
		if strings.Contains(text, "Infinity") || strings.Contains(text, "NaN") || strings.ContainsAny(text, "eE") {
			return // JSON has no infinities
		}
		again, err := json5.Parse("g", doc.Root.JSON())
		if err != nil || !again.Root.Equal(doc.Root) {
			t.Fatalf("%q is %s, which is read otherwise: %v", text, doc.Root.JSON(), err)
		}
	})
}

package frontmatter_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/skills/internal/frontmatter"
)

// codes lists the problems of a document as LINE LEVEL CODE.
func codes(d *frontmatter.Document) []string {
	list := []string{}
	for _, p := range d.Problems {
		list = append(list, fmt.Sprint(p.Line, " ", p.Level, " ", p.Code))
	}
	return list
}

// TestHeads has one head, or more, for each kind of problem. The directory is called tea.
func TestHeads(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct {
		name, text string
		problems   []string
		usable     bool
		title      string // the name that was read
		about      string // the description
	}{
		{"valid", "---\nname: tea\ndescription: Makes tea\n---\nBody\n", nil, true, "tea", "Makes tea"},
		{"all fields of the specification", "---\nname: tea\ndescription: d\nlicense: MIT\ncompatibility: any\nallowed-tools: Read\nmetadata:\n  a: b\n---\n", nil, true, "tea", "d"},
		{"comment, quotes and blanks", "--- \n# about\nname: 'tea'\ndescription: \"a: b # c\"   \n\n---\t\n", nil, true, "tea", "a: b # c"},
		{"comment behind a value", "---\nname: tea # the name\ndescription: d #1\n---\n", nil, true, "tea", "d"},
		{"carriage returns", "---\r\nname: tea\r\ndescription: >\r\n  one\r\n  two\r\n---\r\n", nil, true, "tea", "one two"},
		{"block of lines", "---\nname: tea\ndescription: |\n  one\n  two\n---\n", nil, true, "tea", "one\ntwo"},
		{"no end of line", "---\nname: tea\ndescription: d\n---", nil, true, "tea", "d"},
		{"hyphens in the text", "---\nname: tea\ndescription: a --- b\n---\n", nil, true, "tea", "a --- b"},
		{"number for a description", "---\nname: tea\ndescription: 1.50\n---\n", nil, true, "tea", "1.50"},
		{"truth for a description", "---\nname: tea\ndescription: yes\n---\n", nil, true, "tea", "yes"},

		{"nothing", "", []string{"1 error opening"}, false, "", ""},
		{"text before", "Tea\n---\nname: tea\n---\n", []string{"1 error opening"}, false, "", ""},
		{"four hyphens", "----\nname: tea\n---\n", []string{"1 error opening"}, false, "", ""},
		{"indented hyphens", " ---\nname: tea\n---\n", []string{"1 error opening"}, false, "", ""},
		{"no end", "---\nname: tea\ndescription: d\n", []string{"1 error closing"}, false, "", ""},
		{"end with four hyphens", "---\nname: tea\ndescription: d\n----\n", []string{"1 error closing"}, false, "", ""},
		{"empty lines before", "\n\n---\nname: tea\ndescription: d\n---\n", []string{"1 warning opening"}, true, "tea", "d"},
		{"byte order mark", "\uFEFF---\nname: tea\ndescription: d\n---\n", []string{"1 warning opening"}, true, "tea", "d"},
		{"no fields", "---\n---\n", []string{"2 error mapping"}, false, "", ""},
		{"only a comment", "---\n# x\n---\n", []string{"2 error mapping"}, false, "", ""},
		{"list", "---\n- tea\n---\n", []string{"2 error mapping"}, false, "", ""},
		{"text", "---\ntea\n---\n", []string{"2 error mapping"}, false, "", ""},

		{"no name", "---\ndescription: d\n---\n", []string{"1 warning missing"}, true, "", "d"},
		{"no description", "---\nname: tea\n---\n", []string{"1 error missing"}, false, "tea", ""},
		{"empty name", "---\nname: ''\ndescription: d\n---\n", []string{"2 warning empty"}, true, "", "d"},
		{"empty description", "---\nname: tea\ndescription:\n---\n", []string{"3 error empty"}, false, "tea", ""},
		{"blank description", "---\nname: tea\ndescription: '  '\n---\n", []string{"3 error empty"}, false, "tea", ""},
		{"list for a description", "---\nname: tea\ndescription: [a]\n---\n", []string{"3 note yaml", "3 error type"}, false, "tea", ""},
		{"map for a license", "---\nname: tea\ndescription: d\nlicense:\n  a: b\n---\n", []string{"4 warning type"}, true, "tea", "d"},

		{"colon in a value", "---\nname: tea\ndescription: Use when: x # y\n---\n", []string{"3 warning yaml"}, true, "tea", "Use when: x # y"},
		{"open bracket", "---\nname: tea\ndescription: [open\n---\n", []string{"3 warning yaml"}, true, "tea", "[open"},
		{"backtick", "---\nname: tea\ndescription: `tea` is made\n---\n", []string{"3 warning yaml"}, true, "tea", "`tea` is made"},
		{"text behind quotes", "---\nname: tea\ndescription: \"Tea\" is made\n---\n", []string{"3 warning yaml"}, true, "tea", "\"Tea\" is made"},
		{"lines below a colon", "---\nname: tea\ndescription: a: b\n  goes on\n---\n", []string{"3 warning yaml"}, true, "tea", "a: b goes on"},
		{"tabs", "---\nname: tea\ndescription: >\n\tone\n\ttwo\n---\n", []string{"4 warning yaml"}, true, "tea", "one two"},
		{"twice", "---\nname: tea\ndescription: d\ndescription: e\n---\n", []string{"4 warning yaml"}, true, "tea", "d"},
		{"no line of it is a field", "---\n\"a: [\n---\n", []string{"2 error yaml"}, false, "", ""},
		{"anchor", "---\nname: &a tea\ndescription: *a\n---\n", []string{"2 error yaml"}, false, "", ""},
		{"merge key", "---\n<<: {a: b}\nname: tea\ndescription: d\n---\n", []string{"2 error yaml"}, false, "", ""},
		{"tag", "---\nname: !!str tea\ndescription: d\n---\n", []string{"2 error yaml"}, false, "", ""},
		{"braces", "---\nname: tea\ndescription: d\nmetadata: {a: b}\n---\n", []string{"4 note yaml"}, true, "tea", "d"},
		{"no UTF-8", "---\nname: tea\ndescription: \xff\n---\n", []string{"3 error encoding"}, false, "", ""},

		{"upper case", "---\nname: Tea\ndescription: d\n---\n", []string{"2 warning name-case", "2 warning name-dir"}, true, "Tea", "d"},
		{"hyphen before", "---\nname: -tea\ndescription: d\n---\n", []string{"2 warning name-edge", "2 warning name-dir", "2 error name-unsafe"}, false, "-tea", "d"},
		{"two hyphens", "---\nname: te--a\ndescription: d\n---\n", []string{"2 warning name-hyphens", "2 warning name-dir"}, true, "te--a", "d"},
		{"blank", "---\nname: green tea\ndescription: d\n---\n", []string{"2 warning name-chars", "2 warning name-dir", "2 error name-unsafe"}, false, "green tea", "d"},
		{"path", "---\nname: ../tea\ndescription: d\n---\n", []string{"2 warning name-chars", "2 warning name-dir", "2 error name-unsafe"}, false, "../tea", "d"},
		{"dots", "---\nname: a..b\ndescription: d\n---\n", []string{"2 warning name-chars", "2 warning name-dir", "2 error name-unsafe"}, false, "a..b", "d"},
		{"long name", "---\nname: " + long + "\ndescription: d\n---\n", []string{"2 warning name-length", "2 warning name-dir", "2 error name-unsafe"}, false, long, "d"},
		{"long description", "---\nname: tea\ndescription: " + strings.Repeat("é", 1025) + "\n---\n", []string{"3 warning description-length"}, true, "tea", strings.Repeat("é", 1025)},
		{"description of 1024", "---\nname: tea\ndescription: " + strings.Repeat("é", 1024) + "\n---\n", nil, true, "tea", strings.Repeat("é", 1024)},
		{"long compatibility", "---\nname: tea\ndescription: d\ncompatibility: " + strings.Repeat("c", 501) + "\n---\n", []string{"4 warning compatibility-length"}, true, "tea", "d"},
		{"fields of this runtime", "---\nname: tea\ndescription: d\nuser-invocable: false\nhomepage: https://example.com\n---\n", []string{"4 note fields"}, true, "tea", "d"},
		{"fields of nobody", "---\nname: tea\ndescription: d\nversion: 1\nauthor: a\n---\n", []string{"4 note fields"}, true, "tea", "d"},
		{"truth that is none", "---\nname: tea\ndescription: d\nuser-invocable: 3\n---\n", []string{"4 error type", "4 note fields"}, false, "tea", "d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := frontmatter.Parse([]byte(c.text), "tea")
			if got := codes(d); !slices.Equal(got, append([]string{}, c.problems...)) {
				t.Errorf("problems %q, want %q: %v", got, c.problems, d.Problems)
			}
			if d.Usable() != c.usable || d.Valid() != (len(c.problems) == 0) || d.Name != c.title || d.Description != c.about {
				t.Errorf("usable %v, valid %v, name %q, description %q", d.Usable(), d.Valid(), d.Name, d.Description)
			}
		})
	}
}

func TestFieldsAreRead(t *testing.T) {
	d := frontmatter.Parse([]byte(`---
name: tea
description: d
license: MIT
allowed-tools:
  - Read
  - Bash
user-invocable: no
disable-model-invocation: true
command-dispatch: tool
command-tool: exec
command-arg-mode: raw
metadata:
  version: 1.0
  openclaw:
    emoji: "🍵"
    always: true
    os: [linux, darwin]
    primaryEnv: KETTLE
    skillKey: tea-key
    requires:
      bins: [jq]
      anyBins: [a, b]
      env: [KETTLE]
      config: [tools.exec]
---
Body
`), "tea")
	if !d.Usable() || d.Body != 27 || d.UserInvocable || !d.DisableModelInvocation || d.CommandDispatch != "tool" || d.CommandTool != "exec" || d.CommandArgMode != "raw" {
		t.Errorf("%+v", d)
	}
	if !reflect.DeepEqual(d.AllowedTools.List, []string{"Read", "Bash"}) || d.Metadata["version"] != "1.0" {
		t.Errorf("%+v, %v", d.AllowedTools, d.Metadata)
	}
	want := frontmatter.OpenClaw{
		Always: true, OS: []string{"linux", "darwin"}, PrimaryEnv: "KETTLE", Key: "tea-key", Emoji: "🍵",
		Requires: frontmatter.Requires{Bins: []string{"jq"}, AnyBins: []string{"a", "b"}, Env: []string{"KETTLE"}, Config: []string{"tools.exec"}},
	}
	if !reflect.DeepEqual(d.OpenClaw, want) {
		t.Errorf("%+v, want %+v", d.OpenClaw, want)
	}
}

func TestNamesThatAreSpeltInTwoWaysAreOne(t *testing.T) {
	for name, want := range map[string]string{"cafe\u0301": "café", " tea ": "tea", "ｔｅａ": "tea", "技能": "技能", "a.b_c-1": "a.b_c-1", "..": "", ".a": "", "a/b": "", "": "", "a\x00": "", "a\u202eb": "", strings.Repeat("𝔸", 64): strings.Repeat("A", 64), strings.Repeat("𐐨", 64): ""} {
		if got, ok := frontmatter.PlainName(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", name, got, ok, want)
		}
	}
}

// TestHostileHeadsCostLittle has the shapes that cost a parser most.
func TestHostileHeadsCostLittle(t *testing.T) {
	fill := func(text string) string { return strings.Repeat(text, frontmatter.MaxSize/len(text)-1) }
	deep := ""
	for i := 0; len(deep) < frontmatter.MaxSize-500; i++ {
		deep += strings.Repeat(" ", i) + "a:\n"
	}
	for _, text := range []string{
		fill("["), fill("{a: "), fill("- "), fill("-\n"), fill("? "), fill("a: "), fill("&a "), fill("!!x "), deep, fill("\n"), fill("# x\n"), "a: [" + fill("b,"),
		"a: '" + fill("''"), fill("a: b\n"), fill("a"), fill("%YAML 1.2\n"), fill("|\n"), fill("\t"), fill("\"\n"), fill(": "), fill("x\n"),
	} {
		start := time.Now()
		frontmatter.Parse([]byte("---\n"+text+"\n---\n"), "tea")
		if took := time.Since(start); took > 2*time.Second { // a few ms, and much less than what a parser without bounds takes
			t.Errorf("%.20q took %s", text, took)
		}
	}
}

// FuzzParse wants an end, and problems with lines that exist, whatever the bytes are.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"---\nname: tea\ndescription: d\n---\n", "---\nname: a\ndescription: b: c\n---\n", "\uFEFF\n---\n\ta: b\n---\n", "---\na: &a [*a]\n---\n",
		"---\nname: x\ndescription: |\n  y\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"jq\"]}}}\n---\n", "---\n- - ? x\n---", "---\n\"\\u0000\": 'x'\n---\n",
		"---\nmetadata: '{\"openclaw\": \"{a: b}\"}'\n---\n", "---\n? {a: b}\n: c\n---\n", "---\n\r\r\r0\n---",
	} {
		f.Add([]byte(text), "tea")
	}
	f.Fuzz(func(t *testing.T, data []byte, dir string) {
		watch := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("no end: %q", data)) })
		defer watch.Stop()
		d := frontmatter.Parse(data, dir)
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range d.Problems {
			if p.Line < 1 || p.Line > lines+1 || p.Message == "" {
				t.Errorf("%+v in %d lines", p, lines)
			}
		}
		if d.Usable() && d.Description == "" {
			t.Error("a skill without a description")
		}
		if name, ok := frontmatter.PlainName(d.Name); ok && (strings.ContainsAny(name, "/\\\x00") || name == "." || strings.Contains(name, "..")) {
			t.Errorf("the name %q", name)
		}
	})
}

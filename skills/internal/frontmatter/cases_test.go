package frontmatter_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"openclaw/skills/internal/frontmatter"
)

// skillCase is a line of a collection of SKILL.md files with known answers.
type skillCase struct {
	ID     string            `json:"id"`
	Files  map[string]string `json:"files"`
	Dir    *string           `json:"skill_dir"`
	Valid  *bool             `json:"expect_valid"`
	Errors []string          `json:"expect_errors"`
	Props  json.RawMessage   `json:"expect_props"`
}

type props struct {
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	License       *string        `json:"license"`
	Compatibility *string        `json:"compatibility"`
	AllowedTools  any            `json:"allowed_tools"`
	Metadata      map[string]any `json:"metadata"`
}

// TestSkillCases runs the cases with known answers where there are any: OPENCLAW_CASES names their directory.
func TestSkillCases(t *testing.T) {
	dir := os.Getenv("OPENCLAW_CASES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "cases", "open")
	}
	f, err := os.Open(filepath.Join(dir, "tool-skills.jsonl"))
	if err != nil {
		t.Skipf("no cases of skills (OPENCLAW_CASES names their directory): %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	passed, all := 0, 0
	for lines.Scan() {
		var c skillCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Dir == nil {
			continue // about several skills: package skills has them
		}
		all++
		if t.Run(c.ID, c.run) {
			passed++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d cases", passed, all)
}

func (c skillCase) run(t *testing.T) {
	text, ok := c.Files[path.Join(*c.Dir, "SKILL.md")]
	if !ok {
		text = c.Files[path.Join(*c.Dir, "skill.md")]
	}
	d := frontmatter.Parse([]byte(text), path.Base(*c.Dir))
	if d.Valid() != *c.Valid {
		t.Errorf("valid: %v, want %v: %v", d.Valid(), *c.Valid, d.Problems)
	}
	want := []string{}
	for _, e := range c.Errors {
		want = append(want, kindOf(t, e))
	}
	// The specification's reader stops at the first thing that it cannot read.
	got := []string{}
	for _, p := range d.Problems {
		fatal := slices.Contains([]string{"yaml", "opening", "closing", "mapping"}, string(p.Code))
		if fatal {
			got = []string{kind(p)}
			break
		}
		if p.Code != frontmatter.CodeNameUnsafe {
			got = append(got, kind(p))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
	var wantProps *props
	if err := json.Unmarshal(c.Props, &wantProps); err != nil {
		t.Fatal(err)
	}
	if d.Readable() != (wantProps != nil) {
		t.Fatalf("readable: %v, want %v: %v", d.Readable(), wantProps != nil, d.Problems)
	}
	if wantProps == nil {
		return
	}
	gotProps := &props{d.Name, d.Description, d.License, d.Compatibility, nil, d.Metadata}
	if d.AllowedTools != nil {
		gotProps.AllowedTools = d.AllowedTools.List[0]
		if !d.AllowedTools.Plain {
			var list []any
			for _, tool := range d.AllowedTools.List {
				list = append(list, tool)
			}
			gotProps.AllowedTools = list
		}
	}
	if !reflect.DeepEqual(gotProps, wantProps) {
		t.Errorf("fields %+v, want %+v", gotProps, wantProps)
	}
}

// kind is a problem in short, as kindOf has the messages of the collection.
func kind(p frontmatter.Problem) string {
	switch p.Code {
	case frontmatter.CodeYAML:
		return fmt.Sprint(p.Code, " ", p.Line)
	case frontmatter.CodeMissing, frontmatter.CodeEmpty, frontmatter.CodeFields:
		return fmt.Sprint(p.Code, " ", p.Field)
	}
	return string(p.Code)
}

// messages tell the kinds of problems by a word of the collection's messages; what the expression catches belongs to the kind.
var messages = []struct {
	form *regexp.Regexp
	code frontmatter.Code
}{
	{regexp.MustCompile(`(?s)^Invalid YAML.*?\(line: (\d+)\)`), frontmatter.CodeYAML},
	{regexp.MustCompile(`must start with`), frontmatter.CodeOpening},
	{regexp.MustCompile(`not properly closed`), frontmatter.CodeClosing},
	{regexp.MustCompile(`YAML mapping`), frontmatter.CodeMapping},
	{regexp.MustCompile(`^Missing required .*: (.*)$`), frontmatter.CodeMissing},
	{regexp.MustCompile(`^Field '(.*)' .*non-empty`), frontmatter.CodeEmpty},
	{regexp.MustCompile(`^Unexpected .*?: (.*)\. Only`), frontmatter.CodeFields},
	{regexp.MustCompile(`lowercase`), frontmatter.CodeNameCase},
	{regexp.MustCompile(`start or end`), frontmatter.CodeNameEdge},
	{regexp.MustCompile(`consecutive`), frontmatter.CodeNameHyphens},
	{regexp.MustCompile(`invalid characters`), frontmatter.CodeNameChars},
	{regexp.MustCompile(`^Skill name .* exceeds`), frontmatter.CodeNameLength},
	{regexp.MustCompile(`^Directory name`), frontmatter.CodeNameDir},
	{regexp.MustCompile(`^Description exceeds`), frontmatter.CodeDescription},
	{regexp.MustCompile(`^Compatibility exceeds`), frontmatter.CodeCompat},
}

func kindOf(t *testing.T, message string) string {
	t.Helper()
	for _, m := range messages {
		found := m.form.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		p := frontmatter.Problem{Code: m.code}
		if len(found) > 1 {
			p.Field = found[1]
			p.Line, _ = strconv.Atoi(strings.TrimSpace(found[1]))
		}
		return kind(p)
	}
	t.Fatalf("no kind for %q", message)
	return ""
}

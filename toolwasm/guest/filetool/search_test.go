package filetool

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
)

// forest is a directory with what searches have to deal with.
func forest(t *testing.T) *workdir {
	w := newWorkdir(t, map[string]string{
		"README.md":          "# Title\nneedle here\n",
		"src/a.go":           "package a\n\n// needle one\nfunc A() {}\n// needle two\nfunc B() {}\n",
		"src/deep/b.go":      "one\ntwo\nNEEDLE three\nfour\nfive\n",
		"src/deep/c.txt":     "a.b needle [x]\n",
		".hidden":            "needle in a hidden file\n",
		".gitignore":         "*.log\nbuild/\n",
		"x.log":              "needle ignored\n",
		"build/out.go":       "needle ignored\n",
		".git/config":        "needle of git\n",
		"src/.ignore":        "skipped.txt\n",
		"src/skipped.txt":    "needle ignored\n",
		"binary":             "needle\x00\n",
		"long.txt":           "needle " + strings.Repeat("ä", 1000) + "\n",
		"odd \"name\".txt":   "nothing\n",
		"src/empty/":         "",
		"windows.txt":        "needle crlf\r\n",
		"src/deep/e,f.jsonl": "{}\n",
	})
	if err := os.Symlink("src", w.path("link")); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestGrepShowsMatches(t *testing.T) {
	w := forest(t)
	long := "long.txt:1: needle " + strings.Repeat("ä", 493) + "…"
	for _, c := range []struct {
		name string
		args args
		want string
	}{
		{"everything that is not ignored", args{"pattern": "needle"}, `.hidden:1: needle in a hidden file
README.md:2: needle here
` + long + `
src/a.go:3: // needle one
src/a.go:5: // needle two
src/deep/c.txt:1: a.b needle [x]
windows.txt:1: needle crlf
`},
		{"a directory", args{"pattern": "needle", "path": "src/deep"}, "src/deep/c.txt:1: a.b needle [x]\n"},
		{"a file", args{"pattern": "one", "path": "src/a.go"}, "src/a.go:3: // needle one\n"},
		{"an ignored file that is named", args{"pattern": "needle", "path": "x.log"}, "x.log:1: needle ignored\n"},
		{"names", args{"pattern": "(?i)needle", "glob": "*.go"}, "src/a.go:3: // needle one\nsrc/a.go:5: // needle two\nsrc/deep/b.go:3: NEEDLE three\n"},
		{"names in braces", args{"pattern": "e", "glob": "*.{jsonl,md}"}, "README.md:1: # Title\nREADME.md:2: needle here\n"},
		{"either case", args{"pattern": "needle THREE", "ignoreCase": true}, "src/deep/b.go:3: NEEDLE three\n"},
		{"a text", args{"pattern": "a.b needle [x]", "literal": true}, "src/deep/c.txt:1: a.b needle [x]\n"},
		{"context", args{"pattern": "three", "context": 1}, "src/deep/b.go:2- two\nsrc/deep/b.go:3: NEEDLE three\nsrc/deep/b.go:4- four\n"},
		{"context of several", args{"pattern": "^(one|five)$", "context": 1, "path": "src/deep/b.go"}, `src/deep/b.go:1: one
src/deep/b.go:2- two
--
src/deep/b.go:4- four
src/deep/b.go:5: five
`},
		{"a limit", args{"pattern": "needle", "path": "src", "limit": 1}, "src/a.go:3: // needle one\n[1 shown, and there are more: give a higher limit, or a narrower pattern]"},
		{"nothing", args{"pattern": "no such thing"}, "[no match]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := w.call("grep", c.args); got.status != statusDone || got.Text != c.want {
				t.Errorf("status %d\n%s\nwant\n%s", got.status, got.Text, c.want)
			}
		})
	}
}

func TestGrepRefuses(t *testing.T) {
	w := forest(t)
	for _, c := range []struct {
		args   args
		status int
		want   string
	}{
		{args{}, statusBadArguments, "grep: pattern: missing"},
		{args{"pattern": ""}, statusBadArguments, "grep: pattern: missing (empty)"},
		{args{"pattern": "("}, statusBadArguments, "grep: pattern: not a regular expression: missing closing ): `(`"},
		{args{"pattern": "a\nb"}, statusBadArguments, "grep: pattern: not a regular expression: lines are searched one by one, so that it cannot hold a newline"},
		{args{"pattern": `a\nb`}, statusBadArguments, "grep: pattern: not a regular expression: lines are searched one by one, so that it cannot hold a newline"},
		{args{"pattern": "a", "limit": 0}, statusBadArguments, "grep: limit: must be at least 1, is 0"},
		{args{"pattern": "a", "context": -1}, statusBadArguments, "grep: context: must be at least 0, is -1"},
		{args{"pattern": "a", "literal": "yes"}, statusBadArguments, "grep: literal: true or false is expected, not a string"},
		{args{"pattern": "a", "path": "nowhere"}, statusFailed, "grep nowhere: No such file or directory"},
	} {
		if got := w.call("grep", c.args); got.status != c.status || got.Text != c.want {
			t.Errorf("%v: %d %q, want %d %q", c.args, got.status, got.Text, c.status, c.want)
		}
	}
}

func TestGrepEndsWithAFullPage(t *testing.T) {
	w := newWorkdir(t, nil)
	for i := range 40 {
		w.put(fmt.Sprintf("f%02d", i), strings.Repeat("needle "+strings.Repeat("x", 400)+"\n", 10))
	}
	got := w.call("grep", args{"pattern": "needle", "limit": 5000})
	if len(got.Text) > defaultPage+200 || !strings.Contains(got.Text, "more than fit") || got.detail("more") != true {
		t.Errorf("%d bytes, details %s", len(got.Text), got.Details)
	}
}

func TestFindNamesPaths(t *testing.T) {
	w := forest(t)
	for _, c := range []struct {
		name string
		args args
		want string
	}{
		{"names at any depth", args{"pattern": "*.go"}, "src/a.go\nsrc/deep/b.go\n"},
		{"below a path", args{"pattern": "*.go", "path": "src/deep"}, "src/deep/b.go\n"},
		{"with directories in the pattern", args{"pattern": "deep/*.go"}, "src/deep/b.go\n"},
		{"with any directories", args{"pattern": "src/**/*.go"}, "src/a.go\nsrc/deep/b.go\n"},
		{"a directory", args{"pattern": "deep"}, "src/deep/\n"},
		{"only directories", args{"pattern": "*/"}, "src/\nsrc/deep/\nsrc/empty/\n"},
		{"braces", args{"pattern": "*.{md,txt}"}, "README.md\nlong.txt\nodd \"name\".txt\nsrc/deep/c.txt\nwindows.txt\n"},
		{"hidden files", args{"pattern": ".h*"}, ".hidden\n"},
		{"links, not what is behind", args{"pattern": "link*"}, "link\n"},
		{"ignored ones are not there", args{"pattern": "*.log"}, "[nothing found]"},
		{"a limit", args{"pattern": "*.go", "limit": 1}, "src/a.go\n[1 shown, and there are more: give a higher limit, or a narrower pattern]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := w.call("find", c.args); got.status != statusDone || got.Text != c.want {
				t.Errorf("status %d\n%s\nwant\n%s", got.status, got.Text, c.want)
			}
		})
	}
	if got := w.call("find", args{"pattern": "*", "path": "README.md"}); got.status != statusFailed || got.Text != "find README.md: it is a file, not a directory" {
		t.Errorf("of a file: %d %q", got.status, got.Text)
	}
	if got := w.call("find", args{"pattern": ""}); got.status != statusBadArguments {
		t.Errorf("no pattern: %d %q", got.status, got.Text)
	}
}

func TestLsListsAndPages(t *testing.T) {
	w := forest(t)
	want := `".git/"
".gitignore"
".hidden"
"README.md"
"binary"
"build/"
"link" -> "src"
"long.txt"
"odd \"name\".txt"
"src/"
"windows.txt"
"x.log"
`
	if got := w.call("ls", args{}); got.Text != want {
		t.Errorf("%s\nwant\n%s", got.Text, want)
	}
	var all strings.Builder
	after := ""
	for range 20 {
		got := w.call("ls", args{"limit": 5, "after": after})
		lines, _, _ := strings.Cut(got.Text, "[")
		all.WriteString(lines)
		next, more := got.detail("next").(string)
		if !more {
			break
		}
		after = next
	}
	if all.String() != want {
		t.Errorf("in pages\n%s", all.String())
	}
	for _, c := range []struct {
		args   args
		status int
		want   string
	}{
		{args{"path": "src/empty"}, statusDone, "[src/empty is empty]"},
		{args{"path": "src", "limit": 2}, statusDone, "\".ignore\"\n\"a.go\"\n[2 of 5 entries; go on with after=\"a.go\"]"},
		{args{"after": "zzz"}, statusDone, `[no entries after "zzz": there are 12]`},
		{args{"path": "README.md"}, statusFailed, "ls README.md: it is a file, not a directory"},
		{args{"path": "nowhere"}, statusFailed, "ls nowhere: No such file or directory"},
		{args{"limit": 0}, statusBadArguments, "ls: limit: must be at least 1, is 0"},
		{args{"path": ""}, statusBadArguments, "ls: path: missing (empty)"},
	} {
		if got := w.call("ls", c.args); got.status != c.status || got.Text != c.want {
			t.Errorf("%v: %d %q, want %d %q", c.args, got.status, got.Text, c.status, c.want)
		}
	}
}

// TestThePageIsTheHosts reads in pages of the size that the host sets.
func TestThePageIsTheHosts(t *testing.T) {
	w := newWorkdir(t, map[string]string{"f": strings.Repeat("0123456789\n", 1000)})
	for _, c := range []struct {
		page     string
		from, to int
	}{{"2000", 1900, 2200}, {"1", 900, 1200}, {"x", 10_900, 11_100}, {"99999999", 10_900, 11_100}} {
		p, out, _ := w.proc([]string{"read"}, `{"path":"f"}`)
		p.Name, p.Env = "openclaw-tool", command.Vars{pageVariable + "=" + c.page}
		if status := command.Start(p, command.NewTable(Commands())["openclaw-tool"]); status != statusDone {
			t.Fatalf("status %d: %s", status, out)
		}
		var a answerOf
		if err := json.Unmarshal(out.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if n := len(a.Text); n < c.from || n > c.to {
			t.Errorf("page %s: %d bytes, want %d to %d", c.page, n, c.from, c.to)
		}
	}
}

package sed_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// checkPasses compares a script with the same one behind a jump, which makes it run line by line.
func checkPasses(t *testing.T, text string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	dir := t.TempDir()
	got := run(ctx, dir, text, args...)
	want := run(ctx, dir, text, append([]string{"-e", "b end", "-e", ":end"}, args...)...)
	if ctx.Err() != nil {
		return
	}
	if got.out != want.out || got.status != want.status {
		t.Errorf("sed %q of %q:\ngot  %q, status %d\nwant %q, status %d", args, text, got.out, got.status, want.out, want.status)
	}
}

func TestManyLinesAtOnceAreAsOneAfterTheOther(t *testing.T) {
	texts := []string{
		"", "\n", "a", "a\n", "a\n\n", "\n\na", "foo bar\nbar foo\n\nfoo foo foo\nnone\n", "aaa\nbab\n", "  x  \n\ty\n", "é\xff\nab\xc3\n\xa9b\nü x\n",
		"a.b.c\n\n\n1,2,3\n",
	}
	large := []string{strings.Repeat("the fox and the dog\nnothing here\n\n", 2000), strings.Repeat("x", 70_000) + "\nfox\n" + strings.Repeat("y ", 3000)}
	scripts := [][]string{
		{"s/foo/cat/"},
		{"s/foo/cat/g"},
		{"s/a/b/g"},
		{"s/^/> /"},
		{"s/^/> /g"},
		{"s/$/</"},
		{"s/$/</g"},
		{"s/x*/-/"},
		{"s/x*/-/g"},
		{"s/a*/<&>/g"},
		{"s/b*$//"},
		{"s/^ *//"},
		{"s/[ \t]*$//"},
		{"s/\\s*$//g"},
		{"s/\\(.*\\)o/\\1_/"},
		{"s/.*/\\U&/"},
		{"s/.*//"},
		{"s/.*/[&]/g"},
		{"s/^$/empty/"},
		{"s/./&&/g"},
		{"s/[^a]/./g"},
		{"s/\\bf/F/g"},
		{"s/\\w\\+/\\u&/g"},
		{"s/\\W/_/g"},
		{"s/\\</</g"},
		{"s/\\>/>/g"},
		{"s/\\B/./g"},
		{"s/\\`a/A/"},
		{"s/a\\'/A/"},
		{"s/FOO/x/I"},
		{"s/foo/x/Ig"},
		{"s/^a/x/M"},
		{"s/ /\\n/g"},
		{"s/ /\\n/g;s/^/> /"},
		{"s/o/\\n/;s/$/|/"},
		{"s/a/b/;s/b/c/;s/c/d/g"},
		{"s/fox/cat/;s/dog/bird/g"},
		{"s/a\\nb/x/"},
		{"s/[^\\n]*/x/"},
		{"s/a\\|$/x/g"},
		{"-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g"},
		{"-E", "s/(a|b)+/<\\1>/g"},
		{"-E", "s/(.)\\1/<\\1>/g"},
		{"-E", "s/^(.)(.*)$/\\2\\1/"},
		{"-E", "s/()/-/g"},
		{"-E", "s/(x?)(y?)/\\2\\1-/g"},
		{"s/fox.*dog/x/"},
		{"s/[a-z]* fox/x/g"},
		{"s/.*fox/x/"},
		{"s/f[aeiou]x/&&/g"},
		{"s/a/b/2"},
		{"s/a/b/2g"},
		{"s/a/b/p"},
		{"-n", "s/a/b/p"},
		{"s//x/"},
		{"s/a/b/;s//c/"},
		{"-z", "s/a/b/g"},
		{"-u", "s/a/b/"},
		{"--posix", "s/a/b/g"},
		{"-s", "s/a/b/"},
		{"s/a/b/;s/x/&\\\n/"},
		{"s/\\x61/\\x0a/g"},
		{"s/\\x0a/x/"},
		{"s/[\\n]/x/;s/b/\\t/"},
	}
	for _, s := range scripts {
		for _, text := range texts {
			args := s
			if !strings.HasPrefix(s[0], "-") {
				args = append([]string{"-e"}, s...)
			} else {
				args = []string{s[0], "-e", s[1]}
			}
			checkPasses(t, text, args...)
		}
	}
	for _, script := range []string{"s/fox/cat/", "s/o/0/g", "s/^/> /", "s/$/</", "s/x*/-/", "s/[a-z]* fox/x/g;s/dog/&\\n/"} {
		for _, text := range large {
			checkPasses(t, text, "-e", script)
		}
	}
}

func FuzzPasses(f *testing.F) {
	for _, s := range []string{`s/a*/x/g`, `s/^/>/;s/$/</`, `s/\(a\)b/\1/`, `s/[^b]\b/&&/g;s/c/\n/`, `s/a\|b*$/-/I`} {
		f.Add(s, "abc\n\naab b\nb", false)
	}
	f.Fuzz(func(t *testing.T, script, text string, extended bool) {
		if len(script) > 60 || len(text) > 200 {
			return
		}
		args := []string{"--sandbox", "-e", script}
		if extended {
			args = append(args, "-E")
		}
		checkPasses(t, text, args...)
	})
}

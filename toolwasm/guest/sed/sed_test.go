package sed_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sed"
)

type result struct {
	out, err string
	status   int
}

func run(ctx context.Context, dir, stdin string, args ...string) result {
	table := command.NewTable(sed.Commands())
	var out, errs bytes.Buffer
	p := &command.Proc{
		Ctx: ctx, Name: "sed", Args: args, Dir: dir, Env: command.Vars{},
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Umask: 0o022, Table: table,
	}
	status := command.Start(p, table["sed"])
	return result{out.String(), errs.String(), status}
}

const five = "1\n2\n3\n4\n5\n"

func TestScripts(t *testing.T) {
	tests := []struct {
		name   string
		script string
		stdin  string
		want   string
	}{
		// Addresses.
		{"line", `2d`, five, "1\n3\n4\n5\n"},
		{"last", `$d`, five, "1\n2\n3\n4\n"},
		{"negated", `2!d`, five, "2\n"},
		{"range", `2,4d`, five, "1\n5\n"},
		{"range of patterns", `/2/,/4/d`, five, "1\n5\n"},
		{"range whose end is past", `4,2d`, five, "1\n2\n3\n5\n"},
		{"range from line 0", `0,/1/d`, five, "2\n3\n4\n5\n"},
		{"range from line 1", `1,/1/d`, five, ""},
		{"range of a count", `2,+1d`, five, "1\n4\n5\n"},
		{"range to a multiple", `1,~3d`, five, "4\n5\n"},
		{"step", `0~2d`, five, "1\n3\n5\n"},
		{"step from", `2~3d`, five, "1\n3\n4\n"},
		{"range that begins late", `1d;1,3s/$/!/`, five, "2!\n3!\n4\n5\n"},
		{"range left open", `/4/,/nothing/d`, five, "1\n2\n3\n"},
		{"other delimiter", `\,2,d`, five, "1\n3\n4\n5\n"},
		{"delimiter in brackets", `s/[/]/-/`, "a/b\n", "a-b\n"},
		{"case", `/ONE/Id`, "one\ntwo\n", "two\n"},
		{"blocks", `2,3{s/$/a/;/3/{s/$/b/}}`, five, "1\n2a\n3ab\n4\n5\n"},
		{"last pattern again", `/2/s//x/`, five, "1\nx\n3\n4\n5\n"},

		// Substitution.
		{"first", `s/a/b/`, "aaa\n", "baa\n"},
		{"global", `s/a/b/g`, "aaa\n", "bbb\n"},
		{"nth", `s/a/b/2`, "aaa\n", "aba\n"},
		{"nth and later", `s/a/b/2g`, "aaa\n", "abb\n"},
		{"groups", `s/\(.\)\(.\)/\2\1/`, "ab\n", "ba\n"},
		{"whole match", `s/b/[&]/;s/c/\&/`, "abc\n", "a[b]&\n"},
		{"empty matches", `s/x*/-/g`, "abc\n", "-a-b-c-\n"},
		{"matches and empty matches", `s/b*/x/g`, "abbc\n", "xaxcx\n"},
		{"escapes", `s/\t/\n/;s/\x41/\x26/;s/\o102/\d067/`, "\tAB\n", "\n&C\n"},
		{"newline in text", "s/b/x\\\ny/", "abc\n", "ax\nyc\n"},
		{"upper", `s/\w\+/\U&/`, "ab cd\n", "AB cd\n"},
		{"capitals", `s/\w\+/\L\u&/g`, "AB cd\n", "Ab Cd\n"},
		{"end of case", `s/\(.\)\(.\)/\U\1\E\2\u\2/`, "ab\n", "AbB\n"},
		{"case waits for text", `s/\(x*\)b/\u\1c/`, "b\n", "C\n"},
		{"multiple lines", `N;s/^b$/x/M`, "a\nb\n", "a\nx\n"},
		{"buffer ends in multiple lines", "N;s/\\`./x/Mg", "a\nb\n", "x\nb\n"},
		{"ampersand delimiter", `s&a&[\&]&`, "a\n", "[&]\n"},

		// Texts.
		{"append", `2a x`, "1\n2\n", "1\n2\nx\n"},
		{"append, classic", "1a\\\n  x\\\ny", "1\n", "1\n  x\ny\n"},
		{"append keeps space after backslash", `1a\  x`, "1\n", "1\n  x\n"},
		{"append on a line without newline", `a x`, "1", "1\nx\n"},
		{"insert", `1i\x\ty`, "1\n", "x\ty\n1\n"},
		{"change", `2c x`, "1\n2\n3\n", "1\nx\n3\n"},
		{"change of a range", `2,3c x`, "1\n2\n3\n4\n", "1\nx\n4\n"},
		{"change of lines outside", `2!c x`, "1\n2\n3\n", "x\n2\nx\n"},
		{"change to the end", `$!{$!c x` + "\n}", "1\n2\n", "x\n2\n"},

		// Spaces and flow.
		{"next", `n;d`, five, "1\n3\n5\n"},
		{"next at the end", `$!n;s/$/x/`, "1\n2\n3\n", "1\n2x\n3x\n"},
		{"join", `N;s/\n/-/`, "1\n2\n3\n", "1-2\n3\n"},
		{"print and delete first", `$!N;P;D`, "1\n2\n3\n", "1\n2\n3\n"},
		{"hold", `1!G;h;$!d`, "1\n2\n3\n", "3\n2\n1\n"},
		{"exchange", `x;$G`, "1\n2\n", "\n1\n2\n"},
		{"append to hold", `H;$!d;x;s/\n/,/g`, "1\n2\n", ",1,2\n"},
		{"branch", `:a;s/^.\{1,3\}$/0&/;ta`, "7\n", "0007\n"},
		{"branch unless", `s/1/x/;T;s/$/!/`, "1\n2\n", "x!\n2\n"},
		{"join all", `:a;N;$!ba;s/\n/ /g`, "1\n2\n3\n", "1 2 3\n"},
		{"label before a brace", `/1/{s/1/x/;bend};s/$/./;:end`, "1\n2\n", "x\n2.\n"},
		{"quit", `2q`, five, "1\n2\n"},
		{"quit silently", `2Q`, five, "1\n"},
		{"zap", `2z`, "1\n2\n", "1\n\n"},
		{"translate", `y/abc\n/xyz,/`, "cab\n", "zxy\n"},
		{"translate beyond ASCII", `y/é/e/`, "é\n", "e\n"},
		{"line number", `$=`, "1\n2\n", "1\n2\n2\n"},
		{"unambiguous", `l;d`, "a\tb\\\x01é\n", "a\\tb\\\\\\001\\303\\251$\n"},
		{"unambiguous, folded", `l 5;d`, "abcdefg\n", "abcd\\\nefg$\n"},
		{"print", `p`, "a", "a\na"},
		{"comments", "# one\ns/1/x/ # two\n", "1\n", "x\n"},
		{"quiet by #n", "#n\np", "1\n", "1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(context.Background(), t.TempDir(), tt.stdin, tt.script)
			if got.out != tt.want || got.status != 0 {
				t.Errorf("%s: got %q status %d (%s), want %q", tt.script, got.out, got.status, got.err, tt.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		args   []string
		stdin  string
		want   string
		status int
	}{
		{[]string{"-n", "2p"}, five, "2\n", 0},
		{[]string{"-e", "1d", "-e", "2d"}, "1\n2\n3\n", "3\n", 0},
		{[]string{"-e", `1a\`, "-e", "x"}, "1\n", "1\nx\n", 0},
		{[]string{"-E", `s/(a|b)+/<&>/`}, "abc\n", "<ab>c\n", 0},
		{[]string{"-z", `s/\n/,/g`}, "a\nb\x00c\n", "a,b\x00c,", 0},
		{[]string{"-l", "4", "-n", "l"}, "abcd\n", "abc\\\nd$\n", 0},
		{[]string{"-u", "1q"}, "1\n2\n", "1\n", 0},
		{[]string{"--expression=q7"}, "1\n", "1\n", 7},
		{[]string{"-f", "script"}, "1\n", "x\n", 0},
		{[]string{"-s", "-n", "$p;1F", "two", "three"}, "", "two\n2\nthree\n3\n", 0},
		{[]string{"-n", "$=", "two", "three"}, "", "5\n", 0},
		{[]string{"p", "none", "two"}, "", "1\n1\n2\n2\n", 2},
		{[]string{"2r two"}, "a\nb\n", "a\nb\n1\n2\n", 0},
		{[]string{"R two"}, "a\nb\nc\n", "a\n1\nb\n2\nc\n", 0},
		{[]string{"w out\n1r out"}, "a\nb\n", "a\na\nb\n", 0},
		{[]string{"1w /dev/stdout"}, "a\nb\n", "a\na\nb\n", 0},
		{[]string{"r none"}, "a\n", "a\n", 0},
		{[]string{"--sandbox", "r x"}, "", "", 1},
		{[]string{"--debug", "p"}, "", "", 1},
		{nil, "", "", 1},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		for name, text := range map[string]string{"two": "1\n2\n", "three": "1\n2\n3\n", "script": "#comment\ns/1/x/\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := run(context.Background(), dir, tt.stdin, tt.args...)
		if got.out != tt.want || got.status != tt.status {
			t.Errorf("%q: got %q status %d (%s), want %q status %d", tt.args, got.out, got.status, got.err, tt.want, tt.status)
		}
	}
}

func TestMistakesInScripts(t *testing.T) {
	for script, want := range map[string]string{
		`k`:         "-e expression #1, char 1: unknown command: `k'",
		`s/a/b`:     "-e expression #1, char 5: unterminated `s' command",
		`s/a/b/x`:   "-e expression #1, char 7: unknown option to `s'",
		`s/a/b/0`:   "-e expression #1, char 7: number option to `s' command may not be zero",
		`s/a/\1/`:   "-e expression #1, char 7: invalid reference \\1 on `s' command's RHS",
		`s/\(a/b/`:  `-e expression #1, char 8: Unmatched ( or \(`,
		`y/ab/c/`:   "-e expression #1, char 7: strings for `y' command are different lengths",
		`p x`:       "-e expression #1, char 3: extra characters after command",
		`{p`:        "-e expression #1, char 0: unmatched `{'",
		`p}`:        "-e expression #1, char 2: unexpected `}'",
		`:`:         `-e expression #1, char 1: ":" lacks a label`,
		`0p`:        "-e expression #1, char 2: invalid usage of line address 0",
		`1,p`:       "-e expression #1, char 3: unexpected `,'",
		`1!!p`:      "-e expression #1, char 3: multiple `!'s",
		`/a`:        "-e expression #1, char 2: unterminated address regex",
		`a`:         "-e expression #1, char 1: expected \\ after `a', `c' or `i'",
		`r`:         "-e expression #1, char 1: missing filename in r/R/w/W commands",
		`//p`:       "no previous regular expression",
		`e ls`:      "-e expression #1, char 1: the command `e' is not supported: it would run a program",
		`s/a/b/e`:   "-e expression #1, char 7: the flag `e' of `s' is not supported: it would run a program",
		`1#x`:       "-e expression #1, char 2: comments don't accept any addresses",
		"p\np\nx y": "-e expression #1, char 7: extra characters after command",
	} {
		got := run(context.Background(), t.TempDir(), "a\n", script)
		if got.err != "sed: "+want+"\n" || got.status != 1 {
			t.Errorf("%q: got %q status %d, want %q", script, got.err, got.status, want)
		}
	}
}

func TestJumpToNowhere(t *testing.T) {
	got := run(context.Background(), t.TempDir(), "a\n", "b nowhere")
	if got.err != "sed: can't find label for jump to `nowhere'\n" || got.status != 4 || got.out != "" {
		t.Errorf("%+v", got)
	}
}

func TestInPlace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	write := func() {
		if err := os.WriteFile(name, []byte("1\n2\n3"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	read := func(n string) string {
		b, err := os.ReadFile(filepath.Join(dir, n))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct{ args, want string }{
		{"-i 2d", "1\n3"}, {"-i $=", "1\n2\n3\n3"}, {"-i 2q", "1\n2\n"}, {"-n -i p", "1\n2\n3"},
	} {
		write()
		args := append(strings.Fields(tt.args), "f")
		if got := run(context.Background(), dir, "", args...); got.status != 0 || got.out+got.err != "" && !strings.Contains(tt.args, "=") {
			t.Errorf("%s: %+v", tt.args, got)
		}
		if got := read("f"); got != tt.want && tt.args != "-i $=" {
			t.Errorf("%s: got %q, want %q", tt.args, got, tt.want)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v, %v", tt.args, info.Mode(), err)
		}
	}
	write()
	run(context.Background(), dir, "", "-i.bak", "1d", "f")
	run(context.Background(), dir, "", "--in-place=old_*", "1d", "f")
	if read("f.bak") != "1\n2\n3" || read("old_f") != "2\n3" || read("f") != "3" {
		t.Errorf("got %q %q %q", read("f.bak"), read("old_f"), read("f"))
	}
	write()
	if got := run(context.Background(), dir, "", "-i", "s/(/", "f"); got.status != 1 || read("f") != "1\n2\n3" {
		t.Errorf("a bad script: %+v", got)
	}
	if got := run(context.Background(), dir, "", "-i", "p", "."); got.status != 4 {
		t.Errorf("a directory: %+v", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("files left behind: %v %v", entries, err)
	}
}

func TestEndlessScriptEndsWhenKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(ctx, dir, "", "-i", ":a;ba", "f"); got.status < 128 {
		t.Errorf("got %+v", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("files left behind: %v %v", entries, err)
	}
}

func FuzzSed(f *testing.F) {
	for _, seed := range []string{
		`s/a\(b\)*/\U&\n/2g;ta`, `1,/x/{N;P;D}`, "a\\\nfoo\\\nbar", `y/abc/xyz/;l 3`, `$!{h;d};x;G`, `:a;s/^.\{1,5\}$/ &/;ta`,
		`0~3,+2!c\x`, `/[/]/I,~4{=;F;z}`, `s,x\,y,\c,w`, `}`, `{{{`, `2q5;n;N`, `\`, `s`, `y/\`, `1~`, `b;:`,
	} {
		f.Add(seed, "abc\nxyz\nabab\n", false)
		f.Add(seed, "abc", true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, script, text string, extended bool) {
		if len(script) > 60 || len(text) > 100 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		args := []string{"--sandbox", "-e", script}
		if extended {
			args = append(args, "-E")
		}
		run(ctx, dir, text, args...)
	})
}

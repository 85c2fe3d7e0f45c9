package search_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/search"
)

// result is what a command did.
type result struct {
	out, err string
	status   int
}

// run runs a command of the package in dir.
func run(dir, stdin string, args ...string) result {
	table := command.NewTable(search.Commands())
	var out, errs bytes.Buffer
	p := &command.Proc{
		Ctx: context.Background(), Name: args[0], Args: args[1:], Dir: dir, Env: command.Vars{},
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Umask: 0o022, Table: table,
	}
	status := command.Start(p, table[args[0]])
	return result{out.String(), errs.String(), status}
}

// tree makes a directory of files; a name that ends in a slash is a directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const fruit = "apple\nbanana split\nCherry\napple pie\n\ndate\n"

func TestGrep(t *testing.T) {
	tests := []struct {
		name   string
		args   string // split at spaces; _ stands for a space
		stdin  string
		want   string
		status int
	}{
		{"basic pattern", `grep ^a.*e$`, fruit, "apple\napple pie\n", 0},
		{"no match", `grep kiwi`, fruit, "", 1},
		{"extended", `grep -E ^(apple|date)$`, fruit, "apple\ndate\n", 0},
		{"egrep", `egrep a{1}n+a`, fruit, "banana split\n", 0},
		{"rgrep of standard input", `rgrep -h b -`, "a\nb\n", "b\n", 0},
		{"fixed", `grep -F .`, "a.b\nab\n", "a.b\n", 0},
		{"fgrep of two", "fgrep -e split -e pie", fruit, "banana split\napple pie\n", 0},
		{"list of patterns", "grep date\nCher", fruit, "Cherry\ndate\n", 0},
		{"ignore case", `grep -i cherry`, fruit, "Cherry\n", 0},
		{"no ignore case", `grep -i --no-ignore-case cherry`, fruit, "", 1},
		{"invert", `grep -v a`, fruit, "Cherry\n\n", 0},
		{"words", `grep -w apple`, "apples\napple pie\npineapple\n", "apple pie\n", 0},
		{"words, shorter match", `grep -ow ab*`, "abb_ab a-abb\n", "a\nabb\n", 0},
		{"whole lines", `grep -x apple|date`, "apple|date\napple\n", "apple|date\n", 0},
		{"count", `grep -c apple`, fruit, "2\n", 0},
		{"count inverted", `grep -vc apple`, fruit, "4\n", 0},
		{"count none", `grep -c kiwi`, fruit, "0\n", 1},
		{"line numbers", `grep -n apple`, fruit, "1:apple\n4:apple pie\n", 0},
		{"offsets", `grep -b pie`, fruit, "26:apple pie\n", 0},
		{"only matching", `grep -o an*`, fruit, "a\nan\nan\na\na\na\n", 0},
		{"only matching with offsets", `grep -ob pp`, fruit, "1:pp\n27:pp\n", 0},
		{"only matching inverted", `grep -vo a`, fruit, "", 0},
		{"quiet", `grep -q apple`, fruit, "", 0},
		{"list", `grep -l apple`, fruit, "(standard input)\n", 0},
		{"list without", `grep -L kiwi`, fruit, "(standard input)\n", 1},
		{"label", `grep -H --label=in date`, fruit, "in:date\n", 0},
		{"max count", `grep -m1 apple`, fruit, "apple\n", 0},
		{"max count with context", `grep -n -m1 -A2 apple`, fruit, "1:apple\n2-banana split\n3-Cherry\n", 0},
		{"max count of none", `grep -m0 apple`, fruit, "", 1},
		{"after", `grep -A1 Cherry`, fruit, "Cherry\napple pie\n", 0},
		{"before", `grep -nB1 Cherry`, fruit, "2-banana split\n3:Cherry\n", 0},
		{"around, groups", `grep -n -C1 -e Cherry -e date`, "a\nb\nCherry\nd\ne\nf\ndate\n", "2-b\n3:Cherry\n4-d\n--\n6-f\n7:date\n", 0},
		{"adjacent groups join", `grep -1 -e a -e d`, "a\nb\nc\nd\n", "a\nb\nc\nd\n", 0},
		{"group separator", `grep --group-separator=## -A0 a`, "a\nb\na\n", "a\n##\na\n", 0},
		{"no group separator", `grep --no-group-separator -A0 a`, "a\nb\na\n", "a\na\n", 0},
		{"context of inverted", `grep -vnA1 b`, "a\nb\nb\nc\n", "1:a\n2-b\n--\n4:c\n", 0},
		{"no newline at the end", `grep b`, "a\nb", "b\n", 0},
		{"empty pattern", `grep -c `, "a\n\n", "2\n", 0},
		{"empty lines", `grep -n ^$`, fruit, "5:\n", 0},
		{"back-reference", `grep \(.\)\1`, fruit, "apple\nCherry\napple pie\n", 0},
		{"back-references of two patterns", "grep -e \\(a\\)\\1 -e \\(b\\)\\1", "ab\naa\nbb\n", "aa\nbb\n", 0},
		{"null data", `grep -z b`, "a\x00b\nc\x00", "b\nc\x00", 0},
		{
			"color", `grep --color=always -n pp`, "apple\n",
			"\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Ka\x1b[01;31m\x1b[Kpp\x1b[m\x1b[Kle\n", 0,
		},
		{"characters beyond ASCII", `grep -o [é-ü]x*`, "aéxxb\n", "éxx\n", 0},
		{"bad pattern", `grep \(`, "", "", 2},
		{"bad option", `grep --bogus x`, "", "", 2},
		{"no pattern", `grep`, "", "", 2},
		{"pattern from a file", `grep -f -`, "", "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := strings.Split(tt.args, " ")
			got := run(t.TempDir(), tt.stdin, args...)
			if got.out != tt.want || got.status != tt.status {
				t.Errorf("%q: got %q status %d (%s), want %q status %d", args, got.out, got.status, got.err, tt.want, tt.status)
			}
		})
	}
}

func TestGrepPerl(t *testing.T) {
	tests := []struct{ pattern, stdin, want string }{
		{`\d+(?=px)`, "12px 3em 4px\n", "12\n4\n"},
		{`(?<=\$)\d+`, "$5 6 $78\n", "5\n78\n"},
		{`(?<!\$)\b\d+`, "$5 6 $78\n", "6\n"},
		{`key=\K\w+`, "key=one k=two key=three\n", "one\nthree\n"},
		{`"[^"]*?"`, "a \"b\" \"c\"\n", "\"b\"\n\"c\"\n"},
		{`(?i)abc`, "ABC abc\n", "ABC\nabc\n"},
		{`(?<q>['"]).*?\k<q>`, "'a\"b' \"c\"\n", "'a\"b'\n\"c\"\n"},
		{`\((?:[^()]++|(?R))*\)`, "x(a(b)c) (d\n", "(a(b)c)\n"},
		{`\Qa.b\E+`, "a.bb axb\n", "a.bb\n"},
		{`a{2,3}?`, "aaaa\n", "aa\naa\n"},
		{`(?x) a \s b # comment`, "a b\n", "a b\n"},
		{`\x{e9}|\N{U+20ac}`, "é€\n", "é\n€\n"},
		{`\p{Lu}\p{Ll}+`, "Éa xB Cd\n", "Éa\nCd\n"},
		{`(a)?(?(1)b|c)`, "ab c\n", "ab\nc\n"},
		{`(?>a+)b|a`, "aab\n", "aab\n"},
		{`[[:upper:]\d_]+`, "aB1_c\n", "B1_\n"},
		{`(?|a(.)|b(.))\1`, "axx byy\n", "axx\nbyy\n"},
	}
	for _, tt := range tests {
		if got := run(t.TempDir(), tt.stdin, "grep", "-oP", tt.pattern); got.out != tt.want {
			t.Errorf("%s: got %q (%s), want %q", tt.pattern, got.out, got.err, tt.want)
		}
	}
	for _, bad := range []string{`(`, `a**`, `[b`, `(?<=a+)b`, `\2(a)`, `(?<n`, `\`} {
		if got := run(t.TempDir(), "", "grep", "-P", bad); got.status != 2 || got.err == "" {
			t.Errorf("%s: status %d, %q", bad, got.status, got.err)
		}
	}
}

func TestGrepFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.txt": "one\ntwo\n", "b.c": "two\n", "d/e.txt": "two\n", "d/skip/f.txt": "two\n", "bin": "two\x00\n", "latin": "caf\xe9 two\ntwo\n",
	})
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args   string
		want   string
		errs   string
		status int
	}{
		{`grep two a.txt b.c`, "a.txt:two\nb.c:two\n", "", 0},
		{`grep -h two a.txt b.c`, "two\ntwo\n", "", 0},
		{`grep -r two d`, "d/e.txt:two\nd/skip/f.txt:two\n", "", 0},
		{`grep -rl --include=*.txt two`, "a.txt\nd/e.txt\nd/skip/f.txt\n", "", 0},
		{`grep -rl --exclude=*.txt --exclude=bin --exclude=latin two .`, "./b.c\n", "", 0},
		{`grep -rl --exclude-dir=skip --include=*.txt two .`, "./a.txt\n./d/e.txt\n", "", 0},
		{`grep -Rl --include=link two`, "link\n", "", 0},
		{`grep -c two a.txt b.c`, "a.txt:1\nb.c:1\n", "", 0},
		{`grep -L one a.txt b.c`, "b.c\n", "", 0},
		{`grep -lZ two a.txt`, "a.txt\x00", "", 0},
		{`grep two bin`, "", "grep: bin: binary file matches\n", 0},
		{`grep -c two bin`, "1\n", "", 0},
		{`grep -I two bin`, "", "", 1},
		{`grep -a two bin`, "two\x00\n", "", 0},
		{`grep two latin`, "two\n", "grep: latin: binary file matches\n", 0},
		{`grep two d`, "", "grep: d: Is a directory\n", 2},
		{`grep -d skip two d`, "", "", 1},
		{`grep two none a.txt`, "a.txt:two\n", "grep: none: No such file or directory\n", 2},
		{`grep -s two none`, "", "", 2},
		{`grep -q two a.txt none`, "", "", 0},
	}
	for _, tt := range tests {
		got := run(dir, "", strings.Split(tt.args, " ")...)
		if got.out != tt.want || got.err != tt.errs || got.status != tt.status {
			t.Errorf("%s: got %q %q status %d, want %q %q status %d", tt.args, got.out, got.err, got.status, tt.want, tt.errs, tt.status)
		}
	}
}

func TestGrepReadsLinesLongerThanItsBuffer(t *testing.T) {
	long := strings.Repeat("x", 700_000)
	text := "a\n" + long + "b\nc\n" + long
	got := run(t.TempDir(), text, "grep", "-n", "-e", "b$", "-e", "^c")
	if want := "2:" + long + "b\n3:c\n"; got.out != want {
		t.Errorf("got %d bytes, want %d", len(got.out), len(want))
	}
}

func TestRg(t *testing.T) {
	dir := tree(t, map[string]string{
		".git/": "", ".gitignore": "build/\n*.log\n!keep.log\n/top.txt\n", "src/main.go": "package main\n// TODO one\nfunc main() {\n}\n",
		"src/lib.py": "# todo two TODO\n", "build/out.go": "TODO\n", "x.log": "TODO\n", "keep.log": "TODO\n", ".hidden": "TODO\n",
		"top.txt": "TODO\n", "src/top.txt": "TODO\n", "bin": "TODO\x00\n", "docs/a.md": "alpha\nbeta\ngamma TODO\n", "docs/.ignore": "b.md\n", "docs/b.md": "TODO\n",
	})
	tests := []struct {
		args   string
		want   string
		status int
	}{
		{`rg -l TODO`, "docs/a.md\nkeep.log\nsrc/lib.py\nsrc/main.go\nsrc/top.txt\n", 0},
		{`rg TODO src`, "src/lib.py:# todo two TODO\nsrc/main.go:// TODO one\nsrc/top.txt:TODO\n", 0},
		{`rg -n TODO src/main.go`, "2:// TODO one\n", 0},
		{`rg -l --no-ignore TODO`, "build/out.go\ndocs/a.md\ndocs/b.md\nkeep.log\nsrc/lib.py\nsrc/main.go\nsrc/top.txt\ntop.txt\nx.log\n", 0},
		{`rg -l --hidden -g .hidden TODO`, ".hidden\n", 0},
		{`rg -tgo -l TODO`, "src/main.go\n", 0},
		{`rg -Tgo -Tpy -l TODO src`, "src/top.txt\n", 0},
		{`rg -g *.{go,py} -l TODO`, "src/lib.py\nsrc/main.go\n", 0},
		{`rg -g !src -l TODO`, "docs/a.md\nkeep.log\n", 0},
		{`rg --files -g *.md`, "docs/a.md\ndocs/b.md\n", 0}, // a glob overrules ignore files,
		{`rg -i -c todo src`, "src/lib.py:1\nsrc/main.go:1\nsrc/top.txt:1\n", 0},
		{`rg -i --count-matches todo src/lib.py`, "2\n", 0},
		{`rg -S todo src/lib.py`, "# todo two TODO\n", 0},
		{`rg -S Todo src/lib.py`, "", 1},
		{`rg -o t\w+ docs`, "docs/a.md:ta\n", 0},
		{`rg -r $2-$1 (\w+)\s(TODO) docs`, "docs/a.md:TODO-gamma\n", 0},
		{`rg -o -r <$0> a$ docs`, "docs/a.md:<a>\ndocs/a.md:<a>\n", 0},
		{`rg -n -C1 beta docs`, "docs/a.md-1-alpha\ndocs/a.md:2:beta\ndocs/a.md-3-gamma TODO\n", 0},
		{`rg --heading -n beta docs`, "docs/a.md\n2:beta\n", 0},
		{`rg --vimgrep a docs -g a.md`, "docs/a.md:1:1:alpha\ndocs/a.md:1:5:alpha\ndocs/a.md:2:4:beta\ndocs/a.md:3:2:gamma TODO\ndocs/a.md:3:5:gamma TODO\n", 0},
		{`rg -v a docs`, "", 1},
		{`rg -w TOD docs`, "", 1},
		{`rg -x beta docs`, "docs/a.md:beta\n", 0},
		{`rg -F () src`, "src/main.go:func main() {\n", 0},
		{`rg -U beta\ngamma docs`, "docs/a.md:beta\ndocs/a.md:gamma TODO\n", 0},
		{`rg -P (?<=gamma_)x|a(?=l) docs`, "docs/a.md:alpha\n", 0},
		{`rg --passthru beta docs/a.md`, "alpha\nbeta\ngamma TODO\n", 0},
		{`rg -q TODO`, "", 0},
		{`rg nothing`, "", 1},
		{`rg -m1 a docs`, "docs/a.md:alpha\n", 0},
		{`rg --max-depth 1 -l TODO`, "keep.log\n", 0},
		{`rg TODO bin`, "binary file matches (found \"\\0\" byte around offset 4)\n", 0},
		{`rg -a TODO bin`, "TODO\x00\n", 0},
		{`rg (`, "", 2},
		{`rg a\nb`, "", 2},
		{`rg -t nosuch x`, "", 2},
		{`rg --search-zip x`, "", 2},
	}
	for _, tt := range tests {
		got := run(dir, "", strings.Split(tt.args, " ")...)
		if got.out != tt.want || got.status != tt.status {
			t.Errorf("%s: got %q status %d (%s), want %q status %d", tt.args, got.out, got.status, got.err, tt.want, tt.status)
		}
	}
}

func FuzzGrep(f *testing.F) {
	f.Add("-E", "(a|b)+$", "ab\ncd\n")
	f.Add("-F", "a\nb", "ab\ncd\x00")
	f.Add("-P", "(?<=a)b", "ab\n")
	f.Add("-wo", "a*", "aa b\n")
	f.Add("-vnC2", "x", "a\nx\nb\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, option, pattern, text string) {
		if len(pattern) > 40 || len(text) > 400 || strings.ContainsAny(option, "rRfdD/") || !strings.HasPrefix(option, "-") {
			return
		}
		got := run(dir, text, "grep", option, "-e", pattern)
		if got.status > 2 {
			t.Fatalf("status %d", got.status)
		}
	})
}

func TestGrepRefusesToReadItsOutput(t *testing.T) {
	dir := tree(t, map[string]string{"f": "a\n"})
	out, err := os.OpenFile(filepath.Join(dir, "f"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	table := command.NewTable(search.Commands())
	var errs bytes.Buffer
	status := command.Start(&command.Proc{
		Ctx: context.Background(), Name: "grep", Args: []string{"a", "f"}, Dir: dir, Env: command.Vars{},
		Stdin: strings.NewReader(""), Stdout: out, Stderr: &errs, Table: table,
	}, table["grep"])
	if want := "grep: f: input file is also the output\n"; status != 2 || errs.String() != want {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

package text_test

import (
	"context"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/text"
)

// textCase is a command line with what it writes to standard output. The files a, b and t are those of runner.
type textCase struct {
	line, in, want string
	status         int
}

func runner(t testing.TB) *commandtest.Runner {
	r := commandtest.New(t, text.Commands())
	r.Write("a", "x 1\ny 2\nz 3\n")
	r.Write("b", "x one\nz three\nq four")
	r.Write("t", "a\tb\tc\nd\te\tf\nplain\n")
	return r
}

// words splits a command line at blanks; ~ stands for a blank and @ for a newline in a word.
func words(line string) []string {
	ws := strings.Fields(line)
	for i, w := range ws {
		ws[i] = strings.NewReplacer("~", " ", "@", "\n", "''", "").Replace(w)
	}
	return ws
}

func check(t *testing.T, cases []textCase) {
	t.Helper()
	r := runner(t)
	for _, c := range cases {
		got := r.Run(c.in, words(c.line)...)
		if got.Stdout != c.want || got.Status != c.status {
			t.Errorf("%s: got %q, status %d, stderr %q; want %q, status %d", c.line, got.Stdout, got.Status, got.Stderr, c.want, c.status)
		}
	}
}

func TestCat(t *testing.T) {
	check(t, []textCase{
		{"cat a b", "", "x 1\ny 2\nz 3\nx one\nz three\nq four", 0},
		{"cat - a", "in\n", "in\nx 1\ny 2\nz 3\n", 0},
		{"cat -n b b", "", "     1\tx one\n     2\tz three\n     3\tq fourx one\n     4\tz three\n     5\tq four", 0},
		{"cat -b", "a\n\nb\n", "     1\ta\n\n     2\tb\n", 0},
		{"cat -s", "a\n\n\n\nb\n", "a\n\nb\n", 0},
		{"cat -A", "a\tb\x01\x80\r\n", "a^Ib^AM-^@^M$\n", 0},
		{"cat -E", "a\r\nb\n", "a^M$\nb$\n", 0},
		{"cat nosuch", "", "", 1},
	})
}

func TestHeadAndTail(t *testing.T) {
	lines := "1\n2\n3\n4\n5\n"
	check(t, []textCase{
		{"head -n 2", lines, "1\n2\n", 0},
		{"head -2", lines, "1\n2\n", 0},
		{"head -n -2", lines, "1\n2\n3\n", 0},
		{"head -c 3", lines, "1\n2", 0},
		{"head -c -3", lines, "1\n2\n3\n4"[:7], 0},
		{"head -n 1 a t", "", "==> a <==\nx 1\n\n==> t <==\na\tb\tc\n", 0},
		{"head -n x", lines, "", 1},
		{"tail -n 2", lines, "4\n5\n", 0},
		{"tail -n +4", lines, "4\n5\n", 0},
		{"tail +4", lines, "4\n5\n", 0},
		{"tail -c 3", lines, "\n5\n", 0},
		{"tail -n 1 b", "", "q four", 0},
		{"tail -n 2 a", "", "y 2\nz 3\n", 0},
		{"tail -q -n 1 a t", "", "z 3\nplain\n", 0},
		{"tail -n 0 a", "", "", 0},
	})
}

func TestTailReadsLongInputsFromEitherKindOfSource(t *testing.T) {
	r := runner(t)
	var b strings.Builder
	for i := range 50000 {
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteByte('\n')
	}
	r.Write("long", b.String())
	want := r.Run(b.String(), "tail", "-n", "30000")
	got := r.Run("", "tail", "-n", "30000", "long")
	if got != want || strings.Count(got.Stdout, "\n") != 30000 {
		t.Errorf("file and pipe differ: %d and %d bytes", len(got.Stdout), len(want.Stdout))
	}
}

func TestTailFollowsUntilItIsEnded(t *testing.T) {
	r := runner(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&command.Signal{Number: 15})
	if got := r.RunContext(ctx, "", "tail", "-f", "a"); got.Status != 143 {
		t.Errorf("status %d, want 143", got.Status)
	}
}

func TestSort(t *testing.T) {
	check(t, []textCase{
		{"sort", "b\na\nB\n", "B\na\nb\n", 0},
		{"sort -r", "b\na\nc\n", "c\nb\na\n", 0},
		{"sort -n", "10\n9\n-1\n1.5\n\nx\n", "-1\n\nx\n1.5\n9\n10\n", 0},
		{"sort -g", "1e2\n5\nx\nnan\n-inf\n", "x\nnan\n-inf\n5\n1e2\n", 0},
		{"sort -h", "1M\n2K\n3\n1G\n-1K\n", "-1K\n3\n2K\n1M\n1G\n", 0},
		{"sort -V", "v1.10\nv1.9\nv1.9~rc\n", "v1.9~rc\nv1.9\nv1.10\n", 0},
		{"sort -M", "MAR\njan\nx\nFeb\n", "x\njan\nFeb\nMAR\n", 0},
		{"sort -f", "b\nA\na\nB\n", "A\na\nB\nb\n", 0},
		{"sort -d", "b-a\na\n-c\n", "a\nb-a\n-c\n", 0},
		{"sort -u", "b\na\nb\n", "a\nb\n", 0},
		{"sort -k 2,2n", "a 10\nb 9\n", "b 9\na 10\n", 0},
		{"sort -t: -k2,2 -k1,1r", "a:x\nb:x\nc:w\n", "c:w\nb:x\na:x\n", 0},
		{"sort -k1.2,1.2", "a2\nb1\n", "b1\na2\n", 0},
		{"sort -s -k1,1", "a 2\nb 1\na 1\n", "a 2\na 1\nb 1\n", 0},
		{"sort -u -k1,1", "a 2\na 1\nb 1\n", "a 2\nb 1\n", 0},
		{"sort +1 -2", "a 2\nb 1\n", "b 1\na 2\n", 0},
		{"sort -c", "a\nc\nb\n", "", 1},
		{"sort -c", "a\nb\n", "", 0},
		{"sort -m a b", "", "x 1\nx one\ny 2\nz 3\nz three\nq four\n", 0},
		{"sort -k 0", "", "", 2},
		{"sort -n -g", "", "", 2},
		{"sort nosuch", "", "", 2},
	})
}

func TestSortMayWriteToItsInput(t *testing.T) {
	r := runner(t)
	r.Write("f", "b\na\n")
	if got := r.Run("", "sort", "-o", "f", "f"); got.Status != 0 || r.Read("f") != "a\nb\n" {
		t.Errorf("status %d, file %q", got.Status, r.Read("f"))
	}
}

func TestSortPutsEqualKeysOfRandomOrderTogether(t *testing.T) {
	r := runner(t)
	got := r.Run("a\nb\na\nc\nb\na\n", "sort", "-R")
	if joined := strings.ReplaceAll(got.Stdout, "\n", ""); !strings.Contains(joined, "aaa") || !strings.Contains(joined, "bb") {
		t.Errorf("got %q", got.Stdout)
	}
}

func TestUniq(t *testing.T) {
	in := "a\na\nb\nc\nc\nc\n"
	check(t, []textCase{
		{"uniq", in, "a\nb\nc\n", 0},
		{"uniq -c", in, "      2 a\n      1 b\n      3 c\n", 0},
		{"uniq -d", in, "a\nc\n", 0},
		{"uniq -u", in, "b\n", 0},
		{"uniq -D", in, "a\na\nc\nc\nc\n", 0},
		{"uniq --all-repeated=separate", in, "a\na\n\nc\nc\nc\n", 0},
		{"uniq --group", in, "a\na\n\nb\n\nc\nc\nc\n", 0},
		{"uniq -i", "a\nA\n", "a\n", 0},
		{"uniq -f 1", "1 x\n2 x\n", "1 x\n", 0},
		{"uniq -s 1 -w 1", "1xa\n2xb\n", "1xa\n", 0},
		{"uniq --group -c", in, "", 1},
	})
}

func TestCut(t *testing.T) {
	check(t, []textCase{
		{"cut -f 2", "a\tb\tc\nnone\n", "b\nnone\n", 0},
		{"cut -f 2 -s", "a\tb\tc\nnone\n", "b\n", 0},
		{"cut -d , -f 1,3-", "a,b,c,d\n", "a,c,d\n", 0},
		{"cut -d , -f 3,1 --output-delimiter=:", "a,b,c\n", "a:c\n", 0},
		{"cut -c 2-3", "abcd\n", "bc\n", 0},
		{"cut -c 1,3 --output-delimiter=-", "abcd\n", "a-c\n", 0},
		{"cut --complement -c 2", "abcd\n", "acd\n", 0},
		{"cut -f 9", "a\tb\n", "\n", 0},
		{"cut -f 0", "", "", 1},
		{"cut", "", "", 1},
	})
}

func TestPasteJoinComm(t *testing.T) {
	check(t, []textCase{
		{"paste a b", "", "x 1\tx one\ny 2\tz three\nz 3\tq four\n", 0},
		{"paste -s -d , a", "", "x 1,y 2,z 3\n", 0},
		{"paste - -", "1\n2\n3\n", "1\t2\n3\t\n", 0},
		{"join a b", "", "x 1 one\nz 3 three\n", 1},
		{"join --nocheck-order -a 1 a b", "", "x 1 one\ny 2\nz 3 three\n", 0},
		{"join --nocheck-order -v 1 a b", "", "y 2\n", 0},
		{"join --nocheck-order -a 1 -e - -o 0,1.2,2.2 a b", "", "x 1 one\ny 2 -\nz 3 three\n", 0},
		{"comm a -", "x 1\nz 3\nzz\n", "\t\tx 1\ny 2\n\t\tz 3\n\tzz\n", 0},
		{"comm -12 a -", "x 1\nzz\n", "x 1\n", 0},
		{"comm --total -123 a -", "x 1\n", "2\t0\t1\ttotal\n", 0},
	})
}

func TestTr(t *testing.T) {
	check(t, []textCase{
		{"tr a-c A-C", "abcd", "ABCd", 0},
		{"tr -d b-c", "abcd", "ad", 0},
		{"tr -s a", "aabb", "abb", 0},
		{"tr -cd [:digit:]", "a1b2", "12", 0},
		{"tr -c a-z [_*]", "a1b2", "a_b_", 0},
		{"tr [:lower:] [:upper:]", "aBc", "ABC", 0},
		{"tr -s [:space:] @", "a  b\n", "a\nb\n", 0},
		{`tr \141 x`, "abc", "xbc", 0},
		{"tr abc xy", "abc", "xyy", 0},
		{"tr -t abc xy", "abc", "xyc", 0},
		{"tr z-a x", "", "", 1},
		{"tr a", "", "", 1},
	})
}

func TestWc(t *testing.T) {
	check(t, []textCase{
		{"wc", "a b\nc\n", "      2       3       6\n", 0},
		{"wc a", "", " 3  6 12 a\n", 0},
		{"wc a t", "", " 3  6 12 a\n 3  7 18 t\n 6 13 30 total\n", 0},
		{"wc -l", "a\nb", "1\n", 0},
		{"wc -m", "né\n", "3\n", 0},
		{"wc -L", "a\tb\nc\n", "9\n", 0},
		{"wc -w", "a\x01b \x01 c", "2\n", 0},
	})
}

func TestLayoutCommands(t *testing.T) {
	check(t, []textCase{
		{"nl", "a\n\nb\n", "     1\ta\n       \n     2\tb\n", 0},
		{"nl -ba -w2 -s:", "a\n\n", " 1:a\n 2:\n", 0},
		{"expand -t 4", "a\tb\n", "a   b\n", 0},
		{"unexpand -a", "a       b\n", "a\tb\n", 0},
		{"fold -w 3", "abcdefg\n", "abc\ndef\ng\n", 0},
		{"fold -s -w 6", "ab cd ef\n", "ab cd \nef\n", 0},
		{"fmt -w 20", "one two three four\nfive six\n", "one two three four\nfive six\n", 0},
		{"column -t", "a bb\nccc d\n", "a    bb\nccc  d\n", 0},
		{"column -t -s ,", "a,,b\n", "a    b\n", 0},
		{"rev", "abé\n", "éba\n", 0},
		{"tac", "a\nb\nc", "cb\na\n", 0},
		{"tac -s ,", "a,b,c", "cb,a,", 0},
	})
}

func TestGenerators(t *testing.T) {
	check(t, []textCase{
		{"seq 3", "", "1\n2\n3\n", 0},
		{"seq 3 -1 1", "", "3\n2\n1\n", 0},
		{"seq -w 9 11", "", "09\n10\n11\n", 0},
		{"seq -s , 0 0.25 1", "", "0.00,0.25,0.50,0.75,1.00\n", 0},
		{"seq -f <%03g> 2", "", "<001>\n<002>\n", 0},
		{"seq 18446744073709551616 18446744073709551617", "", "18446744073709551616\n18446744073709551617\n", 0},
		{"seq 1 0 2", "", "", 1},
		{"shuf -i 5-5", "", "5\n", 0},
		{"shuf -n 0", "a\n", "", 0},
		{"tsort", "a b\nb c\n", "a\nb\nc\n", 0},
		{"numfmt --to=iec 2048", "", "2.0K\n", 0},
		{"numfmt --from=si 1.5K", "", "1500\n", 0},
		{"strings -n 3", "\x00abc\x01de\x02fghi", "abc\nfghi\n", 0},
	})
}

func TestSplitMakesFiles(t *testing.T) {
	r := runner(t)
	if got := r.Run("1\n2\n3\n", "split", "-l", "2", "-d", "-", "p"); got.Status != 0 {
		t.Fatal(got)
	}
	if r.Read("p00") != "1\n2\n" || r.Read("p01") != "3\n" {
		t.Errorf("p00 %q, p01 %q", r.Read("p00"), r.Read("p01"))
	}
	got := r.Run("", "csplit", "a", "/y/", "/z/")
	if got.Stdout != "4\n4\n4\n" || r.Read("xx01") != "y 2\n" {
		t.Errorf("csplit: %q, xx01 %q", got.Stdout, r.Read("xx01"))
	}
}

func TestTeeWritesToAll(t *testing.T) {
	r := runner(t)
	got := r.Run("x\n", "tee", "o1", "o2")
	if got.Stdout != "x\n" || r.Read("o1") != "x\n" || r.Read("o2") != "x\n" {
		t.Errorf("%v", got)
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	r := runner(t)
	for _, c := range text.Commands() {
		got := r.Run("", c.Name, "--help")
		if got.Status != 0 || !strings.HasPrefix(got.Stdout, "Usage: "+c.Name) {
			t.Errorf("%s --help: status %d, %q", c.Name, got.Status, got.Stdout)
		}
	}
}

func TestUnknownOptionsAreRefused(t *testing.T) {
	r := runner(t)
	for _, c := range text.Commands() {
		if c.Name == "less" || c.Name == "more" {
			continue // they accept all that a pager on a terminal would
		}
		if got := r.Run("", c.Name, "--no-such-option"); got.Status == 0 || !strings.Contains(got.Stderr, "option") {
			t.Errorf("%s: status %d, %q", c.Name, got.Status, got.Stderr)
		}
	}
}

package jq_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/jq"
)

// result is what a run of jq gave.
type result struct {
	stdout, stderr string
	status         int
}

func runJQ(t testing.TB, dir, stdin string, args ...string) result {
	t.Helper()
	table := command.NewTable(jq.Commands())
	var stdout, stderr bytes.Buffer
	p := &command.Proc{
		Ctx: context.Background(), Name: "jq", Args: args, Dir: dir, Env: command.Vars{"WHO=me"},
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Table: table,
	}
	status := command.Start(p, table["jq"])
	return result{stdout.String(), stderr.String(), status}
}

func TestFilters(t *testing.T) {
	tests := []struct {
		name, filter, input, want string // want: the outputs, joined by spaces
	}{
		{"keys keep their order", `.`, `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"numbers keep their digits", `., .+0`, `100000000000000000001`, `100000000000000000001 1e+20`},
		{"small numbers keep theirs", `[., -.]`, `1.50`, `[1.50,-1.50]`},
		{"computed numbers", `[.1+.2, 1e3, 1e3+0, 3.0+0, 1/3]`, `null`, `[0.30000000000000004,1E+3,1000,3,0.3333333333333333]`},
		{"fields, optional and not", `.a.b, .a["b"], ."a".b?, .x?.y`, `{"a":{"b":1}}`, `1 1 1 null`},
		{"slices", `.[1:], .[:-1], .[1:2]`, `[1,2,3]`, `[2,3] [1,2] [2]`},
		{"the right operand changes slowest", `[(1,2) + (10,20)]`, `null`, `[11,12,21,22]`},
		{"the first key changes slowest", `{a:(1,2),b:(3,4)}`, `null`, `{"a":1,"b":3} {"a":1,"b":4} {"a":2,"b":3} {"a":2,"b":4}`},
		{"object shorthands", `. as {a:$x} | {a, $x, "b", (.a|tostring): 1, @base64 "k": 2}`, `{"a":1,"b":2}`, `{"a":1,"x":1,"b":2,"1":1,"k":2}`},
		{"alternatives", `[.[] // 9], (null // 1), (empty // 2)`, `[null,false,3]`, `[3] 1 2`},
		{"try and catch", `[.[] | try error catch .], [.[] | try (if . == 2 then error("x") else . end)]`, `[1,2,3]`, `[1,2,3] [1,3]`},
		{"an error after the outputs of try is not caught", `try ((try . catch "in") | error("out")) catch .`, `1`, `"out"`},
		{"reduce and foreach", `reduce .[] as $x (0; .+$x), [foreach .[] as $x (0; .+$x; [$x,.])]`, `[1,2,3]`, `6 [[1,1],[2,3],[3,6]]`},
		{"destructuring", `. as [$a, {b: $c}] | [$a,$c]`, `[1,{"b":2}]`, `[1,2]`},
		{"destructuring alternatives", `.[] as [$a] ?// $a | [$a]`, `[[1],2]`, `[1] [2]`},
		{"labels", `[label $out | .[] | if . > 2 then break $out else . end]`, `[1,2,3,1]`, `[1,2]`},
		{"functions with filters and values", `def f(g; $x): [g, $x]; f(.[]; 9)`, `[1,2]`, `[1,2,9]`},
		{"a closure sees the frame it was written in", `def f(g): 1 as $x | g; 2 as $x | f($x)`, `null`, `2`},
		{"a variable is bound again inside itself", `def h(g): g | g; [h((1,2) as $z | ., $z)]`, `0`, `[0,1,0,2,1,1,1,2,0,1,0,2,2,1,2,2]`},
		{"recursion", `def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; fac`, `10`, `3628800`},
		{"long iterations need no stack", `[limit(3; range(1e9))], last(range(100000)), (0 | until(. >= 100000; .+1))`, `null`, `[0,1,2] 99999 100000`},
		{"updates", `.a += 1 | .b |= length | .c //= 5 | del(.d)`, `{"a":1,"b":"xy","d":0}`, `{"a":2,"b":2,"c":5}`},
		{"an update without output deletes", `(.[] | select(. > 1)) |= empty`, `[1,2,3]`, `[1]`},
		{"updates do not change what others hold", `. as $o | .a = 5 | [$o.a, .a]`, `{"a":1}`, `[1,5]`},
		{"a reduction does not change its input", `. as $o | reduce range(3) as $i (.; .[$i|tostring] = $i) | [., $o]`, `{"0":9}`, `[{"0":0,"1":1,"2":2},{"0":9}]`},
		{"appending does not change shorter arrays", `reduce range(4) as $i ([[]]; . + [.[-1] + [$i]]) | [.[1] + ["x"], .[2]]`, `null`, `[[0,"x"],[0,1]]`},
		{"paths", `[paths], [paths(type == "number")], path(.a[1].b?)`, `{"a":[1]}`, `[["a"],["a",0]] [["a",0]] ["a",1,"b"]`},
		{"delpaths and to_entries", `delpaths([["a"],["b",0]]) | to_entries`, `{"a":1,"b":[1,2]}`, `[{"key":"b","value":[2]}]`},
		{"walk and with_entries", `walk(if type == "number" then .+1 else . end), with_entries(.key |= ascii_upcase)`, `{"a":1}`, `{"a":2} {"A":1}`},
		{"sorting", `sort, (map({k:.}) | sort_by(.k) | map(.k)), group_by(type), unique, min, max`, `[3,"a",null,1,3]`, `[null,1,3,3,"a"] [null,1,3,3,"a"] [[null],[3,1,3],["a"]] [null,1,3,"a"] null "a"`},
		{"strings", `ltrimstr("a"), (split("b")), (.[1:2]), test("B";"i"), (explode|implode), ascii_downcase`, `"abc"`, `"bc" ["a","c"] "b" true "abc" "abc"`},
		{"regular expressions", `[match("(?<x>b)";"g").captures[0].name], capture("(?<y>c+)"), [scan("[a-c]")], sub("b";"[\(.)]"), gsub("(?<l>[a-z])";"\(.l)-"), [splits("b")]`, `"abc"`, `["x"] {"y":"c"} ["a","b","c"] "a[{}]c" "a-b-c-" ["a","c"]`},
		{"groups with and without names", `[match("(?<x>a)(b)?").captures[] | [.name, .string]], [match("(?=.)([(])?(?<x>a)(b)").captures[] | [.name, .string]]`, `"xab"`, `[["x","a"],[null,"b"]] [[null,null],["x","a"],[null,"b"]]`},
		{"look-around and Unicode", `[match("(?<=ä)b").offset], gsub("\\bé";"E")`, `"äb é"`, `[1] "äb E"`},
		{"formats", `@csv, @tsv, @sh, @json, @html, @base64 "x\(.[1])", (@base64 | @base64d), @uri`, `[1,"a b"]`, `"1,\"a b\"" "1\ta b" "1 'a b'" "[1,\"a b\"]" "[1,&quot;a b&quot;]" "xYSBi" "[1,\"a b\"]" "%5B1%2C%22a%20b%22%5D"`},
		{"dates", `todate, (todate|fromdate), (gmtime|mktime), strftime("%A"), ("10:20 2 Jan 2020"|strptime("%H:%M %d %b %Y")|mktime)`, `1425599621`, `"2015-03-05T23:53:41Z" 1425599621 1425599621 "Thursday" 1577960400`},
		{"streams", `[tostream], fromstream(tostream), [1|truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])]`, `{"a":[1]}`, `[[["a",0],1],[["a",0]],[["a"]]] {"a":[1]} [[[0],2],[[0]]]`},
		{"limits", `[limit(2;.[])], first(.[]), [skip(1;.[])], nth(1;.[]), isempty(.[]), any(.[];.>2), all(.[];.>0)`, `[1,2,3]`, `[1,2] 1 [2,3] 2 false true true`},
		{"SQL-like", `INDEX(.id), (.[0].id | IN(1,2)), ([.[]|.id] | inside([1,2,3]))`, `[{"id":1},{"id":2}]`, `{"1":{"id":1},"2":{"id":2}} true true`},
		{"environment and arguments", `env.WHO, $ENV.WHO, $__loc__.line, ($__prog_args|length)`, `null`, `"me" "me" 1 0`},
		{"getpath, pick, add, abs, toarray, trim", `getpath(["a","b"]), pick(.a.c), add(.a[]), (-5|abs), (1|toarray), (" x "|trim)`, `{"a":{"c":1}}`, `null {"a":{"c":1}} 1 5 [1] "x"`},
		{"nan and infinity", `[nan] | sort | .[0], (nan < nan), ([infinite] | tojson), (nan | isnan)`, `null`, `null true "[1.7976931348623157e+308]" true`},
		{"keywords as names", `{if:1, and:2} | .if, .and`, `null`, `1 2`},
		{"comments", "1 # one\n, 2", `null`, `1 2`},
		{"interpolation nests", `"a\("b\(1+1)c")d"`, `null`, `"ab2cd"`},
		{"error values", `try error({a:1}) catch .a, try error(null) catch ., (try ([1]|.a) catch .)`, `null`, `1 null "Cannot index array with string \"a\""`},
		{"modulo, division, repetition", `5 % -2, -5 % 3, (try (1 % 0) catch "zero"), "ab" * 2, [3,4] - [3], ("a,b" / ",")`, `null`, `1 -2 "zero" "abab" [4] ["a","b"]`},
		{"merging", `. * {a:{c:2}}`, `{"a":{"b":1},"d":0}`, `{"a":{"b":1,"c":2},"d":0}`},
		{"ltrimstr of another type", `ltrimstr(1), rtrimstr("x"), trimstr("a")`, `"aba"`, `"aba" "aba" "b"`},
		{"limit stops early", `first(1, error("late"))`, `null`, `1`},
		{"input that looks odd", `.`, `[nan, 1.0, "\u00e9\ud83d\ude00\ud800"]`, `[null,1.0,"é😀�"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runJQ(t, t.TempDir(), tt.input, "-c", tt.filter)
			if out := strings.ReplaceAll(strings.TrimSuffix(got.stdout, "\n"), "\n", " "); out != tt.want {
				t.Errorf("got  %s\nwant %s\nstderr %s", out, tt.want, got.stderr)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.json": `{"a":1}` + "\n" + `{"a":2}`, "t.txt": "x\ny", "p.jq": ".a", "lib/m.jq": "def f: . * 10; def g: f + 1;", "d.json": "[1]",
	} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		stdin  string
		args   []string
		want   string
		status int
		stderr string
	}{
		{"pretty", `{"a":[1,{}],"b":[]}`, []string{"."}, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n", 0, ""},
		{"tabs and indentation", `[1]`, []string{"--tab", "."}, "[\n\t1\n]\n", 0, ""},
		{"sorted keys", `{"b":1,"a":{"d":1,"c":2}}`, []string{"-cS", "."}, "{\"a\":{\"c\":2,\"d\":1},\"b\":1}\n", 0, ""},
		{"raw, joined, ASCII", `"é"`, []string{"-ja", "."}, "\\u00e9", 0, ""},
		{"slurp", "1 2", []string{"-cs", "."}, "[1,2]\n", 0, ""},
		{"slurp nothing", "", []string{"-cs", "."}, "[]\n", 0, ""},
		{"raw input", "a\nb", []string{"-R", "."}, "\"a\"\n\"b\"\n", 0, ""},
		{"raw slurp", "a\nb\n", []string{"-Rs", "."}, "\"a\\nb\\n\"\n", 0, ""},
		{"null input and inputs", "1 2 3", []string{"-nc", "[inputs]"}, "[1,2,3]\n", 0, ""},
		{"arguments", "", []string{"-nc", "--arg", "x", "1", "--argjson", "y", "2", "[$x,$y,$ARGS.named.x]"}, "[\"1\",2,\"1\"]\n", 0, ""},
		{"files as arguments", "", []string{"-nc", "--slurpfile", "s", "a.json", "--rawfile", "r", "t.txt", "[$s[1].a,$r]"}, "[2,\"x\\ny\"]\n", 0, ""},
		{"positional", "", []string{"-nc", "[$ARGS.positional,$__prog_args]", "--args", "a", "b"}, "[[\"a\",\"b\"],[\"a\",\"b\"]]\n", 0, ""},
		{"file operands", "", []string{".a", "a.json"}, "1\n2\n", 0, ""},
		{"filter from a file", "", []string{"-f", "p.jq", "a.json"}, "1\n2\n", 0, ""},
		{"module", "3", []string{"-L", "lib", "import \"m\" as m; m::g"}, "31\n", 0, ""},
		{"included module", "3", []string{"-L", "lib", "include \"m\"; f"}, "30\n", 0, ""},
		{"data module", "", []string{"-ncL.", "import \"d\" as $d; $d"}, "[[1]]\n", 0, ""},
		{"stream", `{"a":[1]}`, []string{"-c", "--stream", "."}, "[[\"a\",0],1]\n[[\"a\",0]]\n[[\"a\"]]\n", 0, ""},
		{"seq", "1", []string{"--seq", "."}, "\x1e1\n", 0, ""},
		{"exit status of false", "false", []string{"-e", "."}, "false\n", 1, ""},
		{"exit status of nothing", "1", []string{"-e", "empty"}, "", 4, ""},
		{"colours", `{"a":[1,null]}`, []string{"-cC", "."}, "\x1b[1;39m{\x1b[0m\x1b[34;1m\"a\"\x1b[0m\x1b[1;39m:\x1b[0m\x1b[1;39m[\x1b[0;39m1\x1b[0m\x1b[1;39m,\x1b[0;90mnull\x1b[0m\x1b[1;39m\x1b[1;39m]\x1b[0m\x1b[1;39m\x1b[1;39m}\x1b[0m\n", 0, ""},
		{"a runtime error", "1 2", []string{".a"}, "", 5, "jq: error (at <stdin>:0): Cannot index number with string \"a\""},
		{"an error with a value", "null", []string{"error({a:1})"}, "", 5, "(not a string): {\"a\":1}"},
		{"a syntax error", "", []string{".a |"}, "", 3, "syntax error"},
		{"an unknown function", "", []string{"foo(1)"}, "", 3, "foo/1 is not defined"},
		{"an unknown variable", "", []string{"$x"}, "", 3, "$x is not defined"},
		{"an unknown option", "", []string{"--nope", "."}, "", 2, "Unknown option"},
		{"a missing file", "", []string{".a", "none.json", "a.json"}, "1\n2\n", 2, "Could not open none.json: No such file or directory"},
		{"bad input", "1 {a:1}", []string{"-c", "."}, "1\n", 5, "Invalid numeric literal at line 1, column 5"},
		{"unfinished input", "[1", []string{"-c", "."}, "", 5, "Unfinished JSON term"},
		{"halt", "1 2", []string{"., halt"}, "1\n", 0, ""},
		{"halt_error", "\"bye\\n\"", []string{"halt_error(3)"}, "", 3, "bye\n"},
		{"endless recursion", "", []string{"-n", "def f: [f]; f"}, "", 5, "too deeply"},
		{"debug", "1", []string{"debug"}, "1\n", 0, "[\"DEBUG:\",1]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runJQ(t, dir, tt.stdin, tt.args...)
			if got.stdout != tt.want || got.status != tt.status || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("got %+v\nwant stdout %q, status %d, stderr with %q", got, tt.want, tt.status, tt.stderr)
			}
		})
	}
}

func TestReductionsAreLinear(t *testing.T) {
	for _, filter := range []string{
		`reduce range(200000) as $i ([]; . + [$i]) | length`,
		`reduce range(200000) as $i ({}; .[$i|tostring] += 1) | length`,
		`[range(100000) | {key: tostring}] | from_entries | .[] = 1 | add`,
		`[range(100000)] | map_values(.+1) | length`,
	} {
		start := time.Now()
		if got := runJQ(t, t.TempDir(), "", "-n", filter); got.status != 0 {
			t.Errorf("%s: %+v", filter, got)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %v", filter, d)
		}
	}
}

// fuzzTime bounds a fuzzed program, which may well loop.
const fuzzTime = 200 * time.Millisecond

func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		`.a[1:].b?|map(.+1)`, `reduce .[] as {a:$x} (0;.+$x)`, `def f(g;$x): g|$x; f(.;1)`, `"a\(1|@base64 "x\(.)")"`, `label $f|break $f`,
		`try error("x") catch .`, `..|paths`, `.a//=1|del(.b)`, `[.[]?//2]|@sh`, `test("a(?=b)";"gx")`, `if . then 1 elif 2 then 3 end`,
	} {
		f.Add(s, `{"a":[1,"x",null,{"b":2.50}]}`)
	}
	f.Fuzz(func(t *testing.T, filter, input string) {
		ctx, cancel := context.WithTimeout(context.Background(), fuzzTime)
		defer cancel()
		table := command.NewTable(jq.Commands())
		command.Start(&command.Proc{
			Ctx: ctx, Name: "jq", Args: []string{"-c", "--", filter}, Dir: t.TempDir(), Stdin: strings.NewReader(input),
			Stdout: limited{new(int)}, Stderr: limited{new(int)}, Table: table,
		}, table["jq"])
	})
}

// limited takes so much output and then fails.
type limited struct{ n *int }

func (l limited) Write(b []byte) (int, error) {
	*l.n += len(b)
	if *l.n > 1<<20 {
		return 0, os.ErrClosed
	}
	return len(b), nil
}

// TestLineNumbers counts lines as jq does: the line that an input ends in has been read to its end.
func TestLineNumbers(t *testing.T) {
	const cannot = `Cannot index number with string "a"`
	tests := []struct {
		name, stdin    string
		args           []string
		stdout, stderr string
	}{
		{"a value with its newline", "1\n", []string{".a"}, "", "jq: error (at <stdin>:1): " + cannot + "\n"},
		{"a value at the end", "1", []string{".a"}, "", "jq: error (at <stdin>:0): " + cannot + "\n"},
		{"values on lines", "[1]\n[2]\n\n3", []string{"-c", ".a?, input_line_number"}, "1\n2\n3\n", ""},
		{"values on one line", `{"a":1} {"a":2}` + "\n\n" + ` {"a":` + "\n3}\n4 5", []string{"input_line_number"}, "1\n1\n4\n4\n4\n", ""},
		{"raw lines", "a\nb", []string{"-R", "input_line_number"}, "1\n1\n", ""},
		{"after the end", "1\n2\n", []string{"-n", "[inputs] | input_line_number"}, "2\n", ""},
		{"no message for null", "null", []string{"halt_error"}, "", ""},
	}
	for _, tt := range tests {
		got := runJQ(t, t.TempDir(), tt.stdin, tt.args...)
		if got.stdout != tt.stdout || got.stderr != tt.stderr {
			t.Errorf("%s: got %+v, want stdout %q, stderr %q", tt.name, got, tt.stdout, tt.stderr)
		}
	}
}

package awk_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/awk"
	"openclaw/toolwasm/guest/command"
)

// fakeShell stands in for the shell: it knows a few scripts.
type fakeShell struct{ command.Spawner }

func (fakeShell) Shell(p *command.Proc, script string, spec command.Spec) int {
	out, in := spec.Stdout, spec.Stdin
	if out == nil {
		out = p.Stdout
	}
	if in == nil {
		in = p.Stdin
	}
	switch {
	case strings.HasPrefix(script, "echo "):
		fmt.Fprintln(out, script[len("echo "):])
	case script == "upper":
		var b bytes.Buffer
		_, _ = b.ReadFrom(in)
		fmt.Fprint(out, strings.ToUpper(b.String()))
	case script == "endless":
		for {
			if _, err := fmt.Fprintln(out, "y"); err != nil {
				return 141
			}
		}
	case strings.HasPrefix(script, "exit "):
		var n int
		_, _ = fmt.Sscan(script[len("exit "):], &n)
		return n
	default:
		return 127
	}
	return 0
}

// result is what a run of awk gave.
type result struct {
	stdout, stderr string
	status         int
}

func runAwk(t testing.TB, dir, stdin string, args ...string) result {
	t.Helper()
	table := command.NewTable(awk.Commands())
	var stdout, stderr bytes.Buffer
	p := &command.Proc{
		Ctx: context.Background(), Name: "awk", Args: args, Dir: dir, Env: command.Vars{"LANG=C.UTF-8", "WHO=me"},
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Table: table, Spawner: fakeShell{},
	}
	status := command.Start(p, table["awk"])
	return result{stdout.String(), stderr.String(), status}
}

func TestPrograms(t *testing.T) {
	tests := []struct {
		name    string
		program string
		stdin   string
		want    string
	}{
		{"fields are split at blanks", `{print $2, NF}`, " a  b\tc\n\nx\n", "b 3\n 0\n 1\n"},
		{"assigning a field rebuilds the record", `{$2="-"; print; print NF}`, "a b c\n", "a - c\n3\n"},
		{"a field beyond the last extends the record", `{$5="e"; print; print NF}`, "a b\n", "a b   e\n5\n"},
		{"NF cuts the record", `{NF=2; print}`, "a b c\n", "a b\n"},
		{"a sum is a number", `{s+=$1} END{print s}`, "1\n2.5\nx\n", "3.5\n"},
		{"input that looks like a number compares as one", `$1==10{print "eq"} $1<9{print "lt"}`, "10.0\n+8\nabc\n", "eq\nlt\n"},
		{"ranges", `/b/,/d/`, "a\nb\nc\nd\ne\n", "b\nc\nd\n"},
		{"concatenation binds looser than sums", `BEGIN{print 1+2 "x" 3*4}`, "", "3x12\n"},
		{"powers are right associative", `BEGIN{print 2^3^2, -2^2}`, "", "512 -4\n"},
		{"print groups", `BEGIN{print (1,2); print (1)(2)}`, "", "1 2\n12\n"},
		{"in with several subscripts", `BEGIN{a[1,2]; print ((1,2) in a), (1 in a)}`, "", "1 0\n"},
		{"integers iterate in order", `BEGIN{for(i=9;i>=0;i--)a[i]; for(k in a) printf "%s ", k}`, "", "0 1 2 3 4 5 6 7 8 9 "},
		{"strings iterate in gawk's order", `BEGIN{for(i=1;i<=12;i++)a["k" i]; for(k in a) printf "%s ", k}`, "", "k1 k2 k3 k4 k5 k6 k7 k8 k10 k9 k11 k12 "},
		{"sparse integers iterate in gawk's order", `BEGIN{for(i=0;i<100;i+=16)a[i*1000]; a["x"]; for(k in a) printf "%s ", k}`, "", "x 0 16000 32000 48000 64000 80000 96000 "},
		{"substr begins at the first character at the earliest", `BEGIN{print substr("hello",-1,3), substr("hello",0,2), substr("hello",1.9,1.9)}`, "", "hel he h\n"},
		{"standard input has a name", `{print FILENAME}`, "x\n", "-\n"},
		{"arrays of arrays", `BEGIN{a[1]["x"]=5; for(i in a) for(j in a[i]) print i,j,a[i][j]; print isarray(a[1])}`, "", "1 x 5\n1\n"},
		{"arrays go by reference", `function f(x){x["k"]=1} BEGIN{f(a); print length(a)}`, "", "1\n"},
		{"untyped locals become arrays", `function f(  l){g(l); return l[1]} function g(x){x[1]="set"} BEGIN{print f()}`, "", "set\n"},
		{"recursion", `function f(n){return n<2?n:f(n-1)+f(n-2)} BEGIN{print f(20)}`, "", "6765\n"},
		{"next inside a function", `function f(){next} {f(); print "no"} END{print NR}`, "a\nb\n", "2\n"},
		{"switch falls through", `BEGIN{switch(2){case 1:print 1; case 2:print 2; case /x/:print 3;break; default:print 4}}`, "", "2\n3\n"},
		{"gsub with &", `{print gsub(/o/,"[&]"); print}`, "foo\n", "2\nf[o][o]\n"},
		{"gsub of empty matches", `BEGIN{s="abc"; gsub(/x*/,"-",s); print s}`, "", "-a-b-c-\n"},
		{"gensub with groups", `BEGIN{print gensub(/(a)(b)/,"\\2\\1","g","abab"), gensub(/a/,"X",2,"aaa")}`, "", "baba aXa\n"},
		{"match sets places and groups", `BEGIN{match("xaby",/a(b)/,m); print RSTART,RLENGTH,m[1],m[1,"start"]}`, "", "2 2 b 3\n"},
		{"split with separators", `BEGIN{n=split("a1b22c",a,/[0-9]+/,s); print n,a[3],s[2]}`, "", "3 c 22\n"},
		{"FPAT", `BEGIN{FPAT="([^,]*)|(\"[^\"]+\")"} {print $2}`, "a,\"b,c\",d\n", "\"b,c\"\n"},
		{"FIELDWIDTHS", `BEGIN{FIELDWIDTHS="2 1:3 *"} {print $1"|"$2"|"$3}`, "abcdefgh\n", "ab|def|gh\n"},
		{"paragraphs", `BEGIN{RS=""}{print NR": "$1"-"$NF}`, "\n\na\nb\n\n\nc\n", "1: a-b\n2: c-c\n"},
		{"RS as an expression sets RT", `BEGIN{RS="[0-9]+"}{print $0 "<" RT ">"}`, "a1b22c", "a<1>\nb<22>\nc<>\n"},
		{"characters, not bytes", `{print length, substr($0,2,1), index($0,"c"), toupper($0)}`, "aéc\n", "3 é 3 AÉC\n"},
		{"printf", `BEGIN{printf "%5.2f|%-4d|%04x|%c|%s|%e|%g\n", 3.14159, 7, 255, 65, "s", 1234.5, 1e10}`, "", " 3.14|7   |00ff|A|s|1.234500e+03|1e+10\n"},
		{"large integers print in full", `BEGIN{print 2^53, 2^70; printf "%d\n", 2^64}`, "", "9007199254740992 1180591620717411303424\n18446744073709551616\n"},
		{"OFMT and CONVFMT", `BEGIN{OFMT="%.2f"; CONVFMT="%.3f"; x=3.14159; print x, x ""}`, "", "3.14 3.142\n"},
		{"getline from a command", `BEGIN{while(("echo a b" | getline l)>0) print "got " l; print close("echo a b")}`, "", "got a b\n0\n"},
		{"a command that never ends can be left", `BEGIN{"endless" | getline x; print x}`, "", "y\n"},
		{"print to a command", `BEGIN{print "abc" | "upper"; print close("upper")}`, "", "ABC\n0\n"},
		{"a coprocess", `BEGIN{c="upper"; print "abc" |& c; close(c,"to"); c |& getline x; print x}`, "", "ABC\n"},
		{"system", `BEGIN{print "before"; r=system("exit 3"); print r}`, "", "before\n3\n"},
		{"plain getline", `{getline; print; if ((getline x) > 0) print "x=" x}`, "1\n2\n3\n", "2\nx=3\n"},
		{"sorted_in", `BEGIN{PROCINFO["sorted_in"]="@val_num_desc"; a["x"]=1;a["y"]=3;a["z"]=2; for(k in a) printf "%s ",k}`, "", "y z x "},
		{"asort and asorti", `BEGIN{a["b"]=2;a["a"]=10; n=asorti(a,k); m=asort(a); print n,k[1],m,a[1]}`, "", "2 a 2 2\n"},
		{"IGNORECASE", `BEGIN{IGNORECASE=1} /abc/{print; print ("X"=="x")}`, "ABC\n", "ABC\n1\n"},
		{"bits", `BEGIN{print and(12,10), or(12,10), xor(12,10), lshift(1,4), rshift(16,2), strtonum("0x1F"), strtonum("017")}`, "", "8 14 6 16 4 31 15\n"},
		{"time", `BEGIN{print strftime("%Y-%m-%d %H:%M:%S",0,1), mktime("1970 01 02 00 00 00")}`, "", "1970-01-01 00:00:00 86400\n"},
		{"ENVIRON", `BEGIN{print ENVIRON["WHO"]}`, "", "me\n"},
		{"a field that is not there is a string", `{ print ($5 == 0), ($5 == ""), (0 < $5), ($5 == x), !$5, $5 + 1, typeof($5), typeof($1); NF = 2; $9 = "z"; print ($7 == 0), ($7 == "") }`, "1\n", "0 1 0 1 1 1 unassigned strnum\n0 1\n"},
		{"typeof", `BEGIN{a[1]; print typeof(a), typeof(1), typeof("x"), typeof(u), typeof(@/x/)}`, "", "array number string untyped regexp\n"},
		{"indirect calls", `function f(x){return x*2} BEGIN{n="f"; print @n(4)}`, "", "8\n"},
		{"delete while walking", `BEGIN{for(i=0;i<5;i++)a[i]; for(k in a) delete a[k]; print length(a)}`, "", "0\n"},
		{"string building", `BEGIN{for(i=0;i<3;i++){s = s "x" i; t = s}; print s, t}`, "", "x0x1x2 x0x1x2\n"},
		{"exit runs END", `BEGIN{exit 3} END{print "end"}`, "", "end\n"},
		{"uninitialised", `BEGIN{print x+0, "[" x "]", length(x), (x==0), (x=="")}`, "", "0 [] 0 1 1\n"},
		{"regular expression as a value", `{x = /b/; print x, !/b/}`, "abc\n", "1 0\n"},
		{"a slash in brackets", `{print /[/]/}`, "a/b\n", "1\n"},
		{"comments and continuation", "BEGIN { # c\n  print \"a\" \\\n \"b\"\n}", "", "ab\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runAwk(t, t.TempDir(), tt.stdin, tt.program)
			if got.stdout != tt.want {
				t.Errorf("stdout %q, want %q; stderr %q", got.stdout, tt.want, got.stderr)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "1\n2\n", "b.txt": "3\n", "p.awk": "{ print FILENAME, FNR, NR, v }\n", "f.awk": "function f(x) { return x+1 }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		args   []string
		want   string
		status int
		stderr string // a part of it
	}{
		{"program file and assignment operands", []string{"-f", "p.awk", "v=1", "a.txt", "v=2", "b.txt"}, "a.txt 1 1 1\na.txt 2 2 1\nb.txt 1 3 2\n", 0, ""},
		{"two sources", []string{"-f", "f.awk", "-e", "BEGIN{print f(1)}"}, "2\n", 0, ""},
		{"separator and variable", []string{"-F:", "-vx=a\\tb", "BEGIN{print FS, x}"}, ": a\tb\n", 0, ""},
		{"separator t is a tab", []string{"--posix", "-Ft", "BEGIN{printf \"%s\", FS}"}, "\t", 0, ""},
		{"a file that is missing", []string{"{print}", "none", "b.txt"}, "3\n", 2, "cannot open file `none' for reading: No such file or directory"},
		{"a mistake in the program", []string{"BEGIN{print (}"}, "", 1, "syntax error"},
		{"division by zero", []string{"BEGIN{print 1/x}"}, "", 2, "division by zero"},
		{"exit status", []string{"BEGIN{exit 5}"}, "", 5, ""},
		{"output file", []string{"BEGIN{print \"x\" > \"o\"; print \"y\" > \"o\"; close(\"o\"); while((getline l < \"o\")>0) print l}"}, "x\ny\n", 0, ""},
		{"standard error", []string{"BEGIN{print \"e\" > \"/dev/stderr\"}"}, "", 0, "e\n"},
		{"nextfile and ENDFILE", []string{"{print; nextfile} ENDFILE{print \"end\", FILENAME}", "a.txt", "b.txt"}, "1\nend a.txt\n3\nend b.txt\n", 0, ""},
		{"BEGINFILE sees what cannot be opened", []string{"BEGINFILE{if(ERRNO){print \"skip\"; nextfile}} {print}", "none", "b.txt"}, "skip\n3\n", 0, ""},
		{"an unsupported option", []string{"-i", "inplace", "{print}"}, "", 2, "unsupported option"},
		{"endless recursion", []string{"function f(){return f()} BEGIN{f()}"}, "", 2, "too deeply"},
		{"a function that does not exist", []string{"BEGIN{f()}"}, "", 2, "not defined"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runAwk(t, dir, "", tt.args...)
			if got.stdout != tt.want || got.status != tt.status || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("got %+v, want stdout %q, status %d, stderr with %q", got, tt.want, tt.status, tt.stderr)
			}
		})
	}
}

func FuzzProgram(f *testing.F) {
	for _, s := range []string{
		`{print $1}`, `BEGIN{for(i=0;i<3;i++)a[i];for(k in a)print k}`, `/a/,/b/{gsub(/x*/,"-")}`, `function f(x){return x} BEGIN{print f(1)}`,
		`BEGIN{printf "%*.*f %c\n",3,2,1.5,65; print substr("hello",2,3) > "/dev/stderr"}`, `BEGIN{print length(x), -x^2!y}`, `{$3=1;NF=2;$0="a b"}`,
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, program string) {
		if strings.ContainsAny(program, ">") {
			t.Skip("writes files")
		}
		ctx, cancel := context.WithTimeout(context.Background(), fuzzTime)
		defer cancel()
		table := command.NewTable(awk.Commands())
		p := &command.Proc{
			Ctx: ctx, Name: "awk", Args: []string{"--", program}, Dir: dir, Stdin: strings.NewReader("a b c\n1 2 3\n"),
			Stdout: discard{}, Stderr: discard{}, Table: table, Spawner: fakeShell{},
		}
		command.Start(p, table["awk"])
	})
}

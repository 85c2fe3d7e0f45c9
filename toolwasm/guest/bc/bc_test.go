package bc_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/bc"
	"openclaw/toolwasm/guest/command"
)

func runBC(t testing.TB, stdin string, env command.Vars, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	table := command.NewTable(bc.Commands())
	var out, errs bytes.Buffer
	status = command.Start(&command.Proc{
		Ctx: context.Background(), Name: "bc", Args: args, Dir: t.TempDir(), Env: env,
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Table: table,
	}, table["bc"])
	return out.String(), errs.String(), status
}

func TestPrograms(t *testing.T) {
	tests := []struct {
		name, program, want string // want: the output with blanks for newlines
	}{
		{"scale of results", "scale=3; 10/3; -10/3; 1/3; 0/5; 1-1.00; .5*.5; 1.50+1", "3.333 -3.333 .333 0 0 .25 2.50"},
		{"integer division and remainder", "7/2; -7/2; 7%3; -7%3; scale=2; 7.5%2; 100/7*7", "3 -3 1 -1 0 99.96"},
		{"powers", "2^10; 2^-2; scale=3; 2^-2; -3^2; 2^3^2; 1.1^2", "1024 0 .250 9 512 1.21"},
		{"square roots", "sqrt(16); scale=5; sqrt(2); sqrt(.25)", "4 1.41421 .50000"},
		{"bases", "obase=16; 255; obase=2; 10; obase=10; ibase=16; FF; ibase=A; 10", "FF 1010 255 10"},
		{"a base above sixteen", "obase=20; 399; 1000.5", "19 19  02 10 00.10"},
		{"digits larger than the base", "ibase=2; 102; 9", "5 9"},
		{"assignments are silent", "a=5; (a=6); a+=1; a; a++; ++a; a--; a", "6 7 7 9 9 8"},
		{"comparisons bind looser than assignment", "a=3<5; a; 2>1; !0; 1&&0; 1||0", "1 3 1 1 0 1"},
		{"arrays", "x[1]=5; x[2]=7; x[1]+x[2]; x[3]", "12 0"},
		{"definitions and what follows them on their line", "define f(x) { return x*x; } define g(x) { return x+1 } f(5); g(1)", "25 2"},
		{"functions and recursion", "define f(n) { if (n<=1) return (1); return (n*f(n-1)); }\nf(20)", "2432902008176640000"},
		{"auto variables and array parameters", "define f(a[]) { auto s; s=a[1]; a[1]=0; return (s); }\ns=1; x[1]=9; f(x[]); s; x[1]", "9 1 9"},
		{"arrays by reference", "define f(*a[]) { a[1]=4; }\nq=f(x[]); x[1]", "4"},
		{"void functions", "define void p(x) { print x, \"!\\n\"; }\np(3)", "3!"},
		{"loops", "for (i=0;i<9;i++) { if (i==1) continue; if (i==3) break; i }\nwhile (j<2) { j+=1; j }", "0 2 1 2"},
		{"if and else", "if (0) 1 else 2\nif (1) {\n3\n} else {\n4\n}", "2 3"},
		{"strings and print", "\"a b\"; print \"c\\n\", 1, \"\\n\"", "a bc 1"},
		{"last", "7; last+1; .", "7 8 8"},
		{"length and scale", "length(12345); length(.00123); scale(1.234)", "5 5 3"},
		{"comments and continuation", "/* a\nb */ 1 + \\\n2 # c", "3"},
		{"long lines are broken", "2^240", "17668470647783843295832975007429185158274838968756189581216062012926 19776"},
		{"an error ends its line only", "1/0; 3\n4", "4"},
		{"a syntax error ends its line only", "1 +\n2", "2"},
		{"a call undone by an error", "define f(x) { auto y; y=1/0; return (x); }\nx=5; f(7)\nx", "5"},
		{"halt", "1\nhalt\n2", "1"},
		{"quit", "1\nif (0) quit\n2", "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, status := runBC(t, tt.program+"\n", nil, "-q")
			got := strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(stdout, "\\\n", " "), "\n", " "))
			if got != tt.want || status != 0 {
				t.Errorf("got %q, status %d, want %q; stderr %q", got, status, tt.want, stderr)
			}
		})
	}
}

func TestMathLibraryIsRightToTheLastDigit(t *testing.T) {
	tests := []struct{ expr, want string }{
		{"e(1)", "2.71828182845904523536"},
		{"e(-1)", ".36787944117144232159"},
		{"e(0)", "1.00000000000000000000"},
		{"l(2)", ".69314718055994530941"},
		{"l(1)", "0"},
		{"s(1)", ".84147098480789650665"},
		{"c(0)", "1.00000000000000000000"},
		{"c(1)", ".54030230586813971740"},
		{"4*a(1)", "3.14159265358979323844"},
		{"j(0,1)", ".76519768655796655144"},
		{"scale=40; 4*a(1)", "3.1415926535897932384626433832795028841968"},
		{"scale=5; e(10)", "22026.46579"},
		{"s(100)", "-.50636564110975879365"},
		{"l(.001)", "-6.90775527898213705205"},
	}
	for _, tt := range tests {
		if got, stderr, _ := runBC(t, tt.expr+"\n", nil, "-l"); strings.TrimSpace(got) != tt.want {
			t.Errorf("%s is %q, want %q; stderr %q", tt.expr, got, tt.want, stderr)
		}
	}
}

func TestLineLengthFromEnvironment(t *testing.T) {
	if got, _, _ := runBC(t, "2^300\n", command.Vars{"BC_LINE_LENGTH=0"}); strings.Contains(got, "\\") {
		t.Errorf("broken line: %q", got)
	}
}

func TestRuntimeErrorsAreReported(t *testing.T) {
	for program, want := range map[string]string{
		"1/0":                       "Runtime error (func=(main), adr=0): Divide by zero",
		"f(1)":                      "Function f not defined",
		"sqrt(-1)":                  "Square root of a negative number",
		"9^999999999":               "exponent too large",
		"x[-1]":                     "subscript out of bounds",
		"1 + )":                     "(standard_in) 1: syntax error",
		"define f() { f() }\nf()":   "too deeply",
		"scale=-1":                  "scale too small",
		"define f(a) { a }\nf(1,2)": "Parameter number mismatch",
	} {
		if _, stderr, _ := runBC(t, program+"\n", nil); !strings.Contains(stderr, want) {
			t.Errorf("%s: stderr %q lacks %q", program, stderr, want)
		}
	}
}

// fuzzTime bounds a fuzzed program, which may well loop.
const fuzzTime = 200 * time.Millisecond

func FuzzProgram(f *testing.F) {
	for _, s := range []string{
		"1+2*3^-4\n", "define f(x[],*y[]) { auto z; return (z++) }\nf(a[],b[])\n", "for(;;){break}\n", "scale=9;e(2)/l(3)%s(1)\n",
		"obase=3;ibase=16;FF.A\n", "/* x\n*/ \"s\n\"; print 1,\"\\n\"\n", "a[1]^=2; last; .; read()\n", "if(1){quit}else halt\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, program string) {
		ctx, cancel := context.WithTimeout(context.Background(), fuzzTime)
		defer cancel()
		table := command.NewTable(bc.Commands())
		command.Start(&command.Proc{
			Ctx: ctx, Name: "bc", Args: []string{"-l"}, Dir: "/", Stdin: strings.NewReader(program),
			Stdout: limited{new(int)}, Stderr: limited{new(int)}, Table: table,
		}, table["bc"])
	})
}

// limited takes so much output and then fails.
type limited struct{ n *int }

func (l limited) Write(b []byte) (int, error) {
	*l.n += len(b)
	if *l.n > 1<<20 {
		return 0, errors.New("too much output")
	}
	return len(b), nil
}

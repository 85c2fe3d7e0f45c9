package syntax_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/shell/syntax"
)

func TestFormatLaysCommandsOut(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"echo   a|cat>f", "echo a | cat > f"},
		{"a&&b||c", "a && b || c"},
		{"if a;then b;fi", "if a; then\n    b;\nfi"},
		{"for i in 1 2;do x;done", "for i in 1 2;\ndo\n    x;\ndone"},
		{"{ a;b;}", "{ \n    a;\n    b\n}"},
		{"(a)", "( a )"},
		{"[[ -f x&&! -d y ]]", "[[ -f x && ! -d y ]]"},
		{"cat <<E\nx\nE\n", "cat <<E\nx\nE"},
		{"a 2>&1", "a 2>&1"},
		{"a |& b", "a 2>&1 | b"},
	} {
		l, err := syntax.ParseAll(c.src, 1, syntax.Options{})
		if err != nil || len(l.Items) != 1 {
			t.Errorf("ParseAll(%q): %v", c.src, err)
			continue
		}
		if got := syntax.Format(l.Items[0].Cmd); got != c.want {
			t.Errorf("Format(%q) = %q, want %q", c.src, got, c.want)
		}
	}
}

func TestErrorsNameTheTokenAndTheLine(t *testing.T) {
	for _, c := range []struct {
		src, msg string
		line     int
		eof      bool
	}{
		{"if ;", "near unexpected token `;'", 1, false},
		{"a\nb )", "near unexpected token `)'", 2, false},
		{"echo 'x", "looking for matching `''", 1, true},
		{"echo ${a", "looking for matching `}'", 1, true},
		{"while a; do b", "unexpected end of file", 1, true},
		{"a | | b", "near unexpected token `|'", 1, false},
		{"f() echo", "near unexpected token `echo'", 1, false},
		{"[[ a b c ]]", "conditional expression", 1, false},
		{strings.Repeat("(", syntax.MaxDepth+1), "nested too deeply", 1, false},
	} {
		_, err := syntax.ParseAll(c.src, 1, syntax.Options{})
		var e *syntax.Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, c.msg) || e.Line != c.line || e.EOF != c.eof {
			t.Errorf("ParseAll(%.20q) = %+v, want %q on line %d, EOF %v", c.src, e, c.msg, c.line, c.eof)
		}
	}
}

func TestNextReturnsTheLinesBeforeAnError(t *testing.T) {
	p := syntax.New("a; b\nc\n)", 1, syntax.Options{})
	for _, want := range []int{2, 1} {
		l, err := p.Next()
		if err != nil || len(l.Items) != want {
			t.Fatalf("Next = %v, %v, want %d commands", l, err, want)
		}
	}
	if _, err := p.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("Next after the good lines = %v, want a syntax error", err)
	}
}

func TestAliasesExpandInCommandPosition(t *testing.T) {
	aliases := map[string]string{"ll": "ls -l", "sudo": "sudo ", "x": "x y", "if0": "if true; then"}
	opts := syntax.Options{Alias: func(n string) (string, bool) { s, ok := aliases[n]; return s, ok }}
	for _, c := range []struct{ src, want string }{
		{"ll a", "ls -l a"},
		{"echo ll", "echo ll"},
		{"sudo ll", "sudo ls -l"},
		{"x", "x y"},
		{`\ll`, `\ll`},
		{"a; ll", "a"},
	} {
		l, err := syntax.ParseAll(c.src, 1, opts)
		if err != nil {
			t.Fatal(err)
		}
		if got := syntax.Format(l.Items[0].Cmd); got != c.want {
			t.Errorf("%q is %q, want %q", c.src, got, c.want)
		}
	}
}

func TestInputIsAskedForLineByLine(t *testing.T) {
	lines := []string{"if true\n", "then echo\n", "fi\n", "next\n"}
	asked := 0
	p := syntax.New("", 1, syntax.Options{More: func() (string, bool) {
		if asked == len(lines) {
			return "", false
		}
		asked++
		return lines[asked-1], true
	}})
	if _, err := p.Next(); err != nil || asked != 3 {
		t.Errorf("the first command took %d lines, %v; want 3", asked, err)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int64
		bad  bool
	}{
		{"10", 10, false},
		{"010", 8, false},
		{"0x1F", 31, false},
		{"2#101", 5, false},
		{"64#_", 63, false},
		{"36#Z", 35, false},
		{"08", 0, true},
		{"1#1", 0, true},
		{"65#1", 0, true},
		{"2#2", 0, true},
		{"16#", 0, true},
	} {
		v, msg := syntax.ParseNumber(c.s)
		if (msg != "") != c.bad || !c.bad && v != c.want {
			t.Errorf("ParseNumber(%q) = %d, %q", c.s, v, msg)
		}
	}
}

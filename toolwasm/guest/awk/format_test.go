package awk_test

import (
	"strings"
	"testing"
)

// TestConstantFormatsAreAsOthers compares formats that are read ahead with the same ones in variables.
func TestConstantFormatsAreAsOthers(t *testing.T) {
	formats := []string{
		"", "text", "%", "%%", "a%%b%d", "%d", "%i|%5d|%-5d|%05d|%+d|% d", "%s", "%5s|%-5s|%.1s|%5.1s", "%c%c", "%x %X %o %#x %#o %u", "%e %E %f %F %g %G",
		"%.2f|%8.3f|%-8.1f|%08.2f", "%5", "%.", "%z", "%ld %hd", "%*d", "%-*d", "%.*f", "%2$s %1$s", "%'d", "%.-5d", "%s%s%s%s", "x%sy%dz", "%5%", "%a", "%!", "é%sü",
	}
	args := []string{`"abc", 3.7`, `-42, "7x"`, `65, "é"`, `1e20, -1e-5`, `"", "0x1f"`, `"nan" + 0, log(0)`, ``, `1, 2, 3, 4, 5`}
	for _, f := range formats {
		for _, a := range args {
			if a != "" {
				a = ", " + a
			}
			for _, use := range []string{`printf %` + a, `s = sprintf(%` + a + `); print s`} {
				constant := `BEGIN { ` + strings.Replace(use, "%", `"`+f+`"`, 1) + ` }`
				variable := `BEGIN { f = "` + f + `"; ` + strings.Replace(use, "%", "f", 1) + ` }`
				got, want := runAwk(t, t.TempDir(), "", constant), runAwk(t, t.TempDir(), "", variable)
				if got != want {
					t.Errorf("%s:\ngot  %+v\nwant %+v", constant, got, want)
				}
			}
		}
	}
}

func TestFormattingInsideFormatting(t *testing.T) {
	tests := []struct{ name, program, want string }{
		{"functions that print", `function f(x) { printf "<%s>", x; return x + 1 } { printf "%s-%s\n", f($1), f(f($1)) }`, "<1><1><2>2-3\n<2><2><3>3-4\n"},
		{"formats of formats", `{ printf "%s %s\n", sprintf("%d", $1), sprintf("%s", sprintf("%02d", $1)) }`, "1 01\n2 02\n"},
		{"next among the arguments", `function f(x) { if (x == 1) next; return x } { printf "%s %s\n", "a", f($1) } END { printf "%s\n", NR }`, "a 2\n2\n"},
		{"recursion", `function f(n) { return n ? sprintf("%d%s%d", n, f(n - 1), n) : "" } NR == 1 { print f(9) }`, "987654321123456789\n"},
		{"a destination that prints", `function name() { printf "to " ; return "/dev/stdout" } { printf "%s\n", $1 > name() }`, "to 1\nto 2\n"},
	}
	for _, tt := range tests {
		if got := runAwk(t, t.TempDir(), "1\n2\n", tt.program); got.stdout != tt.want || got.status != 0 {
			t.Errorf("%s: got %+v, want %q", tt.name, got, tt.want)
		}
	}
}

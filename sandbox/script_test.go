package sandbox_test

import (
	"strings"
	"testing"

	"openclaw/sandbox"
)

func TestScriptOfAnInterpreter(t *testing.T) {
	exists := func(name string) bool { return name == "s.py" || name == "dir" }
	for line, want := range map[string]int{
		"python":                    0,
		"python s.py":               1,
		"python ./missing.py x":     1,
		"python -u s.py x":          2,
		"python -W ignore s.py":     3,
		"python -W ignore other.py": 2,
		"python -Wignore s.py s.py": 2,
		"python -c code s.py":       0,
		"python -ccode s.py":        0,
		"python -Bc code s.py":      0,
		"python -W ignore -c code":  0,
		"python -m json.tool s.py":  0,
		"python - s.py":             0,
		"python -- s.py":            2,
		"python -- /abs":            0,
		"python --":                 0,
		"python --version":          0,
		"python /abs/s.py s.py":     0,
		"python dir":                1,
	} {
		if got := sandbox.ScriptIndex(strings.Fields(line), "cm", exists); got != want {
			t.Errorf("%s: argument %d, want %d", line, got, want)
		}
	}
	if got := sandbox.ScriptIndex([]string{"cat", "s.py"}, "", exists); got != 0 {
		t.Errorf("a program that is no interpreter: argument %d", got)
	}
}

package shell_test

import (
	"context"
	"io"
	"os/exec"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
)

// benchmarks are loops that scripts are made of; each runs in the shell and, beside it, in bash.
var benchmarks = []struct{ name, script string }{
	{"ArithmeticAndSubstitution", `i=0; while ((i<30000)); do ((i++)); x="a$i"; y=${x/a/b}; done`},
	{"FunctionCalls", `f() { local a=$1; r=$a; }; for ((i=0; i<100000; i++)); do f "$i"; done`},
	{"StringBuilding", `s=; for ((i=0; i<100000; i++)); do s+=0123456789; done; ((${#s} == 1000000))`},
	{"ArrayAppend", `a=(); for ((i=0; i<100000; i++)); do a+=("$i"); done; ((${#a[@]} == 100000))`},
	{"WhileRead", `n=0; while IFS= read -r line; do ((n+=${#line})); done < <(for ((i=0; i<100000; i++)); do echo "line $i"; done)`},
	{"Substitution", `for ((i=0; i<2000; i++)); do x=$(echo $i); done`},
	{"TestAndCase", `for ((i=0; i<50000; i++)); do if [[ $i == *5 ]]; then case $i in 1*) n=1;; *) n=2;; esac; fi; [ "$i" -lt 100 ]; done`},
}

func BenchmarkScripts(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name+"/shell", func(b *testing.B) {
			table := command.NewTable(shell.Commands())
			for b.Loop() {
				if status := runIn(context.Background(), table, b.TempDir(), c.script, nil, io.Discard, io.Discard); status > 1 {
					b.Fatalf("status %d", status)
				}
			}
		})
		b.Run(c.name+"/bash", func(b *testing.B) {
			bash, err := exec.LookPath("bash")
			if err != nil {
				b.Skip("no bash on this machine")
			}
			for b.Loop() {
				_ = exec.Command(bash, "-c", c.script).Run()
			}
		})
	}
}

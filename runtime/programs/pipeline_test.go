package programs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/sandbox"
)

// pipelineTime is the deadline of a pipeline. Each ends by itself in a fraction of it.
const pipelineTime = 30 * time.Second

// TestPipelineAcrossPrograms streams through two interpreters and a program in C, and ends early.
func TestPipelineAcrossPrograms(t *testing.T) {
	s := newShell(t, sandbox.Limits{Timeout: pipelineTime}, addPython, addRuby, addC)
	s.test(t, map[string]scriptCase{
		"through all": {
			`seq 1 30000 >big; cat big | python3 -c 'import sys
for l in sys.stdin: print(int(l) % 1000, l, end="")' | sort -n -s -k1,1 | cstage cat | ruby -ne 'puts $_.split.reverse.join(" ")' 2>/dev/null | head -n 1; rm big`,
			outcome{"1000 0\n", "", 0},
		},
		"endless source": {
			`yes | python3 -c 'import sys
for l in sys.stdin: print(l, end="")' 2>/dev/null | ruby -ne 'puts $_' 2>/dev/null | cstage cat | head -n 1; echo "${PIPESTATUS[@]}"`,
			outcome{"y\n141 1 1 1 0\n", "", 0},
		},
		"statuses":          {`python3 -c 'raise SystemExit(3)' | ruby -e 'exit 4' | cstage exit 5 | cat; echo "${PIPESTATUS[@]}"`, outcome{"3 4 5 0\n", "", 0}},
		"pipefail":          {`set -o pipefail; echo x | ruby -e 'exit 4' | cstage cat | python3 -c pass; echo $?`, outcome{"4\n", "", 0}},
		"pipefail, last":    {`set -o pipefail; python3 -c 'raise SystemExit(3)' | ruby -e 'exit 4' | cstage cat; echo $?`, outcome{"4\n", "", 0}},
		"a line at once":    {`(echo 1; sleep 0.05; echo 2) | python3 -uc 'import sys; print(sys.stdin.readline(), end="")' | ruby -e 'puts gets'`, outcome{"1\n", "", 0}},
		"what is left":      {`seq 3 | (ruby -e 'STDOUT.puts STDIN.sysread(2)'; cat)`, outcome{"1\n2\n3\n", "", 0}},
		"each in a loop":    {`for i in 1 2; do echo $i | ruby -ne 'puts $_.to_i * 2' | python3 -c 'print(int(input()) + 1)'; done`, outcome{"3\n5\n", "", 0}},
		"inside each other": {`echo "$(ruby -e 'puts 6' | python3 -c 'print(int(input()) * 7)')" | cstage cat`, outcome{"42\n", "", 0}},
	})
}

// stage carries on all, some or none of what it gets, and ends with a status. quits tells that it ends however much comes.
type stage struct {
	text    string
	carries func(n int) int
	quits   bool
	status  int
}

func all(n int) int { return n }
func none(int) int  { return 0 }
func most(m int) func(n int) int {
	return func(n int) int { return min(n, m) }
}

// endless is how much a source without end writes.
const endless = 1 << 40

const (
	pyCopy = `python3 -c 'import sys, shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)'`
	rbCopy = `ruby -e 'STDIN.binmode; while (b = STDIN.read(8192)); STDOUT.write(b); end'`
	pyTake = `python3 -c 'import sys; sys.stdout.buffer.write(sys.stdin.buffer.read(%d))'`
	rbTake = `ruby -e 'print STDIN.read(%d)'`
)

// TestPipelinesAcrossProgramsEnd runs random pipelines of interpreters, a program in C and the toolbox's own commands: slow, silent,
// flooding, failing and leaving early. Each must end in time, and carry exactly what its stages say.
func TestPipelinesAcrossProgramsEnd(t *testing.T) {
	s := newShell(t, sandbox.Limits{Timeout: pipelineTime}, addPython, addRuby, addC)
	sources := []func(t *rapid.T) (string, int){
		func(t *rapid.T) (string, int) {
			n := rapid.IntRange(0, 300_000).Draw(t, "zeros")
			return fmt.Sprintf("head -c %d /dev/zero", n), n
		},
		func(t *rapid.T) (string, int) {
			n := rapid.IntRange(0, 300_000).Draw(t, "python")
			return fmt.Sprintf(`python3 -c 'print("p" * %d, end="")'`, n), n
		},
		func(t *rapid.T) (string, int) {
			n := rapid.IntRange(0, 300_000).Draw(t, "ruby")
			return fmt.Sprintf(`ruby -e 'print "r" * %d'`, n), n
		},
		func(*rapid.T) (string, int) { return "yes", endless },
		func(*rapid.T) (string, int) { return "cstage flood", endless },
		func(*rapid.T) (string, int) { return `ruby -e 'loop { print "r" * 100 }'`, endless },
		func(*rapid.T) (string, int) { return `python3 -c 'while True: print("p" * 100)'`, endless },
	}
	stages := []func(t *rapid.T) stage{
		func(*rapid.T) stage { return stage{text: pyCopy, carries: all} },
		func(*rapid.T) stage { return stage{text: rbCopy, carries: all} },
		func(*rapid.T) stage { return stage{text: "cstage cat", carries: all} },
		func(*rapid.T) stage { return stage{text: "cstage slow", carries: all} },
		func(*rapid.T) stage { return stage{text: "cat", carries: all} },
		func(t *rapid.T) stage {
			n := rapid.IntRange(0, 100_000).Draw(t, "bytes")
			how := rapid.SampledFrom([]string{pyTake, rbTake, "cstage take %d", "head -c %d"}).Draw(t, "take")
			return stage{text: fmt.Sprintf(how, n), carries: most(n), quits: true}
		},
		func(*rapid.T) stage { return stage{text: "cstage eat", carries: none} },
		func(t *rapid.T) stage {
			n := rapid.IntRange(1, 99).Draw(t, "status")
			how := rapid.SampledFrom([]string{"python3 -c 'raise SystemExit(%d)'", "ruby -e 'exit %d'", "cstage exit %d"}).Draw(t, "exit")
			return stage{text: fmt.Sprintf(how, n), carries: none, quits: true, status: n}
		},
	}
	began := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		if time.Since(began) > pipelineTime { // interpreters are slow to check as often as others
			return
		}
		text, n := sources[rapid.IntRange(0, len(sources)-1).Draw(t, "source")](t)
		parts := []string{text}
		last := stage{}
		for range rapid.IntRange(1, 4).Draw(t, "stages") {
			last = stages[rapid.IntRange(0, len(stages)-1).Draw(t, "stage")](t)
			if n == endless && strings.Contains(last.text, "eat") {
				last = stages[4](t) // it would never end, and does not in bash either
			}
			parts, n = append(parts, last.text), last.carries(n)
		}
		if n == endless {
			last = stages[5](t)
			parts, n = append(parts, last.text), last.carries(n)
		}
		script := "{ " + strings.Join(parts, " | ") + "; } 2>/dev/null | wc -c; echo ${PIPESTATUS[0]}"
		got, err := s.run(t.Context(), script)
		want := fmt.Sprintf("%d\n%d\n", n, last.status)
		if err != nil || got.Out != want {
			t.Fatalf("%s\ngot %+v, %v; want %q", script, got, err, want)
		}
	})
}

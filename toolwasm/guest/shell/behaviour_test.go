package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
)

// behaviour is one case of testdata/behaviour.txt: "### name", the script, "--- status N", and the output.
type behaviour struct {
	name, script, output string
	status               int
}

func behaviours(t testing.TB) []behaviour {
	t.Helper()
	data, err := os.ReadFile("testdata/behaviour.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []behaviour
	for _, block := range strings.Split(strings.TrimPrefix(string(data), "### "), "\n### ") {
		name, rest, _ := strings.Cut(block, "\n")
		script, rest, ok := strings.Cut(rest, "\n--- status ")
		if !ok {
			t.Fatalf("%s: no status", name)
		}
		status, output, _ := strings.Cut(rest, "\n")
		b := behaviour{name: name, script: script, output: output}
		if _, err := fmt.Sscan(status, &b.status); err != nil {
			t.Fatalf("%s: status: %v", name, err)
		}
		list = append(list, b)
	}
	// the newline before the next heading is not part of the output
	return list
}

// run runs a script in a fresh directory.
func run(t testing.TB, script string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	status = runIn(ctx, command.NewTable(shell.Commands()), t.TempDir(), script, nil, &out, &errs)
	return out.String(), errs.String(), status
}

func TestBehaviour(t *testing.T) {
	for _, c := range behaviours(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, errs, status := run(t, c.script)
			if out != c.output || status != c.status {
				t.Errorf("script:\n%s\nstatus %d, want %d\noutput:\n%s\nwant:\n%s\nstderr:\n%s", c.script, status, c.status, out, c.output, errs)
			}
		})
	}
}

// TestBehaviourIsThatOfBash runs the same cases with bash itself.
func TestBehaviourIsThatOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on this machine")
	}
	if v, _ := exec.Command(bash, "-c", "echo ${BASH_VERSION%.*}").Output(); strings.TrimSpace(string(v)) != "5.2" {
		t.Skipf("bash is version %s, not 5.2", strings.TrimSpace(string(v)))
	}
	for _, c := range behaviours(t) {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(bash, "-c", c.script)
			cmd.Args[0] = "bash" // as messages name it
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"HOME=/home/agent", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
			out, _ := cmd.Output()
			if string(out) != c.output || cmd.ProcessState.ExitCode() != c.status {
				t.Errorf("script:\n%s\nstatus %d, recorded %d\noutput:\n%s\nrecorded:\n%s", c.script, cmd.ProcessState.ExitCode(), c.status, out, c.output)
			}
		})
	}
}

func TestCommandsOfTheToolboxLookLikeFilesToTests(t *testing.T) {
	table := command.NewTable(shell.Commands())
	table["onlyhere"] = command.Command{Name: "onlyhere", Run: func(*command.Proc) int { return 0 }}
	const script = `
for f in /usr/bin/onlyhere /bin/onlyhere; do
  for op in -e -f -x -r -s; do [ $op $f ] && eval "[[ $op $f ]]" || echo "$op $f"; done
  for op in -d -w -L; do [ $op $f ] || eval "[[ $op $f ]]" && echo "not $op $f"; done
done
[ -e /usr/bin/nosuchtool ] && echo exists
[ -x "$(command -v onlyhere)" ] || echo not executable
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
command -v onlyhere; type -P onlyhere; hash onlyhere; hash -t onlyhere
cd /usr/bin/.. && [ -x bin/onlyhere ] && /usr/local/bin/onlyhere && echo run`
	var out, errs bytes.Buffer
	runIn(context.Background(), table, t.TempDir(), script, nil, &out, &errs)
	if want := strings.Repeat("/usr/bin/onlyhere\n", 3) + "run\n"; out.String() != want || errs.Len() > 0 {
		t.Errorf("output %q, want %q; stderr %s", out.String(), want, errs.String())
	}
}

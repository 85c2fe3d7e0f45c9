package toolwasm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

var (
	casesDir = flag.String("cases", os.Getenv("OPENCLAW_CASES"), "directory of shell cases (*.jsonl) to measure")
	casesRun = flag.String("cases.only", "", "run only the cases whose id contains this, and show how they differ")
)

// defaultCases is where the collection of cases lies beside a checkout.
var defaultCases = filepath.Join("..", "..", "shared", "cases", "open")

// caseDeadline bounds one case.
const caseDeadline = 10 * time.Second

// leastPassing are the rates, in percent, below which a collection is a failure: what has been reached is kept.
var leastPassing = map[string]float64{
	"agent": 98, "awk": 99, "bash": 98, "coreutils": 98, "grep": 99, "jq": 99, "sed": 99,
}

// shellCase is one script with its known output and status.
type shellCase struct {
	Suite, ID, Script, Stdin string
	Files                    map[string]string
	ExpectStdout             string `json:"expect_stdout"`
	ExpectStatus             int    `json:"expect_status"`
	Notes                    string
}

// TestCases runs collections of shell cases, each case in a fresh sandbox on a workspace of its own, and prints a table.
func TestCases(t *testing.T) {
	dir := *casesDir
	if dir == "" {
		dir = defaultCases
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ran := false
	for _, name := range names {
		collection := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		if strings.HasPrefix(collection, "tool-") {
			continue // cases of other kinds
		}
		ran = true
		t.Run(collection, func(t *testing.T) { runCollection(t, collection, readCases(t, name)) })
	}
	if !ran {
		t.Skipf("no shell cases in %s: name a directory with -cases or OPENCLAW_CASES", dir)
	}
}

func readCases(t *testing.T, name string) []shellCase {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []shellCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c shellCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.Contains(c.ID, *casesRun) {
			cases = append(cases, c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func runCollection(t *testing.T, collection string, cases []shellCase) {
	tools := newTools(t)
	fails := make([]string, len(cases))
	var wg sync.WaitGroup
	next := make(chan int)
	const workers = 2
	for range workers {
		wg.Go(func() {
			for i := range next {
				fails[i] = runCase(t, tools, cases[i])
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	wg.Wait()
	report(t, collection, cases, fails)
}

// runCase returns how the case differs from what is known, or "".
func runCase(t *testing.T, tools *tools, c shellCase) string {
	dir, err := os.MkdirTemp(t.TempDir(), "case")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	if err := putFiles(dir, c.Files); err != nil {
		return err.Error()
	}
	session, err := tools.box.Open(sandbox.Grant{
		Mounts: []sandbox.Mount{{Guest: toolwasm.Workspace, Host: dir, Access: sandbox.ReadWrite, Protect: []string{}}},
		Tmp:    true,
		Limits: sandbox.Limits{Timeout: caseDeadline, Output: 4 << 20},
	})
	if err != nil {
		return err.Error()
	}
	defer session.Close()
	var stdout, stderr bytes.Buffer
	result, err := tools.toolbox.Exec(t.Context(), session, toolwasm.Script{
		Text: c.Script, Stdin: strings.NewReader(c.Stdin), Stdout: &stdout, Stderr: &stderr,
		Env: []string{"HOME=/home/agent"},
	})
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, stderr.String())
	}
	got := strings.ToValidUTF8(stdout.String(), "\uFFFD")
	if got == c.ExpectStdout && result.ExitCode == c.ExpectStatus {
		return ""
	}
	return fmt.Sprintf("status %d, want %d\n--- got\n%s--- want\n%s--- stderr\n%s", result.ExitCode, c.ExpectStatus, got, c.ExpectStdout, stderr.String())
}

// putFiles makes the files of a case: a text that begins with #! is executable, a path that ends in a slash is a directory.
func putFiles(dir string, files map[string]string) error {
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}

func report(t *testing.T, collection string, cases []shellCase, fails []string) {
	type count struct{ passed, all int }
	suites := map[string]*count{}
	total := count{}
	var failing []string
	for i, c := range cases {
		s := suites[c.Suite]
		if s == nil {
			s = &count{}
			suites[c.Suite] = s
		}
		s.all++
		total.all++
		if fails[i] == "" {
			s.passed++
			total.passed++
			continue
		}
		failing = append(failing, c.ID)
		if *casesRun != "" {
			t.Logf("%s\n%s\n%s", c.ID, c.Script, fails[i])
		}
	}
	percent := func(c count) float64 { return 100 * float64(c.passed) / float64(max(c.all, 1)) }
	names := make([]string, 0, len(suites))
	for n := range suites {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "%-24s %5d / %5d  %5.1f %%\n", n, suites[n].passed, suites[n].all, percent(*suites[n]))
	}
	fmt.Fprintf(&b, "%-24s %5d / %5d  %5.1f %%", collection, total.passed, total.all, percent(total))
	t.Logf("\n%s\nfailing: %s", b.String(), strings.Join(failing, " "))
	if least := leastPassing[collection]; *casesRun == "" && percent(total) < least {
		t.Errorf("%s: %.1f %% pass, less than the %.1f %% that have been reached", collection, percent(total), least)
	}
}

// wasLimit tells a call that was ended from one that failed.
func wasLimit(err error, l sandbox.Limit) bool {
	var limit *sandbox.LimitError
	return errors.As(err, &limit) && limit.Limit == l
}

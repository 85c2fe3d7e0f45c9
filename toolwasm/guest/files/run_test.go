package files_test

import (
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/files"
)

type (
	outcome = commandtest.Result
	step    = commandtest.Step
)

func run(t testing.TB, dir, stdin string, args ...string) outcome {
	t.Helper()
	return commandtest.In(t, dir, files.Commands()).Run(stdin, args...)
}

func check(t *testing.T, dir string, steps []step) {
	t.Helper()
	commandtest.In(t, dir, files.Commands()).Check(steps)
}

// fill makes the files of a case.
func fill(t testing.TB, lines ...string) string {
	t.Helper()
	return commandtest.Tree(t, lines...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

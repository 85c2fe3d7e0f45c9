package archive_test

import (
	"testing"

	"openclaw/toolwasm/guest/archive"
	"openclaw/toolwasm/guest/commandtest"
)

type (
	outcome = commandtest.Result
	step    = commandtest.Step
)

func run(t testing.TB, dir, stdin string, args ...string) outcome {
	t.Helper()
	return commandtest.In(t, dir, archive.Commands()).Run(stdin, args...)
}

func check(t *testing.T, dir string, steps []step) {
	t.Helper()
	commandtest.In(t, dir, archive.Commands()).Check(steps)
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

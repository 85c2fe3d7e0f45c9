package git_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/awk"
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/digest"
	"openclaw/toolwasm/guest/files"
	"openclaw/toolwasm/guest/git"
	"openclaw/toolwasm/guest/search"
	"openclaw/toolwasm/guest/sed"
	"openclaw/toolwasm/guest/system"
	texttools "openclaw/toolwasm/guest/text"
)

// prelude gives every script the same person, and a clock that `tick` moves on by a minute.
const prelude = `umask 022
n=1112911993
tick() { n=$((n+60)); export GIT_AUTHOR_DATE="$n -0700" GIT_COMMITTER_DATE="$n -0700"; }
tick
commit() { tick; echo "$2" >"$1"; git add "$1" && git commit -q -m "${3:-$1}"; }
`

// snapshot shows what a script left behind, as git itself sees it.
const snapshot = `for d in . */; do [ -e "$d/.git" ] || continue
echo "== $d"
git -C "$d" log --all --format='%H %P %an %ae %ad %cn %cd %s' --date=raw
git -C "$d" for-each-ref
git -C "$d" ls-files -s
git -C "$d" status --porcelain=v2 -b --ignored
git -C "$d" fsck --strict 2>&1 | grep -v -e dangling -e 'missing tree 4b825dc' -e '^notice'
done`

var environment = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true", "GIT_MERGE_AUTOEDIT=no", "GIT_PAGER=cat", "LC_ALL=C.UTF-8", "TZ=UTC", "TMPDIR=/nonexistent",
	"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com", "GIT_COMMITTER_NAME=C O Mitter",
	"GIT_COMMITTER_EMAIL=committer@example.com",
}

// script is one case.
type script struct{ name, text string }

// readCases reads the scripts of a file: each begins with "## " and its name.
func readCases(t *testing.T, file string) []script {
	t.Helper()
	data, err := os.ReadFile(file)
	commandtest.Must(t, err)
	var list []script
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			list = append(list, script{name: strings.TrimSpace(name)})
			continue
		}
		if len(list) > 0 {
			list[len(list)-1].text += line
		}
	}
	return list
}

// TestAgreesWithGit runs each script twice, with git and with this program, in directories of the same name, and compares what
// it says and what it leaves.
func TestAgreesWithGit(t *testing.T) {
	gitPath, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git on this machine to compare with")
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash on this machine to run the scripts with")
	}
	names, err := filepath.Glob("testdata/cases/*.txt")
	commandtest.Must(t, err)
	for _, file := range names {
		group := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, c := range readCases(t, file) {
			t.Run(group+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				compareScript(t, shell, gitPath, c.text)
			})
		}
	}
}

func compareScript(t *testing.T, shell, gitPath, text string) {
	base := t.TempDir()
	home := filepath.Join(base, "home")
	work := filepath.Join(base, "work")
	env := append([]string{"HOME=" + home, "PATH=" + filepath.Dir(gitPath) + ":/usr/bin:/bin"}, environment...)
	fresh := func() {
		commandtest.Must(t, os.RemoveAll(work))
		commandtest.Must(t, os.RemoveAll(home))
		commandtest.Must(t, os.MkdirAll(home, 0o755))
		commandtest.Must(t, os.MkdirAll(work, 0o755))
	}
	native := func(script string) commandtest.Result {
		cmd := exec.Command(shell, "-c", script)
		cmd.Dir, cmd.Env = work, env
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return commandtest.Result{Stdout: out.String(), Stderr: errs.String(), Status: cmd.ProcessState.ExitCode()}
	}
	// What stands before a line "---" is done by git both times.
	setup, text, found := strings.Cut(text, "\n---\n")
	if !found {
		setup, text = "", setup
	}
	fresh()
	native(prelude + setup)
	want := native(prelude + text)
	wantState := native(snapshot).Stdout
	fresh()
	native(prelude + setup)
	r := commandtest.In(t, work, git.Commands(), awk.Commands(), digest.Commands(), files.Commands(), texttools.Commands(), search.Commands(), sed.Commands(), system.Commands())
	r.Env = env
	got := r.Run("", "bash", "-c", prelude+text)
	if got.Stdout != want.Stdout || got.Status != want.Status {
		t.Errorf("%s\n--- git (status %d)\n%s--- here (status %d)\n%s--- git's errors\n%s--- errors here\n%s",
			text, want.Status, want.Stdout, got.Status, got.Stdout, want.Stderr, got.Stderr)
	}
	if state := native(snapshot).Stdout; state != wantState {
		t.Errorf("%s\n--- git left\n%s--- this left\n%s--- errors here\n%s", text, wantState, state, got.Stderr)
	}
}

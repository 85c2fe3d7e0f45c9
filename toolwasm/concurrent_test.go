package toolwasm_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// TestManyCallsOnOneWorkspace runs 64 calls at once in one session: each makes its own files, and all append to one.
func TestManyCallsOnOneWorkspace(t *testing.T) {
	tools := newTools(t)
	dir := t.TempDir()
	session, err := tools.box.Open(workspace(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	const calls = 64
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			var out, errs bytes.Buffer
			result, err := tools.toolbox.Exec(t.Context(), session, toolwasm.Script{
				Text:   `mkdir -p d/$1 && seq $1 | sort -n | tail -1 > d/$1/n && cat d/$1/n && echo line $1 >> all && echo x > /tmp/$1`,
				Args:   []string{strconv.Itoa(i + 1)},
				Stdout: &out, Stderr: &errs,
			})
			if err != nil || result.ExitCode != 0 || out.String() != fmt.Sprintf("%d\n", i+1) {
				t.Errorf("call %d: result %+v, error %v, stdout %q, stderr %q", i+1, result, err, out.String(), errs.String())
			}
		})
	}
	wg.Wait()
	all, err := os.ReadFile(filepath.Join(dir, "all"))
	if err != nil || bytes.Count(all, []byte("\n")) != calls {
		t.Errorf("%d lines in the common file, want %d; %v", bytes.Count(all, []byte("\n")), calls, err)
	}
	for i := range calls {
		got, err := os.ReadFile(filepath.Join(dir, "d", strconv.Itoa(i+1), "n"))
		if err != nil || string(got) != fmt.Sprintf("%d\n", i+1) {
			t.Errorf("file of call %d: %q, %v", i+1, got, err)
		}
	}
}

// raceTime is how long TestSwappedDirectories runs: OPENCLAW_RACE_SECONDS, or a little.
func raceTime(t *testing.T) time.Duration {
	if s := os.Getenv("OPENCLAW_RACE_SECONDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("OPENCLAW_RACE_SECONDS: %v", err)
		}
		return time.Duration(n) * time.Second
	}
	if testing.Short() {
		return time.Second
	}
	return 3 * time.Second
}

// TestSwappedDirectories swaps a directory of the workspace for links to a directory outside, to the root and back, as fast as it
// can, while guests walk through it, read and write it. Nothing outside may be read or touched.
func TestSwappedDirectories(t *testing.T) {
	tools := newTools(t)
	root := t.TempDir()
	ws, out := filepath.Join(root, "ws"), filepath.Join(root, "out")
	for _, d := range []string{filepath.Join(ws, "d", "sub"), filepath.Join(out, "sub")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "SECRET-OF-THE-HOST"
	for _, name := range []string{"f", "sub/f"} {
		if err := os.WriteFile(filepath.Join(ws, "d", name), []byte("inside\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name), []byte(secret+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stop atomic.Bool
	var swaps atomic.Int64
	var swapper sync.WaitGroup
	swapper.Go(func() {
		d, spare, link := filepath.Join(ws, "d"), filepath.Join(ws, "spare"), filepath.Join(ws, "link")
		for i := 0; !stop.Load(); i++ {
			target := []string{out, "../out", "/", "/etc"}[i%4]
			_ = os.Symlink(target, link)
			_ = os.Rename(d, spare)
			_ = os.Rename(link, d)
			_ = os.Remove(d)
			_ = os.Rename(spare, d)
			swaps.Add(1)
		}
	})
	const script = `
		for i in {1..40}; do
			cat d/f d/sub/f 2>/dev/null
			ls -lR d 2>/dev/null
			find d -type f -exec cat {} + 2>/dev/null
			grep -rh . d 2>/dev/null
			echo x > d/made 2>/dev/null
			echo x >> d/f 2>/dev/null
			mkdir d/dir 2>/dev/null
			mv d/made d/sub/moved 2>/dev/null
			cp -r d copy 2>/dev/null; cat copy/f copy/passwd 2>/dev/null; rm -rf copy
			ln -s f d/l 2>/dev/null
			chmod 777 d/f d/sub 2>/dev/null
			touch d/touched d/sub/f 2>/dev/null
			rm -rf d/dir d/made d/l d/touched d/sub/moved 2>/dev/null
			truncate -s 3 d/sub/f 2>/dev/null
		done; true`
	deadline := time.Now().Add(raceTime(t))
	var guests sync.WaitGroup
	for range 2 {
		guests.Go(func() {
			for time.Now().Before(deadline) {
				stdout, _, _, err := tools.sh(t.Context(), workspace(ws), script)
				var limit *sandbox.LimitError
				if err != nil && !errors.As(err, &limit) {
					t.Error(err)
					return
				}
				if i := bytes.Index([]byte(stdout), []byte(secret)); i >= 0 {
					t.Errorf("read from outside: %.200q", stdout[i:])
					return
				}
				if i := bytes.Index([]byte(stdout), []byte("root:")); i >= 0 {
					t.Errorf("read from /etc: %.200q", stdout[i:])
					return
				}
			}
		})
	}
	guests.Wait()
	stop.Store(true)
	swapper.Wait()
	if swaps.Load() == 0 {
		t.Error("nothing was swapped")
	}
	wantUntouched(t, out, secret)
}

// wantUntouched checks that the directory outside holds what it held.
func wantUntouched(t *testing.T, out, secret string) {
	t.Helper()
	want := map[string]bool{".": true, "f": true, "sub": true, "sub/f": true}
	err := filepath.WalkDir(out, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(out, name)
		if err != nil {
			return err
		}
		if !want[filepath.ToSlash(rel)] {
			t.Errorf("%s was made outside", rel)
		}
		delete(want, filepath.ToSlash(rel))
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm() == 0o777 {
			t.Errorf("%s has another mode", rel)
		}
		if !d.IsDir() {
			if data, err := os.ReadFile(name); err != nil || string(data) != secret+"\n" {
				t.Errorf("%s holds %q, %v", rel, data, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(want) > 0 {
		t.Errorf("gone from outside: %v", want)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
)

// openclawAt is the command with a state directory of its own, and a key in its environment.
func openclawAt(ctx context.Context, state string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Args[0] = "openclaw"
	cmd.Env = append(os.Environ(), "OPENCLAW_STATE_DIR="+state, "WIRETEST_KEY="+wiretest.Key)
	return cmd
}

// wireState is a state directory whose agent asks a server.
func wireState(t testing.TB, api, url string) string {
	t.Helper()
	state := t.TempDir()
	text := fmt.Sprintf(`{
		agents: {defaults: {model: "test/m"}},
		models: {providers: {test: {baseUrl: %q, api: %q, apiKey: "${WIRETEST_KEY}", models: [{id: "m", reasoning: true, input: ["text", "image"], contextWindow: 200000}]}}},
	}`, url, api)
	if err := os.WriteFile(filepath.Join(state, "openclaw.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return state
}

// TestTheCommandTalksToEachKindOfProvider runs whole turns, with tools, as processes.
func TestTheCommandTalksToEachKindOfProvider(t *testing.T) {
	compileToolbox(t)
	for _, api := range wiretest.APIs {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			s := wiretest.New(api,
				wiretest.Turn{
					Thinking: "hm", Text: "I löök.", Fragment: 3, Write: 7, KeepAlive: true,
					Calls: []wiretest.Call{{Name: "exec", Arguments: `{"command":"echo hällo > a; cat a"}`}, {Name: "read", Arguments: `{"path":"nothing"}`}},
				},
				wiretest.Turn{Text: "Done: hällo.", Usage: wiretest.Usage{Input: 100, Output: 10}},
			)
			defer s.Close()
			state := wireState(t, api, s.URL)
			var stdout, stderr bytes.Buffer
			cmd := openclawAt(t.Context(), state, "agent", "-m", "look", "--thinking", "low")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if got := stdout.String(); got != "I löök.\nDone: hällo.\n" {
				t.Errorf("stdout %q", got)
			}
			if text := stderr.String(); strings.Count(text, "· exec echo hällo > a; cat a (") != 1 || strings.Count(text, "· read nothing (") != 1 {
				t.Errorf("stderr %q", text)
			}
			requests := s.Requests()
			if len(requests) != 2 || !bytes.Contains(requests[1].Body, []byte("hällo")) {
				t.Errorf("%d requests", len(requests))
			}
		})
	}
}

// TestKeysAreNowhere plants a key, lets everything go wrong that can, and looks for the key in all that was written.
func TestKeysAreNowhere(t *testing.T) {
	compileToolbox(t)
	for _, api := range wiretest.APIs {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			echo := "your key " + wiretest.Key + " is bad"
			s := wiretest.New(api,
				wiretest.Turn{Text: "half", Break: wiretest.BreakError, Message: echo},
				wiretest.Turn{Calls: []wiretest.Call{{Name: "exec", Arguments: `{"command":"env; cat /proc/self/environ; ls -R /"}`}}},
				wiretest.Turn{Status: 400, Message: echo},
				wiretest.Turn{Status: 401, Message: echo},
				wiretest.Turn{Raw: "data: " + echo + "\n\n"},
			)
			defer s.Close()
			state := wireState(t, api, s.URL)
			var written bytes.Buffer
			for _, args := range [][]string{
				{"agent", "-m", "a", "--verbose", "on"},
				{"agent", "-m", "b", "--json", "--timeout", "2"},
				{"agent", "-m", "c"},
				{"models", "status"},
				{"models", "status", "--json"},
				{"models", "list", "--json"},
				{"status", "--json"},
				{"config", "get", "models"},
				{"sessions", "export", "agent:main:main"},
				{"prompt"},
			} {
				out, err := openclawAt(t.Context(), state, args...).CombinedOutput()
				fmt.Fprintf(&written, "%v: %v\n%s\n", args, err, out)
			}
			if bytes.Contains(written.Bytes(), []byte(wiretest.Key)) {
				t.Errorf("the key is in the output:\n%s", written.String())
			}
			lookForKey(t, state)
		})
	}
}

// lookForKey looks through every file of a directory.
func lookForKey(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte(wiretest.Key)) {
			t.Errorf("the key is in %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkAgentTurn is a turn with a call of a tool, as a process, against a server.
func BenchmarkAgentTurn(b *testing.B) {
	var turns []wiretest.Turn
	for range b.N {
		turns = append(turns, wiretest.Turn{Text: "I look.", Calls: []wiretest.Call{{Name: "exec", Arguments: `{"command":"ls -la; echo x > a"}`}}}, wiretest.Turn{Text: "Done."})
	}
	s := wiretest.New(wire.APICompletions, turns...)
	defer s.Close()
	state := wireState(b, wire.APICompletions, s.URL)
	peaks := filepath.Join(b.TempDir(), "peaks")
	b.ResetTimer()
	for range b.N {
		cmd := openclawAt(b.Context(), state, "agent", "--session-key", "agent:main:bench", "--json", "-m", "look")
		measured := measurePeak(cmd, peaks)
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		var result struct{ OK bool }
		if err := json.Unmarshal(out, &result); err != nil || !result.OK {
			b.Fatalf("%v: %s", err, out)
		}
		if measured {
			b.ReportMetric(float64(highest(b, peaks))/1000, "peak-MB")
		}
	}
}

// measurePeak makes GNU time run a command and write down how many KiB of memory it had at most. The kernel counts the memory of the
// process that started a command as the command's, so this one cannot do it.
func measurePeak(cmd *exec.Cmd, file string) bool {
	timer, err := exec.LookPath("time")
	if err != nil {
		return false
	}
	self := filepath.Join(filepath.Dir(file), "openclaw")
	if os.Symlink(cmd.Path, self) != nil {
		if _, err := os.Lstat(self); err != nil {
			return false
		}
	}
	cmd.Args = append([]string{"time", "-a", "-o", file, "-f", "%M", self}, cmd.Args[1:]...)
	cmd.Path = timer
	return true
}

// highest is the largest of the numbers in a file, in kB.
func highest(t testing.TB, file string) int64 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	for _, line := range strings.Fields(string(text)) {
		n, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, n<<10/1000)
	}
	return most
}

package config_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
)

func (h *home) edit(at, value string) config.Edit {
	h.t.Helper()
	e := config.Edit{Path: path(h.t, at)}
	if value == "" {
		return e
	}
	doc, err := json5.Parse("value", value)
	if err != nil {
		h.t.Fatal(err)
	}
	e.Value = doc.Root
	return e
}

func (h *home) change(at, value string) (*config.Outcome, error) {
	h.t.Helper()
	return config.Change(h.t.Context(), h.options(), h.edit(at, value))
}

// names lists the state directory.
func (h *home) names() string {
	h.t.Helper()
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

const commented = `// my configuration
{
  session: {
    scope: "global", // everything in one
    /* not yet:
    resetByType: {}, */
  },
}
`

func TestChangeKeepsTheRestOfTheFile(t *testing.T) {
	h := newHome(t, commented, nil)
	if _, err := h.change("session.resetByType", `{}`); err != nil {
		t.Fatal(err)
	}
	if _, err := h.change("agents.defaults.sandbox.mode", `"all"`); err != nil {
		t.Fatal(err)
	}
	if _, err := h.change("session.scope", ""); err != nil {
		t.Fatal(err)
	}
	want := `// my configuration
{
  session: {
    // everything in one
    /* not yet:
    resetByType: {}, */
    resetByType: {},
  },
  agents: {
    defaults: {
      sandbox: {
        mode: "all"
      }
    }
  },
}
`
	if got := h.read("openclaw.json"); got != strings.Replace(want, "    /* not yet:\n    resetByType: {}, */\n    resetByType: {},\n", "    resetByType: {},\n    /* not yet:\n    resetByType: {}, */\n", 1) {
		t.Errorf("the file is\n%s", got)
	}
	c := h.load()
	if c.Session.Scope != "per-sender" || c.Value(path(t, "session.resetByType")) == nil || c.Agents.Defaults.Sandbox.Mode != "all" {
		t.Errorf("%+v", c.Session)
	}
}

func TestChangeMakesThePrivateFile(t *testing.T) {
	h := newHome(t, "", nil)
	h.env[config.EnvStateDir] = filepath.Join(h.dir, "new", "state")
	outcome, err := h.change("session.scope", `"global"`)
	if err != nil || !outcome.Changed || outcome.Backup != "" {
		t.Fatalf("%+v, %v", outcome, err)
	}
	for name, want := range map[string]os.FileMode{outcome.File: 0o600, filepath.Dir(outcome.File): 0o700 | os.ModeDir} {
		info, err := os.Stat(name)
		if err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	if got := h.read("new/state/openclaw.json"); got != "{\n  \"session\": {\n    \"scope\": \"global\"\n  }\n}\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestAWrongEditIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	for _, c := range []struct{ at, value, want string }{
		{"session.scope", `"globl"`, `config: $/openclaw.json would not be valid, nothing was written:
  $/openclaw.json:4:12: session.scope: must be "per-sender" or "global", not "globl" (did you mean "global"?)`},
		{"agents.defaults.sandbx", `{}`, `config: $/openclaw.json would not be valid, nothing was written:
  $/openclaw.json:10:7: agents.defaults.sandbx: unknown key (did you mean "sandbox"?)`},
		{"session", `5`, `config: $/openclaw.json would not be valid, nothing was written:
  $/openclaw.json:3:12: session: must be an object, not a number`},
		{"session.scope.x", `5`, `config: edit $/openclaw.json: session.scope.x: session.scope is a string`},
		{"agents.list[1]", `{}`, `config: edit $/openclaw.json: agents.list[1]: agents does not exist, and a new list begins at 0`},
		{"session.reset", ``, `config: edit $/openclaw.json: session.reset is not set`},
		{"env.vars.KEY", `"***"`, `config: $/openclaw.json would not be valid, nothing was written:
  $/openclaw.json:10:12: env.vars.KEY: is "***", which stands for a secret when it is shown, not a secret`},
	} {
		h := newHome(t, commented, nil)
		_, err := h.change(c.at, c.value)
		if err == nil || strings.ReplaceAll(err.Error(), h.dir, "$") != c.want {
			t.Errorf("%s=%s: %v\nwant %s", c.at, c.value, err, c.want)
		}
		if h.read("openclaw.json") != commented || h.names() != "openclaw.json" {
			t.Errorf("%s=%s: something was written: %s", c.at, c.value, h.names())
		}
	}
}

func TestAWrongFileCanBeRepairedStepByStep(t *testing.T) {
	h := newHome(t, "{\n  one: 1,\n  two: 2,\n  session: {},\n}\n", nil)
	if _, err := h.change("session.scope", `"global"`); err == nil {
		t.Error("an edit that mends nothing is accepted")
	}
	if _, err := h.change("one", `2`); err == nil {
		t.Error("an edit of what must go is accepted")
	}
	outcome, err := h.change("one", "")
	if err != nil || len(outcome.Remaining) != 1 || outcome.Remaining[0].Path != "two" {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if outcome, err = h.change("two", ""); err != nil || len(outcome.Remaining) != 0 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if _, err := h.change("session.scope", `"global"`); err != nil {
		t.Error(err)
	}
	h.write("openclaw.json", "{ session: ")
	_, err = h.change("session", "{}")
	if got := strings.Join(h.problems(err), ""); got != "openclaw.json:1:12: a value is missing at the end of the text" {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

func TestValuesOfIncludedFilesAreLeftToTheirFile(t *testing.T) {
	h := newHome(t, "{\n  agents: { defaults: { $include: \"s.json\", contextInjection: \"never\" } },\n}\n",
		map[string]string{"s.json": `{skipBootstrap: true, contextInjection: "always", skills: ["x"]}`})
	for _, c := range []struct{ at, value, want string }{
		{"agents.defaults.skipBootstrap", `false`, "config: edit $/openclaw.json: agents.defaults.skipBootstrap is set in an included file: edit $/s.json"},
		{"agents.defaults.skipBootstrap", ``, "config: edit $/openclaw.json: agents.defaults.skipBootstrap is set in an included file: edit $/s.json"},
		{"agents.defaults.skills", `["y"]`, "config: edit $/openclaw.json: agents.defaults.skills is set in an included file: edit $/s.json"},
		{"agents.defaults", `{skipBootstrap: true}`, ""},
	} {
		edit := h.edit(c.at, c.value)
		edit.DryRun = true
		_, err := config.Change(t.Context(), h.options(), edit)
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), h.dir, "$")
		}
		if got != c.want {
			t.Errorf("%s: %v", c.at, err)
		}
	}
	if _, err := h.change("agents.defaults.bootstrapMaxChars", `100`); err != nil {
		t.Errorf("a key beside the $include: %v", err)
	}
	outcome, err := h.change("agents.defaults.contextInjection", "")
	if err != nil || outcome.StillSet != filepath.Join(h.dir, "s.json") {
		t.Errorf("%+v, %v", outcome, err)
	}
}

func TestPlaceholdersStayInTheFile(t *testing.T) {
	h := newHome(t, "{\n  env: { vars: { A: \"${SET}\" } },\n}\n", nil)
	h.env["SET"] = "planted"
	if _, err := h.change("env.vars.B", `"x${SET}"`); err != nil {
		t.Fatal(err)
	}
	if got := h.read("openclaw.json"); got != "{\n  env: { vars: { A: \"${SET}\", B: \"x${SET}\" } },\n}\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestEntriesAreNotLostByChance(t *testing.T) {
	const text = "{\n  agents: { entries: {\n    a: { contextInjection: \"never\" }, // first\n    b: {}, // second\n  } },\n}\n"
	h := newHome(t, text, nil)
	if _, err := h.change("agents.entries", "{a: {}}"); !errors.Is(err, config.ErrDrops) || h.read("openclaw.json") != text {
		t.Errorf("%v", err)
	}
	edit := h.edit("agents.entries", `{a: {sandbox: {mode: "all"}}, c: {}}`)
	edit.Merge = true
	if _, err := config.Change(t.Context(), h.options(), edit); err != nil {
		t.Fatal(err)
	}
	want := "{\n  agents: { entries: {\n    a: { contextInjection: \"never\", sandbox: { mode: \"all\" } }, // first\n    b: {}, // second\n    c: {},\n  } },\n}\n"
	if got := h.read("openclaw.json"); got != want {
		t.Errorf("merged to\n%s", got)
	}
	edit = h.edit("agents.entries", "{a: {}}")
	edit.Drop = true
	if _, err := config.Change(t.Context(), h.options(), edit); err != nil || len(h.load().Agents.IDs) != 1 {
		t.Errorf("replaced: %v", err)
	}
}

func TestBackupsAreARing(t *testing.T) {
	h := newHome(t, "", nil)
	for i := range 8 {
		if _, err := h.change("session.maintenance.maxEntries", fmt.Sprint(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if want := "openclaw.json openclaw.json.bak openclaw.json.bak.1 openclaw.json.bak.2 openclaw.json.bak.3 openclaw.json.bak.4"; h.names() != want {
		t.Errorf("files %s", h.names())
	}
	for i, name := range strings.Fields(h.names()) {
		if want := fmt.Sprintf(`"maxEntries": %d`, 8-i); !strings.Contains(h.read(name), want) {
			t.Errorf("%s has not %s", name, want)
		}
		if info, err := os.Stat(filepath.Join(h.dir, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if outcome, err := h.change("session.maintenance.maxEntries", "8"); err != nil || outcome.Changed {
		t.Errorf("writing what is there: %+v, %v", outcome, err)
	}
}

func TestAFailedWriteLeavesEverythingAsItWas(t *testing.T) {
	for _, c := range []struct {
		name string
		fail config.Failing
		want string
	}{
		{"read-only directory", config.Failing{Create: syscall.EROFS}, "read-only file system"},
		{"full disk", config.Failing{Write: syscall.ENOSPC}, "no space left on device"},
		{"sync", config.Failing{Sync: syscall.EIO}, "input/output error"},
		{"rotate the backups", config.Failing{Rename: syscall.EIO}, "keep a backup: input/output error"},
		{"rename", config.Failing{Rename: syscall.EACCES, RenameAfter: 5}, "permission denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, commented, map[string]string{"openclaw.json.bak": "{}"})
			_, err := config.ChangeFailing(h.options(), h.edit("session.scope", `"per-sender"`), c.fail)
			if want := "config: write " + h.dir + "/openclaw.json: " + c.want; err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			if h.read("openclaw.json") != commented {
				t.Error("the file has changed")
			}
			if slices.ContainsFunc(strings.Fields(h.names()), func(n string) bool { return strings.Contains(n, ".new-") }) {
				t.Errorf("something is left: %s", h.names())
			}
		})
	}
}

func TestAFileThatChangesMeanwhileIsNotOverwritten(t *testing.T) {
	h := newHome(t, commented, nil)
	const theirs = "{ session: {} }"
	_, err := config.ChangeFailing(h.options(), h.edit("session.scope", `"per-sender"`), config.Failing{Between: func() { h.write("openclaw.json", theirs) }})
	if !errors.Is(err, config.ErrChanged) || h.read("openclaw.json") != theirs {
		t.Errorf("%v; the file is %s", err, h.read("openclaw.json"))
	}
	h = newHome(t, "", nil)
	_, err = config.ChangeFailing(h.options(), h.edit("session.scope", `"per-sender"`), config.Failing{Between: func() { h.write("openclaw.json", theirs) }})
	if !errors.Is(err, config.ErrChanged) || h.read("openclaw.json") != theirs {
		t.Errorf("a file that appears: %v", err)
	}
}

func TestWritersAreRefused(t *testing.T) {
	h := newHome(t, commented, nil)
	h.env[config.EnvReadOnly] = "1"
	if _, err := h.change("session.scope", `"per-sender"`); !errors.Is(err, config.ErrReadOnly) {
		t.Errorf("read-only by the environment: %v", err)
	}
	delete(h.env, config.EnvReadOnly)
	if os.Getuid() == 0 {
		t.Skip("root writes into read-only directories")
	}
	if err := os.Chmod(h.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(h.dir, 0o700) })
	if _, err := h.change("session.scope", `"per-sender"`); err == nil || !strings.HasSuffix(err.Error(), "permission denied") {
		t.Errorf("read-only directory: %v", err)
	}
}

func TestAStateDirectoryThatCannotBe(t *testing.T) {
	h := newHome(t, "", map[string]string{"file": ""})
	h.env[config.EnvStateDir] = filepath.Join(h.dir, "file", "state")
	_, err := h.change("session.scope", `"per-sender"`)
	if err == nil || !strings.HasSuffix(err.Error(), "openclaw.json: not a directory") {
		t.Errorf("%v", err)
	}
}

func TestADirectoryThatCannotBeSyncedIsSaid(t *testing.T) {
	h := newHome(t, commented, nil)
	_, err := config.ChangeFailing(h.options(), h.edit("session.scope", `"per-sender"`), config.Failing{SyncDir: syscall.EIO})
	if err == nil || !strings.HasSuffix(err.Error(), "sync the directory after the file was replaced: input/output error") {
		t.Errorf("%v", err)
	}
	if h.load().Session.Scope != "per-sender" {
		t.Error("the file was not replaced")
	}
}

func TestAnotherWriterIsWaitedFor(t *testing.T) {
	h := newHome(t, commented, nil)
	unlock, err := config.LockDirectory(t.Context(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := config.Change(ctx, h.options(), h.edit("session.scope", `"per-sender"`)); !errors.Is(err, context.Canceled) {
		t.Errorf("while another one writes: %v", err)
	}
	unlock()
	if _, err := h.change("session.scope", `"per-sender"`); err != nil {
		t.Error(err)
	}
}

func TestWhatAKilledWriterLeftIsRemoved(t *testing.T) {
	h := newHome(t, commented, map[string]string{"openclaw.json.new-123": "half"})
	if _, err := h.change("session.scope", `"per-sender"`); err != nil {
		t.Fatal(err)
	}
	if want := "openclaw.json openclaw.json.bak"; h.names() != want {
		t.Errorf("files %s", h.names())
	}
}

func TestWritersAtOnceLoseNothing(t *testing.T) {
	h := newHome(t, "{\n}\n", nil)
	var all sync.WaitGroup
	const writers = 12
	for i := range writers {
		all.Go(func() {
			if _, err := h.change(fmt.Sprintf("agents.entries.p%d", i), `{}`); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(h.load().Agents.IDs); n != writers {
		t.Errorf("%d of %d edits are there", n, writers)
	}
}

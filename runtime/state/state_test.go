package state_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/state"
	"openclaw/workspace"
)

func open(t *testing.T, dir string) *state.DB {
	t.Helper()
	db, err := state.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var noon = time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)

func identity(name string) workspace.Identity {
	return workspace.Identity{Key: "key-" + name, Path: "/real/" + name, Alias: "alias-" + name, Named: "/named/" + name}
}

func TestWorkspacesSurviveReopening(t *testing.T) {
	dir, id := t.TempDir(), identity("a")
	want := workspace.Record{SeededAt: noon, AttestedAt: noon.Add(time.Hour), Generated: map[string]string{"AGENTS.md": "aa", "SOUL.md": "bb"}}
	db := open(t, dir)
	err := db.SaveWorkspace(t.Context(), id, func(r workspace.Record) workspace.Record {
		if !r.AttestedAt.IsZero() || r.Generated != nil {
			t.Errorf("a workspace that nobody knows: %+v", r)
		}
		return want
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	db = open(t, dir)
	got, err := db.Workspace(t.Context(), id)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if path, err := db.Known(t.Context(), id); err != nil || path != id.Path {
		t.Errorf("name leads to %q, %v", path, err)
	}
}

func TestForgettingLooksAtTheTimeAgain(t *testing.T) {
	db, id := open(t, t.TempDir()), identity("a")
	save := func(at time.Time) {
		err := db.SaveWorkspace(t.Context(), id, func(workspace.Record) workspace.Record { return workspace.Record{AttestedAt: at} })
		if err != nil {
			t.Fatal(err)
		}
	}
	save(noon)
	if done, err := db.ForgetWorkspace(t.Context(), id, noon.Add(-time.Second)); done || err != nil {
		t.Errorf("forgot what was attested meanwhile: %v", err)
	}
	if done, err := db.ForgetWorkspace(t.Context(), id, noon); !done || err != nil {
		t.Errorf("did not forget: %v", err)
	}
	if path, err := db.Known(t.Context(), id); path != "" || err != nil {
		t.Errorf("still known as %q, %v", path, err)
	}
}

func TestSessionDirectoriesAreOnRecord(t *testing.T) {
	db := open(t, t.TempDir())
	d := workspace.SessionDir{
		Root: "/boxes", Name: "n", MadeAt: noon, UsedAt: noon,
		Owner: workspace.Owner{Scope: workspace.ScopeSession, Agent: "main", Session: "agent:main:x", Workspace: "/ws"},
	}
	later := d
	later.MadeAt, later.UsedAt = noon.Add(time.Hour), noon.Add(time.Hour)
	for _, step := range []struct {
		d    workspace.SessionDir
		made bool
	}{{d, true}, {later, false}, {d, false}} {
		if err := db.SaveSessionDir(t.Context(), step.d, step.made); err != nil {
			t.Fatal(err)
		}
	}
	all, err := db.SessionDirs(t.Context())
	if err != nil || len(all) != 1 || !all[0].MadeAt.Equal(noon) || !all[0].UsedAt.Equal(later.UsedAt) || all[0].Owner != d.Owner {
		t.Errorf("%+v, %v", all, err)
	}
	if err := db.SaveSessionDir(t.Context(), later, true); err != nil {
		t.Fatal(err)
	}
	if all, _ := db.SessionDirs(t.Context()); !all[0].MadeAt.Equal(later.MadeAt) {
		t.Error("one that was made anew is as old as before")
	}
	if err := db.ForgetSessionDir(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if all, _ := db.SessionDirs(t.Context()); len(all) != 0 {
		t.Error("it is still on record")
	}
}

func TestReadingMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	db, err := state.OpenReadOnly(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if all, err := db.SessionDirs(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if err := db.ForgetSessionDir(t.Context(), workspace.SessionDir{}); err == nil {
		t.Error("something was written")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a directory was made")
	}
}

func TestForeignDatabasesAreNotTouched(t *testing.T) {
	dir := t.TempDir()
	path := state.Path(dir)
	os.MkdirAll(filepath.Dir(path), 0o700)
	os.WriteFile(path, []byte("not a database at all, but somebody's"), 0o600)
	_, err := state.Open(t.Context(), dir)
	var typed *state.Error
	if !errors.As(err, &typed) {
		t.Errorf("error %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "not a database at all, but somebody's" {
		t.Error("it was written")
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for w := range 4 {
		db := open(t, dir)
		group.Go(func() {
			for i := range 20 {
				d := workspace.SessionDir{Root: "/r", Name: fmt.Sprint(w, "-", i), MadeAt: noon, UsedAt: noon}
				if err := db.SaveSessionDir(t.Context(), d, true); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if all, err := open(t, dir).SessionDirs(t.Context()); err != nil || len(all) != 80 {
		t.Errorf("%d directories, %v", len(all), err)
	}
}

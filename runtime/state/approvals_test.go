package state_test

import (
	"reflect"
	"testing"
	"time"

	"openclaw/runtime/bundles"
	"openclaw/runtime/state"
	"openclaw/skills/capability"
)

func TestApprovalsOfSkillsSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	a := bundles.Approval{
		Name: "tea", Version: "1.0.0", Digest: "sha256:00", Signer: "unsigned", At: noon,
		Allowed: capability.Set{
			Workspace: capability.Read, Paths: []string{"a"}, Env: []string{"A"}, Spawn: []string{"git"}, Time: true, Random: true,
			Memory: 1, Disk: 2, Fuel: capability.Unbounded, Timeout: time.Second, Output: 3,
		},
	}
	older := a
	older.Version, older.Allowed = "0.9.0", capability.Set{}
	for _, one := range []bundles.Approval{older, a} {
		if err := db.SaveApproval(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	db = open(t, dir)
	if got, ok, err := db.Approval(t.Context(), "tea"); err != nil || !ok || !reflect.DeepEqual(got, a) {
		t.Errorf("%+v, %v, %v; want %+v", got, ok, err, a)
	}
	if _, ok, err := db.Approval(t.Context(), "cake"); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if was, err := db.ForgetApproval(t.Context(), "tea"); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	if was, err := db.ForgetApproval(t.Context(), "tea"); was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	empty, err := state.OpenReadOnly(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := empty.Approval(t.Context(), "tea"); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

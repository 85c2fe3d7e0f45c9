package bundles_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/runtime/bundles"
	"openclaw/sandbox"
	"openclaw/skills/bundle"
	"openclaw/skills/capability"
	"openclaw/skills/manifest"
	"openclaw/toolwasm"
)

// TestACallIsNeverGrantedMore draws what is asked for, what is approved and what the session has, and looks at the grant that a call gets.
func TestACallIsNeverGrantedMore(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"ws/a/b", "ws/c", "ws/.git", "own", "over"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	source := sandbox.Source{Open: func() ([]byte, error) { return nil, nil }}
	rapid.Check(t, func(t *rapid.T) {
		set := func(label string) capability.Set {
			names := func(what string, from ...string) []string {
				return rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(t, label+what)
			}
			number := func(what string) int64 { return rapid.Int64Range(1, 5).Draw(t, label+what) << 20 }
			return capability.Set{
				Workspace: rapid.SampledFrom([]capability.Access{capability.None, capability.Read, capability.Write}).Draw(t, label+"workspace"),
				Paths:     names("paths", "a", "a/b", "c", "missing"), Env: names("env", "A", "B", "C"), Spawn: names("spawn", "git", "js", "tea"),
				Time: rapid.Bool().Draw(t, label+"time"), Random: rapid.Bool().Draw(t, label+"random"),
				Memory: number("memory"), Disk: number("disk"), Fuel: number("fuel"), Timeout: time.Duration(number("timeout")), Output: number("output"),
			}.Normal()
		}
		asked, approved := set("asked "), set("approved ")
		session := sandbox.Grant{Tmp: true, Env: rapid.SliceOfN(rapid.SampledFrom([]string{"A=1", "B=2", "D=4"}), 0, 3).Draw(t, "env")}
		if rapid.Bool().Draw(t, "has a workspace") {
			session.Mounts = append(session.Mounts, sandbox.Mount{
				Guest: "/workspace", Host: filepath.Join(dir, "ws"), Access: rapid.SampledFrom([]sandbox.Access{sandbox.ReadOnly, sandbox.ReadWrite}).Draw(t, "access"),
			})
			if rapid.Bool().Draw(t, "covered") {
				session.Mounts = append(session.Mounts, sandbox.Mount{Guest: "/workspace/a", Host: filepath.Join(dir, "over")})
			}
		}
		session.Mounts = append(session.Mounts, sandbox.Mount{Guest: "/skills/other", Host: filepath.Join(dir, "own")}, sandbox.Mount{Guest: "/agent", Host: filepath.Join(dir, "own")})
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"git", "js", "tea"}), 0, 3, rapid.ID).Draw(t, "programs") {
			p := sandbox.NamedProgram{Name: name, Source: source}
			if name == "tea" { // another skill's command
				p.Apart = &sandbox.Apart{}
			}
			session.Programs = append(session.Programs, p)
		}
		session.Limits = sandbox.Limits{Memory: rapid.Int64Range(0, 5).Draw(t, "memory") << 20, Fuel: rapid.Int64Range(0, 5).Draw(t, "fuel") << 20}

		i := &bundles.Installed{
			Bundle:   &bundle.Bundle{Manifest: &manifest.Manifest{Name: "mine", Version: "1.0.0", Requests: asked}},
			Dir:      filepath.Join(dir, "own"),
			Approval: &bundles.Approval{Signer: bundle.Unsigned, Allowed: approved, Digest: bundle.Digest{}.String()},
		}
		grant, err := i.Grant(session)
		if !asked.Within(approved) {
			if err == nil {
				t.Fatalf("it runs, though it asks for %q more", asked.Beyond(approved))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkGrant(t, grant, session, asked, approved)
	})
}

// checkGrant compares a grant with each of the three, item by item.
func checkGrant(t *rapid.T, grant, session sandbox.Grant, asked, approved capability.Set) {
	for _, m := range grant.Mounts {
		if m.Guest == "/skills/mine" && m.Access == sandbox.ReadOnly {
			continue
		}
		at, ok := strings.CutPrefix(m.Guest, "/workspace")
		if !ok {
			t.Fatalf("%+v is none of its business", m)
		}
		at = strings.TrimPrefix(at, "/")
		for _, s := range []capability.Set{asked, approved} {
			inside := len(s.Paths) == 0 || slices.ContainsFunc(s.Paths, func(p string) bool { return at == p || strings.HasPrefix(at, p+"/") })
			if s.Workspace == capability.None || !inside || m.Access == sandbox.ReadWrite && s.Workspace != capability.Write {
				t.Fatalf("mount %+v by %+v", m, s)
			}
		}
		// The session sees the same directory at the same place, and may do as much there.
		of := sandbox.Mount{}
		for _, o := range session.Mounts {
			if (m.Guest == o.Guest || strings.HasPrefix(m.Guest, o.Guest+"/")) && len(o.Guest) > len(of.Guest) {
				of = o
			}
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(m.Guest, of.Guest), "/")
		if m.Host != of.Host || path.Join(m.Below) != rest && m.Below != rest || m.Access > of.Access {
			t.Fatalf("mount %+v of %+v", m, of)
		}
	}
	base := toolwasm.BaseEnv()
	for _, v := range grant.Env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains(base, v) && !(slices.Contains(session.Env, v) && slices.Contains(asked.Env, name) && slices.Contains(approved.Env, name)) {
			t.Fatalf("variable %s", v)
		}
	}
	for _, p := range grant.Programs {
		if p.Apart != nil || !slices.Contains(asked.Spawn, p.Name) || !slices.Contains(approved.Spawn, p.Name) {
			t.Fatalf("program %s", p.Name)
		}
	}
	if (grant.Clock == nil) != (asked.Time && approved.Time) || (grant.Random == nil) != (asked.Random && approved.Random) {
		t.Fatal("clock or randomness")
	}
	l := grant.Limits
	for _, s := range []capability.Set{asked, approved} {
		if l.Memory > s.Memory || l.MemoryTotal > s.Memory || l.Disk > s.Disk || l.FileSize > s.Disk || l.Timeout > s.Timeout || l.Output > s.Output || l.Fuel > s.Fuel {
			t.Fatalf("limits %+v, %+v", l, s)
		}
	}
	if min(l.Memory, l.Disk, l.Fuel, int64(l.Timeout), l.Output) <= 0 {
		t.Fatalf("a limit that is none: %+v", l)
	}
	if s := session.Limits; s.Memory > 0 && l.Memory > s.Memory || s.Fuel > 0 && l.Fuel > s.Fuel {
		t.Fatalf("limits %+v of the session %+v", l, s)
	}
}

// TestADirectoryToWriteInIsMade but not where something could be that a host program obeys, and not through a link.
func TestADirectoryToWriteInIsMade(t *testing.T) {
	ws := t.TempDir()
	if err := os.Mkdir(filepath.Join(ws, "skills"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": t.TempDir(), "in": "skills"} {
		if err := os.Symlink(target, filepath.Join(ws, name)); err != nil {
			t.Fatal(err)
		}
	}
	session := sandbox.Grant{Mounts: []sandbox.Mount{{Guest: "/workspace", Host: ws, Access: sandbox.ReadWrite, Protect: []string{"/skills"}}}}
	for at, want := range map[string]bool{"reports/2026": true, "skills/new": false, "out": false, "out/x": false, "in/x": false} {
		set := capability.Set{Workspace: capability.Write, Paths: []string{at}, Memory: 1 << 20, Disk: 1, Fuel: 1, Timeout: 1, Output: 1}
		i := &bundles.Installed{
			Bundle: &bundle.Bundle{Manifest: &manifest.Manifest{Name: "mine", Requests: set}}, Dir: ws,
			Approval: &bundles.Approval{Signer: bundle.Unsigned, Allowed: set, Digest: bundle.Digest{}.String()},
		}
		grant, err := i.Grant(session)
		if err != nil || (len(grant.Mounts) == 2) != want {
			t.Errorf("%s: %+v, %v", at, grant.Mounts, err)
		}
		if st, err := os.Lstat(filepath.Join(ws, at)); want && (err != nil || !st.IsDir()) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if made, err := os.ReadDir(filepath.Join(ws, "skills")); err != nil || len(made) > 0 {
		t.Errorf("made where nothing may be: %v, %v", made, err)
	}
}

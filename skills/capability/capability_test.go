package capability_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/skills/capability"
)

// draw makes any set. Its lists are short and of few names, so that two sets have something in common.
func draw(t *rapid.T, label string) capability.Set {
	names := func(what string, from ...string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(from), 0, 4).Draw(t, label+what)
	}
	number := rapid.Int64Range(0, 3)
	s := capability.Set{
		Workspace: rapid.SampledFrom([]capability.Access{capability.None, capability.Read, capability.Write, "all"}).Draw(t, label+"workspace"),
		Paths:     names("paths", ".", "a", "a/b", "a/b/c", "ab", "b", "b/c"),
		Env:       names("env", "A", "B", "C"),
		Spawn:     names("spawn", "git", "js"),
		Time:      rapid.Bool().Draw(t, label+"time"), Random: rapid.Bool().Draw(t, label+"random"),
		Memory: number.Draw(t, label+"memory"), Disk: number.Draw(t, label+"disk"), Fuel: number.Draw(t, label+"fuel"),
		Timeout: time.Duration(number.Draw(t, label+"timeout")), Output: number.Draw(t, label+"output"),
	}
	for _, o := range names("net", "https://a.example", "https://b.example") {
		s.Net = append(s.Net, capability.Net{Origin: o, Methods: names("methods", "GET", "POST")})
		s.Secrets = append(s.Secrets, capability.Secret{Name: "KEY", Origin: o})
	}
	return s
}

// allows answers single questions about a set in the most direct way, to compare the arithmetic with.
func allows(s capability.Set, path string, write bool) bool {
	if s.Workspace != capability.Write && (write || s.Workspace != capability.Read) {
		return false
	}
	return len(s.Paths) == 0 || slices.ContainsFunc(s.Paths, func(p string) bool {
		return p == "." || strings.HasPrefix(path+"/", p+"/")
	})
}

// TestWhatIsGrantedIsNeverWider holds for any number of sets: requested, approved, the session's.
func TestWhatIsGrantedIsNeverWider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requested, approved, session := draw(t, "requested "), draw(t, "approved "), draw(t, "session ")
		granted := capability.Intersect(capability.Intersect(requested, approved), session)
		for _, s := range []capability.Set{requested, approved, session} {
			if more := granted.Beyond(s); len(more) > 0 {
				t.Fatalf("%+v\nis wider than %+v: %q", granted, s, more)
			}
		}
		for _, p := range []string{"a", "a/b", "a/b/c", "a/b/c/d", "ab", "abc", "b", "b/c", "c", "."} {
			for _, write := range []bool{false, true} {
				want := allows(requested, p, write) && allows(approved, p, write) && allows(session, p, write)
				if got := allows(granted, p, write); got != want {
					t.Fatalf("%s, write %v: %v, want %v in %+v", p, write, got, want, granted)
				}
			}
		}
	})
}

func TestIntersectionIsTheWidestThatBothAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := draw(t, "a "), draw(t, "b "), draw(t, "c ")
		both := capability.Intersect(a, b)
		if !reflect.DeepEqual(both, capability.Intersect(b, a)) {
			t.Fatalf("it depends on the order:\n%+v\n%+v", both, capability.Intersect(b, a))
		}
		if !reflect.DeepEqual(a.Normal(), capability.Intersect(a, a)) {
			t.Fatalf("%+v with itself: %+v", a, capability.Intersect(a, a))
		}
		if c.Within(a) && c.Within(b) && !c.Within(both) {
			t.Fatalf("%+v is in both and not in %+v: %q", c, both, c.Beyond(both))
		}
	})
}

func TestWordsNameEverything(t *testing.T) {
	s := capability.Set{
		Workspace: capability.Write, Paths: []string{"reports", "data"}, Env: []string{"LANG"}, Spawn: []string{"git"}, Time: true, Random: true,
		Net:     []capability.Net{{Origin: "https://api.example", Methods: []string{"GET"}, Path: "/v1"}},
		Secrets: []capability.Secret{{Name: "KEY", Header: "Authorization: Bearer {}", Origin: "https://api.example"}},
		Memory:  64 << 20, Disk: 1 << 30, Fuel: 5000, Timeout: 10 * time.Second, Output: 1000,
	}
	text := strings.Join(s.Words(), "\n")
	for _, want := range []string{
		"reads and changes in the workspace data, reports", "LANG", "starts the programs git", "date and time", "random", "(GET) to https://api.example/v1",
		"secret KEY", "64MiB of memory", "1GiB of disk", "10s", "1000 bytes of output", "5000 units",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := strings.Join(capability.Set{}.Words(), "\n"); !strings.Contains(text, "sees nothing of the workspace") {
		t.Error(text)
	}
}

func TestBeyondNamesWhatIsNew(t *testing.T) {
	old := capability.Set{Workspace: capability.Read, Paths: []string{"data"}, Env: []string{"A"}, Memory: 10}
	for want, s := range map[string]capability.Set{
		"":                                   {Workspace: capability.Read, Paths: []string{"data/sub"}, Memory: 5},
		"reads the whole workspace (until":   {Workspace: capability.Read},
		"reads and changes in the workspace": {Workspace: capability.Write, Paths: []string{"data"}},
		"reads the variables B":              {Env: []string{"A", "B"}},
		"starts the programs git":            {Spawn: []string{"git"}},
		"uses up to 11 bytes of memory":      {Memory: 11},
		"reads the date and time":            {Time: true},
	} {
		got := strings.Join(s.Beyond(old), "\n")
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "64KiB": 64 << 10, "3MiB": 3 << 20, "2GiB": 2 << 30} {
		if n, err := capability.ParseSize(text); n != want || err != nil {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5MiB", "MiB", "1 MiB", "1mib", "9223372036854775807GiB", "99999999999999999999"} {
		if n, err := capability.ParseSize(text); err == nil {
			t.Errorf("%q: %d", text, n)
		}
	}
}

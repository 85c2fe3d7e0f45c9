package config_test

import (
	"testing"

	"openclaw/toolwasm/guest/git/config"
)

func TestValuesAreGits(t *testing.T) {
	f, err := config.Parse("[a]\n\tx = 1 ; c\n y = \"q;r\" # d\n\tz\n[a \"Sub.x\"]\n\tk = v \\\n w\n\tesc = \"a\\tb\\\"\"\n")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a.x": "1", "a.y": "q;r", "a.z": "", "a.Sub.x.k": "v  w", "a.Sub.x.esc": "a\tb\""} {
		if got, ok := f.Get(key); !ok || got != want {
			t.Errorf("%s: %q %v, want %q", key, got, ok, want)
		}
	}
}

func TestChangesLeaveTheRestAlone(t *testing.T) {
	f, err := config.Parse("# top\n[a]\n\tx = 1 # one\n[b]\n\ty = 2\n")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.Set("b.Y", "3"); err != nil {
		t.Fatal(err)
	}
	if f, err = f.Set("c.d.e", " new#"); err != nil {
		t.Fatal(err)
	}
	if f, err = f.Unset("a.x"); err != nil {
		t.Fatal(err)
	}
	want := "# top\n[b]\n\tY = 3\n[c \"d\"]\n\te = \" new#\"\n"
	if f.Text() != want {
		t.Errorf("got %q, want %q", f.Text(), want)
	}
}

func TestBadLinesAreNamed(t *testing.T) {
	for _, text := range []string{"x = 1", "[a\n", "[a]\nx = \"open\n", "[a]\n1 = 2\n", "[a \"b]\n"} {
		if _, err := config.Parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[a \"b\"]\n\tc = \"d\\n\" # e\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := config.Parse(text)
		if err != nil {
			return
		}
		if next, err := c.Set("fuzz.key", text); err == nil {
			if got, ok := next.Get("fuzz.key"); !ok {
				t.Errorf("a value that was set is missing: %q", got)
			}
		}
	})
}

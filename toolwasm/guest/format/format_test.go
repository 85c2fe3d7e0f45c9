package format_test

import (
	"testing"

	"openclaw/toolwasm/guest/format"
)

func TestDirectives(t *testing.T) {
	for _, c := range []struct {
		spec string
		v    any
		want string
	}{
		{"5d", int64(42), "   42"},
		{"-5d", int64(42), "42   "},
		{"05d", int64(-42), "-0042"},
		{"+d", int64(1), "+1"},
		{".3d", int64(7), "007"},
		{".0d", int64(0), ""},
		{"x", int64(-1), "ffffffffffffffff"},
		{"#X", int64(255), "0XFF"},
		{"#o", int64(8), "010"},
		{"lu", int64(3), "3"},
		{"s", "abc", "abc"},
		{"5.2s", "abc", "   ab"},
		{"f", 1.5, "1.500000"},
		{".0f", 2.5, "2"},
		{"#.0f", 3.0, "3."},
		{"e", 12345.678, "1.234568e+04"},
		{"g", 100000.0, "100000"},
		{"g", 1000000.0, "1e+06"},
		{"g", 0.0001, "0.0001"},
		{"g", 0.00001, "1e-05"},
		{"#g", 1.0, "1.00000"},
		{"G", 1e-10, "1E-10"},
		{"08.3f", -3.14159, "-003.142"},
		{"a", 1.0, "0x1p+0"},
	} {
		spec, n, ok := format.Parse(c.spec)
		if !ok || n != len(c.spec) {
			t.Errorf("Parse(%q) = %d, %v", c.spec, n, ok)
			continue
		}
		var got []byte
		switch v := c.v.(type) {
		case int64:
			got = spec.AppendInt(nil, v)
		case float64:
			got = spec.AppendFloat(nil, v)
		case string:
			got = spec.AppendString(nil, v)
		}
		if string(got) != c.want {
			t.Errorf("%%%s of %v = %q, want %q", c.spec, c.v, got, c.want)
		}
	}
}

func TestStringWidthCountsCharactersWhenAsked(t *testing.T) {
	spec, _, _ := format.Parse("4s")
	spec.Chars = true
	if got := string(spec.AppendString(nil, "é")); got != "   é" {
		t.Errorf("got %q", got)
	}
}

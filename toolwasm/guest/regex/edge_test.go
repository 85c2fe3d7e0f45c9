package regex_test

import (
	"reflect"
	"testing"

	"openclaw/toolwasm/guest/regex"
)

// A pattern that is a place alone finds what the same place finds as a part of a pattern.
func TestEdgeAloneIsFoundAsInAPattern(t *testing.T) {
	for place, pattern := range map[string]string{"^": "^x*", "$": "x*$"} {
		for _, flags := range []regex.Flags{0, regex.ERE, regex.ERE | regex.Newline} {
			alone, err := regex.Compile(place, flags)
			if err != nil {
				t.Fatal(err)
			}
			part, err := regex.Compile(pattern, flags)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"", "a", "ab\n", "\n", "a\nb", "\n\nb\n"} {
				for from := 0; from <= len(text); from++ {
					for _, notBOL := range []bool{false, true} {
						got := alone.Find(nil, []byte(text), from, notBOL)
						want := part.Find(nil, []byte(text), from, notBOL)
						if !reflect.DeepEqual(got, want) {
							t.Errorf("%q (flags %b) in %q from %d, notBOL %v: %v, want %v", place, flags, text, from, notBOL, got, want)
						}
					}
				}
			}
		}
	}
}

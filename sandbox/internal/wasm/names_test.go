package wasm_test

import (
	"testing"

	"openclaw/sandbox/internal/wasm"
)

func TestNamesFollowMovedFunctions(t *testing.T) {
	edit := wasm.NameEdit{
		ShiftFrom: 1,
		Added:     []wasm.FunctionName{{Index: 1, Name: "new"}, {Index: 9, Name: "last"}},
	}
	for name, tc := range map[string]struct{ in, want string }{
		"module name":   {"\x00\x02\x01m", "\x00\x02\x01m"},
		"functions":     {"\x01\x07\x02\x00\x01a\x01\x01b", "\x01\x12\x04\x00\x01a\x01\x03new\x02\x01b\x09\x04last"},
		"locals":        {"\x02\x09\x02\x00\x00\x03\x01\x00\x02xy", "\x02\x09\x02\x00\x00\x04\x01\x00\x02xy"},
		"labels":        {"\x03\x03\x01\x03\x00", "\x03\x03\x01\x04\x00"},
		"other section": {"\x07\x04\x01\x05\x01g", "\x07\x04\x01\x05\x01g"},
		"data names":    {"\x09\x04\x01\x05\x01d", "\x09\x04\x01\x05\x01d"},
		"nothing":       {"", ""},
	} {
		got, ok := wasm.EditNames([]byte(tc.in), edit)
		if !ok || string(got) != tc.want {
			t.Errorf("%s: got %q, %t, want %q", name, got, ok, tc.want)
		}
	}
	edit.DropData = true
	if got, ok := wasm.EditNames([]byte("\x09\x04\x01\x05\x01d"), edit); !ok || len(got) != 0 {
		t.Errorf("data names are kept: %q", got)
	}
}

func TestMalformedNamesAreReported(t *testing.T) {
	for _, in := range []string{"\x01", "\x01\x05", "\x01\x02\x05\x00", "\x02\x03\x01\x00\x09", "\x01\x03\x01\x00\x09"} {
		if got, ok := wasm.EditNames([]byte(in), wasm.NameEdit{}); ok {
			t.Errorf("%q gives %q", in, got)
		}
	}
}

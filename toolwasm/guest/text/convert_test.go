package text_test

import (
	"strings"
	"testing"
)

func TestIconv(t *testing.T) {
	check(t, []textCase{
		{"iconv -f latin1", "caf\xe9\n", "café\n", 0},
		{"iconv -t ISO-8859-1", "naïve\n", "na\xefve\n", 0},
		{"iconv -f cp1252 -t UTF-8", "\x93q\x94 \x80", "“q” €", 0},
		{"iconv -t utf-16le", "a😀", "a\x00\x3d\xd8\x00\xde", 0},
		{"iconv -t utf-16", "a", "\xff\xfea\x00", 0},
		{"iconv -f utf-16 -t utf-8", "\xfe\xff\x00a\xd8\x3d\xde\x00", "a😀", 0},
		{"iconv -f utf-16le", "a\x00b", "a", 1},
		{"iconv -f utf-32be", "\x00\x01\xf6\x00", "😀", 0},
		{"iconv -t ascii//TRANSLIT", "Ünïcode — “ok” 中", "Unicode - \"ok\" ?", 0},
		{"iconv -t ascii", "ab é", "ab ", 1},
		{"iconv -c -t ascii", "ab é c", "ab  c", 1},
		{"iconv -f utf-8", "x\xffy", "x", 1},
		{"iconv -f nonsense", "x", "", 1},
		{"iconv nosuch", "", "", 1},
	})
}

func TestIconvOfMuchIsWhole(t *testing.T) {
	text := strings.Repeat("añb€", 100_000)
	utf16 := runner(t).Run(text, "iconv", "-t", "utf-16be")
	if got := runner(t).Run(utf16.Stdout, "iconv", "-f", "utf-16be"); got.Stdout != text {
		t.Errorf("%d bytes came back as %d", len(text), len(got.Stdout))
	}
}

func TestLineEndingsAreConverted(t *testing.T) {
	check(t, []textCase{
		{"dos2unix", "a\r\nb\rc\r\nd\r", "a\nb\rc\nd\r", 0},
		{"unix2dos", "a\nb\r\nc", "a\r\nb\r\nc", 0},
		{"dos2unix nosuch", "", "", 1},
		{"dos2unix -n a", "", "", 1},
	})
	r := runner(t)
	r.Write("w", "one\r\ntwo\r\n")
	r.Run("", "dos2unix", "-q", "w")
	r.Run("", "unix2dos", "-n", "w", "v")
	if got := r.Read("w") + r.Read("v"); got != "one\ntwo\none\r\ntwo\r\n" {
		t.Errorf("%q", got)
	}
}

func TestSpongeWritesWhenItsInputEnds(t *testing.T) {
	r := runner(t)
	r.Run("new\n", "sponge", "a")
	r.Run("more\n", "sponge", "-a", "a")
	if got := r.Read("a"); got != "new\nmore\n" {
		t.Errorf("%q", got)
	}
	check(t, []textCase{{"sponge", "as it is", "as it is", 0}, {"sponge a b", "", "", 1}, {"sponge no/such", "x", "", 1}})
}

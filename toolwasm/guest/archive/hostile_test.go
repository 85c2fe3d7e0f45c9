package archive_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestXzRefusesADictionaryThatIsTooLarge(t *testing.T) {
	dir := fill(t, "f = some text\n")
	packed := []byte(run(t, dir, "", "xz", "-c", "f").Stdout)
	at := bytes.Index(packed, []byte{0x21, 0x01})
	if at < 0 {
		t.Fatalf("no LZMA2 filter in % x", packed)
	}
	packed[at+2] = 39 // 3 GiB
	must(t, os.WriteFile(filepath.Join(dir, "f.xz"), packed, 0o644))
	got := run(t, dir, "", "xz", "-dc", "f.xz")
	if got.Status != 1 || got.Stderr != "xz: f.xz: Memory usage limit reached\n" {
		t.Errorf("%+v", got)
	}
}

func TestTarTellsWritingFromReading(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	dir := fill(t, "f = "+strings.Repeat("some text\n", 100_000), "full -> /dev/full")
	run(t, dir, "", "gzip", "f")
	got := run(t, dir, "", "tar", "cf", "full", "f.gz")
	if strings.Contains(got.Stderr, "Read error") || !strings.Contains(got.Stderr, "No space left on device") {
		t.Errorf("%+v", got)
	}
}

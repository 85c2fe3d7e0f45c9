package bundle_test

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"openclaw/skills/bundle"
)

// head is the manifest of a skill that is a script.
const head = `name = "tea"
version = "1.0.0"
description = "Makes tea."
assets = ["scripts"]

[program]
runtime = "shell"
script = "scripts/main.sh"

[[tools]]
name = "brew"
description = "Brews."
`

// plain is the manifest of a skill that is a module.
const plain = "name = \"tea\"\nversion = \"1.0.0\"\ndescription = \"Makes tea.\"\n[[commands]]\nname = \"tea\"\n"

// write makes files below a directory.
func write(tb testing.TB, dir string, files map[string]string) string {
	tb.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// tea is the directory of a skill.
func tea(tb testing.TB) string {
	return write(tb, tb.TempDir(), map[string]string{
		"skill.toml":      head,
		"SKILL.md":        "---\nname: tea\ndescription: other\n---\n\nBoil water.\n",
		"scripts/main.sh": "echo tea\n",
		"scripts/lib/a":   "a\n",
		"scripts/.secret": "not packed\n",
		"other.txt":       "not an asset\n",
	})
}

func pack(tb testing.TB, dir string) *bundle.Packed {
	tb.Helper()
	p, err := bundle.Pack(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// module is the least module: none of its bytes matter here.
func module(sections ...[]byte) []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range sections {
		out = append(out, s...)
	}
	return out
}

func number(n int) []byte {
	var b []byte
	for n >= 0x80 {
		b, n = append(b, byte(n)|0x80), n>>7
	}
	return append(b, byte(n))
}

// section is a section as it stands in a file.
func section(id byte, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	return append(append([]byte{id}, number(len(all))...), all...)
}

func custom(name string, content []byte) []byte {
	return section(0, number(len(name)), []byte(name), content)
}

// entry is one of an archive that is made to order.
type entry struct {
	tar.Header
	data []byte
}

func file(name string, data string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data))}, []byte(data)}
}

func archive(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	for _, e := range entries {
		if err := w.WriteHeader(&e.Header); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write(e.data); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return compress(tb, &raw)
}

func compress(tb testing.TB, raw io.Reader) []byte {
	tb.Helper()
	var out bytes.Buffer
	enc, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.Copy(enc, raw); err != nil {
		tb.Fatal(err)
	}
	if err := enc.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

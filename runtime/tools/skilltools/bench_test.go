package skilltools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/runtime/tools/skilltools"
	"openclaw/sandbox"
	"openclaw/skills/bundle"
	"openclaw/skills/compile"
	"openclaw/skills/manifest"
)

// large is a skill whose module has about five megabytes.
func large(b *testing.B) string {
	dir := b.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module large\n\ngo 1.24\n",
		"skill.toml": "name = 'large'\nversion = '1.0.0'\ndescription = 'Large.'\nassets = ['data']\n[program]\nlanguage = 'go'\n[[tools]]\nname = 'hello'\ndescription = 'Says hello.'\n",
		"data/words": strings.Repeat("some words\n", 10_000),
		"main.go": `package main

import (
	"encoding/json"
	"fmt"
	"go/format"
	"html/template"
	"os"
	"regexp"
)

func main() {
	var arguments map[string]any
	_ = json.NewDecoder(os.Stdin).Decode(&arguments)
	if len(os.Args) > 5 {
		text, err := format.Source([]byte(os.Args[1]))
		fmt.Println(text, err, template.Must(template.New("").Parse(os.Args[2])), regexp.MustCompile(os.Args[3]))
	}
	fmt.Println("hello")
}
`,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := compile.Build(b.Context(), dir, &manifest.Manifest{Name: "large", Module: "large.wasm", Language: "go"}); err != nil {
		b.Skip(err)
	}
	return dir
}

// BenchmarkBundles measures what a user waits for: installing, the first call on a machine, and those after it.
func BenchmarkBundles(b *testing.B) {
	p, err := bundle.Pack(large(b))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(p.File)))
		for b.Loop() {
			if _, err := bundle.Read(p.File); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("install", func(b *testing.B) {
		for b.Loop() {
			if _, err := bundles.At(b.TempDir(), memory{}).Install(b.Context(), p.File); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first call on a machine", func(b *testing.B) {
		for b.Loop() {
			m, i := fresh(b, p, sandbox.EngineOptions{CacheDir: b.TempDir()})
			hello(b, m, i)
		}
	})
	b.Run("first call in a process", func(b *testing.B) {
		cache := b.TempDir()
		m, i := fresh(b, p, sandbox.EngineOptions{CacheDir: cache})
		hello(b, m, i)
		for b.Loop() {
			m, i := fresh(b, p, sandbox.EngineOptions{CacheDir: cache})
			hello(b, m, i)
		}
	})
	b.Run("call", func(b *testing.B) {
		m, i := fresh(b, p, sandbox.EngineOptions{CacheDir: b.TempDir()})
		hello(b, m, i)
		for b.Loop() {
			hello(b, m, i)
		}
	})
	b.Run("call with finding it", func(b *testing.B) {
		m, i := fresh(b, p, sandbox.EngineOptions{CacheDir: b.TempDir()})
		hello(b, m, i)
		for b.Loop() {
			i, err := m.Get(b.Context(), "large")
			if err != nil {
				b.Fatal(err)
			}
			hello(b, m, i)
		}
	})
}

// fresh is another process, in which the skill is installed and approved.
func fresh(b *testing.B, p *bundle.Packed, o sandbox.EngineOptions) (*machine, *bundles.Installed) {
	b.Helper()
	m := newMachineOn(b, o)
	c, err := m.Install(b.Context(), p.File)
	if err != nil {
		b.Fatal(err)
	}
	i, err := m.Approve(b.Context(), "large", c.Digest.String())
	if err != nil {
		b.Fatal(err)
	}
	return m, i
}

func hello(b *testing.B, m *machine, i *bundles.Installed) {
	b.Helper()
	if a, err := skilltools.Call(b.Context(), m.box, m.session(), i, "hello", nil); err != nil || a.Text != "hello" {
		b.Fatalf("%+v, %v", a, err)
	}
}

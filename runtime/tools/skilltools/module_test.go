package skilltools_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"openclaw/sandbox"
	"openclaw/skills/bundle"
)

// TestModulesThatCannotRunAreRefused has modules of which a bundle can be made, and no program.
func TestModulesThatCannotRunAreRefused(t *testing.T) {
	const (
		header = "\x00asm\x01\x00\x00\x00"
		types  = "\x01\x04\x01\x60\x00\x00"
	)
	m := newMachine(t)
	for name, module := range map[string]string{
		"nothing in it":       header,
		"foreign import":      header + types + "\x02\x0c\x01\x04host\x03run\x00\x00",
		"code that is none":   header + types + "\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x05\x01\x03\x00\xff\x0b",
		"body that is cut":    header + types + "\x03\x02\x01\x00\x0a\x03\x01\x7f\x00",
		"function of no type": header + "\x03\x02\x01\x05\x0a\x04\x01\x02\x00\x0b",
	} {
		t.Run(name, func(t *testing.T) { broken(t, m, module) })
	}
}

// broken wants the module of a bundle refused when it is loaded.
func broken(t *testing.T, m *machine, module string) {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"skill.toml":  "name = 'broken'\nversion = '1.0.0'\ndescription = 'x'\n[[tools]]\nname = 'x'\ndescription = 'x'\n",
		"broken.wasm": module,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.call(m.approved(dir), "x", "{}"); !errors.Is(err, sandbox.ErrBadModule) {
		t.Error(err)
	}
}

// TestMutatedModulesLeaveTheHostAlone changes bytes of a module that runs: what comes out is an answer or an error.
func TestMutatedModulesLeaveTheHostAlone(t *testing.T) {
	p, err := bundle.Pack(example(t, "table")) // its launcher
	if err != nil {
		t.Fatal(err)
	}
	m := newMachineOn(t, sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	code := p.Code()
	for at := 8; at < len(code); at++ {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			mutated := append([]byte{}, code...)
			mutated[at] ^= flip
			program, err := m.box.Load(t.Context(), sandbox.Module("mutated", mutated))
			if err != nil {
				if !errors.Is(err, sandbox.ErrBadModule) && !errors.Is(err, sandbox.ErrNotWasm) {
					t.Fatalf("byte %d ^ %#x: %v", at, flip, err)
				}
				continue
			}
			grant := sandbox.Grant{Limits: sandbox.Limits{Fuel: 1 << 20}}
			_, err = m.box.Run(t.Context(), grant, program, sandbox.Command{Args: []string{"mutated"}})
			var trap *sandbox.TrapError
			var limit *sandbox.LimitError
			if err != nil && !errors.As(err, &trap) && !errors.As(err, &limit) && !errors.Is(err, sandbox.ErrBadModule) {
				t.Fatalf("byte %d ^ %#x: %v", at, flip, err)
			}
		}
	}
}

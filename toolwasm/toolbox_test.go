package toolwasm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"openclaw/toolwasm"
	"openclaw/toolwasm/internal/build"
)

// TestGuestsAreWhatTheirSourcesBuild rebuilds the embedded guests and compares the digests.
func TestGuestsAreWhatTheirSourcesBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("building takes a while")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to build with")
	}
	const root = ".."
	guests, err := build.Guests(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guests {
		t.Run(g.Name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, g.SumFile()))
			if err != nil {
				t.Fatalf("%v: run 'just toolbox' and commit the result", err)
			}
			fields := strings.Fields(string(text))
			if len(fields) != 3 {
				t.Fatalf("%s holds %q, want digest, size and version", g.SumFile(), text)
			}
			if fields[2] != runtime.Version() {
				t.Skipf("it was built with %s, this is %s", fields[2], runtime.Version())
			}
			module, err := g.Compile(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			if got := sha256.Sum256(module); hex.EncodeToString(got[:]) != fields[0] {
				t.Errorf("the source builds %x, %s is embedded: run 'just toolbox' and commit the result", got, fields[0])
			}
		})
	}
}

// TestEmbeddedToolboxIsWhole unpacks what is embedded and compares it with its digest.
func TestEmbeddedToolboxIsWhole(t *testing.T) {
	src := toolwasm.Source()
	module, err := src.Open()
	if err != nil {
		t.Fatal(err)
	}
	if got := sha256.Sum256(module); got != src.Digest {
		t.Errorf("digest %x, want %x", got, src.Digest)
	}
}

// TestEmbeddedProgramsAreWhole does the same for the other guests.
func TestEmbeddedProgramsAreWhole(t *testing.T) {
	for _, p := range toolwasm.Programs() {
		module, err := p.Source.Open()
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(module); got != p.Source.Digest {
			t.Errorf("%s: digest %x, want %x", p.Name, got, p.Source.Digest)
		}
	}
}

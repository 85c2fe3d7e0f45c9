// Package toolwasm offers the tools of an agent as calls into a sandbox: a shell, and read, write, edit, apply_patch, ls, grep and
// find.
//
// All of them run in one guest, the toolbox, whose source is under guest/ and whose compiled form is embedded here. A
// call can touch what the [sandbox.Session] it runs in was granted, and nothing else: the host side of a tool only carries
// arguments in and results out.
package toolwasm

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"openclaw/sandbox"
)

//go:generate go run openclaw/toolwasm/internal/mktoolbox

//go:embed toolbox.wasm.zst
var compressed []byte

//go:embed toolbox.sum
var sum string

// maxModule bounds what an embedded module may unpack to.
const maxModule = 128 << 20

// Source is the toolbox as a program. It is unpacked only when no cache holds it.
func Source() sandbox.Source {
	src := sandbox.Source{Name: "toolbox", Open: func() ([]byte, error) { return unpack("toolbox", compressed) }}
	digest, _ := digestOf(sum) // a build with a bad sum file fails its tests
	src.Digest = digest
	return src
}

func digestOf(sum string) (d [sha256.Size]byte, err error) {
	text, _, _ := strings.Cut(sum, " ")
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("toolwasm: read digest: %q is not a SHA-256", text)
	}
	copy(d[:], b)
	return d, nil
}

// Toolbox is the toolbox, ready to run. It is safe for concurrent use.
type Toolbox struct {
	program *sandbox.Program
	writers queues
}

// Load makes the toolbox ready on an engine. The first time on a machine it is compiled, which takes seconds.
func Load(ctx context.Context, box *sandbox.Sandbox) (*Toolbox, error) {
	program, err := box.Load(ctx, Source())
	if err != nil {
		return nil, err
	}
	return &Toolbox{program: program}, nil
}

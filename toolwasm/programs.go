package toolwasm

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"

	"openclaw/sandbox"
)

// embedded holds the guests beside the toolbox.
//
//go:embed embedded
var embedded embed.FS

// embeddedDir is where they are.
const embeddedDir = "embedded"

// programNames are the names that an embedded program has beside its own.
var programNames = map[string][]string{"js": {"node"}}

// Programs lists the programs that come with the toolbox, for [sandbox.Grant].Programs: git, js and what else there is. They
// are loaded when they are first started.
func Programs() []sandbox.NamedProgram {
	sums, err := fs.Glob(embedded, embeddedDir+"/*.sum")
	if err != nil {
		return nil // the pattern is right
	}
	var list []sandbox.NamedProgram
	for _, file := range sums {
		name := strings.TrimSuffix(path.Base(file), ".sum")
		src, err := embeddedSource(name)
		if err != nil {
			continue // a build with a bad sum file fails its tests
		}
		for _, n := range append([]string{name}, programNames[name]...) {
			list = append(list, sandbox.NamedProgram{Name: n, Source: src})
		}
	}
	return list
}

// embeddedSource is an embedded program. It is unpacked only when no cache holds it.
func embeddedSource(name string) (sandbox.Source, error) {
	sum, err := fs.ReadFile(embedded, path.Join(embeddedDir, name+".sum"))
	if err != nil {
		return sandbox.Source{}, fmt.Errorf("toolwasm: read digest of %s: %w", name, err)
	}
	digest, err := digestOf(string(sum))
	if err != nil {
		return sandbox.Source{}, err
	}
	return sandbox.Source{Name: name, Digest: digest, Open: func() ([]byte, error) {
		packed, err := fs.ReadFile(embedded, path.Join(embeddedDir, name+".wasm.zst"))
		if err != nil {
			return nil, fmt.Errorf("toolwasm: unpack %s: %w", name, err)
		}
		return unpack(name, packed)
	}}, nil
}

// unpack returns the module in a file that package build wrote.
func unpack(name string, packed []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModule))
	if err != nil {
		return nil, fmt.Errorf("toolwasm: unpack %s: %w", name, err)
	}
	defer dec.Close()
	module, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("toolwasm: unpack %s: %w", name, err)
	}
	return module, nil
}

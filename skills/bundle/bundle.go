// Package bundle reads and writes skills that are packed into one WebAssembly module.
//
// A bundle is an ordinary WASI command. What makes it a skill lies in custom sections, which engines ignore:
//
//	openclaw.skill     skill.toml, as it was written
//	openclaw.skill.md  the instructions: the body of the SKILL.md
//	openclaw.assets    files, as a tar archive compressed with zstd
//
// Bundles come from strangers. Reading one promises that
//
//   - no length in it is believed: every size is checked against what is there before anything is allocated, and the archive is
//     counted while it is unpacked, in bytes, entries, depth and ratio;
//   - what it holds is checked whole before anything of it is used, and what it says twice, or in a section that nobody knows, is
//     refused;
//   - a refusal is an [*Error] with one of the causes below, and where it was met.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"openclaw/skills/capability"
	"openclaw/skills/manifest"
)

// The custom sections.
const (
	sectionPrefix   = "openclaw."
	SectionManifest = "openclaw.skill"
	SectionDoc      = "openclaw.skill.md"
	SectionAssets   = "openclaw.assets"
	// SectionSignature is where tools of the WebAssembly conventions put a signature.
	SectionSignature = "signature"
)

// Bounds of a bundle.
const (
	MaxFile      = 64 << 20 // bytes of the file
	MaxDoc       = 512 << 10
	MaxSections  = 1000
	MaxFunctions = 200_000
	MaxImports   = 1000
)

// Causes of errors.
var (
	ErrNotModule = errors.New("not a WebAssembly module")
	ErrMalformed = errors.New("malformed")
	ErrTooLarge  = errors.New("larger than a bundle may be")
	ErrDuplicate = errors.New("there are two")
	ErrUnknown   = errors.New("there is no such section of a skill")
	ErrNoSkill   = errors.New("a module, but no skill: it has no section " + SectionManifest)
	// ErrMemory reports a module that begins with more memory than its manifest asks for.
	ErrMemory = errors.New("the module begins with more memory than the manifest asks for")
	// ErrArchive reports assets that cannot be unpacked without harm, or not at all.
	ErrArchive = errors.New("assets cannot be unpacked")
	// ErrManifest reports a manifest that is refused; the error is a *[manifest.Error], too.
	ErrManifest = errors.New("manifest refused")
)

// Error is why a file is no bundle.
type Error struct {
	Where  string // a section, or what is in it; empty: the file
	Cause  error  // one of the package's causes
	Detail error  // may be nil
}

func (e *Error) Error() string {
	text := "bundle: read"
	if e.Where != "" {
		text += " " + e.Where
	}
	text += ": " + e.Cause.Error()
	if e.Detail != nil {
		text += ": " + e.Detail.Error()
	}
	return text
}

// Unwrap returns both causes.
func (e *Error) Unwrap() []error {
	if e.Detail == nil {
		return []error{e.Cause}
	}
	return []error{e.Cause, e.Detail}
}

func fail(where string, cause error, format string, args ...any) *Error {
	e := &Error{Where: where, Cause: cause}
	if format != "" {
		e.Detail = fmt.Errorf(format, args...)
	}
	return e
}

// Digest is the SHA-256 of a bundle's file.
type Digest [sha256.Size]byte

// String writes a digest as it is shown everywhere.
func (d Digest) String() string { return "sha256:" + hex.EncodeToString(d[:]) }

// Unsigned is the signer of a bundle whose signature nobody has checked.
const Unsigned = "unsigned"

// Bundle is a packed skill that has been read.
type Bundle struct {
	Manifest *manifest.Manifest
	Text     []byte // of skill.toml
	Doc      string // of the SKILL.md, without a head
	Digest   Digest
	Sections []Section
	// Signature tells that the module carries one. This build does not check it.
	Signature bool

	file   []byte
	assets []byte

	hashing    sync.Once
	codeDigest Digest
}

// Read reads a bundle. It keeps file, which must not be changed afterwards.
func Read(file []byte) (*Bundle, error) {
	shape, err := walk(file)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Digest: sha256.Sum256(file), Sections: shape.sections, file: file}
	found := map[string]bool{}
	for _, s := range shape.sections {
		if err := b.take(s, found); err != nil {
			return nil, err
		}
	}
	if b.Manifest == nil {
		return nil, fail("", ErrNoSkill, "")
	}
	if shape.memory > b.Manifest.Requests.Memory {
		return nil, fail("memory", ErrMemory, "%s, not %s", capability.Bytes(shape.memory), capability.Bytes(b.Manifest.Requests.Memory))
	}
	if err := b.checkAssets(); err != nil {
		return nil, err
	}
	return b, nil
}

// take reads a section, if it is one of a skill's.
func (b *Bundle) take(s Section, found map[string]bool) error {
	if !s.ofSkill() && s.Name != SectionSignature {
		return nil
	}
	if found[s.Name] {
		return fail("section "+s.Name, ErrDuplicate, "")
	}
	found[s.Name] = true
	content := b.file[s.content : s.content+s.Size]
	switch s.Name {
	case SectionManifest:
		m, err := manifest.Parse(content)
		if err != nil {
			return &Error{Where: "section " + s.Name, Cause: ErrManifest, Detail: err}
		}
		b.Manifest, b.Text = m, content
	case SectionDoc:
		if len(content) > MaxDoc {
			return fail("section "+s.Name, ErrTooLarge, "%d bytes, more than %d", len(content), MaxDoc)
		}
		if !utf8.Valid(content) {
			return fail("section "+s.Name, ErrMalformed, "not valid UTF-8")
		}
		b.Doc = string(content)
	case SectionAssets:
		if len(content) > MaxPacked {
			return fail("section "+s.Name, ErrTooLarge, "%d bytes, more than %d", len(content), MaxPacked)
		}
		b.assets = content
	case SectionSignature:
		b.Signature = true
	default:
		return fail("section "+s.Name, ErrUnknown, "")
	}
	return nil
}

// Code is the module without the sections of a skill, which is what runs.
func (b *Bundle) Code() []byte { return strip(b.file, b.Sections) }

// CodeDigest is the SHA-256 of Code: bundles that differ only in what surrounds it are compiled once.
func (b *Bundle) CodeDigest() Digest {
	b.hashing.Do(func() { b.codeDigest = sha256.Sum256(b.Code()) })
	return b.codeDigest
}

// Size is the size of the file.
func (b *Bundle) Size() int { return len(b.file) }

// Open reads the bundle in a file.
func Open(name string) (*Bundle, error) {
	file, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Read(file)
}

// ReadFile reads a file that may be a bundle, as far as it has the size of one.
func ReadFile(name string) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, MaxFile)
}

// readAll reads a regular file, but not more than most bytes of it.
func readAll(f *os.File, most int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("bundle: read %s: %w", f.Name(), err)
	}
	if st.Size() > most {
		return nil, fail(f.Name(), ErrTooLarge, "%d bytes, more than %d", st.Size(), most)
	}
	data := make([]byte, st.Size())
	if _, err := io.ReadFull(f, data); err != nil { // one that has become shorter is being written
		return nil, fmt.Errorf("bundle: read %s: %w", f.Name(), err)
	}
	return data, nil
}

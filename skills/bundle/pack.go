package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"openclaw/skills/manifest"
)

// ErrSource reports a directory that cannot be packed.
var ErrSource = errors.New("cannot be packed")

// Packed is what Pack made.
type Packed struct {
	*Bundle
	File    []byte
	Skipped []string // hidden files among the assets, which are not packed
}

// Pack makes a bundle of the directory of a skill: its manifest, its instructions, its assets and, unless the runtime is the sandbox's own,
// the module that has been built. Nothing outside the directory is read, whatever links lie in it. The same files make the same bundle.
func Pack(dir string) (*Packed, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("bundle: pack: %w", err)
	}
	defer root.Close()
	p := &packer{root: root, seen: map[string]bool{}}
	text, err := p.file(manifest.FileName, manifest.MaxSize)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("bundle: pack: %w", err)
	}
	module, err := p.module(m)
	if err != nil {
		return nil, err
	}
	doc, err := p.doc()
	if err != nil {
		return nil, err
	}
	for _, a := range m.Assets {
		if err := p.asset(a); err != nil {
			return nil, err
		}
	}
	module = appendSection(module, SectionManifest, text)
	if doc != nil {
		module = appendSection(module, SectionDoc, doc)
	}
	if len(p.files) > 0 {
		assets, err := writeArchive(p.files)
		if err != nil {
			return nil, err
		}
		module = appendSection(module, SectionAssets, assets)
	}
	b, err := Read(module) // by the rules of those who will load it
	if err != nil {
		return nil, err
	}
	return &Packed{Bundle: b, File: module, Skipped: p.skipped}, nil
}

// packer collects what is packed.
type packer struct {
	root    *os.Root
	files   []source
	seen    map[string]bool
	total   int64
	skipped []string
}

// module is the module to pack, without what an earlier packing added.
func (p *packer) module(m *manifest.Manifest) ([]byte, error) {
	if m.Runtime != manifest.Wasm {
		return launcher(m), nil
	}
	file, err := p.file(m.Module, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (build it first)", err)
	}
	if err != nil {
		return nil, err
	}
	shape, err := walk(file)
	if err != nil {
		return nil, fmt.Errorf("bundle: pack %s: %w", m.Module, err)
	}
	return strip(file, shape.sections), nil
}

// doc is the body of the SKILL.md, when there is one. Its head is not packed: the manifest says what it would.
func (p *packer) doc() ([]byte, error) {
	text, err := p.file(DocName, MaxDoc)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []byte(body(string(text))), err
}

// body is a text behind its front matter.
func body(text string) string {
	const fence = "---"
	lines := strings.SplitAfter(strings.TrimPrefix(text, "\ufeff"), "\n")
	if strings.TrimSpace(lines[0]) != fence {
		return strings.Join(lines, "")
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " \t\r\n") == fence {
			return strings.TrimLeft(strings.Join(lines[i+2:], ""), "\r\n")
		}
	}
	return text
}

// file reads a regular file of the directory.
func (p *packer) file(name string, most int64) ([]byte, error) { return ReadIn(p.root, name, most) }

// ReadIn reads a regular file in a directory that a stranger may have made, but not more than most bytes: it follows no link to it, and never
// waits.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("bundle: pack: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("bundle: pack %s: %w: it is no regular file", name, ErrSource)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|quietly, 0)
	if err != nil {
		return nil, fmt.Errorf("bundle: pack: %w", err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(st, now) {
		return nil, fmt.Errorf("bundle: pack %s: %w: it has been replaced meanwhile", name, ErrSource)
	}
	return readAll(f, most)
}

// asset adds a file, or a directory with what is in it.
func (p *packer) asset(name string) error {
	if err := p.parents(path.Dir(name)); err != nil {
		return err
	}
	st, err := p.root.Lstat(name)
	if err != nil {
		return fmt.Errorf("bundle: pack: %w", err)
	}
	switch {
	case st.IsDir():
		return p.directory(name)
	case !st.Mode().IsRegular():
		return fmt.Errorf("bundle: pack %s: %w: it is neither a file nor a directory", name, ErrSource)
	}
	data, err := p.file(name, MaxAsset)
	if err != nil {
		return err
	}
	a := Asset{Path: name, Size: int64(len(data)), Mode: modeFile}
	if st.Mode()&0o111 != 0 {
		a.Mode = modeScript
	}
	return p.add(source{a, data})
}

// add adds a file. One that is in a directory of the list, too, is packed once.
func (p *packer) add(s source) error {
	if p.seen[s.Path] {
		return nil
	}
	p.seen[s.Path] = true
	if p.total += s.Size; p.total > MaxUnpacked || len(p.files) >= MaxEntries {
		return fail("assets", ErrTooLarge, "more than %d bytes, or %d entries", MaxUnpacked, MaxEntries)
	}
	p.files = append(p.files, s)
	return nil
}

// parents adds the directories that a path lies in.
func (p *packer) parents(dir string) error {
	if dir == "." || p.seen[dir] {
		return nil
	}
	if err := p.parents(path.Dir(dir)); err != nil {
		return err
	}
	return p.add(source{Asset: Asset{Path: dir, Mode: fs.ModeDir | modeScript}})
}

func (p *packer) directory(name string) error {
	if err := p.parents(name); err != nil {
		return err
	}
	f, err := p.root.Open(name)
	if err != nil {
		return fmt.Errorf("bundle: pack: %w", err)
	}
	entries, err := f.ReadDir(MaxEntries + 1)
	f.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("bundle: pack %s: %w", name, err)
	}
	for _, e := range entries {
		at := path.Join(name, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			p.skipped = append(p.skipped, at)
			continue
		}
		if err := manifest.CheckPath(at); err != nil {
			return fmt.Errorf("bundle: pack %q: %w: %w", at, ErrSource, err)
		}
		if err := p.asset(at); err != nil {
			return err
		}
	}
	return nil
}

// openRegular opens a file, which must be a regular one, without waiting.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|quietly, 0)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("bundle: open %s: %w", name, err)
	}
	return f, nil
}

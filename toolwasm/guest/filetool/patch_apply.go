package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// patchDetails are the details of an applied patch.
type patchDetails struct {
	Summary patchSummary `json:"summary"`
}

type patchSummary struct {
	Added    []string `json:"added"`
	Modified []string `json:"modified"`
	Deleted  []string `json:"deleted"`
}

// applyPatchTool applies a patch to any number of files, or changes none of them.
func applyPatchTool(c *call, raw []byte) (*result, error) {
	args, err := parseObject(raw, "", "input")
	if err != nil {
		return nil, err
	}
	input, err := args.text("input")
	if err != nil {
		return nil, err
	}
	r, err := applyPatch(c, input)
	if err != nil {
		return nil, fmt.Errorf("apply_patch: %w", err)
	}
	return r, nil
}

// applyPatch applies a patch; its error says what that leaves on disk.
func applyPatch(c *call, input string) (*result, error) {
	r, err := c.patch(input)
	var e *commitError
	if err != nil && !(errors.As(err, &e) && e.left != nil) {
		err = fmt.Errorf("nothing was changed: %w", err)
	}
	return r, err
}

func (c *call) patch(input string) (*result, error) {
	sections, err := parsePatch(input)
	if err != nil {
		return nil, err
	}
	root, err := locate(c.root)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", c.root, reason(err))
	}
	t := &tree{call: c, root: root.path}
	for _, s := range sections {
		if err := t.section(s); err != nil {
			return nil, err
		}
	}
	if err := commit(c.disk, c.p.Umask, c.journal, t.changes()); err != nil {
		return nil, err
	}
	return t.result(), nil
}

// tree is the files that a patch touches, in memory, as its sections so far have left them.
type tree struct {
	call  *call
	root  string
	files []*patchedFile
	list  []string // the lines of the answer
	sum   patchSummary
	held  int64 // bytes held
}

// patchedFile is one file of a tree.
type patchedFile struct {
	name    string
	at      location // as it is on disk
	exists  bool     // as it is in the tree
	loaded  bool
	content []byte
	onDisk  []byte // the content on disk, when it has been read
}

// file returns the file that a path stands for, the same one for every path that leads to it.
func (t *tree) file(s section, name string) (*patchedFile, error) {
	if link, ok := t.call.link(name); ok {
		for _, f := range t.files {
			if f.at.path == link.path {
				return f, nil // a link that the patch has removed leads nowhere any more
			}
		}
	}
	at, err := t.call.target(name)
	switch {
	case at.path != "" && !inside(t.root, at.path):
		return nil, t.fail(s, name, errOutside)
	case err != nil:
		return nil, t.fail(s, name, err)
	}
	return t.known(name, at), nil
}

// known is the file of the tree at a location; it is added when it is new.
func (t *tree) known(name string, at location) *patchedFile {
	for _, f := range t.files {
		if f.at.path == at.path || sameFile(f.at, at) {
			return f
		}
	}
	f := &patchedFile{name: name, at: at, exists: at.exists}
	t.files = append(t.files, f)
	return f
}

// entry returns what the name of a section itself is, for removing it: of a symbolic link that is the link.
func (t *tree) entry(s section) (*patchedFile, error) {
	at, ok := t.call.link(s.path)
	if !ok {
		return t.file(s, s.path)
	}
	if !inside(t.root, at.path) {
		return nil, t.fail(s, s.path, errOutside)
	}
	return t.known(s.path, at), nil
}

var errOutside = errors.New("it leads outside the workspace")

// link locates a symbolic link itself.
func (c *call) link(name string) (location, bool) {
	full := c.p.Path(name)
	dir, base := path.Split(full)
	if base == "" || base == ".." {
		return location{}, false
	}
	parent, err := locate(dir)
	if err != nil || !parent.exists {
		return location{}, false
	}
	at := location{path: path.Join(parent.path, base), exists: true}
	at.info, err = sys.Lstat(at.path)
	return at, err == nil && at.info.IsLink()
}

// sameFile reports whether two locations are one file under names that only a filesystem without letter case takes for the
// same. Hard links are no such names: a change gives each a file of its own.
func sameFile(a, b location) bool {
	return a.exists && b.exists && a.info.Nlink == 1 && a.info.Same(b.info) && strings.EqualFold(path.Base(a.path), path.Base(b.path))
}

func (t *tree) fail(s section, name string, err error) error {
	var p *patchError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s: line %d of the patch: %w", name, s.line, err)
}

// section does the work of one section on the tree.
func (t *tree) section(s section) error {
	if s.action == deleteFile {
		return t.remove(s)
	}
	f, err := t.file(s, s.path)
	if err != nil {
		return err
	}
	if s.action == addFile {
		return t.add(f, s)
	}
	return t.update(f, s)
}

func (t *tree) add(f *patchedFile, s section) error {
	var b strings.Builder
	for _, line := range s.added {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	f.set([]byte(b.String()))
	t.note("A", s.path, &t.sum.Added)
	return nil
}

var errMissing = errors.New("there is no such file")

func (t *tree) remove(s section) error {
	f, err := t.entry(s)
	if err != nil {
		return err
	}
	if !f.exists {
		return t.fail(s, s.path, errMissing)
	}
	f.drop()
	t.note("D", s.path, &t.sum.Deleted)
	return nil
}

func (t *tree) update(f *patchedFile, s section) error {
	if !f.exists {
		return t.fail(s, s.path, errMissing)
	}
	if err := t.load(f); err != nil {
		return t.fail(s, s.path, err)
	}
	content, err := patched(t.call.p, f.content, s.chunks)
	if err != nil {
		return t.fail(s, s.path, err)
	}
	to := f
	if s.moveTo != "" {
		if to, err = t.file(s, s.moveTo); err != nil {
			return err
		}
	}
	if to == f {
		f.set(content)
		t.note("M", s.path, &t.sum.Modified)
		return nil
	}
	from, err := t.entry(s)
	if err != nil {
		return err
	}
	to.set(content)
	if !to.at.exists {
		to.at.info.Mode = f.at.info.Mode // a moved file keeps its mode
	}
	from.drop()
	t.note("M", s.moveTo, &t.sum.Modified)
	return nil
}

func (f *patchedFile) set(content []byte) { f.content, f.exists, f.loaded = content, true, true }

func (f *patchedFile) drop() { f.content, f.exists, f.loaded = nil, false, true }

// load reads a file into the tree.
func (t *tree) load(f *patchedFile) error {
	if f.loaded {
		return nil
	}
	if t.held += f.at.info.Size; t.held > maxEditFile {
		return fmt.Errorf("the files of the patch have more than the %d bytes that can be patched at once", maxEditFile)
	}
	content, err := sys.ReadFile(f.at.path)
	switch {
	case err != nil:
		return errors.New(reason(err))
	case int64(len(content)) != f.at.info.Size:
		return errChangedMeanwhile
	}
	f.set(content)
	f.onDisk = content
	return nil
}

func (t *tree) note(letter, name string, list *[]string) {
	t.list = append(t.list, letter+" "+name)
	*list = append(*list, name)
}

// changes are what brings the disk to the state of the tree.
func (t *tree) changes() []change {
	var list []change
	for _, f := range t.files {
		switch {
		case f.exists && f.at.exists && f.onDisk != nil && bytes.Equal(f.onDisk, f.content):
			// A chunk that only names lines changes nothing.
		case f.exists && f.loaded:
			list = append(list, change{name: f.name, at: f.at, content: f.content})
		case !f.exists && f.at.exists:
			list = append(list, change{name: f.name, at: f.at, remove: true})
		}
	}
	return list
}

func (t *tree) result() *result {
	d := patchDetails{patchSummary{
		Added: append([]string{}, t.sum.Added...), Modified: append([]string{}, t.sum.Modified...), Deleted: append([]string{}, t.sum.Deleted...),
	}}
	return &result{Text: "The patch was applied to " + count(len(t.list), "file") + ":\n" + strings.Join(t.list, "\n"), Details: d}
}

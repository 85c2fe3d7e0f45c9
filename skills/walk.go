package skills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"openclaw/skills/internal/frontmatter"
)

// Bounds of a place.
const (
	MaxDepth   = 6       // directories below the place that a skill may lie deep
	MaxEntries = 20_000  // entries of directories that are looked at
	MaxListed  = 2_000   // entries of one directory
	MaxSkills  = 1_000   // files that are read
	MaxFile    = 1 << 20 // bytes of a SKILL.md
)

// headSize is what is read of a SKILL.md: empty lines, the front matter, and a bit more.
const headSize = 2*frontmatter.MaxSize + 1<<10

// fileNames are the names of the file that makes a directory a skill, the usual one first.
var fileNames = []string{"SKILL.md", "skill.md"}

// skipped are directories that hold other people's files.
var skipped = []string{"node_modules", "__pycache__"}

// walk looks through one place, level by level: what lies high is found whatever lies below.
type walk struct {
	*discovery
	place place
	roots []*os.Root
	queue []spot
	seen  map[string]bool // directories, with links resolved

	entries, skills int
}

// spot is a directory to look into.
type spot struct {
	root  *os.Root
	at    string // the root's path, with links resolved
	rel   string // in the root, without links
	shown string // its path as it was found
	depth int
}

func (s spot) path() string { return filepath.Join(s.at, s.rel) }

func (s spot) below(name string) spot {
	return spot{s.root, s.at, filepath.Join(s.rel, name), filepath.Join(s.shown, name), s.depth + 1}
}

func (w *walk) close() {
	for _, r := range w.roots {
		_ = r.Close()
	}
}

func (w *walk) run(ctx context.Context, top spot) error {
	w.enter(top)
	for len(w.queue) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		s := w.queue[0]
		w.queue = w.queue[1:]
		if w.skill(s) {
			continue
		}
		if s.depth < MaxDepth && w.entries < MaxEntries {
			w.list(s)
		}
		if w.skills >= MaxSkills {
			w.problem(w.place, w.place.path(), LevelError, fmt.Sprintf("has more than %d skills: the rest was not looked at", MaxSkills))
			return nil
		}
	}
	return nil
}

// enter puts a directory on the list, unless it was there before.
func (w *walk) enter(s spot) {
	if path := s.path(); !w.seen[path] {
		w.seen[path] = true
		w.queue = append(w.queue, s)
	}
}

// list enters what a directory holds: directories first, so that a skill goes by its own directory's name and not by that of a link.
func (w *walk) list(s spot) {
	entries, err := w.read(s)
	if err != nil {
		w.problem(w.place, s.shown, LevelError, fmt.Sprintf("cannot be looked through: %v", cause(err)))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if e.IsDir() && !skip(e.Name()) {
			w.enter(s.below(e.Name()))
		}
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 && !skip(e.Name()) {
			w.follow(s.below(e.Name()))
		}
	}
}

func skip(name string) bool { return strings.HasPrefix(name, ".") || slices.Contains(skipped, name) }

// read lists a directory as far as the bounds allow.
func (w *walk) read(s spot) ([]fs.DirEntry, error) {
	f, err := s.root.OpenFile(s.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // should it have become a FIFO
	if err != nil {
		return nil, err
	}
	defer f.Close()
	most := min(MaxListed, MaxEntries-w.entries)
	entries, err := f.ReadDir(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(entries) > most {
		entries = entries[:most]
		w.problem(w.place, s.shown, LevelError, fmt.Sprintf("has more than %d entries: the rest was not looked at", most))
	}
	if w.entries += len(entries); w.entries == MaxEntries {
		w.problem(w.place, w.place.path(), LevelError, fmt.Sprintf("has more than %d entries in all: directories below them were not looked into", MaxEntries))
	}
	return entries, err
}

// follow enters the directory that a link leads to, if it may.
func (w *walk) follow(s spot) {
	real, err := filepath.EvalSymlinks(s.path())
	if err != nil {
		w.problem(w.place, s.shown, LevelWarning, fmt.Sprintf("the link leads nowhere: %v", cause(err)))
		return
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return
	}
	if rel, err := filepath.Rel(s.at, real); err == nil && filepath.IsLocal(rel) {
		s.rel = rel
		w.enter(s)
		return
	}
	if !w.mayLeadTo(real) {
		w.problem(w.place, s.shown, LevelError, fmt.Sprintf("the link leads out, to %s, and is not followed (skills.load.allowSymlinkTargets names what may be led to)", real))
		return
	}
	if w.seen[real] {
		return
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		w.problem(w.place, s.shown, LevelError, fmt.Sprintf("cannot be looked through: %v", cause(err)))
		return
	}
	w.roots = append(w.roots, root)
	w.enter(spot{root, real, ".", s.shown, s.depth})
}

func (w *walk) mayLeadTo(real string) bool {
	return w.place.linked || slices.ContainsFunc(w.targets, func(t string) bool { return within(real, t) })
}

// skill reads a directory's SKILL.md, if it has one. What looks like a skill is one, or a mistake: there is nothing below it.
func (w *walk) skill(s spot) bool {
	name := ""
	for _, n := range fileNames {
		if _, err := s.root.Lstat(filepath.Join(s.rel, n)); err == nil {
			name = n
			break
		}
	}
	if name == "" {
		return false
	}
	file := filepath.Join(s.shown, name)
	if s.depth == 0 && !w.place.single {
		w.problem(w.place, file, LevelWarning, "a skill lies in a directory of its own: this one is not read")
		return false
	}
	w.skills++
	head, err := readHead(s, name)
	if err != nil {
		w.problem(w.place, file, LevelError, fmt.Sprintf("cannot be read: %v", cause(err)))
		return true
	}
	w.candidate(w.place, s.path(), file, head)
	return true
}

// Reasons why a SKILL.md is not read.
var (
	errNotRegular = errors.New("it is not a regular file")
	errTooLarge   = fmt.Errorf("it is larger than %d bytes", MaxFile)
)

// readHead reads the beginning of a file that lies in the skill's directory, wherever links in that directory lead. It never waits for a
// FIFO or a device.
func readHead(s spot, name string) ([]byte, error) {
	dir, err := s.root.OpenRoot(s.rel)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Stat(name)
	if err != nil {
		if text, linkErr := dir.Readlink(name); linkErr == nil {
			err = fmt.Errorf("it is a link to %s, which leads nowhere or out of its directory", text)
		}
		return nil, err
	}
	if err := readable(info); err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // what was opened may not be what was looked at
		return nil, err
	}
	if err := readable(info); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, headSize))
}

func readable(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() > MaxFile:
		return errTooLarge
	}
	return nil
}

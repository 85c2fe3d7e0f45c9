package skills

import (
	"os"
	"path/filepath"
	"slices"
)

// Source is a place where skills lie.
type Source string

// The places, highest first.
const (
	SourceWorkspace Source = "openclaw-workspace"     // <workspace>/skills
	SourceProject   Source = "agents-skills-project"  // <workspace>/.agents/skills
	SourcePersonal  Source = "agents-skills-personal" // ~/.agents/skills
	SourceManaged   Source = "openclaw-managed"       // <state>/skills
	SourceBundled   Source = "openclaw-bundled"
	SourceExtra     Source = "openclaw-extra" // skills.load.extraDirs
)

// Names of directories.
const (
	dirSkills = "skills"
	dirAgents = ".agents"
)

// place is a directory to look through.
type place struct {
	source Source
	base   string // the directory that links may not leave
	sub    string // the place in it
	linked bool   // links may lead to directories anywhere: the place is its user's own
	single bool   // may be a skill itself
}

func (p place) path() string { return filepath.Join(p.base, p.sub) }

// places lists them, highest first.
func (o *Options) places() []place {
	list := []place{
		{source: SourceWorkspace, base: o.Workspace, sub: dirSkills},
		{source: SourceProject, base: o.Workspace, sub: filepath.Join(dirAgents, dirSkills)},
		{source: SourcePersonal, base: o.Personal, linked: true},
		{source: SourceManaged, base: o.Managed, linked: true},
		{source: SourceBundled, base: o.Bundled},
	}
	for _, dir := range o.ExtraDirs {
		list = append(list, place{source: SourceExtra, base: dir, single: true})
	}
	return slices.DeleteFunc(list, func(p place) bool { return p.base == "" })
}

// open opens a place. A base that is a link itself is followed: it is the one that was configured.
func (p place) open() (root *os.Root, path string, err error) {
	if path, err = filepath.EvalSymlinks(p.base); err != nil {
		return nil, "", err
	}
	base, err := os.OpenRoot(path)
	if err != nil || p.sub == "" {
		return base, path, err
	}
	defer base.Close()
	if root, err = base.OpenRoot(p.sub); err != nil {
		return nil, "", err
	}
	// The path of what was opened, with links resolved, is what is mounted later.
	if path, err = filepath.EvalSymlinks(filepath.Join(path, p.sub)); err != nil {
		root.Close()
		return nil, "", err
	}
	return root, path, nil
}

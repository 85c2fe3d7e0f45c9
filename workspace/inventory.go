package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
)

// inventory is what lies in a workspace, as far as it tells who lives there.
type inventory struct {
	files   map[string][]byte // bootstrap files by name; nil content for those that cannot be read
	memory  bool              // a directory for notes
	skills  bool              // a skill of its own
	git     bool
	foreign bool // anything else
}

// noise are the names that do not show that somebody lives there.
var noise = []string{".DS_Store", ".openclaw", "openclaw-workspace-state.json"}

func (d *dir) look(ctx context.Context) (*inventory, error) {
	state := &inventory{files: map[string][]byte{}}
	for _, name := range BootstrapFiles() {
		there, err := d.has(name)
		if err != nil {
			return nil, err
		}
		if there {
			data, err := d.read(ctx, name)
			if err != nil {
				data = nil // somebody's, whatever it is
			}
			state.files[name] = data
		}
	}
	var err error
	if state.memory, err = d.has(dirMemory); err != nil {
		return nil, err
	}
	if state.git, err = d.has(".git"); err != nil {
		return nil, err
	}
	state.skills = d.hasSkill()
	state.foreign, err = d.hasEntry(func(name string) bool {
		known := append(slices.Clone(noise), dirSkills, dirMemory, ".git")
		return !slices.Contains(known, name) && !slices.Contains(BootstrapFiles(), name) && !isTemp(name)
	})
	return state, err
}

// isTemp recognises what an interrupted publish leaves.
func isTemp(name string) bool {
	for _, file := range BootstrapFiles() {
		if ok, err := path.Match("."+file+".????????????????", name); ok && err == nil {
			return true
		}
	}
	return false
}

func (i *inventory) present(name string) bool {
	_, ok := i.files[name]
	return ok
}

// changed tells whether a file is there and not as seeding makes it.
func (i *inventory) changed(name string) bool {
	data, there := i.files[name]
	text, _ := Template(name)
	return there && !bytes.Equal(data, text)
}

// brandNew tells that nobody has lived there.
func (i *inventory) brandNew() bool {
	for _, name := range seededFiles {
		if i.present(name) {
			return false
		}
	}
	return !i.memory && !i.present(FileMemory) && !i.skills
}

// configured tells that an agent has a life of its own there. A repository counts only where no set-up may have made it.
func (i *inventory) configured(expired bool) bool {
	return i.memory || i.present(FileMemory) || i.skills || i.git && !expired || slices.ContainsFunc(profileFiles, i.changed)
}

// survived tells that what is there carries on what is remembered.
func (i *inventory) survived(r Record) bool {
	if i.present(FileBootstrap) || i.memory || i.present(FileMemory) || i.skills || i.foreign || slices.ContainsFunc(profileFiles, i.changed) {
		return true
	}
	if i.changed(FileAgents) && contentDigest(i.files[FileAgents]) != r.Generated[FileAgents] {
		return true
	}
	return r.seeded() && i.asGenerated(r)
}

// asGenerated tells that every file that was recorded is there as it was, AGENTS.md among them.
func (i *inventory) asGenerated(r Record) bool {
	if r.Generated[FileAgents] == "" {
		return false
	}
	for name, sum := range r.Generated {
		if data, there := i.files[name]; !there || contentDigest(data) != sum {
			return false
		}
	}
	return true
}

// hasContent tells whether anything lies in the workspace that somebody may miss.
func (d *dir) hasContent() (bool, error) {
	if d.hasSkill() {
		return true, nil
	}
	return d.hasEntry(func(name string) bool {
		return name != dirSkills && !slices.Contains(noise, name) && !isTemp(name)
	})
}

// hasEntry tells whether the top directory has a name for which match holds.
func (d *dir) hasEntry(match func(string) bool) (bool, error) {
	top, err := d.root.Open(".")
	if err != nil {
		return false, cause(err)
	}
	defer top.Close()
	for {
		names, err := top.Readdirnames(256)
		if slices.ContainsFunc(names, match) {
			return true, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, cause(err)
		}
	}
}

// hasSkill tells whether there is a skills/<name>/SKILL.md.
func (d *dir) hasSkill() bool {
	found, err := fs.Glob(d.root.FS(), dirSkills+"/*/"+fileSkill)
	return err == nil && len(found) > 0
}

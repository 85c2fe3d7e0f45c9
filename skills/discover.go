package skills

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"openclaw/skills/internal/frontmatter"
	"openclaw/workspace"
)

// Options say where skills lie and what decides about them.
type Options struct {
	Workspace string   // the agent's; its skills come first
	Personal  string   // ~/.agents/skills
	Managed   string   // <state>/skills
	Bundled   string   // those that come with the program
	ExtraDirs []string // lowest
	// LinkTargets are directories that links in the workspace, in bundled skills and in ExtraDirs may lead to.
	LinkTargets []string
	// Private are directories and files that no skill may hold or lie in.
	Private []string
	// Workspaces are those of other agents: no skill may hold one, or this agent's.
	Workspaces []string

	Entries map[string]Entry // settings of skills, by key
	Allow   []string         // those that the agent may have, by name or key; nil: all
	Bundles []string         // the same for bundled skills
	MaxUsed int              // how many are offered at most; 0: MaxUsed

	// What is there. Nil is nothing.
	HasCommand func(name string) bool // in the sandbox
	HasConfig  func(path string) bool // set, and neither false, 0 nor empty
	OS         string                 // of the commands; empty: linux
	// Veto, when set, gives a reason not to offer a skill, or nothing.
	Veto func(s *Skill) string
}

// Entry is the settings of one skill.
type Entry struct {
	Disabled bool
	Env      map[string]string // variables of the commands of sessions that have the skill
	Config   map[string]any
}

// MaxUsed is how many skills a session has at most: each is a mount of its own.
const MaxUsed = 256

// Discover looks through all places. Only a context that ends is an error: whatever is wrong with a place or a file is among the problems.
func Discover(ctx context.Context, o Options) (*Found, error) {
	d := discovery{options: &o, found: &Found{}, byName: map[string]int{}}
	if err := d.bounds(); err != nil {
		return nil, err
	}
	for _, p := range o.places() {
		if err := d.look(ctx, p); err != nil {
			return nil, fmt.Errorf("skills: discover: %w", err)
		}
	}
	list := d.found.Skills
	slices.SortFunc(list, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	gate(&o, list)
	d.unknownNames()
	return d.found, nil
}

// discovery is one call of Discover.
type discovery struct {
	options *Options
	found   *Found
	byName  map[string]int // into found.Skills
	private []string       // with links resolved
	above   []string       // what no skill may hold
	targets []string       // with links resolved
}

// bounds resolves the paths that candidates are compared with.
func (d *discovery) bounds() error {
	resolve := func(paths []string) (list []string, err error) {
		for _, p := range paths {
			if p == "" {
				continue
			}
			id, err := workspace.Identify(p)
			if err != nil {
				return nil, fmt.Errorf("skills: discover: %w", err)
			}
			list = append(list, id.Path)
		}
		return list, nil
	}
	var err error
	if d.private, err = resolve(d.options.Private); err != nil {
		return err
	}
	if d.above, err = resolve(append([]string{d.options.Workspace}, d.options.Workspaces...)); err != nil {
		return err
	}
	d.targets, err = resolve(d.options.LinkTargets)
	return err
}

func (d *discovery) look(ctx context.Context, p place) error {
	root, path, err := p.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p.source == SourceExtra {
			d.problem(p, p.path(), LevelWarning, "the directory does not exist")
		}
		return nil
	case err != nil:
		d.problem(p, p.path(), LevelError, fmt.Sprintf("cannot be looked through: %v", cause(err)))
		return nil
	}
	w := walk{discovery: d, place: p, seen: map[string]bool{}}
	defer w.close()
	w.roots = append(w.roots, root)
	return w.run(ctx, spot{root: root, at: path, rel: ".", shown: p.path()})
}

func (d *discovery) problem(p place, file string, level frontmatter.Level, message string) {
	d.found.Problems = append(d.found.Problems, Problem{File: file, Level: level, Message: message, Source: p.source})
}

// add puts a skill on the list, or under the one that stands for it.
func (d *discovery) add(s Skill) {
	at, there := d.byName[s.Name]
	if !there {
		d.byName[s.Name] = len(d.found.Skills)
		d.found.Skills = append(d.found.Skills, s)
		return
	}
	upper := &d.found.Skills[at]
	upper.Overrides = append(upper.Overrides, Overridden{s.Source, s.File, s.Description})
}

// candidate makes a skill of what was read of a SKILL.md.
func (d *discovery) candidate(p place, dir, file string, head []byte) {
	doc := frontmatter.Parse(head, filepath.Base(filepath.Dir(file)))
	var problems []Problem
	for _, q := range doc.Problems {
		problems = append(problems, Problem{file, q.Line, q.Level, q.Message, p.source})
	}
	name := doc.Name
	if name == "" {
		name = filepath.Base(filepath.Dir(file))
	}
	plain, ok := frontmatter.PlainName(name)
	if doc.Usable() && !ok {
		problems = append(problems, Problem{file, 1, LevelError, "neither the file nor its directory has a name that can be used", p.source})
	}
	if why := d.exposed(dir); why != "" {
		ok = false
		problems = append(problems, Problem{file, 0, LevelError, why, p.source})
	}
	if !ok || !doc.Usable() {
		d.found.Problems = append(d.found.Problems, problems...)
		return
	}
	s := Skill{
		Name: plain, Description: strings.TrimSpace(doc.Description), Source: p.source, Dir: dir, File: file, Key: doc.OpenClaw.Key,
		Homepage: doc.OpenClaw.Homepage, Emoji: doc.OpenClaw.Emoji, PrimaryEnv: doc.OpenClaw.PrimaryEnv,
		Metadata: doc.Metadata, Always: doc.OpenClaw.Always, OS: doc.OpenClaw.OS, Requires: doc.OpenClaw.Requires,
		UserInvocable: doc.UserInvocable, Hidden: doc.DisableModelInvocation,
		Reasons: []string{}, Overrides: []Overridden{}, Problems: append([]Problem{}, problems...),
		digest: sha256.Sum256(head),
	}
	if s.Key == "" {
		s.Key = s.Name
	}
	if doc.Homepage != "" {
		s.Homepage = doc.Homepage
	}
	if doc.License != nil {
		s.License = *doc.License
	}
	if doc.Compatibility != nil {
		s.Compatibility = *doc.Compatibility
	}
	if doc.AllowedTools != nil {
		s.AllowedTools = doc.AllowedTools.List
	}
	d.add(s)
}

// exposed says why a directory must not be shown to tools, if so.
func (d *discovery) exposed(dir string) string {
	for _, p := range d.private {
		if within(p, dir) || within(dir, p) {
			return "the skill's directory holds, or lies in, what is the runtime's own: " + p
		}
	}
	for _, p := range d.above {
		if within(p, dir) {
			return "the skill's directory holds an agent's workspace: " + p
		}
	}
	return ""
}

// unknownNames reports the names of allowlists that no skill has.
func (d *discovery) unknownNames() {
	for _, name := range d.options.Allow {
		if !slices.ContainsFunc(d.found.Skills, func(s Skill) bool { return s.named(name) }) {
			d.found.Problems = append(d.found.Problems, Problem{Level: LevelWarning, Message: fmt.Sprintf("the agent is allowed a skill %q, and there is none", name)})
		}
	}
}

// within reports whether a path is a directory or lies below it, by name.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// cause is an error of the system without the path, which the message has already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

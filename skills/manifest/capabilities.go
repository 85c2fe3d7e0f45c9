package manifest

import (
	"time"

	"github.com/BurntSushi/toml"

	"openclaw/skills/capability"
)

// readCapabilities reads what the skill asks for.
func (r *reader) readCapabilities(meta toml.MetaData) {
	c := &r.doc.Capabilities
	s := requests()
	s.Time, s.Random = c.Time, c.Random
	s.Workspace, s.Paths = r.workspace(meta)
	s.Env = r.names("capabilities.env", c.Env, variableName)
	s.Spawn = r.names("capabilities.spawn", c.Spawn, commandName)
	r.size("capabilities.memory", c.Memory, MinMemory, MaxMemory, &s.Memory)
	r.size("capabilities.disk", c.Disk, 1, MaxDisk, &s.Disk)
	r.size("limits.output", r.doc.Limits.Output, 1, MaxOutput, &s.Output)
	if meta.IsDefined("capabilities", "fuel") {
		if s.Fuel = c.Fuel; c.Fuel <= 0 {
			r.wrong(0, "capabilities.fuel", "%d is not a positive number", c.Fuel)
		}
	}
	if text := r.doc.Limits.Timeout; text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 || d > MaxTimeout {
			r.wrong(0, "limits.timeout", "%q is not a time such as 10s, up to %s", text, MaxTimeout)
		}
		s.Timeout = d
	}
	for _, key := range []string{"net", "secrets"} {
		if meta.IsDefined("capabilities", key) {
			r.unenforced("capabilities." + key)
		}
	}
	r.out.Requests = s.Normal()
}

// unenforced refuses what has a place in a manifest and nothing that would hold a skill to it.
func (r *reader) unenforced(key string) {
	r.mistakes = append(r.mistakes, Mistake{
		Line: r.places.line(key, 0), Key: key, Reason: "it is not granted: " + ErrUnenforced.Error(), Cause: ErrUnenforced,
	})
}

func (r *reader) workspace(meta toml.MetaData) (capability.Access, []string) {
	c := &r.doc.Capabilities
	access := capability.None
	switch c.Workspace {
	case "read", "write":
		access = capability.Access(c.Workspace)
	case "none":
	case "":
		if meta.IsDefined("capabilities", "workspace") {
			r.wrong(0, "capabilities.workspace", "want none, read or write")
		}
	default:
		r.wrong(0, "capabilities.workspace", "%q: want none, read or write", c.Workspace)
	}
	defined := meta.IsDefined("capabilities", "paths")
	switch {
	case defined && access == capability.None:
		r.wrong(0, "capabilities.paths", "there are paths, and no access to the workspace")
	case defined && len(c.Paths) == 0:
		r.wrong(0, "capabilities.paths", "the list is empty: leave it out to ask for the whole workspace")
	case len(c.Paths) > MaxPaths:
		r.wrong(0, "capabilities.paths", "%d, more than %d", len(c.Paths), MaxPaths)
	}
	for _, p := range c.Paths {
		if err := CheckPath(p); err != nil {
			r.wrong(0, "capabilities.paths", "%q: %v", p, err)
		}
	}
	return access, c.Paths
}

func (r *reader) names(key string, list []string, form matcher) []string {
	if len(list) > MaxNames {
		r.wrong(0, key, "%d, more than %d", len(list), MaxNames)
	}
	for _, n := range list {
		if !form.MatchString(n) {
			r.wrong(0, key, "%q is not a name", n)
		}
	}
	return list
}

func (r *reader) size(key, text string, least, most int64, into *int64) {
	if text == "" {
		return
	}
	n, err := capability.ParseSize(text)
	switch {
	case err != nil:
		r.wrong(0, key, "%q is %v", text, err)
	case n < least || n > most:
		r.wrong(0, key, "%s: want %s to %s", text, capability.Bytes(least), capability.Bytes(most))
	default:
		*into = n
	}
}

package capability

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Words says, a line each, what the set allows.
func (s Set) Words() []string {
	s = s.Normal()
	lines := []string{s.workspaceWords()}
	if len(s.Env) > 0 {
		lines = append(lines, "reads the variables "+strings.Join(s.Env, ", "))
	}
	if len(s.Spawn) > 0 {
		lines = append(lines, "starts the programs "+strings.Join(s.Spawn, ", "))
	}
	if s.Time {
		lines = append(lines, "reads the date and time")
	}
	if s.Random {
		lines = append(lines, "uses random numbers")
	}
	for _, n := range s.Net {
		lines = append(lines, n.words())
	}
	for _, c := range s.Secrets {
		lines = append(lines, c.words())
	}
	return append(lines, s.bounds())
}

func (s Set) workspaceWords() string {
	verb := map[Access]string{Read: "reads", Write: "reads and changes"}[s.Workspace]
	switch {
	case verb == "":
		return "sees nothing of the workspace"
	case len(s.Paths) == 0:
		return verb + " the whole workspace"
	}
	return verb + " in the workspace " + strings.Join(s.Paths, ", ")
}

func (n Net) words() string {
	methods := "any method"
	if len(n.Methods) > 0 {
		methods = strings.Join(n.Methods, ", ")
	}
	return fmt.Sprintf("sends requests (%s) to %s%s", methods, n.Origin, n.Path)
}

func (s Secret) words() string {
	return fmt.Sprintf("has the secret %s added to requests to %s (%s)", s.Name, s.Origin, s.Header)
}

func (s Set) bounds() string {
	return fmt.Sprintf("uses at most %s of memory, %s of disk, %s, %s of output and %s units of fuel a call",
		Bytes(s.Memory), Bytes(s.Disk), duration(s.Timeout), Bytes(s.Output), count(s.Fuel))
}

// Beyond says, a line each, what the set allows and another does not. The narrower a set, the shorter the list.
func (s Set) Beyond(other Set) []string {
	s, other = s.Normal(), other.Normal()
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if !s.placesWithin(other) {
		add("%s (until now: %s)", s.workspaceWords(), other.workspaceWords())
	}
	if names := without(s.Env, other.Env); len(names) > 0 {
		add("reads the variables %s", strings.Join(names, ", "))
	}
	if names := without(s.Spawn, other.Spawn); len(names) > 0 {
		add("starts the programs %s", strings.Join(names, ", "))
	}
	if s.Time && !other.Time {
		add("reads the date and time")
	}
	if s.Random && !other.Random {
		add("uses random numbers")
	}
	for _, n := range s.Net {
		if !slices.ContainsFunc(other.Net, func(o Net) bool { return o.key() == n.key() }) {
			add("%s", n.words())
		}
	}
	for _, c := range s.Secrets {
		if !slices.Contains(other.Secrets, c) {
			add("%s", c.words())
		}
	}
	for _, b := range []struct {
		name       string
		mine, your int64
		text       func(int64) string
	}{
		{"memory", s.Memory, other.Memory, Bytes},
		{"disk", s.Disk, other.Disk, Bytes},
		{"time a call", int64(s.Timeout), int64(other.Timeout), func(n int64) string { return duration(time.Duration(n)) }},
		{"output", s.Output, other.Output, Bytes},
		{"units of fuel", s.Fuel, other.Fuel, count},
	} {
		if b.mine > b.your {
			add("uses up to %s of %s (until now: %s)", b.text(b.mine), b.name, b.text(b.your))
		}
	}
	return lines
}

// placesWithin tells whether everything that may be reached in the workspace may be reached by another set, too.
func (s Set) placesWithin(other Set) bool {
	if s.Workspace.width() > other.Workspace.width() {
		return false
	}
	return !slices.ContainsFunc(s.places(), func(p string) bool {
		return !slices.ContainsFunc(other.places(), func(q string) bool { return below(p, q) })
	})
}

func without(list, other []string) []string {
	var more []string
	for _, e := range list {
		if !slices.Contains(other, e) {
			more = append(more, e)
		}
	}
	return more
}

const unboundedText = "any amount"

// Bytes writes a size as [ParseSize] reads it.
func Bytes(n int64) string {
	if n == Unbounded {
		return unboundedText
	}
	for _, u := range units {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

func count(n int64) string {
	if n == Unbounded {
		return unboundedText
	}
	return strconv.FormatInt(n, 10)
}

func duration(d time.Duration) string {
	if d == Unbounded {
		return "any time"
	}
	return d.String()
}

// Package capability says what a skill may reach, and computes with it.
//
// A [Set] is complete: what is not in it cannot be reached. Sets are ordered, and the package promises that
//
//   - [Intersect] is never wider than either of its operands, whatever they hold;
//   - a set is wider than another exactly when [Set.Beyond] names what it has in addition;
//   - [Set.Words] names everything that a set allows, so that a person who reads it has missed nothing.
package capability

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Access says what a skill may do in the workspace. The zero value is the narrowest.
type Access string

// The kinds of access, each wider than the one before.
const (
	None  Access = ""
	Read  Access = "read"
	Write Access = "write"
)

// width orders accesses. What is no access is none.
func (a Access) width() int { return max(0, slices.Index([]Access{None, Read, Write}, a)) }

// Net is a request to reach a web server.
type Net struct {
	Origin  string   `json:"origin"`
	Methods []string `json:"methods,omitempty"`
	Path    string   `json:"path,omitempty"` // prefix
}

// Secret is a request to have a secret added to requests.
type Secret struct {
	Name   string `json:"name"`
	Header string `json:"header"` // template of the header that carries it
	Origin string `json:"origin"`
}

// Set is what a skill may reach, or asks for. The zero Set is nothing at all: no time, and no memory to run in.
type Set struct {
	Workspace Access   `json:"workspace,omitempty"`
	Paths     []string `json:"paths,omitempty"` // of the workspace; none: all of it
	Env       []string `json:"env,omitempty"`   // names of variables
	Spawn     []string `json:"spawn,omitempty"` // names of programs
	Time      bool     `json:"time,omitempty"`  // the real date
	Random    bool     `json:"random,omitempty"`
	Net       []Net    `json:"net,omitempty"`
	Secrets   []Secret `json:"secrets,omitempty"`

	Memory  int64         `json:"memory"` // bytes
	Disk    int64         `json:"disk"`   // bytes
	Fuel    int64         `json:"fuel"`
	Timeout time.Duration `json:"timeout"`
	Output  int64         `json:"output"` // bytes of an answer and of what is said beside it
}

// Unbounded is a number in a Set that bounds nothing.
const Unbounded = math.MaxInt64

// All is the widest set as far as this build can keep what it promises; network and secrets are not in it.
func All(env, spawn []string) Set {
	return Set{
		Workspace: Write, Env: env, Spawn: spawn, Time: true, Random: true,
		Memory: Unbounded, Disk: Unbounded, Fuel: Unbounded, Timeout: Unbounded, Output: Unbounded,
	}.Normal()
}

// Normal is the same set in the one form that compares equal: lists sorted, nothing twice, no path below another.
func (s Set) Normal() Set {
	if s.Workspace.width() == 0 {
		s.Workspace, s.Paths = None, nil
	}
	s.Paths = outermost(s.Paths)
	s.Env, s.Spawn = sorted(s.Env), sorted(s.Spawn)
	s.Net = sortedBy(s.Net, Net.key)
	s.Secrets = sortedBy(s.Secrets, Secret.key)
	return s
}

func (n Net) key() string    { return n.Origin + "\x00" + n.Path + "\x00" + strings.Join(n.Methods, " ") }
func (s Secret) key() string { return s.Origin + "\x00" + s.Header + "\x00" + s.Name }

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return clip(slices.Compact(list))
}

func sortedBy[T any](list []T, key func(T) string) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(key(a), key(b)) })
	return clip(slices.CompactFunc(list, func(a, b T) bool { return key(a) == key(b) }))
}

// clip makes an empty list nil.
func clip[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// root is the path of the whole workspace.
const root = "."

// outermost drops paths that lie in others. The whole workspace is no list at all.
func outermost(paths []string) []string {
	var kept []string
	for _, p := range sorted(paths) {
		if p == root {
			return nil
		}
		if !slices.ContainsFunc(kept, func(k string) bool { return below(p, k) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// below tells whether a path is another, or lies in it.
func below(p, dir string) bool {
	return dir == root || p == dir || strings.HasPrefix(p, dir+"/")
}

// places are the paths of a set that may be reached, also when that is the whole workspace.
func (s Set) places() []string {
	switch {
	case s.Workspace.width() == 0:
		return nil
	case len(s.Paths) == 0:
		return []string{root}
	}
	return s.Paths
}

// Intersect is what both sets allow.
func Intersect(a, b Set) Set {
	out := Set{
		Env: common(a.Env, b.Env), Spawn: common(a.Spawn, b.Spawn),
		Time: a.Time && b.Time, Random: a.Random && b.Random,
		Net: commonBy(a.Net, b.Net, Net.key), Secrets: commonBy(a.Secrets, b.Secrets, Secret.key),
		Memory: min(a.Memory, b.Memory), Disk: min(a.Disk, b.Disk), Fuel: min(a.Fuel, b.Fuel),
		Timeout: min(a.Timeout, b.Timeout), Output: min(a.Output, b.Output),
	}
	for _, p := range a.places() {
		for _, q := range b.places() {
			switch {
			case below(p, q):
				out.Paths = append(out.Paths, p)
			case below(q, p):
				out.Paths = append(out.Paths, q)
			}
		}
	}
	if len(out.Paths) > 0 {
		out.Workspace = a.Workspace
		if b.Workspace.width() < a.Workspace.width() {
			out.Workspace = b.Workspace
		}
	}
	return out.Normal()
}

func common(a, b []string) []string {
	return commonBy(a, b, func(s string) string { return s })
}

func commonBy[T any](a, b []T, key func(T) string) []T {
	var list []T
	for _, x := range a {
		if slices.ContainsFunc(b, func(y T) bool { return key(x) == key(y) }) {
			list = append(list, x)
		}
	}
	return list
}

// Within tells whether a set allows nothing that another does not.
func (s Set) Within(other Set) bool { return len(s.Beyond(other)) == 0 }

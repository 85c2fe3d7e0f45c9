package skills

import (
	"fmt"
	"slices"
	"strings"
)

// defaultOS is what the commands of the sandbox are those of, whatever system the program runs on.
const defaultOS = "linux"

// gate decides which skills are offered. They are sorted by name.
func gate(o *Options, list []Skill) {
	most := o.MaxUsed
	if most <= 0 {
		most = MaxUsed
	}
	used := 0
	for i := range list {
		s := &list[i]
		s.decide(o)
		if len(s.Reasons) == 0 && used == most {
			s.Surplus = true
			s.because("there are more than %d skills", most)
		}
		if s.Eligible = len(s.Reasons) == 0; s.Eligible {
			used++
		}
	}
}

func (s *Skill) because(format string, args ...any) {
	s.Reasons = append(s.Reasons, fmt.Sprintf(format, args...))
}

// named tells whether a name of the configuration means the skill.
func (s *Skill) named(name string) bool { return name == s.Name || name == s.Key }

// decide finds the reasons not to offer a skill.
func (s *Skill) decide(o *Options) {
	entry := o.Entries[s.Key]
	if s.Disabled = entry.Disabled; s.Disabled {
		s.because("it is switched off (skills.entries.%s.enabled)", s.Key)
	}
	switch {
	case s.Source == SourceBundled && o.Bundles != nil && !slices.ContainsFunc(o.Bundles, s.named):
		s.Blocked = true
		s.because("it comes with the program and is not in skills.allowBundled")
	case o.Allow != nil && !slices.ContainsFunc(o.Allow, s.named):
		s.Blocked = true
		s.because("the agent's list of skills does not have it")
	}
	if o.Veto != nil {
		if reason := o.Veto(s); reason != "" {
			s.Vetoed = true
			s.because("%s", reason)
		}
	}
	s.checkOS(o)
	if !s.Always {
		s.checkRequired(o, entry)
	}
}

func (s *Skill) checkOS(o *Options) {
	os := o.OS
	if os == "" {
		os = defaultOS
	}
	if len(s.OS) > 0 && !slices.Contains(s.OS, os) {
		s.Missing.OS = s.OS
		s.because("it is for %s, and commands here are those of %s", strings.Join(s.OS, ", "), os)
	}
}

func (s *Skill) checkRequired(o *Options, entry Entry) {
	has := func(f func(string) bool) func(string) bool {
		return func(name string) bool { return f != nil && f(name) }
	}
	command, config := has(o.HasCommand), has(o.HasConfig)
	env := func(name string) bool { return entry.Env[name] != "" }
	if s.Missing.Bins = without(s.Requires.Bins, command); len(s.Missing.Bins) > 0 {
		s.because("the sandbox has no command %s", strings.Join(s.Missing.Bins, ", "))
	}
	if list := s.Requires.AnyBins; len(list) > 0 && !slices.ContainsFunc(list, command) {
		s.Missing.AnyBins = list
		s.because("the sandbox has none of the commands %s", strings.Join(list, ", "))
	}
	if s.Missing.Env = without(s.Requires.Env, env); len(s.Missing.Env) > 0 {
		s.because("no value for %s (skills.entries.%s.env)", strings.Join(s.Missing.Env, ", "), s.Key)
	}
	if s.Missing.Config = without(s.Requires.Config, config); len(s.Missing.Config) > 0 {
		s.because("the configuration does not have %s", strings.Join(s.Missing.Config, ", "))
	}
}

// without lists the names that are not there.
func without(names []string, there func(string) bool) []string {
	var list []string
	for _, n := range names {
		if !there(n) {
			list = append(list, n)
		}
	}
	return list
}

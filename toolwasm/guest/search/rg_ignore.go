package search

import (
	"strings"

	"openclaw/toolwasm/guest/glob"
)

// rule is one line of an ignore file, or one -g option.
type rule struct {
	segments []*glob.Pattern // between slashes; nil stands for **
	anchored bool            // it is matched from the file's own directory
	dirOnly  bool
	negated  bool
}

// parseRule reads a line of an ignore file. It reports false for blank lines and comments.
func parseRule(line string, flags glob.Flags) (rule, bool) {
	line = strings.TrimRight(line, "\r\n")
	if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, `\`) {
		line = trimmed
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.negated = true
		line = line[1:]
	}
	line = strings.TrimPrefix(line, `\`)
	if strings.HasSuffix(line, "/") {
		r.dirOnly = true
		line = strings.TrimSuffix(line, "/")
	}
	if strings.HasPrefix(line, "/") {
		r.anchored = true
		line = line[1:]
	}
	if strings.Contains(line, "/") {
		r.anchored = true
	}
	for _, s := range strings.Split(line, "/") {
		if s == "**" {
			r.segments = append(r.segments, nil)
			continue
		}
		g, err := glob.Compile(s, flags|glob.Pathname)
		if err != nil {
			return rule{}, false
		}
		r.segments = append(r.segments, g)
	}
	return r, len(r.segments) > 0
}

// matches reports whether a path, relative to the directory of the rule, is named by it.
func (r *rule) matches(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	parts := strings.Split(rel, "/")
	if !r.anchored {
		return r.segments[0] == nil || r.segments[0].Match(parts[len(parts)-1])
	}
	return matchSegments(r.segments, parts)
}

func matchSegments(segments []*glob.Pattern, parts []string) bool {
	for len(segments) > 0 {
		if segments[0] == nil {
			if len(segments) == 1 {
				return len(parts) > 0
			}
			for i := range parts {
				if matchSegments(segments[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 || !segments[0].Match(parts[0]) {
			return false
		}
		segments, parts = segments[1:], parts[1:]
	}
	return len(parts) == 0
}

// verdictOf is what a set of rules says of a path.
type verdictOf int

const (
	noVerdict verdictOf = iota
	ignored
	wanted
)

// rules are those of one file, in order; the last that matches decides.
type rules []rule

func parseRules(text string, flags glob.Flags) rules {
	var rs rules
	for line := range strings.Lines(text) {
		if r, ok := parseRule(line, flags); ok {
			rs = append(rs, r)
		}
	}
	return rs
}

func (rs rules) decide(rel string, dir bool) verdictOf {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].matches(rel, dir) {
			if rs[i].negated {
				return wanted
			}
			return ignored
		}
	}
	return noVerdict
}

package models

import (
	"strings"

	"openclaw/runtime/config"
)

// minPart is the length from which on a text is looked for within names.
const minPart = 3

// nearest is the candidate most like a name, or else the only one that has it in it, or "".
func nearest(name string, candidates []string) string {
	best := config.Nearest(name, candidates)
	if best != "" || len(name) < minPart {
		return best
	}
	for _, c := range candidates {
		if !strings.Contains(strings.ToLower(c), strings.ToLower(name)) {
			continue
		}
		if best != "" {
			return ""
		}
		best = c
	}
	return best
}

package models

import (
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/config"
)

// PolicyError is a model that the configuration does not let anyone choose.
type PolicyError struct {
	Ref   Ref
	Key   string   // of the configuration
	Allow []string // what may be chosen
}

// maxAllowed is how many models of a policy a message lists.
const maxAllowed = 8

func (e *PolicyError) Error() string {
	list := strings.Join(e.Allow[:min(len(e.Allow), maxAllowed)], ", ")
	if more := len(e.Allow) - maxAllowed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("models: %s is not in %s: choose one of %s, or add %q or %q to it, or remove the key to allow every model",
		e.Ref.Name(), e.Key, list, e.Ref.Name(), e.Ref.Provider+"/*")
}

// Allowed refuses a model that somebody chose and the agent's policy does not have. What is configured needs no permission.
func (r *Registry) Allowed(agent *config.Agent, ref Ref) error {
	if len(agent.ModelAllow) == 0 || slices.ContainsFunc(agent.ModelAllow, func(entry string) bool { return r.allows(agent, entry, ref) }) {
		return nil
	}
	key := "agents.defaults.modelPolicy.allow"
	if path, _, ok := r.conf.AgentOrigin(agent.ID, "modelPolicy", "allow"); ok {
		key = path.String()
	}
	return &PolicyError{Ref: ref, Key: key, Allow: agent.ModelAllow}
}

// allows tells whether an entry of a policy means a model. It may be an alias.
func (r *Registry) allows(agent *config.Agent, entry string, ref Ref) bool {
	if r.matches(entry, ref) {
		return true
	}
	if strings.Contains(entry, "/") {
		return false
	}
	named, err := r.resolve(agent, entry, typed)
	return err == nil && named.Same(ref)
}

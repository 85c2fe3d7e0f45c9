package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
)

// Scope is whose settings an edit changes: all agents' defaults, or one agent's own.
type Scope struct {
	Agent *config.Agent // whose aliases and models count
	Own   bool          // its own entry; else agents.defaults
}

// ErrAlias is the cause when an alias cannot be made or removed.
var ErrAlias = errors.New("alias")

// at is a path in the scope.
func (r *Registry) at(s Scope, keys ...string) json5.Path {
	path := json5.Path{json5.Key("agents"), json5.Key("defaults")}
	if s.Own {
		path = r.entryPath(s.Agent.ID)
	}
	for _, k := range keys {
		path = path.Join(json5.Key(k))
	}
	return path
}

// entryPath is where an agent's entry is, or would be.
func (r *Registry) entryPath(id string) json5.Path {
	path, _, ok := r.conf.AgentOrigin(id)
	if ok && (len(path) != 2 || path[1].Name() != "defaults") {
		return path
	}
	return json5.Path{json5.Key("agents"), json5.Key("entries"), json5.Key(id)}
}

// SetPrimary is the edit that makes a model the primary one. The fallbacks stay.
func (r *Registry) SetPrimary(s Scope, ref Ref) config.Edit {
	path := r.at(s, "model")
	if n := r.conf.Value(path); n != nil && n.Kind == json5.Object {
		path = path.Join(json5.Key("primary"))
	}
	return config.Edit{Path: path, Value: textNode(ref.String())}
}

// Fallbacks are the references of the scope's fallbacks, as they are written.
func (r *Registry) Fallbacks(s Scope) []string {
	if s.Own {
		return s.Agent.Model.Fallbacks
	}
	return r.conf.Agents.Defaults.Model.Fallbacks
}

// AddFallback is the edit that puts a model behind the other fallbacks. It is not ok when it is one already.
func (r *Registry) AddFallback(s Scope, ref Ref) (edit config.Edit, ok bool, err error) {
	list := r.Fallbacks(s)
	if slices.ContainsFunc(list, func(text string) bool { return r.means(s.Agent, text, ref) }) {
		return edit, false, nil
	}
	path := r.at(s, "model", "fallbacks")
	if n := r.conf.Value(path); n != nil {
		return config.Edit{Path: path.Join(json5.At(len(n.Items))), Value: textNode(ref.String())}, true, nil
	}
	edit, err = r.setFallbacks(s, append(slices.Clone(list), ref.String()))
	return edit, true, err
}

// RemoveFallback is the edit that removes a model from the fallbacks. It is not ok when it is none.
func (r *Registry) RemoveFallback(s Scope, ref Ref) (edit config.Edit, ok bool, err error) {
	list := r.Fallbacks(s)
	i := slices.IndexFunc(list, func(text string) bool { return r.means(s.Agent, text, ref) })
	if i < 0 {
		return edit, false, nil
	}
	path := r.at(s, "model", "fallbacks")
	if n := r.conf.Value(path); n != nil {
		return config.Edit{Path: path.Join(json5.At(i))}, true, nil
	}
	edit, err = r.setFallbacks(s, slices.Delete(slices.Clone(list), i, i+1))
	return edit, true, err
}

// ClearFallbacks is the edit that removes all fallbacks. It is not ok when there are none.
func (r *Registry) ClearFallbacks(s Scope) (edit config.Edit, ok bool, err error) {
	if len(r.Fallbacks(s)) == 0 {
		return edit, false, nil
	}
	edit, err = r.setFallbacks(s, nil)
	return edit, true, err
}

func (r *Registry) means(agent *config.Agent, text string, ref Ref) bool {
	named, err := r.resolve(agent, text, typed)
	return err == nil && named.Same(ref)
}

// setFallbacks writes the list, and the model that it belongs to where that is not an object yet.
func (r *Registry) setFallbacks(s Scope, list []string) (config.Edit, error) {
	items := make([]*json5.Node, len(list))
	for i, text := range list {
		items[i] = textNode(text)
	}
	value := &json5.Node{Kind: json5.Array, Items: items}
	path := r.at(s, "model")
	n := r.conf.Value(path)
	if n != nil && n.Kind == json5.Object {
		return config.Edit{Path: path.Join(json5.Key("fallbacks")), Value: value}, nil
	}
	primary := ""
	if n != nil {
		primary = n.Str
	} else {
		own, err := r.own(s.Agent)
		if err != nil {
			return config.Edit{}, err
		}
		primary = own.String()
	}
	return config.Edit{Path: path, Value: &json5.Node{Kind: json5.Object, Members: []*json5.Member{
		{Name: "primary", Value: textNode(primary)}, {Name: "fallbacks", Value: value},
	}}}, nil
}

// AddAlias is the edit that gives a model another name.
func (r *Registry) AddAlias(s Scope, name string, ref Ref) (config.Edit, error) {
	if ref.Profile != "" {
		return config.Edit{}, fmt.Errorf("models: %w %s: it is a name of a model, not of a key", ErrAlias, shown(name))
	}
	for _, a := range r.Aliases(s.Agent) {
		if strings.EqualFold(a.Name, name) && !a.BuiltIn && !a.Ref.Same(ref) {
			return config.Edit{}, fmt.Errorf("models: %w %s: it is the name of %s: remove it there first", ErrAlias, shown(name), a.Ref)
		}
	}
	return config.Edit{Path: r.at(s, "models", r.settingsKey(s.Agent, ref), "alias"), Value: textNode(name)}, nil
}

// RemoveAlias is the edit that takes a name away from its model, and with it settings that are nothing but the name.
func (r *Registry) RemoveAlias(s Scope, name string) (config.Edit, error) {
	all := r.at(s, "models")
	n := r.conf.Value(all)
	if n != nil {
		for _, m := range n.Members {
			alias := m.Value.Get("alias")
			switch {
			case alias == nil || !strings.EqualFold(alias.Str, name):
			case len(m.Value.Members) == 1:
				return config.Edit{Path: all.Join(json5.Key(m.Name))}, nil
			default:
				return config.Edit{Path: all.Join(json5.Key(m.Name)).Join(json5.Key("alias"))}, nil
			}
		}
	}
	var names []string
	for _, a := range r.Aliases(s.Agent) {
		if strings.EqualFold(a.Name, name) && a.BuiltIn {
			return config.Edit{}, fmt.Errorf("models: %w %s: it is built in", ErrAlias, shown(name))
		}
		names = append(names, a.Name)
	}
	hint := ""
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return config.Edit{}, fmt.Errorf("models: %w %s: %v has no such name%s", ErrAlias, shown(name), all, hint)
}

// settingsKey is the key of agents.*.models that a model has already, or would have.
func (r *Registry) settingsKey(agent *config.Agent, ref Ref) string {
	for _, key := range sortedKeys(agent.Models) {
		if known, ok := r.settingsRef(key); ok && known.Same(ref) {
			return key
		}
	}
	return ref.Name()
}

func textNode(s string) *json5.Node { return &json5.Node{Kind: json5.String, Str: s} }

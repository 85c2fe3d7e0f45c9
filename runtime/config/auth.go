package config

import (
	"errors"
	"slices"
	"strings"

	"openclaw/runtime/config/json5"
)

// Auth names the keys of providers that have several.
type Auth struct {
	Profiles map[string]AuthProfile // by id, provider:name
	Order    map[string][]string    // ids of profiles by provider: only these, in this order
}

// AuthProfile is one key of a provider.
type AuthProfile struct {
	Provider string
	APIKey   string
}

var profileKeys = object[AuthProfile]{fields: slices.Concat([]field[AuthProfile]{
	needed(key("provider", text("provider", checkProviderID), func(p *AuthProfile) *string { return &p.Provider }, "", "Whose key it is.")),
	needed(key("apiKey", secret(), func(p *AuthProfile) *string { return &p.APIKey }, "", "The key; best as `${NAME}`.")),
	key("mode", oneOf("api_key"), func(*AuthProfile) *string { return new(string) }, "api_key", "What it is. There is one kind."),
}, reserved[AuthProfile](notYet("accounts"), "email", "displayName"))}

var authKeys = object[Auth]{
	fields: slices.Concat([]field[Auth]{
		key("profiles", mapOf("profile", checkProfileID, profileKeys.fresh()), func(a *Auth) *map[string]AuthProfile { return &a.Profiles }, nil,
			"Further keys, by `provider:name`. `provider/model@name` asks with that one."),
		key("order", mapOf("provider", checkProviderID, listOf(text("profile", checkProfileID))), func(a *Auth) *map[string][]string { return &a.Order }, nil,
			"Which keys of a provider are used, and in which order. Without it, all: the one that has rested longest first."),
	}, reserved[Auth](notYet("settings of cooldowns"), "cooldowns")),
	check: func(d *decoder, at json5.Path, n *json5.Node, a *Auth) {
		profiles := n.Get("profiles")
		if profiles == nil {
			return
		}
		for _, m := range profiles.Members {
			provider, _, _ := strings.Cut(m.Name, ":")
			if p := a.Profiles[m.Name]; !strings.EqualFold(provider, p.Provider) {
				d.at(m.Key, at.Join(json5.Key("profiles")).Join(json5.Key(m.Name)), ReasonConflict, "must begin with its provider: %s:…", p.Provider)
			}
		}
	},
}

func checkProfileID(id string) error {
	provider, name, ok := strings.Cut(id, ":")
	if !ok || checkProviderID(provider) != nil || name == "" || strings.ContainsFunc(name, notPrinted) || strings.Contains(name, "/") {
		return errors.New("must be provider:name, without blanks and '/'")
	}
	return nil
}

package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"openclaw/runtime/model"
)

// maxNumberedKeys bounds the variables NAME_1, NAME_2 … of one provider.
const maxNumberedKeys = 16

// credential is a key and where it comes from. It never leaves the package but in an Endpoint.
type credential struct {
	id     string // provider:name
	key    string
	source string // the variable, or the path in the configuration
}

// markBytes is how much of a digest tells keys apart. It is far too little to find a key by.
const markBytes = 4

// mark tells a key from others under the same name.
func (c credential) mark() string {
	if c.key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.id + "\x00" + c.key))
	return hex.EncodeToString(sum[:markBytes])
}

// Profile is a key as it may be shown.
type Profile struct {
	ID     string // provider:name
	Source string // the variable or the path in the configuration that has the key
}

// noKeyName is the profile of a provider that is asked without a key.
const noKeyName = "none"

// profiles are the keys of a provider, in the order of the configuration. There is none when a key is missing.
func (r *Registry) profiles(p provider) []credential {
	if p.id == ScriptProvider {
		return []credential{{id: ScriptProvider + ":" + noKeyName}}
	}
	all := r.allProfiles(p)
	order, ok := r.authOrder(p)
	if !ok {
		return all
	}
	var ordered []credential
	for _, id := range order {
		i := slices.IndexFunc(all, func(c credential) bool { return c.id == profileID(p.id, id) })
		if i >= 0 {
			ordered = append(ordered, all[i])
		}
	}
	return ordered
}

// authOrder is the configured order of a provider's keys.
func (r *Registry) authOrder(p provider) ([]string, bool) {
	for name, order := range r.conf.Auth.Order {
		if strings.EqualFold(name, p.id) || canonicalProvider(name) == p.id {
			return order, true
		}
	}
	return nil, false
}

func (r *Registry) allProfiles(p provider) []credential {
	var found []credential
	add := func(name, key, source string) {
		key = strings.TrimSpace(key)
		same := func(c credential) bool { return c.key == key || c.id == p.id+":"+name }
		if key != "" && !slices.ContainsFunc(found, same) {
			found = append(found, credential{id: p.id + ":" + name, key: key, source: source})
		}
	}
	if p.config.APIKey != "" {
		add("config", p.config.APIKey, "models.providers."+p.key+".apiKey")
	}
	for _, id := range sortedKeys(r.conf.Auth.Profiles) {
		profile := r.conf.Auth.Profiles[id]
		if owner, ok := r.provider(profile.Provider); ok && owner.id == p.id {
			_, name, _ := strings.Cut(id, ":")
			add(name, profile.APIKey, "auth.profiles."+id+".apiKey")
		}
	}
	if p.config.APIKey == "" {
		r.addFromEnv(p, add)
	}
	if len(found) == 0 && (p.noKey || p.configured && reachOf(p.baseURL) == reachLoopback || hasAuthHeader(p.config.Headers)) {
		found = []credential{{id: p.id + ":" + noKeyName}}
	}
	return found
}

// addFromEnv adds the keys of variables. NAME has one, NAMES a list with commas, NAME_1 and so on further ones.
func (r *Registry) addFromEnv(p provider, add func(name, key, source string)) {
	for i, variable := range p.env {
		name := "default"
		if i > 0 {
			name = strings.ToLower(variable)
		}
		if v, ok := r.o.LookupEnv(variable); ok {
			add(name, v, variable)
		}
	}
	plural := p.env[0] + "S"
	if v, ok := r.o.LookupEnv(plural); ok {
		keys := strings.FieldsFunc(v, func(c rune) bool { return c == ',' || c == ';' || c == ' ' })
		for i, key := range keys[:min(len(keys), maxNumberedKeys)] {
			add("list-"+strconv.Itoa(i+1), key, plural)
		}
	}
	for i := 1; i <= maxNumberedKeys; i++ {
		variable := p.env[0] + "_" + strconv.Itoa(i)
		if v, ok := r.o.LookupEnv(variable); ok {
			add(strconv.Itoa(i), v, variable)
		}
	}
}

// hasAuthHeader tells whether the configured headers bring the key along.
func hasAuthHeader(headers map[string]string) bool {
	for name := range headers {
		switch strings.ToLower(name) {
		case "authorization", "x-api-key", "api-key", "x-goog-api-key":
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// missingKey is the error of a provider without a key. It names every place where one could be.
func (r *Registry) missingKey(p provider, ref Ref) error {
	place := "models.providers." + p.id + ".apiKey"
	if p.configured {
		place = "models.providers." + p.key + ".apiKey"
	}
	message := fmt.Sprintf("no key for %s: set the variable %s, or %s in the configuration", p.name, strings.Join(p.env, " or "), place)
	if order, ok := r.authOrder(p); ok && len(r.allProfiles(p)) > 0 {
		message = fmt.Sprintf("no key for %s: auth.order names none of those that there are (it has %s)", p.name, strings.Join(order, ", "))
	}
	return &model.Error{Kind: model.KindAuth, Provider: ref.Provider, Model: ref.Model, Message: message}
}

// Profiles are a provider's keys, without the keys. A provider that needs none has one that is called none.
func (r *Registry) Profiles(provider string) ([]Profile, error) {
	p, err := r.mustProvider(provider)
	if err != nil {
		return nil, err
	}
	var list []Profile
	for _, c := range r.profiles(p) {
		list = append(list, Profile{ID: c.id, Source: c.source})
	}
	return list, nil
}

func (r *Registry) mustProvider(name string) (provider, error) {
	if strings.EqualFold(name, ScriptProvider) {
		return scripted, nil
	}
	p, ok := r.provider(name)
	if !ok {
		return p, r.noProvider(name, name, "")
	}
	return p, nil
}

// Ready tells why a model cannot be asked: its provider has no address, or no key.
func (r *Registry) Ready(ref Ref) error {
	p, err := r.mustProvider(ref.Provider)
	if err != nil {
		return err
	}
	if err := r.addressOf(p, ref); err != nil {
		return err
	}
	if len(r.profiles(p)) == 0 {
		return r.missingKey(p, ref)
	}
	return nil
}

// addressOf tells that it is not known where a provider is.
func (r *Registry) addressOf(p provider, ref Ref) error {
	if p.baseURL != "" || p.id == ScriptProvider {
		return nil
	}
	return &model.Error{Kind: model.KindInvalid, Provider: p.id, Model: ref.Model, Message: "models.providers." + p.key, Err: ErrNoAddress}
}

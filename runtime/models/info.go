package models

import (
	"cmp"
	"slices"
	"strings"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/models/catalogue"
)

// DefaultContextWindow is what the runtime reckons with when nothing is known of a model.
const DefaultContextWindow = 200_000

// Info is what is known of a model. Zero numbers are unknown.
type Info struct {
	Ref
	Name          string
	API           string
	Known         bool  // it is configured, or in the catalogue
	ContextWindow int64 // the model's own
	ContextTokens int64 // how much of it is used; never 0
	MaxTokens     int64 // of an answer
	Reasoning     bool
	Levels        []model.Level // of thinking besides off; empty: unknown, or none
	Level         model.Level   // the one that it has by itself; empty: unknown
	Images        bool          // it takes images
	Cost          *config.Cost  // nil: unknown

	bounded bool // MaxTokens is a bound that the configuration wants
}

// bound is how long an answer may be when so much is wanted; 0 is no wish. Where nobody wants a bound none is sent, because servers
// subtract it from the context, or reserve money for it; but one protocol demands it.
func (i Info) bound(wanted int64) int64 {
	switch {
	case i.MaxTokens > 0 && wanted > i.MaxTokens:
		return i.MaxTokens
	case wanted == 0 && (i.bounded || i.API == APIMessages):
		return i.MaxTokens
	}
	return wanted
}

// Price is what an answer costs by what it used. Without known prices it is nothing.
func (i Info) Price(u *model.Usage) model.Cost {
	if i.Cost == nil || u == nil {
		return model.Cost{}
	}
	const million = 1e6
	c := model.Cost{
		Input:      float64(u.Input) * i.Cost.Input / million,
		Output:     float64(u.Output) * i.Cost.Output / million,
		CacheRead:  float64(u.CacheRead) * i.Cost.CacheRead / million,
		CacheWrite: float64(u.CacheWrite) * i.Cost.CacheWrite / million,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}

// Model tells what is known of a model. A model that nothing is known of is no mistake, as long as its provider may have it.
func (r *Registry) Model(ref Ref) (Info, error) {
	info := Info{Ref: ref, Name: ref.Model}
	if ref.Provider == ScriptProvider {
		info.API, info.Known, info.Images = APIScript, true, true
		info.ContextWindow, info.ContextTokens, info.Cost = DefaultContextWindow, DefaultContextWindow, &config.Cost{}
		return info, nil
	}
	p, ok := r.provider(ref.Provider)
	if !ok {
		return Info{}, r.noProvider(ref.Name(), ref.Provider, ref.Model)
	}
	info.Provider, info.API = p.id, p.api
	if m, ok := inCatalogue(p.id, ref.Model); ok && !p.closed {
		info.catalogued(m)
	}
	i := slices.IndexFunc(p.config.Models, func(m config.ProviderModel) bool { return m.ID == ref.Model })
	if i >= 0 {
		info.configured(p.config.Models[i])
	} else if p.closed {
		return Info{}, r.noModel(ref.Name(), p, ref.Model)
	}
	if most := p.config.MaxTokens; most > 0 && (info.MaxTokens == 0 || most < info.MaxTokens) {
		info.MaxTokens = most
	}
	info.bounded = info.bounded || p.config.MaxTokens > 0
	info.ContextTokens = cmp.Or(info.ContextTokens, info.ContextWindow, DefaultContextWindow)
	return info, nil
}

func (i *Info) catalogued(m catalogue.Model) {
	i.Known = true
	i.Name, i.ContextWindow, i.MaxTokens = m.Name, m.Window, m.MaxTokens
	i.Reasoning, i.Images = m.Reasoning, m.Images
	if m.Cost != nil {
		c := config.Cost(*m.Cost)
		i.Cost = &c
	}
	for _, text := range m.Levels {
		if level, err := ParseLevel(text); err == nil && level != model.LevelOff {
			i.Levels = append(i.Levels, level)
		}
	}
	if level, err := ParseLevel(m.Level); err == nil {
		i.Level = level
	}
}

// configured puts what the configuration says of the model over what the catalogue knows.
func (i *Info) configured(m config.ProviderModel) {
	known := i.Known
	i.Known = true
	if m.Name != "" {
		i.Name = m.Name
	}
	if m.ContextWindow > 0 {
		i.ContextWindow = m.ContextWindow
	}
	if m.ContextTokens > 0 {
		i.ContextTokens = m.ContextTokens
	}
	if m.MaxTokens > 0 {
		i.MaxTokens, i.bounded = m.MaxTokens, true
	}
	if m.Cost != (config.Cost{}) || !known {
		c := m.Cost
		i.Cost = &c
	}
	// A flag that is not set cannot be told from one that is false: what is known stays.
	i.Reasoning = i.Reasoning || m.Reasoning
	i.Images = i.Images || slices.Contains(m.Input, "image")
}

// inCatalogue finds a model of a provider. A name without the date behind it is that of the newest with one.
func inCatalogue(provider, id string) (catalogue.Model, bool) {
	var dated catalogue.Model
	for _, m := range catalogue.Models(provider) {
		if m.ID == id {
			return m, true
		}
		if rest, ok := strings.CutPrefix(m.ID, id+"-"); ok && isVersion(rest) && rest > strings.TrimPrefix(dated.ID, id+"-") {
			dated = m
		}
	}
	return dated, dated.ID != ""
}

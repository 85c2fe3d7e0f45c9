// Package catalogue knows the models of the providers that everybody knows: their context windows, prices and abilities. The data
// is part of the program; a provider's is read when it is first asked for, which takes less than a millisecond.
//
// It is a help, not a gate: a provider may have models that are not in it.
package catalogue

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// The files under data are made by gen, one for each provider, with a line for each model.
//
//go:embed data/*.json
var data embed.FS

// Model is a model as its provider offers it. Zero numbers are unknown.
type Model struct {
	ID        string   `json:"id"`
	Name      string   `json:"name,omitempty"`
	Window    int64    `json:"window,omitempty"`    // of the context, in tokens
	MaxTokens int64    `json:"maxTokens,omitempty"` // of an answer, as a request should ask for
	Reasoning bool     `json:"reasoning,omitempty"`
	Levels    []string `json:"levels,omitempty"` // of thinking that it has, besides none
	Level     string   `json:"level,omitempty"`  // the one that it has by itself
	Images    bool     `json:"images,omitempty"`
	Cost      *Cost    `json:"cost,omitempty"` // nil: unknown
}

// Cost is in US dollars for a million tokens.
type Cost struct {
	Input      float64 `json:"input,omitempty"`
	Output     float64 `json:"output,omitempty"`
	CacheRead  float64 `json:"cacheRead,omitempty"`
	CacheWrite float64 `json:"cacheWrite,omitempty"`
}

var (
	mu   sync.Mutex
	read = map[string][]Model{}
)

// Models are a provider's models, the ones that its file has first first. They must not be changed. A provider that is not in the
// catalogue has none.
func Models(provider string) []Model {
	mu.Lock()
	defer mu.Unlock()
	models, ok := read[provider]
	if !ok {
		models = parse(provider)
		read[provider] = models
	}
	return models
}

// parse reads a provider's file. That each can be read is tested; one that cannot is as good as none.
func parse(provider string) []Model {
	text, err := data.ReadFile("data/" + provider + ".json")
	if err != nil {
		return nil
	}
	var models []Model
	if json.Unmarshal(text, &models) != nil {
		return nil
	}
	return models
}

// Providers are the ids of the providers in the catalogue, sorted.
func Providers() ([]string, error) {
	entries, err := data.ReadDir("data")
	if err != nil {
		return nil, fmt.Errorf("catalogue: list: %w", err)
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.Name()[:len(e.Name())-len(".json")]
	}
	slices.Sort(ids)
	return ids, nil
}

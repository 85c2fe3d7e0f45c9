package models

import (
	"fmt"
	"path/filepath"

	"openclaw/runtime/model"
	"openclaw/runtime/model/script"
)

// NewClient makes the client of an endpoint: one that plays scripts, or one for the network.
func NewClient(e Endpoint) (model.Client, error) {
	if e.Provider == ScriptProvider {
		return &script.Client{Open: func(name string) (*script.Script, error) {
			if e.ScriptDir != "" && !filepath.IsAbs(name) {
				name = filepath.Join(e.ScriptDir, name)
			}
			return script.Load(name)
		}}, nil
	}
	return nil, fmt.Errorf("models: %s: no client speaks %s", e.Provider, e.API)
}

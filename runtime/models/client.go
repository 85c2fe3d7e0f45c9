package models

import (
	"path/filepath"

	"openclaw/runtime/model"
	"openclaw/runtime/model/script"
	"openclaw/runtime/model/wire"
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
	return wire.New(wire.Options{
		API: e.API, Provider: e.Provider, BaseURL: e.BaseURL, Key: e.Key, Headers: e.Headers, FirstEvent: e.FirstTimeout, Idle: e.IdleTimeout,
	})
}

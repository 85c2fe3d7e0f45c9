package prune

import "openclaw/runtime/config"

// Configured are an agent's settings; not on when nothing is pruned.
func Configured(c config.ContextPruning) (s Settings, on bool) {
	return Settings{TTL: c.TTL, NoClear: !c.HardClear, Placeholder: c.Placeholder, Allow: c.Allow, Deny: c.Deny}, c.Mode == config.PruneCacheTTL
}

package session

import (
	"strings"
	"time"

	"openclaw/runtime/config"
)

// Due says whether a session should begin a new window before the next message of a person, as the configuration wants it.
// The day begins at an hour of the local time; idleness counts from the last message of a person.
func Due(conf *config.Session, info Info, now time.Time) bool {
	policy := resetPolicy(conf, info.Key)
	if policy.Mode == config.ResetDaily {
		local := now.Local()
		day := time.Date(local.Year(), local.Month(), local.Day(), int(policy.AtHour), 0, 0, 0, local.Location())
		if day.After(local) {
			day = day.AddDate(0, 0, -1)
		}
		if info.Started.Before(day) {
			return true
		}
	}
	idle := time.Duration(policy.IdleMinutes) * time.Minute
	return policy.Mode != config.ResetNone && idle > 0 && !now.Before(info.Interaction.Add(idle))
}

// resetPolicy is that of the session's channel, else of its type, else the general one.
func resetPolicy(conf *config.Session, key string) config.ResetPolicy {
	k, err := ParseKey(key)
	if err != nil {
		return conf.Reset
	}
	if parts := strings.Split(key, ":"); len(parts) > 3 && k.Agent != "" {
		if policy, ok := conf.ResetByChannel[parts[2]]; ok {
			return policy
		}
	}
	name := ""
	switch {
	case k.Thread != "":
		name = "thread"
	case k.Kind == KindGroup, k.Kind == KindChannel:
		name = "group"
	case k.Kind == KindDirect, k.Kind == KindMain:
		name = "direct"
	}
	if policy, ok := conf.ResetByType[name]; ok {
		return policy
	}
	return conf.Reset
}

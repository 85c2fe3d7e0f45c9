package config

import (
	"errors"
	"slices"
	"time"

	"openclaw/runtime/config/json5"
)

// Session says how conversations become sessions and how long they stay.
type Session struct {
	Scope          string // ScopePerSender or ScopeGlobal
	Reset          ResetPolicy
	ResetByType    map[string]ResetPolicy // direct, group, thread
	ResetByChannel map[string]ResetPolicy
	ResetTriggers  []string // messages that begin anew, compared without regard to case
	Maintenance    Maintenance
}

// Values of Session's scopes.
const (
	ScopePerSender                = "per-sender"
	ScopeGlobal                   = "global"
	ResetNone, ResetDaily         = "none", "daily"
	ResetIdle                     = "idle"
	MaintainEnforce, MaintainWarn = "enforce", "warn"
)

// ResetPolicy says when a session starts anew by itself.
type ResetPolicy struct {
	Mode        string
	AtHour      int64
	IdleMinutes int64 // 0: not by idleness
}

var resetKeys = object[ResetPolicy]{
	fields: []field[ResetPolicy]{
		key("mode", oneOf(ResetNone, ResetDaily, ResetIdle), func(r *ResetPolicy) *string { return &r.Mode }, ResetNone,
			"Start anew never, every day, or after a time without use. With `daily` and `idleMinutes`, whichever comes first."),
		key("atHour", integer(0, 23), func(r *ResetPolicy) *int64 { return &r.AtHour }, 4, "The hour of the daily reset, in local time."),
		key("idleMinutes", integer(1, noLimit), func(r *ResetPolicy) *int64 { return &r.IdleMinutes }, 0, "How long a session may be without use."),
	},
	check: func(d *decoder, at json5.Path, n *json5.Node, r *ResetPolicy) {
		if m := n.Member("idleMinutes"); m != nil && r.Mode == ResetNone {
			d.at(m.Key, at.Join(json5.Key("idleMinutes")), ReasonConflict, "does nothing while the mode is %q", r.Mode)
		}
		if m := n.Member("atHour"); m != nil && r.Mode != ResetDaily {
			d.at(m.Key, at.Join(json5.Key("atHour")), ReasonConflict, "does nothing while the mode is %q", r.Mode)
		}
		if r.Mode == ResetIdle && r.IdleMinutes == 0 {
			d.at(n.Span, at, ReasonMissing, "has no key %q, which the mode %q needs", "idleMinutes", ResetIdle)
		}
	},
}

// Maintenance says what is cleaned up.
type Maintenance struct {
	Mode           string
	PruneAfter     time.Duration
	MaxEntries     int64
	PreserveRecent time.Duration // 0: off
	MaxDiskBytes   int64         // 0: no bound
	HighWaterBytes int64
}

// highWaterPercent is the target of a clean-up, of MaxDiskBytes.
const highWaterPercent = 80

var maintenanceKeys = object[Maintenance]{
	fields: slices.Concat([]field[Maintenance]{
		key("mode", oneOf(MaintainEnforce, MaintainWarn), func(m *Maintenance) *string { return &m.Mode }, MaintainEnforce,
			"Clean up, or only say what would be cleaned up."),
		key("pruneAfter", duration(false), func(m *Maintenance) *time.Duration { return &m.PruneAfter }, 30*24*time.Hour,
			"Archive a session after so long without use; delete those of sub-agents, cron and hooks."),
		key("maxEntries", integer(1, noLimit), func(m *Maintenance) *int64 { return &m.MaxEntries }, 5000,
			"How many sessions an agent has that are not archived."),
		key("preserveRecent", duration(true), func(m *Maintenance) *time.Duration { return &m.PreserveRecent }, 0,
			"Never clean up a conversation that was used within this time."),
		key("maxDiskBytes", size(true), func(m *Maintenance) *int64 { return &m.MaxDiskBytes }, 10<<30,
			"How much an agent's sessions may take on the disk. Over it, a clean-up deletes those of sub-agents, cron and hooks, then archived ones, the oldest first. `false` or 0: no bound."),
		shown("80 % of maxDiskBytes", key("highWaterBytes", size(false), func(m *Maintenance) *int64 { return &m.HighWaterBytes }, 0,
			"How much a clean-up for want of space leaves.")),
	},
		reserved[Maintenance](notYet("archives of transcripts"), "resetArchiveRetention", "coldStorage"),
		reserved[Maintenance]("is not supported: there is no dashboard", "archiveDashboardAfter"),
	),
	check: func(d *decoder, at json5.Path, n *json5.Node, m *Maintenance) {
		if m.HighWaterBytes > m.MaxDiskBytes {
			d.at(n.Get("highWaterBytes").Span, at.Join(json5.Key("highWaterBytes")), ReasonConflict, "is more than maxDiskBytes")
		}
	},
}

var sessionKeys = keysOf([]field[Session]{
	key("scope", oneOf(ScopePerSender, ScopeGlobal), func(s *Session) *string { return &s.Scope }, ScopePerSender,
		"One session for each conversation, or one for everything."),
	group("reset", resetKeys, func(s *Session) *ResetPolicy { return &s.Reset }, "When sessions start anew by themselves."),
	key("resetByType", mapOf("type", checkResetType, resetKeys.fresh()), func(s *Session) *map[string]ResetPolicy { return &s.ResetByType }, nil,
		"Other policies for `direct`, `group` or `thread` sessions."),
	key("resetByChannel", mapOf("channel", checkNotBlank, resetKeys.fresh()), func(s *Session) *map[string]ResetPolicy { return &s.ResetByChannel }, nil,
		"Other policies for the sessions of a channel; they win over those by type."),
	key("resetTriggers", listOf(text("message", checkNotBlank)), func(s *Session) *[]string { return &s.ResetTriggers }, []string{"/new", "/reset"},
		"Messages that begin the conversation anew, in any case. What stands behind one is the first message of the new conversation."),
	group("maintenance", maintenanceKeys, func(s *Session) *Maintenance { return &s.Maintenance }, "What is cleaned up."),
},
	reserved[Session](`is not supported: the main session is called "main"`, "mainKey"),
	reserved[Session]("is not supported: sessions are kept in the agent's database", "store"),
	reserved[Session]("is not supported: there are no chat channels", "dmScope", "groupScope", "identityLinks", "sendPolicy", "threadBindings", "sharing", "notifyOnCreate"),
)

func checkResetType(name string) error {
	switch name {
	case "direct", "group", "thread":
		return nil
	}
	return errors.New(`must be "direct", "group" or "thread"`)
}

package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/config"
	"openclaw/runtime/internal/db"
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

// Cleaned is what Clean did, or would do.
type Cleaned struct {
	Key     string `json:"key"`
	Deleted bool   `json:"deleted"` // else it was archived
	Reason  string `json:"reason"`
}

// Reasons of a clean-up.
const (
	cleanedIdle = "idle"
	cleanedMany = "too many sessions"
)

// Clean archives sessions that nobody has used for long, and the oldest of too many. Those of sub-agents, cron and hooks are
// deleted. The main session, and what a run is writing, stays. With dryRun it only says what it would do.
func (s *Store) Clean(ctx context.Context, policy config.Maintenance, dryRun bool) ([]Cleaned, error) {
	todo, err := s.cleanable(ctx, policy)
	if err != nil {
		return nil, fmt.Errorf("session: clean up: %w", err)
	}
	if dryRun || policy.Mode == config.MaintainWarn {
		return todo, nil
	}
	yes := true
	for i, c := range todo {
		if c.Deleted {
			err = s.Delete(ctx, c.Key)
		} else {
			_, err = s.Update(ctx, c.Key, Patch{Archived: &yes, Reason: c.Reason})
		}
		if err != nil {
			return todo[:i], fmt.Errorf("session: clean up: %w", err)
		}
	}
	return todo, nil
}

func (s *Store) cleanable(ctx context.Context, policy config.Maintenance) (todo []Cleaned, err error) {
	now := s.now()
	var open []Info // the newest first
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		query := infoQuery + "ON w.n = s.window WHERE s.archived_at IS NULL ORDER BY s.updated_at DESC, s.n DESC"
		return db.Exec(conn, query, func(row *sqlite.Stmt) error {
			open = append(open, s.scanInfo(row))
			return nil
		})
	})
	left := int64(len(open))
	for _, info := range slices.Backward(open) {
		unused := now.Sub(info.Updated)
		reason := ""
		switch {
		case info.RunID != "", info.Kind == KindMain, info.Kind == KindGlobal, unused < policy.PreserveRecent:
			continue
		case policy.PruneAfter > 0 && unused >= policy.PruneAfter:
			reason = cleanedIdle
		case policy.MaxEntries > 0 && left > policy.MaxEntries:
			reason = cleanedMany
		default:
			continue
		}
		left--
		todo = append(todo, Cleaned{Key: info.Key, Deleted: isDisposable(info.Kind), Reason: reason})
	}
	return todo, err
}

// isDisposable says whether a session is only of use to the run that it was made for.
func isDisposable(k Kind) bool { return k == KindSubagent || k == KindCron || k == KindHook }

package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/config"
	"openclaw/runtime/internal/db"
)

// Cleanup is what Clean did, or would do.
type Cleanup struct {
	Sessions []Cleaned `json:"sessions"`
	Disk     Disk      `json:"disk"`
}

// Cleaned is a session that is cleaned up.
type Cleaned struct {
	Key     string `json:"key"`
	Deleted bool   `json:"deleted"` // else it is archived
	Reason  string `json:"reason"`
}

// Disk is what the database takes on the disk.
type Disk struct {
	Bytes int64 `json:"bytes"`              // before
	After int64 `json:"afterBytes"`         // the same as Bytes when nothing was done
	Max   int64 `json:"maxBytes,omitempty"` // 0: no bound
}

// Over says whether more is taken than may be.
func (d Disk) Over() bool { return d.Max > 0 && d.After > d.Max }

// Reasons of a clean-up.
const (
	cleanedIdle  = "idle"
	cleanedMany  = "too many sessions"
	cleanedSpace = "too much disk space"
)

// Clean archives sessions that nobody has used for long, and the oldest of too many. Those of sub-agents, cron and hooks are
// deleted. When the database takes more of the disk than it may, such sessions and after them the archived ones are deleted, the
// oldest first, until it takes no more than HighWaterBytes, and what they took is given back to the file system.
//
// The main session, what a run is writing and what was used lately stay, and so does a conversation that is not archived: when
// nothing is left to delete, Disk.Over says so. With dryRun, or in the mode "warn", Clean only says what it would do; how many
// sessions make enough room is then an estimate.
func (s *Store) Clean(ctx context.Context, policy config.Maintenance, dryRun bool) (done Cleanup, err error) {
	c := cleaner{store: s, policy: policy, dry: dryRun || policy.Mode == config.MaintainWarn}
	err = c.run(ctx)
	if err != nil {
		err = fmt.Errorf("session: clean up: %w", err)
	}
	return c.done, err
}

// cleaner is one clean-up.
type cleaner struct {
	store  *Store
	policy config.Maintenance
	dry    bool
	done   Cleanup

	archived map[string]bool // by this clean-up, in a dry one only as it were
}

func (c *cleaner) run(ctx context.Context) error {
	c.archived = map[string]bool{}
	c.done.Disk.Max = c.policy.MaxDiskBytes
	size, err := c.store.db.Size(ctx)
	if err != nil {
		return err
	}
	c.done.Disk.Bytes, c.done.Disk.After = size.Bytes, size.Bytes
	all, err := c.store.all(ctx)
	if err != nil {
		return err
	}
	for _, one := range c.unused(all) {
		if err := c.clean(ctx, one); err != nil {
			return err
		}
	}
	if c.policy.MaxDiskBytes <= 0 || size.Bytes <= c.policy.MaxDiskBytes {
		return nil
	}
	candidates := c.expendable(all)
	if c.dry {
		return c.estimate(ctx, candidates, size.Used-c.policy.HighWaterBytes)
	}
	return c.makeRoom(ctx, candidates)
}

// clean does to a session what is to be done, unless a run has claimed it or somebody has deleted it meanwhile.
func (c *cleaner) clean(ctx context.Context, one Cleaned) (err error) {
	yes := true
	switch {
	case c.dry:
	case one.Deleted:
		err = c.store.Delete(ctx, one.Key)
	default:
		_, err = c.store.Update(ctx, one.Key, Patch{Archived: &yes, Reason: one.Reason})
	}
	var busy *BusyError
	if errors.As(err, &busy) || errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c.archived[one.Key] = !one.Deleted
	c.done.Sessions = append(c.done.Sessions, one)
	return nil
}

// all lists every session, the newest first.
func (s *Store) all(ctx context.Context) (list []Info, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, infoQuery+"ON w.n = s.window ORDER BY s.updated_at DESC, s.n DESC", func(row *sqlite.Stmt) error {
			list = append(list, s.scanInfo(row))
			return nil
		})
	})
	return list, err
}

// mayGo says whether a session is one that a clean-up may touch.
func (c *cleaner) mayGo(info Info) bool {
	unused := c.store.now().Sub(info.Updated)
	return info.RunID == "" && info.Kind != KindMain && info.Kind != KindGlobal && unused >= c.policy.PreserveRecent
}

// unused are the sessions that have not been used for long, and the oldest of too many.
func (c *cleaner) unused(all []Info) (todo []Cleaned) {
	now := c.store.now()
	open := slices.DeleteFunc(slices.Clone(all), func(info Info) bool { return info.Archived != nil })
	left := int64(len(open))
	for _, info := range slices.Backward(open) {
		one := Cleaned{Key: info.Key, Deleted: isDisposable(info.Kind)}
		switch {
		case !c.mayGo(info):
			continue
		case c.policy.PruneAfter > 0 && now.Sub(info.Updated) >= c.policy.PruneAfter:
			one.Reason = cleanedIdle
		case c.policy.MaxEntries > 0 && left > c.policy.MaxEntries:
			one.Reason = cleanedMany
		default:
			continue
		}
		left--
		todo = append(todo, one)
	}
	return todo
}

// expendable are the sessions that may be deleted for want of space, those first that go first: what is disposable, then what
// was archived, each from the oldest on.
func (c *cleaner) expendable(all []Info) (list []Info) {
	archivedAt := func(info Info) time.Time {
		if info.Archived != nil {
			return *info.Archived
		}
		return c.store.now() // by this clean-up
	}
	for _, info := range slices.Backward(all) {
		archived, cleaned := c.archived[info.Key]
		deleted := cleaned && !archived
		if !deleted && c.mayGo(info) && (isDisposable(info.Kind) || info.Archived != nil || archived) {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b Info) int {
		first, second := isDisposable(a.Kind), isDisposable(b.Kind)
		switch {
		case first && !second:
			return -1
		case second && !first:
			return 1
		case first:
			return a.Updated.Compare(b.Updated)
		}
		return cmp.Or(archivedAt(a).Compare(archivedAt(b)), a.Updated.Compare(b.Updated))
	})
	return list
}

// makeRoom deletes sessions until the database takes no more than HighWaterBytes. What the index takes of a deleted session
// becomes free only when the index is tidied up, which costs as much as writing it anew: so that is hoped for first, and seen
// to when enough has been deleted with it.
func (c *cleaner) makeRoom(ctx context.Context, candidates []Info) error {
	size, err := c.store.db.Size(ctx)
	if err != nil {
		return err
	}
	index, err := c.store.indexFactor(ctx, size.Used)
	if err != nil {
		return err
	}
	begin, used := size.Used, size.Used
	for enough := false; !enough; {
		hoped := func() int64 { return begin - int64(index*float64(begin-used)) }
		for len(candidates) > 0 && hoped() > c.policy.HighWaterBytes {
			if err := c.clean(ctx, Cleaned{Key: candidates[0].Key, Deleted: true, Reason: cleanedSpace}); err != nil {
				return err
			}
			candidates = candidates[1:]
			if used, err = c.used(ctx); err != nil {
				return err
			}
		}
		if used < begin {
			if err := c.store.tidySearch(ctx); err != nil {
				return err
			}
		}
		if used, err = c.used(ctx); err != nil {
			return err
		}
		begin, enough = used, len(candidates) == 0 || used <= c.policy.HighWaterBytes
	}
	if err := c.store.db.Shrink(ctx); err != nil {
		return err
	}
	size, err = c.store.db.Size(ctx)
	c.done.Disk.After = size.Bytes
	return err
}

func (c *cleaner) used(ctx context.Context) (int64, error) {
	size, err := c.store.db.Size(ctx)
	return size.Used, err
}

// estimate says which sessions would be deleted to make so much room.
func (c *cleaner) estimate(ctx context.Context, candidates []Info, room int64) error {
	used, err := c.used(ctx)
	if err != nil {
		return err
	}
	total, err := c.store.bodyBytes(ctx, 0)
	if err != nil {
		return err
	}
	for _, info := range candidates {
		if room <= 0 {
			return nil
		}
		bytes, err := c.store.bodyBytes(ctx, info.session)
		if err != nil {
			return err
		}
		room -= int64(float64(used) * float64(bytes) / float64(max(total, 1)))
		// What would be archived and then deleted is said once, as deleted.
		c.done.Sessions = slices.DeleteFunc(c.done.Sessions, func(one Cleaned) bool { return one.Key == info.Key })
		c.done.Sessions = append(c.done.Sessions, Cleaned{Key: info.Key, Deleted: true, Reason: cleanedSpace})
	}
	return nil
}

// bodyBytes is how much the entries of a session hold, or with 0 those of all sessions. It reads every entry's size.
func (s *Store) bodyBytes(ctx context.Context, session int64) (bytes int64, err error) {
	query, args := "SELECT coalesce(sum(octet_length(body)), 0) FROM entries", []any{}
	if session != 0 {
		query = `SELECT coalesce(sum(octet_length(e.body)), 0) FROM windows w
			JOIN entries e ON e.n BETWEEN w.n << 32 | 1 AND w.n << 32 | ? WHERE w.session = ?`
		args = []any{maxEntries, session}
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, query, func(row *sqlite.Stmt) error {
			bytes = row.ColumnInt64(0)
			return nil
		}, args...)
	})
	return bytes, err
}

// indexFactor is how much more the entries take with the full-text index than without.
func (s *Store) indexFactor(ctx context.Context, used int64) (factor float64, err error) {
	const most = 10 // of a database that is mostly index: what is deleted in it should be looked at in between
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, "SELECT coalesce(sum(length(block)), 0) FROM search_data", func(row *sqlite.Stmt) error {
			entries := max(used-row.ColumnInt64(0), used/most)
			factor = float64(used) / float64(max(entries, 1))
			return nil
		})
	})
	return factor, err
}

// tidyPages is how many pages of the index are merged in one transaction, so that no writer waits long.
const tidyPages = 64

// tidySearch makes the index forget deleted entries: it merges all its segments into one.
func (s *Store) tidySearch(ctx context.Context) error {
	pages := -tidyPages // negative: begin with all segments, whatever their sizes
	for {
		changes := int64(0)
		err := s.db.Write(ctx, func(conn *sqlite.Conn) error {
			before, err := totalChanges(conn)
			if err != nil {
				return err
			}
			if err := db.Exec(conn, "INSERT INTO search (search, rank) VALUES ('merge', ?)", nil, pages); err != nil {
				return err
			}
			after, err := totalChanges(conn)
			changes = after - before
			return err
		})
		if err != nil || changes < 2 { // SQLite's sign that there is nothing left to merge
			return err
		}
		pages = tidyPages
	}
}

func totalChanges(conn *sqlite.Conn) (n int64, err error) {
	err = db.Exec(conn, "SELECT total_changes()", func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	})
	return n, err
}

// isDisposable says whether a session is only of use to the run that it was made for.
func isDisposable(k Kind) bool { return k == KindSubagent || k == KindCron || k == KindHook }

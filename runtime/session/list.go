package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// ErrBadCursor is the cause when a cursor does not come from the page before.
var ErrBadCursor = errors.New("the cursor is not one of a page")

// ListOptions choose sessions, those that were changed last first.
type ListOptions struct {
	Since    time.Time // only those changed since then
	Prefix   string    // only keys that begin so
	Keys     []string  // only these; nil: all
	Archived bool      // archived ones, too
	Limit    int       // 0: DefaultPage
	Cursor   string    // Page.Next of the page before
}

// Page is a part of a list.
type Page struct {
	Sessions []Info
	Next     string // the cursor of the next page; empty at the end
}

// List lists sessions.
func (s *Store) List(ctx context.Context, o ListOptions) (page Page, err error) {
	limit := pageSize(o.Limit)
	query := infoQuery + "ON w.n = s.window WHERE s.updated_at >= ?"
	since := int64(0)
	if !o.Since.IsZero() {
		since = o.Since.UnixMilli()
	}
	args := []any{since}
	if !o.Archived {
		query += " AND s.archived_at IS NULL"
	}
	if o.Prefix != "" {
		query += " AND substr(s.key, 1, ?) = ?"
		args = append(args, len([]rune(o.Prefix)), o.Prefix)
	}
	if o.Keys != nil {
		query += " AND s.key IN (SELECT value FROM json_each(?))"
		args = append(args, jsonList(o.Keys))
	}
	if o.Cursor != "" {
		updated, n, err := parseCursor(o.Cursor)
		if err != nil {
			return Page{}, fmt.Errorf("session: list: %w", err)
		}
		query += " AND (s.updated_at, s.n) < (?, ?)"
		args = append(args, updated, n)
	}
	query += " ORDER BY s.updated_at DESC, s.n DESC LIMIT ?"
	args = append(args, limit+1)
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, query, func(row *sqlite.Stmt) error {
			page.Sessions = append(page.Sessions, s.scanInfo(row))
			return nil
		}, args...)
	})
	if err != nil {
		return Page{}, fmt.Errorf("session: list: %w", err)
	}
	if len(page.Sessions) > limit {
		page.Sessions = page.Sessions[:limit]
		last := page.Sessions[limit-1]
		page.Next = cursor(last.Updated.UnixMilli(), last.session)
	}
	return page, nil
}

func jsonList(list []string) string {
	text, _ := json.Marshal(list) // strings marshal
	return string(text)
}

// cursor makes an opaque text of two numbers.
func cursor(a, b int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%d", a, b))
}

func parseCursor(text string) (a, b int64, err error) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		var rest string
		if n, _ := fmt.Sscanf(string(plain), "%d:%d%s", &a, &b, &rest); n == 2 {
			return a, b, nil
		}
	}
	return 0, 0, ErrBadCursor
}

// Window is one of a session's windows.
type Window struct {
	ID       string     `json:"sessionId"`
	Previous string     `json:"previousSessionId,omitempty"`
	Reason   Reason     `json:"reason"`
	Created  time.Time  `json:"createdAt"`
	Ended    *time.Time `json:"endedAt,omitempty"`
	Entries  int64      `json:"entries"`
}

// Windows lists the windows of a session, the oldest first.
func (s *Store) Windows(ctx context.Context, key string) (list []Window, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		info, err := s.lookup(conn, Ref{Key: key})
		if err != nil {
			return err
		}
		return db.Exec(conn, "SELECT id, previous, reason, created_at, ended_at, last FROM windows WHERE session = ? ORDER BY n", func(row *sqlite.Stmt) error {
			w := Window{
				ID: row.ColumnText(0), Previous: row.ColumnText(1), Reason: Reason(row.ColumnText(2)),
				Created: timeOf(row.ColumnInt64(3)), Entries: row.ColumnInt64(5),
			}
			if !row.ColumnIsNull(4) {
				ended := timeOf(row.ColumnInt64(4))
				w.Ended = &ended
			}
			list = append(list, w)
			return nil
		}, info.session)
	})
	return list, wrap(err, "read", Ref{Key: key})
}

// Patch changes what is known about a session. Nil leaves a field as it is.
type Patch struct {
	Label    *string
	Meta     json.RawMessage
	Members  map[string]json.RawMessage // of Meta: put beside those that are there; null takes one away
	Archived *bool
	Reason   string // of archiving
}

// mergeMeta puts members beside those that are there.
func mergeMeta(old json.RawMessage, p Patch) (string, error) {
	if p.Meta != nil {
		return "", errors.New("meta: either as a whole or by its members")
	}
	all := map[string]json.RawMessage{}
	if len(old) > 0 {
		if err := json.Unmarshal(old, &all); err != nil {
			return "", fmt.Errorf("meta: %w", err)
		}
	}
	for name, value := range p.Members {
		if len(value) == 0 || string(value) == "null" {
			delete(all, name)
			continue
		}
		all[name] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("meta: %w", err)
	}
	return checkMeta(text)
}

// Update changes a session without writing to its transcript. It needs no claim, but what a run writes is not archived.
func (s *Store) Update(ctx context.Context, key string, p Patch) (info Info, err error) {
	err = s.db.Write(ctx, func(conn *sqlite.Conn) error {
		info, err = s.lookup(conn, Ref{Key: key})
		if err != nil {
			return err
		}
		var sets []string
		var args []any
		set := func(column string, value any) {
			sets, args = append(sets, column+" = ?"), append(args, value)
		}
		if p.Label != nil {
			set("label", *p.Label)
		}
		if p.Meta != nil {
			meta, err := checkMeta(p.Meta)
			if err != nil {
				return err
			}
			set("meta", meta)
		}
		if p.Members != nil {
			meta, err := mergeMeta(info.Meta, p)
			if err != nil {
				return err
			}
			set("meta", meta)
		}
		switch {
		case p.Archived == nil:
		case *p.Archived:
			if err := s.checkUnclaimed(conn, info); err != nil {
				return err
			}
			set("archived_at", s.now().UnixMilli())
			set("archive_reason", p.Reason)
		default:
			set("archived_at", nil)
			set("archive_reason", nil)
		}
		if len(sets) == 0 {
			return nil
		}
		err := db.Exec(conn, "UPDATE sessions SET "+strings.Join(sets, ", ")+" WHERE n = ?", nil, append(args, info.session)...)
		if err != nil {
			return err
		}
		info, err = s.lookup(conn, Ref{Key: key})
		return err
	})
	return info, wrap(err, "update", Ref{Key: key})
}

func previousWindow(conn *sqlite.Conn, window int64) (id string, err error) {
	err = db.Exec(conn, "SELECT previous FROM windows WHERE n = ?", func(row *sqlite.Stmt) error {
		id = row.ColumnText(0)
		return nil
	}, window)
	return id, err
}

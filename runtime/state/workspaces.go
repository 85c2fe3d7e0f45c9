package state

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
	"openclaw/workspace"
)

// Workspace implements [workspace.Store].
func (d *DB) Workspace(ctx context.Context, id workspace.Identity) (r workspace.Record, err error) {
	err = d.read(ctx, "workspace", func(conn *sqlite.Conn) error {
		r, err = workspaceRecord(conn, id.Key)
		return err
	})
	return r, err
}

func workspaceRecord(conn *sqlite.Conn, key string) (workspace.Record, error) {
	var r workspace.Record
	err := db.Exec(conn, `SELECT bootstrap_seeded_at_ms, setup_completed_at_ms, attested_at_ms FROM workspace_setup_state WHERE workspace_key = ?`,
		func(s *sqlite.Stmt) error {
			r.SeededAt, r.CompletedAt = timeAt(s, "bootstrap_seeded_at_ms"), timeAt(s, "setup_completed_at_ms")
			r.AttestedAt = timeAt(s, "attested_at_ms")
			return nil
		}, key)
	if err != nil {
		return r, err
	}
	err = db.Exec(conn, `SELECT filename, sha256 FROM workspace_generated_bootstrap_hashes WHERE workspace_key = ?`, func(s *sqlite.Stmt) error {
		if r.Generated == nil {
			r.Generated = map[string]string{}
		}
		r.Generated[s.GetText("filename")] = s.GetText("sha256")
		return nil
	}, key)
	return r, err
}

// Known implements [workspace.Store].
func (d *DB) Known(ctx context.Context, id workspace.Identity) (path string, err error) {
	err = d.read(ctx, "name of a workspace", func(conn *sqlite.Conn) error {
		return db.Exec(conn, `SELECT workspace_path FROM workspace_path_aliases WHERE alias_key = ?`, func(s *sqlite.Stmt) error {
			path = s.GetText("workspace_path")
			return nil
		}, id.Alias)
	})
	return path, err
}

// SaveWorkspace implements [workspace.Store].
func (d *DB) SaveWorkspace(ctx context.Context, id workspace.Identity, merge func(workspace.Record) workspace.Record) error {
	return d.write(ctx, "workspace", func(conn *sqlite.Conn) error {
		before, err := workspaceRecord(conn, id.Key)
		if err != nil {
			return err
		}
		r, now := merge(before), d.now().UnixMilli()
		err = db.Exec(conn, `INSERT INTO workspace_setup_state VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET
			workspace_path = ?2, bootstrap_seeded_at_ms = ?3, setup_completed_at_ms = ?4, attested_at_ms = ?5, updated_at_ms = ?6`,
			nil, id.Key, id.Path, millis(r.SeededAt), millis(r.CompletedAt), millis(r.AttestedAt), now)
		if err != nil {
			return err
		}
		if err := db.Exec(conn, `DELETE FROM workspace_generated_bootstrap_hashes WHERE workspace_key = ?`, nil, id.Key); err != nil {
			return err
		}
		for name, sum := range r.Generated {
			if err := db.Exec(conn, `INSERT INTO workspace_generated_bootstrap_hashes VALUES (?, ?, ?)`, nil, id.Key, name, sum); err != nil {
				return err
			}
		}
		return db.Exec(conn, `INSERT INTO workspace_path_aliases VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
			alias_path = ?2, workspace_key = ?3, workspace_path = ?4, updated_at_ms = ?5`, nil, id.Alias, id.Named, id.Key, id.Path, now)
	})
}

// ForgetWorkspace implements [workspace.Store].
func (d *DB) ForgetWorkspace(ctx context.Context, id workspace.Identity, unlessAfter time.Time) (forgotten bool, err error) {
	err = d.write(ctx, "workspace", func(conn *sqlite.Conn) error {
		r, err := workspaceRecord(conn, id.Key)
		if err != nil || r.AttestedAt.After(unlessAfter) {
			return err
		}
		forgotten = true
		if err := db.Exec(conn, `DELETE FROM workspace_setup_state WHERE workspace_key = ?`, nil, id.Key); err != nil {
			return err
		}
		return db.Exec(conn, `DELETE FROM workspace_path_aliases WHERE alias_key = ? OR workspace_key = ?`, nil, id.Alias, id.Key)
	})
	return forgotten && err == nil, err
}

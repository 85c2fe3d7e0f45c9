package state

import (
	"context"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
	"openclaw/workspace"
)

// SessionDirs implements [workspace.Registry].
func (d *DB) SessionDirs(ctx context.Context) (all []workspace.SessionDir, err error) {
	err = d.read(ctx, "session directories", func(conn *sqlite.Conn) error {
		return db.Exec(conn, `SELECT * FROM sandbox_registry_entries ORDER BY root, name`, func(s *sqlite.Stmt) error {
			all = append(all, workspace.SessionDir{
				Root: s.GetText("root"), Name: s.GetText("name"),
				Owner: workspace.Owner{
					Scope: workspace.Scope(s.GetText("scope")), Agent: s.GetText("agent_id"),
					Session: s.GetText("session_key"), Workspace: s.GetText("workspace_path"),
				},
				MadeAt: timeAt(s, "made_at_ms"), UsedAt: timeAt(s, "used_at_ms"),
			})
			return nil
		})
	})
	return all, err
}

// SaveSessionDir implements [workspace.Registry].
func (d *DB) SaveSessionDir(ctx context.Context, dir workspace.SessionDir, made bool) error {
	return d.write(ctx, "session directory", func(conn *sqlite.Conn) error {
		return db.Exec(conn, `INSERT INTO sandbox_registry_entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET
			made_at_ms = iif(?9, ?7, made_at_ms), used_at_ms = max(used_at_ms, ?8)`,
			nil, dir.Root, dir.Name, string(dir.Owner.Scope), dir.Owner.Agent, dir.Owner.Session, dir.Owner.Workspace,
			dir.MadeAt.UnixMilli(), dir.UsedAt.UnixMilli(), made)
	})
}

// ForgetSessionDir implements [workspace.Registry].
func (d *DB) ForgetSessionDir(ctx context.Context, dir workspace.SessionDir) error {
	return d.write(ctx, "session directory", func(conn *sqlite.Conn) error {
		return db.Exec(conn, `DELETE FROM sandbox_registry_entries WHERE root = ? AND name = ?`, nil, dir.Root, dir.Name)
	})
}

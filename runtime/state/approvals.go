package state

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/bundles"
	"openclaw/runtime/internal/db"
	"openclaw/skills/capability"
)

// approvalsTable holds what the operator has allowed packed skills.
const approvalsTable = `
CREATE TABLE skill_approvals (
	name           TEXT PRIMARY KEY,
	version        TEXT NOT NULL,
	digest         TEXT NOT NULL,
	signer         TEXT NOT NULL,
	capabilities   TEXT NOT NULL, -- JSON
	approved_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

var _ bundles.Approvals = (*DB)(nil)

// Approval implements [bundles.Approvals].
func (d *DB) Approval(ctx context.Context, name string) (a bundles.Approval, ok bool, err error) {
	err = d.read(ctx, "approval", func(conn *sqlite.Conn) error {
		ok = false
		return db.Exec(conn, `SELECT * FROM skill_approvals WHERE name = ?`, func(s *sqlite.Stmt) error {
			ok = true
			a = bundles.Approval{
				Name: s.GetText("name"), Version: s.GetText("version"), Digest: s.GetText("digest"), Signer: s.GetText("signer"),
				At: timeAt(s, "approved_at_ms"),
			}
			a.Allowed, err = readSet(s.GetText("capabilities"))
			return err
		}, name)
	})
	return a, ok, err
}

// readSet reads a set of capabilities. A member that is not known would be one that is not kept.
func readSet(text string) (set capability.Set, err error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&set); err != nil {
		return capability.Set{}, fmt.Errorf("capabilities: %w", err)
	}
	return set, nil
}

// SaveApproval implements [bundles.Approvals].
func (d *DB) SaveApproval(ctx context.Context, a bundles.Approval) error {
	set, err := json.Marshal(a.Allowed)
	if err != nil {
		return fmt.Errorf("state: write approval: %w", err)
	}
	return d.write(ctx, "approval", func(conn *sqlite.Conn) error {
		return db.Exec(conn, `INSERT INTO skill_approvals VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET
			version = ?2, digest = ?3, signer = ?4, capabilities = ?5, approved_at_ms = ?6`,
			nil, a.Name, a.Version, a.Digest, a.Signer, string(set), millis(a.At))
	})
}

// ForgetApproval implements [bundles.Approvals].
func (d *DB) ForgetApproval(ctx context.Context, name string) (was bool, err error) {
	err = d.write(ctx, "approval", func(conn *sqlite.Conn) error {
		if err := db.Exec(conn, `DELETE FROM skill_approvals WHERE name = ?`, nil, name); err != nil {
			return err
		}
		was = conn.Changes() > 0
		return nil
	})
	return was, err
}

package state

import (
	"context"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
)

var _ models.Store = (*DB)(nil)

// Standings implements [models.Store].
func (d *DB) Standings(ctx context.Context) (all []models.Standing, err error) {
	err = d.read(ctx, "standings of models", func(conn *sqlite.Conn) error {
		all = nil
		return db.Exec(conn, `SELECT * FROM model_standings ORDER BY profile, model`, func(s *sqlite.Stmt) error {
			all = append(all, models.Standing{
				Slot:     models.Slot{Profile: s.GetText("profile"), Model: s.GetText("model")},
				LastUsed: timeAt(s, "last_used_at_ms"), Errors: s.GetInt64("errors"),
				Until: timeAt(s, "rests_until_ms"), Kind: model.Kind(s.GetText("kind")), KeyMark: s.GetText("key_mark"),
			})
			return nil
		})
	})
	return all, err
}

// SaveStanding implements [models.Store].
func (d *DB) SaveStanding(ctx context.Context, one models.Standing) error {
	return d.write(ctx, "standing of a model", func(conn *sqlite.Conn) error {
		return db.Exec(conn, `INSERT INTO model_standings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET
			last_used_at_ms = ?3, errors = ?4, rests_until_ms = ?5, kind = ?6, key_mark = ?7`,
			nil, one.Profile, one.Model, millis(one.LastUsed), one.Errors, millis(one.Until), string(one.Kind), one.KeyMark)
	})
}

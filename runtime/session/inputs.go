package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// MaxInputIDBytes bounds the id of an input.
const MaxInputIDBytes = 128

// Errors about inputs.
var (
	ErrNoInput       = errors.New("the input does not wait any more")
	ErrInputRefused  = errors.New("the input is not accepted")
	ErrInvalidInput  = errors.New("the input is not valid")
	ErrKnownInput    = errors.New("an input of this id was accepted before")
	errInputIDLength = fmt.Errorf("%w: its id has more than %d bytes", ErrInvalidInput, MaxInputIDBytes)
)

// Input is something that was said to a session and is in no transcript yet. The session need not exist.
type Input struct {
	ID       string // empty: Accept makes one
	Key      string // of the session
	Accepted time.Time
	Body     json.RawMessage // the caller's own, a JSON object
}

// Admission is what an input that comes does to those that wait.
type Admission struct {
	Refuse  bool                       // it is not stored, and Accept fails with ErrInputRefused
	Drop    []string                   // these do not wait any more
	Replace map[string]json.RawMessage // what is kept of these
}

// Accept stores an input until a run takes it over with Consume: it is committed when Accept returns. admit, which may be nil, is
// shown what waits for the session in this process and decides within the same transaction what becomes of it. The id of an input
// is good for one time: a second one fails with ErrKnownInput, also when the first is an entry already.
func (s *Store) Accept(ctx context.Context, in Input, admit func(waiting []Input) Admission) (Input, error) {
	if in.ID == "" {
		in.ID = newEntryID()
	}
	in.Accepted = timeOf(s.now().UnixMilli())
	err := s.db.Write(ctx, func(conn *sqlite.Conn) error {
		if err := checkInput(conn, in); err != nil {
			return err
		}
		waiting, err := s.waiting(conn, in.Key)
		if err != nil {
			return err
		}
		var decided Admission
		if admit != nil {
			decided = admit(waiting)
		}
		if decided.Refuse {
			return ErrInputRefused
		}
		if err := deleteInputs(conn, in.Key, decided.Drop); err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(decided.Replace)) {
			if err := db.Exec(conn, "UPDATE inputs SET body = ? WHERE session_key = ? AND id = ?", nil, string(decided.Replace[id]), in.Key, id); err != nil {
				return err
			}
		}
		return db.Exec(conn, "INSERT INTO inputs (id, session_key, accepted_at, owner, body) VALUES (?, ?, ?, ?, ?)", nil,
			in.ID, in.Key, in.Accepted.UnixMilli(), s.owner, string(in.Body))
	})
	return in, wrap(err, "accept input for", Ref{Key: in.Key})
}

// checkInput makes sure that an input can be stored, and that its id is new.
func checkInput(conn *sqlite.Conn, in Input) error {
	if _, err := ParseKey(in.Key); err != nil {
		return err
	}
	if len(in.ID) > MaxInputIDBytes {
		return errInputIDLength
	}
	if len(in.Body) > MaxEntryBytes {
		return fmt.Errorf("%w: it has %d bytes, the most is %d", ErrInvalidInput, len(in.Body), MaxEntryBytes)
	}
	if err := checkObject(in.Body); err != nil {
		return fmt.Errorf("%w: body: %w", ErrInvalidInput, err)
	}
	known := false
	err := db.Exec(conn, "SELECT 1 FROM inputs WHERE id = ?1 UNION ALL SELECT 1 FROM entries WHERE id = ?1 LIMIT 1", func(*sqlite.Stmt) error {
		known = true
		return nil
	}, in.ID)
	if err == nil && known {
		err = ErrKnownInput
	}
	return err
}

// Inputs are what waits for a session, in the order in which it was accepted: what this process accepted, and what processes that
// have ended left behind. Those of another process that lives are its own.
func (s *Store) Inputs(ctx context.Context, key string) (list []Input, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		list, err = s.waiting(conn, key)
		return err
	})
	return list, wrap(err, "read inputs of", Ref{Key: key})
}

func (s *Store) waiting(conn *sqlite.Conn, key string) ([]Input, error) {
	var list []Input
	err := db.Exec(conn, "SELECT id, accepted_at, owner, body FROM inputs WHERE session_key = ? ORDER BY n", func(row *sqlite.Stmt) error {
		if owner := row.ColumnText(2); owner == s.owner || processEnded(owner) {
			list = append(list, Input{ID: row.ColumnText(0), Key: key, Accepted: timeOf(row.ColumnInt64(1)), Body: json.RawMessage(row.ColumnText(3))})
		}
		return nil
	}, key)
	return list, err
}

// InputKeys are the sessions that Inputs has something for, those that have waited longest first.
func (s *Store) InputKeys(ctx context.Context) (keys []string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, "SELECT session_key, owner, min(n) AS first FROM inputs GROUP BY session_key, owner ORDER BY first", func(row *sqlite.Stmt) error {
			key, owner := row.ColumnText(0), row.ColumnText(1)
			if (owner == s.owner || processEnded(owner)) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("session: read inputs: %w", err)
	}
	return keys, nil
}

// Withdraw takes inputs back that no run has taken over, and gives those that it took.
func (s *Store) Withdraw(ctx context.Context, key string, ids ...string) (taken []string, err error) {
	err = s.db.Write(ctx, func(conn *sqlite.Conn) error {
		taken = nil
		return db.Exec(conn, "DELETE FROM inputs WHERE session_key = ? AND id IN (SELECT value FROM json_each(?)) RETURNING id", func(row *sqlite.Stmt) error {
			taken = append(taken, row.ColumnText(0))
			return nil
		}, key, jsonList(ids))
	})
	return taken, wrap(err, "withdraw inputs of", Ref{Key: key})
}

// Consume is Append of what came of inputs: they are in the transcript and wait no more, both or neither. When one of them does not
// wait any more, the error matches ErrNoInput and nothing is appended.
func (w *Writer) Consume(ctx context.Context, ids []string, entries ...Entry) (stored []Entry, err error) {
	err = w.change(ctx, "append inputs to", func(t *turn) error {
		if err := deleteInputs(t.conn, t.info.Key, ids); err != nil {
			return err
		}
		stored, err = t.append(entries)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// deleteInputs removes inputs, which must all be there.
func deleteInputs(conn *sqlite.Conn, key string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	err := db.Exec(conn, "DELETE FROM inputs WHERE session_key = ? AND id IN (SELECT value FROM json_each(?))", nil, key, jsonList(ids))
	if err == nil && conn.Changes() != len(ids) {
		err = ErrNoInput
	}
	return err
}

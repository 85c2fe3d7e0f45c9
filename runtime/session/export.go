package session

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"zombiezen.com/go/sqlite"
)

// ExportOptions say what is exported.
type ExportOptions struct {
	// Branch leaves out everything that is not on the branch of the leaf.
	Branch bool
}

// Export writes a window as a transcript in JSON lines, which Import reads. What is appended meanwhile is not in it.
func (s *Store) Export(ctx context.Context, ref Ref, w io.Writer, o ExportOptions) error {
	info, previous, err := s.exported(ctx, ref)
	if err != nil {
		return wrap(err, "export", ref)
	}
	out := bufio.NewWriter(w)
	started, err := marshal(info.Started.Format(timeLayout))
	if err != nil {
		return wrap(err, "export", ref)
	}
	h := header{Type: typeSession, Version: transcriptVersion, ID: info.ID, Timestamp: json.RawMessage(started), CWD: info.CWD, ParentSession: previous}
	if err := writeLine(out, h); err != nil {
		return wrap(err, "export", ref)
	}
	if o.Branch {
		err = s.exportBranch(ctx, info, out)
	} else {
		err = s.exportAll(ctx, info, out)
	}
	if err == nil {
		err = out.Flush()
	}
	return wrap(err, "export", ref)
}

func (s *Store) exported(ctx context.Context, ref Ref) (info Info, previous string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		if info, err = s.lookup(conn, ref); err != nil {
			return err
		}
		previous, err = previousWindow(conn, info.window)
		return err
	})
	return info, previous, err
}

func (s *Store) exportAll(ctx context.Context, info Info, out io.Writer) error {
	for after := int64(0); after < info.Entries; {
		var page []Entry
		err := s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
			page, err = entriesAfter(conn, info.window, after, walkBatch)
			return err
		})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return fmt.Errorf("%w: the entries behind %d of %d are missing", ErrDamaged, after, info.Entries)
		}
		for _, e := range page {
			if e.Seq > info.Entries {
				return nil
			}
			if err := writeLine(out, e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
	return nil
}

func (s *Store) exportBranch(ctx context.Context, info Info, out io.Writer) error {
	var ids []string // newest first; bodies are read again, in the order of writing
	if info.LeafID == "" {
		return nil
	}
	for e, err := range s.Branch(ctx, Ref{ID: info.ID}, info.LeafID) {
		if err != nil {
			return err
		}
		ids = append(ids, e.ID)
	}
	for _, id := range slices.Backward(ids) {
		e, err := s.Entry(ctx, Ref{ID: info.ID}, id)
		if err != nil {
			return err
		}
		if err := writeLine(out, e); err != nil {
			return err
		}
	}
	return nil
}

func writeLine(w io.Writer, v any) error {
	line, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

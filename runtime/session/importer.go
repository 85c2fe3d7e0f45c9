package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// Limits of an import.
const (
	importBatch     = 500     // entries in one transaction, so that no writer waits long
	importBatchSize = 4 << 20 // bytes
	maxLineErrors   = 100     // that are kept
	importBuffer    = 64 << 10
)

// LineError is a line of a transcript that cannot be imported.
type LineError struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

func (e LineError) String() string { return fmt.Sprintf("line %d %s", e.Line, e.Reason) }

// ImportError says why a transcript was not imported. Nothing of it was kept.
type ImportError struct {
	Name  string
	Lines []LineError
	More  int // that were not kept
}

func (e *ImportError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "session: import %s: nothing was imported", e.Name)
	for _, l := range e.Lines {
		fmt.Fprintf(&b, "\n%s:%d: %s", e.Name, l.Line, l.Reason)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n%s: %d more", e.Name, e.More)
	}
	return b.String()
}

// ImportOptions say what becomes of a transcript.
type ImportOptions struct {
	Name  string // of the transcript, in messages
	Agent string // whose session it is when Key is empty
	Key   string // of the new session; empty: agent:AGENT:import:ID, by the transcript's id
	Label string
	// SkipMalformed imports what can be read. What followed a line that is left out follows the entry before it.
	SkipMalformed bool
	// DryRun reads and checks everything and keeps nothing.
	DryRun bool
}

// Imported is what came of a transcript.
type Imported struct {
	Key       string      `json:"key"`
	SessionID string      `json:"sessionId"`
	Entries   int64       `json:"entries"`
	Skipped   []LineError `json:"skipped,omitempty"` // with SkipMalformed
	More      int         `json:"more,omitempty"`    // lines that were left out and are not in Skipped
}

// Import reads a transcript in JSON lines, of any version up to today's, into a new session. The session appears when
// everything has been read, and whole; when a line is malformed, the error is an *ImportError that lists all such lines, and
// nothing is imported. A transcript whose id is here already is not imported again: the error matches ErrExists.
func (s *Store) Import(ctx context.Context, r io.Reader, o ImportOptions) (Imported, error) {
	if o.Name == "" {
		o.Name = "transcript"
	}
	p := &importer{store: s, options: o, lines: lines{r: bufio.NewReaderSize(r, importBuffer)}, seqs: map[string]int64{}}
	result, err := p.run(ctx)
	var malformed *ImportError
	if err != nil && !errors.As(err, &malformed) {
		err = fmt.Errorf("session: import %s: %w", o.Name, err)
	}
	return result, err
}

// importer reads one transcript into a window that nobody sees before it is complete.
type importer struct {
	store   *Store
	options ImportOptions
	lines   lines
	header  header
	window  int64 // 0: nothing is stored

	ids      []string         // by line behind the header; version 1 refers to them by number
	seqs     map[string]int64 // by id
	prev     time.Time
	leaf     int64
	last     int64
	leafID   string
	batch    []importedEntry
	size     int
	problems []LineError
	more     int
}

type importedEntry struct {
	Entry
	facts
	parent int64
}

func (p *importer) run(ctx context.Context) (result Imported, err error) {
	s := p.store
	line, err := p.lines.next()
	switch {
	case err == io.EOF:
		return result, &ImportError{Name: p.options.Name, Lines: []LineError{{1, "is missing: the transcript is empty"}}}
	case err != nil && !errors.Is(err, errLongLine):
		return result, err
	case err == nil:
		p.header, err = parseHeader(line)
	}
	if err != nil {
		return result, &ImportError{Name: p.options.Name, Lines: []LineError{{p.lines.number, err.Error()}}}
	}
	if p.header.time.IsZero() {
		p.header.time = s.now()
	}
	if p.header.ID == "" {
		p.header.ID = newSessionID(p.header.time)
	}
	p.prev = p.header.time
	if p.options.Key == "" {
		p.options.Key = agentKey(p.options.Agent, "import", strings.ToLower(p.header.ID))
	}
	if _, err := ParseKey(p.options.Key); err != nil {
		return result, err
	}
	if err := p.begin(ctx); err != nil {
		return result, err
	}
	err = p.readAll(ctx)
	if err == nil && len(p.problems) > 0 && !p.options.SkipMalformed {
		err = &ImportError{Name: p.options.Name, Lines: p.problems, More: p.more}
	}
	result = Imported{Key: p.options.Key, SessionID: p.header.ID, Entries: p.last, Skipped: p.problems, More: p.more}
	if err == nil && p.window != 0 {
		err = p.finish(ctx)
	}
	if err != nil {
		result = Imported{}
		if p.window != 0 { // what is left where that fails, too, is removed by the next import or deletion
			_ = s.purgeWindow(context.WithoutCancel(ctx), p.window)
		}
	}
	return result, err
}

// begin makes the window, unless the session exists.
func (p *importer) begin(ctx context.Context) error {
	s := p.store
	if p.options.DryRun {
		return s.db.Read(ctx, p.checkNew)
	}
	if err := s.purge(ctx); err != nil {
		return err
	}
	return s.db.Write(ctx, func(conn *sqlite.Conn) (err error) {
		if err := p.checkNew(conn); err != nil {
			return err
		}
		p.window, err = s.newWindow(conn, windowOptions{
			id: p.header.ID, previous: p.header.ParentSession, reason: ReasonImport,
			cwd: p.header.CWD, created: p.header.time, owner: s.owner,
		})
		if db.IsDuplicate(err) { // another process is importing it
			err = fmt.Errorf("%w: %s", ErrExists, p.header.ID)
		}
		return err
	})
}

func (p *importer) checkNew(conn *sqlite.Conn) error {
	for _, ref := range []Ref{{Key: p.options.Key}, {ID: p.header.ID}} {
		_, err := p.store.lookup(conn, ref)
		if err == nil {
			return fmt.Errorf("%w: %s", ErrExists, ref)
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

func (p *importer) readAll(ctx context.Context) error {
	for {
		line, err := p.lines.next()
		if err == io.EOF {
			return p.flush(ctx)
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("line %d: %w", p.lines.number, err)
		}
		if err == nil {
			err = p.add(line)
		}
		if err != nil {
			p.problem(err)
			p.ids = append(p.ids, "")
		}
		if len(p.batch) >= importBatch || p.size >= importBatchSize {
			if err := p.flush(ctx); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
	}
}

func (p *importer) problem(err error) {
	if len(p.problems) == maxLineErrors {
		p.more++
		return
	}
	p.problems = append(p.problems, LineError{p.lines.number, strings.ReplaceAll(err.Error(), "\n", " ")})
}

// add takes one line into the tree. When it fails, the tree is as it was.
func (p *importer) add(line []byte) error {
	r, err := parseRecord(line)
	if err != nil {
		return err
	}
	e := importedEntry{Entry: r.entry, facts: r.facts}
	if !r.hasID {
		if p.header.Version > 1 {
			return errors.New("has no id")
		}
		e.ID = newEntryID()
	}
	if _, taken := p.seqs[e.ID]; taken {
		return fmt.Errorf("has the id %q, which an entry before it has", e.ID)
	}
	if p.last >= maxEntries {
		return errors.New("is one entry too many")
	}
	if r.keptIndex >= 0 {
		if err := p.resolveKept(&e, r.keptIndex); err != nil {
			return err
		}
	}
	switch known := false; {
	case !r.hasParent:
		e.ParentID, e.parent = p.leafID, p.leaf
	case e.ParentID != "":
		if e.parent, known = p.seqs[e.ParentID]; !known {
			if !p.options.SkipMalformed {
				return fmt.Errorf("has the parent %q, which is not in front of it", e.ParentID)
			}
			e.ParentID, e.parent = p.leafID, p.leaf
		}
	}
	target, ok := p.seqs[e.target]
	if e.Type == TypeLeaf && e.target != "" && !ok {
		return fmt.Errorf("moves the leaf to %q, which is not in front of it", e.target)
	}
	if e.Time.IsZero() {
		e.Time = p.prev
	}
	p.prev = e.Time
	p.last++
	e.Seq = p.last
	p.ids, p.seqs[e.ID] = append(p.ids, e.ID), e.Seq
	p.leaf, p.leafID = e.Seq, e.ID
	if e.Type == TypeLeaf {
		p.leaf, p.leafID = target, e.target
	}
	p.batch, p.size = append(p.batch, e), p.size+len(e.Body)
	return nil
}

// resolveKept replaces the number of a line, which version 1 has in a compaction, by the entry's id.
func (p *importer) resolveKept(e *importedEntry, index int) error {
	if index > len(p.ids) {
		return fmt.Errorf("keeps line %d, which is not in front of it", index)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(e.Body, &fields); err != nil {
		return err
	}
	delete(fields, "firstKeptEntryIndex")
	if index > 0 { // the header has number 0
		id, err := marshal(p.ids[index-1])
		if err != nil {
			return err
		}
		fields["firstKeptEntryId"] = id
	} else if i := slices.IndexFunc(p.ids, func(id string) bool { return id != "" }); i >= 0 {
		fields["firstKeptEntryId"], _ = marshal(p.ids[i]) // a string marshals
	}
	var err error
	e.Body, err = marshal(fields)
	return err
}

// flush stores what has been read, unless the import has failed already.
func (p *importer) flush(ctx context.Context) error {
	batch := p.batch
	p.batch, p.size = p.batch[:0], 0
	if p.window == 0 || len(batch) == 0 || len(p.problems) > 0 && !p.options.SkipMalformed {
		return nil
	}
	return p.store.db.Write(ctx, func(conn *sqlite.Conn) error {
		for _, e := range batch {
			if err := insertEntry(conn, p.window, e.parent, e.Entry, e.facts); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish shows the session.
func (p *importer) finish(ctx context.Context) error {
	s := p.store
	return s.db.Write(ctx, func(conn *sqlite.Conn) error {
		if _, err := s.lookup(conn, Ref{Key: p.options.Key}); err == nil {
			return fmt.Errorf("%w: %s", ErrExists, p.options.Key)
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		if err := db.Exec(conn, "UPDATE windows SET leaf = ?, last = ? WHERE n = ?", nil, p.leaf, p.last, p.window); err != nil {
			return err
		}
		info, err := s.createWith(conn, CreateOptions{Key: p.options.Key, Via: ViaImport, Label: p.options.Label}, p.window)
		if err != nil {
			return err
		}
		changed := min(p.prev.UnixMilli(), s.now().UnixMilli())
		return db.Exec(conn, "UPDATE sessions SET created_at = ?, updated_at = ?, interaction_at = ? WHERE n = ?", nil,
			p.header.time.UnixMilli(), changed, changed, info.session)
	})
}

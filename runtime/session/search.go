package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// Limits of the search.
const (
	maxIndexedBytes = 16 << 10 // of an entry's text; more would make appending a large result slow
	maxQueryBytes   = 1 << 10
	snippetBefore   = 40  // characters in front of what was found
	snippetLength   = 160 // characters
)

// ErrBadQuery is the cause when a search asks for nothing.
var ErrBadQuery = errors.New("the query has no words")

// SearchOptions say what to look for, and where.
type SearchOptions struct {
	// Query is words, all of which an entry must have, in any order and case, with or without accents. Words in double quotes
	// must follow each other; a word that ends in * stands for all that begin so.
	Query    string
	Keys     []string // only these sessions; nil: all
	Roles    []string // only messages of these roles; nil: everything
	Archived bool     // archived sessions, too
	Limit    int      // 0: DefaultPage
	Offset   int
}

// Hit is an entry that was found.
type Hit struct {
	Key       string    `json:"key"`
	SessionID string    `json:"sessionId"`
	EntryID   string    `json:"entryId"`
	Seq       int64     `json:"seq"`
	Type      Type      `json:"type"`
	Role      string    `json:"role,omitempty"`
	Time      time.Time `json:"timestamp"`
	Snippet   string    `json:"snippet"`
}

// Search finds entries by their text, the newest first. Of an entry's text the first 16 KiB are searched.
func (s *Store) Search(ctx context.Context, o SearchOptions) (hits []Hit, err error) {
	match, words, err := parseQuery(o.Query)
	if err != nil {
		return nil, fmt.Errorf("session: search: %w", err)
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		query, args, err := searchQuery(conn, match, o)
		if err != nil {
			return err
		}
		return db.Exec(conn, query, func(row *sqlite.Stmt) error {
			e := Entry{Type: Type(row.ColumnText(4)), Body: []byte(row.ColumnText(7))}
			hits = append(hits, Hit{
				Key: row.ColumnText(0), SessionID: row.ColumnText(1), EntryID: row.ColumnText(2), Seq: seqOf(row.ColumnInt64(3)),
				Type: e.Type, Role: row.ColumnText(5), Time: timeOf(row.ColumnInt64(6)), Snippet: snippet(e.Text(), words),
			})
			return nil
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("session: search: %w", err)
	}
	return hits, nil
}

// searchQuery makes the query of a search.
//
// The numbers of a window's entries rise with time, so that within one window the index itself gives the newest first. Among
// several windows entries are sorted by time; only their numbers are, as bodies can be large.
func searchQuery(conn *sqlite.Conn, match string, o SearchOptions) (query string, args []any, err error) {
	from := "search f"
	where := "f.search MATCH ?"
	order := "f.rowid DESC"
	args = []any{match}
	window, single, err := singleWindow(conn, o.Keys)
	if err != nil {
		return "", nil, err
	}
	if single {
		where += " AND f.rowid BETWEEN ? AND ?"
		args = append(args, entryNumber(window, 1), entryNumber(window, maxEntries))
	} else {
		from += " CROSS JOIN entries e ON e.n = f.rowid"
		order = "e.time DESC, e.n DESC"
	}
	visible := fmt.Sprintf("SELECT 1 FROM windows w JOIN sessions s ON s.n = w.session WHERE w.n = f.rowid >> %d", seqBits)
	if o.Keys != nil {
		visible += " AND s.key IN (SELECT value FROM json_each(?))"
		args = append(args, jsonList(o.Keys))
	}
	if !o.Archived {
		visible += " AND s.archived_at IS NULL"
	}
	where += " AND EXISTS (" + visible + ")"
	if o.Roles != nil {
		where += " AND (SELECT role FROM entries WHERE n = f.rowid) IN (SELECT value FROM json_each(?))"
		args = append(args, jsonList(o.Roles))
	}
	args = append(args, pageSize(o.Limit), max(o.Offset, 0))
	return `WITH found AS MATERIALIZED (SELECT f.rowid AS n FROM ` + from + " WHERE " + where + " ORDER BY " + order + ` LIMIT ? OFFSET ?)
		SELECT s.key, w.id, e.id, e.n, e.type, e.role, e.time, e.body
		FROM found CROSS JOIN entries e ON e.n = found.n CROSS JOIN windows w ON w.n = e.window CROSS JOIN sessions s ON s.n = w.session
		ORDER BY e.time DESC, e.n DESC`, args, nil
}

// singleWindow gives the only window that a search of some sessions needs to look at, when there is only one.
func singleWindow(conn *sqlite.Conn, keys []string) (window int64, single bool, err error) {
	if len(keys) != 1 {
		return 0, false, nil
	}
	count := 0
	err = db.Exec(conn, "SELECT w.n FROM sessions s JOIN windows w ON w.session = s.n WHERE s.key = ?", func(row *sqlite.Stmt) error {
		window = row.ColumnInt64(0)
		count++
		return nil
	}, keys[0])
	return window, count == 1, err
}

// parseQuery makes an FTS5 expression of what a person types, and gives the words to show it by.
func parseQuery(text string) (match string, words []string, err error) {
	if len(text) > maxQueryBytes {
		return "", nil, fmt.Errorf("%w: it is longer than %d bytes", ErrBadQuery, maxQueryBytes)
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), "\uFFFD")
	var terms []string
	for i, part := range strings.Split(text, `"`) {
		phrases := []string{part} // between quotes
		if i%2 == 0 {
			phrases = strings.Fields(part)
		}
		for _, phrase := range phrases {
			word, prefix := phrase, ""
			if i%2 == 0 && strings.HasSuffix(word, "*") {
				word, prefix = strings.TrimRight(word, "*"), "*"
			}
			if !strings.ContainsFunc(word, isWordRune) {
				continue
			}
			terms = append(terms, `"`+indexed(word)+`"`+prefix)
			words = append(words, word)
		}
	}
	if len(terms) == 0 {
		return "", nil, ErrBadQuery
	}
	return strings.Join(terms, " AND "), words, nil
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// indexed prepares a text for the index. Scripts that are written without spaces are taken apart into characters, so that any
// piece of a sentence can be found as a phrase.
func indexed(text string) string {
	text = cut(text, maxIndexedBytes)
	if !strings.ContainsFunc(text, isUnspaced) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isUnspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// snippet is the surroundings of the first of the words in a text, in one line.
func snippet(text string, words []string) string {
	line := []rune(strings.Join(strings.Fields(cut(text, maxIndexedBytes)), " "))
	start := max(firstWord(line, words)-snippetBefore, 0)
	end := min(start+snippetLength, len(line))
	out := string(line[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(line) {
		out += "…"
	}
	return out
}

// firstWord is the place of the first of the words in a text, or 0.
func firstWord(line []rune, words []string) int {
	plain := make([]rune, len(line))
	for i, r := range line {
		plain[i] = plainRune(r)
	}
	first := len(line)
	text := string(plain)
	for _, w := range words {
		var b strings.Builder
		for _, r := range strings.Join(strings.Fields(w), " ") {
			b.WriteRune(plainRune(r))
		}
		if i := strings.Index(text, b.String()); i >= 0 {
			first = min(first, utf8.RuneCountInString(text[:i]))
		}
	}
	if first == len(line) {
		return 0
	}
	return first
}

// plainRune is a character without case and accent.
func plainRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
	return unicode.ToLower(base)
}

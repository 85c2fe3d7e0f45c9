package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// transcriptVersion is the version of the transcripts that are written. Those of the versions before can be read.
const transcriptVersion = 4

// Limits of a transcript's lines.
const (
	maxLineBytes = MaxEntryBytes + 64<<10
	maxIDBytes   = 128
)

// header is the first line of a transcript.
type header struct {
	Type          string          `json:"type"`
	Version       int             `json:"version"`
	ID            string          `json:"id"`
	Timestamp     json.RawMessage `json:"timestamp"`
	CWD           string          `json:"cwd"`
	ParentSession string          `json:"parentSession,omitempty"`

	time time.Time
}

// typeSession is the type of the header's line.
const typeSession = "session"

// record is a line of a transcript that is not the header.
type record struct {
	entry     Entry
	facts     facts
	hasID     bool
	hasParent bool // parentId is there, be it null
	keptIndex int  // firstKeptEntryIndex of version 1, or -1
}

func parseHeader(line []byte) (h header, err error) {
	if err := json.Unmarshal(line, &h); err != nil || h.Type != typeSession {
		return header{}, errors.New(`is not a transcript's header, {"type":"session", …}`)
	}
	if h.Version == 0 {
		h.Version = 1
	}
	switch {
	case h.Version < 0 || h.Version > transcriptVersion:
		return header{}, fmt.Errorf("has the version %d; this program reads 1 to %d", h.Version, transcriptVersion)
	case h.ID != "" && !isSessionID(h.ID):
		return header{}, fmt.Errorf("has the id %q; letters, digits and -._ can be in one", cut(h.ID, maxIDBytes))
	}
	h.time, err = parseTimestamp(h.Timestamp)
	return h, err
}

// isSessionID says whether a text can be a session's id: it may become the name of a file.
func isSessionID(id string) bool {
	return id != "" && len(id) <= maxIDBytes && id[0] != '.' && !strings.ContainsFunc(id, func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._", r)
	})
}

func checkEntryID(id string) error {
	if id == "" || len(id) > maxIDBytes || strings.ContainsFunc(id, unicode.IsControl) {
		return fmt.Errorf("has the id %q; it must have 1 to %d bytes and no control characters", cut(id, maxIDBytes), maxIDBytes)
	}
	return nil
}

// parseTimestamp reads RFC 3339 or milliseconds since 1970. Nothing is the zero time.
func parseTimestamp(text json.RawMessage) (time.Time, error) {
	if len(text) == 0 || string(text) == "null" {
		return time.Time{}, nil
	}
	var s string
	if json.Unmarshal(text, &s) == nil {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil || t.Year() < 1970 || t.Year() > 9999 {
			return time.Time{}, fmt.Errorf("has the timestamp %q, which is not one of RFC 3339", cut(s, maxIDBytes))
		}
		return t, nil
	}
	var ms float64
	const latest = 253402300799999 // the end of the year 9999
	if err := json.Unmarshal(text, &ms); err != nil || ms < 0 || ms > latest {
		return time.Time{}, errors.New("has a timestamp that is neither a text nor milliseconds")
	}
	return timeOf(int64(ms)), nil
}

// parseRecord reads a line behind the header.
func parseRecord(line []byte) (r record, err error) {
	if !utf8.Valid(line) {
		return record{}, errors.New("is not UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return record{}, fmt.Errorf("is not a JSON object: %w", err)
	}
	if fields == nil {
		return record{}, errors.New("is not a JSON object")
	}
	r.keptIndex = -1
	var parent *string
	for _, field := range []struct {
		name string
		into any
	}{{"type", &r.entry.Type}, {"id", &r.entry.ID}, {"parentId", &parent}, {"firstKeptEntryIndex", &r.keptIndex}} {
		value, ok := fields[field.name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(value, field.into); err != nil {
			return record{}, fmt.Errorf("%s: %w", field.name, err)
		}
	}
	_, r.hasID = fields["id"]
	if _, r.hasParent = fields["parentId"]; parent != nil {
		r.entry.ParentID = *parent
	}
	switch {
	case r.entry.Type == "":
		return record{}, errors.New("has no type")
	case r.entry.Type == typeSession:
		return record{}, errors.New("is a second header")
	case len(r.entry.Type) > maxIDBytes:
		return record{}, errors.New("has a type that is too long")
	}
	if r.hasID {
		if err := checkEntryID(r.entry.ID); err != nil {
			return record{}, err
		}
	}
	if r.entry.Time, err = parseTimestamp(fields["timestamp"]); err != nil {
		return record{}, err
	}
	for _, key := range headKeys {
		delete(fields, key)
	}
	return r, r.setBody(fields)
}

// setBody keeps the fields that are not the head's, in the form of today.
func (r *record) setBody(fields map[string]json.RawMessage) (err error) {
	if r.entry.Type == TypeMessage {
		if fields["message"], err = modernMessage(fields["message"]); err != nil {
			return err
		}
	}
	if r.entry.Body, err = marshal(fields); err != nil {
		return err
	}
	r.facts, err = r.entry.check()
	return err
}

// legacyHookRole is what custom messages were called before version 3.
const legacyHookRole = "hookMessage"

// modernMessage gives a message of an older version its role of today.
func modernMessage(text json.RawMessage) (json.RawMessage, error) {
	var role struct {
		Role string `json:"role"`
	}
	if json.Unmarshal(text, &role) != nil || role.Role != legacyHookRole {
		return text, nil // what is wrong with it is found later
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	fields["role"] = json.RawMessage(`"` + RoleCustom + `"`)
	return marshal(fields)
}

// lines reads a text line by line, with a bound on the length of each.
type lines struct {
	r      *bufio.Reader
	number int
}

var errLongLine = fmt.Errorf("is longer than %d bytes", maxLineBytes)

// next reads the next line that is not blank. It is io.EOF at the end; errLongLine leaves the reader at the next line.
func (l *lines) next() (line []byte, err error) {
	for {
		line, err = l.one()
		if err != nil && err != io.EOF {
			return line, err
		}
		if l.number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}

func (l *lines) one() (line []byte, err error) {
	l.number++
	tooLong := false
	for {
		piece, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(piece) > maxLineBytes; !tooLong {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || err == io.EOF):
			return nil, errLongLine
		}
		return line, err
	}
}

package session

import "openclaw/runtime/internal/db"

// applicationID marks an agent's database: "OCas".
const applicationID = 0x4f436173

// schema of an agent's database. Times are milliseconds since 1970. A migration that has been released is never changed.
func schema() db.Schema {
	return db.Schema{Name: "agent database", ApplicationID: applicationID, Migrations: []string{schemaV1, schemaV2, schemaV3}}
}

// The number of an entry is its window's number and its place in the window (see entryNumber): the entries of a window lie
// beside each other, and the full-text index finds those of one window without a join.
const schemaV1 = `
CREATE TABLE sessions (
	n                INTEGER PRIMARY KEY,
	key              TEXT NOT NULL UNIQUE,
	window           INTEGER NOT NULL,           -- the one that is written
	status           TEXT NOT NULL,
	via              TEXT NOT NULL,
	label            TEXT NOT NULL,
	parent_key       TEXT NOT NULL,
	meta             TEXT NOT NULL,              -- JSON object, the runtime's own
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	interaction_at   INTEGER NOT NULL,           -- of a person; what idleness is counted from
	archived_at      INTEGER,
	archive_reason   TEXT,
	fence            INTEGER NOT NULL,           -- rises with every claim
	writer           TEXT,                       -- the run that holds the claim
	writer_owner     TEXT,                       -- the process that runs it
	writer_until     INTEGER
) STRICT;
CREATE INDEX sessions_recent ON sessions (updated_at, n);

CREATE TABLE windows (
	n          INTEGER PRIMARY KEY,
	id         TEXT NOT NULL UNIQUE,
	session    INTEGER,                          -- NULL: being imported or deleted, and shown to nobody
	previous   TEXT NOT NULL,                    -- id of the window before, or empty
	reason     TEXT NOT NULL,
	cwd        TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	ended_at   INTEGER,
	leaf       INTEGER NOT NULL,                 -- seq of the entry that the next one follows, or 0
	last       INTEGER NOT NULL,                 -- seq of the newest entry, or 0
	owner      TEXT                              -- the process that imports or deletes it
) STRICT;
CREATE INDEX windows_session ON windows (session, n);

CREATE TABLE entries (
	n      INTEGER PRIMARY KEY,                  -- window << 32 | seq
	window INTEGER NOT NULL,
	parent INTEGER NOT NULL,                     -- seq, or 0 at the root
	id     TEXT NOT NULL,
	type   TEXT NOT NULL,
	role   TEXT NOT NULL,                        -- of a message, else empty
	time   INTEGER NOT NULL,
	body   TEXT NOT NULL                         -- JSON object
) STRICT;
CREATE UNIQUE INDEX entries_id ON entries (id, window);

CREATE VIRTUAL TABLE search USING fts5 (
	text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
`

// schemaV2 remembers when sessions were cleaned up, for all processes.
const schemaV2 = `
CREATE TABLE upkeep (
	one        INTEGER PRIMARY KEY CHECK (one = 1),
	cleaned_at INTEGER NOT NULL
) STRICT;
`

// schemaV3 keeps what was said to sessions until it is in a transcript.
const schemaV3 = `
CREATE TABLE inputs (
	n           INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they were accepted
	id          TEXT NOT NULL UNIQUE,
	session_key TEXT NOT NULL,                     -- of a session that may not exist yet
	accepted_at INTEGER NOT NULL,
	owner       TEXT NOT NULL,                     -- the process that accepted it
	body        TEXT NOT NULL                      -- JSON object
) STRICT;
CREATE INDEX inputs_session ON inputs (session_key, n);
`

// seqBits is the part of an entry's number that counts within its window.
const seqBits = 32

// maxEntries bounds a window, far above what any model can be shown.
const maxEntries = 1<<seqBits - 1

func entryNumber(window, seq int64) int64 { return window<<seqBits | seq }
func seqOf(number int64) int64            { return number & maxEntries }

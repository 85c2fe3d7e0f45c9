package workspace

import (
	"context"
	"fmt"
	"time"
)

// Record is what is remembered of a workspace. A zero time is "never".
type Record struct {
	SeededAt    time.Time // BOOTSTRAP.md was made
	CompletedAt time.Time // the first conversation is over
	AttestedAt  time.Time // the workspace was last seen alive
	// Generated are the digests of the files that still are as they were made, by name.
	Generated map[string]string
}

// known tells whether anything at all is remembered.
func (r Record) known() bool {
	return !r.SeededAt.IsZero() || !r.CompletedAt.IsZero() || !r.AttestedAt.IsZero()
}

// seeded tells whether files were made there, and not only found.
func (r Record) seeded() bool { return !r.SeededAt.IsZero() || !r.CompletedAt.IsZero() }

// merged is r with what a later observation adds: the first time of a milestone counts, and the last attestation.
func (r Record) merged(later Record) Record {
	first := func(a, b time.Time) time.Time {
		if a.IsZero() {
			return b
		}
		return a
	}
	m := Record{SeededAt: first(r.SeededAt, later.SeededAt), CompletedAt: first(r.CompletedAt, later.CompletedAt), AttestedAt: r.AttestedAt, Generated: later.Generated}
	if later.AttestedAt.After(m.AttestedAt) {
		m.AttestedAt = later.AttestedAt
	}
	return m
}

// Store remembers workspaces. Each method is one transaction.
type Store interface {
	// Workspace is what is remembered of a workspace; the zero Record when nothing is.
	Workspace(ctx context.Context, id Identity) (Record, error)
	// Known is where the name of a workspace led when it was last recorded; empty when it never was.
	Known(ctx context.Context, id Identity) (path string, err error)
	// SaveWorkspace changes what is remembered to what merge makes of it, and records where the name leads.
	SaveWorkspace(ctx context.Context, id Identity, merge func(Record) Record) error
	// ForgetWorkspace removes what is remembered, and where the name led, unless the workspace was attested after a time. It
	// tells whether it did.
	ForgetWorkspace(ctx context.Context, id Identity, unlessAfter time.Time) (bool, error)
}

// VanishedError reports a workspace that was in use a short while ago and is now missing or empty. To make a new one in
// its place would hide that something went wrong: a disk that is not mounted, a directory that was moved.
type VanishedError struct {
	Dir  string
	Seen time.Time
}

func (e *VanishedError) Error() string {
	return fmt.Sprintf("workspace: seed %s: it was in use at %s and is now missing or empty: bring it back, or begin anew with 'openclaw setup --reseed'",
		e.Dir, e.Seen.UTC().Format(time.RFC3339))
}

// RepointedError reports the name of a workspace that now leads to another directory than before.
type RepointedError struct {
	Named, Before, Now string
}

func (e *RepointedError) Error() string {
	return fmt.Sprintf("workspace: seed %s: it led to %s and now leads to %s: point it back, or accept it with 'openclaw setup --reseed'",
		e.Named, e.Before, e.Now)
}

package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// FreshFor is how long an attestation keeps an empty workspace from being taken for a new one.
const FreshFor = 24 * time.Hour

// Seeder sets workspaces up.
type Seeder struct {
	Store Store
	Now   func() time.Time // nil: time.Now
}

// SeedOptions say what a workspace is given.
type SeedOptions struct {
	Skip         bool     // no bootstrap files at all
	SkipOptional []string // of OptionalFiles
	// Reseed begins anew: what is remembered of the workspace is forgotten first. Files that are there stay.
	Reseed bool
}

// Seeded is how a workspace stands after Seed.
type Seeded struct {
	Identity
	BrandNew  bool     // nobody had lived there
	Made      []string // files that were written, in order
	Kept      []string // files that were there already
	Skipped   []string // files that were not wanted
	Removed   []string // BOOTSTRAP.md, when it was still as made and the agent's profile is not
	SeededAt  time.Time
	Completed time.Time
	// Pending tells that the first conversation is still to come: BOOTSTRAP.md is there.
	Pending bool
}

// seeding is the work on one workspace.
type seeding struct {
	*Seeder
	SeedOptions
	now     time.Time
	id      Identity
	record  Record
	expired bool // something was remembered, too old to count
	dir     *dir
	result  Seeded
}

// Seed makes a workspace and the files that it lacks, and notices when the first conversation is over. It overwrites nothing.
func (s *Seeder) Seed(ctx context.Context, path string, o SeedOptions) (*Seeded, error) {
	id, err := Identify(path)
	if err != nil {
		return nil, err
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	w := &seeding{Seeder: s, SeedOptions: o, now: now(), id: id}
	w.result.Identity = id
	err = w.run(ctx)
	if w.dir != nil {
		w.dir.close()
	}
	if err != nil {
		return nil, err
	}
	return &w.result, nil
}

func (w *seeding) run(ctx context.Context) error {
	if err := w.recall(ctx); err != nil {
		return err
	}
	if err := w.enter(ctx); err != nil {
		return err
	}
	if w.Skip {
		return w.skipped(ctx)
	}
	state, err := w.dir.look(ctx)
	if err != nil {
		return w.failed(err)
	}
	if err := w.judge(ctx, state); err != nil {
		return err
	}
	if err := w.fill(ctx, state); err != nil {
		return w.failed(err)
	}
	return w.remember(ctx, true)
}

func (w *seeding) failed(err error) error {
	return fmt.Errorf("workspace: seed %s: %w", w.id.Named, err)
}

// recall finds what is remembered.
func (w *seeding) recall(ctx context.Context) error {
	if w.Reseed {
		if _, err := w.Store.ForgetWorkspace(ctx, w.id, w.now.Add(FreshFor)); err != nil {
			return w.failed(err)
		}
		w.expired = true
		return nil
	}
	before, err := w.Store.Known(ctx, w.id)
	if err != nil {
		return w.failed(err)
	}
	if before != "" && before != w.id.Path {
		return &RepointedError{Named: w.id.Named, Before: before, Now: w.id.Path}
	}
	if w.record, err = w.Store.Workspace(ctx, w.id); err != nil {
		return w.failed(err)
	}
	return nil
}

// fresh tells whether the workspace was seen alive a short while ago.
func (w *seeding) fresh() bool {
	return !w.record.AttestedAt.IsZero() && w.now.Sub(w.record.AttestedAt) < FreshFor
}

func (w *seeding) vanished() error {
	return &VanishedError{Dir: w.id.Named, Seen: w.record.AttestedAt}
}

// forget drops what is remembered because it is old and nothing supports it any more.
func (w *seeding) forget(ctx context.Context) error {
	if w.fresh() {
		return w.vanished()
	}
	if !w.record.known() {
		return nil
	}
	forgotten, err := w.Store.ForgetWorkspace(ctx, w.id, w.now.Add(-FreshFor))
	if err != nil {
		return w.failed(err)
	}
	if !forgotten { // another process attested it just now
		return &VanishedError{Dir: w.id.Named, Seen: w.now}
	}
	w.record, w.expired = Record{}, true
	return nil
}

// enter opens the directory, and makes it when that is harmless.
func (w *seeding) enter(ctx context.Context) error {
	info, err := os.Stat(w.id.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := w.forget(ctx); err != nil {
			return err
		}
		if err := os.MkdirAll(w.id.Path, dirMode); err != nil {
			return w.failed(cause(err))
		}
	case err != nil:
		return w.failed(cause(err))
	case !info.IsDir():
		return w.failed(errors.New("not a directory"))
	}
	if w.dir, err = openDir(w.id.Path); err != nil {
		return w.failed(err)
	}
	return nil
}

// skipped ends the work where no bootstrap files are wanted.
func (w *seeding) skipped(ctx context.Context) error {
	w.result.Skipped = append(slices.Clone(seededFiles), FileBootstrap)
	content, err := w.dir.hasContent()
	if err != nil {
		return w.failed(err)
	}
	if !content {
		if w.fresh() {
			return w.vanished()
		}
		return nil
	}
	return w.remember(ctx, false)
}

// judge decides whether what is remembered and what is there belong together.
func (w *seeding) judge(ctx context.Context, state *inventory) error {
	w.result.BrandNew = state.brandNew()
	switch {
	case !w.record.known():
		return nil
	case w.result.BrandNew && !w.record.seeded() && state.foreign:
		return nil // it had content and no bootstrap files, and still does
	case !w.result.BrandNew && state.survived(w.record):
		return nil
	}
	return w.forget(ctx)
}

// fill writes what is missing, and moves the milestones.
func (w *seeding) fill(ctx context.Context, state *inventory) error {
	configured := state.configured(w.expired)
	newcomer := w.result.BrandNew && !configured && w.record.SeededAt.IsZero() && w.record.CompletedAt.IsZero()
	if newcomer {
		// It comes first: a set-up that is ended here finds a brand-new workspace again.
		if err := w.publish(state, FileBootstrap); err != nil {
			return err
		}
		w.record.SeededAt = w.now
	} else if state.present(FileBootstrap) {
		w.result.Kept = append(w.result.Kept, FileBootstrap)
	}
	if err := w.publish(state, FileAgents); err != nil {
		return err
	}
	for _, name := range profileFiles {
		if slices.Contains(w.SkipOptional, name) || !w.record.CompletedAt.IsZero() {
			w.leave(state, name)
			continue
		}
		if err := w.publish(state, name); err != nil {
			return err
		}
	}
	w.reconcile(ctx, state, newcomer, configured)
	return nil
}

// publish writes a file from its template where there is none. Whatever has taken the name meanwhile stays, too.
func (w *seeding) publish(state *inventory, name string) error {
	if state.present(name) {
		w.result.Kept = append(w.result.Kept, name)
		return nil
	}
	text, ok := Template(name)
	if !ok {
		return fmt.Errorf("no template for %s", name)
	}
	made, err := publish(w.dir.root, name, text)
	if err != nil {
		return err
	}
	if made {
		w.result.Made = append(w.result.Made, name)
	} else {
		w.result.Kept = append(w.result.Kept, name)
	}
	return nil
}

// leave notes a file that is not written.
func (w *seeding) leave(state *inventory, name string) {
	if state.present(name) {
		w.result.Kept = append(w.result.Kept, name)
		return
	}
	w.result.Skipped = append(w.result.Skipped, name)
}

// reconcile moves the milestones to what the files say.
func (w *seeding) reconcile(ctx context.Context, before *inventory, newcomer, configured bool) {
	stamp := func(t *time.Time) {
		if t.IsZero() {
			*t = w.now
		}
	}
	switch there := before.present(FileBootstrap) || newcomer; {
	case there && configured:
		stamp(&w.record.SeededAt)
		stamp(&w.record.CompletedAt)
		w.removeBootstrap(ctx)
	case there:
		stamp(&w.record.SeededAt)
	default: // gone after it was made, or never needed
		stamp(&w.record.CompletedAt)
	}
	w.result.SeededAt, w.result.Completed = w.record.SeededAt, w.record.CompletedAt
	w.result.Pending = w.record.CompletedAt.IsZero()
}

// removeBootstrap removes a BOOTSTRAP.md that has done its work. One that somebody has changed is theirs, and stays. That it
// cannot be removed does no harm: it is not injected any more.
func (w *seeding) removeBootstrap(ctx context.Context) {
	data, err := w.dir.read(ctx, FileBootstrap)
	text, _ := Template(FileBootstrap)
	if err != nil || !bytes.Equal(data, text) {
		return
	}
	if w.dir.root.Remove(FileBootstrap) == nil {
		w.result.Removed = append(w.result.Removed, FileBootstrap)
	}
}

// remember records what was found, and that the workspace was seen alive.
func (w *seeding) remember(ctx context.Context, files bool) error {
	found := w.record
	found.AttestedAt = w.now
	if files {
		found.Generated = map[string]string{}
		for _, name := range seededFiles {
			text, _ := Template(name)
			if data, err := w.dir.read(ctx, name); err == nil && bytes.Equal(data, text) {
				found.Generated[name] = contentDigest(data)
			}
		}
	}
	err := w.Store.SaveWorkspace(ctx, w.id, func(r Record) Record { return r.merged(found) })
	if err != nil {
		return w.failed(err)
	}
	return nil
}

func contentDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

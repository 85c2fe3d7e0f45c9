package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/session"
)

// followPause is between two looks for new entries. A look reads one row.
const followPause = 200 * time.Millisecond

// sessionsTail prints the newest entries of every branch in the order of writing, and with --follow those that come, until it is
// interrupted. With --json and --follow each entry is a document in a line of its own.
func sessionsTail(c *cli.Context, std streams, args []string) error {
	limit := c.Int("limit")
	if limit < 0 {
		return fmt.Errorf("sessions: tail: --limit must not be below 0")
	}
	return withSession(c, args[0], false, func(a agentStore, ref session.Ref) error {
		info, err := a.Get(c.Context, ref)
		if err != nil {
			return err
		}
		t := tail{c: c, std: std, store: a, window: session.Ref{ID: info.ID}, seen: max(info.Entries-int64(limit), 0)}
		if c.Bool("json") && !c.Bool("follow") {
			return t.document(info)
		}
		if err := t.print(); err != nil || !c.Bool("follow") {
			return err
		}
		err = t.follow(ref)
		if c.Context.Err() != nil {
			return exitStatus(statusOfSignal(c.Context)) // which is how it is meant to end
		}
		return err
	})
}

// tail is where a reader of a session stands.
type tail struct {
	c      *cli.Context
	std    streams
	store  agentStore
	window session.Ref
	seen   int64
}

// document prints what there is as one document.
func (t *tail) document(info session.Info) error {
	entries := []session.Entry{}
	err := t.each(func(e session.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return err
	}
	return printJSON(t.std.out, struct {
		Session listedSession   `json:"session"`
		Entries []session.Entry `json:"entries"`
	}{listedSession{t.store.agent, info}, entries})
}

// print writes what has not been seen yet.
func (t *tail) print() error {
	return t.each(func(e session.Entry) error {
		if t.c.Bool("json") {
			return printJSON(t.std.out, e)
		}
		return printEntry(t.std.out, e)
	})
}

func (t *tail) each(visit func(session.Entry) error) error {
	for {
		page, err := t.store.Entries(t.c.Context, t.window, session.EntriesOptions{After: t.seen})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, e := range page {
			if err := visit(e); err != nil {
				return err
			}
			t.seen = e.Seq
		}
	}
}

// follow goes on with what is appended. A session that was named by its key is followed into its next windows.
func (t *tail) follow(ref session.Ref) error {
	ticker := time.NewTicker(followPause)
	defer ticker.Stop()
	for {
		select {
		case <-t.c.Context.Done():
			return t.c.Context.Err()
		case <-ticker.C:
		}
		info, err := t.store.Get(t.c.Context, ref)
		if err != nil {
			return err
		}
		if info.ID == t.window.ID && info.Entries == t.seen {
			continue
		}
		if err := t.print(); err != nil { // the end of the window that was read, too
			return err
		}
		if info.ID != t.window.ID {
			if err := t.printLater(info.Key); err != nil {
				return err
			}
		}
	}
}

// printLater writes the windows behind the one that was read.
func (t *tail) printLater(key string) error {
	windows, err := t.store.Windows(t.c.Context, key)
	if err != nil {
		return err
	}
	later := windows // all of them when it is not there any more
	if i := slices.IndexFunc(windows, func(w session.Window) bool { return w.ID == t.window.ID }); i >= 0 {
		later = windows[i+1:]
	}
	for _, w := range later {
		t.window, t.seen = session.Ref{ID: w.ID}, 0
		if err := t.print(); err != nil {
			return err
		}
	}
	return nil
}

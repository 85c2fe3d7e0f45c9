package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

// listedSession is a session with its agent, as --json prints it.
type listedSession struct {
	Agent string `json:"agentId"`
	session.Info
}

func sessionsList(c *cli.Context, std streams, _ []string) error {
	limit, err := listLimit(c.String("limit"))
	if err != nil {
		return err
	}
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	agents, err := listedAgents(c, conf)
	if err != nil {
		return err
	}
	listed := []listedSession{}
	next := ""
	for _, agent := range agents {
		err := withAgent(c.Context, conf, agent, false, func(a agentStore) (err error) {
			if a.Store == nil {
				return nil
			}
			var found []session.Info
			found, next, err = listUpTo(c, a, limit)
			for _, info := range found {
				listed = append(listed, listedSession{agent, info})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(agents) > 1 {
		next = "" // belongs to one of them
		slices.SortStableFunc(listed, func(a, b listedSession) int { return b.Updated.Compare(a.Updated) })
	}
	return printList(c, std, listed, next)
}

// listLimit reads a number or "all", which is 0.
func listLimit(text string) (int, error) {
	if text == "all" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("sessions: list: --limit must be a number above 0 or all, not %q", text)
	}
	return n, nil
}

func listedAgents(c *cli.Context, conf *config.Config) ([]string, error) {
	if !c.Bool("all-agents") {
		agent, err := namedAgent(c, conf)
		return []string{agent}, err
	}
	if c.IsSet("agent") || c.IsSet("cursor") {
		return nil, fmt.Errorf("sessions: list: --all-agents excludes --agent and --cursor")
	}
	if len(conf.Agents.IDs) == 0 {
		return []string{config.DefaultAgentID}, nil
	}
	return conf.Agents.IDs, nil
}

// listUpTo reads as many pages as the limit needs.
func listUpTo(c *cli.Context, a agentStore, limit int) (list []session.Info, next string, err error) {
	o := session.ListOptions{Prefix: c.String("prefix"), Archived: c.Bool("archived"), Cursor: c.String("cursor")}
	if minutes := c.Int("active"); minutes > 0 {
		o.Since = time.Now().Add(-time.Duration(minutes) * time.Minute)
	}
	for {
		o.Limit = session.MaxPage
		if limit > 0 {
			o.Limit = min(limit-len(list), session.MaxPage)
		}
		page, err := a.List(c.Context, o)
		if err != nil {
			return nil, "", err
		}
		list, o.Cursor = append(list, page.Sessions...), page.Next
		if page.Next == "" || limit > 0 && len(list) >= limit {
			return list, page.Next, nil
		}
	}
}

func printList(c *cli.Context, std streams, listed []listedSession, next string) error {
	if c.Bool("json") {
		return printJSON(std.out, struct {
			Sessions []listedSession `json:"sessions"`
			Next     string          `json:"nextCursor,omitempty"`
		}{listed, next})
	}
	t := table{header: []string{"SESSION", "CHANGED", "STATUS", "ENTRIES", "LABEL"}}
	now, terminal := time.Now(), terminalWidth(std.out) > 0
	for _, s := range listed {
		changed := s.Updated.Format(time.RFC3339)
		if terminal {
			changed = age(now, s.Updated)
		}
		status := string(s.Status)
		if s.Archived != nil {
			status = "archived"
		}
		t.add(s.Key, changed, status, strconv.FormatInt(s.Entries, 10), s.Label)
	}
	if err := t.write(std.out); err != nil {
		return err
	}
	if next != "" {
		fmt.Fprintf(std.err, "openclaw: there are more: --cursor %s\n", next)
	}
	return nil
}

func sessionsShow(c *cli.Context, std streams, args []string) error {
	limit := c.Int("limit")
	switch {
	case limit < 1:
		return fmt.Errorf("sessions: show: --limit must be above 0")
	case c.Bool("all") && c.Bool("context"), c.Bool("full") && (c.Bool("all") || c.Bool("context")):
		return fmt.Errorf("sessions: show: --all, --context and --full exclude each other")
	case c.Bool("full") && c.IsSet("limit"):
		return fmt.Errorf("sessions: show: --full has no --limit")
	case c.IsSet("after") && !c.Bool("all"):
		return fmt.Errorf("sessions: show: --after needs --all")
	}
	return withSession(c, args[0], false, func(a agentStore, ref session.Ref) error {
		info, err := a.Get(c.Context, ref)
		if err != nil {
			return err
		}
		entries, err := shownEntries(c, a, ref, limit)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return printJSON(std.out, struct {
				Session listedSession   `json:"session"`
				Entries []session.Entry `json:"entries"`
				Next    int64           `json:"nextAfter,omitempty"`
			}{listedSession{a.agent, info}, entries, nextAfter(c, entries, info)})
		}
		for _, e := range entries {
			if err := printEntry(std.out, e); err != nil {
				return err
			}
		}
		if next := nextAfter(c, entries, info); next > 0 {
			fmt.Fprintf(std.err, "openclaw: there are more: --after %d\n", next)
		}
		return nil
	})
}

func shownEntries(c *cli.Context, a agentStore, ref session.Ref, limit int) ([]session.Entry, error) {
	entries := []session.Entry{}
	switch {
	case c.Bool("all"):
		page, err := a.Entries(c.Context, ref, session.EntriesOptions{After: int64(c.Int("after")), Limit: limit})
		return append(entries, page...), err
	case c.Bool("context"):
		found, err := a.Context(c.Context, ref)
		return append(entries, found[max(len(found)-limit, 0):]...), err
	}
	for e, err := range a.Branch(c.Context, ref, "") {
		if err != nil {
			return nil, err
		}
		if entries = append(entries, e); len(entries) == limit && !c.Bool("full") {
			break
		}
	}
	slices.Reverse(entries)
	return entries, nil
}

// nextAfter is where the next page of --all begins, or 0.
func nextAfter(c *cli.Context, entries []session.Entry, info session.Info) int64 {
	if !c.Bool("all") || len(entries) == 0 || entries[len(entries)-1].Seq >= info.Entries {
		return 0
	}
	return entries[len(entries)-1].Seq
}

// printEntry writes an entry for people: when, who, and the text, which is indented.
func printEntry(w io.Writer, e session.Entry) error {
	who := e.Role()
	if who == "" {
		who = string(e.Type)
	}
	text := strings.TrimRight(printable(e.Text()), "\n")
	if text != "" {
		text = "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	_, err := fmt.Fprintf(w, "%s  %s  %s%s\n", e.Time.Format(time.RFC3339), printable(who), printable(e.ID), text)
	return err
}

func sessionsSearch(c *cli.Context, std streams, words []string) error {
	return withStore(c, false, func(a agentStore) (err error) {
		o := session.SearchOptions{
			Query: strings.Join(words, " "), Archived: c.Bool("archived"), Limit: c.Int("limit"), Offset: c.Int("offset"),
		}
		for _, name := range c.StringSlice("session") {
			o.Keys = append(o.Keys, session.NamedKey(a.agent, name))
		}
		o.Roles = append(o.Roles, c.StringSlice("role")...)
		var hits []session.Hit
		if a.Store != nil {
			if hits, err = a.Search(c.Context, o); err != nil {
				return err
			}
		}
		if c.Bool("json") {
			return printJSON(std.out, struct {
				Hits []session.Hit `json:"hits"`
			}{append([]session.Hit{}, hits...)})
		}
		t := table{header: []string{"TIME", "SESSION", "WHO", "ENTRY", "TEXT"}}
		for _, h := range hits {
			who := h.Role
			if who == "" {
				who = string(h.Type)
			}
			t.add(h.Time.Format(time.RFC3339), h.Key, who, h.EntryID, h.Snippet)
		}
		return t.write(std.out)
	})
}

package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/session"
)

// sessionsArchive puts sessions away, or fetches them back.
func sessionsArchive(archived bool) func(*cli.Context, streams, []string) error {
	return func(c *cli.Context, std streams, names []string) error {
		keys, err := keysOf(c, names)
		if err != nil {
			return err
		}
		var changed []listedSession
		err = withStore(c, true, func(a agentStore) error {
			for _, key := range keys {
				info, err := a.Update(c.Context, key, session.Patch{Archived: &archived, Reason: c.String("reason")})
				if err != nil {
					return err
				}
				changed = append(changed, listedSession{a.agent, info})
			}
			return nil
		})
		if err == nil && c.Bool("json") {
			return printJSON(std.out, struct {
				Sessions []listedSession `json:"sessions"`
			}{changed})
		}
		state := "archived"
		if !archived {
			state = "not archived any more"
		}
		for _, s := range changed {
			if !c.Bool("json") {
				fmt.Fprintf(std.out, "%s is %s\n", printable(s.Key), state)
			}
		}
		return err
	}
}

// keysOf finds out which sessions are meant, before anything is changed and without making a database.
func keysOf(c *cli.Context, names []string) (keys []string, err error) {
	for _, name := range names {
		err := withSession(c, name, false, func(a agentStore, ref session.Ref) error {
			info, err := a.Get(c.Context, ref)
			keys = append(keys, info.Key)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

func sessionsFork(c *cli.Context, std streams, args []string) error {
	if _, err := keysOf(c, args); err != nil {
		return err
	}
	return withSession(c, args[0], true, func(a agentStore, ref session.Ref) error {
		o := session.ForkOptions{EntryID: c.String("at"), Label: c.String("label"), Agent: a.agent}
		if key := c.String("key"); key != "" {
			o.Key = session.NamedKey(a.agent, key)
		}
		info, err := a.Fork(c.Context, ref, o)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return printJSON(std.out, struct {
				Session listedSession `json:"session"`
			}{listedSession{a.agent, info}})
		}
		fmt.Fprintf(std.out, "%s is a copy of %s with %d entries\n", printable(info.Key), printable(info.ParentKey), info.Entries)
		return nil
	})
}

func sessionsDelete(c *cli.Context, std streams, names []string) error {
	keys, err := keysOf(c, names)
	if err != nil {
		return err
	}
	var deleted []string
	err = withStore(c, true, func(a agentStore) error {
		for _, key := range keys {
			if err := a.Delete(c.Context, key); err != nil {
				return err
			}
			deleted = append(deleted, key)
		}
		return nil
	})
	if err == nil && c.Bool("json") {
		return printJSON(std.out, struct {
			Deleted []string `json:"deleted"`
		}{deleted})
	}
	for _, key := range deleted {
		if !c.Bool("json") {
			fmt.Fprintf(std.out, "%s is deleted\n", printable(key))
		}
	}
	return err
}

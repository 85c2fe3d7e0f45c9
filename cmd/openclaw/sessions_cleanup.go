package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

// sessionsCleanup says what it does to each session. With session.maintenance.mode "warn" that is nothing.
func sessionsCleanup(c *cli.Context, std streams, _ []string) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	policy := conf.Session.Maintenance
	dryRun := c.Bool("dry-run") || policy.Mode == config.MaintainWarn
	done := session.Cleanup{Disk: session.Disk{Max: policy.MaxDiskBytes}}
	err = withStore(c, false, func(a agentStore) error {
		if a.Store == nil {
			return nil
		}
		return withAgent(c.Context, conf, a.agent, !dryRun, func(a agentStore) (err error) {
			done, err = a.Clean(c.Context, policy, dryRun)
			return err
		})
	})
	if err != nil {
		return err
	}
	return printCleanup(c, std, done, dryRun)
}

func printCleanup(c *cli.Context, std streams, done session.Cleanup, dryRun bool) error {
	if c.Bool("json") {
		done.Sessions = append([]session.Cleaned{}, done.Sessions...)
		return printJSON(std.out, struct {
			DryRun bool `json:"dryRun"`
			session.Cleanup
			Over bool `json:"overDiskLimit"`
		}{dryRun, done, done.Disk.Over()})
	}
	verb := "is"
	if dryRun {
		verb = "would be"
	}
	for _, one := range done.Sessions {
		what := "archived"
		if one.Deleted {
			what = "deleted"
		}
		fmt.Fprintf(std.out, "%s %s %s: %s\n", printable(one.Key), verb, what, one.Reason)
	}
	if freed := done.Disk.Bytes - done.Disk.After; freed > 0 {
		fmt.Fprintf(std.out, "%d bytes of disk space are free again\n", freed)
	}
	switch {
	case !done.Disk.Over():
	case dryRun:
		fmt.Fprintf(std.err, "openclaw: the sessions take %d bytes on the disk, session.maintenance.maxDiskBytes is %d\n", done.Disk.After, done.Disk.Max)
	default:
		fmt.Fprintf(std.err, "openclaw: the sessions still take %d bytes on the disk, session.maintenance.maxDiskBytes is %d: archive sessions that may go, or raise it\n",
			done.Disk.After, done.Disk.Max)
	}
	return nil
}

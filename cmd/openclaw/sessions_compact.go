package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

// compactOutcome is what compact --json prints.
type compactOutcome struct {
	OK     bool             `json:"ok"`
	Key    string           `json:"sessionKey"`
	Done   bool             `json:"compacted"`
	Reason string           `json:"reason,omitempty"` // why there was nothing to compact
	Result *agent.Compacted `json:"result,omitempty"`
}

// sessionsCompact has the older part of a conversation give way to a summary.
func sessionsCompact(c *cli.Context, std streams, args []string) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	turn := agent.Turn{}
	err = withSession(c, args[0], false, func(a agentStore, ref session.Ref) error {
		info, err := a.Get(c.Context, ref)
		turn.Agent, turn.Session = a.agent, info.Key
		return err
	})
	if err != nil {
		return err
	}
	host, err := openHost(c.Context, std, conf)
	if err != nil {
		return err
	}
	defer func() { host.close(std.err) }()
	done, err := host.runtime.Compact(c.Context, turn, c.String("focus"))
	if err != nil && !errors.Is(err, agent.ErrNothing) {
		return err
	}
	out := compactOutcome{OK: true, Key: turn.Session, Done: err == nil, Result: done}
	if err != nil {
		out.Reason = plainText(err)
	}
	return out.print(c, std)
}

func (o *compactOutcome) print(c *cli.Context, std streams) error {
	if c.Bool("json") {
		return printJSON(std.out, o)
	}
	if !o.Done {
		fmt.Fprintf(std.out, "%s stays as it is: %s\n", printable(o.Key), o.Reason)
		return nil
	}
	for _, w := range o.Result.Warnings {
		fmt.Fprintf(std.err, "openclaw: warning: %s\n", printable(w))
	}
	fmt.Fprintf(std.out, "%s is compacted: about %d tokens were %d before\n", printable(o.Key), o.Result.TokensAfter, o.Result.TokensBefore)
	return nil
}

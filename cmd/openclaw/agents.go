package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/setup"
)

const agentsUsage = `openclaw agents COMMAND [OPTIONS] [ARGUMENTS]

An agent has a workspace, a model, sessions and a policy of its own. Where none is configured
there is one, called main.

The exit status is 0 when it is done, 1 when it could not be, 78 when the configuration is not
valid, 125 when the command line is wrong.

EXAMPLES
   openclaw agents list
   openclaw agents add ops --workspace ~/ops --model anthropic/claude-haiku-4-5
   openclaw agents delete ops`

func agentsCommand(std streams) *cli.Command {
	jsonFlag := &cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"}
	sub := func(name, operands, usage string, run func(*cli.Context, streams, []string) error, flags ...cli.Flag) *cli.Command {
		hint := fmt.Sprintf("(try 'openclaw agents %s --help')", name)
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: operands, Flags: append(flags, jsonFlag),
			OnUsageError: func(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("agents %s: %w %s", name, err, hint) },
			Action: func(c *cli.Context) error {
				args, err := reparse(c)
				if err == nil && len(args) != len(strings.Fields(operands)) {
					err = fmt.Errorf("want %s", operandsText(operands))
				}
				if err != nil {
					return fmt.Errorf("agents %s: %w %s", name, err, hint)
				}
				return commandStatus(std, failedJSON(c, std, run(c, std, args)))
			},
		}
	}
	return &cli.Command{
		Name:      "agents",
		Usage:     "list, add and delete agents",
		UsageText: agentsUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return errUnknownSubcommand(c, "agents")
			}
			return cli.ShowSubcommandHelp(c)
		},
		Subcommands: []*cli.Command{
			sub("list", "", "list the agents", agentsList),
			sub("add", "ID", "add an agent, and make its workspace", agentsAdd,
				&cli.StringFlag{Name: "workspace", Usage: "its workspace is `DIR`"},
				&cli.StringFlag{Name: "model", Usage: "its model is `REF`"}),
			sub("delete", "ID", "take an agent out of the configuration; its files stay", agentsDelete),
		},
	}
}

func errUnknownSubcommand(c *cli.Context, name string) error {
	return fmt.Errorf("%s: unknown command %q (try 'openclaw %s --help')", name, c.Args().First(), name)
}

// listedAgent is an agent as agents and status print it.
type listedAgent struct {
	ID        string   `json:"id"`
	Default   bool     `json:"default"`
	Workspace string   `json:"workspace"`
	Model     string   `json:"model"` // empty: none is configured
	Fallbacks []string `json:"fallbacks"`
	Sandbox   string   `json:"sandboxMode"`
	Sessions  string   `json:"sessionsFile"`
}

func listAgents(conf *config.Config) ([]listedAgent, error) {
	ids := conf.Agents.IDs
	if len(ids) == 0 {
		ids = []string{config.DefaultAgentID}
	}
	standard, _ := conf.DefaultAgent()
	all := []listedAgent{}
	for _, id := range ids {
		a, err := conf.Agent(id)
		if err != nil {
			return nil, err
		}
		all = append(all, listedAgent{
			ID: a.ID, Default: strings.EqualFold(a.ID, standard), Workspace: a.Workspace, Model: a.Model.Primary, Fallbacks: list(a.Model.Fallbacks),
			Sandbox: string(a.Sandbox.Mode), Sessions: session.Path(conf.StateDir, a.ID),
		})
	}
	return all, nil
}

func agentsList(c *cli.Context, std streams, _ []string) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	all, err := listAgents(conf)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(std.out, struct {
			Agents []listedAgent `json:"agents"`
		}{all})
	}
	t := table{header: []string{"ID", "MODEL", "SANDBOX", "WORKSPACE"}}
	for _, a := range all {
		id, model := a.ID, a.Model
		if a.Default {
			id += " (default)"
		}
		if model == "" {
			model = "not configured"
		}
		t.add(id, model, a.Sandbox, a.Workspace)
	}
	return t.write(std.out)
}

func agentsAdd(c *cli.Context, std streams, args []string) error {
	id := args[0]
	if safe := config.SafeAgentID(id); safe != id {
		if safe == "" {
			return fmt.Errorf("agents add %q: not an id: use lower-case letters, digits, '-' and '_'", id)
		}
		return fmt.Errorf("agents add %q: not an id: did you mean %s?", id, safe)
	}
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	if _, err := conf.Agent(id); err == nil {
		return fmt.Errorf("agents add %s: there is such an agent already (try 'openclaw agents list')", id)
	} else if !errors.Is(err, config.ErrNoAgent) {
		return err
	}
	if err := checkModel(conf, c.String("model")); err != nil {
		return fmt.Errorf("agents add %s: %w", id, err)
	}
	entries, err := newEntries(c, conf, id)
	if err != nil {
		return err
	}
	path, err := json5.ParsePath("agents.entries")
	if err != nil {
		return err
	}
	if _, err := config.Change(c.Context, config.Options{}, config.Edit{Path: path, Value: entries, Merge: true}); err != nil {
		return err
	}
	report, err := setup.Run(c.Context, setup.Options{})
	if err != nil {
		return fmt.Errorf("agents add %s: it is in the configuration, but its workspace could not be made: %w", id, err)
	}
	return printAdded(c, std, id, report)
}

// checkModel refuses what names no model, as models set does.
func checkModel(conf *config.Config, ref string) error {
	if ref == "" {
		return nil
	}
	registry, err := models.New(conf, models.Options{})
	if err != nil {
		return err
	}
	standard := conf.Agents.Defaults // a new agent has nothing of its own
	_, err = registry.Resolve(&standard, ref)
	return err
}

// newEntries is what is put beside agents.entries. The agent that is there without an entry gets one, so that it stays.
func newEntries(c *cli.Context, conf *config.Config, id string) (*json5.Node, error) {
	entry := map[string]any{}
	if dir := c.String("workspace"); dir != "" {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("agents add %s: --workspace: %w", id, err)
		}
		entry["workspace"] = absolute
	}
	if ref := c.String("model"); ref != "" {
		entry["model"] = ref
	}
	entries := map[string]any{id: entry}
	if len(conf.Agents.IDs) == 0 { // its workspace stays where it is
		agent, err := conf.Agent(config.DefaultAgentID)
		if err != nil {
			return nil, err
		}
		entries[config.DefaultAgentID] = map[string]any{"workspace": agent.Workspace}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	doc, err := json5.Parse("agents.entries", string(text))
	if err != nil {
		return nil, err
	}
	return doc.Root, nil
}

func printAdded(c *cli.Context, std streams, id string, report *setup.Report) error {
	for _, a := range report.Agents {
		if !strings.EqualFold(a.ID, id) {
			continue
		}
		if c.Bool("json") {
			return printJSON(std.out, struct {
				OK        bool   `json:"ok"`
				ID        string `json:"id"`
				Workspace string `json:"workspace"`
			}{true, a.ID, a.Workspace.Named})
		}
		_, err := fmt.Fprintf(std.out, "added %s, with the workspace %s\ntry: openclaw agent --agent %s -m \"Hello\"\n", a.ID, a.Workspace.Named, a.ID)
		return err
	}
	return nil
}

func agentsDelete(c *cli.Context, std streams, args []string) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	agent, err := conf.Agent(args[0])
	if err != nil {
		return err
	}
	path, found := conf.AgentEntry(agent.ID)
	if !found {
		return fmt.Errorf("agents delete %s: it is not in the configuration: it is the agent that there is when none is configured", agent.ID)
	}
	if _, err := config.Change(c.Context, config.Options{}, config.Edit{Path: path, Drop: true}); err != nil {
		return err
	}
	sessions := session.Path(conf.StateDir, agent.ID)
	if c.Bool("json") {
		return printJSON(std.out, struct {
			OK        bool   `json:"ok"`
			ID        string `json:"id"`
			Workspace string `json:"workspace"`
			Sessions  string `json:"sessionsFile"`
		}{true, agent.ID, agent.Workspace, sessions})
	}
	_, err = fmt.Fprintf(std.out, "took %s out of the configuration\nits files stay: the workspace %s, the sessions %s\n", agent.ID, agent.Workspace, filepath.Dir(sessions))
	if err != nil {
		return err
	}
	return warnNoDefault(c, std)
}

// warnNoDefault says that from now on commands need to be told whose they are.
func warnNoDefault(c *cli.Context, std streams) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	if _, ok := conf.DefaultAgent(); !ok {
		_, err = fmt.Fprintf(std.err, "openclaw: no agent is the default one any more: name one with --agent (there are %s), or add one called %s\n",
			strings.Join(conf.Agents.IDs, ", "), config.DefaultAgentID)
	}
	return err
}

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/models"
	"openclaw/runtime/state"
)

const modelsUsage = `openclaw models COMMAND [OPTIONS] [ARGUMENTS]

A REF is provider/model, an alias, or the id of a model that one of your providers has. Keys
come from variables such as OPENAI_API_KEY, from models.providers.<id>.apiKey, or from
auth.profiles; they are never shown. docs/models.md tells the rest.

The exit status is 0 when it is done, 1 when it is not, 78 when the configuration is not
valid, 125 when the command line is wrong.

EXAMPLES
   openclaw models status
   openclaw models list --provider anthropic
   openclaw models set anthropic/claude-sonnet-5
   openclaw models fallbacks add openai/gpt-5.5
   openclaw models aliases add fast groq/qwen/qwen3-32b`

func modelsCommand(std streams) *cli.Command {
	agent := &cli.StringFlag{Name: "agent", Usage: "of the `AGENT` (default: the only one, or main)"}
	own := &cli.StringFlag{Name: "agent", Usage: "in the entry of the `AGENT` (default: for all agents)"}
	jsonFlag := &cli.BoolFlag{Name: "json", Usage: "print one JSON document"}
	dryRun := &cli.BoolFlag{Name: "dry-run", Usage: "check everything, write nothing"}
	return &cli.Command{
		Name:      "models",
		Usage:     "show and choose the models that agents ask",
		UsageText: modelsUsage,
		Action:    requireSubcommand("models"),
		Subcommands: []*cli.Command{
			modelsSubcommand(std, "models", "list", "", "list the models that can be asked", modelsList, agent, jsonFlag,
				&cli.BoolFlag{Name: "all", Usage: "those of every known provider, with a key or without"},
				&cli.StringFlag{Name: "provider", Usage: "only those of `PROVIDER`"}),
			modelsSubcommand(std, "models", "status", "", "say which model each agent asks, which keys there are, and what rests after failures", modelsStatus, agent, jsonFlag,
				&cli.BoolFlag{Name: "plain", Usage: "print nothing but the agent's model"},
				&cli.BoolFlag{Name: "check", Usage: "exit with 1 when an agent has no model that can be asked"}),
			modelsSubcommand(std, "models", "set", "REF", "choose the model; its fallbacks stay", modelsSet, own, jsonFlag, dryRun),
			{
				Name: "aliases", Usage: "short names of models", Action: requireSubcommand("models aliases"),
				Subcommands: []*cli.Command{
					modelsSubcommand(std, "models aliases", "list", "", "list the names", aliasesList, agent, jsonFlag),
					modelsSubcommand(std, "models aliases", "add", "NAME REF", "give a model a name", aliasesAdd, own, jsonFlag, dryRun),
					modelsSubcommand(std, "models aliases", "remove", "NAME", "remove a name", aliasesRemove, own, jsonFlag, dryRun),
				},
			},
			{
				Name: "fallbacks", Usage: "what stands in for the model when it fails", Action: requireSubcommand("models fallbacks"),
				Subcommands: []*cli.Command{
					modelsSubcommand(std, "models fallbacks", "list", "", "list the fallbacks in their order", fallbacksList, own, jsonFlag),
					modelsSubcommand(std, "models fallbacks", "add", "REF", "put a model behind the others", fallbacksAdd, own, jsonFlag, dryRun),
					modelsSubcommand(std, "models fallbacks", "remove", "REF", "remove a model", fallbacksRemove, own, jsonFlag, dryRun),
					modelsSubcommand(std, "models fallbacks", "clear", "", "remove all", fallbacksClear, own, jsonFlag, dryRun),
				},
			},
		},
	}
}

// requireSubcommand shows the help when nothing is asked for, and names a command that does not exist.
func requireSubcommand(group string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return fmt.Errorf("%s: unknown command %q (try 'openclaw %s --help')", group, c.Args().First(), group)
		}
		return cli.ShowSubcommandHelp(c)
	}
}

// modelsSubcommand is a command with options before or behind its arguments.
func modelsSubcommand(std streams, group, name, operands, usage string, run func(*cli.Context, *modelsCall) error, flags ...cli.Flag) *cli.Command {
	full := group + " " + name
	hint := fmt.Sprintf("(try 'openclaw %s --help')", full)
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: operands, Flags: flags,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("%s: %w %s", full, err, hint) },
		Action: func(c *cli.Context) error {
			args, err := mixedOperands(c)
			if err == nil && len(args) != len(strings.Fields(operands)) {
				err = fmt.Errorf("want %s", operandsText(operands))
			}
			if err != nil {
				return fmt.Errorf("%s: %w %s", full, err, hint)
			}
			call, err := newModelsCall(c, std, args)
			if err == nil {
				defer call.close()
				err = run(c, call)
			}
			return configStatus(std, failedJSON(c, std, err))
		},
	}
}

// modelsCall is what a command of models works with.
type modelsCall struct {
	streams
	args     []string
	conf     *config.Config
	registry *models.Registry
	scope    models.Scope // Own: --agent was given
	state    *state.DB    // nil: it cannot be read
}

func newModelsCall(c *cli.Context, std streams, args []string) (*modelsCall, error) {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return nil, err
	}
	call := &modelsCall{streams: std, args: args, conf: conf}
	options := models.Options{}
	// Without it only what rests is not known.
	if call.state, err = state.OpenReadOnly(c.Context, conf.StateDir); err == nil {
		options.Store = call.state
	}
	if call.registry, err = models.New(conf, options); err == nil {
		err = call.choose(c)
	}
	if err != nil {
		call.close()
		return nil, err
	}
	return call, nil
}

// choose finds the agent. Where none is named and none is the default, what holds for all agents counts.
func (m *modelsCall) choose(c *cli.Context) error {
	id, named := c.String("agent"), c.IsSet("agent")
	if !named {
		var ok bool
		if id, ok = m.conf.DefaultAgent(); !ok {
			all := m.conf.Agents.Defaults
			m.scope.Agent = &all
			return nil
		}
	}
	agent, err := m.conf.Agent(id)
	m.scope = models.Scope{Agent: agent, Own: named}
	return err
}

func (m *modelsCall) close() {
	if m.state != nil {
		m.state.Close()
	}
}

// resolve finds the model that a user means.
func (m *modelsCall) resolve(text string) (models.Ref, error) {
	if text == "" {
		return models.Ref{}, errors.New("models: the reference is empty")
	}
	return m.registry.Resolve(m.scope.Agent, text)
}

// modelsEdited is what --json prints of an edit.
type modelsEdited struct {
	OK      bool   `json:"ok"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dryRun,omitempty"`
	File    string `json:"file"`
	Path    string `json:"path"`
	Model   string `json:"model,omitempty"`
	Backup  string `json:"backup,omitempty"`
}

// edit changes the configuration, and says so.
func (m *modelsCall) edit(c *cli.Context, edit config.Edit, ref models.Ref) error {
	edit.DryRun = c.Bool("dry-run")
	outcome, err := config.Change(c.Context, config.Options{}, edit)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(m.out, modelsEdited{
			OK: true, Changed: outcome.Changed, DryRun: edit.DryRun, File: outcome.File, Path: edit.Path.String(), Model: ref.String(), Backup: outcome.Backup,
		})
	}
	_, err = fmt.Fprintln(m.out, changeText(edit.Path, edit, outcome))
	return err
}

// unchanged says that there is nothing to edit.
func (m *modelsCall) unchanged(c *cli.Context, ref models.Ref, text string) error {
	if c.Bool("json") {
		return printJSON(m.out, modelsEdited{OK: true, File: m.conf.File, Model: ref.String()})
	}
	_, err := fmt.Fprintln(m.out, text)
	return err
}

func modelsSet(c *cli.Context, m *modelsCall) error {
	ref, err := m.resolve(m.args[0])
	if err != nil {
		return err
	}
	if err := m.edit(c, m.registry.SetPrimary(m.scope, ref), ref); err != nil {
		return err
	}
	m.warn(ref)
	return nil
}

// warn says what may be wrong with a model that was put into the configuration.
func (m *modelsCall) warn(ref models.Ref) {
	if info, err := m.registry.Model(ref); err == nil && !info.Known {
		fmt.Fprintf(m.err, "openclaw: nothing is known of %s%s\n", ref.Name(), m.registry.Guess(ref))
	}
	if err := m.registry.Ready(ref); err != nil {
		fmt.Fprintf(m.err, "openclaw: it cannot be asked yet: %v\n", err)
	}
}

// modelsAlias is a name as --json prints it.
type modelsAlias struct {
	Name    string `json:"name"`
	Model   string `json:"model"`
	BuiltIn bool   `json:"builtIn,omitempty"`
}

func aliasesList(c *cli.Context, m *modelsCall) error {
	aliases := []modelsAlias{}
	for _, a := range m.registry.Aliases(m.scope.Agent) {
		aliases = append(aliases, modelsAlias{a.Name, a.Ref.String(), a.BuiltIn})
	}
	if c.Bool("json") {
		return printJSON(m.out, struct {
			Aliases []modelsAlias `json:"aliases"`
		}{aliases})
	}
	if len(aliases) == 0 {
		_, err := fmt.Fprintln(m.out, "no model has another name")
		return err
	}
	t := table{header: []string{"NAME", "MODEL", ""}}
	for _, a := range aliases {
		note := ""
		if a.BuiltIn {
			note = "built in"
		}
		t.add(a.Name, a.Model, note)
	}
	return t.write(m.out)
}

func aliasesAdd(c *cli.Context, m *modelsCall) error {
	ref, err := m.resolve(m.args[1])
	if err != nil {
		return err
	}
	edit, err := m.registry.AddAlias(m.scope, m.args[0], ref)
	if err != nil {
		return err
	}
	if err := m.edit(c, edit, ref); err != nil {
		return err
	}
	m.warn(ref)
	return nil
}

func aliasesRemove(c *cli.Context, m *modelsCall) error {
	edit, err := m.registry.RemoveAlias(m.scope, m.args[0])
	if err != nil {
		return err
	}
	return m.edit(c, edit, models.Ref{})
}

func fallbacksList(c *cli.Context, m *modelsCall) error {
	list := append([]string{}, m.registry.Fallbacks(m.scope)...)
	if c.Bool("json") {
		return printJSON(m.out, struct {
			Fallbacks []string `json:"fallbacks"`
		}{list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(m.out, "nothing stands in for the model")
		return err
	}
	for _, ref := range list {
		fmt.Fprintln(m.out, printable(ref))
	}
	return nil
}

func fallbacksAdd(c *cli.Context, m *modelsCall) error {
	ref, err := m.resolve(m.args[0])
	if err != nil {
		return err
	}
	edit, ok, err := m.registry.AddFallback(m.scope, ref)
	switch {
	case err != nil:
		return err
	case !ok:
		return m.unchanged(c, ref, ref.Name()+" is a fallback already")
	}
	if err := m.edit(c, edit, ref); err != nil {
		return err
	}
	m.warn(ref)
	return nil
}

func fallbacksRemove(c *cli.Context, m *modelsCall) error {
	ref, err := m.resolve(m.args[0])
	if err != nil {
		return err
	}
	edit, ok, err := m.registry.RemoveFallback(m.scope, ref)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("models: %s is no fallback (fallbacks: %s)", ref.Name(), listText(m.registry.Fallbacks(m.scope)))
	}
	return m.edit(c, edit, ref)
}

func listText(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func fallbacksClear(c *cli.Context, m *modelsCall) error {
	edit, ok, err := m.registry.ClearFallbacks(m.scope)
	switch {
	case err != nil:
		return err
	case !ok:
		return m.unchanged(c, models.Ref{}, "there are no fallbacks")
	}
	return m.edit(c, edit, models.Ref{})
}

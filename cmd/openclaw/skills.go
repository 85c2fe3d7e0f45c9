package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/prompt"
	"openclaw/runtime/skillset"
	"openclaw/skills"
)

const skillsUsage = `openclaw skills COMMAND [OPTIONS] [ARGUMENTS]

A skill is a directory with a SKILL.md. Skills are looked for in the agent's workspace
(skills and .agents/skills), in ~/.agents/skills, in <state>/skills, among those that come
with the program, and in skills.load.extraDirs. Of several with one name the first counts.
Sessions find them read-only at /skills/NAME. docs/skills.md has the rest.

A skill can be packed into one file, with programs, which run under a grant of their own once
somebody has approved what they ask for. docs/bundles.md has the rest.

The exit status is 0 when it is done; 1 when it is not: a skill is unknown to info, or check
found a file that cannot be used, or a tool failed; 78 when the configuration is not valid.

EXAMPLES
   openclaw skills list --eligible
   openclaw skills info weather
   openclaw skills check --json | jq '.problems[]'
   openclaw skills new tally --lang shell && openclaw skills pack tally -o tally.wasm
   openclaw skills install tally.wasm && openclaw skills grant tally
   openclaw skills run tally words '{"text": "tea and tea"}'`

func skillsCommand(std streams) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "agent", Usage: "the `AGENT` whose skills they are", DefaultText: "the only one, or main"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
	}
	sub := func(name, operands, usage string, run func(skillsCall) error, more ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: operands, Flags: append(more, flags...),
			OnUsageError: func(_ *cli.Context, err error, _ bool) error {
				return fmt.Errorf("skills %s: %w (try 'openclaw skills %s --help')", name, err, name)
			},
			Action: func(c *cli.Context) error {
				given, err := mixedOperands(c)
				if err == nil && len(given) != len(strings.Fields(operands)) {
					err = fmt.Errorf("want %s", operandsText(operands))
				}
				if err != nil {
					return fmt.Errorf("skills %s: %w (try 'openclaw skills %s --help')", name, err, name)
				}
				return runSkills(c, std, given, run)
			},
		}
	}
	return &cli.Command{
		Name:      "skills",
		Usage:     "list skills and say why one is offered or not; pack, install and approve them",
		UsageText: skillsUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("skills: unknown command %q (try 'openclaw skills --help')", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
		Subcommands: append([]*cli.Command{
			sub("list", "", "list the skills of an agent", skillsList,
				&cli.BoolFlag{Name: "eligible", Usage: "only those that its sessions are offered"}),
			sub("info", "NAME", "show one skill", skillsInfo),
			sub("check", "", "say what is wrong with the skills of an agent", skillsCheck),
		}, bundleCommands(std)...),
	}
}

// runSkills finds the skills that a command is about, and runs it.
func runSkills(c *cli.Context, std streams, operands []string, run func(skillsCall) error) error {
	call, err := newSkillsCall(c, std, operands)
	if err == nil {
		err = run(call)
	}
	var status exitStatus
	if errors.As(err, &status) { // everything has been said
		return err
	}
	return commandStatus(std, failedJSON(c, std, err))
}

// skillsCall is one call of a command.
type skillsCall struct {
	*cli.Context
	args  []string
	std   streams
	conf  *config.Config
	agent *config.Agent
	found *skills.Found
	// Of the skills, those that are packed.
	bundles map[string]bundleShown
}

func newSkillsCall(c *cli.Context, std streams, args []string) (skillsCall, error) {
	call := skillsCall{Context: c, args: args, std: std}
	var err error
	if call.conf, err = config.Load(c.Context, config.Options{}); err != nil {
		return call, err
	}
	if call.agent, err = confinement.AgentOf(call.conf, confinement.Request{Agent: c.String("agent")}); err != nil {
		return call, err
	}
	store := installedBundles(call.conf)
	if call.found, err = skillset.Find(c.Context, call.conf, call.agent, skillset.Options{Bundle: store.Approved}); err != nil {
		return call, err
	}
	call.bundles = map[string]bundleShown{}
	installed, broken, err := store.List(c.Context)
	if err != nil {
		return call, err
	}
	for _, i := range installed {
		call.bundles[i.Manifest.Name] = shownBundle(i)
	}
	for _, b := range broken {
		call.found.Problems = append(call.found.Problems, skills.Problem{
			File: filepath.Join(call.conf.StateDir, "skills", b.Name), Level: skills.LevelError, Source: skills.SourceManaged, Message: b.Err.Error(),
		})
	}
	return call, nil
}

// bundle is a skill as it is packed; ok is false when it is not.
func (c skillsCall) bundle(s *skills.Skill) (bundleShown, bool) {
	b, ok := c.bundles[s.Name]
	return b, ok && s.Source == skills.SourceManaged
}

// packed lists those of some skills that are packed.
func (c skillsCall) packed(of []skills.Skill) []bundleShown {
	shown := []bundleShown{}
	for i := range of {
		if b, ok := c.bundle(&of[i]); ok {
			shown = append(shown, b)
		}
	}
	return shown
}

// skillsListed is what list --json prints.
type skillsListed struct {
	Agent     string           `json:"agent"`
	Workspace string           `json:"workspaceDir"`
	Skills    []skills.Skill   `json:"skills"`
	Problems  []skills.Problem `json:"problems"` // about files that are no skills
	Bundles   []bundleShown    `json:"bundles"`  // those of the skills that are packed
}

func skillsList(c skillsCall) error {
	listed := list(c.found.Skills)
	if c.Bool("eligible") {
		listed = list(c.found.Eligible())
	}
	if c.Bool("json") {
		return printJSON(c.std.out, skillsListed{c.agent.ID, c.agent.Workspace, listed, list(c.found.Problems), c.packed(listed)})
	}
	t := table{header: []string{"SKILL", "OFFERED", "SOURCE", "DESCRIPTION"}}
	for _, s := range listed {
		t.add(s.Name, standingOf(s), string(s.Source), s.Description)
	}
	if err := t.write(c.std.out); err != nil {
		return err
	}
	if err := bundleTable(c.std.out, c.packed(listed)); err != nil {
		return err
	}
	return printProblems(c.std.out, c.found.All())
}

// standingOf is yes, or why not.
func standingOf(s skills.Skill) string {
	if s.Eligible && s.Hidden {
		return "to users only"
	}
	if s.Eligible {
		return "yes"
	}
	return "no: " + strings.Join(s.Reasons, "; ")
}

// printProblems writes those that a user should do something about.
func printProblems(w io.Writer, problems []skills.Problem) error {
	for _, p := range problems {
		if p.Level == skills.LevelNote {
			continue
		}
		if _, err := fmt.Fprintln(w, problemText(p)); err != nil {
			return err
		}
	}
	return nil
}

// problemText is FILE:LINE: LEVEL: MESSAGE, as editors read it.
func problemText(p skills.Problem) string {
	text := string(p.Level) + ": " + p.Message
	switch {
	case p.Line > 0:
		text = p.File + ":" + strconv.Itoa(p.Line) + ": " + text
	case p.File != "":
		text = p.File + ": " + text
	}
	return printable(strings.Join(strings.Fields(text), " "))
}

func skillsInfo(c skillsCall) error {
	name := c.args[0]
	s, ok := c.found.Skill(name)
	if !ok {
		return fmt.Errorf("skills: info: there is no skill %q (see 'openclaw skills list')", name)
	}
	at := confinement.Skill{Name: s.Name, File: s.Base()}.Location()
	packed, isBundle := c.bundle(s)
	if c.Bool("json") {
		out := struct {
			*skills.Skill
			Location string       `json:"location"`
			Bundle   *bundleShown `json:"bundle,omitempty"`
		}{Skill: s, Location: at}
		if isBundle {
			out.Bundle = &packed
		}
		return printJSON(c.std.out, out)
	}
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-14s %s\n", name, printable(strings.Join(strings.Fields(text), " ")))
		}
	}
	line("skill", s.Name)
	line("description", s.Description)
	line("offered", standingOf(*s))
	line("source", string(s.Source))
	line("file", s.File)
	line("in sessions", at)
	if s.Key != s.Name {
		line("settings", "skills.entries."+s.Key)
	}
	line("homepage", s.Homepage)
	line("license", s.License)
	line("compatibility", s.Compatibility)
	line("allowed-tools", strings.Join(s.AllowedTools, " "))
	line("requires", requirements(*s))
	if isBundle {
		infoBundle(line, packed)
	}
	for _, o := range s.Overrides {
		line("stands for", o.File+" ("+string(o.Source)+")")
	}
	for _, p := range s.Problems {
		line("note", problemText(p))
	}
	_, err := io.WriteString(c.std.out, b.String())
	return err
}

// infoBundle shows what a packed skill is, and what it may reach.
func infoBundle(line func(name, text string), b bundleShown) {
	line("version", b.Version)
	line("signer", b.Signer)
	line("digest", b.Digest)
	for _, t := range b.Tools {
		line("tool", t)
	}
	for _, name := range b.Commands {
		line("command", name)
	}
	if !b.Approved {
		for _, text := range b.Asks {
			line("asks", text)
		}
		return
	}
	line("approved", b.Approval.At.UTC().Format("2006-01-02 15:04 UTC")+" for version "+b.Approval.Version)
	for _, text := range b.Granted {
		line("may", text)
	}
}

// requirements lists what a skill says that it needs.
func requirements(s skills.Skill) string {
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, ", "))
		}
	}
	add("commands", s.Requires.Bins)
	add("one of the commands", s.Requires.AnyBins)
	add("variables", s.Requires.Env)
	add("settings", s.Requires.Config)
	add("system", s.OS)
	if s.Always && len(parts) > 0 {
		parts = append(parts, "(it is offered whether or not commands, variables and settings are there)")
	}
	return strings.Join(parts, "; ")
}

// skillsChecked is what check --json prints.
type skillsChecked struct {
	OK       bool             `json:"ok"` // every file that looks like a skill is one
	Agent    string           `json:"agent"`
	Found    int              `json:"found"`
	Eligible int              `json:"eligible"`
	Prompt   string           `json:"promptNotice,omitempty"`
	Blocked  []skillBlocked   `json:"notEligible"`
	Bundles  []bundleShown    `json:"bundles"`
	Problems []skills.Problem `json:"problems"`
}

type skillBlocked struct {
	Name    string         `json:"name"`
	Source  skills.Source  `json:"source"`
	Reasons []string       `json:"reasons"`
	Missing skills.Missing `json:"missing"`
}

func skillsCheck(c skillsCall) error {
	out := skillsChecked{
		OK: true, Agent: c.agent.ID, Found: len(c.found.Skills), Eligible: len(c.found.Eligible()),
		Prompt: prompt.SkillsNotice(skillset.Listed(c.found), prompt.BudgetOf(c.agent)), Blocked: []skillBlocked{}, Problems: c.found.All(),
		Bundles: c.packed(c.found.Skills),
	}
	for _, s := range c.found.Skills {
		if !s.Eligible {
			out.Blocked = append(out.Blocked, skillBlocked{s.Name, s.Source, s.Reasons, s.Missing})
		}
	}
	for _, p := range out.Problems {
		out.OK = out.OK && p.Level != skills.LevelError
	}
	write := checkText
	if c.Bool("json") {
		write = func(w io.Writer, out skillsChecked) error { return printJSON(w, out) }
	}
	if err := write(c.std.out, out); err != nil {
		return err
	}
	if !out.OK {
		return exitStatus(statusSetupFailed)
	}
	return nil
}

func checkText(w io.Writer, out skillsChecked) error {
	fmt.Fprintf(w, "agent %s: %d skills, %d of them offered\n", out.Agent, out.Found, out.Eligible)
	for _, s := range out.Blocked {
		fmt.Fprintf(w, "not offered: %s (%s): %s\n", s.Name, s.Source, printable(strings.Join(s.Reasons, "; ")))
	}
	if out.Prompt != "" {
		fmt.Fprintln(w, out.Prompt)
	}
	for _, p := range out.Problems {
		if _, err := fmt.Fprintln(w, problemText(p)); err != nil {
			return err
		}
	}
	return nil
}

// offerSkills is a request with the skills that its session is offered.
func offerSkills(c *cli.Context, conf *config.Config, r confinement.Request) (confinement.Request, error) {
	_, err := skillset.Offer(c.Context, conf, &r, skillset.Options{Bundle: installedBundles(conf).Approved})
	return r, err
}

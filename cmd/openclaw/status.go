package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
)

const statusUsage = `openclaw status [OPTIONS]

Shows how things stand: the configuration, the agents with their models, workspaces and newest
sessions, and the directories of sessions. Nothing is changed, and no model is asked.

The exit status is 0, or 78 when the configuration is not valid, or 1 when something could not
be read.

EXAMPLES
   openclaw status
   openclaw status --json`

func statusCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show how things stand",
		UsageText: statusUsage,
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("status: unexpected argument %q (try 'openclaw status --help')", c.Args().First())
			}
			err := runStatus(c, std)
			if status := exitStatus(0); errors.As(err, &status) { // it has been said why
				return err
			}
			return commandStatus(std, failedJSON(c, std, err))
		},
	}
}

// statusResult is what status --json prints.
type statusResult struct {
	OK          bool          `json:"ok"`
	StateDir    string        `json:"stateDir"`
	Config      string        `json:"config"`
	ConfigThere bool          `json:"configExists"`
	Agents      []statusAgent `json:"agents"`
	SessionDirs int           `json:"sessionDirectories"`
	Problem     string        `json:"stateProblem,omitempty"` // why the state cannot be read
	Next        []string      `json:"next"`                   // what to do before an agent can work
}

type statusAgent struct {
	listedAgent
	WorkspaceThere bool            `json:"workspaceExists"`
	ModelReady     bool            `json:"modelReady"`
	ModelProblem   string          `json:"modelProblem,omitempty"`
	StoreProblem   string          `json:"sessionsProblem,omitempty"` // why its sessions cannot be read
	SessionCount   int             `json:"sessions"`
	More           bool            `json:"moreSessions,omitempty"` // than were counted
	Newest         []statusSession `json:"newest"`
}

type statusSession struct {
	Key     string         `json:"key"`
	Status  session.Status `json:"status"`
	Entries int64          `json:"entries"`
	Updated time.Time      `json:"updatedAt"`
	RunID   string         `json:"runId,omitempty"`
}

// Limits of what status shows.
const (
	statusNewest   = 3
	statusSessions = 10_000
)

func runStatus(c *cli.Context, std streams) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	out := statusResult{OK: true, StateDir: conf.StateDir, Config: conf.File, ConfigThere: conf.Exists, Next: []string{}}
	registry, err := models.New(conf, models.Options{})
	if err != nil {
		return err
	}
	agents, err := listAgents(conf)
	if err != nil {
		return err
	}
	for _, a := range agents {
		s, err := statusOfAgent(c.Context, conf, registry, a)
		if err != nil {
			out.OK, s.StoreProblem = false, err.Error()
		}
		out.Agents = append(out.Agents, s)
	}
	if out.SessionDirs, err = countSessionDirs(c.Context, conf); err != nil {
		out.OK, out.Problem = false, err.Error()
	}
	out.Next = nextSteps(&out)
	if c.Bool("json") {
		err = printJSON(std.out, out)
	} else {
		err = statusText(std.out, &out)
	}
	if err == nil && !out.OK {
		return exitStatus(statusAgentFailed)
	}
	return err
}

// statusOfAgent is how an agent stands, as far as it is known when its sessions cannot be read.
func statusOfAgent(ctx context.Context, conf *config.Config, registry *models.Registry, listed listedAgent) (statusAgent, error) {
	s := statusAgent{listedAgent: listed, Newest: []statusSession{}}
	if _, err := os.Stat(listed.Workspace); err == nil {
		s.WorkspaceThere = true
	}
	if err := s.askModel(conf, registry); err != nil {
		s.ModelProblem = err.Error()
	}
	store, err := session.Open(ctx, session.Options{Path: listed.Sessions, ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer store.Close()
	page, err := store.List(ctx, session.ListOptions{Limit: statusSessions})
	if err != nil {
		return s, err
	}
	s.SessionCount, s.More = len(page.Sessions), page.Next != ""
	for _, info := range page.Sessions[:min(statusNewest, len(page.Sessions))] {
		s.Newest = append(s.Newest, statusSession{info.Key, info.Status, info.Entries, info.Updated, info.RunID})
	}
	return s, nil
}

// askModel finds out which model the agent would ask, and whether it could.
func (s *statusAgent) askModel(conf *config.Config, registry *models.Registry) error {
	agent, err := conf.Agent(s.ID)
	if err != nil {
		return err
	}
	chain, err := registry.Chain(agent, models.Choice{})
	if err != nil {
		return err
	}
	current := chain.Current()
	s.Model = current.Name()
	if err := registry.Ready(current.Ref); err != nil {
		return err
	}
	s.ModelReady = true
	return nil
}

func countSessionDirs(ctx context.Context, conf *config.Config) (int, error) {
	db, err := state.OpenReadOnly(ctx, conf.StateDir)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	dirs, err := confinement.Directories(ctx, db)
	return len(dirs), err
}

// nextSteps are what somebody should do next.
func nextSteps(s *statusResult) []string {
	steps := []string{}
	for _, a := range s.Agents {
		if !a.WorkspaceThere {
			steps = append(steps, "openclaw setup")
			break
		}
	}
	ready := false
	for _, a := range s.Agents {
		ready = ready || a.ModelReady
	}
	if !ready {
		steps = append(steps, "openclaw models status", "openclaw demo")
	} else if len(steps) == 0 {
		steps = append(steps, `openclaw agent -m "Hello"`)
	}
	return steps
}

func statusText(w io.Writer, s *statusResult) error {
	var b strings.Builder
	there := ""
	if !s.ConfigThere {
		there = " (not there: defaults hold)"
	}
	fmt.Fprintf(&b, "state          %s\nconfiguration  %s%s\n", s.StateDir, s.Config, there)
	if s.SessionDirs > 0 {
		fmt.Fprintf(&b, "directories    %d of sessions (see 'openclaw sandbox list')\n", s.SessionDirs)
	}
	if s.Problem != "" {
		fmt.Fprintf(&b, "               %s\n", printable(s.Problem))
	}
	for _, a := range s.Agents {
		statusAgentText(&b, &a)
	}
	if len(s.Next) > 0 {
		fmt.Fprintf(&b, "\nnext           %s\n", strings.Join(s.Next, "\n               "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func statusAgentText(b *strings.Builder, a *statusAgent) {
	fmt.Fprintf(b, "\nagent %s\n", a.ID)
	missing := ""
	if !a.WorkspaceThere {
		missing = " (not there yet)"
	}
	fmt.Fprintf(b, "  workspace    %s%s\n", printable(a.Workspace), missing)
	name := a.Model
	if name == "" {
		name = "none"
	}
	fmt.Fprintf(b, "  model        %s\n", printable(name))
	if a.ModelProblem != "" {
		fmt.Fprintf(b, "               %s\n", printable(a.ModelProblem))
	}
	more := ""
	if a.More {
		more = "+"
	}
	fmt.Fprintf(b, "  sandbox      %s\n", a.Sandbox)
	if a.StoreProblem != "" {
		fmt.Fprintf(b, "  sessions     %s\n", printable(a.StoreProblem))
		return
	}
	fmt.Fprintf(b, "  sessions     %d%s\n", a.SessionCount, more)
	for _, n := range a.Newest {
		fmt.Fprintf(b, "               %s  %s, %d entries, %s\n", printable(n.Key), n.Status, n.Entries, timeText(n.Updated))
	}
}

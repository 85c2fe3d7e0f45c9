package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/setup"
)

// statusSetupFailed is the exit status of setup, prompt and sandbox when something could not be done.
const statusSetupFailed = 1

const setupUsage = `openclaw setup [OPTIONS]

Makes the configuration, the state directory, and for each agent a workspace with its
bootstrap files. What is there already is never overwritten, so it can be run again.

A workspace that was in use within the last day and is now missing or empty is not made
anew: that would hide what happened to it. --reseed does so all the same.

The exit status is 0 when everything is there, 1 when something could not be made, 78 when
the configuration is not valid.

EXAMPLES
   openclaw setup
   openclaw setup --workspace ~/agent
   openclaw setup --json`

func setupCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "setup",
		Usage:     "make the configuration, the state and the workspaces",
		UsageText: setupUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "workspace", Usage: "the agent's workspace is `DIR`; the configuration is changed to say so"},
			&cli.BoolFlag{Name: "baseline", Usage: "make these and ask nothing, which is all that setup does"},
			&cli.BoolFlag{Name: "reseed", Usage: "begin anew with a workspace that has vanished or leads elsewhere"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("setup: unexpected argument %q (try 'openclaw setup --help')", c.Args().First())
			}
			if c.IsSet("workspace") && c.String("workspace") == "" {
				return errors.New("setup: --workspace: no directory given")
			}
			return commandStatus(std, failedJSON(c, std, runSetup(c, std)))
		},
	}
}

// commandStatus prints an error and turns it into the status of its kind.
func commandStatus(std streams, err error) error {
	var status exitStatus
	var invalid *config.InvalidError
	if err == nil || errors.As(err, &status) {
		return err
	}
	fmt.Fprintf(std.err, "openclaw: %v\n", err)
	if errors.As(err, &invalid) && !invalid.Refused {
		return exitStatus(statusConfigInvalid)
	}
	return exitStatus(statusSetupFailed)
}

// setupResult is what setup --json prints.
type setupResult struct {
	OK       bool         `json:"ok"`
	Config   setupConfig  `json:"config"`
	StateDir string       `json:"stateDir"`
	Database string       `json:"database"`
	Agents   []setupAgent `json:"agents"`
}

type setupConfig struct {
	File    string `json:"file"`
	Created bool   `json:"created"`
	Changed bool   `json:"changed"`
}

type setupAgent struct {
	ID               string   `json:"id"`
	Workspace        string   `json:"workspace"`
	SessionsDir      string   `json:"sessionsDir"`
	BrandNew         bool     `json:"brandNew"`
	Created          []string `json:"created"`
	Kept             []string `json:"kept"`
	Skipped          []string `json:"skipped"`
	Removed          []string `json:"removed"`
	BootstrapPending bool     `json:"bootstrapPending"`
	SeededAt         string   `json:"bootstrapSeededAt,omitempty"`
	CompletedAt      string   `json:"setupCompletedAt,omitempty"`
}

func runSetup(c *cli.Context, std streams) error {
	report, err := setup.Run(c.Context, setup.Options{Workspace: c.String("workspace"), Reseed: c.Bool("reseed")})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(std.out, setupOutput(report))
	}
	return setupText(std.out, report)
}

func setupOutput(r *setup.Report) setupResult {
	out := setupResult{
		OK: true, Config: setupConfig{r.ConfigFile, r.ConfigMade, r.ConfigChanged}, StateDir: r.StateDir, Database: r.Database,
	}
	for _, a := range r.Agents {
		w := a.Workspace
		out.Agents = append(out.Agents, setupAgent{
			ID: a.ID, Workspace: w.Named, SessionsDir: a.Sessions, BrandNew: w.BrandNew,
			Created: list(w.Made), Kept: list(w.Kept), Skipped: list(w.Skipped), Removed: list(w.Removed),
			BootstrapPending: w.Pending, SeededAt: timeText(w.SeededAt), CompletedAt: timeText(w.Completed),
		})
	}
	return out
}

// list is a list that JSON shows as one when it is empty, too.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// timeText is a time for people and programs; empty when it never was.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func setupText(w io.Writer, r *setup.Report) error {
	state := "kept"
	switch {
	case r.ConfigMade:
		state = "created"
	case r.ConfigChanged:
		state = "changed"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "configuration  %s (%s)\n", r.ConfigFile, state)
	fmt.Fprintf(&b, "state          %s\n", r.Database)
	for _, a := range r.Agents {
		fmt.Fprintf(&b, "agent %s\n", a.ID)
		fmt.Fprintf(&b, "  workspace    %s\n", a.Workspace.Named)
		for _, line := range []struct {
			name  string
			files []string
		}{{"created", a.Workspace.Made}, {"kept", a.Workspace.Kept}, {"not made", a.Workspace.Skipped}, {"removed", a.Workspace.Removed}} {
			if len(line.files) > 0 {
				fmt.Fprintf(&b, "  %-12s %s\n", line.name, strings.Join(line.files, " "))
			}
		}
		if a.Workspace.Pending {
			fmt.Fprintf(&b, "  %-12s its first conversation is still to come\n", "new")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

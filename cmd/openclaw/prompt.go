package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/prompt"
)

const promptUsage = `openclaw prompt [OPTIONS]

Prints the system prompt that the next turn of a session would have. Nothing is changed.
What should be known about the bootstrap files, such as one that is cut, goes to standard
error.

EXAMPLES
   openclaw prompt
   openclaw prompt --sizes
   openclaw prompt --session agent:main:telegram:group:7
   openclaw prompt --json | jq -r .volatile`

func promptCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "prompt",
		Usage:     "print the system prompt of a session",
		UsageText: promptUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "the agent `ID`", DefaultText: "the session's, or the default one"},
			&cli.StringFlag{Name: "session", Usage: "the session's `KEY`", DefaultText: "the agent's main session"},
			&cli.BoolFlag{Name: "sizes", Usage: "print the size of each part instead"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("prompt: unexpected argument %q (try 'openclaw prompt --help')", c.Args().First())
			}
			return commandStatus(std, failedJSON(c, std, runPrompt(c, std)))
		},
	}
}

// promptResult is what prompt --json prints.
type promptResult struct {
	Agent    string       `json:"agent"`
	Session  string       `json:"session"`
	Injected bool         `json:"bootstrapInjected"`
	Stable   string       `json:"stable,omitempty"`
	Volatile string       `json:"volatile,omitempty"`
	Sizes    prompt.Sizes `json:"sizes"`
}

func runPrompt(c *cli.Context, std streams) error {
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	request, err := offerSkills(c, conf, requestOf(c))
	if err != nil {
		return err
	}
	view, err := prompt.Look(c.Context, conf, request)
	if err != nil {
		return err
	}
	sizes := prompt.Measure(view.Input, view.Prompt)
	if c.Bool("json") {
		out := promptResult{Agent: view.Plan.Agent.ID, Session: view.Plan.Key.String(), Injected: view.Injected, Sizes: sizes}
		if !c.Bool("sizes") {
			out.Stable, out.Volatile = view.Prompt.Stable(), view.Prompt.Volatile()
		}
		return printJSON(std.out, out)
	}
	for _, w := range sizes.Warnings {
		fmt.Fprintf(std.err, "openclaw: %s\n", w)
	}
	if c.Bool("sizes") {
		return sizesText(std.out, sizes)
	}
	_, err = fmt.Fprintln(std.out, view.Prompt)
	return err
}

// requestOf reads the options that say whose session is meant.
func requestOf(c *cli.Context) confinement.Request {
	return confinement.Request{Agent: c.String("agent"), Key: c.String("session")}
}

func sizesText(w io.Writer, s prompt.Sizes) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-30s %8s %8s\n", "part", "chars", "~tokens")
	boundary := false
	for _, p := range s.Parts {
		if !p.Stable && !boundary {
			boundary = true
			fmt.Fprintf(&b, "%-30s %8d %8s  sha256 %.12s\n", "-- stable up to here", s.StableChars, "", s.StableHash)
		}
		fmt.Fprintf(&b, "%-30s %8d %8d\n", p.Name, p.Chars, p.Tokens)
	}
	fmt.Fprintf(&b, "%-30s %8d %8d\n", "all", s.Chars, s.Tokens)
	fmt.Fprintf(&b, "\n%-30s %8s %8s  %s\n", "bootstrap file", "raw", "injected", "status")
	for _, f := range s.Files {
		fmt.Fprintf(&b, "%-30s %8d %8d  %s\n", f.Name, f.RawChars, f.InjectedChars, fileStatus(f))
	}
	fmt.Fprintf(&b, "limits: %d for each file, %d for all\n", s.FileLimit, s.TotalLimit)
	_, err := io.WriteString(w, b.String())
	return err
}

func fileStatus(f prompt.FileSize) string {
	switch {
	case f.Reason != "":
		return string(f.Status) + ": " + f.Reason
	case f.Truncated:
		var causes []string
		for _, c := range f.Causes {
			causes = append(causes, string(c))
		}
		return "cut: " + strings.Join(causes, ", ")
	case f.NearLimit:
		return string(f.Status) + ", near its limit"
	case f.Status == "present" && f.RawChars == 0:
		return "empty"
	}
	return string(f.Status)
}

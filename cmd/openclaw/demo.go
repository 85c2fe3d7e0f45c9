package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/model/script"
)

// demoScript is what the model of the demonstration answers.
//
//go:embed demo.json
var demoScript []byte

const demoMessage = "Here are some sales: north 120, south 200, north 80, south 50. Put them into sales.csv, write the sum of each region into report.md, " +
	"and then try to read /etc/passwd."

const demoUsage = `openclaw demo [OPTIONS]

Runs a whole turn of an agent with no key and no network: a scripted model asks for tools, the
tools really run in the sandbox, and their results go back to the model, which checks them.
Everything lies in a temporary directory that is removed again; --keep DIR keeps it.

The exit status is 0 when everything went as it should, and 1 otherwise.

EXAMPLES
   openclaw demo
   openclaw demo --keep ./demo`

func demoCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "run a whole turn of an agent, without a key and without the network",
		UsageText: demoUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "keep", Usage: "make everything in `DIR`, which must be empty or missing, and keep it"},
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("demo: unexpected argument %q (try 'openclaw demo --help')", c.Args().First())
			}
			return commandStatus(std, failedJSON(c, std, runDemo(c, std)))
		},
	}
}

func runDemo(c *cli.Context, std streams) (err error) {
	dir, remove, err := demoDir(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	file := filepath.Join(dir, "demo-script.json")
	if err := os.WriteFile(file, demoScript, 0o600); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	conf, err := config.Load(c.Context, demoConfig(dir))
	if err != nil {
		return err
	}
	host, err := openHost(c.Context, std, conf)
	if err != nil {
		return err
	}
	defer host.close(std.err)
	show := &demoPrinter{out: std.out, calls: map[string]agent.ToolEvent{}}
	if c.Bool("json") {
		show.out = io.Discard
	}
	show.begin()
	outcome, err := host.runtime.Run(c.Context, agent.Turn{Message: demoMessage, Model: script.Provider + "/" + file, On: show.event})
	if err != nil {
		return err
	}
	files, err := demoFiles(conf.Workspace)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(std.out, demoResult{agentResultOf(agent.Turn{}, outcome, nil), files})
	}
	return show.end(outcome, files, c.String("keep"))
}

// demoDir is where everything lies.
func demoDir(c *cli.Context) (dir string, remove func() error, err error) {
	if !c.IsSet("keep") {
		dir, err = os.MkdirTemp("", "openclaw-demo-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	if dir, err = filepath.Abs(c.String("keep")); err != nil {
		return "", nil, fmt.Errorf("demo: --keep: %w", err)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = os.MkdirAll(dir, 0o700)
	case err == nil && len(entries) > 0:
		err = fmt.Errorf("demo: --keep %s: the directory is not empty", dir)
	}
	return dir, func() error { return nil }, err
}

// demoConfig keeps the demonstration apart from the user's own state and settings.
func demoConfig(dir string) config.Options {
	return config.Options{Home: dir, LookupEnv: func(name string) (string, bool) {
		if strings.HasPrefix(name, "OPENCLAW_") {
			return "", false
		}
		return os.LookupEnv(name)
	}}
}

// demoResult is what demo --json prints.
type demoResult struct {
	agentResult
	Files []demoFile `json:"files"`
}

type demoFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// demoFiles are those that the run made, without the agent's own.
func demoFiles(workspace string) ([]demoFile, error) {
	var files []demoFile
	for _, name := range []string{"sales.csv", "report.md"} {
		text, err := os.ReadFile(filepath.Join(workspace, name))
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		files = append(files, demoFile{name, string(text)})
	}
	return files, nil
}

// demoPrinter tells the run as a story.
type demoPrinter struct {
	out   io.Writer
	text  strings.Builder
	calls map[string]agent.ToolEvent
}

func (p *demoPrinter) printf(format string, a ...any) { fmt.Fprintf(p.out, format, a...) }

func (p *demoPrinter) begin() {
	p.printf("A scripted model answers; the rest is real: its tools run inside WebAssembly, in a workspace of\ntheir own, and what they bring goes back to the model.\n\nuser   %s\n", indent(wrap(demoMessage), "       "))
}

func (p *demoPrinter) event(e agent.Event) {
	switch data := e.Data.(type) {
	case agent.Piece:
		if e.Stream == agent.StreamAssistant {
			p.text.WriteString(data.Delta)
		}
		if data.Done {
			p.say()
		}
	case agent.ToolEvent:
		p.tool(data)
	}
}

// say shows what the model said.
func (p *demoPrinter) say() {
	if p.text.Len() > 0 {
		p.printf("\nmodel  %s\n", indent(wrap(p.text.String()), "       "))
		p.text.Reset()
	}
}

func (p *demoPrinter) tool(t agent.ToolEvent) {
	switch t.Phase {
	case agent.PhaseStart:
		p.calls[t.CallID] = t
	case agent.PhaseResult:
		p.printf("\ntool   %s\n", callText(p.calls[t.CallID]))
		p.printf("       %s\n", indent(strings.TrimRight(t.Text, "\n"), "       "))
		p.printf("       (%s)\n", durationText(time.Duration(t.DurationMs)*time.Millisecond))
	}
}

func (p *demoPrinter) end(o *agent.Outcome, files []demoFile, kept string) error {
	calls := 0
	for _, t := range o.Tools {
		calls += t.Calls
	}
	p.printf("\n%d answers and %d calls of tools in %s.", o.Answers, calls, durationText(time.Duration(o.DurationMs)*time.Millisecond))
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	p.printf(" The workspace has %s now.\n", strings.Join(names, " and "))
	if kept != "" {
		p.printf("Everything is kept in %s.\n", kept)
	}
	_, err := io.WriteString(p.out, demoNext)
	return err
}

const demoNext = `
What to try next:
   openclaw setup                                   make a configuration and a workspace
   openclaw models status                           see which providers have a key
   openclaw agent -m "What is in my workspace?"     the same with a real model
   openclaw exec -- 'ls -la'                        the sandbox alone, without a model
`

// demoWidth is how long the lines of texts become.
const demoWidth = 90

// wrap breaks a text into lines between words.
func wrap(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		column := 0
		for i, word := range strings.Fields(line) {
			switch {
			case i == 0:
			case column+len(word) >= demoWidth:
				b.WriteByte('\n')
				column = 0
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += len(word)
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func indent(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

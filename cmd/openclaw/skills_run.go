package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"openclaw/runtime/bundles"
	"openclaw/runtime/config"
	"openclaw/runtime/tools/skilltools"
	"openclaw/sandbox"
	"openclaw/skills/manifest"
	"openclaw/toolwasm"
)

// bundleRun is one call of a tool from the command line.
type bundleRun struct {
	bundle    *bundles.Installed
	tool      manifest.Tool
	arguments json.RawMessage
	session   sandbox.Grant
}

func skillsRun(c bundleCall) error {
	store, release, err := c.store()
	if err != nil {
		return err
	}
	defer release()
	r, err := c.prepare(store)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return c.dryRun(r)
	}
	report := newCompileReport(c.std.err)
	engine, err := sandbox.Wazero(c.Context.Context, sandbox.EngineOptions{Progress: report.progress})
	if err != nil {
		return err
	}
	defer engine.Close(context.Background())
	a, err := skilltools.Call(c.Context.Context, sandbox.New(engine), r.session, r.bundle, r.tool.Name, r.arguments)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, ranJSON{
			Text: a.Text, Result: a.JSON, Duration: milliseconds(a.Run.Duration), Fuel: a.Run.Fuel, Memory: a.Run.PeakMemory, Changed: list(a.Run.Changed),
		})
	}
	_, err = fmt.Fprintln(c.std.out, printable(a.Text))
	return err
}

// ranJSON is what run --json prints.
type ranJSON struct {
	Text     string          `json:"text"`
	Result   json.RawMessage `json:"result,omitempty"`
	Duration float64         `json:"durationMs"`
	Fuel     int64           `json:"fuelUsed"`
	Memory   int64           `json:"peakMemory"`
	Changed  []string        `json:"filesChanged"`
}

// prepare finds the tool, reads its arguments, and makes the grant of the session that calls it.
func (c bundleCall) prepare(store *bundles.Store) (r bundleRun, err error) {
	if r.bundle, err = store.Get(c.Context.Context, c.args[0]); err != nil {
		return r, err
	}
	var ok bool
	if r.tool, ok = r.bundle.Manifest.Tool(c.args[1]); !ok {
		var names []string
		for _, t := range r.bundle.Manifest.Tools {
			names = append(names, t.Name)
		}
		return r, fmt.Errorf("skills: run: %s has no tool %q; it has %s", c.args[0], c.args[1], strings.Join(names, ", "))
	}
	text := c.arg(2, "")
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(c.std.in, skilltools.MaxArguments+1))
		if err != nil {
			return r, fmt.Errorf("skills: run: read arguments: %w", err)
		}
		text = string(data)
	}
	if r.arguments, err = skilltools.Check(r.bundle, r.tool, json.RawMessage(text)); err != nil {
		return r, err
	}
	r.session, err = c.grant()
	return r, err
}

// grant is what the one who calls the tool may do: everything in the workspace that was named.
func (c bundleCall) grant() (g sandbox.Grant, err error) {
	g = sandbox.Grant{Tmp: true, Env: c.StringSlice("env")}
	g.Limits.Timeout = manifest.MaxTimeout
	g.Limits.Memory, g.Limits.Disk = manifest.MaxMemory, manifest.MaxDisk
	if c.IsSet("timeout") {
		if g.Limits.Timeout = c.Duration("timeout"); g.Limits.Timeout <= 0 {
			return g, fmt.Errorf("skills: run: --timeout %s: not a positive duration", g.Limits.Timeout)
		}
	}
	if dir := c.String("workspace"); dir != "" {
		m := sandbox.Mount{Guest: toolwasm.Workspace, Host: dir, Access: sandbox.ReadWrite}
		if c.Bool("read-only") {
			m.Access = sandbox.ReadOnly
		}
		g.Mounts = append(g.Mounts, m)
	}
	if g.Programs, err = programsOf(config.Options{}); err != nil {
		return g, err
	}
	return g, g.Check()
}

// dryRunJSON is what run --dry-run --json prints.
type dryRunJSON struct {
	Tool    string          `json:"tool"`
	Args    []string        `json:"args"`
	Given   json.RawMessage `json:"arguments"`
	Granted []string        `json:"granted"`
	Mounts  []mountShown    `json:"mounts"`
	Env     []string        `json:"env"` // names
}

type mountShown struct {
	Guest  string `json:"guest"`
	Host   string `json:"host"`
	Access string `json:"access"`
}

// dryRun says what would run, and what it could reach.
func (c bundleCall) dryRun(r bundleRun) error {
	granted, err := r.bundle.Granted(r.session)
	if err != nil {
		return err
	}
	grant, err := r.bundle.Preview(r.session)
	if err != nil {
		return err
	}
	_, args, err := skilltools.Program(r.bundle, r.tool.Args)
	if err != nil {
		return err
	}
	out := dryRunJSON{
		Tool: r.bundle.Manifest.ToolName(r.tool), Args: args, Given: r.arguments, Granted: granted.Words(), Mounts: []mountShown{}, Env: list(granted.Env),
	}
	for _, m := range grant.Mounts {
		host := m.Host
		if m.Below != "" {
			host += "/" + m.Below
		}
		out.Mounts = append(out.Mounts, mountShown{m.Guest, host, m.Access.String()})
	}
	if c.Bool("json") {
		return printJSON(c.std.out, out)
	}
	var l lines
	l.add("would run", strings.Join(out.Args, " "))
	l.add("arguments", string(out.Given))
	l.list("may", out.Granted)
	for _, m := range out.Mounts {
		l.add("sees", fmt.Sprintf("%s %s (%s)", m.Guest, m.Access, m.Host))
	}
	return l.to(c.std.out)
}

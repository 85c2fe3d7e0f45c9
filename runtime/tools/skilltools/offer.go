package skilltools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"openclaw/runtime/bundles"
	"openclaw/runtime/model"
	"openclaw/runtime/tools"
	"openclaw/sandbox"
	"openclaw/skills/capability"
	"openclaw/skills/manifest"
	"openclaw/toolwasm"
)

// Offer is what bundles offer a session.
type Offer struct {
	// Tools are for [tools.Options].Extra, where the session's policy holds for them.
	Tools []tools.Tool
	// Commands are for the grant of the session itself: programs that are kept apart from it.
	Commands []sandbox.NamedProgram
	// Withheld says, a line each, what is not offered and why.
	Withheld []string
}

// Of makes the offer of bundles to a session with a certain grant, which is the one before the commands are added to it. offered tells whether
// the session is offered a skill; nil: every one.
func Of(box *sandbox.Sandbox, session sandbox.Grant, list []*bundles.Installed, offered func(name string) bool) Offer {
	var o Offer
	for _, i := range list {
		name := i.Manifest.Name
		if offered != nil && !offered(name) {
			continue
		}
		granted, err := i.Granted(session)
		if err != nil {
			o.Withheld = append(o.Withheld, strings.TrimPrefix(err.Error(), "bundles: "))
			continue
		}
		for _, t := range i.Manifest.Tools {
			o.Tools = append(o.Tools, toolOf(box, session, i, t, granted))
		}
		o.addCommands(session, i)
	}
	return o
}

// toolOf is a tool of a bundle as a tool of an agent.
func toolOf(box *sandbox.Sandbox, session sandbox.Grant, i *bundles.Installed, t manifest.Tool, granted capability.Set) tools.Tool {
	return tools.Tool{
		Definition: model.Tool{Name: i.Manifest.ToolName(t), Description: t.Description, Parameters: t.Parameters},
		Sequential: granted.Workspace == capability.Write,
		Run: func(ctx context.Context, c tools.Call, _ func(string)) (*tools.Result, error) {
			a, err := Call(ctx, box, session, i, t.Name, c.Arguments)
			if err != nil {
				return nil, plain(t.Name, err)
			}
			r := tools.TextResult(a.Text)
			r.Details, err = json.Marshal(details{i.Manifest.Name, t.Name, a.Run.Duration.Milliseconds(), a.Run.Fuel, a.Run.Changed})
			return r, err
		},
	}
}

// details are those of a result.
type details struct {
	Skill      string   `json:"skill"`
	Tool       string   `json:"tool"`
	DurationMs int64    `json:"durationMs"`
	Fuel       int64    `json:"fuelUsed"`
	Changed    []string `json:"filesChanged,omitempty"`
}

// plain is an error in words for a model, without the names of packages.
func plain(tool string, err error) error {
	var limit *sandbox.LimitError
	var status *StatusError
	text := err.Error()
	switch {
	case errors.As(err, &limit):
		text = "it was ended: " + strings.TrimPrefix(limit.Error(), "sandbox: run: ")
	case errors.As(err, &status):
		text = status.Error()
	default:
		if _, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(text, "skilltools: ") {
			_, text, _ = strings.Cut(rest, ": ")
		}
	}
	return &toolError{fmt.Sprintf("%s: %s", tool, text), err}
}

// toolError is an error with a text of its own.
type toolError struct {
	text string
	err  error
}

func (e *toolError) Error() string { return e.text }
func (e *toolError) Unwrap() error { return e.err }

// addCommands makes programs of a bundle's commands. A name that is taken is not taken away.
func (o *Offer) addCommands(session sandbox.Grant, i *bundles.Installed) {
	for _, c := range i.Manifest.Commands {
		if taken(c.Name, session.Programs) || taken(c.Name, o.Commands) || toolwasm.HasCommand(c.Name) {
			o.Withheld = append(o.Withheld, fmt.Sprintf("skill %s: the command %s: there is another command of this name", i.Manifest.Name, c.Name))
			continue
		}
		p, err := command(session, i, c)
		if err != nil {
			o.Withheld = append(o.Withheld, fmt.Sprintf("skill %s: the command %s: %v", i.Manifest.Name, c.Name, err))
			continue
		}
		o.Commands = append(o.Commands, p)
	}
}

func taken(name string, list []sandbox.NamedProgram) bool {
	for _, p := range list {
		if p.Name == name {
			return true
		}
	}
	return false
}

// command is a program that sees what its bundle was granted, and of the session that runs it the streams alone. It starts no programs.
func command(session sandbox.Grant, i *bundles.Installed, c manifest.Command) (sandbox.NamedProgram, error) {
	grant, err := i.Grant(session)
	if err != nil {
		return sandbox.NamedProgram{}, err
	}
	name, own, src, err := runtimeOf(i)
	if err != nil {
		return sandbox.NamedProgram{}, err
	}
	granted, err := i.Granted(session)
	if err != nil {
		return sandbox.NamedProgram{}, err
	}
	if i.Manifest.Runtime == manifest.Wasm {
		name = c.Name
	}
	return sandbox.NamedProgram{
		Name: c.Name, Source: src, Args: append(own, c.Args...), Env: grant.Env, Mounts: grant.Mounts,
		Apart:  &sandbox.Apart{Name: name, Env: granted.Env, Disk: granted.Disk, Clock: grant.Clock, Random: grant.Random},
		Limits: sandbox.Limits{Timeout: grant.Limits.Timeout, Fuel: grant.Limits.Fuel, Memory: grant.Limits.Memory},
	}, nil
}

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/tools/internal/schema"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// maxLifetime bounds every call of a session, also a command that has no other bound.
const maxLifetime = 24 * time.Hour

// Described lists the tools of the runtime with their arguments, as a session that has all of them is told of them.
func Described() []toolwasm.Tool { return described(true) }

// described lists the tools as they are with commands in the background, or without.
func described(background bool) []toolwasm.Tool {
	var list []toolwasm.Tool
	for _, t := range toolwasm.Tools() {
		if t.Name != toolwasm.ToolExec {
			list = append(list, t)
			continue
		}
		list = append(list, describeExec(t, background))
		if background {
			list = append(list, describeProcess())
		}
	}
	return list
}

// definition is how a model is told of a tool.
func definition(t toolwasm.Tool) model.Tool {
	return model.Tool{Name: t.Name, Description: t.About, Parameters: t.Schema()}
}

// builtin lists the tools of the toolbox and of the registry.
func (s *Set) builtin() []*Tool {
	background := s.options.Processes != nil && s.options.Opened.Tool(toolProcess).Allowed
	var list []*Tool
	for _, d := range described(background) {
		t := &Tool{Definition: definition(d), described: &d}
		switch d.Name {
		case toolwasm.ToolExec:
			t.Run, t.prepare = s.exec, func(raw json.RawMessage) (json.RawMessage, error) { return prepareExec(raw, background) }
		case toolProcess:
			t.Run, t.Sequential = s.process, true
		default:
			t.Run, t.Sequential = s.file, changesFiles(d.Name)
		}
		list = append(list, t)
	}
	if !background && s.options.Processes != nil { // so that a call of it is told why
		list = append(list, &Tool{Definition: definition(describeProcess())})
	}
	return list
}

// changesFiles tells which tools must not run beside others: what a model asks for in one answer it means in that order.
func changesFiles(name string) bool {
	return name == toolwasm.ToolWrite || name == toolwasm.ToolEdit || name == toolwasm.ToolApplyPatch
}

// file runs one of the tools of the toolbox that work on files.
func (s *Set) file(ctx context.Context, c Call, _ func(string)) (*Result, error) {
	limit := s.options.Opened.Limits.Timeout
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &sandbox.LimitError{Limit: sandbox.LimitTimeout, Value: limit.String()})
	defer cancel()
	name := s.named(c.Name).Definition.Name
	r, err := s.options.Toolbox.CallWith(ctx, s.session.Session, name, c.Arguments, toolwasm.CallOptions{Page: s.options.Limits.page()})
	if err != nil {
		return nil, plain(name, err)
	}
	out := &Result{Content: []model.Block{{Type: model.BlockText, Text: r.Text}}, IsError: r.Failed, Details: r.Details}
	for _, image := range r.Images {
		out.Content = append(out.Content, model.Block{Type: model.BlockImage, MIMEType: image.MIMEType, Data: image.Data})
	}
	return out, nil
}

// plain is an error of the toolbox in words for a model: without the names of packages, which tell it nothing.
func plain(name string, err error) error {
	text := err.Error()
	for _, prefix := range []string{"toolwasm: call " + name + ": ", "toolwasm: ", "sandbox: run: ", toolwasm.ErrBadArguments.Error() + ": "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return &toolError{fmt.Sprintf("%s: %s", name, strings.TrimPrefix(text, name+": ")), err}
}

// toolError is an error with a text of its own.
type toolError struct {
	text string
	err  error
}

func (e *toolError) Error() string { return e.text }
func (e *toolError) Unwrap() error { return e.err }

// check reads the arguments of a call as the tool takes them.
func (t *Tool) check(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if len(raw) > toolwasm.MaxArguments {
		return raw, fmt.Errorf("arguments: %d bytes, more than %d", len(raw), toolwasm.MaxArguments)
	}
	if t.prepare != nil {
		var err error
		if raw, err = t.prepare(raw); err != nil {
			return raw, err
		}
	}
	if t.described != nil {
		if err := t.described.CheckNames(raw); err != nil {
			return raw, err
		}
	}
	return raw, t.schema.Check(raw)
}

// maxEcho bounds how much of what a model wrote is repeated to it.
const maxEcho = 200

// malformedText says what is wrong with arguments that are no JSON object.
func malformedText(c Call) string {
	reason := "a JSON object is expected"
	var v map[string]json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(c.Malformed), &v); errors.As(err, &syntax) {
		reason = fmt.Sprintf("%s (at byte %d of %d)", syntax, syntax.Offset, len(c.Malformed))
	}
	text := c.Malformed
	if len(text) > maxEcho {
		text = strings.ToValidUTF8(text[:maxEcho], "") + "…"
	}
	return fmt.Sprintf("%s: the arguments are not valid JSON, and nothing was done: %s. They were: %s", c.Name, reason, text)
}

// usualTools are what other systems call a tool.
var usualTools = map[string]string{
	"read_file": "read", "cat": "read", "view": "read", "open": "read", "open_file": "read",
	"write_file": "write", "create": "write", "create_file": "write",
	"edit_file": "edit", "str_replace": "edit", "str_replace_editor": "edit", "multi_edit": "edit", "replace": "edit",
	"patch": "apply_patch", "applypatch": "apply_patch",
	"shell": "exec", "run": "exec", "terminal": "exec", "execute": "exec", "execute_command": "exec", "run_command": "exec", "sh": "exec",
	"list": "ls", "list_files": "ls", "list_dir": "ls", "dir": "ls",
	"search": "grep", "rg": "grep", "ripgrep": "grep", "search_files": "grep",
	"glob": "find", "find_files": "find",
}

// nearest is the tool that was probably meant, or "".
func nearest(name string, names []string) string {
	if usual := usualTools[strings.ToLower(name)]; slices.Contains(names, usual) {
		return usual
	}
	return config.Nearest(name, names)
}

// list is a, b and c.
func list(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// sentence is a text that begins with a capital and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// parseSchema makes the schema of a tool.
func (t *Tool) parseSchema() (err error) {
	if t.schema, err = schema.Parse(t.Definition.Parameters); err != nil {
		return fmt.Errorf("tools: add %q: %w", t.Definition.Name, err)
	}
	return nil
}

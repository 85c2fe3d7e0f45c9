// Package skilltools runs what installed bundles offer: their tools, as tools of an agent, and their commands, as programs of a shell.
//
// It promises that
//
//   - each call of a tool runs in an instance of its own, in a session of its own, under the grant of its bundle in the session that
//     asks: what the bundle asks for, has been approved, and the session may do itself;
//   - arguments and answers are what the manifest says that they are; an answer that is not, is none;
//   - a bundle that is not approved as it is offers nothing, and the reason is said.
package skilltools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"openclaw/runtime/bundles"
	"openclaw/runtime/tools/internal/schema"
	"openclaw/sandbox"
	"openclaw/skills/manifest"
	"openclaw/toolwasm"
)

// MaxArguments bounds the arguments of a call.
const MaxArguments = 1 << 20

// maxSaid is how much of what a bundle says on standard error is kept.
const maxSaid = 4 << 10

// Errors of a call that are not the sandbox's.
var (
	// ErrNoTool reports a tool that the bundle does not have.
	ErrNoTool = errors.New("no such tool")
	// ErrArguments reports arguments that the tool does not take.
	ErrArguments = errors.New("bad arguments")
	// ErrAnswer reports an answer that is not what the manifest says.
	ErrAnswer = errors.New("bad answer")
	// ErrNoRuntime reports a script for which this build has no interpreter.
	ErrNoRuntime = errors.New("this build has no interpreter for it")
)

// StatusError reports a tool that ended with another status than zero.
type StatusError struct {
	Status int
	Said   string // on standard error, or else on standard output
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("exit status %d", e.Status)
	if e.Said != "" {
		text += ": " + e.Said
	}
	return text
}

// Answer is what a tool answered.
type Answer struct {
	Text string
	// JSON is the answer when the manifest has a schema for it, and nil otherwise.
	JSON json.RawMessage
	Run  *sandbox.Result
}

// Call calls a tool of a bundle in a session with a certain grant. Loading the bundle, which for a new one takes seconds, is part of it.
func Call(ctx context.Context, box *sandbox.Sandbox, session sandbox.Grant, i *bundles.Installed, name string, arguments json.RawMessage) (*Answer, error) {
	t, ok := i.Manifest.Tool(name)
	if !ok {
		return nil, wrap(i, name, ErrNoTool)
	}
	arguments, err := Check(i, t, arguments)
	if err != nil {
		return nil, err
	}
	if err := i.Current(); err != nil {
		return nil, err
	}
	grant, err := i.Grant(session)
	if err != nil {
		return nil, err
	}
	src, args, err := Program(i, t.Args)
	if err != nil {
		return nil, wrap(i, name, err)
	}
	program, err := box.Load(ctx, src)
	if err != nil {
		return nil, wrap(i, name, err)
	}
	var stdout bytes.Buffer
	stderr := &head{most: maxSaid}
	run, err := box.Run(ctx, grant, program, sandbox.Command{
		Args: args, Dir: directory(grant), Stdin: bytes.NewReader(arguments), Stdout: &stdout, Stderr: stderr,
	})
	if err != nil {
		return nil, wrap(i, name, err)
	}
	return answer(i, t, run, stdout.Bytes(), stderr.String())
}

func wrap(i *bundles.Installed, tool string, err error) error {
	return fmt.Errorf("skilltools: call %s of %s: %w", tool, i.Manifest.Name, err)
}

// Check makes sure that a tool takes the arguments.
func Check(i *bundles.Installed, t manifest.Tool, arguments json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	if len(arguments) > MaxArguments {
		return nil, wrap(i, t.Name, fmt.Errorf("%w: %d bytes, more than %d", ErrArguments, len(arguments), MaxArguments))
	}
	s, err := schema.Parse(t.Parameters)
	if err == nil {
		err = s.Check(arguments)
	}
	if err != nil {
		return nil, wrap(i, t.Name, fmt.Errorf("%w: %w", ErrArguments, err))
	}
	return arguments, nil
}

// answer reads what a tool has written.
func answer(i *bundles.Installed, t manifest.Tool, run *sandbox.Result, stdout []byte, stderr string) (*Answer, error) {
	switch {
	case run.Truncated:
		return nil, wrap(i, t.Name, &sandbox.LimitError{Limit: sandbox.LimitOutput})
	case run.ExitCode != 0:
		said := strings.TrimSpace(stderr)
		if said == "" {
			said = strings.TrimSpace(string(stdout[:min(len(stdout), maxSaid)]))
		}
		return nil, wrap(i, t.Name, &StatusError{run.ExitCode, strings.ToValidUTF8(said, "\uFFFD")})
	case !utf8.Valid(stdout):
		return nil, wrap(i, t.Name, fmt.Errorf("%w: it is not valid UTF-8", ErrAnswer))
	}
	a := &Answer{Text: strings.TrimSuffix(string(stdout), "\n"), Run: run}
	if t.Result == nil {
		return a, nil
	}
	s, err := schema.Parse(t.Result)
	if err == nil {
		err = s.Check(stdout)
	}
	if err != nil {
		return nil, wrap(i, t.Name, fmt.Errorf("%w: %s", ErrAnswer, strings.Replace(err.Error(), "arguments: ", "", 1)))
	}
	a.JSON = bytes.TrimSpace(stdout)
	return a, nil
}

// head is a writer that keeps the beginning.
type head struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), max(0, h.most-h.Len()))])
	return len(p), nil
}

var _ io.Writer = (*head)(nil)

// directory is where a bundle's program starts.
func directory(grant sandbox.Grant) string {
	if slices.ContainsFunc(grant.Mounts, func(m sandbox.Mount) bool {
		return m.Guest == toolwasm.Workspace || strings.HasPrefix(m.Guest, toolwasm.Workspace+"/")
	}) {
		return toolwasm.Workspace
	}
	return "/"
}

// Program is what runs a bundle's code, and its arguments, the program's own name first.
func Program(i *bundles.Installed, args []string) (sandbox.Source, []string, error) {
	name, own, src, err := runtimeOf(i)
	if err != nil {
		return src, nil, err
	}
	return src, slices.Concat([]string{name}, own, args), nil
}

// jsProgram is the name of the JavaScript that comes with the sandbox.
const jsProgram = "js"

// runtimeOf is what runs a bundle's code: the name that it is told, the arguments before those of a tool or command, and the module.
func runtimeOf(i *bundles.Installed) (name string, args []string, src sandbox.Source, err error) {
	script := path.Join(i.AssetsDir(), i.Manifest.Script)
	switch i.Manifest.Runtime {
	case manifest.Shell:
		return "bash", []string{script}, toolwasm.Source(), nil
	case manifest.JS:
		programs := toolwasm.Programs()
		at := slices.IndexFunc(programs, func(p sandbox.NamedProgram) bool { return p.Name == jsProgram })
		if at < 0 {
			return "", nil, src, fmt.Errorf("%w: js", ErrNoRuntime)
		}
		return jsProgram, []string{script}, programs[at].Source, nil
	}
	return i.Manifest.Name, nil, sandbox.Source{
		Name: i.Manifest.Name, Digest: i.CodeDigest(), Open: func() ([]byte, error) { return i.Code(), nil },
	}, nil
}

package toolwasm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"openclaw/sandbox"
)

// The names of the tools.
const (
	ToolRead       = "read"
	ToolWrite      = "write"
	ToolEdit       = "edit"
	ToolApplyPatch = "apply_patch"
	ToolExec       = "exec"
	ToolList       = "ls"
	ToolGrep       = "grep"
	ToolFind       = "find"
)

// ToolNames lists the tools, in the order in which they are shown.
func ToolNames() []string {
	return []string{ToolRead, ToolWrite, ToolEdit, ToolApplyPatch, ToolExec, ToolList, ToolGrep, ToolFind}
}

// Errors of Call that are not the sandbox's.
var (
	// ErrUnknownTool reports a name that is no tool's.
	ErrUnknownTool = errors.New("unknown tool")
	// ErrBadArguments reports arguments that are no JSON object, or not one that the tool takes.
	ErrBadArguments = errors.New("bad arguments")
)

// Limits of what passes between a tool and its caller.
const (
	// MaxArguments bounds the JSON of a call's arguments.
	MaxArguments = 16 << 20
	// MaxResult bounds the JSON of a result: a read tool's largest page, as an image in base64, with room to spare.
	MaxResult = 32 << 20
	// maxTimeout bounds what a call may ask for: a day. The session's own limit holds in any case.
	maxTimeout = 24 * time.Hour
)

// ToolResult is the answer of a tool.
type ToolResult struct {
	// Text is what a model is shown.
	Text string `json:"text"`
	// Failed tells that the tool did not do what it was asked; Text says why.
	Failed  bool            `json:"failed,omitempty"`
	Images  []Image         `json:"images,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	// Limit is what ended the script of exec; Failed is set then too, and Text is the output until then.
	Limit *sandbox.LimitError `json:"-"`
	// Run is what the call used. It is missing in what the guest answers.
	Run *sandbox.Result `json:"-"`
}

// Image is a picture in a result.
type Image struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

// guestTool is the toolbox's command behind the file tools: it takes the tool's name as its argument and the arguments
// on standard input, and answers with a ToolResult on standard output.
const guestTool = "openclaw-tool"

// statusBadArguments is how guestTool says that the arguments were not the tool's.
const statusBadArguments = 2

// CallOptions say how a tool is called. The zero value is the usual.
type CallOptions struct {
	// Page is how many bytes a tool shows that shows a page at a time; zero is its own measure.
	Page int
}

// Call runs a tool. arguments is the JSON object that the model gave. Calls of write, edit and apply_patch in one workspace
// wait for each other.
func (t *Toolbox) Call(ctx context.Context, session *sandbox.Session, name string, arguments []byte) (*ToolResult, error) {
	return t.CallWith(ctx, session, name, arguments, CallOptions{})
}

// CallWith is Call with options.
func (t *Toolbox) CallWith(ctx context.Context, session *sandbox.Session, name string, arguments []byte, o CallOptions) (*ToolResult, error) {
	tool, ok := ToolByName(name)
	if !ok {
		return nil, fmt.Errorf("toolwasm: call %q: %w; there are %s", name, ErrUnknownTool, strings.Join(ToolNames(), ", "))
	}
	if len(arguments) > MaxArguments {
		return nil, fmt.Errorf("toolwasm: call %s: %w: %d bytes, more than %d", name, ErrBadArguments, len(arguments), MaxArguments)
	}
	if err := tool.CheckNames(arguments); err != nil {
		return nil, fmt.Errorf("toolwasm: call %s: %w: %w", name, ErrBadArguments, err)
	}
	switch {
	case name == ToolExec:
		return t.callExec(ctx, session, arguments)
	case !changesFiles(name):
		return t.callFile(ctx, session, name, arguments, o)
	}
	leave, err := t.writers.enter(ctx, workspaceOf(session))
	if err != nil {
		return nil, fmt.Errorf("toolwasm: call %s: wait for the calls before it: %w", name, err)
	}
	defer leave()
	return t.callFile(ctx, session, name, arguments, o)
}

// changesFiles tells whether a tool needs to have files for itself.
func changesFiles(name string) bool {
	return name == ToolWrite || name == ToolEdit || name == ToolApplyPatch
}

// pageVariable tells the guest how many bytes a page has.
const pageVariable = "OPENCLAW_PAGE"

// callFile runs one of the tools that are commands of the guest.
func (t *Toolbox) callFile(ctx context.Context, session *sandbox.Session, name string, arguments []byte, o CallOptions) (*ToolResult, error) {
	var stdout, stderr bytes.Buffer
	env, journal := BaseEnv(), ""
	if o.Page > 0 {
		env = append(env, fmt.Sprintf("%s=%d", pageVariable, o.Page))
	}
	if changesFiles(name) {
		journal = newJournal()
		env = append(env, journalVariable+"="+journal)
	}
	run, err := session.Run(ctx, t.program, sandbox.Command{
		Args: []string{guestTool, name}, Env: env, Dir: Workspace,
		Stdin: bytes.NewReader(arguments), Stdout: &stdout, Stderr: &stderr, MaxOutput: MaxResult,
	})
	if err != nil && journal != "" && run != nil {
		return nil, fmt.Errorf("toolwasm: call %s: %w (%w)", name, err, t.recoverCall(ctx, session, journal))
	}
	if err != nil {
		return nil, fmt.Errorf("toolwasm: call %s: %w", name, err)
	}
	result := &ToolResult{}
	if err := json.Unmarshal(stdout.Bytes(), result); err != nil {
		return nil, fmt.Errorf("toolwasm: call %s: exit status %d: %s", name, run.ExitCode, firstLine(stderr.String()))
	}
	result.Run = run
	if run.ExitCode == statusBadArguments {
		return nil, fmt.Errorf("toolwasm: call %s: %w: %s", name, ErrBadArguments, result.Text)
	}
	result.Failed = run.ExitCode != 0
	return result, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if s == "" {
		return "no answer"
	}
	return s
}

// execDetails are the details of an exec result.
type execDetails struct {
	Status     string `json:"status"`   // completed or failed
	ExitCode   *int   `json:"exitCode"` // null when the script was ended
	DurationMs int64  `json:"durationMs"`
	TimedOut   bool   `json:"timedOut"`
	Truncated  bool   `json:"truncated,omitempty"`
	Cwd        string `json:"cwd"`
}

func (t *Toolbox) callExec(ctx context.Context, session *sandbox.Session, arguments []byte) (*ToolResult, error) {
	a, err := parseExec(arguments)
	if err != nil {
		return nil, fmt.Errorf("toolwasm: call exec: %w: %w", ErrBadArguments, err)
	}
	script := a.Script()
	var both bytes.Buffer // what a terminal would show
	script.Stdout, script.Stderr = &both, &both
	if limit := a.Timeout; limit != nil && *limit > 0 {
		script.Timeout = *limit
	}
	run, err := t.Exec(ctx, session, script)
	if errors.Is(err, ErrNoDirectory) {
		reason := strings.TrimSpace(strings.TrimPrefix(both.String(), "toolbox: "))
		var missing *sandbox.DirectoryError
		if errors.As(err, &missing) {
			reason = missing.Reason
		}
		return &ToolResult{Text: fmt.Sprintf("workdir %q: %s", a.Workdir, reason), Failed: true, Run: run}, nil
	}
	var limit *sandbox.LimitError
	if err != nil && (!errors.As(err, &limit) || run == nil) {
		return nil, fmt.Errorf("toolwasm: call exec: %w", err)
	}
	return execResult(run, limit, both.String(), script.Dir)
}

// execResult puts a run into words: the output, and a note in parentheses where the status is not zero.
func execResult(run *sandbox.Result, limit *sandbox.LimitError, output, dir string) (*ToolResult, error) {
	d := execDetails{Status: "completed", ExitCode: &run.ExitCode, DurationMs: run.Duration.Milliseconds(), Truncated: run.Truncated, Cwd: dir}
	text := strings.ToValidUTF8(output, "\uFFFD")
	if run.Truncated {
		text += "\n(output truncated)"
	}
	if limit == nil && run.ExitCode != 0 {
		text += fmt.Sprintf("\n(exit code %d)", run.ExitCode)
	}
	if limit != nil {
		d.Status, d.ExitCode, d.TimedOut = "failed", nil, limit.Limit == sandbox.LimitTimeout
		text += fmt.Sprintf("\n(ended: the %s limit was reached)", limit.Limit)
	}
	text = strings.TrimPrefix(text, "\n")
	if text == "" {
		text = "(no output)"
	}
	details, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("toolwasm: call exec: %w", err)
	}
	return &ToolResult{Text: text, Details: details, Failed: limit != nil, Limit: limit, Run: run}, nil
}

// guestPath is a path given by a model as an absolute path in the guest.
func guestPath(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(Workspace, name)
}

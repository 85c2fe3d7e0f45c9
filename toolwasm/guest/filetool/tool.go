package filetool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/command"
)

// Exit statuses of openclaw-tool.
const (
	statusDone         = 0
	statusFailed       = 1
	statusBadArguments = 2
)

// maxArguments bounds the JSON of a call.
const maxArguments = 16 << 20

// maxAttempts bounds how often a tool tries to change files that another program is changing too.
const maxAttempts = 5

// workspace is where a session's files are, in the guest.
const workspace = "/workspace"

// result is the answer of a tool.
type result struct {
	Text    string       `json:"text"`
	Images  []attachment `json:"images,omitempty"`
	Details any          `json:"details,omitempty"`
}

// attachment is a picture in a result; its data is base64 in JSON.
type attachment struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

// call is what a tool works with.
type call struct {
	p    *command.Proc
	root string // the directory that apply_patch keeps to
	disk disk
	journal
}

func newCall(p *command.Proc, j journal) *call {
	root := p.Dir
	if inside(workspace, root) {
		root = workspace
	}
	return &call{p: p, root: root, disk: system{}, journal: j}
}

// tool is the body of a tool: it reads its arguments and does its work.
type tool func(c *call, raw []byte) (*result, error)

func toolNamed(name string) (tool, bool) {
	switch name {
	case "read":
		return readTool, true
	case "write":
		return writeTool, true
	case "edit":
		return editTool, true
	case "apply_patch":
		return applyPatchTool, true
	case "ls":
		return lsTool, true
	case "grep":
		return grepTool, true
	case "find":
		return findTool, true
	}
	return nil, false
}

// recoverTool is the name by which the host asks for the recovery of a call that was cut off.
const recoverTool = "recover"

// journalVariable names the file for the journal, which is not there yet.
const journalVariable = "OPENCLAW_JOURNAL"

// serve answers one call of a tool.
func serve(p *command.Proc) int {
	if len(p.Args) != 1 {
		return p.Usage(statusBadArguments, "the name of a tool is expected")
	}
	journalName, _ := p.Env.Get(journalVariable)
	if p.Args[0] == recoverTool {
		return recoverCommand(p, journalName)
	}
	run, ok := toolNamed(p.Args[0])
	if !ok {
		return answer(p, &result{Text: fmt.Sprintf("%s: no such tool", p.Args[0])}, statusBadArguments)
	}
	raw, err := readBounded(p.Stdin)
	if err != nil {
		return answer(p, &result{Text: fmt.Sprintf("%s: %s", p.Args[0], err)}, statusBadArguments)
	}
	j := openJournal(journalName)
	r, err := persist(p, j, func(c *call) (*result, error) { return run(c, raw) })
	j.close(journalName)
	switch {
	case err == nil:
		return answer(p, r, statusDone)
	case isArgumentError(err):
		return answer(p, &result{Text: fmt.Sprintf("%s: %s", p.Args[0], err)}, statusBadArguments)
	}
	return answer(p, &result{Text: err.Error()}, statusFailed)
}

// persist does the work of a tool, and does it again when another program changed a file under its hands: nothing is
// changed then, and what to do follows from what is there now.
func persist(p *command.Proc, j journal, work func(*call) (*result, error)) (r *result, err error) {
	for range maxAttempts {
		if r, err = work(newCall(p, j)); !errors.Is(err, errChangedMeanwhile) {
			break
		}
		p.Yield()
	}
	return r, err
}

// answer prints the one JSON object that the host waits for.
func answer(p *command.Proc, r *result, status int) int {
	r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
	enc := json.NewEncoder(p.Out())
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		p.Errorf("write result: %s", err)
		return statusFailed
	}
	return status
}

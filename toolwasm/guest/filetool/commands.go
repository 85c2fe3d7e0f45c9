// Package filetool holds the agent's file tools: read, write, edit, apply_patch, ls, grep and find.
//
// It promises that a tool either does all of what it was asked or nothing: files are replaced by renaming a verified
// temporary file of the same directory over them, a patch of several files is undone when any step of it fails, and no
// temporary file outlives a call. Bytes that an edit or a patch does not match are never changed: line endings, a byte order
// mark, the mode and odd white space stay as they were. Every refusal says why, and what is on disk afterwards.
//
// What a path may reach is for the filesystem to decide; apply_patch keeps to the workspace on top of that.
package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"openclaw/toolwasm/guest/command"
)

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "openclaw-tool", Run: serve, Help: serveHelp},
		{Name: "apply_patch", Run: applyPatchCommand, Help: applyPatchHelp},
	}
}

const serveHelp = `Usage: openclaw-tool TOOL < ARGUMENTS
       openclaw-tool recover
Run one of the file tools with the JSON object on standard input as its
arguments, and print one JSON object: text, and images or details if there are.
The file that OPENCLAW_JOURNAL names is kept while files are being changed; after a
call that was cut off, recover takes back what it had done, or cleans up.

Tools:
  read         {path, offset?, limit?, cursor?, optional?}
  write        {path, content}
  edit         {path, edits: [{oldText, newText}]}
  apply_patch  {input}
  ls           {path?, limit?, after?}
  grep         {pattern, path?, glob?, ignoreCase?, literal?, context?, limit?}
  find         {pattern, path?, limit?}
OPENCLAW_PAGE is how many bytes an answer of read, ls, grep or find has at most.

Exit status: 0 done, 1 the tool could not (text says why), 2 bad arguments.
`

const applyPatchHelp = `Usage: apply_patch [PATCH]
Apply a patch to the files of the workspace: all of it, or nothing.
Without PATCH, read it from standard input.

  *** Begin Patch
  *** Add File: PATH          every line after it begins with +
  *** Delete File: PATH
  *** Update File: PATH
  *** Move to: PATH           optional, right after Update File
  @@ LINE                     begin a chunk; LINE, optional, is looked for first
   line kept
  -line removed
  +line added
  *** End of File             optional: the chunk is the end of the file
  *** End Patch

Exit status: 0 applied, 1 nothing was changed (the message says why).
`

// applyPatchCommand is apply_patch as a command of the shell.
func applyPatchCommand(p *command.Proc) int {
	patch, err := patchOperand(p)
	if err != nil {
		p.Errorf("%s", err)
		return statusFailed
	}
	result, err := persist(p, journal{}, func(c *call) (*result, error) { return applyPatch(c, patch) })
	if err != nil {
		p.Errorf("%s", err)
		return statusFailed
	}
	fmt.Fprintln(p.Out(), result.Text)
	return statusDone
}

func patchOperand(p *command.Proc) (string, error) {
	switch len(p.Args) {
	case 0:
	case 1:
		return p.Args[0], nil
	default:
		return "", errors.New("one patch is expected: quote it as one argument, or give it on standard input")
	}
	if p.Stdin == nil {
		return "", errors.New("no patch given")
	}
	b, err := readBounded(p.Stdin)
	return string(b), err
}

// readBounded reads standard input up to the most that arguments may hold.
func readBounded(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(r, maxArguments+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if n > maxArguments {
		return nil, fmt.Errorf("standard input holds more than %d bytes", maxArguments)
	}
	return b.Bytes(), nil
}

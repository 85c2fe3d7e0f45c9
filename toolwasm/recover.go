package toolwasm

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"openclaw/sandbox"
)

// recoverTool is the name by which guestTool takes back, from its journal, what a call that was cut off had done.
const recoverTool = "recover"

// journalVariable tells guestTool where to keep its journal.
const journalVariable = "OPENCLAW_JOURNAL"

// Bounds of a recovery. It lasts no longer than what it takes back, is cut off by the session's own limits as any call is,
// and goes on where it was cut off.
const (
	maxRecovery         = 2 * time.Second
	maxRecoveryAttempts = 20
)

// recoveredDone is how guestTool says that the call had done its work when it was cut off.
const recoveredDone = "done"

// Outcomes of a call that was cut off.
var (
	errNothingChanged = errors.New("nothing was changed")
	errChangeMade     = errors.New("the change had been made")
)

// newJournal is the name of a file in the session's /tmp for the journal of one call.
func newJournal() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	return "/tmp/.openclaw-" + hex.EncodeToString(random[:]) + ".journal"
}

// recoverCall makes the files whole again after a call that was cut off, and returns what has become of them.
func (t *Toolbox) recoverCall(ctx context.Context, session *sandbox.Session, journal string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxRecovery)
	defer cancel()
	var err error
	for range maxRecoveryAttempts {
		var stdout bytes.Buffer
		var run *sandbox.Result
		run, err = session.Run(ctx, t.program, sandbox.Command{
			Args: []string{guestTool, recoverTool}, Env: append(BaseEnv(), journalVariable+"="+journal), Dir: "/",
			Stdout: &stdout, MaxOutput: MaxResult,
		})
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			continue
		}
		result := &ToolResult{}
		if err := json.Unmarshal(stdout.Bytes(), result); err != nil {
			return fmt.Errorf("recover: exit status %d", run.ExitCode)
		}
		switch {
		case run.ExitCode != 0:
			return fmt.Errorf("recover: %s", result.Text)
		case result.Text == recoveredDone:
			return errChangeMade
		}
		return errNothingChanged
	}
	return fmt.Errorf("recover: %w", err)
}

package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"openclaw/runtime/compaction"
	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/tools"
)

// maxFlushAnswers bounds how often the model is asked in one turn for its memory.
const maxFlushAnswers = 8

// flushRoom is how much of the window such a turn needs at least, in tokens.
const flushRoom = 4096

// flushTools are the tools of such a turn, which is for files and nothing else.
var flushTools = []string{"read", "write", "edit", "ls", "grep", "find"}

// flushText asks the agent to write down what matters. Nothing that it answers is shown or kept.
const flushText = `The older part of this conversation is about to give way to a summary. Write down now, in files, what of it will matter on later days and is not written down yet: facts, decisions and wishes of the user, where things are. Add to memory/%s.md (make it if it is missing, and keep what is in it); change no other file than those of your memory. Do not go on with the work itself.

When that is done, or when there is nothing to write down, answer ` + silentReply + ` and nothing else. Nobody reads this answer.`

// silentReply is an answer that is not for anybody.
const silentReply = "NO_REPLY"

// canRemember tells whether a session can write into its agent's workspace.
func canRemember(p *confinement.Plan) bool {
	return !p.Sandboxed || p.Access.Value == string(config.AccessReadWrite)
}

// flushAllowed tells whether the agent may write down what matters in this cycle of compactions, and can.
func (n *run) flushAllowed(state *compactState) bool {
	if !n.agent.Compaction.MemoryFlush.Enabled || !n.writable || !n.set.Has("write") || state.Flushed == state.cycle() {
		return false
	}
	return n.key.Kind != session.KindCron && n.key.Kind != session.KindHook
}

// flushDue tells whether it is time for that.
func (n *run) flushDue(used, most int64) bool {
	state, settings := n.compactState(), &n.agent.Compaction.MemoryFlush
	if !n.flushAllowed(&state) || n.window()-used < flushRoom {
		return false
	}
	return used >= most-min(settings.SoftThresholdTokens, most/2) || settings.ForceFlushBytes > 0 && n.bytes() >= settings.ForceFlushBytes
}

// bytes is how long the conversation is.
func (n *run) bytes() (total int64) {
	for i := range n.history {
		for _, b := range n.history[i].Content {
			total += int64(len(b.Text) + len(b.Thinking) + len(b.Arguments) + len(b.Data))
		}
	}
	return total
}

// flush lets the agent write down what matters, in a turn of its own that is not in the transcript. What goes wrong is no failure of the run:
// the conversation is compacted with or without.
func (n *run) flush(ctx context.Context, t Trigger) {
	event := CompactionEvent{Phase: PhaseFlush, Trigger: t}
	err := n.rememberCompaction(ctx, func(s *compactState) { s.Flushed = s.cycle() })
	if err == nil {
		err = n.flushTurn(ctx)
	}
	if err != nil && ctx.Err() == nil {
		event.Error = err.Error()
		n.out.Warnings = append(n.out.Warnings, fmt.Sprintf("the agent could not write down what matters before the conversation is compacted: %v", err))
	}
	n.events.send(StreamCompaction, event)
}

func (n *run) flushTurn(ctx context.Context) error {
	chain := n.chain
	if ref := n.agent.Compaction.MemoryFlush.Model; ref != "" {
		var err error
		if chain, err = n.options.Models.Chain(n.agent, models.Choice{Ref: ref}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(n.agent.Compaction.TimeoutSeconds)*time.Second, compaction.ErrTimeout)
	defer cancel()
	request := n.request
	request.Tools = slices.DeleteFunc(slices.Clone(request.Tools), func(t model.Tool) bool { return !slices.Contains(flushTools, t.Name) })
	shown := tools.Limits{ContextTokens: n.window()}.Elide(n.history)
	request.Messages = append(slices.Clone(shown), model.User(fmt.Sprintf(flushText, time.Now().Format(time.DateOnly))))
	for range maxFlushAnswers {
		answer, err := chain.Stream(ctx, &request, nil, n.attempted)
		if err != nil {
			if cause := context.Cause(ctx); errors.Is(cause, compaction.ErrTimeout) {
				return cause
			}
			return err
		}
		n.out.Usage.Add(answer.Usage)
		calls, _ := settleCalls(answer)
		if len(calls) == 0 {
			return nil
		}
		request.Messages = append(request.Messages, *answer)
		request.Messages = append(request.Messages, n.flushCalls(ctx, calls)...)
	}
	return nil
}

// flushCalls runs calls of such a turn. Those of other tools are refused.
func (n *run) flushCalls(ctx context.Context, blocks []model.Block) []model.Message {
	results := make([]model.Message, len(blocks))
	var calls []tools.Call
	var places []int
	for i, b := range blocks {
		call := tools.CallOf(b)
		if slices.Contains(flushTools, call.Name) {
			calls, places = append(calls, call), append(places, i)
			continue
		}
		o := tools.Outcome{Call: call, Result: *tools.ErrorResult("Only files can be read and written now.")}
		results[i] = o.Message(time.Now())
	}
	for i, o := range n.set.Batch(ctx, calls, nil) {
		results[places[i]] = o.Message(time.Now())
	}
	return results
}

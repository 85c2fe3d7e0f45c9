package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/tools"
)

// maxCutAnswers is how many answers in a row may lose their calls: they end at the model's output limit inside one, or are too large.
const maxCutAnswers = 3

const cutText = "Your last answer reached the output limit inside a tool call, which was dropped. Call the tool again with less at once."

// cutType is the custom message that says so.
const cutType = "openclaw:answer-cut"

// ErrCut is the cause when the model's answers keep ending inside tool calls.
var ErrCut = errors.New("the model's answers keep losing their tool calls: they reach its output limit, or are too large")

// loop asks the model and runs tools until the model has answered.
func (n *run) loop(ctx context.Context) error {
	cuts := 0
	steered := false // a message was taken in since the last answer
	for {
		if err := n.tellExits(ctx); err != nil {
			return err
		}
		if !steered {
			if _, err := n.steer(ctx); err != nil {
				return err
			}
		}
		answer, err := n.askWithRoom(ctx)
		if err != nil {
			return err
		}
		steered = false
		calls, lost := settleCalls(answer)
		if size, err := shorten(answer); err != nil {
			return err
		} else if size > 0 && (len(calls) > 0 || lost != "") {
			calls, lost = nil, oversize(size)
		}
		if err := n.record(ctx, answer); err != nil {
			return err
		}
		switch {
		case lost != "" && len(calls) == 0:
			if cuts++; cuts == maxCutAnswers {
				return fmt.Errorf("agent: run in %s: %w", n.key, ErrCut)
			}
			if err := n.tell(ctx, cutType, lost); err != nil {
				return err
			}
			continue
		case len(calls) == 0:
			if steered, err = n.steer(ctx); err != nil || !steered {
				return err
			}
			continue
		}
		cuts = 0
		done, err := n.act(ctx, calls)
		if err != nil || done {
			return err
		}
	}
}

// settleCalls takes the calls out of an answer that did not end to have them run. lost is what the model is told when the answer's
// length was the reason.
func settleCalls(answer *model.Message) (calls []model.Block, lost string) {
	calls = answer.Calls()
	if len(calls) == 0 || answer.StopReason == model.StopToolUse || answer.StopReason == model.StopEnd {
		return calls, ""
	}
	cut := answer.StopReason == model.StopLength
	if cut {
		lost = cutText
	}
	keep := func(b model.Block) bool { return cut && b.Malformed == "" }
	var kept, content []model.Block
	for _, b := range answer.Content {
		if b.Type == model.BlockToolCall && !keep(b) {
			continue
		}
		if b.Type == model.BlockToolCall {
			kept = append(kept, b)
		}
		content = append(content, b)
	}
	answer.Content = content
	return kept, lost
}

// ask gets the model's next answer.
func (n *run) ask(ctx context.Context) (*model.Message, error) {
	request := n.request
	request.Messages = tools.Limits{ContextTokens: n.chain.Current().Info.ContextTokens}.Elide(n.history)
	number := n.out.Answers + 1
	answer, err := n.chain.Stream(ctx, &request, func(d model.Delta) { n.piece(number, d) }, func(a models.Attempt) {
		if a.Discard {
			n.events.send(StreamAssistant, Piece{Message: number, Discard: true})
		}
		if a.Next != models.NextNothing {
			n.events.send(StreamModel, modelEvent(a))
		}
		n.out.Usage.Add(a.Usage)
	})
	if err != nil {
		return nil, errors.Join(err, n.salvage(ctx, answer))
	}
	n.out.Answers = number
	n.out.StopReason, n.out.Provider, n.out.Model = answer.StopReason, answer.Provider, answer.Model
	n.out.Usage.Add(answer.Usage)
	if answer.Usage != nil {
		n.events.send(StreamUsage, *answer.Usage)
	}
	if text := answer.Text(); text != "" {
		n.out.Payloads = append(n.out.Payloads, text)
	}
	n.out.Final = answer.Text()
	return answer, nil
}

func modelEvent(a models.Attempt) ModelEvent {
	e := ModelEvent{Model: a.Name(), Attempt: a.Number, WaitMs: a.Wait.Milliseconds(), Reason: a.Err.Error()}
	if a.Next == models.NextFallback {
		e.Next = a.NextRef.Name()
	}
	return e
}

func (n *run) piece(number int, d model.Delta) {
	switch d.Type {
	case model.DeltaText:
		n.events.send(StreamAssistant, Piece{Message: number, Delta: d.Text})
	case model.DeltaThinking:
		n.events.send(StreamThinking, Piece{Message: number, Delta: d.Text})
	case model.DeltaBlockEnd:
		n.events.send(StreamAssistant, Piece{Message: number, Done: true})
	}
}

// salvage keeps the text of an answer that broke off. Its thinking has no signature to go on from, and its calls were not run.
func (n *run) salvage(ctx context.Context, answer *model.Message) error {
	if answer == nil {
		return nil
	}
	var content []model.Block
	for _, b := range answer.Content {
		if b.Type == model.BlockText && b.Text != "" {
			content = append(content, model.Block{Type: model.BlockText, Text: b.Text})
		}
	}
	if len(content) == 0 {
		return nil
	}
	answer.Content = content
	if _, err := shorten(answer); err != nil {
		return err
	}
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	return n.append(settle, *answer)
}

// record commits a message and shows it to the model from now on.
func (n *run) record(ctx context.Context, m *model.Message) error {
	if err := n.append(ctx, *m); err != nil {
		return err
	}
	n.history = append(n.history, *m)
	return nil
}

// tell adds a message of the runtime's own.
func (n *run) tell(ctx context.Context, kind, text string) error {
	e, err := customEntry(kind, text)
	if err != nil {
		return err
	}
	if _, err := n.writer.Append(ctx, e); err != nil {
		return err
	}
	n.history = append(n.history, model.User(text))
	return nil
}

// act runs tool calls. Each result is committed as soon as it is there. done tells that the tools ended the run.
func (n *run) act(ctx context.Context, blocks []model.Block) (done bool, err error) {
	settle, cancel := context.WithCancel(context.WithoutCancel(ctx)) // what tools have done is recorded also when the run was cancelled
	defer cancel()
	calls := make([]tools.Call, len(blocks))
	for i, b := range blocks {
		calls[i] = tools.CallOf(b)
	}
	var failed error
	outcomes := n.set.Batch(ctx, calls, func(e tools.Event) {
		if e.Type == tools.EventEnd {
			o := tools.Outcome{Call: e.Call, Result: *e.Result}
			failed = errors.Join(failed, n.append(settle, o.Message(time.Now())))
		}
		n.tool(e)
	})
	if failed != nil {
		return false, failed
	}
	for _, o := range outcomes {
		n.out.used(o.Call.Name, o.Result.IsError)
		n.history = append(n.history, o.Message(time.Now()))
	}
	for _, o := range outcomes {
		if o.Warning == "" {
			continue
		}
		if err := n.tell(settle, warningType, o.Warning); err != nil {
			return false, err
		}
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("agent: run in %s: %w", n.key, context.Cause(ctx))
	}
	if loop, stopped := n.set.Stopped(); stopped {
		return false, fmt.Errorf("agent: run in %s: %w (%s)", n.key, ErrLoop, loop)
	}
	return tools.Terminates(outcomes), nil
}

// warningType is the custom message that tells a model that it repeats itself.
const warningType = "openclaw:loop-warning"

// ErrLoop is the cause when a run is ended because the agent repeats itself.
var ErrLoop = errors.New("the agent repeats itself")

// tool passes on what happens to a call.
func (n *run) tool(e tools.Event) {
	t := ToolEvent{CallID: e.Call.ID, Name: e.Call.Name}
	switch e.Type {
	case tools.EventStart:
		t.Phase, t.Arguments = PhaseStart, e.Call.Arguments
	case tools.EventUpdate:
		t.Phase, t.Text = PhaseUpdate, e.Text
	case tools.EventEnd:
		t.Phase, t.Text, t.IsError, t.DurationMs = PhaseResult, e.Result.Text(), e.Result.IsError, e.Duration.Milliseconds()
	}
	n.events.send(StreamTool, t)
}

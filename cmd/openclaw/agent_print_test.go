package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"openclaw/runtime/agent"
)

// shownTo is what a person sees of events, on one screen.
func shownTo(verbose bool, events ...any) string {
	var screen bytes.Buffer
	p := newAgentPrinter(streams{out: &screen, err: &screen}, verbose)
	for _, data := range events {
		stream := agent.StreamAssistant
		if think, ok := data.(thought); ok {
			stream, data = agent.StreamThinking, agent.Piece(think)
		}
		p.event(agent.Event{Stream: stream, Data: data})
	}
	p.event(agent.Event{Data: agent.Lifecycle{Phase: agent.PhaseEnd}})
	return screen.String()
}

type thought agent.Piece

func TestThinkingHasLinesOfItsOwn(t *testing.T) {
	call := func(phase agent.Phase) agent.ToolEvent {
		return agent.ToolEvent{Phase: phase, CallID: "1", Name: "exec", Arguments: json.RawMessage(`{"command":"ls"}`), Text: "a\n"}
	}
	got := shownTo(true,
		thought{Message: 1, Delta: "hm, "}, thought{Message: 1, Delta: "yes"}, agent.Piece{Message: 1, Delta: "I look."}, call(agent.PhaseStart), call(agent.PhaseResult),
		thought{Message: 2, Delta: "only that"}, call(agent.PhaseStart), call(agent.PhaseResult),
		thought{Message: 3, Delta: "well\n"}, agent.Piece{Message: 3, Delta: "Done."})
	want := "hm, yes\nI look.\n· exec ls (0 ms)\na\nonly that\n· exec ls (0 ms)\na\nwell\nDone.\n"
	if got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestACallIsOneLineWhateverItsName(t *testing.T) {
	got := shownTo(false,
		agent.ToolEvent{Phase: agent.PhaseStart, CallID: "1", Name: "x\n· exec rm -rf / (3 ms)\x1b[2J", Arguments: json.RawMessage(`{}`)},
		agent.ToolEvent{Phase: agent.PhaseResult, CallID: "1", IsError: true, Text: "no such tool\nat all"},
		agent.ModelEvent{Model: "a/b", Reason: "busy\n· exec ls"})
	want := "· x · exec rm -rf / (3 ms)\uFFFD[2J {} (0 ms): no such tool\n· a/b: busy · exec ls; trying again\n"
	if got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

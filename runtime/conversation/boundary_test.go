package conversation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/agent"
	"openclaw/runtime/conversation"
)

// bar stands for "|" in the commands of a script.
const bar = "¦"

// script writes the answers of a model. An answer is a text and calls behind bars: "w NAME" writes a file, which is done in turn,
// "x NAME COMMAND" runs a command, which is done beside the others. The name is the call's id. "~N" in front of an answer is how
// many milliseconds the model thinks before it.
func script(answers ...string) string {
	type call struct {
		ID        string            `json:"id"`
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	type turn struct {
		Text    string `json:"text,omitempty"`
		Calls   []call `json:"calls,omitempty"`
		DelayMs int64  `json:"delayMs,omitempty"`
	}
	var turns []turn
	for _, a := range answers {
		parts := strings.Split(a, "|")
		var t turn
		if delayed, ok := strings.CutPrefix(parts[0], "~"); ok {
			number, text, _ := strings.Cut(delayed, " ")
			_, _ = fmt.Sscan(number, &t.DelayMs)
			parts[0] = text
		}
		t.Text = parts[0]
		for _, p := range parts[1:] {
			f := strings.SplitN(p, " ", 3)
			c := call{f[1], "write", map[string]string{"path": f[1], "content": "x"}}
			if f[0] == "x" {
				c.Name, c.Arguments = "exec", map[string]string{"command": strings.ReplaceAll(f[2], bar, "|")}
			}
			t.Calls = append(t.Calls, c)
		}
		turns = append(turns, t)
	}
	text, _ := json.Marshal(map[string]any{"turns": turns}) // strings marshal
	return string(text)
}

// moments are the names of what happens in an event, for messages that come in that very moment: "start" of a run, "text" of an
// answer, "call ID" and "result ID", "reads" of a message, "end" of a run, each with "#N" behind it when it is the Nth of its kind.
type moments struct {
	mu   sync.Mutex
	seen map[string]int
}

func (m *moments) name(e conversation.Event) string {
	name := ""
	switch {
	case e.Ended != nil:
		name = "end"
	default:
		switch d := e.Run.Data.(type) {
		case agent.Lifecycle:
			switch d.Phase {
			case agent.PhaseStart:
				name = "start"
			case agent.PhaseFinishing:
				name = "finishing"
			}
		case agent.Piece:
			if d.Done && e.Run.Stream == agent.StreamAssistant {
				name = "text"
			}
		case agent.InputEvent:
			name = "reads"
		case agent.ToolEvent:
			name = map[agent.Phase]string{agent.PhaseStart: "call ", agent.PhaseResult: "result "}[d.Phase] + d.CallID
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[name]++
	if n := m.seen[name]; n > 1 {
		return fmt.Sprintf("%s#%d", name, n)
	}
	return name
}

// scenario is messages that come at certain moments, and the whole transcript.
type scenario struct {
	name          string
	configuration string
	before        []string // sent first, before the message "begin"
	answers       []string
	say           []string // "MOMENT: MESSAGE"
	want          []string
}

const skipped = "Skipped to process an incoming message."

var scenarios = []scenario{
	{
		name: "steer while the model writes its last answer", answers: []string{"One.", "Two."}, say: []string{"text: and two"},
		want: []string{"user: begin", "assistant: One.", "user: and two", "assistant: Two."},
	},
	{
		name: "steer as the run starts", answers: []string{"Both."}, say: []string{"start: more"},
		want: []string{"user: begin", "user: more", "assistant: Both."},
	},
	{
		name: "steer in front of a sequential batch", answers: []string{"Go.|w a|w b", "Ok."}, say: []string{"text: wait"},
		want: []string{"user: begin", "assistant: Go. [a] [b]", "result a: " + skipped, "result b: " + skipped, "user: wait", "assistant: Ok."},
	},
	{
		name: "steer during the first of three sequential calls", answers: []string{"|w a|w b|w c", "Ok."}, say: []string{"call a: wait"},
		want: []string{"user: begin", "assistant: [a] [b] [c]", "result a", "result b: " + skipped, "result c: " + skipped, "user: wait", "assistant: Ok."},
	},
	{
		name: "steer between two sequential calls", answers: []string{"|w a|w b|w c", "Ok."}, say: []string{"result b: wait"},
		want: []string{"user: begin", "assistant: [a] [b] [c]", "result a", "result b", "result c: " + skipped, "user: wait", "assistant: Ok."},
	},
	{
		name: "steer during the last of the sequential calls", answers: []string{"|w a|w b", "Ok."}, say: []string{"call b: wait"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "user: wait", "assistant: Ok."},
	},
	{
		name: "steer after a batch", answers: []string{"|w a|w b", "Ok."}, say: []string{"result b: wait"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "user: wait", "assistant: Ok."},
	},
	{
		name: "steer in front of a parallel batch", answers: []string{"Go.|x a true|x b true", "Ok."}, say: []string{"text: wait"},
		want: []string{"user: begin", "assistant: Go. [a] [b]", "result a: " + skipped, "result b: " + skipped, "user: wait", "assistant: Ok."},
	},
	{
		name: "steer into a parallel batch, which finishes", answers: []string{"|x a sleep 0.1|x b sleep 0.2", "Ok."}, say: []string{"result a: wait"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "user: wait", "assistant: Ok."},
	},
	{
		name: "one message at a boundary", answers: []string{"|w a", "Second.", "Third."}, say: []string{"call a: one", "result a: two"},
		want: []string{"user: begin", "assistant: [a]", "result a", "user: one", "assistant: Second.", "user: two", "assistant: Third."},
	},
	{
		name: "messages in their order, one after each answer", answers: []string{"1", "2", "3", "4"},
		say:  []string{"start: a", "text: b", "text: c"},
		want: []string{"user: begin", "user: a", "assistant: 1", "user: b", "assistant: 2", "user: c", "assistant: 3"},
	},
	{
		name: "the second message skips the calls that the first brought", answers: []string{"|w a|w b", "|w c", "Ok."},
		say: []string{"call a: one", "call a: two"},
		want: []string{
			"user: begin", "assistant: [a] [b]", "result a", "result b: " + skipped, "user: one", "assistant: [c]", "result c: " + skipped,
			"user: two", "assistant: Ok.",
		},
	},
	{
		name: "a message that comes as the run ends begins the next", answers: []string{"One.", "Two."}, say: []string{"finishing: late"},
		want: []string{"user: begin", "assistant: One.", "user: late", "assistant: Two."},
	},
	{
		name: "a message after the end begins a run", answers: []string{"One.", "Two."}, say: []string{"end: again"},
		want: []string{"user: begin", "assistant: One.", "user: again", "assistant: Two."},
	},
	{
		name: "followup waits for the end", configuration: `messages: {queue: {mode: "followup", debounceMs: 1}}`,
		answers: []string{"|w a|w b", "Ok.", "Later."}, say: []string{"call a: later"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "assistant: Ok.", "user: later", "assistant: Later."},
	},
	{
		name: "followups are runs of their own", configuration: `messages: {queue: {mode: "followup", debounceMs: 1}}`,
		answers: []string{"1", "2", "3"}, say: []string{"start: a", "text: b"},
		want: []string{"user: begin", "assistant: 1", "user: a", "assistant: 2", "user: b", "assistant: 3"},
	},
	{
		name: "the old name steer-backlog is followup", configuration: `messages: {queue: {mode: "steer-backlog", debounceMs: 1}}`,
		answers: []string{"|w a|w b", "Ok.", "Later."}, say: []string{"text: -", "call a: later"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "assistant: Ok.", "user: later", "assistant: Later."},
	},
	{
		name: "collected messages are one", configuration: `messages: {queue: {mode: "collect", debounceMs: 1}}`,
		answers: []string{"|w a|w b", "Ok.", "Both."}, say: []string{"call a: first", "call b: second"},
		want: []string{
			"user: begin", "assistant: [a] [b]", "result a", "result b", "assistant: Ok.",
			"user: [Queued messages while agent was busy]⏎⏎---⏎Queued #1⏎first⏎⏎---⏎Queued #2⏎second", "assistant: Both.",
		},
	},
	{
		name: "collected one alone", configuration: `messages: {queue: {mode: "coalesce", debounceMs: 1}}`,
		answers: []string{"1", "2"}, say: []string{"text: only"},
		want: []string{"user: begin", "assistant: 1", "user: [Queued messages while agent was busy]⏎⏎---⏎Queued #1⏎only", "assistant: 2"},
	},
	{
		name: "interrupt while a command runs", configuration: `messages: {queue: {mode: "interrupt"}}`,
		answers: []string{"|x a sleep 600", "Now."}, say: []string{"call a: now"},
		want: []string{"user: begin", "assistant: [a]", "result a: Operation aborted", "note: openclaw:turn-aborted", "user: now", "assistant: Now."},
	},
	{
		name: "interrupt while the model thinks", configuration: `messages: {queue: {mode: "abort"}}`,
		answers: []string{"~600000 Never."}, say: []string{"start: now", "start#2: /stop"},
		want: []string{"user: begin", "note: openclaw:turn-aborted", "user: now", "note: openclaw:turn-aborted"},
	},
	{
		name: "interrupt between sequential calls", configuration: `messages: {queue: {mode: "interrupt"}}`,
		answers: []string{"|w a|w b|w c", "Now."}, say: []string{"result a: now"},
		want: []string{
			"user: begin", "assistant: [a] [b] [c]", "result a", "result b: Operation aborted", "result c: Operation aborted",
			"note: openclaw:turn-aborted", "user: now", "assistant: Now.",
		},
	},
	{
		name: "a steered message that waits comes behind the one that interrupts", answers: []string{"|w a|w b", "Now.", "And?"},
		say: []string{"result a: patient", "result a: /queue interrupt now!"},
		want: []string{
			"user: begin", "assistant: [a] [b]", "result a", "result b: Operation aborted", "note: openclaw:turn-aborted",
			"user: now!", "user: patient", "assistant: Now.",
		},
	},
	{
		name: "steer against the mode", configuration: `messages: {queue: {mode: "followup", debounceMs: 1}}`,
		answers: []string{"|w a|w b", "Ok.", "Later."}, say: []string{"call a: later", "call a: /steer at once"},
		want: []string{
			"user: begin", "assistant: [a] [b]", "result a", "result b: " + skipped, "user: at once", "assistant: Ok.", "user: later", "assistant: Later.",
		},
	},
	{
		name: "tell is steer", configuration: `messages: {queue: {mode: "collect", debounceMs: 1}}`,
		answers: []string{"|w a|w b", "Ok."}, say: []string{"call a: /tell at once"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b: " + skipped, "user: at once", "assistant: Ok."},
	},
	{
		name: "steer without a run is a message", before: []string{"/steer hello"}, answers: []string{"1", "2"},
		want: []string{"user: hello", "assistant: 1", "user: begin", "assistant: 2"},
	},
	{
		name: "the mode of one message", answers: []string{"|w a|w b", "Ok.", "Later."}, say: []string{"call a: do it /queue followup debounce:1 later"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "assistant: Ok.", "user: do it later", "assistant: Later."},
	},
	{
		name: "the mode of the session", before: []string{"/queue followup debounce:1"}, answers: []string{"|w a|w b", "Ok.", "Later."},
		say:  []string{"call a: later"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "assistant: Ok.", "user: later", "assistant: Later."},
	},
	{
		name: "the mode of the session changes while it runs", answers: []string{"|w a|w b|w c", "Ok.", "Later."},
		say:  []string{"call a: /queue followup debounce:1", "call b: later"},
		want: []string{"user: begin", "assistant: [a] [b] [c]", "result a", "result b", "result c", "assistant: Ok.", "user: later", "assistant: Later."},
	},
	{
		name: "the session's settings go", before: []string{"/queue followup", "/queue default"}, answers: []string{"|w a|w b", "Ok."},
		say:  []string{"call a: now"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b: " + skipped, "user: now", "assistant: Ok."},
	},
	{
		name: "the oldest gives way to a line", configuration: `messages: {queue: {mode: "followup", debounceMs: 1, cap: 2}}`,
		answers: []string{"1", "2", "3"}, say: []string{"start: a", "start: b", "start: c"},
		want: []string{
			"user: begin", "assistant: 1", "user: [Queue overflow: 1 message dropped]⏎Summary:⏎- a⏎⏎b", "assistant: 2", "user: c", "assistant: 3",
		},
	},
	{
		name: "what was dropped stands in what is collected", configuration: `messages: {queue: {mode: "collect", debounceMs: 1, cap: 1}}`,
		answers: []string{"1", "2"}, say: []string{"start: a", "start: b", "start: c"},
		want: []string{
			"user: begin", "assistant: 1",
			"user: [Queued messages while agent was busy]⏎⏎[Queue overflow: 2 messages dropped]⏎Summary:⏎- b⏎⏎---⏎Queued #1⏎c", "assistant: 2",
		},
	},
	{
		name: "the oldest goes", configuration: `messages: {queue: {mode: "followup", debounceMs: 1, cap: 1, drop: "oldest"}}`,
		answers: []string{"1", "2"}, say: []string{"start: a", "start: b"},
		want: []string{"user: begin", "assistant: 1", "user: b", "assistant: 2"},
	},
	{
		name: "the newest is not taken", configuration: `messages: {queue: {mode: "followup", debounceMs: 1, cap: 1, drop: "new"}}`,
		answers: []string{"1", "2"}, say: []string{"start: a", "start: !b"},
		want: []string{"user: begin", "assistant: 1", "user: a", "assistant: 2"},
	},
	{
		name: "stop while a command runs", answers: []string{"|x a sleep 600", "Never."}, say: []string{"call a: waits", "call a: /stop"},
		want: []string{"user: begin", "assistant: [a]", "result a: Operation aborted", "note: openclaw:turn-aborted"},
	},
	{
		name: "stop, and go on", answers: []string{"|w a|w b", "On."}, say: []string{"result a: /stop", "end: go on"},
		want: []string{
			"user: begin", "assistant: [a] [b]", "result a", "result b: Operation aborted", "note: openclaw:turn-aborted", "user: go on", "assistant: On.",
		},
	},
	{
		name: "what looks like a command and is none", answers: []string{"|w a|w b", "Ok."}, say: []string{"call a: /etc/hosts is a file"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b: " + skipped, "user: /etc/hosts is a file", "assistant: Ok."},
	},
	{
		name: "commands do not skip calls", answers: []string{"|w a|w b", "Ok."}, say: []string{"call a: /status", "call a: /help", "call a: /model"},
		want: []string{"user: begin", "assistant: [a] [b]", "result a", "result b", "assistant: Ok."},
	},
	{
		name: "each run of a long day", answers: []string{"1|w a", "2", "3|w b|w c", "4", "5"},
		say: []string{"call a: x", "end: y", "call b: z"},
		want: []string{
			"user: begin", "assistant: 1 [a]", "result a", "user: x", "assistant: 2", "user: y", "assistant: 3 [b] [c]", "result b",
			"result c: " + skipped, "user: z", "assistant: 4",
		},
	},
}

func TestMessagesAtEveryBoundary(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			h := newHome(t, script(s.answers...), s.configuration)
			for _, text := range s.before {
				h.send(text)
				h.settle()
			}
			m := &moments{seen: map[string]int{}}
			var mu sync.Mutex
			said := map[int]bool{}
			h.on = func(e conversation.Event) {
				name := m.name(e)
				for i, line := range s.say {
					moment, text, _ := strings.Cut(line, ": ")
					mu.Lock()
					due := !said[i] && (moment == name || moment == strings.Split(name, "#")[0] && !strings.Contains(line, "#"))
					due = due && (i == 0 || said[i-1])
					said[i] = said[i] || due
					mu.Unlock()
					if !due {
						continue
					}
					sayAt(t, h, text)
					if i+1 < len(s.say) && strings.HasPrefix(s.say[i+1], moment+": ") && strings.HasPrefix(moment, "text") {
						break // one in each answer
					}
				}
			}
			h.send("begin")
			h.settle()
			if got, want := h.transcript(), strings.Join(s.want, "\n"); got != want {
				t.Errorf("transcript\n%s\nwant\n%s", got, want)
			}
			for i := range s.say {
				if !said[i] {
					t.Errorf("%q never came", s.say[i])
				}
			}
			checkEnds(t, h)
		})
	}
}

// sayAt sends a message of a scenario; "-" is none, and one behind "!" is not taken.
func sayAt(t *testing.T, h *home, text string) {
	refused := strings.HasPrefix(text, "!")
	if text == "-" {
		return
	}
	_, err := h.talk.Send(t.Context(), conversation.Message{Text: strings.TrimPrefix(text, "!")})
	if (err != nil) != refused {
		t.Errorf("send %q: %v", text, err)
	}
}

// checkEnds wants a start and an end of each call, also of those that were skipped.
func checkEnds(t *testing.T, h *home) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	open := map[string]int{}
	for _, e := range h.events {
		if e.Run == nil {
			continue
		}
		if d, ok := e.Run.Data.(agent.ToolEvent); ok {
			switch d.Phase {
			case agent.PhaseStart:
				open[d.CallID]++
			case agent.PhaseResult:
				open[d.CallID]--
			}
		}
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("the call %s has %d starts more than ends", id, n)
		}
	}
}

// TestMessagesByTheClock lets messages come when people send them: in the middle of what takes its time.
func TestMessagesByTheClock(t *testing.T) {
	const beat = 150 * time.Millisecond
	for _, s := range []struct {
		name, mode string
		answers    []string
		say        []string // one a beat, "" is none; the first half a beat after the beginning
		want       []string
	}{
		{
			"the model thinks, and its calls give way", "steer",
			[]string{"~300 I act.|w a|w b", "Ok."},
			[]string{"wait"},
			[]string{"user: begin", "assistant: I act. [a] [b]", "result a: " + skipped, "result b: " + skipped, "user: wait", "assistant: Ok."},
		},
		{
			"a command runs, and finishes", "steer",
			[]string{"|x a sleep 0.3|x b true", "Ok."},
			[]string{"wait"},
			[]string{"user: begin", "assistant: [a] [b]", "result b", "result a", "user: wait", "assistant: Ok."},
		},
		{
			"people write faster than the model answers", "steer",
			[]string{"~400 1", "~400 2", "3"},
			[]string{"a", "b"},
			[]string{"user: begin", "assistant: 1", "user: a", "assistant: 2", "user: b", "assistant: 3"},
		},
		{
			"what comes while it is quiet is gathered", "collect",
			[]string{"~300 1", "2"},
			[]string{"a", "b", "c"},
			[]string{
				"user: begin", "assistant: 1",
				"user: [Queued messages while agent was busy]⏎⏎---⏎Queued #1⏎a⏎⏎---⏎Queued #2⏎b⏎⏎---⏎Queued #3⏎c", "assistant: 2",
			},
		},
		{
			"one after the other", "followup",
			[]string{"~300 1", "2", "3"},
			[]string{"a", "b"},
			[]string{"user: begin", "assistant: 1", "user: a", "assistant: 2", "user: b", "assistant: 3"},
		},
		{
			"each interrupts the one before", "interrupt",
			[]string{"~600000 Never."},
			[]string{"a", "b", "/stop"},
			[]string{
				"user: begin", "note: openclaw:turn-aborted", "user: a", "note: openclaw:turn-aborted", "user: b", "note: openclaw:turn-aborted",
			},
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			h := newHome(t, script(s.answers...), fmt.Sprintf("messages: {queue: {mode: %q, debounceMs: 300}}", s.mode))
			h.send("begin")
			time.Sleep(beat / 2)
			for _, text := range s.say {
				if text != "" {
					h.send(text)
				}
				time.Sleep(beat)
			}
			h.settle()
			if got, want := h.transcript(), strings.Join(s.want, "\n"); got != want {
				t.Errorf("transcript\n%s\nwant\n%s", got, want)
			}
		})
	}
}

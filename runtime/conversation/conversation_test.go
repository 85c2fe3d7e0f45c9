package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/conversation"
	"openclaw/runtime/queue"
	"openclaw/runtime/session"
)

func TestCommandsAreAnswered(t *testing.T) {
	h := newHome(t, script("1", "2", "3"), `session: {resetTriggers: ["/new", "Start over"]}`)
	h.send("hi")
	h.settle()
	for _, c := range []struct{ text, want string }{
		{"/help", "/queue [steer|followup|collect|interrupt]"},
		{"/commands", "/stop"},
		{"/status", "Queue: mode steer, debounce 500ms, cap 20, drop summarize"},
		{"/STATUS", "Idle; 0 messages wait"},
		{"/stop", "Nothing runs."},
		{"/queue", "Queue: mode steer"},
		{"/queue collect cap:3", "Queue: mode collect, debounce 500ms, cap 3"},
		{"/queue drop:new", "Queue: mode collect, debounce 500ms, cap 3, drop new"},
		{"/queue reset", "Queue: mode steer, debounce 500ms, cap 20, drop summarize"},
		{"/queue sideways", `Nothing was changed: there is no queue mode "sideways"`},
		{"/steer", "/steer MESSAGE"},
		{"/model", "The model is script/"},
		{"/model script/other.json", "The model is script/other.json from the next run on."},
		{"/model status", "(chosen for this session)"},
		{"/model no/such", "The model stays as it is: "},
		{"/model default", "The choice is taken back. The model is script/"},
		{"/model one two", "One model, please"},
		{"/context", "Parts:"},
		{"/context json", `"stableHash"`},
		{"/think high", "high"},
		{"/think high /queue followup", "Queue: mode followup"},
		{"/compact", "The conversation stays as it is: "},
		{"start over", "The conversation begins anew."},
		{"/NEW", "The conversation begins anew."},
	} {
		r := h.send(c.text)
		if r.State != conversation.StateAnswered || !strings.Contains(r.Reply, c.want) {
			t.Errorf("%s: %s %q, want %q", c.text, r.State, r.Reply, c.want)
		}
	}
	if got := h.transcript(); got != "user: hi\nassistant: 1\nreset: reset\nreset: reset" {
		t.Errorf("transcript\n%s", got)
	}
}

func TestWhatStandsBehindNewBeginsTheNewConversation(t *testing.T) {
	h := newHome(t, script("1", "2"), "")
	h.write("other.json", script("Other."))
	h.send("hi")
	h.settle()
	other := "script/" + h.dir + "/other.json"
	if r := h.send("/new " + other + " hello there"); !strings.Contains(r.Reply, "The model is "+other) || r.State == conversation.StateAnswered {
		t.Errorf("%+v", r)
	}
	h.settle()
	if got := h.transcript(); got != "user: hi\nassistant: 1\nreset: reset\nuser: hello there\nassistant: Other." {
		t.Errorf("transcript\n%s", got)
	}
}

func TestANewConversationEndsTheRunOfTheOldOne(t *testing.T) {
	h := newHome(t, script("2"), "")
	h.write("slow.json", script("|x a echo > begun; sleep 600"))
	h.sendAs(conversation.Message{Text: "hi", Model: "script/" + h.dir + "/slow.json"})
	h.whenThere("begun")
	if r := h.send("/new and now?"); !strings.HasPrefix(r.Reply, "The run is stopped.") {
		t.Errorf("%+v", r)
	}
	h.settle()
	want := "user: hi\nassistant: [a]\nresult a: (aborted)\nnote: openclaw:turn-aborted\nreset: reset\nuser: and now?\nassistant: 2"
	if got := h.transcript(); got != want {
		t.Errorf("transcript\n%s", got)
	}
}

func TestOnlyThoseWhoMayGiveCommands(t *testing.T) {
	h := newHome(t, script("1"), "")
	h.sendAs(conversation.Message{Text: "/stop /queue collect", Plain: true})
	h.settle()
	if got := h.transcript(); got != "user: /stop /queue collect\nassistant: 1" {
		t.Errorf("transcript\n%s", got)
	}
}

func TestAMessageIsTakenOnce(t *testing.T) {
	h := newHome(t, script("1", "2"), "")
	for i := range 3 {
		_, err := h.talk.Send(t.Context(), conversation.Message{ID: "key", Text: "hi"})
		if i > 0 != errors.Is(err, session.ErrKnownInput) {
			t.Errorf("time %d: %v", i+1, err)
		}
		if i > 0 {
			h.settle()
		}
	}
	if got := h.transcript(); got != "user: hi\nassistant: 1" {
		t.Errorf("transcript\n%s", got)
	}
}

func TestAMessageThatNoRunCanBeginWithIsGivenBack(t *testing.T) {
	h := newHome(t, script("1"), "")
	r := h.sendAs(conversation.Message{Text: "hi", Model: "openai/gpt-6-astra"})
	h.settle()
	h.mu.Lock()
	defer h.mu.Unlock()
	last := h.events[len(h.events)-1].Ended
	if last == nil || last.Err == nil || len(last.Returned) != 1 || last.Returned[0] != r.ID {
		t.Errorf("%+v", last)
	}
	if list, err := h.store().Inputs(t.Context(), mainKey); err != nil || len(list) != 0 {
		t.Errorf("%v wait, %v", list, err)
	}
}

func TestOneMessageIsWithdrawn(t *testing.T) {
	h := newHome(t, script("~200 1", "2"), `messages: {queue: {mode: "followup", debounceMs: 1}}`)
	h.send("hi")
	a, b := h.send("a"), h.send("b")
	for _, want := range []bool{true, false} {
		if got, err := h.talk.Withdraw(t.Context(), "", "", a.ID); got != want || err != nil {
			t.Errorf("withdrawn %v, %v", got, err)
		}
	}
	h.settle()
	if got := h.transcript(); got != "user: hi\nassistant: 1\nuser: b\nassistant: 2" || b.Waiting < 2 {
		t.Errorf("transcript\n%s", got)
	}
}

func TestWhatWaitsSurvivesTheEndOfTheProcess(t *testing.T) {
	h := newHome(t, script("~200 1", "2", "3", "4"), `messages: {queue: {mode: "followup", debounceMs: 1}}`)
	h.send("hi")
	h.send("a")
	h.sendAs(conversation.Message{Text: "b", Queue: queue.Override{Mode: queue.Steer}})
	h.close()
	h.open()
	if n, err := h.talk.Resume(t.Context(), "", ""); n < 2 || err != nil {
		t.Fatalf("%d wait, %v", n, err)
	}
	h.settle()
	got := h.transcript()
	for _, text := range []string{"user: hi", "user: a", "user: b"} {
		if strings.Count(got+"\n", text+"\n") != 1 {
			t.Errorf("%q is not there once:\n%s", text, got)
		}
	}
}

func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	h := newHome(t, script("|x a sleep 600"), "")
	h.write("quick.json", script("Quick."))
	h.send("hi")
	h.sendAs(conversation.Message{Text: "hello", Session: "other", Model: "script/" + h.dir + "/quick.json"})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := h.talk.Wait(ctx, "", "other"); err != nil {
		t.Fatal(err)
	}
	h.send("/stop")
	h.settle()
}

// abortWithin is how soon a run has to have ended that is interrupted.
const abortWithin = 100 * time.Millisecond

func TestInterruptingEndsTheRunAndItsGuestsSoon(t *testing.T) {
	for name, command := range map[string]string{
		"a sleep": "sleep 600", "a loop": "while :; do :; done", "a pipe": "yes | while read x; do :; done", "awk": "awk 'BEGIN { for (;;) n++ }'",
		"sort": "seq 1 100000000 | sort -R | tail -1", "jq": "jq -n 'last(repeat(1))'",
	} {
		t.Run(name, func(t *testing.T) {
			took := interruptOnce(t, command)
			for try := 0; took > abortWithin && try < 3; try++ { // the machine may be busy with something else
				took = min(took, interruptOnce(t, command))
			}
			t.Logf("the run ended after %s", took)
			if took > abortWithin {
				t.Errorf("the run ended after %s, want %s at most", took, abortWithin)
			}
		})
	}
}

// interruptOnce interrupts a run in the middle of a command and tells how long it took to end.
func interruptOnce(t *testing.T, command string) time.Duration {
	t.Helper()
	h := newHome(t, script("|x a echo begun > begun; "+strings.ReplaceAll(command, "|", bar), "Now."), `messages: {queue: {mode: "interrupt"}}`)
	ended := make(chan time.Time, 1)
	h.on = func(e conversation.Event) {
		if e.Ended != nil && e.Ended.Outcome.RunID != "" {
			select {
			case ended <- time.Now():
			default: // it is the second run
			}
		}
	}
	h.send("begin")
	h.whenThere("begun")
	time.Sleep(50 * time.Millisecond) // so that it is in the middle of it
	begun := time.Now()
	h.send("now")
	took := (<-ended).Sub(begun)
	h.settle()
	got := strings.Split(h.transcript(), "\n")
	if len(got) != 6 || !strings.Contains(got[2], "bort") || got[3] != "note: openclaw:turn-aborted" || got[4] != "user: now" || got[5] != "assistant: Now." {
		t.Errorf("transcript\n%.2000s", strings.Join(got, "\n"))
	}
	return took
}

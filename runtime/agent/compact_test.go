package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/agent"
	"openclaw/runtime/compaction"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
)

// worker is a model of a small window that refuses what is longer, as providers do. Its answers are computed.
type worker struct {
	window  int64
	answer  func(r *model.Request) *model.Message
	summary func(ctx context.Context, r *model.Request) (string, error)
	flush   func(r *model.Request) *model.Message

	mu        sync.Mutex
	prompts   []int64 // the tokens of each request of the conversation
	summaries []model.Request
	flushes   []model.Request
	requests  []model.Request
}

func promptSize(r *model.Request) int64 {
	var e compaction.Estimate
	n := e.Text(r.System) + e.Text(r.SystemVolatile)
	for _, t := range r.Tools {
		n += e.Text(t.Name) + e.Text(t.Description) + e.Text(string(t.Parameters))
	}
	for i := range r.Messages {
		n += e.Message(&r.Messages[i])
	}
	return n
}

func said(text string) *model.Message {
	return &model.Message{Role: model.RoleAssistant, Content: []model.Block{{Type: model.BlockText, Text: text}}, StopReason: model.StopEnd}
}

func called(calls ...model.Block) *model.Message {
	return &model.Message{Role: model.RoleAssistant, Content: calls, StopReason: model.StopToolUse}
}

func call(id, name string, arguments any) model.Block {
	raw, _ := json.Marshal(arguments)
	return model.Block{Type: model.BlockToolCall, ID: id, Name: name, Arguments: raw}
}

// wholeSummary has every heading.
const wholeSummary = "## Decisions\nWe met.\n## Open todos\nNone\n## Constraints\nNone\n## Pending asks\nNone\n## Exact identifiers\nNone"

func (w *worker) Stream(ctx context.Context, r *model.Request, on func(model.Delta)) (*model.Message, error) {
	size := promptSize(r)
	summarises := strings.HasPrefix(r.System, "You write the summary")
	flushes := len(r.Messages) > 0 && strings.Contains(w.asked(r), "is about to give way to a summary")
	w.mu.Lock()
	kept := *r
	kept.Messages = slices.Clone(r.Messages)
	switch {
	case summarises:
		w.summaries = append(w.summaries, kept)
	case flushes:
		w.flushes = append(w.flushes, kept)
	default:
		w.requests = append(w.requests, kept)
		w.prompts = append(w.prompts, size)
	}
	w.mu.Unlock()
	if size > w.window {
		err := &model.Error{Kind: model.KindOverflow, Provider: "fake", Model: r.Model, Message: "the prompt is too long"}
		return &model.Message{Role: model.RoleAssistant, StopReason: model.StopError, Error: err.Error()}, err
	}
	var m *model.Message
	switch {
	case summarises && w.summary != nil:
		text, err := w.summary(ctx, r)
		if err != nil {
			return &model.Message{Role: model.RoleAssistant, StopReason: model.StopError}, err
		}
		m = said(text)
	case summarises:
		m = said(wholeSummary)
	case flushes && w.flush != nil:
		m = w.flush(r)
	case flushes:
		m = said("NO_REPLY")
	default:
		m = w.answer(r)
	}
	m.Time = model.Millis{Time: time.Now()}
	return m, nil
}

// asked is the newest message of the user.
func (w *worker) asked(r *model.Request) string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == model.RoleUser {
			return m.Text()
		}
	}
	return ""
}

// newWorker makes a state directory whose agent asks the worker. settings are the members of agents.defaults.compaction.
func newWorker(t *testing.T, w *worker, settings string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), models: models.Options{
		NewClient: func(models.Endpoint) (model.Client, error) { return w, nil },
		Sleep:     func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}}
	h.write("openclaw.json", fmt.Sprintf(`{
		"models": {"providers": {"fake": {"baseUrl": "http://127.0.0.1:9", "apiKey": "k", "models": [{"id": "small", "contextWindow": %d, "maxTokens": 4000}]}}},
		"agents": {"defaults": {"model": "fake/small", "compaction": {%s}}}}`, w.window, settings))
	h.open()
	return h
}

func (h *home) say(text string) *agent.Outcome {
	h.t.Helper()
	o, err := h.runtime.Run(h.t.Context(), agent.Turn{Message: text})
	if err != nil {
		h.t.Fatal(err)
	}
	return o
}

// compactions are those of the main session, the oldest first.
func (h *home) compactions() (list []session.Compaction) {
	h.t.Helper()
	store, err := h.runtime.Store(h.t.Context(), "main")
	if err != nil {
		h.t.Fatal(err)
	}
	for e, err := range store.Branch(h.t.Context(), session.Ref{Key: mainKey}, "") {
		if err != nil {
			h.t.Fatal(err)
		}
		if e.Type != session.TypeCompaction {
			continue
		}
		var c session.Compaction
		if err := json.Unmarshal(e.Body, &c); err != nil {
			h.t.Fatal(err)
		}
		list = append(list, c)
	}
	slices.Reverse(list)
	return list
}

// context is what a model is shown of the main session, as JSON.
func (h *home) context() string {
	h.t.Helper()
	store, err := h.runtime.Store(h.t.Context(), "main")
	if err != nil {
		h.t.Fatal(err)
	}
	entries, err := store.Context(h.t.Context(), session.Ref{Key: mainKey})
	if err != nil {
		h.t.Fatal(err)
	}
	text, err := json.Marshal(entries)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

// filler is a text of about so many tokens.
func filler(tokens int) string { return strings.Repeat("lorem ", tokens*4/6) }

func TestAConversationThatOutgrowsTheWindowIsCompacted(t *testing.T) {
	w := &worker{window: 32_000, answer: func(*model.Request) *model.Message { return said("I see. " + filler(500)) }}
	h := newWorker(t, w, `"keepRecentTokens": 4000, "memoryFlush": {"enabled": false}`)
	const turns = 40
	var compactions int
	for i := range turns {
		compactions += h.say(fmt.Sprintf("message %d about /srv/data/part-%d.csv %s", i, i, filler(500))).Compactions
	}
	list := h.compactions()
	if len(list) == 0 || compactions != len(list) {
		t.Fatalf("%d compactions, %d told of", len(list), compactions)
	}
	for i, c := range list {
		if c.FirstKeptEntryID == "" || c.TokensAfter >= c.TokensBefore || !strings.Contains(c.Summary, "## Exact identifiers") {
			t.Errorf("compaction %d: %+v", i, c)
		}
		if len([]rune(c.Summary)) > compaction.MaxSummaryChars {
			t.Errorf("the summary has %d characters", len([]rune(c.Summary)))
		}
	}
	last := list[len(list)-1].Summary
	for i := range turns / 2 {
		if name := fmt.Sprintf("/srv/data/part-%d.csv", i); !strings.Contains(last, name) {
			t.Errorf("%s is not in the last summary", name)
		}
	}
	if most := slices.Max(w.prompts); most > w.window {
		t.Errorf("a prompt had %d tokens", most)
	}
	shape := strings.Fields(h.shape(mainKey))
	for _, role := range []string{"user", "assistant"} {
		if got := len(slices.DeleteFunc(slices.Clone(shape), func(s string) bool { return s != role })); got != turns {
			t.Errorf("the transcript has %d messages of %s of %d", got, role, turns)
		}
	}
	previous := w.summaries[len(w.summaries)-1].Messages[0].Text()
	if len(list) > 1 && !strings.Contains(previous, "<previous-summary>") {
		t.Errorf("the previous summary was not folded in: %.300q", previous)
	}
}

// twoInFlight is a session whose newest turn has two calls whose results came in the other order, so large that what is kept of the
// newest part ends between them.
func twoInFlight(t *testing.T, w *worker, settings string) *home {
	t.Helper()
	w.window = 32_000
	big := `awk 'BEGIN { for (i = 0; i < 2400; i++) printf "some words "; print "%s" }'`
	w.answer = func(r *model.Request) *model.Message {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == model.RoleUser && strings.Contains(last.Text(), "both") {
			return called(call("slow", "exec", object{"command": "sleep 0.1; " + fmt.Sprintf(big, "slow")}), call("quick", "exec", object{"command": fmt.Sprintf(big, "quick")}))
		}
		return said("Done. " + filler(300))
	}
	h := newWorker(t, w, settings)
	for i := range 12 {
		h.say(fmt.Sprintf("message %d %s", i, filler(300)))
	}
	return h
}

func TestACutNeverComesBetweenACallAndItsResult(t *testing.T) {
	w := &worker{}
	h := twoInFlight(t, w, `"keepRecentTokens": 8000, "memoryFlush": {"enabled": false}`)
	h.say("run both")
	c, err := h.runtime.Compact(t.Context(), agent.Turn{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.Summary, "## Decisions") || c.FirstKeptEntryID == "" {
		t.Errorf("%+v", c)
	}
	h.say("and now?")
	last := w.requests[len(w.requests)-1].Messages
	open, results := map[string]bool{}, 0
	for _, m := range last {
		for _, c := range m.Calls() {
			open[c.ID] = true
		}
		if m.Role == model.RoleToolResult {
			if results++; !open[m.ToolCallID] {
				t.Errorf("the result of %s has no call", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 || results != 0 && results != 2 {
		t.Errorf("%d results, without: %v", results, open)
	}
}

func TestACompactionThatFailsLeavesTheHistoryAsItWas(t *testing.T) {
	for name, summary := range map[string]func(ctx context.Context, r *model.Request) (string, error){
		"it takes too long": func(ctx context.Context, _ *model.Request) (string, error) { <-ctx.Done(); return "", ctx.Err() },
		"it fails": func(context.Context, *model.Request) (string, error) {
			return "", &model.Error{Kind: model.KindAuth, Provider: "fake", Message: "no such key"}
		},
		"it lacks a heading": func(context.Context, *model.Request) (string, error) { return "We talked.", nil },
		"it is empty":        func(context.Context, *model.Request) (string, error) { return "", nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := &worker{summary: summary}
			h := twoInFlight(t, w, `"keepRecentTokens": 8000, "timeoutSeconds": 1, "memoryFlush": {"enabled": false}`)
			h.say("run both")
			before, shape := h.context(), h.shape(mainKey)
			if c, err := h.runtime.Compact(t.Context(), agent.Turn{}, ""); err == nil || c != nil {
				t.Errorf("%+v, %v", c, err)
			}
			if h.context() != before || h.shape(mainKey) != shape {
				t.Error("the history is another")
			}
			if o := h.say("go on"); o.Status != agent.StatusOK {
				t.Errorf("%+v", o)
			}
		})
	}
}

func TestARunGoesOnWhenItsCompactionFails(t *testing.T) {
	asked := 0
	w := &worker{window: 32_000, answer: func(*model.Request) *model.Message { return said("I see.") }}
	w.summary = func(context.Context, *model.Request) (string, error) { asked++; return "We talked.", nil }
	h := newWorker(t, w, `"keepRecentTokens": 2000, "memoryFlush": {"enabled": false}`)
	var warnings []string
	for i := range 20 {
		o, err := h.runtime.Run(t.Context(), agent.Turn{Message: fmt.Sprint(i, filler(1500))})
		if err != nil {
			if !errors.Is(err, agent.ErrFull) || model.KindOf(err) != model.KindOverflow || !strings.Contains(err.Error(), "larger window") {
				t.Errorf("turn %d: %v", i, err)
			}
			break
		}
		warnings = append(warnings, o.Warnings...)
	}
	if len(warnings) == 0 || !strings.Contains(warnings[0], "was not compacted: ") || len(h.compactions()) > 0 {
		t.Errorf("%q, %d compactions", warnings, len(h.compactions()))
	}
	if asked > 2*7 { // it is not tried again in each turn
		t.Errorf("asked %d times", asked)
	}
}

func TestAModelWhoseWindowIsSmallerThanKnownIsAskedAgain(t *testing.T) {
	w := &worker{window: 100_000, answer: func(*model.Request) *model.Message { return said("I see. " + filler(1000)) }}
	h := newWorker(t, w, `"memoryFlush": {"enabled": false}`)
	w.window = 24_000 // it is configured with more
	var triggers []agent.Trigger
	for i := range 30 {
		_, err := h.runtime.Run(t.Context(), agent.Turn{Message: fmt.Sprint("message ", i, filler(500)), On: func(e agent.Event) {
			if d, ok := e.Data.(agent.CompactionEvent); ok && d.Phase == agent.PhaseEnd {
				triggers = append(triggers, d.Trigger)
			}
		}})
		if err != nil {
			t.Fatalf("turn %d: %v", i, err)
		}
	}
	if len(triggers) < 2 || slices.Contains(triggers, agent.TriggerThreshold) {
		t.Errorf("%v", triggers)
	}
}

func TestAMessageThatNoWindowHoldsSaysWhatCanBeDone(t *testing.T) {
	w := &worker{window: 32_000, answer: func(*model.Request) *model.Message { return said("I see.") }}
	h := newWorker(t, w, "")
	h.say("hello")
	_, err := h.runtime.Run(t.Context(), agent.Turn{Message: filler(40_000)})
	if !errors.Is(err, agent.ErrFull) || model.KindOf(err) != model.KindOverflow || !strings.Contains(err.Error(), "send less at once") {
		t.Fatal(err)
	}
	if len(h.compactions()) != 0 {
		t.Error("it was compacted for nothing")
	}
}

func TestCompactionThatIsSwitchedOff(t *testing.T) {
	w := &worker{window: 16_000, answer: func(*model.Request) *model.Message { return said("I see.") }}
	h := newWorker(t, w, `"enabled": false, "keepRecentTokens": 1000`)
	var err error
	for i := 0; i < 20 && err == nil; i++ {
		_, err = h.runtime.Run(t.Context(), agent.Turn{Message: filler(1500)})
	}
	if !errors.Is(err, agent.ErrFull) || !strings.Contains(err.Error(), "compaction.enabled") || len(w.summaries) > 0 {
		t.Errorf("%v", err)
	}
	if _, err := h.runtime.Compact(t.Context(), agent.Turn{}, ""); err != nil {
		t.Errorf("by hand: %v", err)
	}
}

func TestCompactionByHand(t *testing.T) {
	w := &worker{window: 64_000, answer: func(*model.Request) *model.Message { return said("I see. " + filler(300)) }}
	h := newWorker(t, w, `"keepRecentTokens": 2000, "thinkingLevel": "high"`)
	if _, err := h.runtime.Compact(t.Context(), agent.Turn{}, ""); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("without a session: %v", err)
	}
	h.say("hello")
	if _, err := h.runtime.Compact(t.Context(), agent.Turn{}, ""); !errors.Is(err, agent.ErrNothing) {
		t.Errorf("with nothing to compact: %v", err)
	}
	for i := range 10 {
		h.say(fmt.Sprint("message ", i, filler(300)))
	}
	if _, err := h.runtime.Compact(t.Context(), agent.Turn{}, strings.Repeat("é", compaction.MaxFocusChars+1)); err == nil {
		t.Error("a focus without a bound was taken")
	}
	var phases []agent.Phase
	c, err := h.runtime.Compact(t.Context(), agent.Turn{Session: mainKey, On: func(e agent.Event) {
		if d, ok := e.Data.(agent.CompactionEvent); ok {
			phases = append(phases, d.Phase)
		}
	}}, "the price of é")
	if err != nil || c.TokensAfter >= c.TokensBefore || c.SessionKey != mainKey {
		t.Fatalf("%+v, %v", c, err)
	}
	if !slices.Equal(phases, []agent.Phase{agent.PhaseFlush, agent.PhaseStart, agent.PhaseEnd}) {
		t.Errorf("phases %v", phases)
	}
	if q := w.summaries[len(w.summaries)-1]; !strings.Contains(q.Messages[0].Text(), "the price of é") || len(q.Tools) > 0 || q.MaxTokens == 0 {
		t.Errorf("%+v", q)
	}
	store, _ := h.runtime.Store(t.Context(), "main")
	if info, err := store.Get(t.Context(), session.Ref{Key: mainKey}); err != nil || info.Status != session.StatusDone || info.RunID != "" {
		t.Errorf("%+v, %v", info, err)
	}
	list := h.entries(mainKey)
	if last := list[len(list)-1]; last.Type != session.TypeCompaction || last.ID != c.EntryID {
		t.Errorf("the last entry is %s %s", last.Type, last.ID)
	}
	if again, err := h.runtime.Compact(t.Context(), agent.Turn{}, ""); !errors.Is(err, agent.ErrNothing) {
		t.Errorf("twice: %+v, %v", again, err)
	}
	h.say("what was the price?")
	if first := w.requests[len(w.requests)-1].Messages[0].Text(); !strings.Contains(first, c.Summary) {
		t.Errorf("the model was not shown the summary: %.300q", first)
	}
}

func TestHooksOfCompactions(t *testing.T) {
	w := &worker{window: 64_000, answer: func(*model.Request) *model.Message { return said("I see. " + filler(300)) }}
	h := newWorker(t, w, `"keepRecentTokens": 1000, "memoryFlush": {"enabled": false}`)
	var seen []string
	h.hooks = agent.CompactionHooks{
		Timeout: 10 * time.Millisecond,
		Before: []func(context.Context, string, agent.Trigger){
			func(_ context.Context, key string, trigger agent.Trigger) {
				seen = append(seen, key+" "+string(trigger))
			},
			func(context.Context, string, agent.Trigger) { panic("oops") },
			func(ctx context.Context, _ string, _ agent.Trigger) { <-ctx.Done() },
		},
		After: []func(context.Context, agent.Trigger, agent.Compacted){
			func(_ context.Context, _ agent.Trigger, c agent.Compacted) { seen = append(seen, c.EntryID) },
		},
	}
	h.open()
	for i := range 8 {
		h.say(fmt.Sprint("message ", i, filler(300)))
	}
	c, err := h.runtime.Compact(t.Context(), agent.Turn{}, "")
	if err != nil || !slices.Equal(seen, []string{mainKey + " manual", c.EntryID}) {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestTheAgentWritesDownWhatMattersBefore(t *testing.T) {
	w := &worker{window: 48_000, answer: func(*model.Request) *model.Message { return said("I see. " + filler(500)) }}
	w.flush = func(r *model.Request) *model.Message {
		if last := r.Messages[len(r.Messages)-1]; last.Role == model.RoleToolResult {
			return said("NO_REPLY")
		}
		return called(call("1", "write", object{"path": "memory/note.md", "content": "the user likes tea\n"}), call("2", "exec", object{"command": "touch done-by-exec"}))
	}
	h := newWorker(t, w, `"keepRecentTokens": 4000`)
	var payloads []string
	for i := range 100 {
		payloads = append(payloads, h.say(fmt.Sprint("message ", i, filler(500))).Payloads...)
	}
	if got := h.file("memory/note.md"); got != "the user likes tea\n" {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(h.conf.Workspace, "done-by-exec")); err == nil {
		t.Error("a command ran")
	}
	if cycles := len(h.compactions()); cycles < 2 || len(w.flushes) > 2*(cycles+1) || len(w.flushes) < 2*cycles {
		t.Errorf("%d requests for the memory in %d compactions", len(w.flushes), cycles)
	}
	if shape := h.shape(mainKey); strings.Contains(shape, "toolResult") || strings.Contains(strings.Join(payloads, ""), "NO_REPLY") || len(payloads) != 100 {
		t.Errorf("the turn can be seen: %d payloads, %s", len(payloads), shape)
	}
	for _, tool := range w.flushes[0].Tools {
		if tool.Name == "exec" {
			t.Error("commands were offered")
		}
	}
}

func TestWhereNothingCanBeWrittenNoMemoryIsAskedFor(t *testing.T) {
	w := &worker{window: 48_000, answer: func(*model.Request) *model.Message { return said("I see. " + filler(500)) }}
	h := newWorker(t, w, `"keepRecentTokens": 4000`)
	for i := range 60 {
		if _, err := h.runtime.Run(t.Context(), agent.Turn{Session: "agent:main:chat:group:1", Message: fmt.Sprint("message ", i, filler(500))}); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.summaries) == 0 || len(w.flushes) > 0 {
		t.Errorf("%d summaries, %d requests for the memory", len(w.summaries), len(w.flushes))
	}
}

func TestWhatTheProviderCountsDecides(t *testing.T) {
	w := &worker{window: 64_000}
	counted := int64(1000)
	w.answer = func(*model.Request) *model.Message {
		m := said("I see. " + filler(100))
		m.Usage = &model.Usage{Input: counted / 2, CacheRead: counted / 2, Output: 100}
		return m
	}
	h := newWorker(t, w, `"keepRecentTokens": 1000, "memoryFlush": {"enabled": false}`)
	for i := range 12 {
		if o := h.say(fmt.Sprint("message ", i, filler(300))); o.Compactions > 0 {
			t.Fatal("it was compacted too early")
		}
	}
	counted = 50_000 // the text has other tokens than it seems
	h.say("much")
	counted = 1000
	if o := h.say("and now?"); o.Compactions != 1 {
		t.Errorf("%d compactions", o.Compactions)
	}
	counted = 50_000
	h.say("much again")
	if _, err := h.runtime.Compact(t.Context(), agent.Turn{}, ""); err != nil {
		t.Fatal(err)
	}
	// The answer that stays was counted before. That holds no more, also when nothing but the transcript is known, as after a crash.
	store, _ := h.runtime.Store(t.Context(), "main")
	if _, err := store.Update(t.Context(), mainKey, session.Patch{Members: map[string]json.RawMessage{"compaction": json.RawMessage("null")}}); err != nil {
		t.Fatal(err)
	}
	if o := h.say("once more"); o.Compactions != 0 {
		t.Error("what was counted before the compaction still held")
	}
}

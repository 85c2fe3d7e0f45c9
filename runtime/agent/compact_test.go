package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// compactions are those of the main session.
func (h *home) compactions() (list []session.Compaction) {
	h.t.Helper()
	for _, e := range h.entries(mainKey) {
		if e.Type != session.TypeCompaction {
			continue
		}
		var c session.Compaction
		if err := json.Unmarshal(e.Body, &c); err != nil {
			h.t.Fatal(err)
		}
		list = append(list, c)
	}
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

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"openclaw/runtime/compaction"
	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/tools"
)

// Trigger is why a conversation is compacted.
type Trigger string

// The triggers.
const (
	TriggerThreshold Trigger = "threshold" // it comes close to the model's window
	TriggerOverflow  Trigger = "overflow"  // the model says that it is longer than its window
	TriggerManual    Trigger = "manual"    // somebody wants it
)

// StreamCompaction is the stream of CompactionEvent.
const StreamCompaction Stream = "compaction"

// PhaseFlush is the phase of a compaction in which the agent may write down what matters.
const PhaseFlush Phase = "flush"

// CompactionEvent is the data of StreamCompaction: PhaseFlush, then PhaseStart, then PhaseEnd, or PhaseError when the conversation stays as it is.
type CompactionEvent struct {
	Phase   Phase   `json:"phase"`
	Trigger Trigger `json:"trigger"`
	*Compacted
	Error string `json:"error,omitempty"`
}

// Compacted is what came of a compaction. Tokens are what the whole prompt has, as far as that can be told without the model.
type Compacted struct {
	SessionKey       string `json:"sessionKey"`
	EntryID          string `json:"entryId"`
	FirstKeptEntryID string `json:"firstKeptEntryId,omitempty"` // empty: nothing but the summary stays
	Summary          string `json:"summary"`
	TokensBefore     int64  `json:"tokensBefore"`
	TokensAfter      int64  `json:"tokensAfter"`

	Warnings []string `json:"warnings,omitempty"` // of Compact
}

// CompactionHooks observe compactions. What goes wrong in one is no failure of the run.
type CompactionHooks struct {
	Before []func(ctx context.Context, session string, t Trigger)
	After  []func(ctx context.Context, t Trigger, c Compacted)
	// Timeout bounds each call; zero is DefaultCompactionHookTimeout.
	Timeout time.Duration
}

// DefaultCompactionHookTimeout bounds each call of a hook.
const DefaultCompactionHookTimeout = 30 * time.Second

// ErrFull is the cause when a conversation does not fit the model's window, and could not be made to.
var ErrFull = errors.New("the conversation does not fit the model's window")

// ErrNothing is the cause when there is nothing to compact.
var ErrNothing = compaction.ErrNothing

const (
	// maxOverflows is how often the model may say that one request is too long before the run fails.
	maxOverflows = 3
	// regrowPercent is how much of the window a conversation grows by before a compaction that failed is tried again.
	regrowPercent = 5
	percent       = 100
)

// fill is how full the model's window is.
type fill struct {
	count      compaction.Counter
	overhead   int64 // of a request besides its messages
	measured   int64 // what the provider counted last; 0: nothing that still holds
	measuredAt int   // how many messages that were
}

// compactState is what is remembered of a session's compactions, beside its transcript.
type compactState struct {
	Last     string `json:"last,omitempty"`     // the entry of the newest one
	Flushed  string `json:"flushed,omitempty"`  // after which one the agent has written down what matters; "first" for none
	FailedAt int64  `json:"failedAt,omitempty"` // how many tokens there were when one failed
}

const metaCompaction = "compaction" // compactState

// firstCycle stands for the time before the first compaction.
const firstCycle = "first"

func (s *compactState) cycle() string {
	if s.Last == "" {
		return firstCycle
	}
	return s.Last
}

func (n *run) compactState() (s compactState) {
	n.meta.get(metaCompaction, &s)
	return s
}

// window is that of the model that is asked next.
func (n *run) window() int64 { return n.chain.Current().Info.ContextTokens }

// tokens is about how many tokens the next request has.
func (n *run) tokens() int64 {
	if n.fill.count == nil {
		n.fill = n.newFill()
	}
	f := &n.fill
	total, from := f.overhead, 0
	if f.measured > 0 && f.measuredAt <= len(n.history) {
		total, from = f.measured, f.measuredAt
	}
	shown := tools.Limits{ContextTokens: n.window()}.Elide(n.history)
	for i := range shown[from:] {
		total += f.count.Message(&shown[from+i])
	}
	return total
}

// newFill looks at what the run begins with. What the provider counted before the last compaction does not hold any more.
func (n *run) newFill() fill {
	f := fill{count: compaction.Estimate{}}
	f.overhead = f.count.Text(n.request.System) + f.count.Text(n.request.SystemVolatile)
	for _, t := range n.request.Tools {
		f.overhead += f.count.Text(t.Name) + f.count.Text(t.Description) + f.count.Text(string(t.Parameters))
	}
	for i := len(n.history) - 1; i >= 0; i-- {
		if m := &n.history[i]; m.Role == model.RoleAssistant && m.Time.After(n.compactedAt) && promptTokens(m.Usage) > 0 {
			f.measured, f.measuredAt = promptTokens(m.Usage)+m.Usage.Output, i+1
			break
		}
	}
	return f
}

// promptTokens is how long the prompt of an answer was; 0 when the provider did not say.
func promptTokens(u *model.Usage) int64 {
	if u == nil {
		return 0
	}
	return u.Input + u.CacheRead + u.CacheWrite
}

// askWithRoom gets the model's next answer, and makes room for it before.
func (n *run) askWithRoom(ctx context.Context) (*model.Message, error) {
	if err := n.makeRoom(ctx); err != nil {
		return nil, err
	}
	for overflows := 1; ; overflows++ {
		answer, err := n.ask(ctx)
		if err == nil {
			if used := promptTokens(answer.Usage); used > 0 {
				n.tokens() // so that there is a count
				n.fill.measured, n.fill.measuredAt = used+answer.Usage.Output, len(n.history)+1
			}
			return answer, nil
		}
		if ctx.Err() != nil || model.KindOf(err) != model.KindOverflow {
			return nil, err
		}
		if err := n.shrink(ctx, overflows, err); err != nil {
			return nil, err
		}
	}
}

// makeRoom compacts a conversation that comes close to the window. When that fails the model is asked all the same: there may be room
// enough, and else it says so.
func (n *run) makeRoom(ctx context.Context) error {
	settings := &n.agent.Compaction
	if !settings.Enabled {
		return nil
	}
	used, window := n.tokens(), n.window()
	most := window - compaction.Reserve(window)
	if n.flushDue(used, most) {
		n.flush(ctx, TriggerThreshold)
	}
	if failed := n.compactState().FailedAt; used < most || failed > 0 && used < failed+window*regrowPercent/percent {
		return ctx.Err()
	}
	_, err := n.compact(ctx, TriggerThreshold, "", window)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil || errors.Is(err, errNotWritten):
		return err
	}
	n.out.Warnings = append(n.out.Warnings, fmt.Sprintf("the conversation has about %d tokens of the model's %d and was not compacted: %v", used, window, err))
	return n.rememberCompaction(ctx, func(s *compactState) { s.FailedAt = used })
}

// shrink compacts a conversation that the model did not take. What the runtime knew of the window or of the tokens was wrong, so it
// takes the conversation itself for the measure, and less of it each time.
func (n *run) shrink(ctx context.Context, overflows int, cause error) error {
	full := func(err error) error {
		return fmt.Errorf("agent: run in %s: %w; ask a model with a larger window, send less at once, or go on in another session: %w", n.key, ErrFull, err)
	}
	if !n.agent.Compaction.Enabled {
		return full(fmt.Errorf("%w (agents.defaults.compaction.enabled is false)", cause))
	}
	if overflows >= maxOverflows {
		return full(cause)
	}
	window := min(n.window(), n.estimate()) >> (overflows - 1)
	if _, err := n.compact(ctx, TriggerOverflow, "", window); err != nil {
		return full(errors.Join(cause, err))
	}
	return nil
}

// estimate is what the next request has by the runtime's own count.
func (n *run) estimate() int64 {
	n.tokens()
	measured := n.fill.measured
	n.fill.measured = 0
	total := n.tokens()
	n.fill.measured = measured
	return total
}

// errNotWritten is the cause when a compaction could not be recorded, after which the run cannot go on.
var errNotWritten = errors.New("the compaction was not recorded")

// compact shortens the conversation to what a window holds. The transcript keeps everything.
func (n *run) compact(ctx context.Context, t Trigger, focus string, window int64) (c *Compacted, err error) {
	event := CompactionEvent{Phase: PhaseStart, Trigger: t}
	n.events.send(StreamCompaction, event)
	defer func() {
		event.Phase, event.Compacted = PhaseEnd, c
		if err != nil {
			event.Phase, event.Error = PhaseError, err.Error()
		}
		n.events.send(StreamCompaction, event)
	}()
	hooks := &n.options.Compaction
	for _, hook := range hooks.Before {
		n.observe(ctx, func(ctx context.Context) { hook(ctx, n.key.String(), t) })
	}
	n.tokens()
	result, first, err := n.summarised(ctx, focus, window)
	if err != nil {
		return nil, fmt.Errorf("agent: compact %s: %w", n.key, err)
	}
	c = &Compacted{
		SessionKey: n.key.String(), FirstKeptEntryID: first, Summary: result.Summary,
		TokensBefore: n.fill.overhead + result.Before, TokensAfter: n.fill.overhead + result.After,
	}
	if err := n.recordCompaction(ctx, c, result.Details); err != nil {
		return nil, fmt.Errorf("agent: compact %s: %w: %w", n.key, errNotWritten, err)
	}
	for _, hook := range hooks.After {
		n.observe(ctx, func(ctx context.Context) { hook(ctx, t, *c) })
	}
	return c, nil
}

// summarised has the older part of the conversation summarised, and tells which entry is the first that stays.
func (n *run) summarised(ctx context.Context, focus string, window int64) (*compaction.Result, string, error) {
	entries, err := n.store.Context(ctx, session.Ref{Key: n.key.String()})
	if err != nil {
		return nil, "", err
	}
	items, err := compactionItems(entries)
	if err != nil {
		return nil, "", err
	}
	settings := &n.agent.Compaction
	chain := n.chain
	if settings.Model != "" {
		if chain, err = n.options.Models.Chain(n.agent, models.Choice{Ref: settings.Model}); err != nil {
			return nil, "", err
		}
	}
	summaryWindow := chain.Current().Info.ContextTokens
	if chain == n.chain {
		summaryWindow = min(summaryWindow, window)
	}
	result, err := compaction.Compact(ctx, compaction.Input{
		Items: items, Window: window, Overhead: n.fill.overhead, SummaryWindow: summaryWindow, Focus: focus,
		Settings: compactionSettings(settings), Count: n.fill.count,
		Ask: func(ctx context.Context, p compaction.Prompt) (string, error) { return n.askSummary(ctx, chain, p) },
	})
	if err != nil || result.First == len(items) {
		return result, "", err
	}
	return result, items[result.First].ID, nil
}

func compactionSettings(c *config.Compaction) compaction.Settings {
	return compaction.Settings{
		KeepRecent: c.KeepRecentTokens, RecentTurns: int(c.RecentTurns), Identifiers: c.IdentifierPolicy == config.IdentifiersStrict,
		Quality: c.QualityGuard.Enabled && c.Mode == config.CompactSafeguard, MaxRetries: int(c.QualityGuard.MaxRetries),
		Timeout: time.Duration(c.TimeoutSeconds) * time.Second,
	}
}

// askSummary asks a model for a summary.
func (n *run) askSummary(ctx context.Context, chain *models.Chain, p compaction.Prompt) (string, error) {
	thinking, err := level(n.agent.Compaction.ThinkingLevel)
	if err != nil {
		return "", err
	}
	answer, err := chain.Stream(ctx, &model.Request{
		System: p.System, Messages: []model.Message{model.User(p.User)}, Thinking: thinking, MaxTokens: p.MaxTokens,
		CacheRetention: model.CacheNone,
	}, nil, n.attempted)
	if err != nil {
		return "", err
	}
	n.out.Usage.Add(answer.Usage)
	if answer.StopReason == model.StopRefusal {
		return "", errors.New("the model would not summarise the conversation")
	}
	return answer.Text(), nil
}

// attempted notes that a request beside the conversation is made again.
func (n *run) attempted(a models.Attempt) {
	if a.Next != models.NextNothing {
		n.events.send(StreamModel, modelEvent(a))
	}
	n.out.Usage.Add(a.Usage)
}

// recordCompaction writes the compaction and shows the model the shorter conversation from now on.
func (n *run) recordCompaction(ctx context.Context, c *Compacted, details compaction.Details) error {
	e, err := session.NewEntry(session.TypeCompaction, session.Compaction{
		Summary: c.Summary, FirstKeptEntryID: c.FirstKeptEntryID, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter, Details: details,
	})
	if err != nil {
		return err
	}
	stored, err := n.writer.Append(ctx, e)
	if err != nil {
		return err
	}
	c.EntryID = stored[0].ID
	if err := n.reload(ctx); err != nil {
		return err
	}
	n.fill.measured = 0
	n.injected = false // the transcript's next turns begin behind the compaction
	n.set.Compacted()
	n.out.Compactions++
	return n.rememberCompaction(ctx, func(s *compactState) {
		s.Last, s.FailedAt = c.EntryID, 0
	})
}

func (n *run) rememberCompaction(ctx context.Context, change func(*compactState)) error {
	s := n.compactState()
	change(&s)
	return n.keep(ctx, metaCompaction, s)
}

// observe calls a hook, for as long as it may take.
func (n *run) observe(ctx context.Context, hook func(context.Context)) {
	timeout := n.options.Compaction.Timeout
	if timeout <= 0 {
		timeout = DefaultCompactionHookTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		hook(ctx)
	}()
	select {
	case panicked := <-done:
		if panicked != nil {
			n.out.Warnings = append(n.out.Warnings, fmt.Sprintf("a hook of compactions panicked: %v", panicked))
		}
	case <-ctx.Done():
	}
}

// compactionItems are a session's context as it is cut.
func compactionItems(entries []session.Entry) ([]compaction.Item, error) {
	items := make([]compaction.Item, 0, len(entries))
	for _, e := range entries {
		m, err := messageOf(e)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		if m == nil {
			continue
		}
		item := compaction.Item{ID: e.ID, Kind: kindOf(e, m), Message: *m}
		if e.Type == session.TypeCompaction {
			item.Summary, item.Details = compactionOf(e)
		}
		items = append(items, item)
	}
	return items, nil
}

func kindOf(e session.Entry, m *model.Message) compaction.Kind {
	switch {
	case e.Type == session.TypeCompaction || e.Type == session.TypeBranchSummary:
		return compaction.KindSummary
	case e.Type == session.TypeCustomMessage:
		return compaction.KindCustom
	case m.Role == model.RoleToolResult:
		return compaction.KindResult
	case m.Role == model.RoleAssistant:
		return compaction.KindAssistant
	}
	return compaction.KindUser
}

// Compact shortens a session's conversation now. focus is what the summary should dwell on, at most MaxFocus characters. The turn says
// which session it is, which must exist, and has no message. When there is nothing to compact the error is ErrNothing's; whatever
// fails, the conversation stays as it was.
func (r *Runtime) Compact(ctx context.Context, t Turn, focus string) (c *Compacted, err error) {
	if focus = strings.TrimSpace(focus); utf8.RuneCountInString(focus) > compaction.MaxFocusChars {
		return nil, fmt.Errorf("agent: compact: the focus has more than %d characters", compaction.MaxFocusChars)
	}
	id, key, err := r.address(ctx, &t)
	if err != nil {
		return nil, err
	}
	store, err := r.Store(ctx, id)
	if err != nil {
		return nil, err
	}
	info, err := store.Get(ctx, session.Ref{Key: key.String()})
	if err != nil {
		return nil, err
	}
	n, err := r.newRun(id, key, t)
	if err != nil {
		return nil, err
	}
	ctx, cancel := n.bound(ctx)
	defer cancel()
	n.left = info.Status
	n.work = func(ctx context.Context) (err error) {
		c, err = n.compactNow(ctx, focus)
		return err
	}
	err = n.whole(ctx)
	return c, err
}

// compacting is what a run knows of compactions.
type compacting struct {
	fill        fill
	compactedAt time.Time // when the summary was made that the conversation begins with
	writable    bool      // the agent can write into its workspace
	// work is what is done instead of a turn; the session must exist then, and keeps its status.
	work func(ctx context.Context) error
	left session.Status
}

// creation is how a session is made that is missing.
func (n *run) creation() *session.CreateOptions {
	if n.work != nil {
		return nil
	}
	return &session.CreateOptions{Via: session.ViaRun}
}

// asksAnother tells that the agent's own model is not needed.
func (n *run) asksAnother() bool { return n.work != nil && n.agent.Compaction.Model != "" }

// leftAs is the session's status after the run.
func (n *run) leftAs(s Status) session.Status {
	if n.work != nil {
		return n.left
	}
	return sessionStatus(s)
}

// compactNow does what Compact promises, with the session's claim in hand.
func (n *run) compactNow(ctx context.Context, focus string) (*Compacted, error) {
	if _, err := n.writer.Repair(ctx); err != nil {
		return nil, err
	}
	n.meta = metaOf(n.writer.Info())
	if err := n.open(ctx); err != nil {
		return nil, err
	}
	defer n.set.Close()
	if err := n.reload(ctx); err != nil {
		return nil, err
	}
	if state := n.compactState(); n.flushAllowed(&state) && n.estimate()-n.fill.overhead > n.agent.Compaction.KeepRecentTokens {
		n.flush(ctx, TriggerManual)
	}
	c, err := n.compact(ctx, TriggerManual, focus, n.window())
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if c != nil {
		c.Warnings = n.out.Warnings
	}
	return c, errors.Join(err, n.remember(settle))
}

// reload reads what the model will be shown.
func (n *run) reload(ctx context.Context) error {
	entries, err := n.store.Context(ctx, session.Ref{Key: n.key.String()})
	if err != nil {
		return err
	}
	if len(entries) > 0 && entries[0].Type == session.TypeCompaction {
		n.compactedAt = entries[0].Time
	}
	n.history, err = Messages(entries)
	return err
}

// keep puts a member beside the session's transcript at once.
func (n *run) keep(ctx context.Context, name string, v any) error {
	if err := n.meta.set(name, v); err != nil {
		return err
	}
	_, err := n.store.Update(ctx, n.key.String(), session.Patch{Members: map[string]json.RawMessage{name: n.meta[name]}})
	return err
}

func compactionOf(e session.Entry) (summary string, details compaction.Details) {
	var c struct {
		Summary string             `json:"summary"`
		Details compaction.Details `json:"details"`
	}
	// Details that others have written in another form are none.
	if json.Unmarshal(e.Body, &c) != nil {
		_ = json.Unmarshal(e.Body, &struct {
			Summary *string `json:"summary"`
		}{&c.Summary})
		c.Details = compaction.Details{}
	}
	return c.Summary, c.Details
}

package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/agent"
	"openclaw/runtime/directive"
	"openclaw/runtime/queue"
	"openclaw/runtime/session"
)

// Names of what conversations keep beside a session's transcript.
const (
	metaQueue  = "queue"         // queue.Override
	metaModel  = "modelOverride" // modelChoice
	metaLevels = "levels"        // directive.Levels
)

// modelChoice is the model that somebody chose for a session.
type modelChoice struct {
	Ref    string `json:"ref"`
	Source string `json:"source"`
}

// command is a word that a message may begin with.
type command struct {
	names []string
	help  string
	// run carries the command out. rest is what stands behind the word. Its receipt is the message's.
	run func(r *room, ctx context.Context, m Message, rest string) (Receipt, error)
}

// commands lists them in the order of the help. It is a function because the help is one of them.
func commands() []command {
	return []command{
		{[]string{"new", "reset"}, "begin anew; with a model behind it, with that model, and with any other text, with that message", nil},
		{[]string{"stop"}, "end the run, and take back what waits", (*room).sayStop},
		{[]string{"steer", "tell"}, "MESSAGE: the model reads it at the next chance, whatever the mode is", (*room).steer},
		{[]string{"queue"}, "[steer|followup|collect|interrupt] [debounce:TIME] [cap:N] [drop:summarize|old|new], or default: what messages do that come while the agent works", nil},
		{[]string{"model"}, "[REF|default|list|status]: the model of this session", (*room).sayModel},
		{[]string{"think"}, "[LEVEL|default]: how much the model thinks", nil},
		{[]string{"verbose"}, "[on|full|off|default]: how much of the tools is shown", nil},
		{[]string{"reasoning"}, "[on|stream|off|default]: whether thinking is shown", nil},
		{[]string{"usage"}, "[tokens|full|off|cost|reset]: whether the use of tokens is shown", nil},
		{[]string{"compact"}, "[FOCUS]: shorten the conversation to a summary, which dwells on the focus", (*room).compact},
		{[]string{"status"}, "what the session does, and with what", (*room).sayStatus},
		{[]string{"context"}, "[list|json]: what the model is told besides the conversation", (*room).sayContext},
		{[]string{"help", "commands"}, "this list", (*room).sayHelp},
	}
}

// hear carries out the commands in a message, and accepts what is left.
func (r *room) hear(ctx context.Context, m Message) (Receipt, error) {
	if rest, ok := r.resetTrigger(m.Text); ok {
		return r.reset(ctx, m, rest)
	}
	if word, rest, ok := firstWord(m.Text); ok {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.run != nil && slices.Contains(c.names, word) })
		if i >= 0 {
			return commands()[i].run(r, ctx, m, rest)
		}
	}
	q, rest, hasQueue := queue.ParseDirective(m.Text)
	d := directive.Parse(rest)
	if strings.TrimSpace(d.Text) != "" || len(m.Images) > 0 {
		m.Text, m.Queue = d.Text, q.Override.Over(m.Queue)
		m.Levels = over(d.Hints(), m.Levels)
		return r.accept(ctx, m, strings.Join(q.Problems, "\n"))
	}
	var replies []string
	if hasQueue {
		text, err := r.setQueue(ctx, m, q)
		if err != nil {
			return Receipt{}, err
		}
		replies = append(replies, text)
	}
	if len(d.Directives) > 0 {
		text, err := r.setLevels(ctx, d.Directives)
		if err != nil {
			return Receipt{}, err
		}
		replies = append(replies, text)
	}
	return r.answer(strings.Join(replies, "\n")), nil
}

// over puts what was said in a message over what came with it.
func over(said, under directive.Levels) directive.Levels {
	return directive.Levels{
		Thinking: cmp.Or(said.Thinking, under.Thinking), Verbose: cmp.Or(said.Verbose, under.Verbose),
		Reasoning: cmp.Or(said.Reasoning, under.Reasoning), Usage: cmp.Or(said.Usage, under.Usage),
	}
}

// firstWord is the name of a command that a message may begin with, and what stands behind it.
func firstWord(text string) (word, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") {
		return "", "", false
	}
	end := strings.IndexFunc(text, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == ':' })
	if end < 0 {
		end = len(text)
	}
	return strings.ToLower(text[1:end]), strings.TrimSpace(strings.TrimPrefix(text[end:], ":")), true
}

// resetTrigger tells whether a message begins anew, and what is behind the words that say so.
func (r *room) resetTrigger(text string) (rest string, ok bool) {
	text = strings.TrimSpace(text)
	for _, trigger := range r.options.Config.Session.ResetTriggers {
		trigger = strings.TrimSpace(trigger)
		if len(text) < len(trigger) || !strings.EqualFold(text[:len(trigger)], trigger) {
			continue
		}
		rest := text[len(trigger):]
		if rest == "" || strings.TrimLeft(rest, " \t\n") != rest {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

func (r *room) answer(text string) Receipt {
	return Receipt{SessionKey: r.key, State: StateAnswered, Reply: text}
}

// info is the session, or one without anything when there is none yet.
func (r *room) info(ctx context.Context) (session.Info, error) {
	info, err := r.store.Get(ctx, session.Ref{Key: r.key})
	if errors.Is(err, session.ErrNotFound) {
		return session.Info{Key: r.key}, nil
	}
	return info, err
}

// member reads what is kept of a session; what is missing or of another form leaves into as it was.
func (r *room) member(ctx context.Context, name string, into any) error {
	info, err := r.info(ctx)
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if len(info.Meta) > 0 && json.Unmarshal(info.Meta, &all) == nil {
		_ = json.Unmarshal(all[name], into)
	}
	return nil
}

// keep stores something beside a session, which is made when it is missing. Nil takes it away.
func (r *room) keep(ctx context.Context, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("conversation: %s: %w", name, err)
	}
	patch := session.Patch{Members: map[string]json.RawMessage{name: text}}
	_, err = r.store.Update(ctx, r.key, patch)
	if !errors.Is(err, session.ErrNotFound) || value == nil {
		return ignoreMissing(err)
	}
	_, err = r.store.Create(ctx, session.CreateOptions{Key: r.key, Via: session.ViaRun})
	if err != nil && !errors.Is(err, session.ErrExists) {
		return err
	}
	_, err = r.store.Update(ctx, r.key, patch)
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// override is what the session sets for its messages.
func (r *room) override(ctx context.Context) (queue.Override, error) {
	var o queue.Override
	err := r.member(ctx, metaQueue, &o)
	return o, err
}

// setQueue carries out a /queue that stands alone.
func (r *room) setQueue(ctx context.Context, m Message, d queue.Directive) (string, error) {
	if len(d.Problems) > 0 {
		return "Nothing was changed: " + strings.Join(d.Problems, "; ") + ".", nil
	}
	kept, err := r.override(ctx)
	if err != nil {
		return "", err
	}
	if !d.Show() {
		if d.Clear {
			kept = queue.Override{}
		}
		kept = d.Over(kept)
		var value any // nothing
		if !kept.IsZero() {
			value = kept
		}
		if err := r.keep(ctx, metaQueue, value); err != nil {
			return "", err
		}
	}
	s := queue.For(&r.options.Config.Messages.Queue, m.From.Channel, kept)
	return fmt.Sprintf("Queue: %s. %s.", s, r.waitingText()), nil
}

// levels are those that were said for the session.
func (r *room) levels(ctx context.Context) (directive.Levels, error) {
	var l directive.Levels
	err := r.member(ctx, metaLevels, &l)
	return l, err
}

// setLevels carries out directives that stand alone.
func (r *room) setLevels(ctx context.Context, list []directive.Directive) (string, error) {
	kept, err := r.levels(ctx)
	if err != nil {
		return "", err
	}
	after := kept.With(list)
	if after != kept {
		var value any // nothing
		if after != (directive.Levels{}) {
			value = after
		}
		if err := r.keep(ctx, metaLevels, value); err != nil {
			return "", err
		}
	}
	var below directive.Levels
	chosen, _, err := r.chosenModel(ctx)
	if err != nil {
		return "", err
	}
	if ref, err := r.options.Models.Resolve(r.agent, chosen); err == nil {
		below.Thinking = string(r.options.Models.Thinking(r.agent, ref, ""))
	}
	return directive.Acknowledge(list, after, directive.Choose(directive.Levels{}, after, below)), nil
}

func (r *room) waitingText() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.items); n != 1 {
		return fmt.Sprintf("%d messages wait", n)
	}
	return "1 message waits"
}

// steer takes a message for the run at work, whatever the mode is.
func (r *room) steer(ctx context.Context, m Message, rest string) (Receipt, error) {
	if rest == "" && len(m.Images) == 0 {
		return r.answer("What should the agent read? /steer MESSAGE"), nil
	}
	m.Text, m.Queue.Mode = rest, queue.Steer
	return r.accept(ctx, m, "")
}

func (r *room) sayStop(ctx context.Context, m Message, rest string) (Receipt, error) {
	if rest != "" {
		return r.accept(ctx, m, "") // a sentence that begins so
	}
	s, err := r.stop(ctx)
	if err != nil {
		return Receipt{}, err
	}
	return r.answer(stopText(s)), nil
}

func stopText(s Stopped) string {
	text := "Nothing runs."
	if s.Running {
		text = "The run is stopped."
	}
	switch n := len(s.Withdrawn); n {
	case 0:
		return text
	case 1:
		return text + " 1 message that waited was taken back."
	default:
		return fmt.Sprintf("%s %d messages that waited were taken back.", text, n)
	}
}

// reset ends what goes on and begins the conversation anew. A model behind the command is the session's from now on; other text is
// the first message.
func (r *room) reset(ctx context.Context, m Message, rest string) (Receipt, error) {
	r.hold(1)
	defer r.hold(-1)
	stopped, err := r.stop(ctx)
	if err != nil {
		return Receipt{}, err
	}
	if err := r.runEnded(ctx); err != nil {
		return Receipt{}, err
	}
	if err := r.forgetContext(ctx); err != nil {
		return Receipt{}, err
	}
	text := "The conversation begins anew."
	if len(stopped.Withdrawn) > 0 || stopped.Running {
		text = stopText(stopped) + " " + text
	}
	ref, after, chosen := r.modelHint(rest)
	if chosen {
		if err := r.keep(ctx, metaModel, modelChoice{ref, "user"}); err != nil {
			return Receipt{}, err
		}
		text, rest = text+" The model is "+ref+".", after
	}
	if rest == "" {
		return r.answer(text), nil
	}
	m.Text = rest
	return r.accept(ctx, m, text)
}

// compact shortens the conversation. It is no work for a moment in which a run is at work.
func (r *room) compact(ctx context.Context, _ Message, rest string) (Receipt, error) {
	r.hold(1)
	defer r.hold(-1)
	r.mu.Lock()
	busy := r.active != nil
	r.mu.Unlock()
	if busy {
		return r.answer("A run is at work: try again when it has ended, or /stop it."), nil
	}
	chosen, _, err := r.chosenModel(ctx)
	if err != nil {
		return Receipt{}, err
	}
	done, err := r.options.Runtime.Compact(ctx, agent.Turn{Agent: r.agent.ID, Session: r.key, Model: chosen, Wait: claimWait}, rest)
	if err != nil {
		return r.answer("The conversation stays as it is: " + err.Error()), nil
	}
	return r.answer(fmt.Sprintf("The conversation was shortened from about %d to about %d tokens.", done.TokensBefore, done.TokensAfter)), nil
}

// forgetContext records a reset, if there is anything to forget.
func (r *room) forgetContext(ctx context.Context) error {
	info, err := r.info(ctx)
	if err != nil || info.Entries == 0 {
		return err
	}
	w, err := r.store.Claim(ctx, session.ClaimOptions{Key: r.key, Wait: claimWait})
	if err != nil {
		return err
	}
	_, err = w.Reset(ctx, session.ResetOptions{Reason: "reset"})
	return errors.Join(err, w.Release(ctx, session.StatusIdle))
}

// hold keeps runs from beginning as long as the sum is above 0.
func (r *room) hold(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held += n
	r.nudge()
}

// runEnded waits until the run has ended.
func (r *room) runEnded(ctx context.Context) error {
	r.mu.Lock()
	a := r.active
	r.mu.Unlock()
	if a == nil {
		return nil
	}
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *room) sayHelp(_ context.Context, _ Message, _ string) (Receipt, error) {
	var b strings.Builder
	b.WriteString("Commands:")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n/%s %s", strings.Join(c.names, ", /"), c.help)
	}
	return r.answer(b.String()), nil
}

// usedBy is what the runs of a session have kept of themselves.
func (r *room) usedBy(ctx context.Context) (agent.Kept, error) {
	info, err := r.info(ctx)
	if err != nil {
		return agent.Kept{}, err
	}
	return agent.KeptOf(info), nil
}

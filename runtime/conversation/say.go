package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/confinement"
	"openclaw/runtime/models"
	"openclaw/runtime/prompt"
	"openclaw/runtime/queue"
)

// chosenModel is the model that somebody chose for the session, or for all; empty: the agent's own.
func (r *room) chosenModel(ctx context.Context) (ref string, forSession bool, err error) {
	var c modelChoice
	err = r.member(ctx, metaModel, &c)
	if c.Ref == "" {
		return r.options.Model, false, err
	}
	return c.Ref, true, err
}

// currentModel is what the next run asks.
func (r *room) currentModel(ctx context.Context) (text string, err error) {
	chosen, forSession, err := r.chosenModel(ctx)
	if err != nil {
		return "", err
	}
	ref, err := r.options.Models.Resolve(r.agent, chosen)
	if err != nil {
		return "", err
	}
	if forSession {
		return ref.Name() + " (chosen for this session)", nil
	}
	return ref.Name(), nil
}

// sayModel shows or chooses the session's model.
func (r *room) sayModel(ctx context.Context, _ Message, rest string) (Receipt, error) {
	words := strings.Fields(rest)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "-s" || w == "--session" })
	switch {
	case len(words) == 0 || len(words) == 1 && strings.EqualFold(words[0], "status"):
		current, err := r.currentModel(ctx)
		if err != nil {
			return r.answer("The model cannot be asked: " + err.Error()), nil
		}
		return r.answer("The model is " + current + "."), nil
	case len(words) > 1:
		return r.answer("One model, please: /model REF, or default, list or status."), nil
	}
	switch word := words[0]; strings.ToLower(word) {
	case "list":
		return r.listModels()
	case "default":
		if err := r.keep(ctx, metaModel, nil); err != nil {
			return Receipt{}, err
		}
		current, err := r.currentModel(ctx)
		if err != nil {
			return r.answer("The choice is taken back, and the model cannot be asked: " + err.Error()), nil
		}
		return r.answer("The choice is taken back. The model is " + current + "."), nil
	default:
		return r.chooseModel(ctx, word)
	}
}

func (r *room) chooseModel(ctx context.Context, text string) (Receipt, error) {
	ref, err := r.options.Models.Resolve(r.agent, text)
	if err == nil {
		err = r.options.Models.Allowed(r.agent, ref)
	}
	if err != nil {
		return r.answer("The model stays as it is: " + err.Error()), nil
	}
	name := refText(ref)
	if err := r.keep(ctx, metaModel, modelChoice{name, "user"}); err != nil {
		return Receipt{}, err
	}
	return r.answer("The model is " + name + " from the next run on."), nil
}

// refText is a reference with the key that was named.
func refText(ref models.Ref) string {
	if ref.Profile == "" {
		return ref.Name()
	}
	_, key, _ := strings.Cut(ref.Profile, ":")
	return ref.Name() + "@" + key
}

// maxModels is how many models a list shows.
const maxModels = 40

func (r *room) listModels() (Receipt, error) {
	list, err := r.options.Models.List(r.agent, "", false)
	if err != nil {
		return Receipt{}, err
	}
	var lines []string
	for _, m := range list {
		if !m.Ready {
			continue
		}
		line := m.Ref.Name()
		if len(m.Aliases) > 0 {
			line += " (" + strings.Join(m.Aliases, ", ") + ")"
		}
		lines = append(lines, line)
	}
	if more := len(lines) - maxModels; more > 0 {
		lines = append(lines[:maxModels], fmt.Sprintf("and %d more", more))
	}
	if len(lines) == 0 {
		return r.answer("No model can be asked: there is no key for any."), nil
	}
	return r.answer("Models:\n" + strings.Join(lines, "\n")), nil
}

// modelHint reads a model behind /new: one with its provider, or an alias. Anything else is a message.
func (r *room) modelHint(text string) (ref, rest string, ok bool) {
	word, rest, _ := strings.Cut(text, " ")
	known := strings.Contains(word, "/") && !strings.HasPrefix(word, "/")
	for _, a := range r.options.Models.Aliases(r.agent) {
		known = known || strings.EqualFold(a.Name, word)
	}
	if !known {
		return "", text, false
	}
	found, err := r.options.Models.Resolve(r.agent, word)
	if err != nil || r.options.Models.Allowed(r.agent, found) != nil {
		return "", text, false
	}
	return refText(found), strings.TrimSpace(rest), true
}

func (r *room) sayStatus(ctx context.Context, m Message, rest string) (Receipt, error) {
	if rest != "" {
		return r.accept(ctx, m, "")
	}
	info, err := r.info(ctx)
	if err != nil {
		return Receipt{}, err
	}
	model, err := r.currentModel(ctx)
	if err != nil {
		model = "none: " + err.Error()
	}
	kept, err := r.override(ctx)
	if err != nil {
		return Receipt{}, err
	}
	used, err := r.usedBy(ctx)
	if err != nil {
		return Receipt{}, err
	}
	lines := []string{
		fmt.Sprintf("Agent %s, session %s", r.agent.ID, r.key),
		"Model: " + model,
		r.runText(),
		fmt.Sprintf("Queue: %s", queue.For(&r.options.Config.Messages.Queue, m.From.Channel, kept)),
		fmt.Sprintf("Transcript: %d entries", info.Entries),
	}
	if used.Usage.Total > 0 {
		lines = append(lines, fmt.Sprintf("Used: %d tokens, %.4f USD", used.Usage.Total, used.Usage.Cost.Total))
	}
	return r.answer(strings.Join(lines, "\n")), nil
}

// runText tells what goes on.
func (r *room) runText() string {
	waiting := r.waitingText()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active == nil {
		return "Idle; " + waiting
	}
	return fmt.Sprintf("A run is at work for %s; %s", time.Since(r.active.begun).Round(time.Second), waiting)
}

// sayContext shows how much the prompt takes.
func (r *room) sayContext(ctx context.Context, m Message, rest string) (Receipt, error) {
	asJSON := false
	switch strings.ToLower(rest) {
	case "", "list", "detail":
	case "json":
		asJSON = true
	default:
		return r.accept(ctx, m, "")
	}
	view, err := prompt.Look(ctx, r.options.Config, confinement.Request{Agent: r.agent.ID, Key: r.key})
	if err != nil {
		return r.answer("There is no prompt: " + err.Error()), nil
	}
	sizes := prompt.Measure(view.Input, view.Prompt)
	if asJSON {
		text, err := json.MarshalIndent(sizes, "", "  ")
		if err != nil {
			return Receipt{}, fmt.Errorf("conversation: context: %w", err)
		}
		return r.answer(string(text)), nil
	}
	return r.answer(contextText(view, &sizes)), nil
}

func contextText(view *prompt.Preview, s *prompt.Sizes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Prompt of the next run (estimate): %d chars, about %d tokens; %d of them for files of the workspace", s.Chars, s.Tokens, s.ContextPart)
	fmt.Fprintf(&b, "\nLimits: %d for each file, %d for all", s.FileLimit, s.TotalLimit)
	for _, f := range s.Files {
		fmt.Fprintf(&b, "\n  %s: %s, %d chars, %d in the prompt", f.Name, f.Status, f.RawChars, f.InjectedChars)
		if f.Truncated {
			b.WriteString(" (cut)")
		}
	}
	if !view.Injected {
		b.WriteString("\nThe next run has no files of the workspace in its prompt.")
	}
	b.WriteString("\nParts:")
	for _, p := range s.Parts {
		fmt.Fprintf(&b, "\n  %s: %d chars", p.Name, p.Chars)
	}
	return b.String()
}

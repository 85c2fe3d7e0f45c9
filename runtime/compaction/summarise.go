package compaction

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Limits of requests to the model that summarises.
const (
	historyOutputPercent = 80 // of the reserve
	prefixOutputPercent  = 50
	promptTokens         = 1500 // what a prompt has besides the conversation
	windowPercent        = 80   // of the window is used: tokens are only estimated
	minPart              = 1000 // tokens of a conversation in one request, at least
)

// work is a compaction on its way.
type work struct {
	*Input
	cut       Cut
	maxTokens int64 // of the whole summary
	details   Details
	previous  string // the summary of an earlier compaction
	retries   int
}

func newWork(in *Input, cut Cut, maxTokens int64) *work {
	w := &work{Input: in, cut: cut, maxTokens: maxTokens}
	known := []Identifier{}
	if cut.Begin > 0 {
		before := &in.Items[0]
		w.previous, w.details = before.Summary, before.Details
		known = before.Details.Identifiers
	}
	r := newRegister(known)
	if len(known) == 0 {
		r.text(w.previous, weightUser)
	}
	gone := in.Items[cut.Begin:cut.First]
	r.items(gone)
	w.details.Identifiers = r.kept()
	w.details.collectFiles(gone)
	w.details.Request = clip(strings.TrimSpace(unresolved(gone, w.details.Request)), MaxRequestChars)
	return w
}

// unresolved is the newest request that has no answer in what is summarised; before is the one that was there already.
func unresolved(items []Item, before string) string {
	request := before
	for i := range items {
		m := &items[i].Message
		switch {
		case items[i].Kind == KindUser && strings.TrimSpace(m.Text()) != "":
			request = m.Text()
		case items[i].Kind == KindAssistant && len(m.Calls()) == 0 && m.Error == "":
			request = ""
		}
	}
	return request
}

// summarise writes the summary. One that lacks something is asked for again.
func (w *work) summarise(ctx context.Context) (string, error) {
	parts := w.parts(pieces(w.Items[w.cut.Begin:w.cut.Turn]), w.previous)
	previous := w.previous
	for _, part := range parts[:len(parts)-1] {
		text, err := w.ask(ctx, historyPrompt(part, previous, w.Focus, nil), historyOutputPercent)
		if err != nil {
			return "", err
		}
		previous = head(text, MaxSummaryChars)
	}
	prefix, err := w.prefix(ctx)
	if err != nil {
		return "", err
	}
	var faults []string
	for {
		text, err := w.ask(ctx, historyPrompt(parts[len(parts)-1], previous, w.Focus, faults), historyOutputPercent)
		if err != nil {
			return "", err
		}
		summary := w.assemble(text, prefix)
		if faults = w.audit(summary); len(faults) == 0 {
			return summary, nil
		}
		if w.retries >= w.MaxRetries {
			return "", fmt.Errorf("compaction: %w: %s", ErrQuality, strings.Join(faults, " "))
		}
		w.retries++
	}
}

// prefix is the summary of the beginning of a turn whose end stays.
func (w *work) prefix(ctx context.Context) (string, error) {
	list := pieces(w.Items[w.cut.Turn:w.cut.First])
	if len(list) == 0 {
		return "", nil
	}
	// Of a beginning that one request cannot hold the middle goes: what was asked for and what was done last stay.
	text := strings.Join(list, "")
	for most := w.partTokens(prefixOutputPercent); w.Count.Text(text) > most; {
		text = clip(text, chars(text)*3/4)
	}
	return w.ask(ctx, prefixPrompt(text), prefixOutputPercent)
}

// partTokens is how much of a conversation fits one request.
func (w *work) partTokens(outputPercent int64) int64 {
	window := w.summaryWindow()
	return max(minPart, (window-promptTokens-Reserve(window)*outputPercent/100)*windowPercent/100)
}

func (w *work) summaryWindow() int64 {
	if w.SummaryWindow > 0 {
		return w.SummaryWindow
	}
	return w.Window
}

// parts joins pieces of a conversation so that each part fits a request. There is always one, which may be empty.
func (w *work) parts(pieces []string, previous string) []string {
	most := max(minPart, w.partTokens(historyOutputPercent)-w.Count.Text(previous))
	parts := []string{""}
	var size int64
	for _, piece := range pieces {
		tokens := w.Count.Text(piece)
		for ; tokens > most; tokens = w.Count.Text(piece) {
			piece = clip(piece, chars(piece)*3/4) + "\n"
		}
		if size+tokens > most && size > 0 {
			parts, size = append(parts, ""), 0
		}
		parts[len(parts)-1] += piece
		size += tokens
	}
	return parts
}

// ask makes one request.
func (w *work) ask(ctx context.Context, user string, outputPercent int64) (string, error) {
	if w.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, w.Timeout, ErrTimeout)
		defer cancel()
	}
	output := min(Reserve(w.summaryWindow())*outputPercent/100, w.maxTokens*2)
	text, err := w.Ask(ctx, Prompt{System: systemPrompt, User: user, MaxTokens: output})
	switch {
	case err != nil && errors.Is(context.Cause(ctx), ErrTimeout):
		return "", fmt.Errorf("compaction: after %s: %w", w.Timeout, ErrTimeout)
	case err != nil:
		return "", fmt.Errorf("compaction: %w", err)
	}
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "�")); text == "" {
		return "", fmt.Errorf("compaction: %w: the answer is empty", ErrQuality)
	}
	return text, nil
}

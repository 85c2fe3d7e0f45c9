package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"openclaw/runtime/agent"
)

// agentPrinter shows a run to a person: the answers on one stream, as they come where that is a terminal, and on the other a line
// for each call of a tool. It is told everything by one goroutine at a time.
type agentPrinter struct {
	out, err io.Writer
	direct   bool // out is a terminal: text is shown as it comes
	verbose  bool // thinking and the results of tools, too

	mu      sync.Mutex
	message int // the answer that text belongs to
	text    strings.Builder
	begun   bool // an answer has been written before
	column  bool // the last byte that was written to out did not end a line
	thought bool // the last byte that was written to err did not: it is thinking
	status  *statusLine
	running map[string]agent.ToolEvent
}

func newAgentPrinter(std streams, verbose bool) *agentPrinter {
	p := &agentPrinter{out: std.out, err: std.err, direct: isTerminal(std.out), verbose: verbose, running: map[string]agent.ToolEvent{}}
	if isTerminal(std.err) {
		p.status = newStatusLine(std.err)
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// event shows what happened.
func (p *agentPrinter) event(e agent.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch data := e.Data.(type) {
	case agent.Lifecycle:
		p.lifecycle(data)
	case agent.Piece:
		p.piece(e.Stream, data)
	case agent.ToolEvent:
		p.tool(data)
	case agent.ModelEvent:
		p.note(modelText(data))
	case agent.CompactionEvent:
		p.compaction(data)
	}
}

// compaction tells of a conversation that gives way to a summary. Why one does not is a warning at the end of the run.
func (p *agentPrinter) compaction(e agent.CompactionEvent) {
	switch e.Phase {
	case agent.PhaseStart:
		p.status.show("making room in the conversation")
	case agent.PhaseEnd:
		p.note(fmt.Sprintf("the conversation is compacted: about %d tokens were %d before", e.TokensAfter, e.TokensBefore))
	}
}

func (p *agentPrinter) lifecycle(l agent.Lifecycle) {
	switch l.Phase {
	case agent.PhaseStart:
		p.status.show("waiting for " + l.Model)
	case agent.PhaseEnd, agent.PhaseError:
		p.flush()
		p.status.hide()
	}
}

func (p *agentPrinter) piece(stream agent.Stream, piece agent.Piece) {
	if piece.Message != p.message {
		p.flush()
		p.message = piece.Message
	}
	switch {
	case piece.Discard:
		p.discard()
	case stream == agent.StreamThinking:
		if p.verbose && piece.Delta != "" {
			p.think(printable(piece.Delta))
		}
	case piece.Delta != "" && p.direct:
		p.status.hide()
		p.write(piece.Delta)
	case piece.Delta != "":
		p.text.WriteString(piece.Delta)
	}
}

// think shows a piece of thinking.
func (p *agentPrinter) think(text string) {
	p.status.hide()
	if p.direct && p.column {
		p.endLine()
	}
	_, _ = io.WriteString(p.err, text)
	p.thought = !strings.HasSuffix(text, "\n")
}

// endThought ends the line that thinking is on.
func (p *agentPrinter) endThought() {
	if p.thought {
		_, _ = io.WriteString(p.err, "\n")
		p.thought = false
	}
}

// discard forgets what came of an answer that is asked for again.
func (p *agentPrinter) discard() {
	p.text.Reset()
	if p.direct && p.column {
		p.endLine()
	}
}

// write shows a piece of an answer. Answers are a line apart.
func (p *agentPrinter) write(text string) {
	p.endThought()
	if p.text.Len() == 0 && p.begun && p.column {
		p.endLine()
	}
	p.begun = true
	text = printable(text)
	_, _ = io.WriteString(p.out, text) // a reader that went away ends the process
	p.column = !strings.HasSuffix(text, "\n")
	if p.direct {
		p.text.WriteString(text)
	}
}

func (p *agentPrinter) endLine() {
	_, _ = io.WriteString(p.out, "\n")
	p.column = false
}

// flush ends the answer that is being shown.
func (p *agentPrinter) flush() {
	if !p.direct && p.text.Len() > 0 {
		text := p.text.String()
		p.text.Reset()
		p.write(text)
	}
	if p.column {
		p.endLine()
	}
	p.endThought()
	p.text.Reset()
}

// note writes a line beside the answer.
func (p *agentPrinter) note(text string) { p.noteAbout(text, "", "") }

// noteAbout writes a line of a text, something about it, and the rest. In a terminal that is too narrow, the text gives way to what is
// about it.
func (p *agentPrinter) noteAbout(text, about, rest string) {
	p.status.hide()
	p.endThought()
	if p.direct && p.column {
		p.endLine()
	}
	text = printable(text)
	width := terminalWidth(p.err)
	if width > 0 {
		text = fit(text, max(width-utf8.RuneCountInString(about), minNote))
	}
	fmt.Fprintln(p.err, fit(text+about+printable(rest), width))
}

func (p *agentPrinter) tool(t agent.ToolEvent) {
	switch t.Phase {
	case agent.PhaseStart:
		p.flush()
		p.running[t.CallID] = t
		p.status.show(callText(t))
	case agent.PhaseResult:
		begun := p.running[t.CallID]
		delete(p.running, t.CallID)
		rest := ""
		if t.IsError {
			rest = ": " + firstLine(t.Text)
		}
		p.noteAbout("· "+callText(begun), fmt.Sprintf(" (%s)", durationText(time.Duration(t.DurationMs)*time.Millisecond)), rest)
		if p.verbose {
			fmt.Fprintln(p.err, printable(strings.TrimRight(t.Text, "\n")))
		}
		if len(p.running) == 0 {
			p.status.show("waiting for the model")
		}
	}
}

// minNote is how many characters of a line beside the answer are shown however narrow the terminal is.
const minNote = 12

// maxCallText is how many characters of a call's arguments are shown.
const maxCallText = 72

// callText is a call in a line: the tool, and what it works on.
func callText(t agent.ToolEvent) string {
	var fields struct{ Command, Path, Pattern, Action, Input string }
	_ = json.Unmarshal(t.Arguments, &fields) // what is no object is shown as it is
	about := string(t.Arguments)
	for _, text := range []string{fields.Command, fields.Path, fields.Pattern, fields.Action} {
		if text != "" {
			about = text
			break
		}
	}
	if t.Name == "apply_patch" {
		about = patchText(fields.Input)
	}
	return strings.TrimSpace(fit(oneLine(t.Name), maxCallText) + " " + fit(oneLine(about), maxCallText))
}

// oneLine is a text without line ends, so that no text of a model's looks like lines of ours.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// patchText names the files of a patch.
func patchText(patch string) string {
	var files []string
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark); ok {
				files = append(files, name)
			}
		}
	}
	return strings.Join(files, ", ")
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return fit(text, 2*maxCallText)
}

func durationText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func modelText(e agent.ModelEvent) string {
	text := fmt.Sprintf("· %s: %s", e.Model, oneLine(e.Reason))
	switch {
	case e.Next != "":
		text += "; trying " + e.Next
	case e.WaitMs > 0:
		text += fmt.Sprintf("; trying again in %s", durationText(time.Duration(e.WaitMs)*time.Millisecond))
	default:
		text += "; trying again"
	}
	return text
}

// statusLine tells on a terminal what is waited for, once that takes longer than a second. Its methods may be called on nil.
type statusLine struct {
	w io.Writer

	mu    sync.Mutex
	label string
	since time.Time
	shown bool
	stop  chan struct{}
	ended chan struct{}
}

func newStatusLine(w io.Writer) *statusLine {
	s := &statusLine{w: w, stop: make(chan struct{}), ended: make(chan struct{})}
	go s.tick()
	return s
}

func (s *statusLine) tick() {
	defer close(s.ended)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			s.mu.Lock()
			if waited := time.Since(s.since); s.label != "" && waited >= progressInterval {
				line := fit(fmt.Sprintf("… %s %.0f s", printable(s.label), waited.Seconds()), terminalWidth(s.w))
				fmt.Fprintf(s.w, "\r\x1b[K%s", line)
				s.shown = true
			}
			s.mu.Unlock()
		}
	}
}

// show says what is waited for from now on.
func (s *statusLine) show(label string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.label, s.since = label, time.Now()
}

// hide takes the line away.
func (s *statusLine) hide() { s.show("") }

func (s *statusLine) clear() {
	if s.shown {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.shown = false
	}
}

func (s *statusLine) close() {
	if s == nil {
		return
	}
	s.hide()
	close(s.stop)
	<-s.ended
}

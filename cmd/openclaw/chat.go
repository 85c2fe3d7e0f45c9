package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/conversation"
	"openclaw/runtime/directive"
	"openclaw/runtime/model"
)

const chatUsage = `openclaw chat [OPTIONS]

Talks to the agent: each line of standard input is a message, also while it works. What a
message does then is decided by messages.queue.mode or by /queue: the agent reads it at the next
chance, or afterwards, or stops for it. /help lists the commands.

Answers go to standard output; a line for each call of a tool, and what becomes of a message
that waits, goes to standard error. A message that was taken is stored: what still waits when
the command ends goes first the next time.

Ctrl-C is /stop; Ctrl-C twice, or the end of the input, leaves. At the end of the input what
waits is worked off first.

The exit status is 0, or 1 when a run failed, 78 when the configuration is not valid, 125 when
the command line is wrong, 130 after Ctrl-C, 143 when it was terminated.

EXAMPLES
   openclaw chat
   openclaw chat --session-key report --model anthropic/claude-haiku-4-5
   printf 'What is in my workspace?\n/status\n' | openclaw chat`

// leaveWithin is how soon after a Ctrl-C the next one leaves.
const leaveWithin = 3 * time.Second

func chatCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "chat",
		Usage:     "talk to the agent, also while it works",
		UsageText: chatUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session-key", Usage: "the session of the `KEY`, which is made when it is missing", DefaultText: "the agent's main session"},
			&cli.StringFlag{Name: "agent", Usage: "the agent `ID`", DefaultText: "the session's, or the default one"},
			&cli.StringFlag{Name: "model", Usage: "ask the model `REF`, provider/model or an alias, unless /model chose another"},
			&cli.StringFlag{Name: "verbose", Usage: "`on` shows thinking and the results of tools on standard error", Value: "off"},
			&cli.StringFlag{Name: "timeout", Usage: "end each run after `SECONDS`; 0 is no bound", DefaultText: "agents.defaults.timeoutSeconds, or 600"},
		},
		Action: func(c *cli.Context) error { return runChat(c, std) },
	}
}

func runChat(c *cli.Context, std streams) error {
	verbose, timeout, err := chatOptions(c)
	if err != nil {
		return fmt.Errorf("chat: %w (try 'openclaw chat --help')", err)
	}
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return err
	}
	if timeout == 0 {
		timeout = configuredTimeout(conf)
	}
	host, err := openHost(c.Context, std, conf)
	if err != nil {
		return err
	}
	defer func() { host.close(std.err) }()
	chat := &chat{agent: c.String("agent"), key: c.String("session-key"), printer: newAgentPrinter(std, verbose), verbose: verbose}
	defer chat.printer.status.close()
	chat.service = conversation.New(conversation.Options{
		Config: conf, Runtime: host.runtime, Models: host.models, Model: c.String("model"), Timeout: timeout, On: chat.event,
	})
	defer chat.service.Close()
	defer onInterrupt(c.Context, chat.interrupted)()
	if err := chat.talk(c.Context, std.in); err != nil {
		return err
	}
	host.settle(c.Context, std.err)
	switch {
	case c.Context.Err() != nil:
		return exitStatus(statusOfSignal(c.Context))
	case chat.anyFailed():
		return exitStatus(statusAgentFailed)
	}
	return nil
}

func chatOptions(c *cli.Context) (verbose bool, timeout time.Duration, err error) {
	if c.Args().Present() {
		return false, 0, fmt.Errorf("unexpected argument %q: messages are lines of standard input", c.Args().First())
	}
	for _, name := range []string{"agent", "session-key", "model"} {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return false, 0, fmt.Errorf("--%s is blank", name)
		}
	}
	switch c.String("verbose") {
	case "on":
		verbose = true
	case "off":
	default:
		return false, 0, fmt.Errorf("--verbose %q: on or off", c.String("verbose"))
	}
	timeout, err = runTimeout(c)
	return verbose, timeout, err
}

// chat is a conversation with a person at the other end.
type chat struct {
	service    *conversation.Service
	agent, key string
	printer    *agentPrinter
	verbose    bool

	// Of the answer that is being shown; only events use them.
	message int
	answer  *directive.Filter

	mu      sync.Mutex
	failed  bool
	stopped time.Time // of the last Ctrl-C
}

// talk sends what it reads, and waits for the end of it all.
func (ch *chat) talk(ctx context.Context, in io.Reader) error {
	waiting, err := ch.service.Resume(ctx, ch.agent, ch.key)
	if err != nil {
		return err
	}
	if waiting > 0 {
		ch.printer.remark(fmt.Sprintf("openclaw: %s from before: first comes what waits", messagesText(waiting)))
	}
	lines := make(chan string)
	ended := make(chan error, 1)
	go func() { // it outlives the command when nothing comes: reading cannot be broken off
		ended <- readLines(in, func(line string) bool {
			select {
			case lines <- line:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	for {
		select {
		case line := <-lines:
			ch.send(ctx, line)
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("chat: read standard input: %w", err)
			}
			_ = ch.service.Wait(ctx, ch.agent, ch.key) // it fails when ctx ends, which the caller sees
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// errLongLine is the failure of a line that is no message.
var errLongLine = fmt.Errorf("a line has more than %d bytes", maxMessageBytes)

// readLines reads lines until the end, or until take is false.
func readLines(in io.Reader, take func(string) bool) error {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 0, bufio.MaxScanTokenSize), maxMessageBytes+1)
	for s.Scan() {
		if !take(s.Text()) {
			return nil
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return errLongLine
	}
	return s.Err()
}

func (ch *chat) send(ctx context.Context, line string) {
	switch {
	case strings.TrimSpace(line) == "":
		return
	case !utf8.ValidString(line):
		ch.fail("the message is not UTF-8")
		return
	}
	receipt, err := ch.service.Send(ctx, conversation.Message{Agent: ch.agent, Session: ch.key, Text: line})
	if err != nil {
		ch.fail(plainText(err))
		return
	}
	if receipt.Reply != "" {
		ch.printer.reply(receipt.Reply)
	}
	if receipt.Dropped > 0 {
		ch.printer.remark(fmt.Sprintf("· %s that waited gave way: more may not wait", messagesText(receipt.Dropped)))
	}
	if receipt.State == conversation.StateWaiting {
		ch.printer.remark(fmt.Sprintf("· taken (%s): %s", receipt.Mode, waitText(receipt.Waiting)))
	}
}

func messagesText(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

func waitText(n int) string {
	if n == 1 {
		return "1 message waits"
	}
	return fmt.Sprintf("%d messages wait", n)
}

func (ch *chat) fail(text string) {
	ch.mu.Lock()
	ch.failed = true
	ch.mu.Unlock()
	ch.printer.remark("openclaw: " + text)
}

func (ch *chat) anyFailed() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.failed
}

// event shows what happens. Events come from one goroutine at a time.
func (ch *chat) event(e conversation.Event) {
	if e.Run == nil {
		ch.ended(e.Ended, e.Levels)
		return
	}
	verbose := ch.verbose || e.Levels.Verbose == directive.Full
	switch data := e.Run.Data.(type) {
	case agent.InputEvent:
		ch.printer.remark("· reads: " + firstLine(data.Text))
		return
	case agent.Piece:
		if e.Run.Stream == agent.StreamThinking {
			verbose = ch.verbose || e.Levels.Reasoning == directive.On || e.Levels.Reasoning == directive.Stream
			break
		}
		e.Run.Data = ch.filtered(e.Run, data)
	case agent.ToolEvent:
		ch.endAnswer(*e.Run)
		if e.Levels.Verbose == directive.Off {
			return
		}
	case agent.Lifecycle:
		ch.endAnswer(*e.Run)
	}
	ch.printer.show(*e.Run, verbose)
}

// filtered takes the words out of an answer that are not for people.
func (ch *chat) filtered(e *agent.Event, piece agent.Piece) agent.Piece {
	if piece.Message != ch.message || piece.Discard {
		if !piece.Discard {
			ch.endAnswer(*e)
		}
		ch.message, ch.answer = piece.Message, directive.NewFilter(false)
	}
	piece.Delta = ch.answer.Write(piece.Delta)
	return piece
}

// endAnswer shows what was held back of an answer that has ended.
func (ch *chat) endAnswer(e agent.Event) {
	if ch.answer == nil {
		return
	}
	rest := ch.answer.Close()
	e.Stream, e.Data = agent.StreamAssistant, agent.Piece{Message: ch.message, Delta: rest}
	ch.answer, ch.message = nil, 0
	if rest != "" {
		ch.printer.show(e, false)
	}
}

func (ch *chat) ended(e *conversation.Ended, levels directive.Levels) {
	switch {
	case errors.Is(e.Cause, conversation.ErrStopped):
		ch.printer.remark("· stopped")
	case errors.Is(e.Cause, conversation.ErrInterrupted):
		ch.printer.remark("· interrupted")
	case e.Cause != nil: // the command ends
	case e.Err != nil:
		hint := ""
		if model.KindOf(e.Err) == model.KindAuth {
			hint = " (see 'openclaw models status'; 'openclaw demo' needs no key)"
		}
		if n := len(e.Returned); n > 0 {
			hint += "; nothing was begun, and " + messagesText(n) + " not delivered"
		}
		ch.fail(plainText(e.Err) + hint)
	}
	if e.Outcome == nil {
		return
	}
	if u := e.Outcome.Usage; levels.Usage == directive.Tokens || levels.Usage == directive.Full {
		text := fmt.Sprintf("· used: %d tokens in, %d out", u.Input+u.CacheRead+u.CacheWrite, u.Output)
		if levels.Usage == directive.Full {
			text += fmt.Sprintf(", %.4f USD", u.Cost.Total)
		}
		ch.printer.remark(text)
	}
	for _, w := range e.Outcome.Warnings {
		ch.printer.remark("openclaw: warning: " + w)
	}
}

// interrupted is what Ctrl-C does. It tells whether the command goes on.
func (ch *chat) interrupted() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if !ch.stopped.IsZero() && time.Since(ch.stopped) < leaveWithin {
		return false
	}
	ch.stopped = time.Now()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
		defer cancel()
		found, err := ch.service.Stop(ctx, ch.agent, ch.key)
		switch {
		case err != nil:
			ch.printer.remark("openclaw: " + plainText(err))
		case !found.Running && len(found.Withdrawn) == 0:
			ch.printer.remark("· nothing runs: Ctrl-C again leaves")
		case len(found.Withdrawn) > 0:
			ch.printer.remark("· " + messagesText(len(found.Withdrawn)) + " taken back")
		}
	}()
	return true
}

// reply writes the answer to a command.
func (p *agentPrinter) reply(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status.hide()
	if p.direct && p.column {
		p.endLine()
	}
	fmt.Fprintln(p.out, printable(text))
}

// show is event with another loudness.
func (p *agentPrinter) show(e agent.Event, verbose bool) {
	p.mu.Lock()
	p.verbose = verbose
	p.mu.Unlock()
	p.event(e)
}

// remark is note for those that do not hold the lock.
func (p *agentPrinter) remark(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(text)
}

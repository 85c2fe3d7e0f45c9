package agent

import (
	"context"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/session"
)

// Inbox is where messages come from that reach a run while it works. It is asked at the boundaries where a message can be taken in:
// before each call of a sequential batch and once before a parallel one, which calls that have not begun then give way to, and before
// the model is asked. One message is taken in before each request to the model.
type Inbox interface {
	// Waiting tells, at once, whether there is a message for the model.
	Waiting() bool
	// Deliver hands the next message to commit, which puts it into the transcript, and tells whether there was one that it took. What
	// commit fails with comes back. The message waits on when commit fails.
	Deliver(commit func(Message) error) (bool, error)
}

// Message is what somebody said to an agent.
type Message struct {
	// Inputs are the ids of what it was made of in the session's store (session.Accept). They stop waiting in the moment in which the
	// message is in the transcript.
	Inputs []string
	Text   string
	Images []model.Block
}

// waiting tells the tools that calls which have not begun should give way.
func (n *run) waiting() bool { return n.turn.Inbox != nil && n.turn.Inbox.Waiting() }

// steer takes in a message that came while the run worked.
func (n *run) steer(ctx context.Context) (taken bool, err error) {
	if n.turn.Inbox == nil {
		return false, nil
	}
	return n.turn.Inbox.Deliver(func(m Message) error {
		message, err := n.commit(ctx, m)
		if err == nil {
			n.history = append(n.history, message)
			n.events.send(StreamInput, InputEvent{Inputs: m.Inputs, Text: m.Text})
		}
		return err
	})
}

// commit puts a person's message into the transcript.
func (n *run) commit(ctx context.Context, m Message) (model.Message, error) {
	message := model.User(m.Text)
	message.Content = append(message.Content, m.Images...)
	message.Time = model.Millis{Time: time.Now()}
	e, err := messageEntry(message, m.Inputs...)
	if err != nil {
		return message, err
	}
	_, err = n.writer.Consume(ctx, m.Inputs, e)
	return message, err
}

// Address finds out whose session a turn is for.
func (r *Runtime) Address(ctx context.Context, t Turn) (agentID string, key session.Key, err error) {
	return r.address(ctx, &t)
}

// Package compaction shortens a conversation that outgrows a model's window: its older part gives way to a summary that a model
// writes, its newer part stays as it is. The package knows neither sessions nor providers; it is given messages, and a way to ask.
//
// What is promised:
//
//   - A tool call and its result stay together: both are kept, or both are summarised.
//   - A summary has all of Headings, is within its bounds, and holds the exact identifiers of what it stands for, as far as they
//     fit. That is looked at when it is as short as it has to be. One that does not have them is no summary: Compact fails.
//   - When Compact fails nothing has happened: it changes nothing that it was given.
//   - What is kept and the summary together fit what the window leaves for them.
package compaction

import (
	"context"
	"errors"
	"fmt"
	"time"

	"openclaw/runtime/model"
)

// Limits of summaries, in characters.
const (
	MaxSummaryChars = 16_000
	MaxFilesChars   = 900 // of the files read, and of those changed
	MaxRequestChars = 800 // of the request that is still worked on
	MaxFocusChars   = 800
	MaxRecentChars  = 600   // of each message of the last turns that were summarised
	MaxResultChars  = 2_000 // of a tool's result, and of a call's arguments, as the model that summarises is shown them
)

// Limits of the reserve: what of a window is kept free for the answer.
const (
	minReserve        = 16_384
	reserveFloor      = 20_000
	maxReservePercent = 25
)

// Reserve is how much of a window is kept free for the answer, in tokens.
func Reserve(window int64) int64 {
	return min(max(minReserve, reserveFloor), window*maxReservePercent/100)
}

// Settings say how a conversation is shortened.
type Settings struct {
	KeepRecent  int64         // tokens of the newest messages that stay as they are
	RecentTurns int           // of how many of the last turns that are summarised the words are kept, too
	Identifiers bool          // exact identifiers must be in the summary
	Quality     bool          // the summary must have all of Headings
	MaxRetries  int           // how often a summary that has not is asked for again
	Timeout     time.Duration // of each request; 0 is no bound
}

// Counter counts tokens.
type Counter interface {
	Text(text string) int64
	Message(m *model.Message) int64
}

// Prompt is what the model that summarises is asked.
type Prompt struct {
	System, User string
	MaxTokens    int64 // of the answer
}

// Ask asks the model that summarises.
type Ask func(ctx context.Context, p Prompt) (string, error)

// Input is a conversation to be shortened.
type Input struct {
	Items    []Item
	Window   int64 // of the model that goes on with it
	Overhead int64 // what of the window is taken by everything that is no message
	// SummaryWindow is that of the model that summarises; 0: the same.
	SummaryWindow int64
	Focus         string // what the summary should dwell on
	Settings
	Count Counter
	Ask   Ask
}

// Result is a shortened conversation: the summary, then the items from First on.
type Result struct {
	Summary string
	First   int // len(Items): none
	Details Details
	Before  int64 // tokens of the messages
	After   int64
	Retries int
}

// Details are what a compaction keeps beside its summary for the next one.
type Details struct {
	ReadFiles     []string     `json:"readFiles,omitempty"`     // newest last
	ModifiedFiles []string     `json:"modifiedFiles,omitempty"` // newest last
	Identifiers   []Identifier `json:"identifiers,omitempty"`   // newest last
	Request       string       `json:"request,omitempty"`       // that is still worked on
}

// Causes of failures.
var (
	ErrNothing  = errors.New("there is nothing to summarise")
	ErrTooLarge = errors.New("what must stay does not fit the model's window")
	ErrQuality  = errors.New("the summary lacks what it must have")
	ErrTimeout  = errors.New("the model that summarises took too long")
)

// Room is what a window leaves for messages, in tokens.
func Room(window, overhead int64) int64 { return window - Reserve(window) - overhead }

// Shares of the room: what stays as it is and the summary leave some of it free, so that the next compaction is a while off.
const (
	keepShare    = 2 // what stays wants at most a half
	summaryShare = 4 // the summary has at most a quarter
)

// minRoom is the least room that a conversation can go on in.
const minRoom = 2048

// Compact shortens a conversation.
func Compact(ctx context.Context, in Input) (*Result, error) {
	room := Room(in.Window, in.Overhead)
	if room < minRoom {
		return nil, fmt.Errorf("compaction: a window of %d tokens, of which the prompt takes %d: %w", in.Window, in.Overhead, ErrTooLarge)
	}
	sizes, before := measure(in.Items, in.Count)
	cut, err := FindCut(in.Items, sizes, min(in.KeepRecent, room/keepShare), room-room/summaryShare)
	if err != nil {
		return nil, err
	}
	w := newWork(&in, cut, room/summaryShare)
	summary, err := w.summarise(ctx)
	if err != nil {
		return nil, err
	}
	after := in.Count.Text(summary)
	for _, size := range sizes[cut.First:] {
		after += size
	}
	if after >= before {
		return nil, fmt.Errorf("compaction: the summary would be no shorter: %w", ErrNothing)
	}
	return &Result{Summary: summary, First: cut.First, Details: w.details, Before: before, After: after, Retries: w.retries}, nil
}

func measure(items []Item, count Counter) (sizes []int64, total int64) {
	sizes = make([]int64, len(items))
	for i := range items {
		sizes[i] = count.Message(&items[i].Message)
		total += sizes[i]
	}
	return sizes, total
}

// Package queue has the rules for messages that come to an agent while it works: whether one is shown to the model at the next
// boundary of the run, waits for the end of the run, is gathered with others, or interrupts the run; how many may wait, and what
// becomes of the rest.
//
// It only decides: it keeps nothing, waits for nothing and has no clock. What it promises is that each message that waits is in
// exactly one of its prompts, or has been dropped by the policy that the user chose.
package queue

import (
	"encoding/json"
	"slices"
	"time"

	"openclaw/runtime/config"
)

// Mode is what a message does that comes while the agent works.
type Mode string

// The modes.
const (
	Steer     Mode = "steer"     // the model reads it at the next boundary of the run
	Followup  Mode = "followup"  // it begins a run of its own afterwards
	Collect   Mode = "collect"   // it begins a run afterwards, together with the others that wait
	Interrupt Mode = "interrupt" // it ends the run, and begins the next
)

// ParseMode reads a mode, in any case and by its other names.
func ParseMode(text string) (Mode, bool) {
	mode, ok := config.QueueMode(text)
	return Mode(mode), ok
}

// UnmarshalJSON reads a stored mode by whatever name it was stored; one that is not known is none.
func (m *Mode) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	*m, _ = ParseMode(name)
	return nil
}

// Drop is what happens when more messages come than may wait.
type Drop string

// The policies.
const (
	DropOld       Drop = "old"       // the oldest does not wait any more
	DropNew       Drop = "new"       // the newest is not taken
	DropSummarize Drop = "summarize" // a line is left of the oldest
)

// ParseDrop reads a policy, in any case and by its other names.
func ParseDrop(text string) (Drop, bool) {
	drop, ok := config.QueueDrop(text)
	return Drop(drop), ok
}

// UnmarshalJSON reads a stored policy; one that is not known is none.
func (d *Drop) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	*d, _ = ParseDrop(name)
	return nil
}

// Settings are how the messages of a session are treated.
type Settings struct {
	Mode     Mode
	Debounce time.Duration // how long it must be quiet before messages that waited begin a run
	Cap      int           // how many may wait
	Drop     Drop
}

// Override are settings of a session or of one message. What is zero is not overridden.
type Override struct {
	Mode       Mode   `json:"mode,omitempty"`
	DebounceMs *int64 `json:"debounceMs,omitempty"`
	Cap        int    `json:"cap,omitempty"`
	Drop       Drop   `json:"drop,omitempty"`
}

// IsZero tells that nothing is overridden.
func (o Override) IsZero() bool { return o == Override{} }

// Over puts o over another override.
func (o Override) Over(under Override) Override {
	if o.Mode == "" {
		o.Mode = under.Mode
	}
	if o.DebounceMs == nil {
		o.DebounceMs = under.DebounceMs
	}
	if o.Cap < 1 {
		o.Cap = under.Cap
	}
	if o.Drop == "" {
		o.Drop = under.Drop
	}
	return o
}

// For are the settings for messages from a channel, which may be empty: what is overridden, else the channel's, else the general ones.
func For(conf *config.Queue, channel string, o Override) Settings {
	s := Settings{
		Mode: Mode(conf.Mode), Debounce: milliseconds(conf.DebounceMs), Cap: int(conf.Cap), Drop: Drop(conf.Drop),
	}
	if mode, ok := conf.ByChannel[channel]; ok {
		s.Mode = Mode(mode)
	}
	if ms, ok := conf.DebounceMsByChannel[channel]; ok {
		s.Debounce = milliseconds(ms)
	}
	if o.Mode != "" {
		s.Mode = o.Mode
	}
	if o.DebounceMs != nil {
		s.Debounce = milliseconds(*o.DebounceMs)
	}
	if o.Cap >= 1 {
		s.Cap = o.Cap
	}
	if o.Drop != "" {
		s.Drop = o.Drop
	}
	return s
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// Item is a message that waits.
type Item struct {
	ID       string
	Accepted time.Time
	Text     string
	Sender   string // as people call them; may be empty
	Mode     Mode
	Debounce time.Duration
	// From is where the message came from and with what right it was said. Only messages from the same place are put together.
	From Origin
	// Dropped tells that the message does not wait any more, and that its text is the line that is left of it. The line stands for so
	// many messages.
	Dropped int
}

// Origin is where a message came from.
type Origin struct {
	Channel   string `json:"channel,omitempty"`
	Account   string `json:"account,omitempty"`
	Thread    string `json:"thread,omitempty"`
	Authority string `json:"authority,omitempty"` // whatever tells apart what senders may do
}

// Admission is what becomes of those that wait when one more comes.
type Admission struct {
	Refuse  bool     // it is not taken
	Drop    []string // the ids of those of which nothing is left
	Replace []Item   // those of which a line is left
}

// Admit makes room for one more.
func Admit(s Settings, waiting []Item) Admission {
	var a Admission
	live := live(waiting)
	over := len(live) - max(s.Cap, 1) + 1
	if over <= 0 {
		return a
	}
	switch s.Drop {
	case DropNew:
		return Admission{Refuse: true}
	case DropOld:
		for _, i := range live[:over] {
			a.Drop = append(a.Drop, i.ID)
		}
		return a
	}
	lines := slices.DeleteFunc(slices.Clone(waiting), func(i Item) bool { return i.Dropped == 0 })
	for _, i := range live[:over] {
		i.Text, i.Dropped = line(i.Text), 1
		lines = append(lines, i)
		a.Replace = append(a.Replace, i)
	}
	return a.fold(lines, max(s.Cap, 1))
}

// fold keeps so many lines: the newest ones. The oldest that stays stands for those that go, too.
func (a Admission) fold(lines []Item, most int) Admission {
	if len(lines) <= most {
		return a
	}
	gone, first := lines[:len(lines)-most], lines[len(lines)-most]
	for _, i := range gone {
		first.Dropped += i.Dropped
		a.Drop = append(a.Drop, i.ID)
	}
	same := func(i Item) bool { return i.ID == first.ID || slices.Contains(a.Drop, i.ID) }
	a.Replace = append([]Item{first}, slices.DeleteFunc(a.Replace, same)...)
	return a
}

// live are those that wait, without what is left of others.
func live(waiting []Item) []Item {
	return slices.DeleteFunc(slices.Clone(waiting), func(i Item) bool { return i.Dropped > 0 })
}

// Begin says what the next run begins with, and how long to wait for more before it does. It is not ok when nothing waits. Items
// are in the order in which they came.
func Begin(waiting []Item, now time.Time) (p Prompt, wait time.Duration, ok bool) {
	if len(waiting) == 0 {
		return Prompt{}, 0, false
	}
	live := live(waiting)
	if len(live) == 0 {
		return compose(waiting, nil), 0, true
	}
	head := live[0]
	if i := slices.IndexFunc(live, func(i Item) bool { return i.Mode == Interrupt }); i >= 0 {
		head = live[i]
	}
	if head.Mode == Followup || head.Mode == Collect {
		newest := live[len(live)-1].Accepted
		if wait = min(newest.Add(head.Debounce).Sub(now), head.Debounce); wait > 0 {
			return Prompt{}, wait, true
		}
	}
	if head.Mode == Collect {
		return gather(waiting, live), 0, true
	}
	return compose(waiting, []Item{head}), 0, true
}

// gather takes all that is to be collected, if all of it came from one place, and else the first.
func gather(waiting, live []Item) Prompt {
	all := slices.DeleteFunc(live, func(i Item) bool { return i.Mode != Collect })
	if slices.ContainsFunc(all, func(i Item) bool { return i.From != all[0].From }) {
		return compose(waiting, all[:1])
	}
	p := compose(waiting, all)
	p.Text = collected(waiting, all)
	return p
}

// Next is what the model is shown at a boundary of a run: one message. It is not ok when none is for the run.
func Next(waiting []Item) (p Prompt, ok bool) {
	for _, i := range waiting {
		if i.Dropped == 0 && (i.Mode == Steer || i.Mode == Interrupt) {
			return compose(waiting, []Item{i}), true
		}
	}
	return Prompt{}, false
}

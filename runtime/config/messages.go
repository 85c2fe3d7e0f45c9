package config

import "strings"

// maxDebounceMs bounds how long messages are gathered.
const maxDebounceMs = 3_600_000

// Messages is what happens to messages that come while the agent works.
type Messages struct{ Queue Queue }

// Queue says how waiting messages are treated.
type Queue struct {
	Mode      string // steer, followup, collect, interrupt
	Cap       int64
	Drop      string // old, new, summarize
	ByChannel map[string]string

	DebounceMs          int64 // how long it must be quiet before waiting messages begin a run
	DebounceMsByChannel map[string]int64
}

// queueModes are the modes and their other names.
var queueModes = map[string]string{
	"steer": "steer", "steering": "steer", "queue": "steer", "queued": "steer",
	"followup": "followup", "follow-ups": "followup", "followups": "followup",
	"steer+backlog": "followup", "steer-backlog": "followup", "steer_backlog": "followup",
	"collect": "collect", "coalesce": "collect",
	"interrupt": "interrupt", "interrupts": "interrupt", "abort": "interrupt",
}

// QueueMode reads a mode, in any case and by its other names.
func QueueMode(text string) (string, bool) {
	mode, ok := queueModes[strings.ToLower(text)]
	return mode, ok
}

// QueueDrop reads a policy for messages over the cap, in any case and by its other names.
func QueueDrop(text string) (string, bool) {
	drop, ok := dropPolicies[strings.ToLower(text)]
	return drop, ok
}

var dropPolicies = map[string]string{
	"old": "old", "oldest": "old", "new": "new", "newest": "new", "summarize": "summarize", "summary": "summarize",
}

func queueMode() rule[string] {
	return oneOfNamed(queueModes, "steer", "followup", "collect", "interrupt")
}

var queueKeys = object[Queue]{fields: []field[Queue]{
	key("mode", queueMode(), func(q *Queue) *string { return &q.Mode }, "steer", "What a message does that comes while the agent works."),
	key("cap", integer(1, noLimit), func(q *Queue) *int64 { return &q.Cap }, 20, "How many messages may wait in a session."),
	key("drop", oneOfNamed(dropPolicies, "summarize", "old", "new"), func(q *Queue) *string { return &q.Drop }, "summarize", "What happens when more come: the oldest give way to a short summary of them, or without one, or the newest is not taken."),
	key("byChannel", mapOf("channel", checkNotBlank, queueMode()), func(q *Queue) *map[string]string { return &q.ByChannel }, nil, "Other modes for channels."),
	key("debounceMs", integer(0, maxDebounceMs), func(q *Queue) *int64 { return &q.DebounceMs }, 500,
		"How long it must be quiet before messages that wait for the end of a run begin the next one."),
	key("debounceMsByChannel", mapOf("channel", checkNotBlank, integer(0, maxDebounceMs)), func(q *Queue) *map[string]int64 { return &q.DebounceMsByChannel }, nil,
		"The same for single channels."),
}}

var messagesKeys = object[Messages]{fields: []field[Messages]{
	group("queue", queueKeys, func(m *Messages) *Queue { return &m.Queue }, "Messages that come while the agent works."),
}}

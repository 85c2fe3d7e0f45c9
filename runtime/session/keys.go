package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a session is for, as its key says.
type Kind string

// Kinds of sessions.
const (
	KindMain     Kind = "main"
	KindGlobal   Kind = "global"
	KindDirect   Kind = "direct"
	KindGroup    Kind = "group"
	KindChannel  Kind = "channel"
	KindSubagent Kind = "subagent"
	KindCron     Kind = "cron"
	KindHook     Kind = "hook"
	KindOther    Kind = "other" // a name that somebody chose
)

// GlobalKey is the only session where session.scope is "global".
const GlobalKey = "global"

// MaxKeyBytes bounds a key.
const MaxKeyBytes = 512

// unknownChannel stands for a channel without a name.
const unknownChannel = "unknown"

// Key is a session key, taken apart. Keys are made by the functions of this package or by ParseKey.
type Key struct {
	text   string
	Agent  string // empty for global and hook keys
	Kind   Kind
	Thread string // empty when the session is not a thread of another one
}

func (k Key) String() string { return k.text }

// Main says whether tools of this session may be those of the agent's owner.
func (k Key) Main() bool { return k.Thread == "" && (k.Kind == KindMain || k.Kind == KindGlobal) }

// MainKey is the key of an agent's main session.
func MainKey(agent string) string { return agentKey(agent, "main") }

// DirectKey is the key of a conversation with one person. Channel and account may be empty: then it is the same conversation
// in every channel or account.
func DirectKey(agent, channel, account, peer string) string {
	switch {
	case channel == "":
		return agentKey(agent, "direct", segment(peer))
	case account == "":
		return agentKey(agent, segment(channel), "direct", segment(peer))
	}
	return agentKey(agent, segment(channel), segment(account), "direct", segment(peer))
}

// GroupKey is the key of a group's session. A blank channel is called unknown.
func GroupKey(agent, channel, group string) string {
	return agentKey(agent, channelSegment(channel), "group", segment(group))
}

// ChannelKey is the key of a room's session in a channel such as a chat server.
func ChannelKey(agent, channel, room string) string {
	return agentKey(agent, channelSegment(channel), "channel", segment(room))
}

// ThreadKey is the key of a thread within another session's conversation.
func ThreadKey(parent, thread string) string { return parent + ":thread:" + segment(thread) }

// SubagentKey is a new key for a sub-agent's session.
func SubagentKey(agent string) string { return agentKey(agent, "subagent", newEntryID()) }

// CronKey is the key of a job's session; with a run it is the key of that run alone.
func CronKey(agent, job, run string) string {
	if run == "" {
		return agentKey(agent, "cron", segment(job))
	}
	return agentKey(agent, "cron", segment(job), "run", segment(run))
}

// HookKey is a new key for a session that a hook starts.
func HookKey() string { return "hook:" + newEntryID() }

// NamedKey is the key of a session under a name that somebody chose. A name that is a key already stays as it is.
func NamedKey(agent, name string) string {
	if _, err := ParseKey(name); err == nil {
		return name
	}
	return agentKey(agent, strings.Split(strings.ToLower(strings.TrimSpace(name)), ":")...)
}

func agentKey(agent string, parts ...string) string {
	return "agent:" + strings.ToLower(agent) + ":" + strings.Join(parts, ":")
}

// segment makes a name one part of a key: names do not differ by case, and cannot look like several parts.
func segment(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), ":", "_")
}

func channelSegment(channel string) string {
	if s := segment(channel); s != "" {
		return s
	}
	return unknownChannel
}

// ParseKey takes a key apart, or says what is wrong with it.
func ParseKey(text string) (Key, error) {
	if err := checkKey(text); err != nil {
		return Key{}, fmt.Errorf("session: key %q: %w", text, err)
	}
	parts := strings.Split(text, ":")
	k := Key{text: text}
	switch {
	case text == GlobalKey:
		k.Kind = KindGlobal
		return k, nil
	case parts[0] == "hook" && len(parts) == 2:
		k.Kind = KindHook
		return k, nil
	case parts[0] != "agent" || len(parts) < 3:
		return Key{}, fmt.Errorf("session: key %q: must be global, hook:ID or agent:AGENT:NAME", text)
	}
	k.Agent = parts[1]
	rest := parts[2:]
	if i := slices.Index(rest, "thread"); i > 0 && i == len(rest)-2 {
		k.Thread, rest = rest[i+1], rest[:i]
	}
	k.Kind = kindOf(rest)
	return k, nil
}

func kindOf(parts []string) Kind {
	switch {
	case len(parts) == 1 && parts[0] == "main":
		return KindMain
	case len(parts) >= 2 && (parts[0] == "subagent" || parts[0] == "cron"):
		return Kind(parts[0])
	case len(parts) >= 2:
		switch kind := Kind(parts[len(parts)-2]); kind {
		case KindDirect, KindGroup, KindChannel:
			return kind
		}
	}
	return KindOther
}

func checkKey(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("must not be empty")
	case len(text) > MaxKeyBytes:
		return fmt.Errorf("has more than %d bytes", MaxKeyBytes)
	case !utf8.ValidString(text):
		return fmt.Errorf("is not UTF-8")
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) && r != ' ' }):
		return fmt.Errorf("has control characters")
	case slices.Contains(strings.Split(text, ":"), ""):
		return fmt.Errorf("has an empty part")
	case strings.TrimSpace(text) != text:
		return fmt.Errorf("begins or ends with a space")
	}
	return nil
}

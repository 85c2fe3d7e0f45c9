package config

import (
	"slices"
	"time"

	"openclaw/runtime/config/json5"
)

const (
	streamingFeature = "streaming of answers in blocks"
	pruningFeature   = "pruning of old results"
	levelsFeature    = "settings of what is shown of a run"
)

// AgentStreaming is what is configured about how an agent's answers are shown.
type AgentStreaming struct {
	Blocks           BlockStreaming // that of all agents
	HumanDelay       HumanDelay
	VerboseDefault   string
	ReasoningDefault string
	Pruning          ContextPruning // that of all agents
}

// BlockStreaming says how answers are sent in blocks while they are written.
type BlockStreaming struct {
	Default  string // on or off
	Break    string // BreakTextEnd or BreakMessageEnd
	Chunk    Chunk
	Coalesce Coalesce
}

// When blocks are sent.
const (
	BreakTextEnd    = "text_end"    // as the text is written
	BreakMessageEnd = "message_end" // when the message has ended
)

// Chunk says how long blocks are, in UTF-16 units, and where they end best.
type Chunk struct {
	MinChars   int64
	MaxChars   int64
	Preference string // paragraph, newline or sentence
}

// Coalesce says how small blocks are joined. What is 0 is decided elsewhere.
type Coalesce struct {
	MinChars int64
	MaxChars int64
	IdleMs   int64
}

// Modes of HumanDelay.
const (
	DelayOff     = "off"
	DelayNatural = "natural"
	DelayCustom  = "custom"
)

// HumanDelay says how long blocks wait for one another.
type HumanDelay struct {
	Mode         string
	MinMs, MaxMs int64
}

// Bounds of the keys of streaming.
const (
	maxIdleMs      = 5000
	defaultIdleMs  = 1000
	maxDelayMs     = 60_000
	naturalMinMs   = 800
	naturalMaxMs   = 2500
	leastChunk     = 64 // a block must have room for fences
	textChunkLimit = 4000
	chatMinChars   = 1500
)

func chunkKeys(least, most int64) object[Chunk] {
	return object[Chunk]{fields: []field[Chunk]{
		key("minChars", integer(1, noLimit), func(c *Chunk) *int64 { return &c.MinChars }, least, "How long a block is at least, in UTF-16 units. The last one of a text may be shorter."),
		key("maxChars", integer(leastChunk, noLimit), func(c *Chunk) *int64 { return &c.MaxChars }, most, "How long it is at most, with the fences of code that were added."),
		key("breakPreference", oneOf("paragraph", "newline", "sentence"), func(c *Chunk) *string { return &c.Preference }, "paragraph",
			"Where it ends best: behind a paragraph, a line or a sentence; then behind what comes later in this list, then at a blank, then anywhere."),
	}}
}

var coalesceKeys = object[Coalesce]{fields: []field[Coalesce]{
	shown("that of the blocks; 1500 for discord, googlechat, mattermost, msteams, signal and slack",
		key("minChars", integer(1, noLimit), func(c *Coalesce) *int64 { return &c.MinChars }, 0, "What is shorter waits for more.")),
	shown("textChunkLimit", key("maxChars", integer(leastChunk, noLimit), func(c *Coalesce) *int64 { return &c.MaxChars }, 0, "What would be longer is sent in two.")),
	shown("1000", key("idleMs", integer(1, maxIdleMs), func(c *Coalesce) *int64 { return &c.IdleMs }, 0, "How long what is long enough waits for more.")),
}}

var humanDelayKeys = object[HumanDelay]{
	fields: []field[HumanDelay]{
		key("mode", oneOf(DelayOff, DelayNatural, DelayCustom), func(h *HumanDelay) *string { return &h.Mode }, DelayOff,
			`"natural" waits between 800 and 2500 ms before each block but the first, "custom" between minMs and maxMs.`),
		key("minMs", integer(0, maxDelayMs), func(h *HumanDelay) *int64 { return &h.MinMs }, naturalMinMs, "The shortest pause."),
		key("maxMs", integer(0, maxDelayMs), func(h *HumanDelay) *int64 { return &h.MaxMs }, naturalMaxMs, "The longest pause."),
	},
	check: func(d *decoder, at json5.Path, n *json5.Node, h *HumanDelay) {
		if h.Mode == DelayCustom && h.MinMs > h.MaxMs {
			d.at(n.Span, at, ReasonConflict, "has a minMs of %d, which is more than maxMs, %d", h.MinMs, h.MaxMs)
		}
	},
}

// Modes of ContextPruning.
const (
	PruneOff      = "off"
	PruneCacheTTL = "cache-ttl"
)

// ContextPruning says how the results of tools that lie far back are shortened.
type ContextPruning struct {
	Mode        string
	TTL         time.Duration
	HardClear   bool
	Placeholder string
	Allow, Deny []string // names or patterns of tools; no Allow: all
}

var contextPruningKeys = keysOf([]field[ContextPruning]{
	key("mode", oneOf(PruneOff, PruneCacheTTL), func(p *ContextPruning) *string { return &p.Mode }, PruneOff,
		`"cache-ttl": when the provider has forgotten a conversation that fills a good part of the window, the model is shown less of old results of tools. The transcript keeps them.`),
	key("ttl", duration(false), func(p *ContextPruning) *time.Duration { return &p.TTL }, 5*time.Minute, "How long the provider remembers a conversation."),
	group("hardClear", object[ContextPruning]{fields: []field[ContextPruning]{
		key("enabled", boolean(), func(p *ContextPruning) *bool { return &p.HardClear }, true, "Show nothing of the oldest results when that is not enough."),
		key("placeholder", text("string", checkNotBlank), func(p *ContextPruning) *string { return &p.Placeholder }, "[Old tool result content cleared]", "What stands in their place."),
	}}, self[ContextPruning], "Results that are not shown at all."),
	group("tools", object[ContextPruning]{fields: []field[ContextPruning]{
		key("allow", listOf(text("name or pattern of tools", checkNotBlank)), func(p *ContextPruning) *[]string { return &p.Allow }, nil, "Only results of these tools. Without it all."),
		key("deny", listOf(text("name or pattern of tools", checkNotBlank)), func(p *ContextPruning) *[]string { return &p.Deny }, nil, "Never results of these; it wins."),
	}}, self[ContextPruning], "Whose results are shortened."),
}, reserved[ContextPruning]("is not a key any more: the rules are fixed", "keepLastAssistants", "softTrimRatio", "hardClearRatio", "minPrunableToolChars", "softTrim"))

// streamingKeys are those of every agent.
var streamingKeys = slices.Concat(
	later(streamingFeature,
		group("humanDelay", humanDelayKeys, func(a *Agent) *HumanDelay { return &a.HumanDelay }, "Pauses between blocks, as of a person who types.")),
	later(levelsFeature,
		key("verboseDefault", oneOf("off", "on", "full"), func(a *Agent) *string { return &a.VerboseDefault }, "off",
			`Whether the use of tools is shown: "on" as it begins, "full" with what came of it. A session can say otherwise.`),
		key("reasoningDefault", oneOf("off", "on", "stream"), func(a *Agent) *string { return &a.ReasoningDefault }, "off",
			`Whether the model's thinking is shown: "on" with the answer, "stream" as it comes. A session can say otherwise.`)),
)

// streamingDefaultsKeys are those of agents.defaults alone.
var streamingDefaultsKeys = slices.Concat(
	later(streamingFeature,
		key("blockStreamingDefault", oneOf("off", "on"), func(a *Agent) *string { return &a.Blocks.Default }, "off",
			"Send answers in blocks while they are written. A channel that is configured needs streaming.block.enabled, too, except telegram."),
		key("blockStreamingBreak", oneOf(BreakTextEnd, BreakMessageEnd), func(a *Agent) *string { return &a.Blocks.Break }, BreakTextEnd,
			`"text_end": as the text is written; "message_end": in blocks, but when the message has ended.`),
		group("blockStreamingChunk", chunkKeys(800, 1200), func(a *Agent) *Chunk { return &a.Blocks.Chunk }, "How answers are cut."),
		group("blockStreamingCoalesce", coalesceKeys, func(a *Agent) *Coalesce { return &a.Blocks.Coalesce }, "How small blocks are joined.")),
	later(pruningFeature,
		group("contextPruning", contextPruningKeys, func(a *Agent) *ContextPruning { return &a.Pruning }, "What of old results a model is shown.")),
)

// setForAll are the keys of streaming that an agent's entry cannot have.
var setForAll = []string{"blockStreamingDefault", "blockStreamingBreak", "blockStreamingChunk", "blockStreamingCoalesce", "contextPruning"}

// Channel is what is configured about a channel.
type Channel struct {
	TextChunkLimit int64
	Mode           string // off, block, partial or progress; empty: not said
	Block          *bool  // whether answers are sent in blocks; nil: not said
	Coalesce       Coalesce
	ChunkMode      string // length or newline
	Preview        Chunk
}

const telegram = "telegram"

// chats are the channels whose messages are longer when nothing else is said.
var chats = []string{"discord", "googlechat", "mattermost", "msteams", "signal", "slack"}

// noPreviews refuses what needs a channel that can change its messages.
func noPreviews() rule[string] {
	r := oneOf("off", "block", "partial", "progress")
	read := r.read
	r.schema = map[string]any{"type": "string", "enum": []string{"off", "block"}}
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *string) {
		if !d.future && (n.Str == "partial" || n.Str == "progress") {
			d.at(n.Span, at, ReasonNotSupported, "%s", notYet("previews of answers"))
			return
		}
		read(d, at, n, into)
	}
	return r
}

var blockKeys = object[Channel]{fields: []field[Channel]{
	{
		name: "enabled", kind: boolean().kind, schema: boolean().schema, doc: "Send answers in blocks, whatever blockStreamingDefault says.",
		reset: func(c *Channel) { c.Block = nil },
		read: func(d *decoder, at json5.Path, n *json5.Node, c *Channel) {
			var on bool
			boolean().read(d, at, n, &on)
			c.Block = &on
		},
	},
	group("coalesce", coalesceKeys, func(c *Channel) *Coalesce { return &c.Coalesce }, "In place of `agents.defaults.blockStreamingCoalesce`, key by key."),
}}

var channelStreamingKeys = keysOf([]field[Channel]{
	key("mode", noPreviews(), func(c *Channel) *string { return &c.Mode }, "", `"block" is as block.enabled, "off" sends answers whole.`),
	group("block", blockKeys, self[Channel], "Blocks."),
	key("chunkMode", oneOf("length", "newline"), func(c *Channel) *string { return &c.ChunkMode }, "length", `"newline" sends each paragraph by itself.`),
}, later("previews of answers",
	group("preview", object[Channel]{fields: []field[Channel]{
		group("chunk", chunkKeys(200, 800), func(c *Channel) *Chunk { return &c.Preview }, "By how much a preview grows."),
	}}, self[Channel], "Previews.")))

var channelKeys = keysOf([]field[Channel]{
	key("textChunkLimit", integer(leastChunk, noLimit), func(c *Channel) *int64 { return &c.TextChunkLimit }, textChunkLimit, "How long a message may be, in UTF-16 units."),
	group("streaming", channelStreamingKeys, self[Channel], "How answers are sent."),
},
	reserved[Channel]("is from an older version: use streaming", "blockStreaming", "blockStreamingCoalesce", "chunkMode", "draftChunk", "streamMode"),
	reserved[Channel]("is not supported: there are no chat channels", "accounts", "allowFrom", "botToken", "dmPolicy", "enabled", "groupPolicy", "groups", "token"),
)

var channelsKeys = later(streamingFeature, key("channels", mapOf("channel", checkNotBlank, channelKeys.fresh()), func(c *Config) *map[string]Channel { return &c.Channels }, nil,
	"How answers are sent where messages come from."))

// Streaming is how an agent's answers are sent to a channel, with everything decided. Lengths are in UTF-16 units.
type Streaming struct {
	Blocks         bool // in blocks while they are written; otherwise whole
	AtMessageEnd   bool
	MinChars       int64
	MaxChars       int64
	Preference     string
	EachParagraph  bool
	TextLimit      int64 // of any message
	CoalesceMin    int64
	CoalesceMax    int64
	Idle           time.Duration
	DelayMin       time.Duration // before each block but the first; 0 with DelayMax: none
	DelayMax       time.Duration
	PreviewChunk   Chunk
	PreviewPartial bool // a message that grows
}

// Streaming is how an agent's answers are sent to a channel. A channel without an entry of its own, as a terminal, needs only
// blockStreamingDefault.
func (c *Config) Streaming(a *Agent, channel string) Streaming {
	ch, configured := c.Channels[channel]
	if !configured {
		channelKeys.reset(&ch)
	}
	b := &c.Agents.Defaults.Blocks
	s := Streaming{
		AtMessageEnd: b.Break == BreakMessageEnd, Preference: b.Chunk.Preference, EachParagraph: ch.ChunkMode == "newline", TextLimit: ch.TextChunkLimit,
		PreviewChunk: ch.Preview, PreviewPartial: ch.Mode == "partial",
	}
	switch {
	case ch.Block != nil:
		s.Blocks = *ch.Block
	case ch.Mode != "":
		s.Blocks = ch.Mode == "block"
	default:
		s.Blocks = b.Default == "on" && (!configured || channel == telegram)
	}
	s.MaxChars = min(b.Chunk.MaxChars, s.TextLimit)
	s.MinChars = min(b.Chunk.MinChars, s.MaxChars)

	chatMin := s.MinChars
	if slices.Contains(chats, channel) {
		chatMin = chatMinChars
	}
	s.CoalesceMax = min(firstSet(ch.Coalesce.MaxChars, b.Coalesce.MaxChars, s.TextLimit), s.TextLimit)
	s.CoalesceMin = min(firstSet(ch.Coalesce.MinChars, b.Coalesce.MinChars, chatMin), s.CoalesceMax)
	s.Idle = time.Duration(firstSet(ch.Coalesce.IdleMs, b.Coalesce.IdleMs, defaultIdleMs)) * time.Millisecond

	least, most := int64(naturalMinMs), int64(naturalMaxMs)
	switch a.HumanDelay.Mode {
	case DelayCustom:
		least, most = a.HumanDelay.MinMs, a.HumanDelay.MaxMs
	case DelayNatural:
	default:
		least, most = 0, 0
	}
	s.DelayMin, s.DelayMax = time.Duration(least)*time.Millisecond, time.Duration(most)*time.Millisecond
	return s
}

// firstSet is the first value that is not 0.
func firstSet(values ...int64) int64 {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}

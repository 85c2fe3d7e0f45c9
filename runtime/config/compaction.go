package config

// Modes of compaction.
const (
	CompactSafeguard = "safeguard" // a summary must have everything that it should
	CompactDefault   = "default"   // any summary will do
)

// Policies for exact identifiers.
const (
	IdentifiersStrict = "strict"
	IdentifiersOff    = "off"
)

// Compaction says how conversations that outgrow the model's window are shortened.
type Compaction struct {
	Enabled          bool
	Mode             string
	Model            string // empty: the agent's
	ThinkingLevel    string
	TimeoutSeconds   int64
	KeepRecentTokens int64
	RecentTurns      int64
	IdentifierPolicy string
	QualityGuard     QualityGuard
	MemoryFlush      MemoryFlush
}

// QualityGuard says what becomes of a summary that lacks something.
type QualityGuard struct {
	Enabled    bool
	MaxRetries int64
}

// MemoryFlush says whether an agent may write down what matters before a conversation is shortened.
type MemoryFlush struct {
	Enabled             bool
	Model               string // empty: the agent's
	SoftThresholdTokens int64
	ForceFlushBytes     int64 // 0: never
}

// Bounds of what is configured about compaction.
const (
	maxRecentTurns    = 12
	maxQualityRetries = 3
)

var qualityGuardKeys = object[QualityGuard]{fields: []field[QualityGuard]{
	key("enabled", boolean(), func(q *QualityGuard) *bool { return &q.Enabled }, true,
		"A summary without one of its five headings is none: the conversation stays as it is."),
	key("maxRetries", integer(0, maxQualityRetries), func(q *QualityGuard) *int64 { return &q.MaxRetries }, 1,
		"How often such a summary is asked for again."),
}}

var memoryFlushKeys = object[MemoryFlush]{fields: []field[MemoryFlush]{
	key("enabled", boolean(), func(m *MemoryFlush) *bool { return &m.Enabled }, true,
		"Before a conversation is shortened, let the agent write down what matters. Nobody sees this turn, and it is not in the transcript. Not where the workspace is read-only."),
	key("model", text("model reference", checkNotBlank), func(m *MemoryFlush) *string { return &m.Model }, "",
		"The model of this turn. Without it, the agent's."),
	key("softThresholdTokens", integer(0, noLimit), func(m *MemoryFlush) *int64 { return &m.SoftThresholdTokens }, 4000,
		"How many tokens before the conversation has to be shortened."),
	shown("2mb", key("forceFlushTranscriptBytes", size(true), func(m *MemoryFlush) *int64 { return &m.ForceFlushBytes }, 2<<20,
		"Also when what the model is shown of the transcript has so many bytes. `false` or 0: not then.")),
}}

var compactionKeys = keysOf([]field[Compaction]{
	key("enabled", boolean(), func(c *Compaction) *bool { return &c.Enabled }, true,
		"Shorten a conversation by itself when it outgrows the model's window. Otherwise only when somebody wants it."),
	key("mode", oneOf(CompactSafeguard, CompactDefault), func(c *Compaction) *string { return &c.Mode }, CompactSafeguard,
		`"safeguard" looks at a summary before it takes it, as qualityGuard says; "default" takes any.`),
	key("model", text("model reference", checkNotBlank), func(c *Compaction) *string { return &c.Model }, "",
		"The model that writes summaries. Without it, the agent's."),
	key("thinkingLevel", thinkingLevel(), func(c *Compaction) *string { return &c.ThinkingLevel }, "low",
		"How much it thinks."),
	key("timeoutSeconds", integer(1, noLimit), func(c *Compaction) *int64 { return &c.TimeoutSeconds }, 180,
		"How long it may take for one answer. After that the conversation stays as it is."),
	key("keepRecentTokens", integer(1, noLimit), func(c *Compaction) *int64 { return &c.KeepRecentTokens }, 20_000,
		"How much of the newest part of a conversation stays as it is; at most half of what the window leaves for messages."),
	key("recentTurnsPreserve", integer(0, maxRecentTurns), func(c *Compaction) *int64 { return &c.RecentTurns }, 3,
		"Of how many turns before that part the words are kept with the summary, at most 600 characters of each message."),
	key("identifierPolicy", oneOf(IdentifiersStrict, IdentifiersOff), func(c *Compaction) *string { return &c.IdentifierPolicy }, IdentifiersStrict,
		`"strict": paths, hashes, ids and addresses that were said stay in the summary letter by letter, whether the model wrote them or not, as far as they fit.`),
	group("qualityGuard", qualityGuardKeys, func(c *Compaction) *QualityGuard { return &c.QualityGuard }, "What becomes of a summary that lacks something."),
	group("memoryFlush", memoryFlushKeys, func(c *Compaction) *MemoryFlush { return &c.MemoryFlush }, "Whether the agent may write down what matters first."),
},
	reserved[Compaction]("is not a key any more: it is computed from the model's window", "reserveTokens", "reserveTokensFloor"),
	reserved[Compaction]("is not needed: the window is looked at before every request", "midTurnPrecheck"),
	reserved[Compaction](notYet("plugins"), "provider"),
	reserved[Compaction](notYet("this part of compaction"),
		"customInstructions", "identifierInstructions", "maxActiveTranscriptBytes", "notifyUser", "postCompactionSections", "postIndexSync", "truncateAfterCompaction"),
)

package config_test

import (
	"fmt"
	"strings"
	"testing"

	"openclaw/runtime/config"
)

func TestStreamingIsDecidedPerChannel(t *testing.T) {
	const defaults = `blocks=false end=false 800-1200 paragraph each=false limit=4000 join 800-4000 1s pause 0s-0s`
	for _, c := range []struct{ name, text, channel, want string }{
		{"defaults", `{}`, "cli", defaults},
		{"on", `{agents: {defaults: {blockStreamingDefault: "on"}}}`, "cli", strings.Replace(defaults, "blocks=false", "blocks=true", 1)},
		{"a channel must say so, too", `{agents: {defaults: {blockStreamingDefault: "on"}}, channels: {irc: {}}}`, "irc", defaults},
		{"but telegram", `{agents: {defaults: {blockStreamingDefault: "on"}}, channels: {telegram: {}}}`, "telegram", strings.Replace(defaults, "blocks=false", "blocks=true", 1)},
		{"a channel alone", `{channels: {irc: {streaming: {block: {enabled: true}}}}}`, "irc", strings.Replace(defaults, "blocks=false", "blocks=true", 1)},
		{"by its mode", `{channels: {irc: {streaming: {mode: "block"}}}}`, "irc", strings.Replace(defaults, "blocks=false", "blocks=true", 1)},
		{"off by its mode", `{agents: {defaults: {blockStreamingDefault: "on"}}, channels: {telegram: {streaming: {mode: "off"}}}}`, "telegram", defaults},
		{"block.enabled wins", `{channels: {irc: {streaming: {mode: "block", block: {enabled: false}}}}}`, "irc", defaults},
		{
			"everything", `{agents: {defaults: {blockStreamingBreak: "message_end", blockStreamingChunk: {minChars: 100, maxChars: 500, breakPreference: "sentence"},
				blockStreamingCoalesce: {minChars: 200, maxChars: 900, idleMs: 250}, humanDelay: {mode: "custom", minMs: 10, maxMs: 20}}}}`, "cli",
			`blocks=false end=true 100-500 sentence each=false limit=4000 join 200-900 250ms pause 10ms-20ms`,
		},
		{
			"a channel over it", `{agents: {defaults: {blockStreamingCoalesce: {minChars: 200, maxChars: 900, idleMs: 250}}},
				channels: {irc: {textChunkLimit: 700, streaming: {chunkMode: "newline", block: {enabled: true, coalesce: {idleMs: 5000}}}}}}`, "irc",
			`blocks=true end=false 700-700 paragraph each=true limit=700 join 200-700 5s pause 0s-0s`,
		},
		{
			"chats that join more", `{channels: {slack: {}}, agents: {entries: {main: {humanDelay: {mode: "natural"}}}}}`, "slack",
			`blocks=false end=false 800-1200 paragraph each=false limit=4000 join 1500-4000 1s pause 800ms-2.5s`,
		},
	} {
		conf, err := config.LoadFuture(newHome(t, c.text, nil).options())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		agent, err := conf.Agent("main")
		if err != nil {
			t.Fatal(err)
		}
		s := conf.Streaming(agent, c.channel)
		got := fmt.Sprintf("blocks=%v end=%v %d-%d %s each=%v limit=%d join %d-%d %v pause %v-%v", s.Blocks, s.AtMessageEnd, s.MinChars, s.MaxChars, s.Preference,
			s.EachParagraph, s.TextLimit, s.CoalesceMin, s.CoalesceMax, s.Idle, s.DelayMin, s.DelayMax)
		if got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

func TestLevelsAndPruning(t *testing.T) {
	conf, err := config.LoadFuture(newHome(t, `{agents: {defaults: {verboseDefault: "on", reasoningDefault: "stream",
		contextPruning: {mode: "cache-ttl", ttl: "1h", hardClear: {enabled: false, placeholder: "gone"}, tools: {allow: ["exec"], deny: ["read*"]}}},
		entries: {a: {verboseDefault: "full"}}}}`, nil).options())
	if err != nil {
		t.Fatal(err)
	}
	a, err := conf.Agent("a")
	if err != nil {
		t.Fatal(err)
	}
	if a.VerboseDefault != "full" || a.ReasoningDefault != "stream" {
		t.Errorf("%s, %s", a.VerboseDefault, a.ReasoningDefault)
	}
	if got := fmt.Sprint(a.Pruning); got != "{cache-ttl 1h0m0s false gone [exec] [read*]}" {
		t.Error(got)
	}
}

func TestMistakesInStreaming(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{agents: {defaults: {blockStreamingDefault: true}}}`, `agents.defaults.blockStreamingDefault: must be "off" or "on", not a boolean`},
		{`{agents: {defaults: {blockStreamingCoalesce: {idleMs: 5001}}}}`, "agents.defaults.blockStreamingCoalesce.idleMs: must be a whole number from 1 to 5000, not 5001"},
		{`{agents: {defaults: {blockStreamingChunk: {maxChars: 10}}}}`, "agents.defaults.blockStreamingChunk.maxChars: must be a whole number from 64, not 10"},
		{`{agents: {defaults: {humanDelay: {mode: "custom", minMs: 9, maxMs: 8}}}}`, "agents.defaults.humanDelay: has a minMs of 9, which is more than maxMs, 8"},
	} {
		h := newHome(t, c.text, nil)
		_, err := config.LoadFuture(h.options())
		got := strings.Join(h.problems(err), "\n")
		if _, message, _ := strings.Cut(got, ": "); message != c.want {
			t.Errorf("%s: %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestStreamingThatNothingActsOnIsRefused names the keys that are ready and closed.
func TestStreamingThatNothingActsOnIsRefused(t *testing.T) {
	for _, text := range []string{
		`{agents: {defaults: {blockStreamingDefault: "off"}}}`, `{agents: {defaults: {humanDelay: {}}}}`, `{agents: {defaults: {verboseDefault: "on"}}}`,
		`{agents: {defaults: {contextPruning: {mode: "off"}}}}`, `{channels: {irc: {}}}`,
		`{agents: {entries: {a: {contextPruning: {mode: "off"}}}}}`, `{agents: {entries: {a: {blockStreamingDefault: "on"}}}}`,
	} {
		h := newHome(t, text, nil)
		_, err := config.Load(t.Context(), h.options())
		if got := h.problems(err); len(got) != 1 {
			t.Errorf("%s: %v", text, got)
		}
	}
}

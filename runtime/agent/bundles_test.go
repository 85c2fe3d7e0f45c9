package agent_test

import (
	"testing"

	"openclaw/runtime/agent"
	"openclaw/runtime/bundles"
	"openclaw/runtime/state"
	"openclaw/skills/bundle"
)

// TestARunUsesABundle has a model that is told of a bundle's tool and command once it has been approved, and of nothing of it before.
func TestARunUsesABundle(t *testing.T) {
	h := newHome(t, `{tools: {sandbox: {tools: {alsoAllow: ["links__*"]}}}}`)
	p, err := bundle.Pack("../../examples/skills/links")
	if err != nil {
		t.Fatal(err)
	}
	db, err := state.Open(t.Context(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	store := bundles.At(h.dir, db)
	if _, err := store.Install(t.Context(), p.File); err != nil {
		t.Fatal(err)
	}
	h.write("workspace/docs/a.md", "[gone](gone.md)\n")
	turn := func(script string, keys ...string) {
		t.Helper()
		ref := h.script(script)
		for _, key := range keys {
			outcome, err := h.runtime.Run(t.Context(), agent.Turn{Session: key, Message: "check the links", Model: ref})
			if err != nil || outcome.Final != "Done." {
				t.Errorf("%s: %+v, %v", key, outcome, err)
			}
		}
	}
	turn(`{"turns":[{"calls":[{"name":"links__find","arguments":{}}]}, {"expect":{"results":["links__find"]},"text":"Done."}]}`, mainKey)
	if _, err := store.Approve(t.Context(), "links", p.Digest.String()); err != nil {
		t.Fatal(err)
	}
	turn(`{"turns":[
		{"expect":{"system":"<location>/skills/links/SKILL.md</location>"},"calls":[{"name":"exec","arguments":{"command":"mkdir -p docs; echo '[gone](gone.md)' >docs/a.md"}}]},
		{"calls":[{"name":"links__find","arguments":{}}]},
		{"expect":{"results":["a.md:1: gone.md"]},"text":"Done."}]}`, "agent:main:subagent:0b9f8e2c-3f6f-4f0e-9c63-1d2f6f3a7b11", "agent:main:telegram:group:7")
}

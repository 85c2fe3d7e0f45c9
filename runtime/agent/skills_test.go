package agent_test

import (
	"testing"

	"openclaw/runtime/agent"
)

// TestARunUsesASkill has a model that finds a skill in its instructions, reads it and runs its script.
func TestARunUsesASkill(t *testing.T) {
	h := newHome(t, "")
	h.write("skills/tea/SKILL.md", "---\nname: tea\ndescription: makes tea\n---\nRun scripts/go.sh.\n")
	h.write("skills/tea/scripts/go.sh", "echo a cup of $1\n")
	ref := h.script(`{"turns":[
		{"expect":{"system":"<name>tea</name>\n    <description>makes tea</description>\n    <location>/skills/tea/SKILL.md</location>"},
		 "calls":[{"name":"read","arguments":{"path":"/skills/tea/SKILL.md"}}]},
		{"expect":{"results":["Run scripts/go.sh."]},"calls":[{"name":"exec","arguments":{"command":"sh /skills/tea/scripts/go.sh oolong"}}]},
		{"expect":{"results":["a cup of oolong"]},"text":"Here."}]}`)
	for _, key := range []string{mainKey, "agent:main:telegram:group:7"} {
		outcome, err := h.runtime.Run(t.Context(), agent.Turn{Session: key, Message: "tea, please", Model: ref})
		if err != nil || outcome.Status != agent.StatusOK || outcome.Final != "Here." {
			t.Errorf("%s: %+v, %v", key, outcome, err)
		}
	}
}

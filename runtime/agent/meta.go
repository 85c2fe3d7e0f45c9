package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"openclaw/runtime/model"
	"openclaw/runtime/session"
	"openclaw/skills"
)

// Names of what a session's runs keep beside its transcript.
const (
	metaUsage    = "usage"          // model.Usage of all runs together
	metaModel    = "model"          // the reference of the model that answered last
	metaSnapshot = "skillsSnapshot" // skills.Snapshot
)

// meta is what is known of a session besides its transcript. What others have put there stays.
type meta map[string]json.RawMessage

func metaOf(info session.Info) meta {
	m := meta{}
	if len(info.Meta) > 0 {
		_ = json.Unmarshal(info.Meta, &m) // the store keeps objects only
	}
	return m
}

// get reads a member; what is missing or of another form is left as it was.
func (m meta) get(name string, into any) bool {
	return len(m[name]) > 0 && json.Unmarshal(m[name], into) == nil
}

func (m meta) set(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("agent: session's %s: %w", name, err)
	}
	m[name] = text
	return nil
}

// snapshot is what the session has been shown of the skills; nil when it has not been shown any.
func (m meta) snapshot() *skills.Snapshot {
	var s skills.Snapshot
	if !m.get(metaSnapshot, &s) {
		return nil
	}
	return &s
}

// remember keeps what the run used, and with which model.
func (n *run) remember(ctx context.Context) error {
	if n.out.Usage != (model.Usage{}) {
		var all model.Usage
		n.meta.get(metaUsage, &all)
		all.Add(&n.out.Usage)
		if err := n.meta.set(metaUsage, all); err != nil {
			return err
		}
	}
	if n.out.Answers > 0 {
		if err := n.meta.set(metaModel, n.out.Provider+"/"+n.out.Model); err != nil {
			return err
		}
	}
	mine := map[string]json.RawMessage{} // what others have put there meanwhile stays
	for _, name := range []string{metaUsage, metaModel, metaSnapshot} {
		if value, ok := n.meta[name]; ok {
			mine[name] = value
		}
	}
	_, err := n.store.Update(ctx, n.key.String(), session.Patch{Members: mine})
	return err
}

// Kept is what the runs of a session have kept of themselves.
type Kept struct {
	Usage model.Usage // of all runs together
	Model string      // that answered last
}

// KeptOf reads it from a session.
func KeptOf(info session.Info) Kept {
	var k Kept
	m := metaOf(info)
	m.get(metaUsage, &k.Usage)
	m.get(metaModel, &k.Model)
	return k
}

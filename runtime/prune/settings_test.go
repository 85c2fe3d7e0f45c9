package prune_test

import (
	"reflect"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/prune"
)

func TestSettings(t *testing.T) {
	c := config.ContextPruning{Mode: config.PruneCacheTTL, TTL: time.Hour, HardClear: true, Placeholder: "gone", Allow: []string{"a"}, Deny: []string{"b"}}
	s, on := prune.Configured(c)
	if want := (prune.Settings{TTL: time.Hour, Placeholder: "gone", Allow: []string{"a"}, Deny: []string{"b"}}); !on || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, %v", s, on)
	}
	if s, on := prune.Configured(config.ContextPruning{Mode: config.PruneOff}); on || !s.NoClear {
		t.Errorf("%+v, %v", s, on)
	}
}

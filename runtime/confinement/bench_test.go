package confinement_test

import (
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/state"
)

// BenchmarkOpen opens what a session is mounted, as each run does: the agent's workspace is looked through, the session's directory
// is leased, and both are put on record.
func BenchmarkOpen(b *testing.B) {
	for name, key := range map[string]string{"main": mainKey, "own directory": eve} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			conf, err := config.Load(b.Context(), config.Options{Home: dir, LookupEnv: func(name string) (string, bool) {
				if name == config.EnvStateDir {
					return dir, true
				}
				return "", false
			}})
			if err != nil {
				b.Fatal(err)
			}
			db, err := state.Open(b.Context(), dir)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			opener := confinement.NewOpener(db)
			for b.Loop() {
				plan, err := confinement.Decide(conf, confinement.Request{Key: key})
				if err != nil {
					b.Fatal(err)
				}
				opened, err := opener.Open(b.Context(), plan)
				if err != nil {
					b.Fatal(err)
				}
				opened.Close()
			}
		})
	}
}

package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

// clocked is a store whose time passes when it is told to, and a little with each look at the clock.
func clocked(t *testing.T) (s *session.Store, path string, pass func(time.Duration)) {
	t.Helper()
	clock := time.Now()
	path = filepath.Join(t.TempDir(), "agent.sqlite")
	s, err := session.Open(t.Context(), session.Options{Path: path, Now: func() time.Time { clock = clock.Add(time.Millisecond); return clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, path, func(d time.Duration) { clock = clock.Add(d) }
}

func TestCleanArchivesAndDeletes(t *testing.T) {
	s, _, pass := clocked(t)
	keys := []string{mainKey, "agent:main:direct:old", "agent:main:cron:old", "agent:main:direct:a", "agent:main:direct:b", "agent:main:direct:c"}
	for i, key := range keys {
		if _, err := s.Create(t.Context(), session.CreateOptions{Key: key}); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			pass(48 * time.Hour)
		}
	}
	policy := config.Maintenance{Mode: config.MaintainEnforce, PruneAfter: 24 * time.Hour, MaxEntries: 3}
	want := "[{agent:main:direct:old false idle} {agent:main:cron:old true idle} {agent:main:direct:a false too many sessions}]"
	warn := policy
	warn.Mode = config.MaintainWarn
	for _, c := range []struct {
		policy config.Maintenance
		dryRun bool
	}{{policy, true}, {warn, false}, {policy, false}} {
		got, err := s.Clean(t.Context(), c.policy, c.dryRun)
		if err != nil || fmt.Sprint(got.Sessions) != want {
			t.Errorf("cleaned %v, %v", got, err)
		}
	}
	if got, err := s.Clean(t.Context(), policy, false); err != nil || len(got.Sessions) != 0 {
		t.Errorf("again %v, %v", got, err)
	}
	if _, err := s.Get(t.Context(), session.Ref{Key: "agent:main:cron:old"}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("the deleted one: %v", err)
	}
	if info, err := s.Get(t.Context(), session.Ref{Key: "agent:main:direct:old"}); err != nil || info.Archived == nil {
		t.Errorf("the archived one: %+v, %v", info, err)
	}
}

func TestCleanKeepsWhatWasUsedLately(t *testing.T) {
	s, _, pass := clocked(t)
	for _, key := range []string{"agent:main:direct:a", "agent:main:direct:b"} {
		if _, err := s.Create(t.Context(), session.CreateOptions{Key: key}); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
	}
	policy := config.Maintenance{Mode: config.MaintainEnforce, PruneAfter: time.Minute, PreserveRecent: 90 * time.Minute}
	if got, err := s.Clean(t.Context(), policy, false); err != nil || fmt.Sprint(got.Sessions) != "[{agent:main:direct:a false idle}]" {
		t.Errorf("cleaned %v, %v", got, err)
	}
}

// sized makes a session of about so many KiB of different words.
func sized(t *testing.T, s *session.Store, key string, kib int) {
	t.Helper()
	w, err := s.Claim(t.Context(), session.ClaimOptions{Key: key, Create: &session.CreateOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	var entries []session.Entry
	for i := range kib {
		var text strings.Builder
		for n := 0; text.Len() < 1<<10; n++ {
			fmt.Fprintf(&text, "word%x ", (i*7919+n*104729)%997)
		}
		entries = append(entries, user(t, text.String()))
	}
	for chunk := range slices.Chunk(entries, 10) {
		put(t, w, chunk...)
	}
	if err := w.Release(t.Context(), session.StatusDone); err != nil {
		t.Fatal(err)
	}
}

func archive(t *testing.T, s *session.Store, key string) {
	t.Helper()
	yes := true
	if _, err := s.Update(t.Context(), key, session.Patch{Archived: &yes}); err != nil {
		t.Fatal(err)
	}
}

// onDisk is what the file system says of a database.
func onDisk(t *testing.T, path string) (sum int64) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// crowded is a store that takes more space than it may. In the order in which they were used: a main session, a claimed one of
// cron, two of cron, two archived conversations, an open one, and one of a hook that was used lately.
func crowded(t *testing.T) (s *session.Store, path string, policy config.Maintenance) {
	t.Helper()
	s, path, pass := clocked(t)
	sized(t, s, mainKey, 100)
	claimed := session.CronKey("main", "claimed", "")
	sized(t, s, claimed, 100)
	for _, key := range []string{session.CronKey("main", "one", ""), session.CronKey("main", "two", ""), "agent:main:direct:a", "agent:main:direct:b", "agent:main:direct:open"} {
		sized(t, s, key, 100)
		pass(time.Minute)
	}
	archive(t, s, "agent:main:direct:b") // before the other one, which was used before it
	archive(t, s, "agent:main:direct:a")
	pass(time.Hour)
	sized(t, s, "hook:lately", 100)
	claim(t, s, claimed)
	if err := session.Shrink(t.Context(), s); err != nil { // so that nothing moves by itself
		t.Fatal(err)
	}
	return s, path, config.Maintenance{Mode: config.MaintainEnforce, PreserveRecent: time.Minute, MaxDiskBytes: onDisk(t, path) - 1}
}

func TestCleanMakesRoomOnTheDisk(t *testing.T) {
	one, two, b, a := "{agent:main:cron:one true too much disk space}", "{agent:main:cron:two true too much disk space}",
		"{agent:main:direct:b true too much disk space}", "{agent:main:direct:a true too much disk space}"
	for _, tt := range []struct {
		name    string
		percent int64 // of what it takes is to be left
		want    []string
		over    bool
	}{
		{"one is enough", 93, []string{one}, false},
		{"what is disposable goes first", 81, []string{one, two}, false},
		{"then what was archived first", 69, []string{one, two, b}, false},
		{"nothing else goes", 10, []string{one, two, b, a}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, path, policy := crowded(t)
			size, err := session.Size(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			policy.HighWaterBytes = size.Used / 100 * tt.percent
			before := onDisk(t, path)
			for _, mode := range []string{config.MaintainWarn, config.MaintainEnforce} {
				policy.Mode = mode
				got, err := s.Clean(t.Context(), policy, false)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(got.Sessions) != fmt.Sprint(tt.want) || got.Disk.Bytes != before || got.Disk.Max != policy.MaxDiskBytes {
					t.Errorf("%s: cleaned %v", mode, got)
				}
				if mode == config.MaintainWarn && (onDisk(t, path) != before || got.Disk.After != before) {
					t.Errorf("it did something: %+v", got.Disk)
				}
				if mode == config.MaintainEnforce && (got.Disk.After != onDisk(t, path) || got.Disk.Over()) {
					t.Errorf("%+v; on the disk there are %d", got.Disk, onDisk(t, path))
				}
			}
			if left := onDisk(t, path); len(tt.want) < 4 && left > policy.HighWaterBytes {
				t.Errorf("%d bytes are left of %d, wanted %d", left, before, policy.HighWaterBytes)
			}
			page, err := s.List(t.Context(), session.ListOptions{Archived: true})
			if err != nil || len(page.Sessions) != 8-len(tt.want) {
				t.Errorf("%d sessions are left, %v", len(page.Sessions), err)
			}
			for _, key := range []string{mainKey, session.CronKey("main", "claimed", ""), "agent:main:direct:open", "hook:lately"} {
				if !slices.ContainsFunc(page.Sessions, func(i session.Info) bool { return i.Key == key && i.Entries == 100 }) {
					t.Errorf("%s is not there as it was", key)
				}
			}
			if err := errors.Join(session.CheckIntegrity(t.Context(), s), session.NoOrphans(t.Context(), s)); err != nil {
				t.Error(err)
			}
			if hits, err := s.Search(t.Context(), session.SearchOptions{Query: "word1f*", Archived: true}); err != nil || len(hits) == 0 {
				t.Errorf("the search finds %d, %v", len(hits), err)
			}
		})
	}
}

func TestCleanSaysWhenThereIsNothingLeftToDelete(t *testing.T) {
	s, path, _ := clocked(t)
	sized(t, s, mainKey, 400)
	sized(t, s, "agent:main:direct:open", 400)
	policy := config.Maintenance{Mode: config.MaintainEnforce, MaxDiskBytes: 100_000, HighWaterBytes: 80_000}
	got, err := s.Clean(t.Context(), policy, false)
	if err != nil || len(got.Sessions) != 0 || !got.Disk.Over() || got.Disk.After != onDisk(t, path) {
		t.Errorf("cleaned %+v, %v", got, err)
	}
	policy.MaxDiskBytes = 0
	if got, err := s.Clean(t.Context(), policy, false); err != nil || got.Disk.Over() || got.Disk.Max != 0 {
		t.Errorf("without a bound: %+v, %v", got, err)
	}
}

// TestCleanGivesBackWhatIsFreeBeforeItDeletes has a database whose free pages are room enough.
func TestCleanGivesBackWhatIsFreeBeforeItDeletes(t *testing.T) {
	s, path, _ := clocked(t)
	sized(t, s, session.CronKey("main", "kept", ""), 100)
	sized(t, s, "agent:main:direct:gone", 800)
	if err := s.Delete(t.Context(), "agent:main:direct:gone"); err != nil {
		t.Fatal(err)
	}
	before := onDisk(t, path)
	got, err := s.Clean(t.Context(), config.Maintenance{Mode: config.MaintainEnforce, MaxDiskBytes: before - 1, HighWaterBytes: before * 8 / 10}, false)
	if err != nil || len(got.Sessions) != 0 || onDisk(t, path) > before*8/10 {
		t.Errorf("cleaned %+v, %v; on the disk %d of %d", got, err, onDisk(t, path), before)
	}
}

package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/session"
)

// Sizes that the benchmarks are about.
const (
	benchEntries  = 100_000 // in one session
	benchSessions = 10_000  // in one agent
)

// large is a database with one session of benchEntries and benchSessions others, made once for all benchmarks.
var large = sync.OnceValues(func() (path string, err error) {
	dir, err := os.MkdirTemp("", "session-bench-")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "{\"type\":\"session\",\"version\":4,\"id\":\"large\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"cwd\":\"/\"}\n")
	parent := "null"
	for i := range benchEntries {
		role := []string{"user", "assistant"}[i%2]
		rare := ""
		if i%10_000 == 0 {
			rare = "needle"
		}
		fmt.Fprintf(&text, `{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-01-01T00:00:00Z","message":{"role":%q,"content":[{"type":"text","text":%q}]}}`+"\n",
			i, parent, role, strings.TrimSpace(fmt.Sprintf("message number %d about topic%d with the usual words of a conversation in it, some more than others %s", i, i%997, rare)))
		parent = fmt.Sprintf("%q", fmt.Sprintf("e%d", i))
	}
	ctx := benchContext
	path = filepath.Join(dir, "agent.sqlite")
	s, err := session.Open(ctx, session.Options{Path: path})
	if err != nil {
		return "", err
	}
	defer s.Close()
	if _, err := s.Import(ctx, strings.NewReader(text.String()), session.ImportOptions{Key: mainKey}); err != nil {
		return "", err
	}
	for i := range benchSessions {
		if _, err := s.Create(ctx, session.CreateOptions{Key: fmt.Sprintf("agent:main:direct:p%05d", i)}); err != nil {
			return "", err
		}
	}
	return path, nil
})

func benchStore(b *testing.B) *session.Store {
	b.Helper()
	path, err := large()
	if err != nil {
		b.Fatal(err)
	}
	return openStore(b, path)
}

func BenchmarkAppend(b *testing.B) {
	w := claim(b, benchStore(b), mainKey)
	e := user(b, strings.Repeat("an ordinary message of some words ", 8))
	times := make([]time.Duration, 0, b.N)
	for b.Loop() {
		begun := time.Now()
		put(b, w, e)
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(times[len(times)-1].Microseconds()), "max-µs")
}

func BenchmarkAppendAndSync(b *testing.B) {
	s := benchStore(b)
	w := claim(b, s, mainKey)
	e := user(b, strings.Repeat("an ordinary message of some words ", 8))
	for b.Loop() {
		put(b, w, e)
		if err := s.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendLargeResult(b *testing.B) {
	w := claim(b, newStore(b), mainKey)
	text := strings.Repeat("one line of the output of a tool, with numbers 123 456\n", 4000)
	for b.Loop() {
		put(b, w, assistant(b, "", "c"))
		put(b, w, result(b, "c", text))
	}
}

// BenchmarkOpen opens the database and claims the session, as a run does before it appends.
func BenchmarkOpen(b *testing.B) {
	benchStore(b)
	path, _ := large()
	for b.Loop() {
		s, err := session.Open(b.Context(), session.Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		w, err := s.Claim(b.Context(), session.ClaimOptions{Key: mainKey})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Release(b.Context(), session.StatusDone); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenNew makes a database.
func BenchmarkOpenNew(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		s, err := session.Open(b.Context(), session.Options{Path: filepath.Join(dir, fmt.Sprint(i), "agent.sqlite")})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	s := benchStore(b)
	first, err := s.List(b.Context(), session.ListOptions{Limit: 5000})
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name string
		o    session.ListOptions
	}{
		{"first", session.ListOptions{}},
		{"middle", session.ListOptions{Cursor: first.Next}},
		{"all", session.ListOptions{Limit: session.MaxPage}},
		{"prefix", session.ListOptions{Prefix: "agent:main:direct:p0001"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if page, err := s.List(b.Context(), bb.o); err != nil || len(page.Sessions) == 0 {
					b.Fatal(len(page.Sessions), err)
				}
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	s := benchStore(b)
	for _, bb := range []struct {
		name string
		o    session.SearchOptions
	}{
		{"rare", session.SearchOptions{Query: "needle"}},
		{"hundred", session.SearchOptions{Query: "topic42"}},
		{"everywhere", session.SearchOptions{Query: "conversation"}},
		{"everywhere in one session", session.SearchOptions{Query: "conversation", Keys: []string{mainKey}}},
		{"phrase", session.SearchOptions{Query: `"usual words" topic42`}},
		{"prefix", session.SearchOptions{Query: "needl*"}},
		{"none", session.SearchOptions{Query: "absent"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), bb.o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead reads the newest and the oldest page, the newest entries of the branch, and the whole branch.
func BenchmarkRead(b *testing.B) {
	s := benchStore(b)
	ref := session.Ref{Key: mainKey}
	b.Run("last 500 of the branch", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range s.Branch(b.Context(), ref, "") {
				if err != nil {
					b.Fatal(err)
				}
				if n++; n == 500 {
					break
				}
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if page, err := s.Entries(b.Context(), ref, session.EntriesOptions{After: 50_000}); err != nil || len(page) != session.DefaultPage {
				b.Fatal(len(page), err)
			}
		}
	})
	b.Run("whole context", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Context(b.Context(), ref); err != nil {
				b.Fatal(err)
			}
		}
	})
}

var benchContext = context.Background() // of what outlives one benchmark

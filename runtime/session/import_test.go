package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"openclaw/runtime/session"
)

const importKey = "agent:main:imported"

func importText(t testing.TB, s *session.Store, text string, o session.ImportOptions) (session.Imported, error) {
	t.Helper()
	if o.Key == "" {
		o.Key = importKey
	}
	return s.Import(t.Context(), strings.NewReader(text), o)
}

const headerLine = `{"type":"session","version":4,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}` + "\n"

func userLine(id, parent, text string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":%q}}`+"\n", id, parent, text)
}

func TestImportNamesMalformedLines(t *testing.T) {
	good := userLine("a", "null", "one")
	tests := []struct {
		name, text string
		line       int
		reason     string
	}{
		{"nothing", "", 1, "empty"},
		{"blank lines", "\n \n", 1, "empty"},
		{"no header", good, 1, "header"},
		{"not JSON", "hello\n", 1, "header"},
		{"future version", `{"type":"session","version":5,"id":"x"}`, 1, "version 5"},
		{"negative version", `{"type":"session","version":-1,"id":"x"}`, 1, "version -1"},
		{"id that is a path", `{"type":"session","version":4,"id":"../x"}`, 1, "id"},
		{"bad time of the header", `{"type":"session","version":4,"id":"x","timestamp":"today"}`, 1, "timestamp"},
		{"torn line", headerLine + good + good[:40], 3, "JSON object"},
		{"array", headerLine + "[]\n", 2, "JSON object"},
		{"null", headerLine + "null\n", 2, "JSON object"},
		{"number", headerLine + "7\n", 2, "JSON object"},
		{"not UTF-8", headerLine + "{\"type\":\"custom\",\"id\":\"a\",\"x\":\"\xff\"}\n", 2, "UTF-8"},
		{"no type", headerLine + `{"id":"a"}`, 2, "no type"},
		{"type that is a number", headerLine + `{"type":1,"id":"a"}`, 2, "type"},
		{"second header", headerLine + headerLine, 2, "second header"},
		{"no id", headerLine + `{"type":"custom"}`, 2, "no id"},
		{"empty id", headerLine + `{"type":"custom","id":""}`, 2, "id"},
		{"id with a control character", headerLine + `{"type":"custom","id":"a\u0000"}`, 2, "id"},
		{"id twice", headerLine + good + good, 3, "before it has"},
		{"parent that comes later", headerLine + userLine("b", "a", "x") + good, 2, "in front"},
		{"own parent", headerLine + userLine("a", "a", "x"), 2, "in front"},
		{"leaf to nowhere", headerLine + `{"type":"leaf","id":"l","parentId":null,"targetId":"zz"}`, 2, "leaf"},
		{"bad time", headerLine + `{"type":"custom","id":"a","timestamp":"yesterday"}`, 2, "timestamp"},
		{"time that is an object", headerLine + `{"type":"custom","id":"a","timestamp":{}}`, 2, "timestamp"},
		{"negative time", headerLine + `{"type":"custom","id":"a","timestamp":-5}`, 2, "timestamp"},
		{"unknown role", headerLine + `{"type":"message","id":"a","message":{"role":"king"}}`, 2, "role"},
		{"message without a message", headerLine + `{"type":"message","id":"a"}`, 2, "message"},
		{"content that is a number", headerLine + `{"type":"message","id":"a","message":{"role":"user","content":5}}`, 2, "content"},
		{"compaction without a summary", headerLine + `{"type":"compaction","id":"a"}`, 2, "summary"},
		{"long line", headerLine + `{"type":"custom","id":"a","x":"` + strings.Repeat("x", session.MaxLineBytes) + "\"}\n" + good, 2, "longer"},
		{"large body", headerLine + `{"type":"custom","id":"a","x":"` + strings.Repeat("x", session.MaxEntryBytes) + "\"}\n" + good, 2, "bytes"},
	}
	s := newStore(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := importText(t, s, tt.text, session.ImportOptions{Name: "t.jsonl"})
			var malformed *session.ImportError
			if !errors.As(err, &malformed) {
				t.Fatalf("error %v", err)
			}
			if l := malformed.Lines[0]; len(malformed.Lines) != 1 || l.Line != tt.line || !strings.Contains(l.Reason, tt.reason) {
				t.Errorf("lines %v, want line %d with %q", malformed.Lines, tt.line, tt.reason)
			}
			nothingIsLeft(t, s)
		})
	}
}

// nothingIsLeft wants no trace of an import.
func nothingIsLeft(t *testing.T, s *session.Store) {
	t.Helper()
	if _, err := s.Get(t.Context(), session.Ref{Key: importKey}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("the session: %v", err)
	}
	if err := session.NoOrphans(t.Context(), s); err != nil {
		t.Error(err)
	}
}

func TestImportKeepsEveryMistakeUpToABound(t *testing.T) {
	s := newStore(t)
	const bad = 250
	text := headerLine + strings.Repeat(userLine("x", "nobody", "y"), bad)
	_, err := importText(t, s, text, session.ImportOptions{})
	var malformed *session.ImportError
	if !errors.As(err, &malformed) || len(malformed.Lines) != session.MaxLineErrors || malformed.More != bad-session.MaxLineErrors {
		t.Errorf("error %v", err)
	}
}

func TestAnImportThatFailsLateLeavesNothing(t *testing.T) {
	s := newStore(t)
	var text strings.Builder
	text.WriteString(headerLine)
	parent := "null"
	for i := range 3 * session.ImportBatch {
		id := fmt.Sprint("e", i)
		text.WriteString(userLine(id, parent, "needle"))
		parent = id
	}
	whole := text.String()
	if _, err := importText(t, s, whole+"torn", session.ImportOptions{}); err == nil {
		t.Error("a torn line was accepted")
	}
	nothingIsLeft(t, s)
	_, err := s.Import(t.Context(), iotest.TimeoutReader(strings.NewReader(whole)), session.ImportOptions{Key: importKey})
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("reader that fails: %v", err)
	}
	nothingIsLeft(t, s)
	got, err := importText(t, s, whole, session.ImportOptions{})
	if err != nil || got.Entries != 3*session.ImportBatch || got.SessionID != "s1" {
		t.Fatalf("imported %+v, %v", got, err)
	}
	for _, o := range []session.ImportOptions{{Key: "agent:main:another"}, {}} { // the same id, the same key
		if _, err := importText(t, s, whole, o); !errors.Is(err, session.ErrExists) {
			t.Errorf("again: %v", err)
		}
	}
}

func TestImportWithoutMalformedLines(t *testing.T) {
	s := newStore(t)
	text := headerLine + userLine("a", "null", "one") + "torn\n" + userLine("b", "lost", "two") + userLine("c", "b", "three") + `{"type":"mess`
	got, err := importText(t, s, text, session.ImportOptions{SkipMalformed: true})
	if err != nil || got.Entries != 3 || len(got.Skipped) != 2 || got.Skipped[0].Line != 3 || got.Skipped[1].Line != 6 {
		t.Fatalf("imported %+v, %v", got, err)
	}
	if got := contextOf(t, s, importKey); fmt.Sprint(got) != "[user: one user: two user: three]" {
		t.Errorf("context %q", got)
	}
}

func TestImportOfOlderVersions(t *testing.T) {
	s := newStore(t)
	text := "\xef\xbb\xbf" + `{"type":"session","id":"v1","timestamp":1735689600000,"cwd":"/"}` + "\r\n" +
		`{"type":"message","timestamp":1735689601000,"message":{"role":"user","content":"one"}}` + "\r\n" +
		`{"type":"message","message":{"role":"hookMessage","content":"two"}}` + "\n" +
		`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"three"},{"type":"toolCall","id":"c","name":"exec","arguments":{}}]}}` + "\n" +
		`{"type":"compaction","summary":"S","firstKeptEntryIndex":2,"tokensBefore":5}` + "\n" +
		`{"type":"message","message":{"role":"user","content":"four"}}`
	if _, err := importText(t, s, text, session.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	entries, err := s.Context(t.Context(), session.Ref{Key: importKey})
	if err != nil || !isPaired(entries) {
		t.Errorf("context %v, %v", show(entries), err)
	}
	if len(entries) != 5 || entries[0].Text() != "S" || entries[1].Role() != "custom" || entries[3].Role() != "toolResult" || entries[4].Text() != "four" {
		t.Errorf("context %q", show(entries))
	}
	w := claim(t, s, importKey)
	put(t, w, user(t, "five"))
}

func TestWhatIsExportedCanBeImported(t *testing.T) {
	s := newStore(t)
	w := claim(t, s, mainKey)
	at := put(t, w, user(t, "<one> & \u2028 two"))
	put(t, w, assistant(t, "x", "c1"))
	put(t, w, result(t, "c1", "y"))
	if _, err := w.Branch(t.Context(), at, "left"); err != nil {
		t.Fatal(err)
	}
	put(t, w, entry(t, session.TypeCompaction, session.Compaction{Summary: "S", FirstKeptEntryID: at}), user(t, "three"))
	if err := w.Rewind(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := s.Export(t.Context(), session.Ref{Key: mainKey}, &first, session.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	other := newStore(t)
	if _, err := importText(t, other, first.String(), session.ImportOptions{}); err != nil {
		t.Fatalf("%v\n%s", err, first.String())
	}
	if err := other.Export(t.Context(), session.Ref{Key: importKey}, &second, session.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(parsed(t, first.String()), parsed(t, second.String())) {
		t.Errorf("exported\n%sthen\n%s", first.String(), second.String())
	}
	if info, err := other.Get(t.Context(), session.Ref{Key: importKey}); err != nil || info.LeafID != at {
		t.Errorf("leaf %+v, %v", info, err)
	}
}

// parsed takes each line apart: the order of fields is free.
func parsed(t *testing.T, text string) (lines []any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, v)
	}
	return lines
}

// FuzzImport wants that whatever is imported is a tree that can be read, shown, exported and imported again, and that what is
// not leaves nothing.
func FuzzImport(f *testing.F) {
	f.Add(headerLine + userLine("a", "null", "one") + userLine("b", "a", "two"))
	f.Add(headerLine + userLine("a", "null", "one") + `{"type":"leaf","id":"l","parentId":"a","targetId":null}` + "\n" + userLine("b", "null", "two"))
	f.Add(`{"type":"session"}` + "\n" + `{"type":"compaction","summary":"S","firstKeptEntryIndex":0}` + "\n" + `{"type":"reset","firstKeptEntryId":"x"}`)
	f.Add(headerLine + `{"type":"message","id":"m","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n"}]}}` + "\n" + "torn")
	f.Add("\xef\xbb\xbf" + `{"type":"session","version":2,"id":"x","timestamp":0}` + "\r\n\r\n" + `{"type":"label","id":"q","targetId":"z","label":"L"}`)
	s := newStore(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, skip := range []bool{false, true} {
			got, err := importText(t, s, text, session.ImportOptions{SkipMalformed: skip})
			if err != nil {
				nothingIsLeft(t, s)
				continue
			}
			ref := session.Ref{Key: importKey}
			n := 0
			for _, err := range s.Branch(t.Context(), ref, "") {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if int64(n) > got.Entries {
				t.Errorf("a branch of %d entries of %d", n, got.Entries)
			}
			if entries, err := s.Context(t.Context(), ref); err != nil || !isPaired(entries) {
				t.Errorf("context %v, %v", show(entries), err)
			}
			var out bytes.Buffer
			if err := s.Export(t.Context(), ref, &out, session.ExportOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := s.Delete(t.Context(), importKey); err != nil {
				t.Fatal(err)
			}
			again, err := importText(t, s, out.String(), session.ImportOptions{})
			if err != nil || again.Entries != got.Entries {
				t.Fatalf("imported again: %+v, %v\n%s", again, err, out.String())
			}
			if err := s.Delete(t.Context(), importKey); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAnEscapedCallIsACall hides from whoever looks at the text of an entry that there is a call in it.
func TestAnEscapedCallIsACall(t *testing.T) {
	s := newStore(t)
	text := `{"type":"session","version":4,"id":"escaped","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":[{"type":"tool\u0043all","id":"call","name":"exec","arguments":{}}]}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"and?"}}
`
	if _, err := s.Import(t.Context(), strings.NewReader(text), session.ImportOptions{Key: mainKey}); err != nil {
		t.Fatal(err)
	}
	if got := contextOf(t, s, mainKey); len(got) != 3 || !strings.HasPrefix(got[1], "toolResult: Interrupted") {
		t.Errorf("context %q", got)
	}
}

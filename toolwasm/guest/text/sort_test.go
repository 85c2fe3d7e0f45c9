package text

import (
	"bufio"
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/toolwasm/guest/command"
)

// sorted sorts data in memory with the given keys.
func sorted(t interface{ Fatal(...any) }, c *comparer, data string) string {
	p := &command.Proc{Ctx: context.Background()}
	m := newMemory(p, c, '\n')
	if _, err := m.read(p, strings.NewReader(data), func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	m.sort()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	m.write(w)
	_ = w.Flush()
	return out.String()
}

func keys(t interface{ Fatal(...any) }, specs ...string) []sortKey {
	var out []sortKey
	for _, s := range specs {
		k, err := parseSortKey(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, k)
	}
	return out
}

// TestSortAgreesWithComparison holds the fast paths against a stable sort by plain comparison.
func TestSortAgreesWithComparison(t *testing.T) {
	specs := [][]string{nil, {"1"}, {"2,2"}, {"1n"}, {"2nr", "1"}, {"1,1r"}, {"1V"}, {"1h"}, {"1f"}, {"1.2,1.4"}, {"1g", "2"}, {"1,1", "2,2n"}}
	rapid.Check(t, func(t *rapid.T) {
		c := comparer{tab: -1, reverse: rapid.Bool().Draw(t, "reverse"), stable: rapid.Bool().Draw(t, "stable")}
		c.keys = keys(t, rapid.SampledFrom(specs).Draw(t, "keys")...)
		word := rapid.StringOfN(rapid.SampledFrom([]rune("ab0 1.-K\x00é")), 0, 24, -1)
		lines := rapid.SliceOfN(word, 0, 200).Draw(t, "lines")
		want := slices.Clone(lines)
		slices.SortStableFunc(want, func(a, b string) int { return c.lines([]byte(a), []byte(b)) })
		join := func(ls []string) string {
			if len(ls) == 0 {
				return ""
			}
			return strings.Join(ls, "\n") + "\n"
		}
		if got := sorted(t, &c, join(lines)); got != join(want) {
			t.Fatalf("got %q, want %q", got, join(want))
		}
	})
}

func TestSortHandlesLinesLongerThanItsBuffers(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	data := "b\n" + long + "\na\n" + long + "y\nc"
	want := "a\nb\nc\n" + long + "\n" + long + "y\n"
	if got := sorted(t, &comparer{tab: -1}, data); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

func TestSortKeepsAnUnfinishedLineForTheNextRun(t *testing.T) {
	p := &command.Proc{Ctx: context.Background()}
	m := newMemory(p, &comparer{tab: -1}, '\n')
	reads := 0
	_, err := m.read(p, strings.NewReader("b\na\nunfin"), func() bool { reads++; return reads > 1 })
	if err != nil {
		t.Fatal(err)
	}
	if begun := m.takeBegun(); string(begun) != "unfin" {
		t.Errorf("kept %q", begun)
	}
	m.sort()
	if len(m.entries) != 2 || string(m.line(&m.entries[0])) != "a" {
		t.Errorf("%d entries", len(m.entries))
	}
}

func FuzzSortKey(f *testing.F) {
	for _, s := range []string{"1", "2,3", "1.2,3.4nr", "2b,2", "1,1bfd", "0", "1.0", ",", "1,", "99999999999999999999"} {
		f.Add(s, "a b c")
	}
	f.Fuzz(func(t *testing.T, spec, line string) {
		k, err := parseSortKey(spec)
		if err != nil {
			return
		}
		for _, tab := range []int{-1, ' ', 'b'} {
			from, to := k.find([]byte(line), tab)
			if from < 0 || to < from || to > len(line) {
				t.Fatalf("key %q of %q: %d to %d", spec, line, from, to)
			}
		}
		c := comparer{keys: []sortKey{k}, tab: -1}
		if d := c.lines([]byte(line), []byte(line)); d != 0 {
			t.Fatalf("a line is not equal to itself: %d", d)
		}
	})
}

func BenchmarkSort(b *testing.B) {
	var data strings.Builder
	for i := range 100000 {
		data.WriteString(strings.Repeat(string(rune('a'+i*7919%26)), i%13))
		data.WriteByte('\n')
	}
	b.SetBytes(int64(data.Len()))
	for b.Loop() {
		sorted(b, &comparer{tab: -1}, data.String())
	}
}

func BenchmarkWc(b *testing.B) {
	data := bytes.Repeat([]byte("some words of text here\n"), 1<<12)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		var t tally
		s := scanner{words: true}
		s.scan(&t, data)
	}
}

package blocks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"openclaw/runtime/blocks"
)

// one is a block of its own.
func one(text string) blocks.Block {
	return split(blocks.Options{Max: 4000}, text, 0)[0]
}

func TestBlocksOfOneTextAreJoinedAsTheyWere(t *testing.T) {
	text := "First line.\n\n\nSecond.\n```go\naaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbbbbbbbbbb\ncccccccccccccccccccccccc\n```\n\n    code\n\nEnd of it."
	list := split(blocks.Options{Min: 10, Max: 48}, text, 5)
	if len(list) < 4 {
		t.Fatalf("only %d blocks", len(list))
	}
	joined := list[0]
	for _, b := range list[1:] {
		joined = joined.Join(b, "|")
	}
	if joined.Text() != text || joined.Source() != text {
		t.Errorf("joined to %q", joined.Text())
	}
	if got, want := one("a").Join(joined, "|").Join(one("z"), "|").Text(), "a|"+text+"|z"; got != want {
		t.Errorf("texts are joined to %q", got)
	}
	open := one("```\ncode").Join(one("text"), "\n\n")
	if got, want := open.Text(), "```\ncode\n```\n\ntext"; got != want {
		t.Errorf("an open fence in front of another text: %q", got)
	}
}

func TestCoalescerWaitsForMore(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	c := blocks.NewCoalescer(blocks.Coalescing{Min: 10, Max: 20, Idle: time.Second, Joiner: "\n\n"})
	var got []string
	take := func(list []blocks.Block) { got = append(got, texts(list)...) }
	expect := func(step string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
		got = nil
	}
	if _, ok := c.Due(); ok {
		t.Error("it waits for nothing")
	}
	take(c.Add(at(0), one("short")))
	take(c.Tick(at(1000)))
	expect("below the least nothing is sent when idle")
	if due, ok := c.Due(); !ok || due != at(2000) {
		t.Errorf("due %v, %v", due, ok)
	}
	take(c.Add(at(1500), one("more")))
	take(c.Tick(at(2499)))
	expect("each block begins the wait anew")
	take(c.Tick(at(2500)))
	expect("idle", "short\n\nmore")
	take(c.Add(at(3000), one("0123456789abc")))
	take(c.Add(at(3001), one("0123456789")))
	expect("too long together", "0123456789abc")
	take(c.Add(at(3002), one(strings.Repeat("x", 25))))
	expect("alone too long", "0123456789", strings.Repeat("x", 25))
	take(c.Add(at(3003), one("end")))
	take(c.Flush())
	take(c.Flush())
	expect("the end", "end")
}

func TestDeliveryKeepsOrderAndPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var sent []string
		var when []time.Duration
		d := blocks.NewDelivery(t.Context(), blocks.DeliveryOptions{
			Send: func(_ context.Context, b blocks.Block) error {
				sent, when = append(sent, b.Text()), append(when, time.Since(start))
				return nil
			},
			Coalescing: &blocks.Coalescing{Min: 4, Max: 12, Idle: time.Second, Joiner: " "},
			Pause:      blocks.NaturalPause,
			Random:     func(n int64) int64 { return n - 1 },
		})
		d.Put(one("a"))
		d.Put(one("bcd"))
		time.Sleep(1500 * time.Millisecond)
		d.Put(one("efgh"))
		d.Flush()
		d.Put(one("last"))
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
		d.Put(one("too late"))
		if want := []string{"a bcd", "efgh", "last"}; !slices.Equal(sent, want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		if want := []time.Duration{1000 * time.Millisecond, 4000 * time.Millisecond, 6500 * time.Millisecond}; !slices.Equal(when, want) {
			t.Errorf("sent at %v, want %v", when, want)
		}
	})
}

func TestDeliveryEnds(t *testing.T) {
	broken := errors.New("broken")
	synctest.Test(t, func(t *testing.T) {
		n := 0
		d := blocks.NewDelivery(t.Context(), blocks.DeliveryOptions{Send: func(context.Context, blocks.Block) error { n++; return broken }})
		d.Put(one("a"))
		synctest.Wait()
		d.Put(one("b"))
		if err := d.Close(t.Context()); !errors.Is(err, broken) || n != 1 {
			t.Errorf("after a failure: %v, %d sent", err, n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		d := blocks.NewDelivery(ctx, blocks.DeliveryOptions{
			Send:  func(context.Context, blocks.Block) error { n++; return nil },
			Pause: blocks.Pause{Min: time.Hour},
		})
		d.Put(one("a"))
		d.Put(one("b"))
		synctest.Wait()
		cancel()
		if err := d.Close(t.Context()); !errors.Is(err, context.Canceled) || n != 1 {
			t.Errorf("after a cancellation: %v, %d sent", err, n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := blocks.NewDelivery(t.Context(), blocks.DeliveryOptions{
			Send:       func(context.Context, blocks.Block) error { return nil },
			Coalescing: &blocks.Coalescing{Min: 100, Max: 200, Idle: time.Second},
			Pause:      blocks.Pause{Min: time.Hour},
		})
		d.Put(one("a"))
		d.Flush()
		d.Put(one("b"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := d.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("when closing takes too long: %v", err)
		}
	})
}

// upper is a filter that shows everything at the end.
type upper struct{ text string }

func (u *upper) Write(piece string) string { u.text += strings.ToUpper(piece); return "" }
func (u *upper) Close() string             { return u.text }

func TestStreamGivesBlocksWhenItShould(t *testing.T) {
	options := blocks.Options{Min: 5, Max: 20}
	for _, c := range []struct {
		name string
		o    blocks.StreamOptions
		do   func(*blocks.Stream, func(string))
		want []string
	}{
		{"at the end of a text", blocks.StreamOptions{Options: options}, func(s *blocks.Stream, mark func(string)) {
			s.Write("One one.\n\nTwo")
			mark("mid")
			s.EndText()
			mark("text")
			s.Write("Three")
			s.EndMessage()
		}, []string{"One one.", "mid", "Two", "text", "Three"}},
		{"at the end of the message", blocks.StreamOptions{Options: options, AtMessageEnd: true}, func(s *blocks.Stream, mark func(string)) {
			s.Write("One one.\n\nTwo two.\n\nThree")
			s.EndText()
			mark("text")
			s.Write("Four")
			s.EndText()
			s.EndMessage()
			mark("end")
		}, []string{"text", "One one.\n\nTwo two.", "Three", "Four", "end"}},
		{"with a filter", blocks.StreamOptions{Options: options, NewFilter: func() blocks.Filter { return &upper{} }}, func(s *blocks.Stream, mark func(string)) {
			s.Write("a")
			s.EndText()
			mark("text")
			s.EndMessage()
			s.Write("b")
			s.EndMessage()
		}, []string{"text", "A", "B"}},
		{"an answer that is void", blocks.StreamOptions{Options: options}, func(s *blocks.Stream, mark func(string)) {
			s.Write("```\nx := 1111111111\ny := 2222222222222")
			s.Discard()
			mark("void")
			s.Write("```\nx :")
			s.Write("= 1111111111\nz := 3\n```")
			s.EndMessage()
		}, []string{"```\nx := \n```", "void", "```\n1111111111\n```", "```\nz := 3\n```"}},
		{"another answer instead", blocks.StreamOptions{Options: options}, func(s *blocks.Stream, mark func(string)) {
			s.Write("One one.\n\nTwo")
			s.Discard()
			s.Write("One tw")
			s.Write("o.")
			s.EndMessage()
		}, []string{"One one.", "One two."}},
		{"a shorter answer instead", blocks.StreamOptions{Options: options}, func(s *blocks.Stream, mark func(string)) {
			s.Write("One one.\n\nTwo")
			s.Discard()
			s.Write("One")
			s.EndMessage()
			s.Write("Next")
			s.EndMessage()
		}, []string{"One one.", "Next"}},
	} {
		var got []string
		s := blocks.NewStream(c.o, func(b blocks.Block) { got = append(got, b.Text()) })
		c.do(s, func(mark string) { got = append(got, mark) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		preference blocks.Preference
		want       string
	}{{blocks.Paragraph, "\n\n"}, {"", "\n\n"}, {blocks.Newline, "\n"}, {blocks.Sentence, " "}} {
		if got := c.preference.Joiner(); got != c.want {
			t.Errorf("%q joins with %q", c.preference, got)
		}
	}
	if n := blocks.Units("aé日👍"); n != 5 {
		t.Errorf("%d units", n)
	}
}

func BenchmarkSplitter(b *testing.B) {
	text := strings.Repeat("Some prose that goes on for a while, and then on. ", 40) + "\n\n```go\n" + strings.Repeat("call(with, arguments)\n", 60) + "```\n"
	for _, piece := range []int{1, 4, 64} {
		b.Run(fmt.Sprintf("pieces of %d", piece), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				split(blocks.Options{}, text, piece)
			}
		})
	}
}

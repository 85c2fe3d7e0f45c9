package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
)

// paced is a transport whose stream has pieces with pauses in front of them. It ends with the request only.
type paced struct {
	header time.Duration // before the response
	pause  time.Duration // before each piece
	pieces []string
}

func (p paced) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	if err := sleep(r.Context(), p.header); err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	go func() {
		for _, piece := range p.pieces {
			if sleep(r.Context(), p.pause) != nil {
				break
			}
			_, _ = io.WriteString(writer, piece)
		}
		<-r.Context().Done()
		writer.CloseWithError(r.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader, Request: r}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestSilences runs in a time of its own, in which minutes pass at once.
func TestSilences(t *testing.T) {
	const (
		text  = `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}` + "\n\n"
		ping  = ": ping\n"
		stop  = `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n"
		grace = 5 * time.Second // for what may follow an answer
	)
	minute := time.Minute
	tests := []struct {
		name        string
		first, idle time.Duration
		server      paced
		after       time.Duration // when Stream returns
		silent      bool
	}{
		{"no response", 2 * minute, minute, paced{header: time.Hour}, 2 * minute, true},
		{"a response without events", 2 * minute, minute, paced{header: minute}, 2 * minute, true},
		{"the first event does not come", 2 * minute, 10 * minute, paced{pause: 3 * minute, pieces: []string{text}}, 2 * minute, true},
		{"the second does not come", 10 * minute, minute, paced{pause: 3 * minute, pieces: []string{text, stop}}, 4 * minute, true},
		{"comments are life", 2 * minute, 2 * minute, paced{pause: minute, pieces: []string{ping, ping, ping, ping, text, ping, ping, stop}}, 8*minute + grace, false},
		{"bytes of a line are not", 2 * minute, 2 * minute, paced{pause: minute, pieces: []string{text, "d", "a", "t", "a"}}, 3 * minute, true},
		{"no bound", 0, 0, paced{header: time.Hour, pause: time.Hour, pieces: []string{text, stop}}, 3*time.Hour + grace, false},
		{"a complete answer is not waited with", 0, 0, paced{pause: minute, pieces: []string{text, stop}}, 2*minute + grace, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := wire.New(wire.Options{API: wire.APIMessages, Provider: "p", FirstEvent: test.first, Idle: test.idle, Transport: test.server})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				answer, err := client.Stream(t.Context(), request(), nil)
				took := time.Since(began)
				if d := took - test.after; d < 0 || d > time.Second {
					t.Errorf("it took %s, not %s", took, test.after)
				}
				if errors.Is(err, wire.ErrSilent) != test.silent || test.silent && model.KindOf(err) != model.KindTimeout {
					t.Errorf("the error is %v", err)
				}
				if !test.silent && (answer.Text() != "a" || answer.StopReason != model.StopEnd) {
					t.Errorf("the answer is %+v (%v)", answer, err)
				}
			})
		})
	}
}
